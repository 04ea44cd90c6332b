"""The table of derivatives.

Each line reads like one at the back of a calculus book: a function, and for each of its arguments
the gradient with respect to it, given `g` (the gradient with respect to the result), `y` (the
result) and the arguments. A rule reads at most the shape and dtype of a name with an underscore. An
argument without a gradient has None in place of a rule.

An operation is added by one line, here or in a file of `minigrad.definitions`; `table.rule` says what a
rule is given, and CONTRIBUTING which test holds it.

Broadcasting is not mentioned: it is undone once, where a gradient reaches its argument. Where a
function has a kink, the derivative is a choice, mostly PyTorch's: `minigrad.definitions` lists these.

Arguments have the names that NumPy gives them, so that they can be passed by name. Numbers are
Python's, not NumPy's scalars: those are float64 and would widen a float32 gradient.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import errors
from .base import AnyArray
from .table import rule

Axes = int | tuple[int, ...] | None  # of a reduction: one, several, or all

# --- what rules are written with ------------------------------------------------------------------


def transposed(a: AnyArray) -> AnyArray:
    """Transpose each matrix of `a`: (..., n, m) to (..., m, n)."""
    return np.swapaxes(a, -1, -2)


def of_matrices(position: int, matrix_rule: Callable) -> Callable:
    """A rule for a product of matrices, for the argument at `position`, made to take vectors too.

    A vector on the left is a row, one on the right a column.
    """

    @functools.wraps(matrix_rule)
    def of_matrices_or_vectors(g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray) -> AnyArray:
        row, column = a.ndim == 1, b.ndim == 1
        if not (row or column):
            return matrix_rule(g, y, a, b)
        g = np.expand_dims(g, (-2,) * row + (-1,) * column)
        if position == 0:
            of_a = matrix_rule(g, y, a, b[:, None] if column else b)
            return of_a[..., 0, :] if row else of_a
        of_b = matrix_rule(g, y, a[None, :] if row else a, b)
        return of_b[..., 0] if column else of_b

    return of_matrices_or_vectors


def with_reduced_axes(g: AnyArray, a: AnyArray, axis: Axes, keepdims: bool) -> AnyArray:
    """`g` with the axes along which `a` was reduced put back, each of size 1."""
    if axis is None or keepdims or not a.shape:  # a number has an axis 0 for some reductions
        return g
    return np.expand_dims(g, axis)


def elements_per_result(a: AnyArray, result: AnyArray, least: int = 0) -> float:
    """Count the elements of `a` that each result of a reduction is made of; at least `least`.

    A Python number, but of float16, which ends at 65,504: its quotient is rounded where it arrives.
    """
    count = max(a.size // max(result.size, 1), least)
    return np.float32(count) if a.dtype == np.float16 else count


def shared_evenly(g: AnyArray, y: AnyArray, a: AnyArray, axis: Axes, keepdims: bool) -> AnyArray:
    """The gradient of a maximum or minimum `y` along `axis`: equal elements get equal parts of `g`.

    NaN is the greatest and the least of its group, as it is for NumPy.
    """
    chosen = np.equal(a, with_reduced_axes(y, a, axis, keepdims)) | np.isnan(a)
    count = np.sum(chosen, axis=axis, keepdims=True, dtype=np.result_type(g.dtype, np.float32))
    return np.where(chosen, with_reduced_axes(g, a, axis, keepdims) / count, 0)


def power_slope(a: AnyArray, b: AnyArray) -> AnyArray:
    """b a^(b - 1), the derivative of a^b by a; 0 where b is 0, also where a^-1 is infinite."""
    if isinstance(b, (int, float)):
        return b * a ** (b - 1) if b != 0 else np.zeros_like(a)
    least = float(np.finfo(a.dtype).tiny) if a.dtype.kind == "f" else 0
    flat = np.equal(b, 0) & ~np.greater(np.absolute(a), least)  # a is next to 0, or NaN
    return np.where(flat, 0, b * np.where(flat, 1, a) ** (b - 1.0))  # unsigned integers have no -1


def log_or_zero(a: AnyArray, b: AnyArray) -> AnyArray:
    """log(a); 0 where a is 0 and b >= 0: a^b stays 0 there as b changes (at b = 0 by choice)."""
    if isinstance(a, (int, float)):
        a = np.asarray(a, dtype=b.dtype)
    flat = np.logical_and(np.equal(a, 0), np.greater_equal(b, 0))
    return np.where(flat, 0, np.log(np.where(flat, 1, a)))


def inverse(axes: int | Sequence[int] | None) -> tuple[int, ...] | None:
    """The permutation of axes that undoes `axes`."""
    return None if axes is None else tuple(np.argsort(np.atleast_1d(axes) % np.size(axes)).tolist())


def reshaped(a: AnyArray, shape: tuple[int, ...], order: object) -> AnyArray:
    """`np.reshape`, in an order that does not depend on how the elements lie in memory.

    The usual order is not named: Dask knows no other.
    """
    if order not in ("C", "F"):
        raise errors.UnsupportedError(f"a Tensor is read in order 'C' or 'F', not {order!r}")
    return np.reshape(a, shape) if order == "C" else np.reshape(a, shape, order=order)


# fmt: off
# --- elementwise ----------------------------------------------------------------------------------

rule(np.positive,   lambda g, _y, _x: g)
rule(np.negative,   lambda g, _y, _x: -g)
rule(np.add,        lambda g, _y, _a, _b: g,
                    lambda g, _y, _a, _b: g)
rule(np.subtract,   lambda g, _y, _a, _b: g,
                    lambda g, _y, _a, _b: -g)
rule(np.multiply,   lambda g, _y, _a, b: g * b,
                    lambda g, _y, a, _b: g * a)
rule(np.divide,     lambda g, _y, _a, b: g / b,
                    lambda g, y, _a, b: -g * y / b)
rule(np.power,      lambda g, _y, a, b: g * power_slope(a, b),
                    lambda g, y, a, b: g * y * log_or_zero(a, b))
rule(np.square,     lambda g, _y, x: 2 * g * x)
rule(np.sqrt,       lambda g, y, _x: g / (2 * y))

rule(np.exp,        lambda g, y, _x: g * y)
rule(np.log,        lambda g, _y, x: g / x)

rule(np.sin,        lambda g, _y, x: g * np.cos(x))
rule(np.cos,        lambda g, _y, x: -g * np.sin(x))
rule(np.tanh,       lambda g, y, _x: g * (1 - y * y))

rule(np.absolute,   lambda g, _y, x: g * np.sign(x))
rule(np.where,      None,
                    lambda g, _y, c, _a, _b: np.where(c, g, 0),
                    lambda g, _y, c, _a, _b: np.where(c, 0, g))

# --- reductions and sums --------------------------------------------------------------------------

rule(np.sum,    lambda g, _y, _a, axis=None, dtype=None, out=None, keepdims=False:
                    np.broadcast_to(with_reduced_axes(g, _a, axis, keepdims), _a.shape))
rule(np.mean,   lambda g, _y, _a, axis=None, dtype=None, out=None, keepdims=False:
                    np.broadcast_to(
                        with_reduced_axes(g, _a, axis, keepdims) / elements_per_result(_a, _y, 1),
                        _a.shape))
for extreme in (np.max, np.amax, np.min, np.amin):
    rule(extreme, lambda g, y, a, axis=None, out=None, keepdims=False:
                    shared_evenly(g, y, a, axis, keepdims))

# --- products of matrices -------------------------------------------------------------------------

rule(np.matmul,     of_matrices(0, lambda g, _y, _a, b: g @ transposed(b)),
                    of_matrices(1, lambda g, _y, a, _b: transposed(a) @ g))

# --- shapes ---------------------------------------------------------------------------------------

rule(np.reshape,      lambda g, _y, _a, shape, order="C": reshaped(g, _a.shape, order), None)
rule(np.expand_dims,  lambda g, _y, _a, axis: np.reshape(g, _a.shape), None)
rule(np.broadcast_to, lambda g, _y, _array, shape: g, None)
rule(np.transpose,    lambda g, _y, _a, axes=None: np.transpose(g, inverse(axes)))
rule(np.swapaxes,     lambda g, _y, _a, axis1, axis2: np.swapaxes(g, axis1, axis2), None, None)

# --- indexing: gather and its adjoint, scatter ------------------------------------------------------

rule(operator.getitem, lambda g, _y, _x, index: scatter_add(g, index, _x.shape),
                       None)

# --- outside the graph: no rule -------------------------------------------------------------------

for plain in (
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.isnan, np.isinf, np.isfinite, np.logical_and, np.logical_or, np.logical_not,
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert,
    np.any, np.all, np.argmax, np.argmin, np.argsort, np.zeros_like, np.ones_like,
):
    rule(plain)
# fmt: on

# --- functions that NumPy lacks -------------------------------------------------------------------


def scatter_add(values: AnyArray, index: Any, shape: tuple[int, ...]) -> AnyArray:
    """Zeros of `shape` with `values` added at `index`: the adjoint of indexing.

    An element that the index selects twice gets both values.
    """
    if isinstance(values, (np.ndarray, np.generic)):
        out = np.zeros(shape, values.dtype)
        if selects_each_once(index):
            out[index] = values
        else:
            np.add.at(out, index, values)
        return out
    if not selects_each_once(index):
        raise errors.UnsupportedError(
            f"the gradient of indexing is not available for {type(values).__module__} arrays; "
            f"select with a product by a one-hot matrix, or compute the array first"
        )
    out = np.zeros_like(values, shape=shape)
    if isinstance(index, tuple):
        index = tuple(i for i in index if i is not None)  # Dask stores at no new axis
        values = np.reshape(values, out[index].shape)
    out[index] = values
    return out


def selects_each_once(index: object) -> bool:
    """Tell whether an index surely selects no element twice, as masks, slices and integers do."""
    if hasattr(index, "dtype") and index.dtype == bool:
        return True
    items = index if isinstance(index, tuple) else (index,)
    once = (int, np.integer, slice, type(None), type(Ellipsis))
    number = lambda i: isinstance(i, np.ndarray) and i.dtype.kind in "iu" and not i.ndim
    return all(number(i) or (isinstance(i, once) and not isinstance(i, bool)) for i in items)


def astype(x: AnyArray, dtype: object, copy: bool = True) -> AnyArray:
    """`x` in another dtype; a gradient comes back in the old one. Nothing can tell a copy from `x`."""
    return x.astype(dtype)


# fmt: off
scatter_add = rule(scatter_add, lambda g, _y, _values, index, shape: g[index], None, None,
                   makes_new=True)
astype = rule(astype, lambda g, _y, _x, dtype, copy=True: g, None, makes_new=True)
# fmt: on
