"""Lesson 05: words as vectors."""

import math

import numpy as np

import minigrad as mg
from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.exercise import SIZES

# --- cosines --------------------------------------------------------------------------------------


def by_the_law_of_cosines(a, b):
    square = lambda x: sum(float(n) ** 2 for n in x)
    return (square(a) + square(b) - square(a - b)) / math.sqrt(4 * square(a) * square(b))


@exercise(
    draw=lambda rng, size: (numbers(rng, size + 1), numbers(rng, size + 1)),
    truth=by_the_law_of_cosines,
    properties={
        "a vector twice as long has the same cosine": lambda f, a, b: np.isclose(
            f(2 * a, b), f(a, b)
        ),
        "the cosine of a vector with itself is 1": lambda f, a, b: np.isclose(f(a, a), 1),
    },
    hints=[
        "The dot product grows with the lengths of both vectors; divide it by both.",
        "The length of a is np.sqrt(a @ a).",
    ],
    worked=(
        lambda: (np.array([1.0, 2.0, 2.0]), np.array([2.0, 0.0, 0.0])),
        [
            "The dot product: 1 * 2 + 2 * 0 + 2 * 0 = {a @ b}",
            "The lengths: sqrt(1 + 4 + 4) = {np.sqrt(a @ a)} and {np.sqrt(b @ b)}",
            "2 / (3 * 2) = {a @ b / (np.sqrt(a @ a) * np.sqrt(b @ b))}",
        ],
    ),
)
def cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


@cosine.mistake(
    "This is the dot product, which grows with the lengths of the vectors; the cosine looks at "
    "their directions alone."
)
def _(a, b):
    return a @ b


@cosine.mistake("The square roots are missing: it divides by the squares of the lengths.")
def _(a, b):
    return a @ b / ((a @ a) * (b @ b))


@cosine.mistake("It divides by the length of one of the vectors only.")
def _(a, b):
    return a @ b / np.sqrt(a @ a)


@cosine.mistake("It divides by the square of one length; each of the two lengths counts once.")
def _(a, b):
    return a @ b / (a @ a)


@cosine.mistake("This is 1 - cos, a distance: 0 for vectors that point the same way.")
def _(a, b):
    return 1 - cosine.solution(a, b)


@cosine.mistake("The sign is taken off: vectors that point away from each other have -1.")
def _(a, b):
    return abs(cosine.solution(a, b))


@cosine.mistake("It divides by the sum of the lengths; they multiply.")
def _(a, b):
    return a @ b / (np.sqrt(a @ a) + np.sqrt(b @ b))


@cosine.mistake(
    "This is the correlation: the mean was taken off both vectors before. The cosine takes them as "
    "they are."
)
def _(a, b):
    return cosine.solution(a - a.mean(), b - b.mean())


@cosine.mistake("This is the angle; its cosine was asked for.")
def _(a, b):
    return np.arccos(np.clip(cosine.solution(a, b), -1, 1))


@cosine.mistake(
    "The product is divided by its own length: that leaves its sign, 1 or -1. Divide by those of the "
    "two vectors."
)
def _(a, b):
    return np.sign(a @ b)


@cosine.mistake(
    "`/ |a| * |b|` divides by one length and multiplies by the other: write `/ (|a| * |b|)`."
)
def _(a, b):
    return cosine.solution(a, b) * (b @ b)


# --- softmax --------------------------------------------------------------------------------------


def some_rows(rng, size):
    shape = [(2,), (2, 2), (2, 3), (3, 2), (2, 2, 3)][size % 5]
    x = numbers(rng, *shape)
    if size in (6, 7):
        x += 1000.0 * np.arange(shape[0])[:, None]  # a row far above the others
    if size == 8:
        x += 1000.0  # all of them large
    if size in (9, 10):
        x = numbers(rng, size - 8, 4)
        x[:, rng.integers(4)] += 1000.0  # one number far above its row
    if size == 11:
        x[-1] -= 1000.0  # a row far below the others, and none that is large
    if size == 12:
        x[..., rng.integers(x.shape[-1])] = -np.inf  # as what a mask hides
    return (x,)


