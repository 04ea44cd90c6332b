"""Lesson 07: queries, keys and values by hand."""

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.exercise import SIZES


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


# --- self-attention -------------------------------------------------------------------------------


def by_the_library(x, w_q, w_k, w_v):
    output, _ = mt.attention(*(mg.Tensor(x @ w) for w in (w_q, w_k, w_v)))
    return output.numpy()


def words_and_weights(rng, size):
    """With size 5, a word that is far longer than the others, and has large scores."""
    T, D, K, V = [(2, 2, 2, 2), (2, 3, 2, 2), (3, 2, 3, 1), (3, 2, 4, 3), (2, 2, 2, 2)][size - 1]
    x, w_q, w_k, w_v = (numbers(rng, *shape) for shape in [(T, D), (D, K), (D, K), (D, V)])
    if size == 5:
        x[0] = 40 * (1 + abs(x[0]))
        w_q, w_k = 1 + abs(w_q), 1 + abs(w_k)
    return x, w_q, w_k, w_v


def in_another_order(f, x, *weights):
    return np.allclose(f(x[::-1], *weights), f(x, *weights)[::-1])


@exercise(
    points=2,
    draw=words_and_weights,
    sizes=(*SIZES, 5),
    truth=by_the_library,
    properties={"words in another order give the same rows in that order": in_another_order},
    hints=[
        "Three matrix products first: q, k and v. Then the scores are (T, T), rows for queries.",
        "The softmax runs along the rows, axis -1; the weights (T, T) times v, (T, V), is the "
        "answer.",
    ],
    worked=(
        lambda: (
            np.array([[1.0, 0.0], [0.0, 1.0]]),
            np.array([[2.0], [0.0]]),
            np.array([[1.0], [3.0]]),
            np.array([[5.0], [7.0]]),
        ),
        [
            "Queries {q := x @ w_q}, keys {k := x @ w_k}, values {v := x @ w_v}",
            "Scores, rows for queries; the width of the keys is 1: {s := q @ k.T}",
            "The softmax of each row: {a := np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)}",
            "Times the values: {a @ v}",
        ],
    ),
)
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    s = q @ k.T / np.sqrt(k.shape[-1])  # (T, T)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


def scores(x, w_q, w_k):
    return (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])


@self_attention.mistake(
    "Queries and keys are exchanged: a word asks with its key, and is found by its query. Which "
    "words it looks at is then which words look at it."
)
def _(x, w_q, w_k, w_v):
    return self_attention.solution(x, w_k, w_q, w_v)


@self_attention.mistake("The words themselves are averaged; it is their values, x W_v.")
def _(x, w_q, w_k, w_v):
    return softmax(scores(x, w_q, w_k)) @ x


@self_attention.mistake(
    "The softmax runs down the columns: for each key the weights of all queries sum to one, and "
    "should for each query those of all keys."
)
def _(x, w_q, w_k, w_v):
    return softmax(scores(x, w_q, w_k), 0) @ x @ w_v


@self_attention.mistake(
    "There is no scaling: the scores are to be divided by the square root of the keys' width."
)
def _(x, w_q, w_k, w_v):
    return softmax((x @ w_q) @ (x @ w_k).T) @ x @ w_v


@self_attention.mistake(
    "It scales by the width of the words, D; the products that make the scores are sums over the "
    "width of the keys."
)
def _(x, w_q, w_k, w_v):
    return softmax((x @ w_q) @ (x @ w_k).T / np.sqrt(x.shape[1])) @ x @ w_v


@self_attention.mistake(
    "The keys are made with W_q: with one matrix for both, word i looks at j as much as j at i, "
    "before the softmax."
)
def _(x, w_q, w_k, w_v):
    return self_attention.solution(x, w_q, w_q, w_v)


@self_attention.mistake("The values take part in the scores; they are only what is averaged.")
def _(x, w_q, w_k, w_v):
    return softmax((x @ w_q) @ (x @ w_v).T / np.sqrt(w_v.shape[1])) @ x @ w_k


@self_attention.mistake("There is no softmax: the scores themselves are taken for weights.")
def _(x, w_q, w_k, w_v):
    return scores(x, w_q, w_k) @ x @ w_v


@self_attention.mistake("It divides by the width of the keys, not by its square root.")
def _(x, w_q, w_k, w_v):
    return self_attention.solution(x, w_q / np.sqrt(w_q.shape[1]), w_k, w_v)


