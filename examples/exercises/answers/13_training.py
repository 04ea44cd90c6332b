"""lesson 13: training, and what its numbers tell."""

import math

import numpy as np

import minigrad as mg
from minigrad.course.exercises import exercise, numbers

BOS, EOS, PAD = 1, 2, 0  # in the targets; for the loss, padding may be any id

# --- shifted targets ------------------------------------------------------------------------------


def some_targets(rng, size):
    """Rows with the start symbol, 1, symbols from 3 on, the end symbol, 2, and padding, 0."""
    rows = []
    for b in range(min(size, 2)):
        symbols = (rng.permutation(6)[: size + 1 - b] + 3).tolist()
        rows.append([BOS, *symbols, EOS, *[PAD] * b])
    return (np.array(rows),)


def symbol_by_symbol(targets):
    pairs = [[(row[t], row[t + 1]) for t in range(len(row) - 1)] for row in targets.tolist()]
    return tuple(np.array([[pair[k] for pair in row] for row in pairs]) for k in (0, 1))


@exercise(
    draw=some_targets,
    truth=symbol_by_symbol,
    properties={
        "what is written is read at the next position": lambda f, t: np.array_equal(
            f(t)[0][:, 1:], f(t)[1][:, :-1]
        ),
        "ids stay whole numbers": lambda f, t: all(ids.dtype.kind in "iu" for ids in f(t)),
    },
    hints=["After reading the start symbol it is to write the first symbol. What is never read?"],
    worked=(
        lambda: (np.array([[1, 5, 6, 7, 2], [1, 8, 2, 0, 0]]),),
        [
            "It never reads the last symbol: {a := targets[:, :-1]}",
            "It never writes the first: {b := targets[:, 1:]}",
            "Having read 1 it is to write 5; having read 1, 5, the 6. {(a, b)}",
        ],
    ),
)
def teacher_forcing(targets):
    return targets[:, :-1], targets[:, 1:]


@teacher_forcing.mistake(
    "The targets are not shifted: at each position the model is to write the symbol that it has "
    "just read, which needs no learning."
)
def _(targets):
    return targets, targets


@teacher_forcing.mistake(
    "The targets are not shifted: both lack the last symbol, and at each position the model is to "
    "write what it has just read."
)
def _(targets):
    return targets[:, :-1], targets[:, :-1]


@teacher_forcing.mistake(
    "The targets are not shifted: both lack the first symbol, and at each position the model is "
    "to write what it has just read."
)
def _(targets):
    return targets[:, 1:], targets[:, 1:]


@teacher_forcing.mistake(
    "It is shifted the wrong way: the model reads a symbol, and is to write the one before it."
)
def _(targets):
    return targets[:, 1:], targets[:, :-1]


@teacher_forcing.mistake(
    "What it reads has the start symbol twice: the targets begin with it already."
)
def _(targets):
    read = np.concatenate([np.full((len(targets), 1), BOS), targets[:, :-1]], axis=1)
    return read, targets


@teacher_forcing.mistake(
    "It is shifted in a circle: the start symbol is to be written at the end, in the place of what "
    "follows the last symbol."
)
def _(targets):
    return targets, np.roll(targets, -1, axis=1)


@teacher_forcing.mistake("The batch is shifted, not the sequence: the positions are the last axis.")
def _(targets):
    return targets[:-1], targets[1:]


# --- the loss -------------------------------------------------------------------------------------


def a_batch(rng, size):
    """Rows with unequal numbers of symbols that count. With size 5, logits that overflow exp; with
    6 and 7, targets far below the others; with 8, a position far below the others; with 9, padding
    that stands before symbols."""
    B, T = [(1, 2), (2, 2), (2, 3), (3, 4), (1, 2), (1, 2), (2, 2), (2, 2), (2, 3)][size - 1]
    logits = numbers(rng, B, T, 4)
    pad = int(rng.choice([0, 3])) if size > 1 else 3
    targets = (rng.integers(1, 4, (B, T)) + pad) % 4
    targets[0, 0] = (1 + pad) % 4  # which is 0 for some
    targets[0, -1] = pad
    if T > 2:
        targets[0, -2] = pad
    if size == 5:
        logits += 1000
    if size in (6, 7):
        logits[np.arange(4) != targets[..., None]] += 1000
    if size == 8:
        logits[0, 0] -= 1000
    if size == 9:
        targets = targets[:, ::-1].copy()
    return logits, targets, pad