@exercise(
    points=2,
    draw=some_rows,
    sizes=(0, 0, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12),
    truth=lambda x: mg.functional.softmax(mg.Tensor(x)).numpy(),
    properties={
        "each row sums to one": lambda f, x: np.allclose(f(x).sum(axis=-1), 1),
        "adding 5 to all numbers changes nothing": lambda f, x: np.allclose(f(x + 5), f(x)),
    },
    hints=[
        "Take the maximum of each row off its numbers, then np.exp, then divide by the sum of each "
        "row.",
        "For a maximum and a sum that fit beside x again, keepdims=True.",
    ],
    worked=(
        lambda: (np.array([[1.0, 3.0], [1000.0, 999.0]]),),
        [
            "The maximum of each row: {m := x.max(axis=-1, keepdims=True)}. Taken off: {d := x - "
            "m}",
            "exp of these, never above 1: {e := np.exp(d)}",
            "The sum of each row: {s := e.sum(axis=-1, keepdims=True)}",
            "Divided by it: {e / s}",
        ],
    ),
)
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@softmax.mistake(
    "The softmax runs over the wrong axis: the columns sum to one, and the rows, along the last "
    "axis, should."
)
def _(x):
    e = np.exp(x - x.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


@softmax.mistake(
    "One maximum is taken for the whole array. A row far below it becomes exp(-1000) = 0 "
    "everywhere, and 0 / 0 is NaN: each row needs its own."
)
def _(x):
    e = np.exp(x - x.max())
    return e / e.sum(axis=-1, keepdims=True)


@softmax.mistake(
    "No maximum is taken off, and exp overflows: exp(1000) is infinite, and infinity over infinity "
    "is NaN."
)
def _(x):
    e = np.exp(x)
    return e / e.sum(axis=-1, keepdims=True)


@softmax.mistake(
    "keepdims is forgotten: the sums of the rows have lost the last axis, and are broadcast along "
    "the rows instead of down the columns, where they fit at all."
)
def _(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1)


@softmax.mistake(
    "keepdims is forgotten, in the maximum and in the sum: without their last axis they are "
    "broadcast along the rows instead of down the columns, where they fit at all."
)
def _(x):
    e = np.exp(x - x.max(axis=-1))
    return e / e.sum(axis=-1)


@softmax.mistake(
    "The mean of each row is taken off, or its minimum, and not its maximum: where one number is far "
    "above the others, exp overflows all the same."
)
def _(x):
    e = np.exp(x - x.mean(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


ONE_SUM = "All numbers of the array share one sum; each row has its own."


@softmax.mistake(ONE_SUM)
def _(x):
    e = np.exp(x - x.max())
    return e / e.sum()


@softmax.mistake(ONE_SUM)
def _(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum()


@softmax.mistake(
    "The maximum is taken off the numbers that are added up, but not off those that are divided."
)
def _(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.exp(x) / e.sum(axis=-1, keepdims=True)


@softmax.mistake("Axis 1 is the last one of a matrix alone; -1 is the last of any array.")
def _(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@softmax.mistake("There is no exp: each number is divided by the sum, and may be negative.")
def _(x):
    return x / x.sum(axis=-1, keepdims=True)


@softmax.mistake(
    "The numbers are divided by the maximum of their row. To take it off changes nothing; to divide "
    "does."
)
def _(x):
    e = np.exp(x / x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@softmax.mistake(
    "The maximum is taken off only where it is large. A row far below 0 becomes exp(-1000) = 0 "
    "everywhere, and 0 / 0 is NaN: take it off always."
)
def _(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True) if x.max() > 700 else x)
    return e / e.sum(axis=-1, keepdims=True)


@softmax.mistake(
    "A number that is -inf makes its row NaN, or itself: -inf less -inf is NaN. Less the maximum of "
    "the row it stays -inf, and exp of that is 0."
)
def _(x):
    return 1 / np.exp(x[..., None, :] - x[..., :, None]).sum(axis=-1)


# --- words in a sentence --------------------------------------------------------------------------


def word_by_word(v):
    rows = []
    for i in range(len(v)):
        highest = max(v[i] @ v[k] for k in range(len(v)))
        weights = [math.exp(v[i] @ v[k] - highest) for k in range(len(v))]
        rows.append(sum(w * v[j] for j, w in enumerate(weights)) / sum(weights))
    return np.array(rows)


def normalised(scores, axis):
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def some_words(rng, size):
    """With size 5, a word that is far longer than the others."""
    v = numbers(rng, 3 if size == 5 else size + 1, 2)
    if size == 5:
        v[rng.integers(3)] *= 30 / abs(v).min()
    return (v,)


@exercise(
    draw=some_words,
    sizes=(*SIZES, 5),
    truth=word_by_word,
    properties={
        "words in another order give the same rows in that order": lambda f, v: np.allclose(
            f(v[::-1]), f(v)[::-1]
        ),
    },
    hints=[
        "All the products v_i . v_j together are v @ v.T, of shape (T, T). Which of its axes is j?",
        "The weights (T, T) times v, (T, D), is again (T, D).",
    ],
    worked=(
        lambda: (np.array([[1.0, 0.0], [0.0, 2.0]]),),
        [
            "All dot products, row i for word i: {p := v @ v.T}",
            "exp of these: {e := np.exp(p)}; each row divided by its sum: {a := e / e.sum(axis=1, "
            "keepdims=True)}",
            "Row 0 of the result is {a[0, 0]} times the first word plus {a[0, 1]} times the "
            "second: {a @ v}",
        ],
    ),
)
def contextualise(v):
    scores = v @ v.T  # (T, T)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


@contextualise.mistake(
    "The weights are normalised over the wrong axis: for each word i, those of all words j it "
    "looks at sum to one; here they do for each j."
)
def _(v):
    return normalised(v @ v.T, 0) @ v


@contextualise.mistake("There is no softmax: the products themselves are taken for weights.")
def _(v):
    return v @ v.T @ v


@contextualise.mistake(
    "The products are divided by the lengths: these are cosines, and the formula has dot products."
)
def _(v):
    n = v / np.sqrt((v * v).sum(axis=1, keepdims=True))
    return normalised(n @ n.T, 1) @ v


@contextualise.mistake(
    "These are the weights; the vectors weighted by them are still to be summed."
)
def _(v):
    return normalised(v @ v.T, 1)


@contextualise.mistake(
    "The product of a word with itself is taken to be 1; that is so for vectors of length 1 alone."
)
def _(v):
    scores = v @ v.T
    np.fill_diagonal(scores, 1)
    return normalised(scores, 1) @ v


@contextualise.mistake("The word itself is left out; j runs over all words, i among them.")
def _(v):
    scores = v @ v.T
    np.fill_diagonal(scores, -np.inf)
    return normalised(scores, 1) @ v


@contextualise.mistake(
    "The products are divided by the square root of the width, as in later lessons; not in this "
    "formula."
)
def _(v):
    return normalised(v @ v.T / math.sqrt(v.shape[1]), 1) @ v


@contextualise.mistake(
    "No maximum is taken off, and exp overflows: exp(1000) is infinite, and infinity over infinity "
    "is NaN."
)
def _(v):
    e = np.exp(v @ v.T)
    return e / e.sum(axis=1, keepdims=True) @ v


@contextualise.mistake(
    "One maximum is taken for all words. For one whose products are far below it all exp are 0, and "
    "0 / 0 is NaN: each row needs its own."
)
def _(v):
    e = np.exp(v @ v.T - (v @ v.T).max())
    return e / e.sum(axis=1, keepdims=True) @ v


@contextualise.mistake("The weights are not divided by their sum: a mean was asked for.")
def _(v):
    s = v @ v.T
    return np.exp(s - s.max(axis=-1, keepdims=True)) @ v


@contextualise.mistake("There is no exp: the products themselves are divided by their sum.")
def _(v):
    s = v @ v.T
    return s / s.sum(axis=-1, keepdims=True) @ v


@contextualise.mistake(
    "The word's own vector is added to the mean, as residuals of later lessons do; not in this formula."
)
def _(v):
    return v + contextualise.solution(v)
