"""Lesson 06: attention before transformers."""

import math

import numpy as np

import minigrad as mg
from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.exercise import SIZES
from minitransformer.model.scores import Additive

# --- a recurrent network --------------------------------------------------------------------------


def number_by_number(x, W, U, b):
    states, before = [], [0.0] * len(b)
    for row in x:
        after = []
        for j in range(len(b)):
            total = b[j] + sum(row[d] * W[d, j] for d in range(len(row)))
            after.append(math.tanh(total + sum(before[i] * U[i, j] for i in range(len(b)))))
        states.append(after)
        before = after
    return np.array(states)


def a_sequence(rng, size):
    T, D, H = size + 1, size, min(size, 2)
    return numbers(rng, T, D), numbers(rng, D, H), numbers(rng, H, H), numbers(rng, H)


@exercise(
    draw=a_sequence,
    truth=number_by_number,
    properties={
        "the last input does not act on the states before it": lambda f, x, W, U, b: np.allclose(
            f(x[:-1], W, U, b), f(x, W, U, b)[:-1]
        ),
    },
    hints=[
        "Start with h = np.zeros_like(b), and go through the rows of x; each state is made from "
        "the one before.",
        "Keep every state in a list; np.array makes a matrix of it.",
    ],
    worked=(
        lambda: (np.array([[1.0], [2.0]]), np.array([[0.5]]), np.array([[-1.0]]), np.array([0.1])),
        [
            "Before the first step the state is zeros: {h := np.zeros(1)}",
            "1 * 0.5 + 0 * -1 + 0.1 = 0.6, and its tanh: {h1 := np.tanh(x[0] @ W + h @ U + b)}",
            "2 * 0.5 + {h1[0]} * -1 + 0.1, and its tanh: {h2 := np.tanh(x[1] @ W + h1 @ U + b)}",
            "Both states: {np.array([h1, h2])}",
        ],
    ),
)
def rnn(x, W, U, b):
    h, states = np.zeros_like(b), []
    for row in x:
        h = np.tanh(row @ W + h @ U + b)
        states.append(h)
    return np.array(states)


@rnn.mistake(
    "The state is not carried along: each step starts from zeros again, and knows nothing of those "
    "before."
)
def _(x, W, U, b):
    return np.tanh(x @ W + b)


@rnn.mistake("Only the last state is returned; all of them are asked for.")
def _(x, W, U, b):
    return rnn.solution(x, W, U, b)[-1]


@rnn.mistake(
    "The tanh is missing: without it the network is linear, and its states may grow without end."
)
def _(x, W, U, b):
    h, states = np.zeros_like(b), []
    for row in x:
        h = row @ W + h @ U + b
        states.append(h)
    return np.array(states)


@rnn.mistake("What is carried along is the sum before the tanh; the state is the tanh of it.")
def _(x, W, U, b):
    h, states = np.zeros_like(b), []
    for row in x:
        h = row @ W + h @ U + b
        states.append(np.tanh(h))
    return np.array(states)


@rnn.mistake(
    "The tanh is taken of x_t W + b alone, and h U is added after it; all three are added inside it."
)
def _(x, W, U, b):
    h, states = np.zeros_like(b), []
    for row in x:
        h = np.tanh(row @ W + b) + h @ U
        states.append(h)
    return np.array(states)


@rnn.mistake(
    "One array holds the state, and is put into the list again and again: in the end all places show "
    "the last state. Make a new array at each step."
)
def _(x, W, U, b):
    states = rnn.solution(x, W, U, b)
    return np.array([states[-1]] * len(states))


@rnn.mistake("The state before the first is ones; it is zeros.")
def _(x, W, U, b):
    h, states = np.ones_like(b), []
    for row in x:
        h = np.tanh(row @ W + h @ U + b)
        states.append(h)
    return np.array(states)


@rnn.mistake("U is applied to the state transposed: U @ h, where the formula has h U.")
def _(x, W, U, b):
    h, states = np.zeros_like(b), []
    for row in x:
        h = np.tanh(row @ W + U @ h + b)
        states.append(h)
    return np.array(states)


@rnn.mistake(
    "Both matrices are applied transposed: W @ x and U @ h, where the formula has x W and h U."
)
def _(x, W, U, b):
    h, states = np.zeros_like(b), []
    for row in x:
        h = np.tanh(W @ row + U @ h + b)
        states.append(h)
    return np.array(states)


