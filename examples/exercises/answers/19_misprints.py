"""Lesson 19: misprints."""

import itertools

import numpy as np

import minitransformer as mt
from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.stubs import shipped
from minigrad.functional import layer_norm

# --- losses -----------------------------------------------------------------------------------------


def parts_of_a_batch(rng, size):
    parts = []
    for _ in range(size):
        n = int(rng.integers(1, 5))
        counts = rng.random(n) < 0.6
        counts[rng.integers(n)] = True
        parts.append((abs(numbers(rng, n)), counts))
    return (parts,)


@exercise(
    points=2,
    draw=parts_of_a_batch,
    truth=lambda parts: np.concatenate([losses[counts] for losses, counts in parts]).mean(),
    hints=[
        "Cut one batch in two ways, [1, 3 | 5, 7] and [1 | 3, 5, 7], and compare the two losses.",
        "In the second, how much does the first token count, and how much the last?",
        "Add up losses and tokens over all parts, and divide once, at the end.",
    ],
    worked=(
        lambda: (
            [
                (np.array([2.0]), np.array([True])),
                (np.array([4.0, 6.0, 9.0]), np.array([True, True, False])),
            ],
        ),
        [
            "Three tokens count; their losses are 2, 4 and 6, in all {2 + 4 + 6.0}",
            "Divided once: {12 / 3}. The mean of the means would be {(2 + 5) / 2}",
            "{12 / 3}",
        ],
    ),
    story="""
A batch that does not fit is cut into parts, and their gradients are added: that is to be the
same as the whole. In Transformers, and in most trainers like it, each part's loss was the mean
over its own tokens. Where parts have different numbers of tokens, those of short parts counted
more. It was reported in July 2023 and closed; in October 2024 somebody drew both curves into
one picture, and many trainers were repaired within a week.

Source: https://github.com/huggingface/transformers/issues/24725, repaired by pull request 34191

What would have caught it: a property: however the batch is cut, the gradient is the same. With
parts of equal length it passes.
""",
)  # fmt: skip
def accumulated_loss(parts):
    total = sum(losses[counts].sum() for losses, counts in parts)
    return total / sum(counts.sum() for _, counts in parts)


shipped(__file__, accumulated_loss, "the loss depends on how the batch is cut.")


@accumulated_loss.mistake("It divides by all tokens; padding does not count.")
def _(parts):
    return sum(losses[counts].sum() for losses, counts in parts) / sum(len(c) for _, c in parts)


@accumulated_loss.mistake(
    "The parts are weighted by their lengths, with padding; it does not count."
)
def _(parts):
    whole = sum(len(counts) for _, counts in parts)
    return sum(losses[counts].mean() * len(counts) / whole for losses, counts in parts)


@accumulated_loss.mistake("The sum is not divided by the number of tokens that count.")
def _(parts):
    return sum(losses[counts].sum() for losses, counts in parts)


@accumulated_loss.mistake("The losses of padding are summed, too; it does not count.")
def _(parts):
    return sum(losses.sum() for losses, _ in parts) / sum(counts.sum() for _, counts in parts)


@accumulated_loss.mistake("Padding is taken for tokens.")
def _(parts):
    return np.concatenate([losses for losses, _ in parts]).mean()


@accumulated_loss.mistake(
    "Each part is divided by the tokens that were counted up to there; divide once, in the end."
)
def _(parts):
    loss, whole = 0.0, 0
    for losses, counts in parts:
        whole += counts.sum()
        loss += losses[counts].sum() / whole
    return loss


def positions_to_ignore(rng, size):
    n, symbols = size + 1, 3
    scores = numbers(rng, n, symbols)
    log_p = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    ignored = int(rng.choice([-100, 0]))
    targets = rng.integers(ignored == 0, symbols, n)
    targets[1:][rng.random(n - 1) < 0.5] = ignored
    return log_p, targets, float(rng.choice([0.1, 0.2, 0.5])), ignored


def position_by_position(log_p, targets, smoothing, ignored):
    losses = [
        -(1 - smoothing) * row[target] - smoothing * sum(row) / len(row)
        for row, target in zip(log_p, targets)
        if target != ignored
    ]
    return sum(losses) / len(losses)


