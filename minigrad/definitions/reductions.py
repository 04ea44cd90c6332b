"""Functions that make fewer numbers of many, or sum and sort them along an axis."""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..engine.base import AnyArray
from ..engine.rules import elements_per_result, with_reduced_axes
from ..engine.table import definition, rule
from .axes import along, axis_of, product_of_others
from .elementwise import ratio_or_zero
from .half import in_single

# fmt: off
rule(np.cumsum, lambda g, _y, _a, axis=None, dtype=None, out=None:
                    np.reshape(np.flip(np.cumsum(np.flip(g, axis), axis), axis), _a.shape))
rule(np.prod,   lambda g, _y, a, axis=None, dtype=None, out=None, keepdims=False:
                    with_reduced_axes(g, a, axis, keepdims) * product_of_others(a, axis))
# fmt: on


def root(x: AnyArray, degree: float = 2) -> AnyArray:
    """The square root, or that of another degree; its slope at 0 is taken as 0: for std and norm."""
    return np.sqrt(x) if degree == 2 else x ** (1 / degree)


root = rule(root, lambda g, y, x, degree=2: g * ratio_or_zero(y, degree * x), makes_new=True)


@definition(of=np.var)
@in_single
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """sum (a - mean(a))^2 / (n - ddof), over the n elements along `axis` (None: all); PyTorch's
    ddof is 1. It is no finite number if n <= ddof."""
    deviation = a - np.mean(a, axis=axis, keepdims=True)
    total = np.sum(deviation * deviation, axis=axis, keepdims=keepdims)
    return total / max(elements_per_result(a, total) - ddof, 0)


@definition(of=np.std)
@in_single
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """sqrt(var(a)), whose slope at 0 is taken as 0; see `np.var`."""
    return root(np.var(a, axis=axis, ddof=ddof, keepdims=keepdims))


@definition(of=np.cumprod)
def cumprod(a, axis=None, dtype=None, out=None):
    """y_i = a_i y_(i - 1), from y_0 = a_0 on, along `axis` (None: of all elements in a row).

    It is computed in products over twice the distance at each step, so that zeros need no
    division.
    """
    a, axis = along(a, axis)
    if a.dtype.kind != "f":
        a = a.astype(np.prod(np.empty(0, a.dtype)).dtype)  # NumPy multiplies integers in a wide one
    x = a if a.ndim == 1 else np.moveaxis(a, axis, -1)
    reach = 1
    while reach < x.shape[-1]:
        x = np.concatenate([x[..., :reach], x[..., reach:] * x[..., :-reach]], axis=-1)
        reach *= 2
    return x if a.ndim == 1 else np.moveaxis(x, -1, axis)


@definition(of=np.ptp)
def ptp(a, axis=None, out=None, keepdims=False):
    """max(a) - min(a), along `axis` (None: all)."""
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


@definition(of=np.sort)
def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """y_0 <= y_1 <= ..., the elements along `axis` (None: all in a row), NaN last. Equal ones stay
    in their order, whatever `kind` is asked for."""
    np.sort(np.empty(0), kind=kind, order=order, stable=stable)  # NumPy refuses what it refuses
    a, axis = (np.ravel(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    return np.take_along_axis(a, np.argsort(a, axis=axis, kind="stable"), axis)


@definition(of=np.average)
@in_single
def average(a, axis=None, weights=None, *, keepdims=False):
    """sum(weights a) / sum(weights), along `axis` (None: all); the mean without weights.

    Raises:
        ShapeError: if the weights have neither the shape of `a` nor that of the axes, or sum to 0.
    """
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
    if not (hasattr(a, "dtype") and a.dtype.kind == "f"):
        a = np.multiply(a, 1.0)  # integers are averaged in float64
    total = np.sum(weights, axis=axes, keepdims=keepdims)
    if np.any(np.equal(total, 0)):
        raise ValueError("the weights sum to 0, and an average divides by their sum")
    return np.sum(a * weights, axis=axes, keepdims=keepdims) / total


@definition(of=np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    """X X^T / (n - ddof), where X (variables, n) is `m`, and `y` below it, less the mean of each
    row: in float64. Without `rowvar`, the variables are columns. ddof is 1, or 0 if `bias`.

    Raises:
        ShapeError: if `m` or `y` has more than two axes, or ddof is no integer.
    """
    if np.ndim(m) > 2 or np.ndim(y) > 2:
        raise ValueError("samples are a vector, or a matrix of variables by samples")
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"ddof is an integer, not {ddof!r}")
    x = np.atleast_2d(m).astype(np.float64)
    x = x if rowvar or np.ndim(m) == 1 else np.transpose(x)
    if y is not None:
        y = np.atleast_2d(y).astype(np.float64)
        x = np.concatenate([x, y if rowvar or y.shape[0] == 1 else np.transpose(y)], axis=0)
    x = x - np.mean(x, axis=1, keepdims=True)
    n = x.shape[1] - (int(ddof) if ddof is not None else 0 if bias else 1)
    products = x @ np.transpose(x)
    return np.squeeze(products / n if n > 0 else products * math.inf)
