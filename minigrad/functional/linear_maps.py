"""Products with a matrix of weights, for all positions at once, or for each head."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.table import together
from .activations import relu
from .composition import (
    are_arrays,
    column_sums,
    composition,
    is_number,
    kernel,
    reusing,
    rows,
)


@composition
def linear(x: Any, weight: Any, bias: Any | None = None) -> Any:
    """x W + b: x (..., in), weight (in, out), bias (out,); the result is (..., out)."""
    y = x @ weight  # (..., out)
    return y if bias is None else y + bias


def is_linear(x: Any, weight: Any, bias: Any = None) -> bool:
    """Whether the kernels below can compute it: weight (in, out), bias (out,)."""
    if bias is None:
        return are_arrays(x, weight) and x.ndim > 0 and weight.ndim == 2
    return (
        are_arrays(x, weight, bias)
        and x.ndim > 0
        and weight.ndim == 2
        and bias.shape == weight.shape[1:]
    )


@kernel(
    linear,
    is_linear,
    lambda g, y, x, weight, bias=None: (rows(g) @ weight.T).reshape(x.shape),
    lambda g, y, x, weight, bias=None: rows(x).T @ rows(g),
    lambda g, y, x, weight, bias=None: column_sums(g),
)
def _(x, weight, bias=None):
    return one_product(rows(x), weight, bias).reshape(*x.shape[:-1], -1)


def one_product(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    """x W + b of matrices: one product for the whole batch."""
    y = x @ weight
    return y if bias is None else reusing(np.add, y, bias)


@composition
def products(a: Any, b: Any, factor: float = 1.0) -> Any:
    """The product of every row of a with every row of b, times a factor: factor a b^T.

    a is (..., n, k) and b (..., m, k); the result is (..., n, m).
    """
    return (a if factor == 1.0 else a * factor) @ np.swapaxes(b, -1, -2)


@kernel(
    products,
    lambda a, b, factor=1.0: are_arrays(a, b) and a.ndim > 1 and b.ndim > 1 and is_number(factor),
    lambda g, y, a, b, factor=1.0: (g * factor) @ b,
    lambda g, y, a, b, factor=1.0: np.swapaxes(g, -1, -2) @ (a * factor),
)
def _(a, b, factor=1.0):
    return (a * factor) @ b.swapaxes(-1, -2)


@composition
def split_heads(x: Any, heads: int) -> Any:
    """The last axis cut into heads, which are put before the positions: (..., T, H K) to
    (..., H, T, K)."""
    *lead, T, HK = x.shape
    return np.swapaxes(np.reshape(x, (*lead, T, heads, HK // heads)), -3, -2)


@composition
def join_heads(x: Any) -> Any:
    """The heads beside each other again: (..., H, T, K) to (..., T, H K), undoing `split_heads`."""
    *lead, H, T, K = x.shape
    return np.reshape(np.swapaxes(x, -3, -2), (*lead, T, H * K))


@composition
def linear_to_heads(x: Any, weight: Any, bias: Any | None, heads: int) -> Any:
    """`linear`, and then its result cut into heads: (..., T, in) to (..., H, T, out / H)."""
    return split_heads(linear(x, weight, bias), heads)


def to_heads_slopes(g, y, x, weight, bias, heads):
    g = rows(join_heads(g))  # it is copied once for all three
    return (g @ weight.T).reshape(x.shape), rows(x).T @ g, column_sums(g)


@kernel(
    linear_to_heads,
    lambda x, weight, bias, heads: is_linear(x, weight, bias) and x.ndim > 1,
    *together(to_heads_slopes, 3),
)
def _(x, weight, bias, heads):
    y = one_product(rows(x), weight, bias)
    return y.reshape(*x.shape[:-1], heads, -1).swapaxes(-3, -2)


@composition
def linear_of_heads(heads: Any, weight: Any, bias: Any | None) -> Any:
    """Heads beside each other again, and then `linear`: (..., H, T, V) to (..., T, out)."""
    return linear(join_heads(heads), weight, bias)


def of_heads_slopes(g, y, heads, weight, bias):
    g, joined = rows(g), join_heads(heads)
    of_heads = split_heads((g @ weight.T).reshape(joined.shape), heads.shape[-3])
    return of_heads, rows(joined).T @ g, column_sums(g)


@kernel(
    linear_of_heads,
    lambda heads, weight, bias: is_linear(heads, weight, bias) and heads.ndim > 2,
    *together(of_heads_slopes, 3),
)
def _(heads, weight, bias):
    *lead, H, T, V = heads.shape
    y = one_product(heads.swapaxes(-3, -2).reshape(-1, H * V), weight, bias)
    return y.reshape(*lead, T, -1)


@composition
def feed_forward(x: Any, weight1: Any, bias1: Any | None, weight2: Any, bias2: Any | None) -> Any:
    """max(0, x W1 + b1) W2 + b2: x (..., D), W1 (D, F), W2 (F, out); the result is (..., out)
    (Vaswani et al., 2017, equation 2)."""
    return linear(relu(linear(x, weight1, bias1)), weight2, bias2)


def feed_forward_slopes(g, y, x, weight1, bias1, weight2, bias2, kept=None):
    g, each = rows(g), rows(x)
    (hidden,) = kept or (relu(each @ weight1 + bias1),)
    slope = g @ weight2.T
    slope = reusing(np.multiply, slope, np.greater(hidden, 0).astype(slope.dtype))
    of_x = (slope @ weight1.T).reshape(x.shape)
    return of_x, each.T @ slope, column_sums(slope), hidden.T @ g, column_sums(g)


@kernel(
    feed_forward,
    lambda x, weight1, bias1, weight2, bias2: (
        is_linear(x, weight1, bias1)
        and are_arrays(weight2, bias1, bias2)
        and weight2.ndim == 2
        and bias2.shape == weight2.shape[1:]
    ),
    *together(feed_forward_slopes, 5),
)
def _(x, weight1, bias1, weight2, bias2, kept=None):
    hidden = one_product(rows(x), weight1, bias1)
    np.maximum(hidden, np.zeros(hidden.shape[1], hidden.dtype), out=hidden)
    if kept is not None:
        kept.append(hidden)
    return one_product(hidden, weight2, bias2).reshape(*x.shape[:-1], -1)
