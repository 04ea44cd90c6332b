"""Lesson 08: scaled dot-product attention."""

import math

import numpy as np

import minigrad as mg
from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.exercise import SIZES
from minitransformer.model.attention import scaled_dot


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


# --- scores ---------------------------------------------------------------------------------------


def queries_and_keys(rng, size):
    T, S, K = [(1, 1, 2), (1, 2, 3), (2, 2, 2), (2, 3, 4), (1, 2, 8)][size - 1]
    return numbers(rng, T, K), numbers(rng, S, K)


@exercise(
    draw=queries_and_keys,
    sizes=(*SIZES, 5),
    truth=lambda q, k: scaled_dot(mg.Tensor(q), mg.Tensor(k)).numpy(),
    hints=[
        "All the products of rows of q with rows of k are one matrix product. Which of the two "
        "has to be transposed, for the shape (T, S)?",
        "K is the width, q.shape[-1].",
    ],
    worked=(
        lambda: (
            np.array([[3.0, 0.0, 1.0, 2.0]]),
            np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 2.0, 0.0, 2.0]]),
        ),
        [
            "The query with the first key: 3 + 0 + 1 + 2 = {q[0] @ k[0]}; with the second: {q[0] "
            "@ k[1]}",
            "The width is 4, its square root {np.sqrt(4)}",
            "Divided: {q @ k.T / 2}",
        ],
    ),
)
def scores(q, k):
    return q @ k.T / np.sqrt(q.shape[-1])


@scores.mistake(
    "There is no scaling. A sum of K products has a variance that grows with K; divide by "
    "sqrt(K), or the softmax of wide queries is all or nothing, and its gradient vanishes."
)
def _(q, k):
    return q @ k.T


@scores.mistake("The root is cut to a whole number: sqrt(2) is 1.414..., and not 1.")
def _(q, k):
    return q @ k.T / int(np.sqrt(q.shape[-1]))


@scores.mistake("It divides by K, not by its square root: wide queries get scores close to 0.")
def _(q, k):
    return q @ k.T / q.shape[-1]


@scores.mistake(
    "It divides by the square root of the number of keys; it is the *width* of the queries and "
    "keys that makes their products large."
)
def _(q, k):
    return q @ k.T / np.sqrt(len(k))


@scores.mistake(
    "It divides by the square root of the number of queries; it is their *width* that makes the "
    "products large."
)
def _(q, k):
    return q @ k.T / np.sqrt(len(q))


@scores.mistake("It is transposed: a row belongs to a key; rows are queries.")
def _(q, k):
    return k @ q.T / np.sqrt(q.shape[-1])


@scores.mistake(
    "The transpose is missing: q @ k multiplies rows by columns of k, and fits only if k is square."
)
def _(q, k):
    return q @ k / np.sqrt(q.shape[-1])


@scores.mistake("It multiplies by the square root; dividing keeps the scores small.")
def _(q, k):
    return q @ k.T * np.sqrt(q.shape[-1])


@scores.mistake(
    "These are cosines: queries and keys are divided by their lengths. Length counts here."
)
def _(q, k):
    unit = lambda x: x / np.sqrt((x * x).sum(axis=-1, keepdims=True))
    return unit(q) @ unit(k).T


@scores.mistake(
    "These are the weights: the softmax comes later, and the scores before it are asked for."
)
def _(q, k):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# --- masks and weights ----------------------------------------------------------------------------


def masked_scores(rng, size):
    """With size 3, a query that may attend to nothing; with size 4, hidden scores that are huge; with
    size 7, all of them; with size 8, only the hidden ones are not far below 0; with size 9, a query
    has scores far below those of another."""
    T, S = [(1, 2), (2, 2), (2, 2), (3, 3), (2, 3), (2, 4), (2, 3), (2, 3), (2, 3)][size - 1]
    mask = np.array(
        [[True, False, True, False], [True, True, False, True], [False, True, True, True]]
    )
    mask = mask[:T, :S].copy()
    s = numbers(rng, T, S)
    if size == 3:
        mask[1] = False
    if size == 4:
        s[~mask] += 2000
    if size == 7:
        s += 1000
    if size == 8:
        s[mask] -= 1000
    if size == 9:
        s[rng.integers(2)] += 1000
    return s, mask, numbers(rng, S, 2)


def by_the_library(s, mask, v):
    return (mg.functional.masked_softmax(mg.Tensor(s), mask) @ mg.Tensor(v)).numpy()


def unseen(f, s, mask, v):
    """Tell whether what no query sees can be changed; here for each query by itself."""
    return all(
        np.allclose(f(s[i : i + 1], mask[i : i + 1], np.where(mask[i][:, None], v, 99.0)),
                    f(s[i : i + 1], mask[i : i + 1], v))
        for i in range(len(s))
    )  # fmt: skip