@exercise(
    draw=positions_to_ignore,
    truth=position_by_position,
    hints=[
        "Change log_p at a position that does not count. Does the result change?",
        "With smoothing 0 it is right. What does smoothing add, and over which positions?",
        "Leave those that do not count out of both sums.",
    ],
    worked=(
        lambda: (np.log([[0.5, 0.5], [0.1, 0.9]]), np.array([1, -100]), 0.5, -100),
        [
            "Only the first position counts. Minus the log-probability of its target: {-log_p[0, 1]}",
            "The mean over all symbols: {-log_p[0].mean()}",
            "Half of each, divided by 1: {0.5 * -log_p[0, 1] + 0.5 * -log_p[0].mean()}",
        ],
    ),
    story="""
When PyTorch's CrossEntropyLoss learned label smoothing, its part for the target left ignored
positions out, and its part for all symbols did not. Batches with much padding got a larger
loss, and a gradient at the padding. The one who found it had written the formula down a second
time, as simply as possible.

Source: https://github.com/pytorch/pytorch/issues/73205

What would have caught it: a property: with the ignored positions cut off, the loss is the same.
A test of smoothing alone, or of ignored positions alone, passes.
""",
)
def smoothed_loss(log_p, targets, smoothing, ignored):
    counts = targets != ignored
    log_p, targets = log_p[counts], targets[counts]
    of_targets = -log_p[np.arange(len(targets)), targets]
    return ((1 - smoothing) * of_targets - smoothing * log_p.mean(axis=-1)).mean()


shipped(__file__, smoothed_loss, "what stands at positions that do not count changes the loss.")


@smoothed_loss.mistake("It divides by all positions; those that are ignored do not count.")
def _(log_p, targets, smoothing, ignored):
    n, counts = len(targets), targets != ignored
    log_p, targets = log_p[counts], targets[counts]
    of_targets = -log_p[np.arange(len(targets)), targets]
    return ((1 - smoothing) * of_targets - smoothing * log_p.mean(axis=-1)).sum() / n


@smoothed_loss.mistake("The part for all symbols is their sum; it is their mean.")
def _(log_p, targets, smoothing, ignored):
    counts = targets != ignored
    log_p, targets = log_p[counts], targets[counts]
    of_targets = -log_p[np.arange(len(targets)), targets]
    return ((1 - smoothing) * of_targets - smoothing * log_p.sum(axis=-1)).mean()


@smoothed_loss.mistake("1 - smoothing and smoothing have changed places.")
def _(log_p, targets, smoothing, ignored):
    counts = targets != ignored
    log_p, targets = log_p[counts], targets[counts]
    of_targets = -log_p[np.arange(len(targets)), targets]
    return (smoothing * of_targets - (1 - smoothing) * log_p.mean(axis=-1)).mean()


@smoothed_loss.mistake("The target is left out of the mean over all symbols; it is one of them.")
def _(log_p, targets, smoothing, ignored):
    counts = targets != ignored
    log_p, targets = log_p[counts], targets[counts]
    of_targets = -log_p[np.arange(len(targets)), targets]
    of_others = (-log_p.sum(axis=-1) - of_targets) / (log_p.shape[1] - 1)
    return ((1 - smoothing) * of_targets + smoothing * of_others).mean()


@smoothed_loss.mistake("The part of the targets has the weight 1; it is 1 - smoothing.")
def _(log_p, targets, smoothing, ignored):
    counts = targets != ignored
    log_p, targets = log_p[counts], targets[counts]
    return (-log_p[np.arange(len(targets)), targets] - smoothing * log_p.mean(axis=-1)).mean()


# --- trainers ---------------------------------------------------------------------------------------


def rows_drawn(answer, *_):
    """The counts of what was drawn, and of how many rows are there only once."""
    rows = [tuple(row) for epoch in answer for row in epoch]
    assert all(n == int(n) and 0 <= n < 1_000_000 for row in rows for n in row)
    return [[len(row) for row in epoch] for epoch in answer], len(set(rows))


def one_generator_each(seed, epochs, workers):
    return [
        [
            np.random.default_rng([seed, epoch, worker]).integers(0, 1_000_000, 4).tolist()
            for worker in range(workers)
        ]
        for epoch in range(epochs)
    ]


