"""The table of derivatives.

Each line reads like one at the back of a calculus book: a function, and for each of its arguments
the gradient with respect to it, given `g` (the gradient with respect to the result), `y` (the
result) and the arguments. Functions without a gradient in an argument have None there.

Broadcasting is not mentioned: it is undone once, where a gradient reaches its tensor. Where a
function has a kink, the choice is PyTorch's:

    absolute, sign, arctan2        0 at 0
    std and norm (root)            0 at 0
    maximum, minimum               each of two equal arguments gets half
    max, min over an axis          equal elements share evenly
    clip                           1 at its bounds
    power                          by the exponent, 0 where the base is 0 and stays 0

Beyond PyTorch, which has NaN there, hypot has 0 at 0, and logaddexp 0 where both are -inf.

Arguments have the names that NumPy gives them, so that they can be passed by name. Numbers are
Python's, not NumPy's scalars: those are float64 and would widen a float32 gradient.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from . import errors
from .table import derivatives, plain, rule

# --- elementwise ----------------------------------------------------------------------------------
# fmt: off

rule(np.positive,   lambda g, y, x: g)
rule(np.negative,   lambda g, y, x: -g)
rule(np.add,        lambda g, y, a, b: g,
                    lambda g, y, a, b: g)
rule(np.subtract,   lambda g, y, a, b: g,
                    lambda g, y, a, b: -g)
rule(np.multiply,   lambda g, y, a, b: g * b,
                    lambda g, y, a, b: g * a)
rule(np.divide,     lambda g, y, a, b: g / b,
                    lambda g, y, a, b: -g * y / b)
rule(np.power,      lambda g, y, a, b: g * power_slope(a, b),
                    lambda g, y, a, b: g * y * log_or_zero(a, b))
rule(np.float_power, lambda g, y, a, b: g * power_slope(a, b),
                    lambda g, y, a, b: g * y * log_or_zero(a, b))
rule(np.reciprocal, lambda g, y, x: -g * y * y)
rule(np.square,     lambda g, y, x: 2 * g * x)
rule(np.sqrt,       lambda g, y, x: g / (2 * y))
rule(np.cbrt,       lambda g, y, x: g / (3 * y * y))

rule(np.exp,        lambda g, y, x: g * y)
rule(np.exp2,       lambda g, y, x: g * y * math.log(2))
rule(np.expm1,      lambda g, y, x: g * (y + 1))
rule(np.log,        lambda g, y, x: g / x)
rule(np.log2,       lambda g, y, x: g / (x * math.log(2)))
rule(np.log10,      lambda g, y, x: g / (x * math.log(10)))
rule(np.log1p,      lambda g, y, x: g / (1 + x))
rule(np.logaddexp,  lambda g, y, a, b: g * np.exp(log_share(a, y)),
                    lambda g, y, a, b: g * np.exp(log_share(b, y)))
rule(np.logaddexp2, lambda g, y, a, b: g * np.exp2(log_share(a, y)),
                    lambda g, y, a, b: g * np.exp2(log_share(b, y)))

rule(np.sin,        lambda g, y, x: g * np.cos(x))
rule(np.cos,        lambda g, y, x: -g * np.sin(x))
rule(np.tan,        lambda g, y, x: g * (1 + y * y))
rule(np.arcsin,     lambda g, y, x: g / np.sqrt((1 - x) * (1 + x)))
rule(np.arccos,     lambda g, y, x: -g / np.sqrt((1 - x) * (1 + x)))
rule(np.arctan,     lambda g, y, x: g / (1 + x * x))
rule(np.arctan2,    lambda g, y, a, b: g * over_square(b, np.hypot(a, b)),
                    lambda g, y, a, b: -g * over_square(a, np.hypot(a, b)))
rule(np.sinh,       lambda g, y, x: g * np.cosh(x))
rule(np.cosh,       lambda g, y, x: g * np.sinh(x))
rule(np.tanh,       lambda g, y, x: g * (1 - y * y))
rule(np.arcsinh,    lambda g, y, x: g / np.hypot(x, 1))
rule(np.arccosh,    lambda g, y, x: g / (np.sqrt(x - 1) * np.sqrt(x + 1)))
rule(np.arctanh,    lambda g, y, x: g / ((1 - x) * (1 + x)))

rule(np.absolute,   lambda g, y, x: g * np.sign(x))
rule(np.fabs,       lambda g, y, x: g * np.sign(x))
rule(np.copysign,   lambda g, y, a, b: g * np.sign(a) * np.copysign(1, b),
                    lambda g, y, a, b: np.zeros_like(g))
rule(np.sign,       lambda g, y, x: np.zeros_like(g))
rule(np.floor,      lambda g, y, x: np.zeros_like(g))
rule(np.ceil,       lambda g, y, x: np.zeros_like(g))
rule(np.trunc,      lambda g, y, x: np.zeros_like(g))
rule(np.rint,       lambda g, y, x: np.zeros_like(g))
rule(np.round,      lambda g, y, a, decimals=0, out=None: np.zeros_like(g))
rule(np.around,     lambda g, y, a, decimals=0, out=None: np.zeros_like(g))
rule(np.floor_divide, lambda g, y, a, b: np.zeros_like(g),
                    lambda g, y, a, b: np.zeros_like(g))
rule(np.mod,        lambda g, y, a, b: g,
                    lambda g, y, a, b: -g * np.floor_divide(a, b))
rule(np.fmod,       lambda g, y, a, b: g,
                    lambda g, y, a, b: -g * np.rint((a - y) / b))
rule(np.maximum,    lambda g, y, a, b: g * share(a, b),
                    lambda g, y, a, b: g * share(b, a))
rule(np.minimum,    lambda g, y, a, b: g * share(b, a),
                    lambda g, y, a, b: g * share(a, b))
rule(np.hypot,      lambda g, y, a, b: g * ratio_or_zero(a, y),
                    lambda g, y, a, b: g * ratio_or_zero(b, y))
rule(np.where,      None,
                    lambda g, y, c, a, b: np.where(c, g, 0),
                    lambda g, y, c, a, b: np.where(c, 0, g))
rule(np.deg2rad,    lambda g, y, x: g * (math.pi / 180))
rule(np.rad2deg,    lambda g, y, x: g * (180 / math.pi))
rule(np.radians,    lambda g, y, x: g * (math.pi / 180))
rule(np.degrees,    lambda g, y, x: g * (180 / math.pi))
rule(np.copy,       lambda g, y, a, order="K", subok=False: g)

# --- reductions and sums --------------------------------------------------------------------------

rule(np.sum,    lambda g, y, a, axis=None, dtype=None, out=None, keepdims=False:
                    spread(g, a.shape, axis, keepdims))
rule(np.mean,   lambda g, y, a, axis=None, dtype=None, out=None, keepdims=False:
                    spread(g / max(group_size(a, y), 1), a.shape, axis, keepdims))
rule(np.prod,   lambda g, y, a, axis=None, dtype=None, out=None, keepdims=False:
                    spread(g, a.shape, axis, keepdims) * product_of_others(a, axis))
for extreme in (np.max, np.amax, np.min, np.amin):
    rule(extreme, lambda g, y, a, axis=None, out=None, keepdims=False:
                    shared_evenly(g, y, a, axis, keepdims))
rule(np.cumsum, lambda g, y, a, axis=None, dtype=None, out=None:
                    np.reshape(np.flip(np.cumsum(np.flip(g, axis), axis), axis), a.shape))

# --- linear algebra -------------------------------------------------------------------------------

rule(np.matmul,     lambda g, y, a, b: matmul_left(g, a.ndim, b),
                    lambda g, y, a, b: matmul_right(g, a, b.ndim))
rule(np.vecdot,     lambda g, y, a, b: g[..., None] * b,
                    lambda g, y, a, b: g[..., None] * a)
rule(np.linalg.inv, lambda g, y, a: -transposed(y) @ g @ transposed(y))
rule(np.linalg.det, lambda g, y, a: g[..., None, None] * cofactors(a))
rule(np.linalg.solve,
                    lambda g, y, a, b: -outer_last(solve_transposed(a, g, b.ndim), y, b.ndim),
                    lambda g, y, a, b: solve_transposed(a, g, b.ndim))

# --- shapes ---------------------------------------------------------------------------------------

rule(np.reshape,      lambda g, y, a, shape, order="C": reshaped(g, a.shape, order))
rule(np.squeeze,      lambda g, y, a, axis=None: np.reshape(g, a.shape))
rule(np.expand_dims,  lambda g, y, a, axis: np.reshape(g, a.shape))
rule(np.broadcast_to, lambda g, y, array, shape: g)
rule(np.transpose,    lambda g, y, a, axes=None: np.transpose(g, inverse(axes)))
rule(np.swapaxes,     lambda g, y, a, axis1, axis2: np.swapaxes(g, axis1, axis2))
rule(np.moveaxis,     lambda g, y, a, source, destination: np.moveaxis(g, destination, source))
rule(np.flip,         lambda g, y, m, axis=None: np.flip(g, axis))
rule(np.roll,         lambda g, y, a, shift, axis=None: np.roll(g, opposite(shift), axis))
rule(np.rot90,        lambda g, y, m, k=1, axes=(0, 1): np.rot90(g, -k, axes))
rule(np.tril,         lambda g, y, m, k=0: np.tril(g, k))
rule(np.triu,         lambda g, y, m, k=0: np.triu(g, k))
rule(np.concatenate,  lambda g, y, arrays, axis=0: parts(g, arrays, axis))

# --- indexing: gather and its adjoint, scatter ------------------------------------------------------

rule(operator.getitem, lambda g, y, x, index: scatter_add(g, index, x.shape),
                       None)

# --- outside the graph ----------------------------------------------------------------------------

plain(
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.isnan, np.isinf, np.isfinite, np.signbit, np.logical_and, np.logical_or, np.logical_not,
    np.logical_xor, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert,
    np.left_shift, np.right_shift, np.gcd, np.lcm, np.isclose, np.allclose, np.array_equal,
    np.array_equiv, np.isposinf, np.isneginf, np.iscomplexobj, np.isrealobj, np.isin,
    np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.argsort, np.lexsort, np.argpartition,
    np.argwhere, np.nonzero, np.flatnonzero, np.count_nonzero, np.searchsorted, np.digitize,
    np.any, np.all, np.shape, np.ndim, np.size, np.result_type, np.can_cast, np.common_type,
    np.min_scalar_type, np.zeros_like, np.ones_like, np.empty_like, np.array_repr, np.array_str,
    np.array2string, np.may_share_memory, np.shares_memory, np.linalg.matrix_rank,
    np.tril_indices_from, np.triu_indices_from, np.diag_indices_from,
)
# fmt: on

# --- functions that NumPy lacks -------------------------------------------------------------------


@derivatives(lambda g, y, values, index, shape: g[index])
def scatter_add(values: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with `values` added at `index`: the adjoint of indexing.

    What the index names twice gets both.
    """
    if isinstance(index, np.ndarray) and index.dtype.kind in "iu" and type(values) is np.ndarray:
        return added_rows(values.reshape((index.size, *shape[1:])), index.reshape(-1), shape)
    if names_once(index):
        out = np.zeros_like(values, shape=shape)
        if not isinstance(values, (np.ndarray, np.generic)) and isinstance(index, tuple):
            index = tuple(i for i in index if i is not None)  # Dask stores at no new axis
            values = np.reshape(values, out[index].shape)
        out[index] = values
        return out
    if not isinstance(values, (np.ndarray, np.generic)):
        raise errors.UnsupportedError(
            f"the gradient of indexing is not available for {type(values).__module__} arrays; "
            f"select with a product by a one-hot matrix, or compute the array first"
        )
    out = np.zeros(shape, values.dtype)
    np.add.at(out, index, values)
    return out


