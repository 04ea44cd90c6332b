"""Calls that only move elements, written on a tape: reshapes and the like, indices, arrays joined.

A move is not told apart by its function: the numbers of places are moved in place of the elements, and
if they lie with equal steps then, the move is a view.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.strides import address, contiguous
from ..engine.errors import Options
from .page_functions import Unwritten, name_in_page, not_in_page
from .symbols import Symbol, plain

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .tape import Tape


def write_move(
    tape: Tape, value: ArrayLike, function: Callable, args: tuple, kwargs: Options
) -> int:
    """Write a call that only moves elements: where to is seen when the numbers of places are moved."""
    read, name = tape.slot(args[0]), name_in_page(function)
    shape = tape.arrays[read].shape
    if name in ("copy", "positive", "astype"):
        return tape.write("same", value, [read])
    fill = 0
    if name == "pad":
        fill, kwargs = kwargs.get("constant_values", 0), {**kwargs, "constant_values": 0}
        if isinstance(fill, Symbol):
            raise Unwritten("the value of a border cannot change")
    places = np.arange(1, math.prod(shape) + 1).reshape(shape)
    return _write_view(tape, value, read, places, function(places, *args[1:], **kwargs), fill)


def _write_view(
    tape: Tape,
    value: ArrayLike,
    read: int,
    places: np.ndarray,
    moved: np.ndarray,
    fill: ArrayLike = 0,
) -> int:
    """Write the array that has the elements of slot `read` where `moved` has their `places`.

    These count from 1; 0 is a border, of the number `fill`.
    """
    if not moved.size:
        return tape.constant(np.asarray(value))
    where = _as_strides(places, moved)
    if where is None:
        border = tape.constant(np.asarray(fill, np.asarray(value).dtype))
        return tape.write("pick", value, [read, border], (moved.ravel() - 1).tolist())
    if where == (0, contiguous(moved.shape)) and moved.size == places.size:
        return tape.write("same", value, [read])
    return tape.write("view", value, [read], *where)


def _as_strides(places: np.ndarray, moved: np.ndarray) -> tuple[int, tuple[int, ...]] | None:
    """The place where a view of `places` begins, and its strides; None for what is no view."""
    if not np.may_share_memory(places, moved):
        return None
    begin = (address(moved) - address(places)) // places.itemsize
    return begin, tuple([step // places.itemsize for step in moved.strides])


def write_join(tape: Tape, value: ArrayLike, arrays: Any, axis: int | None = 0) -> int:
    """Write `np.concatenate(arrays, axis)`."""
    if isinstance(arrays, Symbol):
        arrays = [arrays[i] for i in range(arrays.shape[0])]
    reads = [tape.slot(a) for a in arrays]
    shape = np.shape(value)
    place = 0 if axis is None else axis % len(shape)
    shapes = [tape.arrays[s].shape for s in reads]
    blocks = [math.prod(s if axis is None else s[place:]) for s in shapes]
    return tape.write("join", value, reads, blocks)


# --- indices --------------------------------------------------------------------------------------


def write_index(tape: Tape, value: ArrayLike, x: Any, index: object) -> int:
    """Write `x[index]`."""
    if isinstance(plain(x), (tuple, list)):
        raise not_in_page(x.call.function)
    read, places = tape.slot(x), np.arange(1, x.size + 1).reshape(x.shape)
    basic, arrays, axes, at = _split_index(tape, index, x.ndim)
    moved = places[basic]
    if not arrays:
        return _write_view(tape, value, read, places, moved)
    read = _write_view(tape, plain(x)[basic], read, places, moved)
    return tape.write("take", value, [read, *arrays], axes, at)


def write_scatter(
    tape: Tape, value: np.ndarray, values: Any, index: object, shape: tuple[int, ...]
) -> int:
    """Write zeros of a shape to which `values` are added at an index: the gradient of `x[index]`."""
    places = np.arange(1, math.prod(shape) + 1).reshape(shape)
    basic, arrays, axes, at = _split_index(tape, index, len(shape))
    moved = places[basic]
    read = tape.slot(values)
    if arrays:
        read = tape.write("put", value[basic], [read, *arrays], axes, at)
    where = _as_strides(places, moved)
    if not moved.size:
        return tape.constant(np.asarray(value))
    assert where is not None
    if where == (0, contiguous(moved.shape)) and moved.size == places.size:
        return tape.write("same", value, [read])
    return tape.write("unview", value, [read], *where)


def _split_index(tape: Tape, index: object, ndim: int) -> tuple[tuple, list[int], list[int], int]:
    """Split an index in two: slices and single numbers, and then arrays of integers.

    `x[1:, i, :, j]` is `x[1:, :, :, :]`, and of that `i` along axis 1 and `j` along axis 3.

    Returns:
        the first index; the slots of the arrays, the axes that they index, and where the axes that they
        make stand in the result.
    """
    items = _one_each(_without_masks(tape, index), ndim)
    by_array = [hasattr(i, "dtype") for i in items]
    if not any(by_array):
        return (*items, ...), [], [], 0  # a view, of one element too
    by_array = [is_array or isinstance(i, int) for is_array, i in zip(by_array, items)]
    basic = (*(slice(None) if is_array else i for is_array, i in zip(by_array, items)), ...)
    arrays = [tape.slot(i) for is_array, i in zip(by_array, items) if is_array]
    axes = [axis for axis, is_array in enumerate(by_array) if is_array]
    apart = axes != list(range(axes[0], axes[-1] + 1))
    return basic, arrays, axes, 0 if apart else axes[0]


def _without_masks(tape: Tape, index: object) -> list[Any]:
    """The items of an index, with arrays of integers in place of lists and masks."""
    items: list[Any] = []
    for item in index if isinstance(index, tuple) else (index,):
        item = np.asarray(item) if isinstance(item, (list, bool, np.bool_)) else item
        if getattr(item, "dtype", None) != np.dtype(bool):
            items.append(item)
            continue
        if not item.ndim or (isinstance(item, Symbol) and tape.slot(item) not in tape.held):
            raise Unwritten("a mask picks as many elements as it has True, and may have more")
        if isinstance(item, Symbol):
            tape.pinned[tape.slot(item)] = "it picks elements, and a page cannot change shapes"
        items += np.nonzero(plain(item))
    return items


def _one_each(items: list[Any], ndim: int) -> list[Any]:
    """The items of an index with a `:` for each axis that it leaves out, or that `...` stands for."""
    axes = sum(item is not None and item is not Ellipsis for item in items)
    left_out = [slice(None)] * (ndim - axes)
    for k, item in enumerate(items):
        if item is Ellipsis:
            return [*items[:k], *left_out, *items[k + 1 :]]
    return items + left_out
