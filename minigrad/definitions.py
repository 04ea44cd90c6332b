"""NumPy functions written in other functions of the table.

They need no derivative of their own, and a drawing can open each of them to show what it is made of.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from .engine import errors
from .engine.rules import (
    at,
    axes_of,
    clamp,
    group_size,
    in_groups,
    logabsdet,
    reshaped,
    root,
    scatter_add,
    transposed,
)
from .engine.table import INSTEAD, definition, derivatives, name_of

# --- reductions -----------------------------------------------------------------------------------


@definition(np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    deviation = a - np.mean(a, axis=axis, keepdims=True)
    total = np.sum(deviation * deviation, axis=axis, keepdims=keepdims)
    return total / max(group_size(a, total) - ddof, 0)


@definition(np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return root(np.var(a, axis=axis, ddof=ddof, keepdims=keepdims))


@definition(np.nansum)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    return np.sum(np.where(np.isnan(a), 0, a), axis=axis, keepdims=keepdims)


@definition(np.nanmean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    count = np.sum(~np.isnan(a), axis=axis, keepdims=keepdims)
    return np.nansum(a, axis=axis, keepdims=keepdims) / np.asarray(count, dtype=a.dtype)


@definition(np.cumprod)
def cumprod(a, axis=None, dtype=None, out=None):
    """Products over twice the distance at each step, so that zeros need no division."""
    a, axis = _along(a, axis)
    x = a if a.ndim == 1 else np.moveaxis(a, axis, -1)
    reach = 1
    while reach < x.shape[-1]:
        x = np.concatenate([x[..., :reach], x[..., reach:] * x[..., :-reach]], axis=-1)
        reach *= 2
    return x if a.ndim == 1 else np.moveaxis(x, -1, axis)


@definition(np.linalg.norm)
def norm(x, ord=None, axis=None, keepdims=False):  # noqa: A002
    """The norms of vectors for every order that is one, and those of matrices but the spectral ones."""
    axis = axis if axis is None or isinstance(axis, tuple) else int(axis)
    axes = axes_of(axis, x.ndim)
    if len(axes) not in (1, 2) and not (axis is None and ord is None):
        raise ValueError(
            f"a norm is taken over one axis or two, not {len(axes)}; "
            f"without ord= and axis=, it is that of all elements"
        )
    if ord is None or (ord in ("fro", "f") and len(axes) == 2) or (ord == 2 and len(axes) == 1):
        return root(np.sum(x * x, axis=axes, keepdims=keepdims))
    size = np.absolute(x)
    extreme: Any = {math.inf: np.max, -math.inf: np.min, 1: np.max, -1: np.min}.get(ord)
    if len(axes) == 2 and extreme:  # of the sums over rows, or over columns
        summed = axes[0] if ord in (1, -1) else axes[1]
        sums = np.sum(size, axis=summed, keepdims=True)
        longest = extreme(sums, axis=axes, keepdims=True)
        return longest if keepdims else np.squeeze(longest, axes)
    if len(axes) != 1 or isinstance(ord, str) or (ord < 1 and ord not in (0, -math.inf)):
        raise errors.UnsupportedError(
            f"np.linalg.norm with ord={ord!r} over {len(axes)} axes has no derivative here; "
            f"write it with np.absolute, np.sum and powers"
        )
    if math.isinf(ord):
        return extreme(size, axis=axes, keepdims=keepdims)
    if ord == 0:
        return np.sum(np.sign(np.where(np.isnan(size), 1, size)), axis=axes, keepdims=keepdims)
    if ord == 1:
        return np.sum(size, axis=axes, keepdims=keepdims)
    return root(np.sum(size**ord, axis=axes, keepdims=keepdims), ord)


@definition(np.ptp)
def ptp(a, axis=None, out=None, keepdims=False):
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


@definition(np.clip)
def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):  # noqa: A002
    if (a_min is not None and min is not None) or (a_max is not None and max is not None):
        raise ValueError("min= is another name of a_min, and max= of a_max: give each bound once")
    return clamp(a, min if a_min is None else a_min, max if a_max is None else a_max)


@definition(np.sort)
def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """The elements in the order that a stable sort puts them in, whatever `kind` is asked for."""
    np.sort(np.empty(0), kind=kind, order=order, stable=stable)  # NumPy refuses what it refuses
    a, axis = (np.ravel(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    return np.take_along_axis(a, np.argsort(a, axis=axis, kind="stable"), axis)


@definition(np.median)
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


@definition(np.average)
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


@definition(np.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The area under `y`: the sum of the trapezoids between neighbours, `dx` or diff(x) wide."""
    place = axis_of(axis, y.ndim)
    if x is not None and np.ndim(x) == 1:
        dx = np.reshape(np.diff(x), [-1 if i == place else 1 for i in range(y.ndim)])
    elif x is not None:
        dx = np.diff(x, axis=axis)
    after, before = y[at(place, slice(1, None))], y[at(place, slice(None, -1))]
    return np.sum(dx * (after + before) / 2, axis=axis)