@rnn.mistake("The sequence is read from its end.")
def _(x, W, U, b):
    return rnn.solution(x[::-1], W, U, b)


@rnn.mistake("The bias b is left out.")
def _(x, W, U, b):
    return rnn.solution(x, W, U, 0 * b)


@rnn.mistake(
    "Each state is listed before it has read its word: the zeros come first, and the last state is "
    "missing."
)
def _(x, W, U, b):
    return np.concatenate([np.zeros((1, len(b))), rnn.solution(x, W, U, b)[:-1]])


@rnn.mistake("The bias b is added after the tanh; all three are added inside it.")
def _(x, W, U, b):
    h, states = np.zeros_like(b), []
    for row in x:
        h = np.tanh(row @ W + h @ U) + b
        states.append(h)
    return np.array(states)


@rnn.mistake("The first word is never read: the loop begins with the second.")
def _(x, W, U, b):
    states = np.zeros((len(x), len(b)))
    for t in range(1, len(x)):
        states[t] = np.tanh(x[t] @ W + states[t - 1] @ U + b)
    return states


# --- additive scores ------------------------------------------------------------------------------


def by_the_library(q, k, W, U, v):
    score = Additive(W.shape[0], U.shape[0], hidden=len(v))
    for weight, values in ((score.query, W), (score.key, U), (score.vector, v[:, None])):
        weight.copy_(values, dtype=np.float64)
    return score(mg.Tensor(q), mg.Tensor(k)).detach().numpy()


def two_sides(rng, size):
    T, S, K, L, A = [(1, 1, 1, 1, 1), (1, 2, 1, 2, 1), (2, 2, 2, 2, 2), (2, 3, 2, 1, 2)][size - 1]
    return tuple(numbers(rng, *shape) for shape in [(T, K), (S, L), (K, A), (L, A), (A,)])


@exercise(
    points=2,
    draw=two_sides,
    truth=by_the_library,
    hints=[
        "Map all queries, (T, A), and all keys, (S, A), once. Then every query has to meet every "
        "key.",
        "Give the queries an axis for the keys and the keys an axis for the queries: shapes (T, "
        "1, A) and (1, S, A) add up to (T, S, A).",
    ],
    worked=(
        lambda: (
            np.array([[1.0]]),
            np.array([[0.5], [-1.0]]),
            np.array([[1.0, 0.0]]),
            np.array([[0.0, 1.0]]),
            np.array([1.0, 3.0]),
        ),
        [
            "Each query mapped once: {a := q @ W}. Each key mapped once: {c := k @ U}",
            "The query with the first key, added: {a[0] + c[0]}; with the second: {a[0] + c[1]}",
            "tanh of these: {t := np.tanh(a[:, None] + c[None])}",
            "Weighed by v and summed: {t @ v}",
        ],
    ),
)
def additive_scores(q, k, W, U, v):
    hidden = np.tanh((q @ W)[:, None, :] + (k @ U)[None, :, :])  # (T, S, A)
    return hidden @ v


@additive_scores.mistake(
    "The tanh is missing. Without it a score is a number for the query plus a number for the key, "
    "and after the softmax every query looks at the same keys."
)
def _(q, k, W, U, v):
    return ((q @ W)[:, None, :] + (k @ U)[None, :, :]) @ v


@additive_scores.mistake("It is transposed: a row belongs to a key; rows are queries.")
def _(q, k, W, U, v):
    return additive_scores.solution(q, k, W, U, v).T


@additive_scores.mistake(
    "The tanh is taken of queries and keys apart, and then they are added; they must be added "
    "inside it, or they do not meet."
)
def _(q, k, W, U, v):
    return (np.tanh(q @ W)[:, None, :] + np.tanh(k @ U)[None, :, :]) @ v


@additive_scores.mistake(
    "v stands inside the tanh; it weighs the components after it, and a score may be above 1."
)
def _(q, k, W, U, v):
    return np.tanh(((q @ W)[:, None, :] + (k @ U)[None, :, :]) @ v)


