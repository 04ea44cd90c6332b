"""Scores made into weights: the softmax, with a mask or without, and its logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.rules import with_reduced_axes
from ..engine.table import definition, rule
from ..engine.tensor import Array


@definition
def softmax(x: Array, axis: int = -1) -> Array:
    """Turn scores into weights along `axis` that are positive and sum to one.

    exp(x) / sum exp(x) (lesson 08).

    Each row has its own maximum taken off first, which changes no weight and keeps exp finite. A row
    of which every element is minus infinity gets zeros: it has nothing to choose from.
    """
    e = np.exp(x - row_maximum(x, axis))
    return e / not_zero(np.sum(e, axis=axis, keepdims=True))


@definition
def masked_softmax(x: Array, mask: Array | None = None, axis: int = -1) -> Array:
    """`softmax` over the elements where the boolean `mask` is True; the others get weight zero.

    A row with nothing to choose from gets zeros, and passes no gradient on.
    """
    return softmax(x if mask is None else np.where(mask, x, -np.inf), axis)


@definition
def log_softmax(x: Array, axis: int = -1) -> Array:
    """The logarithm of `softmax(x, axis)`, right where the softmax itself would round to zero.

    A row of which every element is minus infinity stays so, and its gradients are finite.
    """
    x = x - row_maximum(x, axis)
    return x - np.log(not_zero(np.sum(np.exp(x), axis=axis, keepdims=True)))


def logsumexp(x: Array, axis: Any = -1, keepdims: bool = False) -> Array:
    """log sum exp(x) along `axis`, an integer, a tuple or None for all; it never overflows.

    Where every element is minus infinity the result is, and passes no gradient on.
    """
    top = row_maximum(x, axis)
    total = np.sum(np.exp(x - top), axis=axis, keepdims=True)
    empty = np.equal(total, 0)
    y = np.where(empty, -np.inf, np.log(total + empty) + top)
    return y if keepdims else np.squeeze(y, axis)


logsumexp = rule(
    logsumexp,
    lambda g, _y, x, axis=-1, keepdims=False: (
        with_reduced_axes(g, x, axis, keepdims) * softmax(x, axis)
    ),
)


def row_maximum(x: Array, axis: Any) -> Array:
    """The row's maximum, taken off so that exp stays finite: it changes no weight.

    A constant; 0 where it is infinite, or there is none.
    """
    x = x if hasattr(x, "size") else np.asarray(x)
    if x.size == 0:
        return np.sum(x, axis=axis, keepdims=True)
    top = np.max(x, axis=axis, keepdims=True)
    return np.where(np.isfinite(top), top, 0)


row_maximum = rule(row_maximum)  # it has no derivative: taking it off changes no weight


def not_zero(total: Array) -> Array:
    """The sum of a row, with 1 in place of 0: a row with nothing to choose from is divided by 1."""
    return total + np.equal(total, 0)


not_zero = rule(not_zero, lambda g, _y, _total: g)


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Tell whether an array of `shape` fits beside one of the shape `to`, which stays as it is."""
    return len(shape) <= len(to) and all(m in (1, n) for m, n in zip(shape[::-1], to[::-1]))


@definition
def masked_fill(x: Array, mask: Array, value: float) -> Array:
    """`x` with `value` where the boolean `mask`, which broadcasts to its shape, is True."""
    return np.where(mask, value, x)
