"""Axes as NumPy names them, for the functions of this folder."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..engine.arguments import as_array, floats_beside
from ..engine.base import AnyArray, BaseTensor
from ..engine.followed import Followed


def as_arrays(*values: object) -> list[AnyArray]:
    """The values as arrays: Python floats, and lists of them, get the dtype of `floats_beside`.

    Raises:
        DTypeError: for what a Tensor cannot hold, such as an array with hidden elements.
    """
    floats = floats_beside(values)
    is_array = lambda a: isinstance(a, (BaseTensor, Followed)) or type(a) is np.ndarray
    return [a if is_array(a) else as_array(a, floats=floats) for a in values]


def axes_of(axis: object, ndim: int) -> tuple[int, ...]:
    """The axes meant by `axis`, none of them negative."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    for a in axes:
        if not -ndim <= a < ndim:
            raise np.exceptions.AxisError(a, ndim)
    return tuple([operator.index(a) % ndim for a in axes])


def axis_of(axis: Any, ndim: int) -> int:
    """The one axis meant by `axis`, not negative."""
    try:
        return normalize_axis_index(axis, ndim)
    except TypeError:
        raise TypeError(f"axis is one integer here, not {axis!r}") from None


def along(a: AnyArray, axis: object) -> tuple[AnyArray, int]:
    """An array and one of its axes; if `axis` is None, or `a` a number: all elements in a row, and 0."""
    if axis is None:
        return np.ravel(a), 0
    a = a if a.ndim else np.ravel(a)
    return a, axis_of(axis, a.ndim)


def of_shape(a: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    """Return `a`, which a value was filled into, once its shape is checked.

    Raises:
        ValueError: if broadcasting that value has changed the shape.
    """
    if a.shape != shape:
        raise ValueError(f"what is filled in does not fit the shape {shape}")
    return a


def on_diagonal(rows: int, columns: int, offset: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows and the columns (n,) of the elements on a diagonal, `offset` above the main one."""
    n = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    along = np.arange(n)
    return (along, along + offset) if offset >= 0 else (along - offset, along)


def in_groups(a: AnyArray, axis: object) -> tuple[AnyArray, Callable]:
    """The axes of a reduction moved last and made one, and the function that undoes this."""
    if not a.ndim:
        return np.reshape(a, (1,)), lambda b: np.reshape(b, ())
    axes = axes_of(axis, a.ndim)
    last = tuple(range(a.ndim - len(axes), a.ndim))
    moved = np.moveaxis(a, axes, last)
    others = a.ndim - len(axes)
    rows = np.reshape(moved, (*moved.shape[:others], math.prod(moved.shape[others:])))
    return rows, lambda b: np.moveaxis(np.reshape(b, moved.shape), last, axes)


def largest(a: AnyArray, axis: Any, keepdims: bool = False) -> AnyArray:
    """The largest element over some axes; 0 where there is none."""
    return (np.max if a.size else np.sum)(a, axis=axis, keepdims=keepdims)


def product_of_others(a: AnyArray, axis: object) -> AnyArray:
    """For each element, the product of all other elements of its group: right also where some are 0."""
    rows, back = in_groups(a, axis)
    one = np.ones_like(rows[..., :1])
    before = np.concatenate([one, np.cumprod(rows[..., :-1], axis=-1)], axis=-1)
    after = np.concatenate([one, np.cumprod(np.flip(rows, -1)[..., :-1], axis=-1)], axis=-1)
    return back(before * np.flip(after, -1))


def at(axis: int, item: object) -> tuple:
    """The index that picks `item` on `axis` and everything on the axes before it."""
    return (slice(None),) * axis + (item,)