@exercise(
    points=2,
    draw=masked_scores,
    sizes=(1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9),
    truth=by_the_library,
    properties={"what is masked changes nothing": unseen},
    hints=[
        "np.where(mask, s, -np.inf) hides what is masked: exp(-inf) is 0.",
        "In a row of which all is hidden the maximum is -inf, and -inf - -inf is NaN: put 0 in its "
        "place. The sum is 0 then: divide by 1 instead.",
    ],
    worked=(
        lambda: (
            np.array([[1.0, 9.0, 1.0], [5.0, 5.0, 5.0]]),
            np.array([[True, False, True], [False, False, False]]),
            np.array([[4.0], [7.0], [6.0]]),
        ),
        [
            "Hidden scores become minus infinity: {s := np.where(mask, s, -np.inf)}",
            "The maximum of what row 0 allows is 1: taken off, [0, -inf, 0]; exp: {e := "
            "np.exp(s[0] - 1)}",
            "Divided by the sum, 2: {a := e / 2}. The mean of the values: 0.5 * 4 + 0.5 * 6 = {a "
            "@ v}",
            "Row 1 allows nothing: zeros. {np.array([a @ v, [0.0]])}",
        ],
    ),
)
def attend(s, mask, v):
    s = np.where(mask, s, -np.inf)
    highest = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(highest), 0, highest))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


REVERSED = "The mask's polarity is reversed: True = may be attended to, and it hides those."


@attend.mistake(REVERSED)
def _(s, mask, v):
    return attend.solution(s, ~mask, v)


@attend.mistake(REVERSED)
def _(s, mask, v):
    return softmax(np.where(mask, -1e9, s)) @ v


@attend.mistake(
    "The mask hides rows for columns: it is applied transposed. Rows are queries, columns are "
    "keys, and a key is what gets hidden."
)
def _(s, mask, v):
    return attend.solution(s, mask.T, v)


@attend.mistake(
    "Masked scores are set to 0, and exp(0) is 1: what is hidden still gets weight. Set them to "
    "minus infinity."
)
def _(s, mask, v):
    return softmax(s * mask) @ v


@attend.mistake(
    "The weights are masked after the softmax, and not divided by their sum again: those that are "
    "left no longer sum to one."
)
def _(s, mask, v):
    return softmax(s) * mask @ v


@attend.mistake(
    "The maximum is never below 0, since hidden scores count as 0, or it begins at 0 (`initial=0`): in "
    "a row whose allowed scores are far below 0 every exp is 0. Take it over what is allowed alone."
)
def _(s, mask, v):
    e = np.exp(s - (s * mask).max(axis=1, keepdims=True), where=mask, out=np.zeros_like(s))
    total = e.sum(axis=1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


@attend.mistake(
    "A query that may attend to nothing becomes NaN: minus infinity less minus infinity, or 0 / "
    "0. It should get zeros."
)
def _(s, mask, v):
    return softmax(np.where(mask, s, -np.inf)) @ v


@attend.mistake(
    "A query that may attend to nothing attends to everything: if all its scores are the same "
    "large negative number, the softmax makes them equal weights. It should get zeros."
)
def _(s, mask, v):
    return softmax(np.where(mask, s, -1e9)) @ v


@attend.mistake(
    "The maximum that is taken off is one over hidden scores too; where a hidden one is huge, all "
    "that is allowed becomes exp(-2000) = 0."
)
def _(s, mask, v):
    e = np.exp(s - s.max(axis=-1, keepdims=True)) * mask
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


@attend.mistake(
    "A query that may attend to nothing attends to everything, by its scores: nothing is hidden from "
    "it, or a large number is taken off all that is. It should get zeros."
)
def _(s, mask, v):
    return softmax(s + np.where(mask, 0, -1e9)) @ v


@attend.mistake("No maximum is taken off, and exp overflows: exp(1000) is infinite.")
def _(s, mask, v):
    e = np.exp(np.where(mask, s, -np.inf))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


@attend.mistake("No maximum is taken off, and exp overflows: exp(1000) is infinite.")
def _(s, mask, v):
    e = np.exp(s) * mask
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


@attend.mistake("The mask is left out: everything is attended to.")
def _(s, mask, v):
    return softmax(s) @ v


DOWN = "The softmax runs over the queries, down the columns; each row is to sum to one."


@attend.mistake(DOWN)
def _(s, mask, v):
    return softmax(np.where(mask, s, -1e9), axis=0) @ v


@attend.mistake(DOWN)
def _(s, mask, v):
    e = np.exp(np.where(mask, s, -np.inf) - np.where(mask, s, -1e9).max(axis=0, keepdims=True))
    total = e.sum(axis=0, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


@attend.mistake(
    "One maximum is taken for the whole array. A row far below it becomes exp(-1000) = 0 "
    "everywhere, and gets zeros or NaN: each row needs its own."
)
def _(s, mask, v):
    s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(where=mask, initial=-1e9))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


@attend.mistake(
    "True and False are added to the scores, as 1 and 0: what is hidden needs minus infinity."
)
def _(s, mask, v):
    s = s + mask
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


@attend.mistake("The scores are divided by a square root; they have been already.")
def _(s, mask, v):
    s = np.where(mask, s / np.sqrt(v.shape[1]), -np.inf)
    m = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(m), 0, m))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