def by_the_library(logits, targets, pad):
    return mg.functional.cross_entropy(mg.Tensor(logits), targets, ignore_index=pad).item()


def padding_alone(f, logits, targets, pad):
    return np.isclose(f(np.where((targets == pad)[..., None], 3.0, logits), targets, pad),
                      f(logits, targets, pad))  # fmt: skip


@exercise(
    points=2,
    draw=a_batch,
    sizes=(1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9),
    truth=by_the_library,
    properties={"the logits of padded positions change nothing": padding_alone},
    hints=[
        "np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0] picks the log-probability "
        "of each target: (B, T).",
        "Add up those that count, and divide by how many there are.",
    ],
    worked=(
        lambda: (np.array([[[0.0, 2.0], [5.0, 5.0]]]), np.array([[1, 0]]), 0),
        [
            "The second target is padding: only the first position counts. Its logits less their "
            "maximum: {x := logits[0, 0] - 2}",
            "The sum of their exp: {s := np.exp(x).sum()}. log p = x - log s = {l := x - "
            "np.log(s)}",
            "The target is 1: -log p = {-l[1]}",
        ],
    ),
)
def cross_entropy(logits, targets, pad):
    x = logits - logits.max(axis=-1, keepdims=True)
    log_p = x - np.log(np.exp(x).sum(axis=-1, keepdims=True))  # (B, T, N)
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]  # (B, T)
    return -picked[targets != pad].mean()


def surprises(logits, targets, log=None):
    """-log p of each target; with `log`, that of the softmax itself."""
    x = logits - logits.max(axis=-1, keepdims=True)
    total = np.exp(x).sum(axis=-1, keepdims=True)
    log_p = x - np.log(total) if log is None else log(np.exp(x) / total)
    return -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]


@cross_entropy.mistake(
    "The loss is averaged over padding: positions that are padding take part in it, and a batch "
    "with much of it teaches the model to write padding."
)
def _(logits, targets, pad):
    return surprises(logits, targets).mean()


@cross_entropy.mistake(
    "The loss is averaged over padding: padded positions add nothing to the sum, but are counted "
    "in what it is divided by, so that long sequences weigh more in a batch of short ones."
)
def _(logits, targets, pad):
    return (surprises(logits, targets) * (targets != pad)).mean()


@cross_entropy.mistake("It is a sum; a mean over the symbols that count was asked for.")
def _(logits, targets, pad):
    return surprises(logits, targets)[targets != pad].sum()


@cross_entropy.mistake(
    "It is divided by the number of sequences; divide by that of the symbols that count."
)
def _(logits, targets, pad):
    return surprises(logits, targets)[targets != pad].sum() / len(targets)


@cross_entropy.mistake(
    "It is a mean of each sequence's mean: a symbol of a short one then counts more than one of a "
    "long one."
)
def _(logits, targets, pad):
    counts = targets != pad
    return ((surprises(logits, targets) * counts).sum(axis=1) / counts.sum(axis=1)).mean()


@cross_entropy.mistake("It is divided twice: by the number of symbols, and by that of sequences.")
def _(logits, targets, pad):
    return surprises(logits, targets)[targets != pad].mean() / len(targets)


@cross_entropy.mistake("The sign is wrong: a loss is -log p, and falls as the model gets better.")
def _(logits, targets, pad):
    return -surprises(logits, targets)[targets != pad].mean()


@cross_entropy.mistake(
    "No maximum is taken off, and exp overflows: exp(1000) is infinite, and the loss with it."
)
def _(logits, targets, pad):
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0][targets != pad].mean()


@cross_entropy.mistake(
    "The logarithm is taken of the softmax: a target far below the others has p = 0, by rounding, and "
    "log 0 is infinite. Write log softmax as the docstring does."
)
def _(logits, targets, pad):
    return surprises(logits, targets, np.log)[targets != pad].mean()


