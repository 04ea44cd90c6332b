"""Lesson 15: one set of parts, three models."""

import numpy as np

from minigrad.checking.differences import slopes
from minigrad.course.exercises import exercise, numbers

# --- hidden tokens --------------------------------------------------------------------------------


def tokens_and_draws(rng, size):
    """In each batch a token that is hidden, one that is not, one whose draw is p itself, and padding
    with a draw below p."""
    B, T = min(size, 2), size + 3
    tokens, draws = rng.integers(2, 9, (B, T)), rng.integers(1, 99, (B, T)) / 100
    pad = int(rng.choice([0, 1])) if size > 1 else 1
    p = float(rng.choice([0.2, 0.3, 0.4]))
    tokens[0, -1] = pad
    draws[0, :3] = rng.permutation([0.1, 0.9, p])
    draws[0, -1] = 0.05
    return tokens, draws, p, 8 + size, pad


def token_by_token(tokens, draws, p, mask, pad):
    read, guess = tokens.copy(), np.full_like(tokens, pad)
    for at in np.ndindex(tokens.shape):
        if draws[at] < p and tokens[at] != pad:
            read[at], guess[at] = mask, tokens[at]
    return read, guess


@exercise(
    draw=tokens_and_draws,
    truth=token_by_token,
    properties={
        "each token is either read or to be guessed": lambda f, tokens, draws, p, mask, pad: (
            lambda read, guess: np.array_equal(np.where(read == mask, guess, read), tokens)
        )(*f(tokens, draws, p, mask, pad)),
        "ids stay whole numbers": lambda f, *inputs: all(
            ids.dtype.kind in "iu" for ids in f(*inputs)
        ),
    },
    hints=["First which are hidden, as booleans; then np.where for each of the two results."],
    worked=(
        lambda: (np.array([[3, 4, 5, 0]]), np.array([[0.5, 0.1, 0.05, 0.01]]), 0.2, 8, 0),
        [
            "Whose draw is below 0.2, and is no padding? {h := (draws < p) & (tokens != pad)}",
            "In what it reads, those become 8: {a := np.where(h, mask, tokens)}",
            "It is to guess them alone: {b := np.where(h, tokens, pad)}. Both: {(a, b)}",
        ],
    ),
)
def hide(tokens, draws, p, mask, pad):
    hidden = (draws < p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, tokens, pad)


@hide.mistake(
    "All tokens are to be guessed, also those that the model can read: it would learn to copy. "
    "The loss is over the hidden ones."
)
def _(tokens, draws, p, mask, pad):
    return hide.solution(tokens, draws, p, mask, pad)[0], tokens


@hide.mistake("Padding gets hidden as well; it is no token, and never is.")
def _(tokens, draws, p, mask, pad):
    return np.where(draws < p, mask, tokens), np.where(draws < p, tokens, pad)


@hide.mistake("A token whose draw is p itself is hidden; only those below p are.")
def _(tokens, draws, p, mask, pad):
    hidden = (draws <= p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, tokens, pad)


@hide.mistake("The id of what is hidden is taken to be 9, whatever `mask` says.")
def _(tokens, draws, p, mask, pad):
    return hide.solution(tokens, draws, p, 9, pad)


@hide.mistake("Nothing is hidden from the model: it reads the very tokens that it is to guess.")
def _(tokens, draws, p, mask, pad):
    return tokens, hide.solution(tokens, draws, p, mask, pad)[1]


@hide.mistake("p is taken for the chance of staying; it is that of being hidden.")
def _(tokens, draws, p, mask, pad):
    hidden = (draws >= p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, tokens, pad)


@hide.mistake(
    "It is to guess the tokens that it can read, and not those that are hidden: the two have "
    "changed places."
)
def _(tokens, draws, p, mask, pad):
    hidden = (draws < p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, pad, tokens)


@hide.mistake(
    "Hidden tokens are replaced by padding, which no position may attend to; the id `mask` says "
    "that something is there."
)
def _(tokens, draws, p, mask, pad):
    hidden = (draws < p) & (tokens != pad)
    return np.where(hidden, pad, tokens), np.where(hidden, tokens, pad)


@hide.mistake(
    "Where nothing is to be guessed stands the id `mask`; padding has to stand there, for the "
    "loss to ignore it."
)
def _(tokens, draws, p, mask, pad):
    hidden = (draws < p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, tokens, mask)


@hide.mistake("p is taken for the chance of staying; it is that of being hidden.")
def _(tokens, draws, p, mask, pad):
    hidden = (draws > p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, tokens, pad)


@hide.mistake(
    "`read = tokens` copies nothing: both names stand for one array, and what is to be guessed is "
    "taken from it when the id `mask` is there already. Work on a copy."
)
def _(tokens, draws, p, mask, pad):
    hidden = (draws < p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, mask, pad)


@hide.mistake("The id of the padding is taken to be 0, whatever `pad` says.")
def _(tokens, draws, p, mask, pad):
    hidden = (draws < p) & (tokens != 0)
    return np.where(hidden, mask, tokens), np.where(hidden, tokens, 0)