@exercise(
    draw=lambda rng, size: (
        int(rng.integers(100)),
        *(int(n) for n in rng.integers(1, size + 2, 2)),
    ),
    truth=lambda seed, epochs, workers: one_generator_each(seed, epochs, workers),
    key=rows_drawn,
    properties={
        "the same arguments give the same numbers": lambda f, *of: f(*of) == f(*of),
        "another seed gives other numbers": lambda f, s, *of: f(s, *of) != f(s + 1, *of),
        "they are random numbers, from 0 to 999,999": lambda f, s, *_: (
            3e5 < np.mean(f(s, 6, 6)) < 7e5
        ),
        "no two of them draw two numbers that are the same": lambda f, s, *_: all(
            len({*a} & {*b}) < 2 for a, b in itertools.combinations(itertools.chain(*f(s, 4, 4)), 2)
        ),
    },
    hints=[
        "Print what two workers draw. Then two epochs.",
        "What do all generators have in common? And what makes one worker different from another?",
        "np.random.default_rng takes a list of whole numbers, and every number of it matters.",
    ],
    worked=(
        lambda: (5, 1, 2),
        [
            "Worker 0: {a := np.random.default_rng([5, 0, 0]).integers(0, 1000000, 4).tolist()}",
            "Worker 1: {b := np.random.default_rng([5, 0, 1]).integers(0, 1000000, 4).tolist()}",
            "An epoch of both: {[[a, b]]}",
        ],
    ),
    story="""
A DataLoader's workers are forked, and a fork has a copy of everything: of NumPy's generator,
too. So every worker cropped and turned its pictures in the same way, and again so in every
epoch, as the main process never drew. Nothing fails: the augmentation is only several times
weaker than it says. Many public projects had it. Its documentation says since how to seed; now
PyTorch seeds NumPy as well.

Source: https://github.com/pytorch/pytorch/issues/5059

What would have caught it: printing what each worker draws, once; or counting how many draws of
an epoch are different.
""",
)
def drawn_by_workers(seed, epochs, workers):
    drawn = []
    for epoch in range(epochs):
        rngs = [np.random.default_rng([seed, epoch, worker]) for worker in range(workers)]
        drawn.append([rng.integers(0, 1_000_000, 4).tolist() for rng in rngs])
    return drawn


shipped(__file__, drawn_by_workers, "there is one row of numbers, again and again.")


@drawn_by_workers.mistake("The workers differ now, but each draws the same in every epoch.")
def _(seed, epochs, workers):
    return [one_generator_each(seed, 1, workers)[0] for _ in range(epochs)]


@drawn_by_workers.mistake("The epochs differ now, but in each all workers draw the same.")
def _(seed, epochs, workers):
    return [[epoch[0]] * workers for epoch in one_generator_each(seed, epochs, 1)]


@drawn_by_workers.mistake(
    "Seeds that are sums meet: worker 1 of epoch 0 draws what worker 0 of epoch 1 draws."
)
def _(seed, epochs, workers):
    draw = lambda s: np.random.default_rng(s).integers(0, 1_000_000, 4).tolist()
    return [[draw(seed + epoch + worker) for worker in range(workers)] for epoch in range(epochs)]


def gradients_to_clip(rng, size):
    return [numbers(rng, size) for _ in range(size)], float(rng.integers(1, 5))


def along_one_vector(gradients, most):
    whole = np.concatenate([g.ravel() for g in gradients])
    length = float(np.linalg.norm(whole))
    return [g / length * most if length > most else g for g in gradients]


@exercise(
    draw=gradients_to_clip,
    truth=along_one_vector,
    hints=[
        "Clip [3] and [4] to 1, and draw both as one arrow, before and after. Where does it point?",
        "Each array is compared with `most` by itself; the docstring says, all together.",
        "First the length of all, then one factor for all.",
    ],
    worked=(
        lambda: ([np.array([6.0]), np.array([8.0])], 5.0),
        [
            "Together they are as long as the root of 6**2 + 8**2: {(6**2 + 8**2) ** 0.5}",
            "That is twice the 5 allowed, so all get the factor {5 / 10.0}",
            "{[np.array([3.0]), np.array([4.0])]}",
        ],
    ),
    story="""
In Keras `clipnorm` made all gradients shorter together, in tf.keras each weight by itself: the
same word, in two optimizers of one library. By itself, the large gradients shrink and the small
stay, so the step points elsewhere. Transformers clipped by group for a while, too. TensorFlow
has `global_clipnorm` since.

Source: https://github.com/tensorflow/tensorflow/issues/29108; for Transformers pull request 614

What would have caught it: a property: after clipping, the angle to the gradient before is 0,
and the length of all together is `most`.
""",
)
def clipped(gradients, most):
    length = np.sqrt(sum(np.sum(g * g) for g in gradients))
    return [g * min(1.0, most / length) for g in gradients]