@cross_entropy.mistake(
    "A small number is added to p, so that log 0 cannot come up: the surprise then never grows above "
    "some 20. Write log softmax as the docstring does."
)
def _(logits, targets, pad):
    return surprises(logits, targets, lambda p: np.log(p + 1e-9))[targets != pad].mean()


@cross_entropy.mistake("The logarithm has the base 2: these are bits; np.log has the base e.")
def _(logits, targets, pad):
    return surprises(logits, targets)[targets != pad].mean() / math.log(2)


@cross_entropy.mistake(
    "One maximum is taken for the whole array: at a position far below it all exp are 0, and log 0 is "
    "infinite. Each position needs its own."
)
def _(logits, targets, pad):
    x = logits - logits.max()
    log_p = x - np.log(np.exp(x).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0][targets != pad].mean()


@cross_entropy.mistake(
    "The maximum is taken off in the exp alone: take it off the logit of the target, too, or add it to "
    "the logarithm."
)
def _(logits, targets, pad):
    return (surprises(logits, targets) - logits.max(axis=-1))[targets != pad].mean()


@cross_entropy.mistake("The id of the padding is taken to be 0, whatever `pad` says.")
def _(logits, targets, pad):
    return surprises(logits, targets)[targets != 0].mean()


@cross_entropy.mistake("The logarithm is missing: this is the mean of 1 - p, and of no surprise.")
def _(logits, targets, pad):
    return (1 - np.exp(-surprises(logits, targets)))[targets != pad].mean()


@cross_entropy.mistake(
    "The logits of the targets themselves are taken, without the logarithm of the sum: they are no "
    "probabilities before the softmax."
)
def _(logits, targets, pad):
    picked = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return -picked[targets != pad].mean()


@cross_entropy.mistake(
    "No maximum is taken off, and exp overflows: exp(1000) is infinite, and the loss with it."
)
def _(logits, targets, pad):
    e = np.exp(logits)
    p = np.take_along_axis(e / e.sum(axis=-1, keepdims=True), targets[..., None], axis=-1)[..., 0]
    return -np.log(p[targets != pad]).mean()


@cross_entropy.mistake(
    "A row ends at its first padding, and what stands behind it is lost: `break` where `continue` is "
    "meant."
)
def _(logits, targets, pad):
    before = np.logical_and.accumulate(targets != pad, axis=1)
    return surprises(logits, targets)[before].sum() / max(before.sum(), 1)


@cross_entropy.mistake(
    "The softmax runs along the positions; at each position it runs over its symbols, the last axis."
)
def _(logits, targets, pad):
    x = logits - logits.max(axis=1, keepdims=True)
    log_p = x - np.log(np.exp(x).sum(axis=1, keepdims=True))
    return -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0][targets != pad].mean()


@cross_entropy.mistake(
    "The mean is taken over the symbols of the vocabulary too, which divides by N once more: one of "
    "them is the target at each position."
)
def _(logits, targets, pad):
    return surprises(logits, targets)[targets != pad].mean() / logits.shape[-1]


ALL_OF_THEM = (
    "The mean is taken over padding and over the symbols of the vocabulary, which divides by B T N: "
    "divide by the number of symbols that count."
)


@cross_entropy.mistake(ALL_OF_THEM)
def _(logits, targets, pad):
    return (surprises(logits, targets) * (targets != pad)).mean() / logits.shape[-1]


@cross_entropy.mistake(ALL_OF_THEM)
def _(logits, targets, pad):
    return surprises(logits, targets).mean() / logits.shape[-1]


TARGETS_UNUSED = (
    "The targets are not used: at each position it is -log p of the target alone that counts, not a "
    "mean over all symbols."
)


@cross_entropy.mistake(TARGETS_UNUSED)
def _(logits, targets, pad):
    every = [surprises(logits, np.full_like(targets, n)) for n in range(logits.shape[-1])]
    return np.mean(every)


@cross_entropy.mistake(TARGETS_UNUSED)
def _(logits, targets, pad):
    every = [surprises(logits, np.full_like(targets, n)) for n in range(logits.shape[-1])]
    return np.mean(every, axis=0)[targets != pad].mean()


@cross_entropy.mistake(
    "The mean is taken of p, and then its logarithm: the surprises, -log p, are what is averaged."
)
def _(logits, targets, pad):
    return -np.log(np.exp(-surprises(logits, targets))[targets != pad].mean())