@derivatives(
    lambda g, y, x, low, high: np.where(within(x, low, high), g, 0),
    lambda g, y, x, low, high: np.where(below(x, low, high), g, 0),
    lambda g, y, x, low, high: np.where(above(x, low, high), g, 0),
)
def clamp(x: Any, low: Any, high: Any) -> Any:
    """`x` kept between two bounds, either of which may be None; the upper wins if they cross."""
    return np.clip(x, low, high)


@derivatives(lambda g, y, x, degree=2: g * ratio_or_zero(y, degree * x))
def root(x: Any, degree: float = 2) -> Any:
    """The square root, or that of another degree; its slope at 0 is taken as 0: for std and norm."""
    return np.sqrt(x) if degree == 2 else x ** (1 / degree)


@derivatives(lambda g, y, x, dtype: g, None)
def astype(x: Any, dtype: Any) -> Any:
    """`x` converted to a floating dtype; the edge converts the gradient back."""
    return x.astype(dtype)


@derivatives(
    lambda g, y, a: (
        (np.sum(g * y, axis=(-2, -1), keepdims=True) * y - y @ transposed(g) @ y)
        / np.linalg.det(a)[..., None, None]
    )
)
def cofactors(a: Any) -> Any:
    """The gradient of each determinant: the transposed adjugate, det(a) inv(a)^T where a is regular.

    It is found from the singular values, and so right for singular matrices as well. Its own
    derivative divides by the determinant: the second derivatives of `np.linalg.det` are right
    where it is not zero, and elsewhere not finite.
    """
    known = np.isfinite(a).all(axis=(-2, -1), keepdims=True)  # NaN has no singular values
    u, s, v = np.linalg.svd(np.where(known, a, 0))
    sign = (np.linalg.det(u) * np.linalg.det(v))[..., None, None]
    found = sign * (u * product_of_others(s, -1)[..., None, :]) @ v
    return np.where(known, found, a.dtype.type(math.nan))