@definition(np.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if x.dtype.kind != "f":
        return np.copy(x)
    largest = float(np.finfo(x.dtype).max)
    y = np.where(np.isnan(x), nan, x)
    y = np.where(np.isposinf(y), largest if posinf is None else posinf, y)
    y = np.where(np.isneginf(y), -largest if neginf is None else neginf, y)
    return _filled(y, x.shape)


@definition(np.diff)
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


# --- linear algebra -------------------------------------------------------------------------------


@definition(np.dot)
def dot(a, b, out=None):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    if np.ndim(b) <= 2:
        return np.matmul(a, b)
    return np.tensordot(a, b, axes=((-1,), (-2,)))


@definition(np.inner)
def inner(a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    return np.tensordot(a, b, axes=((-1,), (-1,)))


@definition(np.outer)
def outer(a, b, out=None):
    return np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))


@definition(np.vdot)
def vdot(a, b):
    return np.matmul(np.reshape(a, (-1,)), np.reshape(b, (-1,)))


@definition(np.tensordot)
def tensordot(a, b, axes=2):
    """Both arguments as matrices, whose product is summed over the axes named."""
    if np.iterable(axes):
        axes_a, axes_b = axes
    else:
        axes_a, axes_b = range(np.ndim(a) - axes, np.ndim(a)), range(axes)
    summed_a = normalize_axis_tuple(axes_a, np.ndim(a))
    summed_b = normalize_axis_tuple(axes_b, np.ndim(b))
    kept_a = [i for i in range(np.ndim(a)) if i not in summed_a]
    kept_b = [i for i in range(np.ndim(b)) if i not in summed_b]
    rows, columns = [np.shape(a)[i] for i in kept_a], [np.shape(b)[i] for i in kept_b]
    summed = [np.shape(a)[i] for i in summed_a]
    if summed != [np.shape(b)[i] for i in summed_b]:
        raise ValueError(f"the axes {summed_a} and {summed_b} to sum over differ in size")
    n = math.prod(summed)
    left = np.reshape(np.transpose(a, (*kept_a, *summed_a)), (math.prod(rows), n))
    right = np.reshape(np.transpose(b, (*summed_b, *kept_b)), (n, math.prod(columns)))
    return np.reshape(np.matmul(left, right), (*rows, *columns))


@definition(np.einsum)
def einsum(*operands, out=None, optimize=False):
    if not isinstance(operands[0], str):
        raise errors.UnsupportedError(
            "np.einsum of Tensors takes its subscripts as a string, such as 'ij,jk->ik'"
        )
    subscripts, *tensors = operands
    return contract(tensors, _explicit(subscripts, [np.ndim(t) for t in tensors]))


@derivatives(
    lambda g, y, operands, subscripts: [
        contract_to(g, operands, subscripts, i) for i in range(len(operands))
    ],
    None,
)
def contract(operands, subscripts):
    """`np.einsum` with all subscripts written out: no ellipsis, and the result's after `->`."""
    return np.einsum(subscripts, *operands, optimize=len(operands) > 1)


