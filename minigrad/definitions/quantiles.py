"""Elements at a place among the sorted ones: medians, quantiles, percentiles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.base import AnyArray
from ..engine.table import definition
from .axes import axes_of, in_groups


def sorted_rows(a: AnyArray, axis: object, ignoring: bool) -> tuple[AnyArray, AnyArray]:
    """The elements over some axes, sorted in a row, NaN last; and how many of each row count.

    A row without NaN counts whole. In a row with NaN, the other elements count if `ignoring`, else none.
    """
    rows = np.sort(in_groups(a, axes_of(axis, a.ndim))[0])
    nan = np.sum(np.isnan(rows), axis=-1)
    n = rows.shape[-1]
    return rows, n - nan if ignoring else np.where(nan > 0, 0, n)


def middle(a: AnyArray, axis: Any, keepdims: bool, ignoring: bool) -> AnyArray:
    """The middle one of the sorted elements, or the mean of the middle two; NaN if there are none."""
    rows, n = sorted_rows(a, axis, ignoring)
    if not rows.shape[-1]:
        return np.mean(a, axis=axis, keepdims=keepdims)  # NaN, and NumPy's own warning
    two = np.stack([(n - 1) // 2, n // 2], axis=-1)  # the last element and the first, if n is 0
    medians = np.mean(np.take_along_axis(rows, two, -1), axis=-1)
    return np.expand_dims(medians, axes_of(axis, a.ndim)) if keepdims else medians


def quantiles(
    a: AnyArray, q: AnyArray, axis: Any, method: Any, keepdims: bool, ignoring: bool
) -> AnyArray:
    """The quantiles `q` of the elements over some axes; the axes of `q` come first.

    The quantiles of 0, 1, ..., n - 1 are the places at which those of n sorted elements stand.
    """
    is_weak = type(q) in (int, float) and a.dtype.kind == "f"  # it takes the dtype of `a`
    q = np.asarray(q)
    rows, n = sorted_rows(a, axis, ignoring)
    if ignoring and not rows.shape[-1]:
        return np.mean(a, axis=axis, keepdims=keepdims)  # NaN, and NumPy's own warning
    places = np.reshape(places_of(n, q, method), (*n.shape, q.size))
    values = values_at(rows, n, places, np.result_type(a if is_weak else q, np.float16))
    if rows.dtype.kind == "f":
        values = np.where(np.equal(n, 0)[..., None], math.nan, values)
    values = np.reshape(values, (*n.shape, *q.shape))
    if q.ndim:
        values = np.moveaxis(values, range(n.ndim, values.ndim), range(q.ndim))
    axes = [q.ndim + i for i in axes_of(axis, a.ndim)]
    return np.expand_dims(values, axes) if keepdims else values


def values_at(rows: AnyArray, n: AnyArray, places: AnyArray, dtype: Any) -> AnyArray:
    """x_k + (h - k) (x_(k + 1) - x_k) for each place h, where k is h rounded down: of n elements x."""
    k = np.floor(places).astype(int)
    low = np.take_along_axis(rows, k, -1)
    if places.dtype.kind != "f":
        return low
    last = np.maximum(n - 1, 0)[..., None]
    high = np.take_along_axis(rows, np.minimum(k + 1, last), -1)
    fraction = (places - k).astype(dtype)
    return low + (high - low) * fraction


def places_of(n: AnyArray, q: AnyArray, method: Any) -> AnyArray:
    """The places of the quantiles `q` among each `n` of sorted elements: (*n, *q)."""
    of_one = np.quantile(np.zeros(1), q, method=method)  # it refuses what is no quantile
    if method == "linear":
        last = np.reshape(np.maximum(n - 1, 0), (*n.shape, *[1] * q.ndim))
        return last.astype(np.result_type(q, of_one)) * q
    sizes = np.unique(np.append(n, 1))
    of_sizes = [np.quantile(np.arange(max(int(size), 1)), q, method=method) for size in sizes]
    return np.stack(of_sizes)[np.searchsorted(sizes, n)]


def a_hundredth(q: AnyArray) -> AnyArray:
    """q / 100; a number of Python's stays one."""
    return q / 100 if type(q) in (int, float) else np.true_divide(q, 100)


@definition(of=np.median)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle one of the sorted elements along `axis` (None: all), or the mean of the middle
    two; NaN if one is."""
    return middle(a, axis, keepdims, ignoring=False)


@definition(of=np.nanmedian)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """`np.median` of the elements that are no NaN; NaN if there are none."""
    return middle(a, axis, keepdims, ignoring=True)


@definition(of=np.quantile)
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """y = x_k + (h - k) (x_(k + 1) - x_k), where h = q (n - 1) and k is h rounded down, of the n
    sorted elements x_0 to x_(n - 1) along `axis` (None: all); the axes of q come first. NaN if an
    element is.

    That is the method "linear"; others find h, and round it, as NumPy's do (Hyndman & Fan, 1996).

    Raises:
        ShapeError: for a q outside 0 to 1, or a method that there is not.
    """
    return quantiles(a, q, axis, method, keepdims, ignoring=False)


@definition(of=np.nanquantile)
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """`np.quantile` of the elements that are no NaN; NaN if there are none."""
    return quantiles(a, q, axis, method, keepdims, ignoring=True)


@definition(of=np.percentile)
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """`np.quantile` of q / 100."""
    return quantiles(a, a_hundredth(q), axis, method, keepdims, ignoring=False)


@definition(of=np.nanpercentile)
def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False
):
    """`np.nanquantile` of q / 100."""
    return quantiles(a, a_hundredth(q), axis, method, keepdims, ignoring=True)