@derivatives(lambda g, y, a: g[..., None, None] * transposed(np.linalg.inv(a)))
def logabsdet(a: Any) -> Any:
    """The logarithm of the absolute value of the determinant of each matrix."""
    return np.linalg.slogdet(a)[1]


# --- what the rules above are written with --------------------------------------------------------


def spread(g: Any, shape: tuple[int, ...], axis: Any, keepdims: bool) -> Any:
    """Undo a reduction: every element of `shape` gets the value of its group."""
    if axis is not None and not keepdims and shape:  # a number has an axis 0 for some reductions
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, shape)


def group_size(a: Any, reduced: Any) -> int:
    """How many elements went into each one of a reduction."""
    return a.size // max(reduced.size, 1)


def shared_evenly(g: Any, y: Any, a: Any, axis: Any, keepdims: bool) -> Any:
    """The gradient of a maximum or minimum: its group's, shared by all elements equal to it.

    NaN is the greatest and the least of its group, as it is for NumPy.
    """
    chosen = np.equal(a, spread(y, a.shape, axis, keepdims)) | np.isnan(a)
    count = np.sum(chosen, axis=axis, keepdims=True, dtype=g.dtype)
    return np.where(chosen, spread(g, a.shape, axis, keepdims) / count, 0)


def product_of_others(a: Any, axis: Any) -> Any:
    """For each element, the product of the others in its group: right where some are zero."""
    rows, back = in_groups(a, axis)
    one = np.ones_like(rows[..., :1])
    before = np.concatenate([one, np.cumprod(rows[..., :-1], axis=-1)], axis=-1)
    after = np.concatenate([one, np.cumprod(np.flip(rows, -1)[..., :-1], axis=-1)], axis=-1)
    return back(before * np.flip(after, -1))