def contract_to(g, operands, subscripts, i):
    """The gradient of a contraction by operand `i`: the same contraction, with `g` in its place.

    Along a letter that nothing else has, the operand was summed alone, and the gradient is copied.
    Along one in which its size is 1, it may have been copied, and the gradient is summed. A letter
    that it has twice named a diagonal: the gradient lies on that diagonal.
    """
    inputs, result = subscripts.split("->")
    terms = inputs.split(",")
    term, others = terms[i], terms[:i] + terms[i + 1 :]
    shape = operands[i].shape
    size = dict(zip(term, shape))
    known = set(result).union(*others)
    found = "".join(c for c in size if c in known and size[c] != 1)
    rest = [o for j, o in enumerate(operands) if j != i]
    gradient = contract([g, *rest], f"{','.join([result, *others])}->{found}")
    gradient = np.expand_dims(gradient, tuple(k for k, c in enumerate(size) if c not in found))
    gradient = np.broadcast_to(gradient, tuple(size.values()))
    if len(size) == len(term):
        return gradient
    grid = dict(zip(size, np.ix_(*map(np.arange, size.values()))))
    return scatter_add(gradient, tuple(grid[c] for c in term), shape)


@definition(np.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1)


@definition(np.diagonal)
def diagonal(a, offset=0, axis1=0, axis2=1):
    a = np.moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = _on_diagonal(a.shape[-2], a.shape[-1], operator.index(offset))
    return a[..., rows, columns]


@definition(np.diag)
def diag(v, k=0):
    if v.ndim == 2:
        return np.diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("a diagonal has one dimension, a matrix two")
    return np.diagflat(v, k)


@definition(np.diagflat)
def diagflat(v, k=0):
    n = v.size + abs(k)
    return scatter_add(np.ravel(v), _on_diagonal(n, n, k), (n, n))


@definition(np.kron)
def kron(a, b):
    ndim = max(np.ndim(a), np.ndim(b))
    shape_a = (1,) * (ndim - np.ndim(a)) + np.shape(a)
    shape_b = (1,) * (ndim - np.ndim(b)) + np.shape(b)
    a = np.reshape(a, tuple(itertools.chain(*((n, 1) for n in shape_a))))
    b = np.reshape(b, tuple(itertools.chain(*((1, n) for n in shape_b))))
    return np.reshape(a * b, tuple(map(operator.mul, shape_a, shape_b)))


@definition(np.linalg.slogdet)
def slogdet(a):
    """The sign as a plain array, and the logarithm as a Tensor."""
    return np.linalg.slogdet(a.data)._replace(logabsdet=logabsdet(a))


@definition(np.linalg.matrix_power)
def matrix_power(a, n):
    n = operator.index(n)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("a power is one of square matrices: the last two sizes must be equal")
    if n < 0:
        a, n = np.linalg.inv(a), -n
    if n == 0:  # the same for every `a`, infinities included
        return np.where(False, a, np.eye(a.shape[-1], dtype=a.dtype))
    if n == 1:
        return a
    half = np.linalg.matrix_power(a, n // 2)
    return half @ half @ a if n % 2 else half @ half


@definition(np.linalg.multi_dot)
def multi_dot(arrays):
    if len(arrays) < 2:
        raise ValueError("a product has two arrays at least")
    if len(arrays) == 2:
        return np.dot(*arrays)
    ndims = [np.ndim(a) for a in arrays]
    if set(ndims[1:-1]) != {2} or not {ndims[0], ndims[-1]} <= {1, 2}:
        raise ValueError("more than two arrays are matrices, but the first and last may be vectors")
    return functools.reduce(np.matmul, arrays)


@definition(np.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        axisa = axisb = axisc = axis
    a = np.moveaxis(a, axis_of(axisa, np.ndim(a)), -1)
    b = np.moveaxis(b, axis_of(axisb, np.ndim(b)), -1)
    if np.shape(a)[-1] != 3 or np.shape(b)[-1] != 3:
        raise ValueError("vectors have three elements here; one in the plane has 0 for the third")
    (a1, a2, a3), (b1, b2, b3) = ([t[..., i] for i in range(3)] for t in (a, b))
    return np.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], axis=axisc)


# --- shapes ---------------------------------------------------------------------------------------


@definition(np.ravel)
def ravel(a, order="C"):
    return reshaped(a, (-1,), order)


@definition(np.stack)
def stack(arrays, axis=0):
    return np.concatenate([np.expand_dims(a, axis) for a in arrays], axis=axis)


