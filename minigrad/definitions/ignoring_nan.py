"""Reductions that leave NaN out: each puts a number in its place that changes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.base import AnyArray
from ..engine.names import name_of
from ..engine.table import definition
from .half import in_single
from .reductions import root


def without_nan(a: AnyArray, value: float) -> AnyArray:
    """`a` with `value` in place of NaN."""
    return np.where(np.isnan(a), value, a) if a.dtype.kind == "f" else a


def count_of_numbers(a: AnyArray, axis: Any, keepdims: bool) -> AnyArray:
    """Count the elements over some axes that are no NaN."""
    return np.sum(~np.isnan(a), axis=axis, keepdims=keepdims)


def with_neutral(of_all: Callable, neutral: float) -> Callable:
    """A reduction that puts `neutral`, which changes nothing in it, in place of NaN."""

    def reduce(a, axis=None, dtype=None, out=None, **options):
        return of_all(without_nan(a, neutral), axis=axis, **options)

    reduce.__doc__ = f"`{name_of(of_all)}` with {neutral} in place of NaN."
    return reduce


def of_numbers(extreme: Callable, least: float) -> Callable:
    """The maximum or minimum of the elements that are no NaN; NaN where there is none."""

    def reduce(a, axis=None, out=None, keepdims=False):
        extremes = extreme(without_nan(a, least), axis=axis, keepdims=keepdims)
        nothing = np.equal(count_of_numbers(a, axis, keepdims), 0)
        return np.where(nothing, math.nan, extremes) if a.dtype.kind == "f" else extremes

    reduce.__doc__ = f"`{name_of(extreme)}` of the elements that are no NaN; NaN if there are none."
    return reduce


definition(with_neutral(np.sum, 0), of=np.nansum)
definition(with_neutral(np.prod, 1), of=np.nanprod)
definition(with_neutral(np.cumsum, 0), of=np.nancumsum)
definition(with_neutral(np.cumprod, 1), of=np.nancumprod)
definition(of_numbers(np.max, -math.inf), of=np.nanmax)
definition(of_numbers(np.min, math.inf), of=np.nanmin)


@definition(of=np.nanmean)
@in_single
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    """sum(a) / n, over the n elements along `axis` (None: all) that are no NaN."""
    total = np.nansum(a, axis=axis, keepdims=keepdims)
    return total / count_of_numbers(a, axis, keepdims).astype(total.dtype)


@definition(of=np.nanvar)
@in_single
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """sum (a - nanmean(a))^2 / (n - ddof), over the n elements along `axis` (None: all) that are
    no NaN; NaN if n <= ddof."""
    if a.dtype.kind != "f":  # it has no NaN, and NumPy has no NaN for too few of them either
        return np.var(a, axis=axis, ddof=ddof, keepdims=keepdims)
    deviation = np.where(np.isnan(a), 0, a - np.nanmean(a, axis=axis, keepdims=True))
    total = np.sum(deviation * deviation, axis=axis, keepdims=keepdims)
    n = count_of_numbers(a, axis, keepdims) - ddof
    return total / np.where(n > 0, n, math.nan).astype(total.dtype)


@definition(of=np.nanstd)
@in_single
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """sqrt(nanvar(a)), whose slope at 0 is taken as 0."""
    return root(np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims))