def in_groups(a: Any, axis: Any) -> tuple[Any, Callable]:
    """The axes of a reduction moved last and made one, and the function that undoes this."""
    if not a.ndim:
        return np.reshape(a, (1,)), lambda b: np.reshape(b, ())
    axes = axes_of(axis, a.ndim)
    last = tuple(range(a.ndim - len(axes), a.ndim))
    moved = np.moveaxis(a, axes, last)
    kept = a.ndim - len(axes)
    rows = np.reshape(moved, (*moved.shape[:kept], math.prod(moved.shape[kept:])))
    return rows, lambda b: np.moveaxis(np.reshape(b, moved.shape), last, axes)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes meant by `axis`, none of them negative."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    for a in axes:
        if not -ndim <= a < ndim:
            raise np.exceptions.AxisError(a, ndim)
    return tuple([operator.index(a) % ndim for a in axes])


def share(a: Any, b: Any) -> Any:
    """1 where a >= b, but 1/2 where they are equal, in the dtype of their sum; 1 for NaN."""
    one = np.result_type(a, b).type(1)
    return np.where(np.equal(a, b), one / 2, np.where(np.less(a, b), one * 0, one))


def log_share(a: Any, y: Any) -> Any:
    """The logarithm of exp(a) / exp(y), where a is part of the sum: of 0, where y is."""
    return a - np.where(np.equal(y, -math.inf), 0, y)