# --- the next symbol of a prompt ------------------------------------------------------------------


def prompts(rng, size):
    B, T, shortest = size + 1, size + 3, 1 + size % 2
    lengths = rng.permutation([shortest, *rng.integers(shortest + 1, T, B - 1)])
    return numbers(rng, B, T, 2) + np.arange(T)[:, None] / 7, lengths


@exercise(
    draw=prompts,
    truth=lambda logits, lengths: np.array([row[n - 1] for row, n in zip(logits, lengths)]),
    hints=[
        "The symbol after a prompt of length 3 is predicted at its last position, which is number "
        "2.",
        "An index for the rows and one for the positions, both of shape (B,), pick one of each "
        "row.",
    ],
    worked=(
        lambda: (np.array([[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]), np.array([3, 2])),
        [
            "The prompts end at the positions {lengths - 1}",
            "Row 0 at position 2: {logits[0, 2]}. Row 1 at position 1: {logits[1, 1]}",
            "Both: {np.array([logits[0, 2], logits[1, 1]])}",
        ],
    ),
)
def last_logits(logits, lengths):
    return logits[np.arange(len(logits)), lengths - 1]


@last_logits.mistake(
    "It takes the last column of all. In shorter prompts that is padding, and what the model says "
    "there means nothing."
)
def _(logits, lengths):
    return logits[:, -1]


@last_logits.mistake(
    "It is off by one: position `length` is the first of the padding, or is not there; the "
    "prompt's last is one before."
)
def _(logits, lengths):
    return logits[np.arange(len(logits)), lengths]


@last_logits.mistake(
    "The index picks a whole prompt for each prompt: logits[:, lengths - 1] is (B, B, N). Give "
    "the rows an index of their own."
)
def _(logits, lengths):
    return logits[:, lengths - 1]


@last_logits.mistake("It takes the first position, which has seen the first symbol only.")
def _(logits, lengths):
    return logits[:, 0]


@last_logits.mistake(
    "All prompts are read up to the end of the shortest one; each has its own end."
)
def _(logits, lengths):
    return logits[:, lengths.min() - 1]


@last_logits.mistake(
    "It takes the mean over all positions; only the last one has seen the whole prompt."
)
def _(logits, lengths):
    return logits.mean(axis=1)


@last_logits.mistake(
    "It is off by one: a prompt's last position is `length - 1`, and this is one before."
)
def _(logits, lengths):
    return logits[np.arange(len(logits)), lengths - 2]


@last_logits.mistake("All prompts are taken to be as long as the first.")
def _(logits, lengths):
    return logits[:, lengths[0] - 1]


@last_logits.mistake("All prompts are taken to be as long as the longest.")
def _(logits, lengths):
    return logits[:, lengths.max() - 1]


@last_logits.mistake(
    "It is a mean over all positions of the prompt; the last of them is asked for."
)
def _(logits, lengths):
    return np.array([one[:n].mean(axis=0) for one, n in zip(logits, lengths)])


# --- the gradient of the loss ---------------------------------------------------------------------


def a_batch(rng, size):
    """With size 5, logits that overflow exp; with 6, a position far below the others."""
    B, T = [(1, 2), (2, 2), (2, 3), (3, 3), (1, 2), (2, 2)][size - 1]
    pad = int(rng.choice([0, 2])) if size > 1 else 2
    targets = (rng.integers(1, 3, (B, T)) + pad) % 3
    targets[0, -1] = pad
    logits = numbers(rng, B, T, 3)
    if size == 5:
        logits += 1000
    if size == 6:
        logits[0, 0] -= 1000
    return logits, targets, pad


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def by_differences(logits, targets, pad):
    logits = logits.copy()

    def loss():
        p = np.take_along_axis(softmax(logits), targets[..., None], axis=-1)[..., 0]
        return [np.array(-np.log(p)[targets != pad].mean())]

    return slopes(loss, [1.0], logits, 1e-6)


@exercise(
    points=2,
    draw=a_batch,
    sizes=(1, 1, 2, 2, 2, 3, 3, 4, 5, 6),
    truth=by_differences,
    rtol=1e-5,
    atol=1e-7,
    properties={
        "the gradient of each position sums to 0": lambda f, *a: np.allclose(f(*a).sum(axis=-1), 0),
    },
    hints=[
        "np.eye(N)[targets] is (B, T, N), with a 1 at each target.",
        "Put 0 where targets == pad, and divide by how many positions are left.",
    ],
    worked=(
        lambda: (np.array([[[0.0, 0.0], [1.0, 3.0], [0.0, 0.0]]]), np.array([[1, 1, 0]]), 0),
        [
            "The softmax at each position: {p := np.exp(logits) / np.exp(logits).sum(axis=-1, "
            "keepdims=True)}",
            "Less 1 at the target, 1 at the first two positions: {d := p - np.array([0.0, 1.0])}",
            "The third is padding, and gets 0; two positions count: {np.where((targets != "
            "pad)[..., None], d, 0) / 2}",
        ],
    ),
)
def cross_entropy_rule(logits, targets, pad):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    counts = targets != pad
    off = p - np.eye(logits.shape[-1])[targets]
    return np.where(counts[..., None], off, 0) / counts.sum()


def off(logits, targets):
    """The distances of the probabilities from those that would be right."""
    return softmax(logits) - np.eye(logits.shape[-1])[targets]


@cross_entropy_rule.mistake(
    "It is not divided: the loss is a mean over the positions that count, so each has only its "
    "share."
)
def _(logits, targets, pad):
    return off(logits, targets) * (targets != pad)[..., None]


@cross_entropy_rule.mistake(
    "Padded positions get a gradient, and count: the loss is a mean over all positions, where "
    "padding should not take part."
)
def _(logits, targets, pad):
    return off(logits, targets) / targets.size


@cross_entropy_rule.mistake("The id of the padding is taken to be 0, whatever `pad` says.")
def _(logits, targets, pad):
    counts = targets != 0
    return off(logits, targets) * counts[..., None] / max(counts.sum(), 1)


@cross_entropy_rule.mistake("Padded positions get a gradient; the loss does not look at them.")
def _(logits, targets, pad):
    return off(logits, targets) / (targets != pad).sum()


@cross_entropy_rule.mistake(
    "It is divided by the number of all positions; the loss is a mean over those that are no "
    "padding."
)
def _(logits, targets, pad):
    return off(logits, targets) * (targets != pad)[..., None] / targets.size


@cross_entropy_rule.mistake(
    "It is divided by the number of sequences; divide by that of positions."
)
def _(logits, targets, pad):
    return off(logits, targets) * (targets != pad)[..., None] / len(targets)


@cross_entropy_rule.mistake(
    "It is divided twice, by the number of positions that count and by that of all: once is enough."
)
def _(logits, targets, pad):
    counts = targets != pad
    return off(logits, targets) * counts[..., None] / counts.sum() / targets.size


@cross_entropy_rule.mistake(
    "The 1 at the target is missing: without it every logit is pushed down, the right one too."
)
def _(logits, targets, pad):
    counts = targets != pad
    return softmax(logits) * counts[..., None] / counts.sum()


@cross_entropy_rule.mistake(
    "The sign is wrong: this way the right symbol would become less likely."
)
def _(logits, targets, pad):
    counts = targets != pad
    return -off(logits, targets) * counts[..., None] / counts.sum()


@cross_entropy_rule.mistake(
    "Only the logits of the targets get a gradient; the others lower p through the sum of the "
    "softmax."
)
def _(logits, targets, pad):
    counts = (targets != pad)[..., None] * np.eye(logits.shape[-1])[targets]
    return off(logits, targets) * counts / (targets != pad).sum()


@cross_entropy_rule.mistake(
    "`p[:, :, targets] -= 1` takes 1 off the targets of *all* positions, at each; give the index of "
    "the position, too."
)
def _(logits, targets, pad):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p, counts = e / e.sum(axis=-1, keepdims=True), targets != pad
    p[:, :, targets] -= 1
    return p * counts[..., None] / counts.sum()


@cross_entropy_rule.mistake(
    "No maximum is taken off, and exp overflows: exp(1000) is infinite, and infinity over infinity "
    "is NaN."
)
def _(logits, targets, pad):
    p, counts = np.exp(logits), targets != pad
    p = p / p.sum(axis=-1, keepdims=True) - np.eye(logits.shape[-1])[targets]
    return np.where(counts[..., None], p, 0) / counts.sum()


@cross_entropy_rule.mistake(
    "One maximum is taken for the whole array. At a position far below it all exp are 0, and 0 / 0 is "
    "NaN: each needs its own."
)
def _(logits, targets, pad):
    p, counts = np.exp(logits - logits.max()), targets != pad
    p = p / p.sum(axis=-1, keepdims=True) - np.eye(logits.shape[-1])[targets]
    return np.where(counts[..., None], p, 0) / counts.sum()


@cross_entropy_rule.mistake(
    "`g[..., pad] = 0` is the column of the padding symbol, at all positions; those that are padding "
    "are `g[targets == pad]`."
)
def _(logits, targets, pad):
    return off(logits, targets) * (np.arange(logits.shape[-1]) != pad) / (targets != pad).sum()


@cross_entropy_rule.mistake(
    "It is the gradient of a mean of each sequence's mean: a symbol of a short one then counts "
    "more than one of a long one."
)
def _(logits, targets, pad):
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = p / p.sum(axis=-1, keepdims=True) - (np.arange(p.shape[-1]) == targets[..., None])
    counts = targets != pad
    return p * counts[..., None] / np.maximum(counts.sum(axis=1), 1)[:, None, None]


@cross_entropy_rule.mistake(
    "1 is taken off at every symbol; it is at the target alone, so that each position sums to 0."
)
def _(logits, targets, pad):
    counts = targets != pad
    return (softmax(logits) - 1) * counts[..., None] / counts.sum()