@self_attention.mistake(
    "The weights are divided by the square root after the softmax, so that they do not sum to one; "
    "the scores are, before it."
)
def _(x, w_q, w_k, w_v):
    s = (x @ w_q) @ (x @ w_k).T
    return softmax(s) / np.sqrt(w_k.shape[1]) @ x @ w_v


@self_attention.mistake(
    "It scales by the square root of the number of words; it is the *width* of the keys that makes "
    "the products large."
)
def _(x, w_q, w_k, w_v):
    return softmax((x @ w_q) @ (x @ w_k).T / np.sqrt(len(x))) @ x @ w_v


@self_attention.mistake("The values are made with W_k; they have a matrix of their own, W_v.")
def _(x, w_q, w_k, w_v):
    return softmax(scores(x, w_q, w_k)) @ x @ w_k


@self_attention.mistake(
    "No maximum is taken off, and exp overflows: exp(1000) is infinite, and infinity over infinity "
    "is NaN."
)
def _(x, w_q, w_k, w_v):
    e = np.exp(scores(x, w_q, w_k))
    return e / e.sum(axis=-1, keepdims=True) @ x @ w_v


@self_attention.mistake(
    "One maximum is taken for all words. For one whose scores are far below it all exp are 0, and "
    "0 / 0 is NaN: each row needs its own."
)
def _(x, w_q, w_k, w_v):
    s = scores(x, w_q, w_k)
    e = np.exp(s - s.max())
    return e / e.sum(axis=-1, keepdims=True) @ x @ w_v


@self_attention.mistake(
    "It scales by the width of the values; the products that make the scores are sums over the "
    "width of the keys."
)
def _(x, w_q, w_k, w_v):
    s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_v.shape[1])
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ (x @ w_v)


@self_attention.mistake("It multiplies by the square root; dividing keeps the scores small.")
def _(x, w_q, w_k, w_v):
    s = (x @ w_q) @ (x @ w_k).T * np.sqrt(w_k.shape[1])
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ (x @ w_v)


# --- one matrix -----------------------------------------------------------------------------------


def unit_by_unit(w_q, w_k):
    unit = np.eye(len(w_q))
    return np.array([[(a @ w_q) @ (b @ w_k) for b in unit] for a in unit])


@exercise(
    draw=lambda rng, size: (numbers(rng, 2, max(1, size - 1)), numbers(rng, 2, max(1, size - 1))),
    truth=unit_by_unit,
    properties={
        "e A e' is the product of query and key": lambda f, w_q, w_k: np.allclose(
            [3, -1] @ f(w_q, w_k) @ [2, 5], ([3, -1] @ w_q) @ ([2, 5] @ w_k)
        ),
    },
    hints=[
        "The product of two rows a . b is a b^T; and (e' W)^T = W^T e'^T.",
        "So e W_q (e' W_k)^T = e W_q W_k^T e'^T.",
    ],
    worked=(
        lambda: (np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[3.0, 0.0], [1.0, 1.0]])),
        [
            "Take e = [1, 0] and e' = [1, 0]: e W_q is {w_q[0]}, e' W_k is {w_k[0]}, and their "
            "product {w_q[0] @ w_k[0]} is A[0, 0].",
            "e = [1, 0] and e' = [0, 1] give A[0, 1] = {w_q[0] @ w_k[1]}: rows of W_q meet rows "
            "of W_k.",
            "All of them: {w_q @ w_k.T}",
        ],
    ),
)
def bilinear(w_q, w_k):
    return w_q @ w_k.T


@bilinear.mistake(
    "It is transposed: this matrix says by whom a word is attended to. Attention is not symmetric; "
    "queries come first, in rows."
)
def _(w_q, w_k):
    return w_k @ w_q.T


@bilinear.mistake(
    "W_q^T W_k multiplies the rows of the two matrices, not their columns: its shape is (K, K), "
    "and it should be (D, D)."
)
def _(w_q, w_k):
    return w_q.T @ w_k


@bilinear.mistake("A transpose is missing: W_q W_k fits only if both are square.")
def _(w_q, w_k):
    return w_q @ w_k


@bilinear.mistake("The matrices are multiplied element by element.")
def _(w_q, w_k):
    return w_q * w_k


@bilinear.mistake("It is scaled by the square root of the width; the formula here is not.")
def _(w_q, w_k):
    return w_q @ w_k.T / np.sqrt(w_q.shape[1])