def power_slope(a: Any, b: Any) -> Any:
    """The derivative of a ** b by a, which is 0 wherever b is: there 0 ** -1 must not come up."""
    if isinstance(b, (int, float)):
        return b * a ** (b - 1) if b != 0 else np.zeros_like(a)
    flat = np.equal(b, 0)
    return np.where(flat, 0, b * a ** np.where(flat, 1, b - 1))


def log_or_zero(a: Any, b: Any) -> Any:
    """log(a), and 0 where a ** b stays 0 as b changes."""
    if isinstance(a, (int, float)):
        a = np.asarray(a, dtype=b.dtype)
    flat = np.logical_and(np.equal(a, 0), np.greater_equal(b, 0))
    return np.where(flat, 0, np.log(np.where(flat, 1, a)))


def ratio_or_zero(a: Any, b: Any) -> Any:
    """a / b, and 0 where b is 0."""
    flat = np.equal(b, 0)
    return np.where(flat, 0, a / np.where(flat, 1, b))


def over_square(a: Any, b: Any) -> Any:
    """a / b^2, and 0 where b is 0, without a square that could overflow or vanish."""
    return ratio_or_zero(ratio_or_zero(a, b), b)


def below(x: Any, low: Any, high: Any) -> Any:
    """Where clipping returns the lower bound."""
    return np.less(x, low) if high is None else np.less(x, low) & np.less(low, high)


def above(x: Any, low: Any, high: Any) -> Any:
    """Where clipping returns the upper bound."""
    return np.greater(x, high) if low is None else np.greater(x, high) | np.less(high, low)


def within(x: Any, low: Any, high: Any) -> Any:
    """Where clipping returns `x` itself, the bounds included."""
    upwards = True if low is None else np.greater_equal(x, low)
    return upwards if high is None else upwards & np.less_equal(x, high)


def transposed(a: Any) -> Any:
    return np.swapaxes(a, -1, -2)


def matmul_left(g: Any, a_ndim: int, b: Any) -> Any:
    """The gradient of a @ b by a. Shapes alone decide: (n, m) = (n, k) (k, m), so g b^T."""
    if b.ndim == 1:
        return g[..., None] * b  # (..., n, 1) (k,)
    if a_ndim == 1:
        return (b @ g[..., None])[..., 0]  # (..., k, m) (..., m, 1)
    if b.ndim == 2 and g.ndim > 2:  # one product for the whole batch
        return np.reshape(as_rows(g) @ transposed(b), (*g.shape[:-1], b.shape[0]))
    return g @ transposed(b)


def matmul_right(g: Any, a: Any, b_ndim: int) -> Any:
    """The gradient of a @ b by b: a^T g, summed over the rows of all batches at once."""
    if a.ndim == 1:
        return a * g if b_ndim == 1 else a[:, None] * g[..., None, :]  # (k, 1) (..., 1, m)
    if b_ndim == 1:
        return np.reshape(g, (g.size,)) @ as_rows(a)  # (N,) (N, k)
    if b_ndim == 2:
        return transposed(as_rows(a)) @ as_rows(g)  # (k, N) (N, m)
    return transposed(a) @ g