@definition(np.hstack)
def hstack(tup):
    arrays = [np.atleast_1d(a) for a in tup]
    return np.concatenate(arrays, axis=0 if arrays[0].ndim == 1 else 1)


@definition(np.vstack)
def vstack(tup):
    return np.concatenate([np.atleast_2d(a) for a in tup], axis=0)


@definition(np.dstack)
def dstack(tup):
    return np.concatenate([np.atleast_3d(a) for a in tup], axis=2)


@definition(np.column_stack)
def column_stack(tup):
    return np.concatenate([np.reshape(a, (-1, 1)) if np.ndim(a) < 2 else a for a in tup], axis=1)


@definition(np.split)
def split(ary, indices_or_sections, axis=0):
    sections = indices_or_sections
    n = ary.shape[axis_of(axis, ary.ndim)]
    if not np.iterable(sections) and sections > 0 and n % sections:
        raise ValueError(
            f"axis {axis} does not divide into {sections} equal parts; np.array_split allows others"
        )
    return np.array_split(ary, indices_or_sections, axis)


@definition(np.array_split)
def array_split(ary, indices_or_sections, axis=0):
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


@definition(np.hsplit)
def hsplit(ary, indices_or_sections):
    if ary.ndim == 0:
        raise ValueError("it splits arrays of 1 dimension or more, and this is a number")
    return np.split(ary, indices_or_sections, axis=0 if ary.ndim == 1 else 1)


@definition(np.vsplit)
def vsplit(ary, indices_or_sections):
    if ary.ndim < 2:
        raise ValueError("it splits arrays of 2 dimensions or more; np.split takes all")
    return np.split(ary, indices_or_sections, axis=0)


@definition(np.dsplit)
def dsplit(ary, indices_or_sections):
    if ary.ndim < 3:
        raise ValueError("it splits arrays of 3 dimensions or more; np.split takes all")
    return np.split(ary, indices_or_sections, axis=2)


@definition(np.append)
def append(arr, values, axis=None):
    return np.concatenate([arr, values], axis=axis)


@definition(np.fliplr)
def fliplr(m):
    return np.flip(m, 1)


@definition(np.flipud)
def flipud(m):
    return np.flip(m, 0)


@definition(np.rollaxis)
def rollaxis(a, axis, start=0):
    axis = axis_of(axis, a.ndim)
    start = axis_of(start, a.ndim + 1) if start >= 0 else axis_of(start, a.ndim)
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


@definition(np.tile)
def tile(A, reps):
    """Copies beside each other: a new axis before each, broadcast, and joined with it."""
    reps = tuple(reps) if np.iterable(reps) else (reps,)
    reps = tuple([1 if r == 1 else operator.index(r) for r in reps])  # True and 1.0 are 1
    ndim = max(A.ndim, len(reps))
    reps = (1,) * (ndim - len(reps)) + reps
    shape = (1,) * (ndim - A.ndim) + A.shape
    x = np.reshape(A, tuple(itertools.chain(*((1, n) for n in shape))))
    x = np.broadcast_to(x, tuple(itertools.chain(*zip(reps, shape))))
    return np.reshape(x, tuple(map(operator.mul, reps, shape)))


@definition(np.repeat)
def repeat(a, repeats, axis=None):
    a, axis = _along(a, axis)
    if np.ndim(repeats) == 0:  # copies along an axis of their own
        shape = (*a.shape[: axis + 1], int(repeats), *a.shape[axis + 1 :])
        copies = np.broadcast_to(np.expand_dims(a, axis + 1), shape)
        return np.reshape(copies, (*shape[:axis], shape[axis] * int(repeats), *shape[axis + 2 :]))
    return np.take(a, np.repeat(np.arange(a.shape[axis]), repeats), axis)


@definition(np.pad)
def pad(array, pad_width, mode="constant", *, constant_values=()):
    """A constant border, or for the other modes the elements that a padded index names.

    The constant is 0 unless given; () stands for that, as None would be NaN.
    """
    widths = _pad_widths(pad_width, array.ndim)
    given = np.asarray(constant_values).size  # a tensor that requires a gradient is refused
    if mode == "constant" and not widths:  # a number has no sides
        return np.copy(array)
    if mode == "constant":
        return bordered(array, widths, constant_values if given else 0)
    if given:
        raise ValueError(f"constant_values= is for mode='constant', not for {mode!r}")
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise errors.UnsupportedError(
            f"np.pad of a Tensor knows constant, edge, reflect, symmetric and wrap, not {mode!r}; "
            f"join another border with np.concatenate"
        )
    for axis, width in enumerate(widths):
        array = np.take(array, np.pad(np.arange(array.shape[axis]), width, mode=mode), axis)
    return array


