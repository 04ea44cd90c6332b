"""The same numbers in another shape or order: joined, cut, turned, copied, with a border."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np

from ..engine import errors
from ..engine.arguments import as_array, floats_beside
from ..engine.base import AnyArray
from ..engine.rules import reshaped
from ..engine.table import definition, rule
from .axes import along, as_arrays, at, axis_of, of_shape


def cut_apart(g: AnyArray, arrays: Any, axis: int | None) -> AnyArray:
    """`g` cut where `arrays` were joined; stacked again, if these were the rows of one array."""
    stacked = hasattr(arrays, "shape")
    shapes = [arrays.shape[1:]] * arrays.shape[0] if stacked else [a.shape for a in arrays]
    sizes = [math.prod(shape) if axis is None else shape[axis] for shape in shapes]
    place = 0 if axis is None else axis % g.ndim
    pieces = [
        np.reshape(g[at(place, slice(end - size, end))], shape)
        for shape, size, end in zip(shapes, sizes, itertools.accumulate(sizes))
    ]
    return np.stack(pieces) if stacked else pieces


# fmt: off
rule(np.concatenate,  lambda g, _y, _arrays, axis=0: cut_apart(g, _arrays, axis))
rule(np.squeeze,      lambda g, _y, _a, axis=None: np.reshape(g, _a.shape))
rule(np.moveaxis,     lambda g, _y, _a, source, destination: np.moveaxis(g, destination, source),
                      None, None)
rule(np.flip,         lambda g, _y, _m, axis=None: np.flip(g, axis))
rule(np.roll,         lambda g, _y, _a, shift, axis=None: np.roll(g, opposite(shift), axis), None)
rule(np.rot90,        lambda g, _y, _m, k=1, axes=(0, 1): np.rot90(g, -k, axes))
rule(np.tril,         lambda g, _y, _m, k=0: np.tril(g, k))
rule(np.triu,         lambda g, _y, _m, k=0: np.triu(g, k))
# fmt: on


def opposite(shift: Any) -> Any:
    """The shift that undoes `shift`."""
    return [-s for s in shift] if isinstance(shift, (tuple, list)) else -shift


@definition(of=np.ravel)
def ravel(a, order="C"):
    """The elements in a row: (n,)."""
    return reshaped(a, (-1,), order)


@definition(of=np.stack)
def stack(arrays, axis=0):
    """y[i] = arrays[i], for i on a new axis, `axis`: n arrays (A, B) to (n, A, B)."""
    return np.concatenate([np.expand_dims(a, axis) for a in arrays], axis=axis)


@definition(of=np.hstack)
def hstack(tup):
    """The arrays one after the other along axis 1, or 0 if they are vectors."""
    arrays = [np.atleast_1d(a) for a in tup]
    return np.concatenate(arrays, axis=0 if arrays[0].ndim == 1 else 1)


@definition(of=np.vstack)
def vstack(tup):
    """The arrays one below the other, along axis 0; a vector (n,) is a row (1, n)."""
    return np.concatenate([np.atleast_2d(a) for a in tup], axis=0)


@definition(of=np.dstack)
def dstack(tup):
    """The arrays one behind the other, along axis 2; a matrix (n, m) is (n, m, 1)."""
    return np.concatenate([np.atleast_3d(a) for a in tup], axis=2)


@definition(of=np.column_stack)
def column_stack(tup):
    """The arrays beside each other, along axis 1; a vector (n,) is a column (n, 1)."""
    return np.concatenate([np.reshape(a, (-1, 1)) if np.ndim(a) < 2 else a for a in tup], axis=1)


@definition(of=np.split)
def split(ary, indices_or_sections, axis=0):
    """Parts along `axis`: so many equal ones, or cut before each of the indices; a list.

    Raises:
        ShapeError: if the axis does not divide into so many.
    """
    sections = indices_or_sections
    n = ary.shape[axis_of(axis, ary.ndim)]
    if not np.iterable(sections) and sections > 0 and n % sections:
        raise ValueError(
            f"axis {axis} does not divide into {sections} equal parts; np.array_split allows others"
        )
    return np.array_split(ary, indices_or_sections, axis)


@definition(of=np.array_split)
def array_split(ary, indices_or_sections, axis=0):
    """Parts along `axis`: so many, the first of them one longer if need be, or cut before each of
    the indices.

    Raises:
        ShapeError: for fewer than one.
    """
    axis = axis_of(axis, ary.ndim)
    n = ary.shape[axis]
    if np.iterable(indices_or_sections):
        cuts = [operator.index(i) for i in indices_or_sections]
    else:
        sections = int(indices_or_sections)
        if sections < 1:
            raise ValueError(f"{sections} parts: there must be one at least")
        size, longer = divmod(n, sections)
        sizes = [size + 1] * longer + [size] * (sections - longer)
        cuts = list(itertools.accumulate(sizes))[:-1]
    return [ary[at(axis, slice(i, j))] for i, j in zip([0, *cuts], [*cuts, n])]


@definition(of=np.hsplit)
def hsplit(ary, indices_or_sections):
    """`np.split` along axis 1, or 0 of a vector.

    Raises:
        ShapeError: of a number.
    """
    if ary.ndim == 0:
        raise ValueError("it splits arrays of 1 dimension or more, and this is a number")
    return np.split(ary, indices_or_sections, axis=0 if ary.ndim == 1 else 1)


@definition(of=np.vsplit)
def vsplit(ary, indices_or_sections):
    """`np.split` along axis 0.

    Raises:
        ShapeError: for fewer than two axes.
    """
    if ary.ndim < 2:
        raise ValueError("it splits arrays of 2 dimensions or more; np.split takes all")
    return np.split(ary, indices_or_sections, axis=0)


@definition(of=np.dsplit)
def dsplit(ary, indices_or_sections):
    """`np.split` along axis 2.

    Raises:
        ShapeError: for fewer than three axes.
    """
    if ary.ndim < 3:
        raise ValueError("it splits arrays of 3 dimensions or more; np.split takes all")
    return np.split(ary, indices_or_sections, axis=2)


@definition(of=np.append)
def append(arr, values, axis=None):
    """`values` after those of `arr` along `axis`; without one, all elements in a row."""
    return np.concatenate([arr, values], axis=axis)


@definition(of=np.fliplr)
def fliplr(m):
    """y[i, j] = m[i, M - 1 - j]: the columns in reverse order, of M."""
    return np.flip(m, 1)


@definition(of=np.flipud)
def flipud(m):
    """y[i] = m[N - 1 - i]: the rows in reverse order, of N."""
    return np.flip(m, 0)


@definition(of=np.rollaxis)
def rollaxis(a, axis, start=0):
    """The axis `axis` moved before `start`; `np.moveaxis` says it more plainly."""
    axis = axis_of(axis, a.ndim)
    start = axis_of(start, a.ndim + 1) if start >= 0 else axis_of(start, a.ndim)
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


@definition(of=np.tile)
def tile(A, reps):
    """Copies beside each other, reps[i] along axis i, counted from the last: (n, m) to (r n, s m).

    Each axis gets a new one before it, of the copies, and is joined with it.
    """
    reps = tuple(reps) if np.iterable(reps) else (reps,)
    reps = tuple([1 if r == 1 else operator.index(r) for r in reps])  # True and 1.0 are 1
    ndim = max(A.ndim, len(reps))
    reps = (1,) * (ndim - len(reps)) + reps
    shape = (1,) * (ndim - A.ndim) + A.shape
    x = np.reshape(A, tuple(itertools.chain(*((1, n) for n in shape))))
    x = np.broadcast_to(x, tuple(itertools.chain(*zip(reps, shape))))
    return np.reshape(x, tuple(map(operator.mul, reps, shape)))


@definition(of=np.repeat)
def repeat(a, repeats, axis=None):
    """Each element `repeats` times in a row, or as often as that says for it, along `axis` (None:
    of all elements in a row)."""
    a, axis = along(a, axis)
    if np.ndim(repeats) == 0:  # copies along a separate axis
        shape = (*a.shape[: axis + 1], int(repeats), *a.shape[axis + 1 :])
        copies = np.broadcast_to(np.expand_dims(a, axis + 1), shape)
        return np.reshape(copies, (*shape[:axis], shape[axis] * int(repeats), *shape[axis + 2 :]))
    return np.take(a, np.repeat(np.arange(a.shape[axis]), repeats), axis)


@definition(of=np.pad)
def pad(array, pad_width, mode="constant", *, constant_values=()):
    """`array` with a border: of a constant, or in the other modes of the elements that a padded
    index names.

    Args:
        pad_width: one number, one pair, or a pair for each axis: how wide before and after.
        constant_values: 0 by default; () stands for that, as None would be NaN.

    Raises:
        UnsupportedError: for another mode.
        DTypeError, ShapeError: if the widths are no integers from 0.
    """
    widths = _pad_widths(pad_width, array.ndim)
    has_constants = np.asarray(constant_values).size  # a tensor that requires a gradient is refused
    if mode == "constant" and not widths:  # a number has no sides
        return np.copy(array)
    if mode == "constant":
        return bordered(array, widths, constant_values if has_constants else 0)
    if has_constants:
        raise ValueError(f"constant_values= is for mode='constant', not for {mode!r}")
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise errors.UnsupportedError(
            f"np.pad of a Tensor knows constant, edge, reflect, symmetric and wrap, not {mode!r}; "
            f"join another border with np.concatenate"
        )
    for axis, width in enumerate(widths):
        array = np.take(array, np.pad(np.arange(array.shape[axis]), width, mode=mode), axis)
    return array


def bordered(x, widths, value):
    """`x` with a border of one value, as wide before and after it on each axis as `widths` says."""
    return np.pad(x, widths, constant_values=value)


bordered = rule(
    bordered,
    lambda g, _y, _x, widths, value: g[
        tuple(slice(before, before + n) for n, (before, _) in zip(_x.shape, widths))
    ],
    None,
    None,
)


def _pad_widths(pad_width: object, ndim: int) -> list[tuple[int, int]]:
    """Return the width of a border before and after, for each axis."""
    if isinstance(pad_width, dict):
        pairs = [[0, 0] for _ in range(ndim)]
        for axis, width in pad_width.items():
            pairs[axis_of(axis, ndim)] = np.broadcast_to(width, 2).tolist()
        pad_width = pairs
    widths = np.asarray(pad_width)
    if widths.dtype.kind not in "iu":
        raise TypeError(f"widths are integers, not {pad_width!r}")
    if np.any(widths < 0):
        raise ValueError(f"no width is negative, as in {pad_width!r}; a slice takes elements away")
    return [tuple(pair) for pair in np.broadcast_to(widths, (ndim, 2)).tolist()]


@definition(of=np.atleast_1d)
def atleast_1d(*arys):
    """Arrays with one axis at least: a number is (1,). Several give a tuple."""
    arrays = [np.reshape(a, (1,)) if a.ndim == 0 else a for a in as_arrays(*arys)]
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


@definition(of=np.atleast_2d)
def atleast_2d(*arys):
    """Arrays with two axes at least: a vector (n,) is a row (1, n). Several give a tuple."""
    arrays = [np.reshape(a, (1, -1)) if a.ndim < 2 else a for a in as_arrays(*arys)]
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


@definition(of=np.atleast_3d)
def atleast_3d(*arys):
    """Arrays with three axes at least: a vector (n,) is (1, n, 1), a matrix (n, m) is (n, m, 1).
    Several give a tuple."""
    arrays = [
        a if a.ndim > 2
        else np.expand_dims(a, -1) if a.ndim == 2
        else np.reshape(a, (1, -1, 1))
        for a in as_arrays(*arys)
    ]  # fmt: skip
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


@definition(of=np.broadcast_arrays)
def broadcast_arrays(*args, subok=False):
    """The arrays, each copied to the one shape that all broadcast to: a tuple."""
    shape = np.broadcast_shapes(*(np.shape(a) for a in args))
    return tuple(np.broadcast_to(a, shape) for a in args)


@definition(of=np.meshgrid)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """y_k[i_1, i_2 ...] = x_k[i_k], for the k-th of several vectors (n_1,), (n_2,) ...: a tuple of
    arrays (n_1, n_2, ...). The indexing "xy" exchanges their first two axes. If `sparse`, the axes
    that are not k have the size 1.

    Raises:
        ShapeError: for another indexing.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    n = len(xi)
    grids = [np.reshape(x, [-1 if i == j else 1 for j in range(n)]) for i, x in enumerate(xi)]
    if indexing == "xy" and n > 1:
        grids = [np.swapaxes(x, 0, 1) for x in grids]
    return tuple(grids) if sparse else np.broadcast_arrays(*grids)