shipped(__file__, clipped, "the direction of all together changes, or they are still too long.")


@clipped.mistake("Short gradients are made longer; they stay as they are.")
def _(gradients, most):
    length = np.sqrt(sum(np.sum(g * g) for g in gradients))
    return [g * (most / length) for g in gradients]


@clipped.mistake("The lengths are added; the squares of all numbers add, and then comes the root.")
def _(gradients, most):
    length = sum(np.sqrt(np.sum(g * g)) for g in gradients)
    return [g * min(1.0, most / length) for g in gradients]


@clipped.mistake("Each number is clipped by itself.")
def _(gradients, most):
    return [np.clip(g, -most, most) for g in gradients]


@clipped.mistake("The root is missing: this is the square of the length.")
def _(gradients, most):
    square = sum(np.sum(g * g) for g in gradients)
    return [g * min(1.0, most / square) for g in gradients]


@clipped.mistake("It is the length of the longest that is compared; together they are longer.")
def _(gradients, most):
    length = max(np.sqrt(np.sum(g * g)) for g in gradients)
    return [g * min(1.0, most / length) for g in gradients]


# --- parts of a transformer -------------------------------------------------------------------------


@exercise(
    draw=lambda rng, size: (numbers(rng, size, 3), numbers(rng, 3), numbers(rng, 3), 0.01),
    truth=lambda x, gain, bias, eps: layer_norm(x, gain, bias, eps=eps),
    hints=[
        "Compare with mg.functional.layer_norm on a row of two numbers: there the difference is large.",
        "There are two differences. One is in what np.std divides by; the other, in where eps stands.",
        "The variance is a mean, so it divides by D; eps is added to it before the root is taken.",
    ],
    worked=(
        lambda: (np.array([[1.0, 3.0]]), np.array([1.0, 1.0]), np.array([0.0, 0.0]), 0.44),
        [
            "The mean is 2. The squared distances are 1 and 1, and their mean {(1 + 1) / 2}",
            "The root of 1 + 0.44: {1.44 ** 0.5}",
            "{np.array([[-1 / 1.2, 1 / 1.2]])}",
        ],
    ),
    story="""
The Annotated Transformer, from which thousands have learned, took torch's std, which divides by
D - 1, and added eps outside the root. With D = 512 both do little harm, and the model learns;
but weights of another library give other numbers, and with 4 numbers it is 13 % off.
BERT-pytorch and others took it over line by line. AllenNLP repaired its own in 2018.

Source: https://github.com/harvardnlp/annotated-transformer/pull/119 and
https://github.com/allenai/allennlp/pull/953

What would have caught it: a comparison with another library, at a small width.
""",
)
def normalized(x, gain, bias, eps):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(variance + eps) + bias


shipped(__file__, normalized, "the rows come out too small.")