@derivatives(
    lambda g, y, x, widths, value: g[
        tuple(slice(before, before + n) for n, (before, _) in zip(x.shape, widths))
    ],
    None,
    None,
)
def bordered(x, widths, value):
    """`x` with a border of one value, as wide before and after it on each axis as `widths` says."""
    return np.pad(x, widths, constant_values=value)


@definition(np.atleast_1d)
def atleast_1d(*arys):
    made = [np.reshape(a, (1,)) if np.ndim(a) == 0 else a for a in arys]
    return made[0] if len(made) == 1 else tuple(made)


@definition(np.atleast_2d)
def atleast_2d(*arys):
    made = [np.reshape(a, (1, -1)) if np.ndim(a) < 2 else a for a in arys]
    return made[0] if len(made) == 1 else tuple(made)


@definition(np.atleast_3d)
def atleast_3d(*arys):
    made = [
        a if np.ndim(a) > 2
        else np.expand_dims(a, -1) if np.ndim(a) == 2
        else np.reshape(a, (1, -1, 1))
        for a in arys
    ]  # fmt: skip
    return made[0] if len(made) == 1 else tuple(made)


@definition(np.broadcast_arrays)
def broadcast_arrays(*args, subok=False):
    shape = np.broadcast_shapes(*(np.shape(a) for a in args))
    return tuple(np.broadcast_to(a, shape) for a in args)


@definition(np.meshgrid)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    n = len(xi)
    grids = [np.reshape(x, [-1 if i == j else 1 for j in range(n)]) for i, x in enumerate(xi)]
    if indexing == "xy" and n > 1:
        grids = [np.swapaxes(x, 0, 1) for x in grids]
    return tuple(grids) if sparse else np.broadcast_arrays(*grids)


@definition(np.full_like)
def full_like(a, fill_value):
    """`fill_value`, a number or a Tensor, in the shape and dtype of `a`."""
    return _filled(np.zeros_like(a) + fill_value, a.shape).astype(a.dtype)


# --- selection ------------------------------------------------------------------------------------


@definition(np.take)
def take(a, indices, axis=None, out=None, mode="raise"):
    if mode != "raise":
        raise errors.UnsupportedError(
            f"np.take of a Tensor knows only mode='raise', not {mode!r}; bring the indices into range "
            f"before it: np.clip(indices, 0, n - 1) or indices % n"
        )
    a, axis = _along(a, axis)
    indices = np.asarray(indices, dtype=None if np.size(indices) else int)
    return a[at(axis, indices.astype(int) if indices.dtype == bool else indices)]


@definition(np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    arr, axis = (np.ravel(arr), 0) if axis is None else (arr, axis_of(axis, arr.ndim))
    kind = indices.dtype.kind if hasattr(indices, "dtype") else "none"
    if np.ndim(indices) != arr.ndim or kind not in "iu":
        raise ValueError(f"the indices must be an array of integers in {arr.ndim} dimensions")
    grid = list(np.ix_(*map(np.arange, arr.shape)))  # every element names itself, but on `axis`
    grid[axis] = indices
    return arr[tuple(grid)]


@definition(np.select)
def select(condlist, choicelist, default=0):
    """The first choice whose condition is true."""
    if len(condlist) != len(choicelist):
        raise ValueError(f"{len(condlist)} conditions and {len(choicelist)} choices")
    chosen = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        chosen = np.where(condition, choice, chosen)
    return chosen


@definition(np.matrix_transpose)
@definition(np.linalg.matrix_transpose)
def matrix_transpose(x):
    return transposed(x)


# --- ufunc methods --------------------------------------------------------------------------------

UFUNC_METHODS: dict[tuple[Any, str], Callable] = {
    (np.add, "reduce"): np.sum,
    (np.multiply, "reduce"): np.prod,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "accumulate"): np.cumprod,
}