@definition(of=np.full_like)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """y = fill_value everywhere, a number or a Tensor, in the dtype of `a`, and in its shape if
    none is given.

    Raises:
        ShapeError: if the value does not broadcast to that shape.
    """
    zeros = np.zeros_like(a, order=order, subok=subok, shape=shape)
    return of_shape(zeros + fill_value, zeros.shape).astype(zeros.dtype)


@definition(of=np.block)
def block(arrays):
    """The arrays in nested lists: the innermost are joined along the last axis, the next along
    that before it.

    Raises:
        ShapeError: if some stand in more lists than others, or a list is empty.
    """
    depth, ndim = _depth(arrays), max(map(np.ndim, _leaves(arrays)))
    floats = floats_beside(_leaves(arrays))

    def joined(part, axis):
        if axis:
            return np.concatenate([joined(p, axis + 1) for p in part], axis)
        part = as_array(part, floats) if isinstance(part, float) else part
        return np.reshape(part, (1,) * (max(depth, ndim) - np.ndim(part)) + np.shape(part))

    return joined(arrays, -depth)


def _depth(arrays: object) -> int:
    """Count the lists that stand around each array."""
    if not isinstance(arrays, list):
        if isinstance(arrays, tuple):
            raise TypeError("blocks are arranged in lists, not in tuples")
        return 0
    depths = {*map(_depth, arrays)}
    if len(depths) != 1:
        raise ValueError("a list is empty, or some arrays stand in more lists than others")
    return 1 + depths.pop()


def _leaves(arrays: object) -> list:
    return list(itertools.chain(*map(_leaves, arrays))) if isinstance(arrays, list) else [arrays]
