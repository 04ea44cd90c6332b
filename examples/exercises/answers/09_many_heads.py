"""Lesson 09: many heads."""

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.course.exercises import exercise, numbers
from minigrad.course.exercises.exercise import SIZES


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


# --- splitting and joining ------------------------------------------------------------------------


def piece_by_piece(x, heads):
    K = x.shape[-1] // heads
    return np.stack([x[:, :, h * K : (h + 1) * K] for h in range(heads)], axis=1)


def to_split(rng, size):
    B, T, D, H = [(1, 2, 2, 2), (1, 2, 4, 2), (2, 3, 4, 2), (1, 3, 6, 3)][size - 1]
    return rng.permutation(B * T * D).reshape(B, T, D) / (1 if size == 1 else 10), H


@exercise(
    points=2,
    draw=to_split,
    truth=piece_by_piece,
    properties={
        "a head holds numbers of the same position": lambda f, x, H: np.array_equal(
            np.sort(f(x, H).swapaxes(1, 2).reshape(x.shape), axis=-1), np.sort(x, axis=-1)
        ),
    },
    hints=[
        "A reshape may cut the last axis into two, (B, T, H, K): that moves no number.",
        "Then exchange the axes of positions and heads: swapaxes(1, 2).",
    ],
    worked=(
        lambda: (np.array([[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]]), 3),
        [
            "6 numbers in 3 heads: each gets 2 that stand side by side. Cut, without moving any: "
            "{c := x.reshape(1, 2, 3, 2)}",
            "The axes are now batch, position, head, number. Head 0 needs [1, 2] and [7, 8]: "
            "heads before positions.",
            "{c.swapaxes(1, 2)}",
        ],
    ),
)
def split_heads(x, heads):
    B, T, D = x.shape
    return x.reshape(B, T, heads, D // heads).swapaxes(1, 2)  # (B, H, T, K)


@split_heads.mistake(
    "The heads are split by a plain reshape to (B, H, T, K), without the transpose: a reshape "
    "keeps the numbers in their order, so that each head gets whole positions, and not its piece "
    "of each."
)
def _(x, heads):
    B, T, D = x.shape
    return x.reshape(B, heads, T, D // heads)


@split_heads.mistake(
    "The transpose is missing: the shape is (B, T, H, K), and each head has to have its own (T, K)."
)
def _(x, heads):
    B, T, D = x.shape
    return x.reshape(B, T, heads, D // heads)


@split_heads.mistake(
    "The numbers of a position are dealt out in turn, one to each head: each gets a piece of K "
    "numbers that stand side by side."
)
def _(x, heads):
    B, T, D = x.shape
    return x.reshape(B, T, D // heads, heads).transpose(0, 3, 1, 2)


@split_heads.mistake("Each head is transposed: (B, H, K, T), where (B, H, T, K) was asked for.")
def _(x, heads):
    return piece_by_piece(x, heads).swapaxes(2, 3)


@split_heads.mistake("The batch and the heads have changed places: (H, B, T, K).")
def _(x, heads):
    return piece_by_piece(x, heads).swapaxes(0, 1)


def to_join(rng, size):
    x, heads = to_split(rng, size)
    return (piece_by_piece(x, heads),)


def side_by_side(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)


@exercise(
    draw=to_join,
    truth=side_by_side,
    properties={
        "splitting it again gives back the heads": lambda f, x: np.array_equal(
            piece_by_piece(f(x), x.shape[1]), x
        ),
    },
    hints=["Undo the two steps of split_heads, the last one first."],
    worked=(
        lambda: (np.array([[[[1, 2], [7, 8]], [[3, 4], [9, 10]]]]),),
        [
            "The axes are batch, head, position, number. Positions before heads: {c := "
            "x.swapaxes(1, 2)}",
            "The last two axes as one: {c.reshape(1, 2, 4)}",
        ],
    ),
)
def join_heads(x):
    B, H, T, K = x.shape
    return x.swapaxes(1, 2).reshape(B, T, H * K)


@join_heads.mistake(
    "The heads are joined by a plain reshape, without the transpose before it: numbers of "
    "different positions get mixed."
)
def _(x):
    B, H, T, K = x.shape
    return x.reshape(B, T, H * K)


@join_heads.mistake("The numbers of the heads alternate; each head's K numbers stand side by side.")
def _(x):
    B, H, T, K = x.shape
    return x.transpose(0, 2, 3, 1).reshape(B, T, H * K)


@join_heads.mistake("The heads are added; they are put side by side.")
def _(x):
    return x.sum(axis=1)


@join_heads.mistake("The heads are averaged; they are put side by side.")
def _(x):
    return x.mean(axis=1)


@join_heads.mistake(
    "The axes are exchanged, and the last two are not made one: the shape is (B, T, H, K)."
)
def _(x):
    return x.swapaxes(1, 2)


# --- all together ---------------------------------------------------------------------------------


def by_the_library(x, w_q, w_k, w_v, w_o, heads):
    layer = mt.MultiHeadAttention(mt.AttentionSizes(x.shape[-1], heads, bias=False))
    for part, w in zip((layer.query, layer.key, layer.value, layer.output), (w_q, w_k, w_v, w_o)):
        part.weight.copy_(w, dtype=np.float64)
    x = mg.Tensor(x)
    return layer(x, x)[0].detach().numpy()


def words_and_weights(rng, size):
    """With size 5, a word that is far longer than the others, and has large scores; with size 6, scores
    from 400 on for one word and up to -400 for the other, of which exp can be computed."""
    shapes = (1, 2, 2, 2), (1, 2, 4, 2), (2, 3, 4, 2), (1, 2, 6, 3), (1, 2, 4, 2), (1, 2, 4, 2)
    B, T, D, H = shapes[size - 1]
    x, (w_q, w_k, w_v, w_o) = numbers(rng, B, T, D), numbers(rng, 4, D, D) / 2
    if size == 6:
        x[0] = np.array([[1, 1, 1, 1], [-1, -1, 1, 1]]) * rng.uniform(8.5, 8.8)
        w_q, w_k = np.repeat(np.eye(2), 2, axis=1)[:, :, None] * np.ones(4)
    if size == 5:
        x[0, 0] = 40 * (1 + abs(x[0, 0]))
        w_q, w_k = 1 + abs(w_q), 1 + abs(w_k)
    return x, w_q, w_k, w_v, w_o, H


@exercise(
    points=3,
    draw=words_and_weights,
    sizes=(*SIZES, 5, 6),
    truth=by_the_library,
    properties={
        "words in another order give the same rows in that order": lambda f, x, *w: np.allclose(
            f(x[:, ::-1], *w), f(x, *w)[:, ::-1]
        ),
    },
    hints=[
        "Split q, k and v into heads: (B, H, T, K). From there on NumPy's @ does all heads at "
        "once.",
        "The keys are transposed by swapaxes(-1, -2). K is the width of a head, not of the model.",
        "Join the heads to (B, T, D), and only then multiply by w_o.",
    ],
    worked=(
        lambda: (
            np.array([[[1.0, 4.0], [3.0, 8.0]]]),
            np.zeros((2, 2)),
            np.eye(2),
            np.eye(2),
            np.array([[1.0, 0.0], [1.0, 1.0]]),
            2,
        ),
        [
            "The queries are {x @ w_q}: all scores are 0, and all weights 0.5.",
            "Head 0 has the first number of each position as its values, 1 and 3: their mean is "
            "{x[0, :, 0].mean()}, at both positions.",
            "Head 1 has 4 and 8: {x[0, :, 1].mean()}. Side by side: {y := np.array([[[2.0, 6.0], "
            "[2.0, 6.0]]])}",
            "Times w_o: {y @ w_o}",
        ],
    ),
)
def multi_head(x, w_q, w_k, w_v, w_o, heads):
    B, T, D = x.shape
    split = lambda a: a.reshape(B, T, heads, D // heads).swapaxes(1, 2)  # (B, H, T, K)
    q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)
    s = q @ k.swapaxes(-1, -2) / np.sqrt(D // heads)  # (B, H, T, T)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    y = e / e.sum(axis=-1, keepdims=True) @ v  # (B, H, T, K)
    return y.swapaxes(1, 2).reshape(B, T, D) @ w_o


def attended(x, w_q, w_k, w_v, heads, scale=None, axis=-1):
    q, k, v = (split_heads.solution(x @ w, heads) for w in (w_q, w_k, w_v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(scale or k.shape[-1])
    return softmax(s, axis) @ v  # (B, H, T, K)


@multi_head.mistake(
    "The scores are scaled by the square root of the model's width, D; a head's products are sums "
    "over K = D / H numbers."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended(x, w_q, w_k, w_v, heads, x.shape[-1])) @ w_o


@multi_head.mistake("There is no scaling: the scores are to be divided by sqrt(K).")
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended(x, w_q, w_k, w_v, heads, 1)) @ w_o


@multi_head.mistake(
    "The heads are split by a plain reshape, without the transpose: a head gets whole positions, "
    "and not its piece of each."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    B, T, D = x.shape
    q, k, v = ((x @ w).reshape(B, heads, T, D // heads) for w in (w_q, w_k, w_v))
    y = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(D // heads)) @ v
    return join_heads.solution(y) @ w_o


@multi_head.mistake(
    "The heads are split by a plain reshape, without the transpose, and joined by one: a head gets "
    "whole positions, and not its piece of each."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    B, T, D = x.shape
    q, k, v = ((x @ w).reshape(B, heads, T, D // heads) for w in (w_q, w_k, w_v))
    y = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(D // heads)) @ v
    return y.reshape(B, T, D) @ w_o


@multi_head.mistake(
    "The heads are joined by a plain reshape, without the transpose before it: numbers of "
    "different positions get mixed."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    return attended(x, w_q, w_k, w_v, heads).reshape(x.shape) @ w_o


@multi_head.mistake(
    "All is one head: the attention is over the whole width, and heads make no difference."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended(x, w_q, w_k, w_v, 1)) @ w_o


@multi_head.mistake(
    "The transpose is missing, and the heads of one position attend to each other: with the shape "
    "(B, T, H, K) the scores are (H, H). Positions attend to positions."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    B, T, D = x.shape
    q, k, v = ((x @ w).reshape(B, T, heads, D // heads) for w in (w_q, w_k, w_v))
    return (softmax(q @ k.swapaxes(-1, -2) / np.sqrt(D // heads)) @ v).reshape(B, T, D) @ w_o


@multi_head.mistake(
    "The last projection, w_o, is missing: nothing mixes what the heads have found."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended(x, w_q, w_k, w_v, heads))


@multi_head.mistake("The last projection is transposed: `@ w_o`, and not `@ w_o.T`.")
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended(x, w_q, w_k, w_v, heads)) @ w_o.T


@multi_head.mistake("The softmax runs over the queries; for each query the weights sum to one.")
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended(x, w_q, w_k, w_v, heads, axis=-2)) @ w_o


@multi_head.mistake(
    "The weights are divided by sqrt(K) after the softmax, so that they do not sum to one; the scores "
    "are, before it."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    y = attended(x, w_q, w_k, w_v, heads, 1) / np.sqrt(x.shape[-1] // heads)
    return join_heads.solution(y) @ w_o


@multi_head.mistake(
    "It scales by the square root of the number of heads; it is the *width* of a head, K = D / H, "
    "that makes the products large."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended(x, w_q, w_k, w_v, heads, heads)) @ w_o


@multi_head.mistake(
    "It scales by the square root of the number of words; it is the *width* of a head, K = D / H, "
    "that makes the products large."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended(x, w_q, w_k, w_v, heads, x.shape[1])) @ w_o


@multi_head.mistake("The values are made with w_k; they have a matrix of their own, w_v.")
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended(x, w_q, w_k, w_k, heads)) @ w_o


def attended_by(x, w_q, w_k, w_v, heads, highest):
    """The heads' results, where a number is taken off all scores."""
    q, k, v = (split_heads.solution(x @ w, heads) for w in (w_q, w_k, w_v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(k.shape[-1])
    e = np.exp(s - highest(s))
    return e / e.sum(axis=-1, keepdims=True) @ v


@multi_head.mistake(
    "No maximum is taken off, and exp overflows: exp(1000) is infinite, and infinity over infinity "
    "is NaN."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended_by(x, w_q, w_k, w_v, heads, lambda s: 0)) @ w_o


@multi_head.mistake(
    "One maximum is taken for the whole array. Where the scores are far below it all exp are 0, and "
    "0 / 0 is NaN: each row needs its own."
)
def _(x, w_q, w_k, w_v, w_o, heads):
    return join_heads.solution(attended_by(x, w_q, w_k, w_v, heads, np.max)) @ w_o


@multi_head.mistake("There is no softmax: the scores themselves are taken for weights.")
def _(x, w_q, w_k, w_v, w_o, heads):
    q, k, v = (piece_by_piece(x @ w, heads) for w in (w_q, w_k, w_v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(k.shape[-1])
    return side_by_side(s @ v) @ w_o


@multi_head.mistake("The keys are made with w_q.")
def _(x, w_q, w_k, w_v, w_o, heads):
    q, k, v = (piece_by_piece(x @ w, heads) for w in (w_q, w_q, w_v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(k.shape[-1])
    return side_by_side(softmax(s) @ v) @ w_o