def ufunc_method(ufunc: np.ufunc, method: str) -> Callable:
    """What `np.add.reduce` and its like are here."""
    name = f"{name_of(ufunc)}.{method}"
    along: Any = UFUNC_METHODS.get((ufunc, method))
    if along is None and method != "outer":
        raise errors.UnsupportedError(
            f"{name} has no derivative here; write it with {name_of(ufunc)} itself"
            + (", or scatter by multiplying with a one-hot matrix" if method == "at" else "")
        )

    def over_axis(array, axis=0, dtype=None, out=None, keepdims=False, **options):
        if dtype is not None and ufunc in (np.maximum, np.minimum):
            raise errors.UnsupportedError(f"{name} of a Tensor takes no dtype=; {INSTEAD['dtype']}")
        more = {"dtype": dtype, "out": out, "keepdims": keepdims or None} | options
        return along(array, axis=axis, **{k: v for k, v in more.items() if v is not None})

    def outer(a, b, **options):
        return ufunc(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b, **options)

    def named(*args, **kwargs):
        try:
            return (outer if along is None else over_axis)(*args, **kwargs)
        except (TypeError, ValueError) as problem:
            raise errors.failed(name, args, kwargs, problem) from problem

    return named


# --- what the definitions above are written with --------------------------------------------------


def _on_diagonal(rows: int, columns: int, offset: int) -> tuple[np.ndarray, np.ndarray]:
    n = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    along = np.arange(n)
    return (along, along + offset) if offset >= 0 else (along - offset, along)


def _pad_widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    """How wide a border is before and after, for each axis."""
    if isinstance(pad_width, dict):
        given = [[0, 0] for _ in range(ndim)]
        for axis, width in pad_width.items():
            given[axis_of(axis, ndim)] = np.broadcast_to(width, 2).tolist()
        pad_width = given
    widths = np.asarray(pad_width)
    if widths.dtype.kind not in "iu":
        raise TypeError(f"widths are integers, not {pad_width!r}")
    if np.any(widths < 0):
        raise ValueError(f"no width is negative, as in {pad_width!r}; a slice takes elements away")
    return [tuple(pair) for pair in np.broadcast_to(widths, (ndim, 2)).tolist()]


def axis_of(axis: Any, ndim: int) -> int:
    """The one axis meant by `axis`, not negative."""
    try:
        return normalize_axis_index(axis, ndim)
    except TypeError:
        raise TypeError(f"axis is one integer here, not {axis!r}") from None


def _along(a: Any, axis: Any) -> tuple[Any, int]:
    """An array and one of its axes: without an axis, all elements in a row; so, too, a number."""
    if axis is None:
        return np.ravel(a), 0
    a = a if a.ndim else np.ravel(a)
    return a, axis_of(axis, a.ndim)


def _filled(a: Any, shape: tuple[int, ...]) -> Any:
    """`a`, of which a fill value that was too large for `shape` would have made more."""
    if a.shape != shape:
        raise ValueError(f"what is filled in does not fit the shape {shape}")
    return a


def _explicit(subscripts: str, ndims: list[int]) -> str:
    """Subscripts with the ellipsis and the result written out."""
    subscripts = subscripts.replace(" ", "")
    inputs, arrow, result = subscripts.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ndims):
        raise ValueError(f"{subscripts!r} names {len(terms)} operands, and {len(ndims)} were given")
    free = [
        c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkjihgfedcba" if c not in subscripts
    ]
    hidden = [n - len(t.replace("...", "")) for t, n in zip(terms, ndims) if "..." in t]
    if arrow and "..." not in result and max(hidden, default=0) > 0:
        raise ValueError(
            f"the axes under the ellipsis of {subscripts!r} are missing from the result: write ... "
            f"there too, or name the axes and leave them out to sum over them"
        )
    batch = "".join(free[: max(hidden, default=0)])
    spelled = []
    for term, n in zip(terms, ndims):
        more = n - len(term.replace("...", ""))
        spelled.append(term.replace("...", batch[len(batch) - more :] if more else ""))
    letters = inputs.replace("...", "").replace(",", "")
    once = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    result = result.replace("...", batch) if arrow else batch + once
    return f"{','.join(spelled)}->{result}"