@normalized.mistake("eps is inside the root now, but the variance divides by D - 1; it is a mean.")
def _(x, gain, bias, eps):
    mean = x.mean(axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(x.var(axis=-1, keepdims=True, ddof=1) + eps) + bias


@normalized.mistake("The variance is a mean now, but eps is added behind the root.")
def _(x, gain, bias, eps):
    mean = x.mean(axis=-1, keepdims=True)
    return gain * (x - mean) / (x.std(axis=-1, keepdims=True) + eps) + bias


@normalized.mistake("eps is left out.")
def _(x, gain, bias, eps):
    mean = x.mean(axis=-1, keepdims=True)
    return gain * (x - mean) / x.std(axis=-1, keepdims=True) + bias


@normalized.mistake("The root is missing: it divides by the variance.")
def _(x, gain, bias, eps):
    d = x - x.mean(axis=-1, keepdims=True)
    return gain * d / (x.var(axis=-1, keepdims=True) + eps) + bias


@normalized.mistake(
    "eps is under a root now, but beside the standard deviation: it belongs to the variance."
)
def _(x, gain, bias, eps):
    d = x - x.mean(axis=-1, keepdims=True)
    return gain * d / np.sqrt(x.std(axis=-1, keepdims=True) + eps) + bias


def tokens_after_others(rng, size):
    new = rng.integers(0, 4, 1 if rng.random() < 0.4 else size + 1)
    return new, int(rng.integers(0, 4)), numbers(rng, 4, 2), numbers(rng, 10, 2)


@exercise(
    draw=tokens_after_others,
    truth=lambda new, cached, table, positions: np.array(
        [table[one] + positions[cached + t] for t, one in enumerate(new)]
    ),
    hints=[
        "Embed five tokens at once, and then one after the other with `cached` counting up. Compare.",
        "Which position has a token that comes after three others? And does it matter that it is alone?",
        "Take the positions from `cached` on, as many as there are new tokens.",
    ],
    worked=(
        lambda: (np.array([1]), 2, np.array([[0.0], [7.0]]), np.array([[0.1], [0.2], [0.3]])),
        [
            "Two tokens are there, at positions 0 and 1; the new one is at 2: {positions[2]}",
            "Its vector: {table[1]}",
            "{np.array([[7.3]])}",
        ],
    ),
    story="""
MLX's GPT-2 added positions only to inputs of more than one token, and always began at 0. The
prompt was read rightly, and then every word was written without a place. The largest model
hardly minded; small ones wrote nonsense, which one takes for what small models do.

Source: https://github.com/ml-explore/mlx-lm/pull/93

What would have caught it: a property: with the cache and without it, the scores are the same,
at every step.
""",
)
def embedded(new, cached, table, positions):
    return table[new] + positions[cached : cached + len(new)]


shipped(__file__, embedded, "a text that is read piece by piece gets other vectors than the whole.")


@embedded.mistake("A token by itself gets a position now, but it is that of a beginning.")
def _(new, cached, table, positions):
    return table[new] + positions[: len(new)]


@embedded.mistake("Positions are counted from `cached` on now, but a token by itself gets none.")
def _(new, cached, table, positions):
    x = table[new]
    return x + positions[cached : cached + len(new)] if len(new) > 1 else x


@embedded.mistake(
    "All positions are one too far: with `cached` tokens there, the next has the number `cached`."
)
def _(new, cached, table, positions):
    return table[new] + positions[cached + 1 : cached + 1 + len(new)]


@embedded.mistake("All new tokens get one position; each has its own.")
def _(new, cached, table, positions):
    return table[new] + positions[cached]


@embedded.mistake("A token by itself is right now; several are still put at the beginning.")
def _(new, cached, table, positions):
    first = 0 if len(new) > 1 else cached
    return table[new] + positions[first : first + len(new)]


@embedded.mistake(
    "All positions are one too early: with `cached` tokens there, the next has the number `cached`."
)
def _(new, cached, table, positions):
    first = max(cached - 1, 0)
    return table[new] + positions[first : first + len(new)]


def heads(rng, size):
    return tuple(numbers(rng, size, 2, 3) for _ in range(3))


def head_by_head(q, k, v):
    over = lambda a: np.swapaxes(a, 0, 1)  # (H, T, D)
    return over(np.asarray(mt.attention(over(q), over(k), over(v))[0]))


@exercise(
    points=2,
    draw=heads,
    truth=head_by_head,
    properties={
        "equal values give that value": lambda f, q, k, v: np.allclose(f(q, k, 0 * v + 3), 3),
    },
    hints=[
        "Give all values the same number. What should come out, and what does?",
        "Sum `weights` over each of its axes in turn. Which sums should be 1?",
        "i is the query and j the key: each query's shares are a sum over j, axis 1.",
    ],
    worked=(
        lambda: (np.zeros((2, 1, 1)), np.ones((2, 1, 1)), np.array([[[2.0]], [[6.0]]])),
        [
            "All scores are 0: each query takes half of each value.",
            "Half of 2 and half of 6: {0.5 * 2 + 0.5 * 6}",
            "{np.array([[[4.0]], [[4.0]]])}",
        ],
    ),
    story="""
The diffusion model of labml's annotated papers took the softmax over the queries: each key
shared itself out. A reader saw it in 2022, its author called it a big bug, and the reader
trained both: the pictures were equally good. A network learns around much, which is why a score
that looks right proves so little.

Source: https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146

What would have caught it: a property: the weights of a query sum to 1. Or different numbers of
queries and keys.
""",
)
def attended(q, k, v):
    scores = np.einsum("ihd,jhd->ijh", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.einsum("ijh,jhd->ihd", e / e.sum(axis=1, keepdims=True), v)


shipped(__file__, attended, "the shares of a query do not sum to 1.")


@attended.mistake("The softmax is over the heads; each head has its own.")
def _(q, k, v):
    scores = np.einsum("ihd,jhd->ijh", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(scores)
    return np.einsum("ijh,jhd->ihd", e / e.sum(axis=2, keepdims=True), v)


@attended.mistake("One softmax is taken over queries and keys together.")
def _(q, k, v):
    scores = np.einsum("ihd,jhd->ijh", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(scores)
    return np.einsum("ijh,jhd->ihd", e / e.sum(axis=(0, 1)), v)


@attended.mistake("The scores are not divided by the root of D any more.")
def _(q, k, v):
    scores = np.einsum("ihd,jhd->ijh", q, k)
    e = np.exp(scores)
    return np.einsum("ijh,jhd->ihd", e / e.sum(axis=1, keepdims=True), v)


@attended.mistake("The sum runs over the keys now, and the maximum still over the queries.")
def _(q, k, v):
    scores = np.einsum("ihd,jhd->ijh", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(scores - scores.max(axis=0))
    return np.einsum("ijh,jhd->ihd", e / e.sum(axis=1, keepdims=True), v)


@attended.mistake("It is the number of heads that the scores are divided by, by its root; it is D.")
def _(q, k, v):
    scores = np.einsum("ihd,jhd->ijh", q, k) / np.sqrt(q.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.einsum("ijh,jhd->ihd", e / e.sum(axis=1, keepdims=True), v)


def hidden_keys(rng, size):
    scores = numbers(rng, size, size + 1)
    scores[:, -1] += rng.choice([0, 0, 30_000])
    allowed = rng.random(scores.shape) < 0.6
    allowed[-1] = rng.random() < 0.5
    if size == 4:  # no large number that is taken off is large enough
        scores[0, -1], allowed[0] = 3e12, np.arange(size + 1) < size
    if size == 3:  # one row far above another
        scores[:2, -1], allowed[:2] = [0.5, 3e4], True
    return scores, allowed


def row_by_row(scores, allowed):
    out = np.zeros(scores.shape)
    for t, (row, may) in enumerate(zip(scores, allowed)):
        if may.any():
            e = np.exp(row[may] - row[may].max())
            out[t, may] = e / e.sum()
    return out


@exercise(
    points=2,
    draw=hidden_keys,
    truth=row_by_row,
    hints=[
        "Try a row in which all is hidden; then one in which a hidden score is 30000.",
        "-10000 is a number like any other: it can be made up for, and where all have it, it cancels.",
        "Hide by minus infinity, and see to rows in which all is hidden by themselves: there the "
        "maximum is minus infinity, and the sum 0.",
    ],
    worked=(
        lambda: (np.array([[2.0, 2.0], [1.0, 1.0]]), np.array([[True, False], [False, False]])),
        [
            "In the first row one key is left: it gets {1.0}",
            "In the second, none is: zeros.",
            "{np.array([[1.0, 0.0], [0.0, 0.0]])}",
        ],
    ),
    story="""
For years the models of Transformers hid scores by adding -10000, a number that float16 can
hold. A row with nothing to attend to, such as padding at the left under a causal mask, then
attended to all that was hidden, as if there were no mask. It was replaced by the smallest
number of the dtype, model by model; and as two such masks add up to minus infinity, that made
NaN in turn, which the discussion of the repair shows.

Source: https://github.com/huggingface/transformers/pull/17306

What would have caught it: a property: what is hidden has no influence, whatever its score; and
a row in which all is hidden, tried.
""",
)
def masked_weights(scores, allowed):
    any_key = allowed.any(axis=-1, keepdims=True)
    scores = np.where(allowed, scores, -np.inf)
    top = np.where(any_key, scores.max(axis=-1, keepdims=True), 0)
    e = np.exp(scores - top)
    return e / np.where(any_key, e.sum(axis=-1, keepdims=True), 1)


shipped(__file__, masked_weights, "what is hidden gets weight in some rows.")


@masked_weights.mistake(
    "A row in which everything is hidden gives what is no number; it gets zeros."
)
def _(scores, allowed):
    scores = np.where(allowed, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@masked_weights.mistake("A row in which everything is hidden attends to everything; it gets zeros.")
def _(scores, allowed):
    scores = np.where(allowed, scores, np.finfo(float).min)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@masked_weights.mistake(
    "What is hidden is set to 0 after the softmax; the others then do not sum to 1."
)
def _(scores, allowed):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.where(allowed, e / e.sum(axis=-1, keepdims=True), 0)


@masked_weights.mistake(
    "One maximum is taken for all rows. In one that is far below it all exp are 0: each needs its own."
)
def _(scores, allowed):
    s = np.where(allowed, scores, -np.inf)
    e = np.exp(s - (s.max() if allowed.any() else 0))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


@masked_weights.mistake(
    "The maximum that is taken off is one of hidden scores too; where such a one is huge, all "
    "that is allowed becomes 0."
)
def _(scores, allowed):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * allowed
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


# --- writing ----------------------------------------------------------------------------------------


def beams_found(rng, size):
    lengths = rng.permutation(6)[: size + 1] + 1
    beams = [-rng.uniform(0.5, 1.5, n).round(2) for n in lengths]
    return int(rng.integers(0, 9)), beams, float(rng.choice([0.5, 1.0, 2.0]))


def by_sorting(prompt, beams, penalty):
    scores = [sum(one.tolist()) / len(one) ** penalty for one in beams]
    best = sorted(range(len(beams)), key=lambda k: -scores[k])[0]
    return best, scores[best]


@exercise(
    draw=beams_found,
    truth=by_sorting,
    hints=[
        "Score texts of 1, 2 and 4 tokens, each with the log-probability -1, after a prompt of 10.",
        "With the penalty 1 they should be equal. Which is preferred, and by what is it divided?",
        "What was given has no log-probability in the sum; so it has no place in the number either.",
    ],
    worked=(
        lambda: (3, [np.array([-2.0, -2.0]), np.array([-3.0])], 1.0),
        [
            "The first: {(-2 - 2) / 2}; the second: {-3 / 1}",
            "The first is the larger; the 3 given tokens do not count.",
            "{(0, -2.0)}",
        ],
    ),
    story="""
The sum in a beam's score is over the tokens that were written, but Transformers divided it by
the length of the whole, with the prompt. After a long prompt all are divided by nearly the
same, so the penalty did next to nothing, and short answers won. The one who found it forced all
tokens to be equally likely: all texts had to have one score, and had three.

Source: https://github.com/huggingface/transformers/issues/26624

What would have caught it: a property: with penalty 1, texts of equally likely tokens score the
same, whatever came before.
""",
)
def best_beam(prompt, beams, penalty):
    scores = [float(np.sum(one)) / len(one) ** penalty for one in beams]
    best = max(range(len(beams)), key=scores.__getitem__)
    return best, scores[best]


shipped(__file__, best_beam, "the score of a text depends on how long the prompt is.")


@best_beam.mistake("The sum is not divided at all; long texts have smaller sums.")
def _(prompt, beams, penalty):
    scores = [float(np.sum(one)) for one in beams]
    best = max(range(len(beams)), key=scores.__getitem__)
    return best, scores[best]


@best_beam.mistake(
    "It is divided by the number of tokens as it is; the power `penalty` is left out."
)
def _(prompt, beams, penalty):
    scores = [float(np.mean(one)) for one in beams]
    best = max(range(len(beams)), key=scores.__getitem__)
    return best, scores[best]


@best_beam.mistake("The text with the smallest score is taken; log-probabilities are best near 0.")
def _(prompt, beams, penalty):
    scores = [float(np.sum(one)) / len(one) ** penalty for one in beams]
    best = min(range(len(beams)), key=scores.__getitem__)
    return best, scores[best]


@best_beam.mistake("The length of the prompt is taken off, though beams have none of it.")
def _(prompt, beams, penalty):
    scores = [float(one.sum()) / max(len(one) - prompt, 1) ** penalty for one in beams]
    best = int(np.argmax(scores))
    return best, scores[best]


@best_beam.mistake("The best is found by the sum, and only its score is divided.")
def _(prompt, beams, penalty):
    best = int(np.argmax([one.sum() for one in beams]))
    return best, float(beams[best].sum()) / len(beams[best]) ** penalty
