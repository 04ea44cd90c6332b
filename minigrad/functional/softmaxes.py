"""Scores made into weights: the softmax, with a mask or without, and its logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.rules import spread
from ..engine.table import derivatives
from ..engine.tensor import Tensor, as_array
from .composition import (
    broadcasts,
    composition,
    in_rows,
    kernel,
    reusing,
    row_products,
    row_starts,
    row_sums,
    rows,
    with_rows,
)


@composition
def softmax(x: Any, axis: int = -1) -> Any:
    """Positive weights along `axis` that sum to one: exp(x) / sum exp(x).

    Each row has its own maximum taken off first, which changes no weight and keeps exp finite. A row
    of which every element is minus infinity gets zeros: it has nothing to choose from.
    """
    e = np.exp(x - row_maximum(x, axis))
    total = np.sum(e, axis=axis, keepdims=True)
    return e / (total + np.equal(total, 0))


@kernel(softmax, in_rows, lambda g, y, x, axis=-1: softmax_slope(g, y))
def _(x, axis=-1):
    return weights_in_place(x.copy())


def weights_in_place(x: np.ndarray, mask: Any = None) -> np.ndarray:
    """The softmax of each row of a new array, which is overwritten, with zeros where the boolean `mask`
    is False."""
    if mask is not None:
        mask = np.asarray(mask, bool)
        if mask.all():  # it hides nothing
            mask = None
    x, each = with_rows(x)
    if is_mild(x):
        np.exp(x, out=x)
        if mask is not None:  # converted first: inside the product, NumPy takes twice as long
            x *= mask.astype(x.dtype)
    else:
        if mask is not None:
            np.copyto(x, -np.inf, where=~mask)
        each -= shifts(each)
        np.exp(x, out=x)
    total = row_sums(each)  # (n, 1)
    each /= np.maximum(total, TINY, out=total)  # 0 only where all is hidden
    return x


MILD = 30  # exp of numbers up to it, and of minus these, is neither infinite nor 0
TINY = 1e-30  # below any sum of exponentials that is not 0


def is_mild(x: np.ndarray) -> bool:
    """Whether no row needs a shift, as in most models: to find the maxima would take half the time."""
    return bool(x.min() >= -MILD and x.max() <= MILD)


def shifts(x: np.ndarray) -> np.ndarray:
    """What exp needs taken off each row of a matrix (n, m): its maximum unless that is mild; (n, 1).

    It depends on that row alone: what is hidden changes no weight, not even in its last bit.
    """
    starts = row_starts(*x.shape)  # reduceat is twice as fast as max on short rows
    top = np.maximum.reduceat(x.reshape(-1), starts)
    top[~(np.isfinite(top) & (np.abs(top) > MILD))] = 0
    return top[:, None]


def softmax_slope(g: Any, y: Any, mask: Any = None) -> Any:
    """The gradient of the softmax: what is left of `g` without its mean weighted by y, times y."""
    each_g, each_y = rows(g), rows(y)
    mean = row_products(each_g, each_y)  # (n, 1)
    slope = reusing(np.multiply, each_g - mean, each_y).reshape(y.shape)
    if mask is not None and np.any(np.isnan(mean)):  # what is hidden is not, where others are NaN
        return np.where(mask, slope, 0)
    return slope


@composition
def masked_softmax(x: Any, mask: Any = None, axis: int = -1) -> Any:
    """`softmax` over the elements where the boolean `mask` is True; the others get weight zero.

    A row with nothing to choose from gets zeros, and passes no gradient on.
    """
    return softmax(x if mask is None else np.where(mask, x, -np.inf), axis)


@kernel(
    masked_softmax,
    lambda x, mask=None, axis=-1: (
        in_rows(x, axis) and (mask is None or broadcasts(np.shape(mask), x.shape))
    ),
    lambda g, y, x, mask=None, axis=-1: softmax_slope(g, y, mask),
    None,
)
def _(x, mask=None, axis=-1):
    return weights_in_place(x.copy(), mask)


@composition
def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithm of `softmax(x, axis)`, right where the softmax itself would round to zero.

    A row of which every element is minus infinity stays so, and its gradients are finite.
    """
    x = x - row_maximum(x, axis)
    total = np.sum(np.exp(x), axis=axis, keepdims=True)
    return x - np.log(total + np.equal(total, 0))


@derivatives(
    lambda g, y, x, axis=-1, keepdims=False: spread(g, x.shape, axis, keepdims) * softmax(x, axis)
)
def logsumexp(x: Any, axis: Any = -1, keepdims: bool = False) -> Any:
    """log sum exp(x) along `axis`, an integer, a tuple or None for all; it never overflows.

    Where every element is minus infinity the result is, and passes no gradient on.
    """
    top = row_maximum(x, axis)
    total = np.sum(np.exp(x - top), axis=axis, keepdims=True)
    empty = np.equal(total, 0)
    y = np.where(empty, -np.inf, np.log(total + empty) + top)
    return y if keepdims else np.squeeze(y, axis)


def row_maximum(x: Any, axis: Any) -> Any:
    """The greatest element of each row, as a constant; 0 where that is infinite, or there is none."""
    array = x.data if isinstance(x, Tensor) else as_array(x)
    if array.size == 0:
        return np.sum(array, axis=axis, keepdims=True)
    top = np.max(array, axis=axis, keepdims=True)
    return np.where(np.isfinite(top), top, 0)


@composition
def masked_fill(x: Any, mask: Any, value: float) -> Any:
    """`x` with `value` where the boolean `mask`, which broadcasts to its shape, is True."""
    return np.where(mask, value, x)