@additive_scores.mistake(
    "Queries and keys are multiplied, not added: that is a dot product in the shared space."
)
def _(q, k, W, U, v):
    return np.tanh((q @ W)[:, None, :] * (k @ U)[None, :, :]) @ v


@additive_scores.mistake(
    "Query i meets key i only: without an axis for each, NumPy adds row to row, and copies, or "
    "fails."
)
def _(q, k, W, U, v):
    return np.tanh(q @ W + k @ U) @ v


@additive_scores.mistake("The components are summed as they are; v weighs them.")
def _(q, k, W, U, v):
    return additive_scores.solution(q, k, W, U, np.ones_like(v))


@additive_scores.mistake(
    "These are the weights, after a softmax; the scores before it are asked for."
)
def _(q, k, W, U, v):
    e = np.exp(additive_scores.solution(q, k, W, U, v))
    return e / e.sum(axis=-1, keepdims=True)


# --- the right index ------------------------------------------------------------------------------


def step_by_step(e, h):
    rows = []
    for j in range(e.shape[1]):
        weights = [math.exp(e[i, j] - max(e[:, j])) for i in range(e.shape[0])]
        rows.append(sum(w * h[i] for i, w in enumerate(weights)) / sum(weights))
    return np.array(rows)


def softmax(x, axis=None):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def scores_and_states(rng, size):
    """With size 5, the scores of one step are large, and those of another far below 0."""
    S, T = (2, 3) if size == 5 else (size + 1, max(2, size))
    e = numbers(rng, S, T)
    if size == 5:
        e += rng.permutation([-1000.0, 0.0, 1000.0])
    return e, numbers(rng, S, 2)


@exercise(
    draw=scores_and_states,
    sizes=(*SIZES, 5),
    truth=step_by_step,
    properties={
        "equal states give back that state": lambda f, e, h: np.allclose(f(e, 0 * h + h[0]), h[0]),
    },
    hints=[
        "Which axis of e is i? The weights sum to one along it.",
        "c_j = sum_i a_ij h_i sums over the first axis of both; (T, S) @ (S, D) sums over S.",
    ],
    worked=(
        lambda: (np.array([[0.0, 2.0], [0.0, 1.0]]), np.array([[10.0], [20.0]])),
        [
            "Column j belongs to step j. exp: {a := np.exp(e)}; the sum of each column: "
            "{a.sum(axis=0)}",
            "Divided: {a := a / a.sum(axis=0)}. Each column sums to one.",
            "Step 0: 0.5 * 10 + 0.5 * 20. Both steps: {a.T @ h}",
        ],
    ),
)
def contexts(e, h):
    a = np.exp(e - e.max(axis=0, keepdims=True))
    a = a / a.sum(axis=0, keepdims=True)  # (S, T)
    return a.T @ h


@contexts.mistake(
    "The weights are normalised over the other index: for each state i they sum to one over the "
    "steps j. Then the weights of one step need not sum to one, and its context is no mean."
)
def _(e, h):
    return softmax(e, 1).T @ h


@contexts.mistake("All scores share one softmax; each step j has its own.")
def _(e, h):
    return softmax(e).T @ h


@contexts.mistake("There is no softmax: the scores themselves are taken for weights.")
def _(e, h):
    return e.T @ h


@contexts.mistake("The weights are exponentials, but are not divided by their sum.")
def _(e, h):
    return np.exp(e).T @ h


@contexts.mistake("These are the weights; the states weighted by them are still to be summed.")
def _(e, h):
    return softmax(e, 0).T


@contexts.mistake("It is transposed: a row belongs to a component; rows are the steps.")
def _(e, h):
    return contexts.solution(e, h).T


@contexts.mistake(
    "No maximum is taken off, and exp overflows: exp(1000) is infinite, and infinity over infinity "
    "is NaN."
)
def _(e, h):
    a = np.exp(e)
    return (a / a.sum(axis=0)).T @ h


@contexts.mistake(
    "One maximum is taken for all steps. For a step far below it all exp are 0, and 0 / 0 is NaN: "
    "each needs its own."
)
def _(e, h):
    a = np.exp(e - e.max())
    return (a / a.sum(axis=0)).T @ h


@contexts.mistake("The weights are not divided by their sum: a mean was asked for.")
def _(e, h):
    return np.exp(e - e.max(axis=0)).T @ h