# --- the softmax's rule ---------------------------------------------------------------------------


def by_the_engine(g, y):
    with np.errstate(divide="ignore"):  # of what a mask hides
        x = mg.Tensor(np.log(y), requires_grad=True)
    mg.functional.softmax(x).backward(g)
    return x.grad.numpy()


def rows_of_one(rng, size):
    """With size 5, some of them 0, as what a mask hides."""
    T, S = [(1, 2), (2, 2), (2, 3), (3, 2), (2, 3)][size - 1]
    y = rng.integers(1, 10, (T, S))
    if size == 5:
        y[np.arange(T), rng.integers(0, S, T)] = 0
    return numbers(rng, T, S), y / y.sum(axis=1, keepdims=True)


@exercise(
    points=2,
    draw=rows_of_one,
    sizes=(*SIZES, 5),
    truth=by_the_engine,
    properties={
        "each row of the gradient sums to 0": lambda f, g, y: np.allclose(f(g, y).sum(axis=1), 0),
    },
    hints=[
        "Raising x_j raises y_j, by y_j (1 - y_j), and lowers every other y_k, by y_j y_k.",
        "Each row has one number sum_k g_ik y_ik: sum along the last axis with keepdims=True.",
    ],
    worked=(
        lambda: (np.array([[2.0, 0.0, 1.0]]), np.array([[0.5, 0.25, 0.25]])),
        [
            "g times y, element by element: {g * y}; the sum of the row: {t := (g * "
            "y).sum(axis=-1, keepdims=True)}",
            "g less that sum: {g - t}",
            "Times y: {y * (g - t)}. The row sums to 0.",
        ],
    ),
)
def softmax_rule(g, y):
    return y * (g - (g * y).sum(axis=-1, keepdims=True))


@softmax_rule.mistake(
    "Only the effect on the same element is there, y (1 - y), as for a sigmoid. Raising one x "
    "lowers all the other elements of the row as well."
)
def _(g, y):
    return g * y * (1 - y)


@softmax_rule.mistake(
    "g is left out: this is how fast each element changes with its own x, y (1 - y)."
)
def _(g, y):
    return y * (1 - y)


@softmax_rule.mistake("The sum runs down the columns; each row is a softmax of its own.")
def _(g, y):
    return y * (g - (g * y).sum(axis=0, keepdims=True))


@softmax_rule.mistake("The sum runs over the whole array; each row is a softmax of its own.")
def _(g, y):
    return y * (g - (g * y).sum())


@softmax_rule.mistake(
    "keepdims is forgotten: the sums of the rows have lost the last axis, and are broadcast along "
    "the rows, where they fit at all."
)
def _(g, y):
    return y * (g - (g * y).sum(axis=-1))


@softmax_rule.mistake(
    "It is divided by the number of rows. That belongs to a loss that is a mean over them, and is "
    "in g already."
)
def _(g, y):
    return softmax_rule.solution(g, y) / len(y)


@softmax_rule.mistake("The sign is wrong: it is g less the sum.")
def _(g, y):
    return -softmax_rule.solution(g, y)


@softmax_rule.mistake(
    "The sum is added to g, and has to be taken off: what raises one element lowers the others."
)
def _(g, y):
    return y * (g + (g * y).sum(axis=-1, keepdims=True))


@softmax_rule.mistake("The sum is of g alone; it is of g y.")
def _(g, y):
    return y * (g - g.sum(axis=-1, keepdims=True))


@softmax_rule.mistake("The factor y before the bracket is missing.")
def _(g, y):
    return g - (g * y).sum(axis=-1, keepdims=True)


@softmax_rule.mistake(
    "This is the rule of exp, g y: the division by the sum is left out, and with it the sum over "
    "the row."
)
def _(g, y):
    return g * y


@softmax_rule.mistake("It takes the mean of g y over the row; the rule has the sum.")
def _(g, y):
    return y * (g - (g * y).mean(axis=-1, keepdims=True))


@softmax_rule.mistake(
    "This is y - g, as in the rule of softmax and cross-entropy together, with the target for g. Here "
    "g is the gradient of y, and there may be any loss behind it."
)
def _(g, y):
    return y - g


@softmax_rule.mistake(
    "It divides by y, or takes its logarithm: where y is 0, as it is for what a mask hides, that "
    "gives NaN. The gradient is 0 there."
)
def _(g, y):
    return y * (g - (g * y).sum(axis=-1, keepdims=True)) * y / y


@softmax_rule.mistake("The sum is taken off g y, and not off g: a bracket is missing, y (g - sum).")
def _(g, y):
    return y * g - (g * y).sum(axis=-1, keepdims=True)