@cross_entropy.mistake("The logarithm is missing: this is the mean of p.")
def _(logits, targets, pad):
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return np.take_along_axis(p, targets[..., None], -1)[..., 0][targets != pad].mean()


# --- dropout --------------------------------------------------------------------------------------


def draws(rng, size):
    """Of at least four numbers, one is dropped and one kept; with size 3 and 4, in use; with 5, a
    matrix; with 6, a chance of 0."""
    if size == 6:
        return numbers(rng, 4), 0.0, rng.permutation([0.0, 0.2, 0.4, 0.9]), True
    if size == 5:
        x, p, u, _ = draws(rng, 1)
        return x.reshape(2, 2), p, u.reshape(2, 2), True
    n = 4 * size
    p = float(rng.choice([0.1, 0.25, 0.3]))  # and one draw is p itself
    u = rng.permutation(np.concatenate([[0.05, 0.95, p], rng.random(n - 3)])).round(2)
    return numbers(rng, n), p, u, size < 3


@exercise(
    draw=draws,
    sizes=(1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6),
    truth=lambda x, p, u, training: np.where(u < p, 0.0, x * (1 / (1 - p))) if training else x,
    properties={
        "with training=False it returns x as it is": lambda f, x, p, u, _: np.array_equal(
            f(x, p, u, False), x
        ),
    },
    hints=[
        "If a quarter of the numbers becomes 0, how much larger must the others be, for the same "
        "sum on average?",
    ],
    worked=(
        lambda: (np.array([8.0, 4.0, 2.0]), 0.5, np.array([0.7, 0.2, 0.5]), True),
        [
            "Which draws are at least 0.5? {k := draws >= p}",
            "Those are kept, the others become 0: {x * k}",
            "Half are dropped, so what is kept doubles: {x * k / (1 - p)}",
        ],
    ),
)
def dropout(x, p, draws, training):
    if not training:
        return x
    return x * (draws >= p) / (1 - p)


@dropout.mistake(
    "It is not rescaled: in training the sums are smaller, by 1 - p on average, than in use, where "
    "nothing is dropped. Divide what is kept by 1 - p."
)
def _(x, p, draws, training):
    return x * (draws >= p) if training else x


@dropout.mistake("p is taken for the chance of being kept; it is that of being dropped.")
def _(x, p, draws, training):
    return x * (draws < p) / p if training else x


@dropout.mistake("A draw that is p itself drops its number; only those below p do.")
def _(x, p, draws, training):
    return x * (draws > p) / (1 - p) if training else x


@dropout.mistake(
    "The wrong ones are kept: a number is dropped where the draw is *below* p, or far too many are."
)
def _(x, p, draws, training):
    return x * (draws < p) / (1 - p) if training else x


@dropout.mistake(
    "It is rescaled the wrong way, by multiplying with 1 - p: what is kept has to grow."
)
def _(x, p, draws, training):
    return x * (draws >= p) * (1 - p) if training else x


@dropout.mistake("What is kept is divided by p; it should be by the share that is kept, 1 - p.")
def _(x, p, draws, training):
    return x * (draws >= p) / p if training else x


@dropout.mistake("It drops in use as well; there every number is to be as it is.")
def _(x, p, draws, training):
    return x * (draws >= p) / (1 - p)


@dropout.mistake(
    "In use the numbers are scaled by 1 - p. That is the other way to do it, for a training "
    "without the division; here training divides, and use changes nothing."
)
def _(x, p, draws, training):
    return x * (draws >= p) if training else x * (1 - p)


@dropout.mistake("p is taken for the chance of being kept; it is that of being set to 0.")
def _(x, p, draws, training):
    return np.where(draws < p, x / p, 0) if training else x


@dropout.mistake("It drops in use and not in training: `training` is taken the wrong way round.")
def _(x, p, draws, training):
    return x if training else np.where(draws >= p, x / (1 - p), 0)


@dropout.mistake(
    "It is divided by the share that happens to be kept; it is the one that is to be expected, 1 "
    "- p."
)
def _(x, p, draws, training):
    kept = draws >= p
    return x * kept / max(kept.mean(), 1e-12) if training else x
