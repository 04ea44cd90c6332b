"""The softmax of rows, with a mask or without."""

from __future__ import annotations

import numpy as np

from .. import functional as F
from ..engine.table import AnyArray
from ..functional.softmaxes import is_mask
from .common import (
    in_rows,
    kernel,
    operation,
    reusing,
    row_products,
    row_starts,
    row_sums,
    rows,
)

MILD = 30  # exp of numbers up to it, and of minus these, is neither infinite nor 0
TINY = 1e-30  # below any sum of exponentials that is not 0


@kernel(F.softmax)
def softmax(x: AnyArray, axis: int = -1) -> AnyArray:
    """`functional.softmax`, along the last axis."""
    return softmax_of_rows(x) if in_rows(x, axis) else NotImplemented


@kernel(F.masked_softmax)
def masked_softmax(x: AnyArray, mask: AnyArray = None, axis: int = -1) -> AnyArray:
    """`functional.masked_softmax`, along the last axis, of as many scores as there are."""
    if not in_rows(x, axis):
        return NotImplemented
    if mask is None:
        return softmax_of_rows(x)
    return masked_softmax_of_rows(x, mask) if is_mask(mask, x.shape) else NotImplemented


def softmax_of_rows(x: AnyArray) -> AnyArray:
    """The softmax of each row."""
    return weights_in_place(x.copy())


def masked_softmax_of_rows(x: AnyArray, mask: AnyArray) -> AnyArray:
    """The softmax of each row, with zeros where the boolean `mask` is False."""
    return weights_in_place(x.copy(), mask)


def softmax_slope(g: AnyArray, y: AnyArray, mask: AnyArray = None) -> AnyArray:
    """The gradient of the softmax: what is left of `g` without its mean weighted by y, times y."""
    each_g, each_y = rows(g), rows(y)
    mean = row_products(each_g, each_y)  # (n, 1)
    slope = reusing(np.multiply, each_g - mean, each_y).reshape(y.shape)
    if mask is not None and np.any(np.isnan(mean)):  # a hidden element gets 0 beside NaN, too
        return np.where(mask, slope, 0)
    return slope


softmax_of_rows = operation(softmax_of_rows, lambda g, y, _x: softmax_slope(g, y))
masked_softmax_of_rows = operation(
    masked_softmax_of_rows, lambda g, y, _x, mask: softmax_slope(g, y, mask), None
)


def weights_in_place(x: np.ndarray, mask: AnyArray = None) -> np.ndarray:
    """The softmax of each row of a new array, which is overwritten, with zeros where the boolean `mask`
    is False."""
    if mask is not None:
        mask = np.asarray(mask, bool)
        if mask.all():  # it hides nothing
            mask = None
    x, each = with_rows(x)
    if needs_no_shift(x):
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


def with_rows(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `x` (..., m) and its rows (n, m) as two views of one memory: writing in one changes both.

    `rows` copies an array whose rows do not lie one after the other. So the rows come first, and `x` is
    a reshape of them, which copies nothing.
    """
    each = rows(x)
    return each.reshape(x.shape), each


def needs_no_shift(x: np.ndarray) -> bool:
    """Tell whether no row needs a shift, as in most models: finding the maxima takes half the time."""
    return bool(x.min() >= -MILD and x.max() <= MILD)


def shifts(x: np.ndarray) -> np.ndarray:
    """Return what to subtract before exp from each row of x (n, m): its maximum, or 0 if mild; (n, 1).

    It depends on that row alone: what is hidden changes no weight, not even in its last bit.
    """
    starts = row_starts(*x.shape)  # reduceat is twice as fast as max on short rows
    top = np.maximum.reduceat(x.reshape(-1), starts)
    top[~(np.isfinite(top) & (np.abs(top) > MILD))] = 0
    return top[:, None]
