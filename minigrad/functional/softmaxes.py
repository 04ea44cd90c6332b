"""Scores made into weights: the softmax, with a mask or without, and its logarithm."""

from __future__ import annotations

import numpy as np

from ..definitions.axes import as_arrays
from ..definitions.half import in_single
from ..engine.rules import with_reduced_axes
from ..engine.table import definition, rule
from ..engine.tensor import A, Array
from ..settings import flag
from .masks import check_mask
from .weighting import gives_weights


@gives_weights
@definition(plain=True)
@in_single
def softmax(x: A, axis: int | None = -1) -> A:
    """Turn scores into weights that are positive and sum to one along an axis.

    y_i = exp(x_i) / sum over j of exp(x_j), of the shape of x (lesson 08); `axis` None: over all.

    Each row has its own maximum taken off first, which changes no weight and keeps exp finite. A
    row of which every element is minus infinity gets zeros: it has nothing to choose from.
    """
    e = np.exp(x - row_maximum(x, axis))
    return e / not_zero(np.sum(e, axis=axis, keepdims=True))


@gives_weights
@definition(plain=True)
def masked_softmax(x: A, mask: Array | None = None, axis: int | None = -1) -> A:
    """`softmax` over the elements where the boolean `mask` is True; the others get weight zero.

    y_i = exp(x_i) / sum over j of exp(x_j), where the mask shows i and j. It broadcasts with x. A
    row with nothing to choose from gets zeros, and passes no gradient on.

    Raises:
        DTypeError: if the mask is not an array of booleans.
    """
    if mask is not None:
        check_mask(mask)
    return softmax(x if mask is None else np.where(mask, x, -np.inf), axis)


@definition(plain=True)
@in_single
def log_softmax(x: A, axis: int | None = -1) -> A:
    """The logarithm of `softmax(x, axis)`, right where the softmax itself would round to zero.

    y_i = x_i - log(sum over j of exp(x_j)), of the shape of x. A row of which every element is
    minus infinity stays so, and its gradients are finite.
    """
    x = x - row_maximum(x, axis)
    return x - np.log(not_zero(np.sum(np.exp(x), axis=axis, keepdims=True)))


def logsumexp(x: A, axis: int | tuple[int, ...] | None = -1, keepdims: bool = False) -> A:
    """log(sum over i of exp(x_i)) along `axis`, an integer, a tuple or None for all; it never
    overflows.

    Where every element is minus infinity the result is, and passes no gradient on.

    Raises:
        ConfigError: if `keepdims` is not True or False.
    """
    keepdims = flag("keepdims", keepdims)
    top = row_maximum(x, axis)
    e = np.exp(x - top)
    total = np.sum(e, axis=axis, keepdims=True, dtype=np.result_type(e.dtype, np.float32))
    empty = np.equal(total, 0)
    y = np.where(empty, -np.inf, np.log(total + empty) + top).astype(e.dtype, copy=False)
    return y if keepdims else np.squeeze(y, axis)


logsumexp = rule(
    logsumexp,
    lambda g, _y, x, axis=-1, keepdims=False: (
        with_reduced_axes(g, x, axis, keepdims) * softmax(x, axis)
    ),
    makes_new=True,
)


def row_maximum(x: A, axis: int | tuple[int, ...] | None) -> A:
    """The row's maximum, taken off so that exp stays finite: it changes no weight.

    A constant; 0 where it is infinite, or there is none.
    """
    x = x if hasattr(x, "size") else np.asarray(x)
    if x.size == 0:
        return np.sum(x, axis=axis, keepdims=True)
    top = np.max(x, axis=axis, keepdims=True)
    return np.where(np.isfinite(top), top, 0)


row_maximum = rule(row_maximum)  # it has no derivative: taking it off changes no weight


def not_zero(total: A) -> A:
    """The sum of a row, with 1 in place of 0: a row with nothing to choose from is divided by 1."""
    return total + np.equal(total, 0)


not_zero = rule(not_zero, lambda g, _y, _total: g, makes_new=True)


@definition(plain=True)
def masked_fill(x: A, mask: Array, value: float) -> A:
    """`x` with `value` where the boolean `mask`, which broadcasts to its shape, is True.

    So True hides here, as in PyTorch, and shows in `masked_softmax`.

    Raises:
        DTypeError: if the mask is not an array of booleans.
    """
    check_mask(mask)
    (x,) = as_arrays(x)
    return np.where(mask, value, x)