def as_rows(a: Any) -> Any:
    """All rows of the last axis below each other, as one matrix."""
    return a if a.ndim == 2 else np.reshape(a, (math.prod(a.shape[:-1]), a.shape[-1]))


def solve_transposed(a: Any, g: Any, ndim: int) -> Any:
    """The solution x of a^T x = g, for a matrix of right-hand sides or a single one."""
    if ndim == 1:
        return np.linalg.solve(transposed(a), g[..., None])[..., 0]
    return np.linalg.solve(transposed(a), g)


def outer_last(a: Any, b: Any, ndim: int) -> Any:
    """The product of columns by rows; of vectors, if the right-hand side was one."""
    return a[..., :, None] * b[..., None, :] if ndim == 1 else a @ transposed(b)


def inverse(axes: Any) -> Any:
    """The permutation of axes that undoes `axes`."""
    if axes is None:
        return None
    axes = axes if isinstance(axes, (tuple, list)) else (axes,)  # NumPy takes one axis alone
    axes = [axis % len(axes) for axis in axes]
    return tuple(axes.index(i) for i in range(len(axes)))


def opposite(shift: Any) -> Any:
    return [-s for s in shift] if isinstance(shift, (tuple, list)) else -shift


def parts(g: Any, arrays: Any, axis: int | None) -> Any:
    """Cut `g` where `arrays` were joined; stack the parts again if these were rows of one array."""
    sizes = [a.size if axis is None else a.shape[axis] for a in arrays]
    place = 0 if axis is None else axis % g.ndim
    cut = [
        np.reshape(g[at(place, slice(end - size, end))], a.shape)
        for a, size, end in zip(arrays, sizes, itertools.accumulate(sizes))
    ]
    return cut if isinstance(arrays, (list, tuple)) else np.stack(cut)


def at(axis: int, item: Any) -> tuple:
    """The index that picks `item` on `axis` and everything on the axes before it."""
    return (slice(None),) * axis + (item,)


def added_rows(values: np.ndarray, ids: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Zeros of `shape` with each row of `values` (n, ...) added to the row that `ids` (n,) names."""
    out = np.zeros(shape, values.dtype)
    if values.size == 0:
        return out
    N, n, width = shape[0], len(ids), values[0].size
    if N <= 128 and width >= 16 and N * n <= 1 << 20 and values.dtype.char in "fd":
        # The product with a matrix that has a 1 where a row is named takes half the time.
        named = np.zeros((N, n), values.dtype)
        named[ids, np.arange(n)] = 1
        with np.errstate(invalid="ignore"):
            sums = named @ values.reshape(n, width)
        if np.isfinite(sums).all():  # 0 times infinity would reach the other rows
            return sums.reshape(shape)
    # Element by element: `np.add.at` is several times as slow with whole rows.
    places = (ids % N)[:, None] * width + np.arange(width)  # ids below 0 count from the end
    np.add.at(out.reshape(-1), places.reshape(-1), values.reshape(-1))
    return out


def reshaped(a: Any, shape: tuple[int, ...], order: Any) -> Any:
    """`np.reshape`, in an order that does not depend on how the elements lie in memory.

    The usual order is not named: Dask knows no other.
    """
    if order not in ("C", "F"):
        raise errors.UnsupportedError(f"a Tensor is read in order 'C' or 'F', not {order!r}")
    return np.reshape(a, shape) if order == "C" else np.reshape(a, shape, order=order)


def names_once(index: Any) -> bool:
    """Whether an index is sure to name each element at most once: slices and the like, or a mask."""
    if hasattr(index, "dtype") and index.dtype == bool:
        return True
    items = index if isinstance(index, tuple) else (index,)
    return all(
        i is None or i is Ellipsis
        or (isinstance(i, (int, np.integer, slice)) and not isinstance(i, bool))
        for i in items
    )  # fmt: skip
