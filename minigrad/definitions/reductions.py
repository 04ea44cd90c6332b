"""Functions that make fewer numbers of many, or sum and sort them along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..engine.rules import (
    group_size,
    unreduced,
)
from ..engine.table import definition, rule
from .axes import along, at, axes_of, axis_of, in_groups, product_of_others
from .elementwise import ratio_or_zero

# fmt: off
rule(np.cumsum, lambda g, _y, _a, axis=None, dtype=None, out=None:
                    np.reshape(np.flip(np.cumsum(np.flip(g, axis), axis), axis), _a.shape))
rule(np.prod,   lambda g, _y, a, axis=None, dtype=None, out=None, keepdims=False:
                    unreduced(g, a, axis, keepdims) * product_of_others(a, axis))
# fmt: on


def root(x: Any, degree: float = 2) -> Any:
    """The square root, or that of another degree; its slope at 0 is taken as 0: for std and norm."""
    return np.sqrt(x) if degree == 2 else x ** (1 / degree)


root = rule(root, lambda g, y, x, degree=2: g * ratio_or_zero(y, degree * x))


@definition(of=np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    deviation = a - np.mean(a, axis=axis, keepdims=True)
    total = np.sum(deviation * deviation, axis=axis, keepdims=keepdims)
    return total / max(group_size(a, total) - ddof, 0)


@definition(of=np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return root(np.var(a, axis=axis, ddof=ddof, keepdims=keepdims))


@definition(of=np.nansum)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    return np.sum(np.where(np.isnan(a), 0, a), axis=axis, keepdims=keepdims)


@definition(of=np.nanmean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    count = np.sum(~np.isnan(a), axis=axis, keepdims=keepdims)
    return np.nansum(a, axis=axis, keepdims=keepdims) / np.asarray(count, dtype=a.dtype)


@definition(of=np.cumprod)
def cumprod(a, axis=None, dtype=None, out=None):
    """Products over twice the distance at each step, so that zeros need no division."""
    a, axis = along(a, axis)
    x = a if a.ndim == 1 else np.moveaxis(a, axis, -1)
    reach = 1
    while reach < x.shape[-1]:
        x = np.concatenate([x[..., :reach], x[..., reach:] * x[..., :-reach]], axis=-1)
        reach *= 2
    return x if a.ndim == 1 else np.moveaxis(x, -1, axis)


@definition(of=np.ptp)
def ptp(a, axis=None, out=None, keepdims=False):
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


@definition(of=np.sort)
def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """The elements in the order that a stable sort puts them in, whatever `kind` is asked for."""
    np.sort(np.empty(0), kind=kind, order=order, stable=stable)  # NumPy refuses what it refuses
    a, axis = (np.ravel(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    return np.take_along_axis(a, np.argsort(a, axis=axis, kind="stable"), axis)


@definition(of=np.median)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle one of the sorted elements, or the mean of the middle two; NaN if one is NaN."""
    axes = axes_of(axis, a.ndim)
    rows, _ = in_groups(a, axes)
    rows = np.sort(rows)
    n = rows.shape[-1]
    if n == 0:
        return np.mean(a, axis=axes, keepdims=keepdims)  # NaN, and NumPy's own warning
    middle = (rows[..., (n - 1) // 2] + rows[..., n // 2]) / 2
    middle = np.where(np.isnan(rows[..., -1]), rows[..., -1], middle)
    return np.expand_dims(middle, axes) if keepdims else middle


@definition(of=np.average)
def average(a, axis=None, weights=None, *, keepdims=False):
    axes = None if axis is None else normalize_axis_tuple(axis, np.ndim(a))
    if weights is None:
        return np.mean(a, axis=axes, keepdims=keepdims)
    shape = np.shape(a)
    if np.shape(weights) != shape:
        if axes is None or np.shape(weights) != tuple(shape[i] for i in axes):
            raise ValueError(
                f"weights have the shape of the array, or that of the axes to average over, not "
                f"{np.shape(weights)} for axis {axis} of {shape}"
            )
        weights = np.transpose(weights, np.argsort(axes).tolist()) if len(axes) > 1 else weights
        weights = np.reshape(weights, [n if i in axes else 1 for i, n in enumerate(shape)])
        weights = np.broadcast_to(weights, shape)
    total = np.sum(weights, axis=axes, keepdims=keepdims)
    if np.any(np.equal(total, 0)):
        raise ValueError("the weights sum to 0, and an average divides by their sum")
    return np.sum(a * weights, axis=axes, keepdims=keepdims) / total


@definition(of=np.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The area under `y`: the sum of the trapezoids between neighbours, `dx` or diff(x) wide."""
    place = axis_of(axis, y.ndim)
    if x is not None and np.ndim(x) == 1:
        dx = np.reshape(np.diff(x), [-1 if i == place else 1 for i in range(y.ndim)])
    elif x is not None:
        dx = np.diff(x, axis=axis)
    after, before = y[at(place, slice(1, None))], y[at(place, slice(None, -1))]
    return np.sum(dx * (after + before) / 2, axis=axis)


@definition(of=np.diff)
def diff(a, n=1, axis=-1):
    if n < 0:
        raise ValueError(f"differences are taken 0 or more times, not {n}")
    if n == 0:
        return a
    subtract = np.not_equal if a.dtype == bool else np.subtract
    a = np.moveaxis(a, axis_of(axis, a.ndim), -1)
    for _ in range(n):
        a = subtract(a[..., 1:], a[..., :-1])
    return np.moveaxis(a, -1, axis)
