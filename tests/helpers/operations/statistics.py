"""Rows: statistics, with and without NaN."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .in_pytorch import torch
from .inputs import LAST_KEPT, T
from .row import Row, rows

# fmt: off

GAPS = [[math.nan, 2.0, -3.0, 1.0], [0.5, math.nan, math.nan, -2.0]]
UNLIKE_PYTORCH = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "weibull", "hazen",
    "interpolated_inverted_cdf", "median_unbiased", "normal_unbiased",
)


def statistics() -> Iterator[Row]:
    for form in ({}, {"axis": 0}, LAST_KEPT):
        for name in ("nanprod", "nanmax", "nanmin", "nanvar", "nanstd", "nanmedian"):
            function, theirs = getattr(np, name), None if name == "nanmedian" else name
            explicit = lambda x, f=function, form=form: f(x, ddof=0, **form)
            also = [explicit] if name in ("nanvar", "nanstd") else []
            yield from rows(function, theirs, [(3, 4)], also=also, domain="apart", **form)
            if name != "nanstd" or form == {}:  # PyTorch's root has no slope at 0
                yield from rows(function, theirs, [GAPS], name=f"np.{name}, gaps", also=also,
                                smooth=False, **form)
    for name in ("nancumsum", "nancumprod"):
        filled = lambda x, name=name: torch.where(x.isnan(), int(name == "nancumprod"), x)
        over = lambda x, axis, name=name, filled=filled: getattr(torch, name[3:])(filled(x), axis)
        yield from rows(getattr(np, name), lambda x, over=over: over(x.reshape(-1), 0), [GAPS],
                        smooth=False)
        yield from rows(getattr(np, name), lambda x, over=over: over(x, 0), [GAPS], axis=0, smooth=False)
    yield from rows(np.nanvar, lambda x: torch.var(x, 0), [(3, 4)], axis=0, ddof=1)
    several = [0.1, 0.5, 0.75]
    for name in ("quantile", "nanquantile"):
        function, theirs = getattr(np, name), lambda x, *a, name=name: getattr(torch, name)(x, *a)
        for q, form, asked in (
            (0.3, {"axis": 0}, (0.3, 0)), (0, {"axis": -1, "keepdims": True}, (0.0, -1, True)),
            (1.0, {}, (1.0,)),
        ):
            yield from rows(function, lambda x, f=theirs, a=asked: f(x, *a), [T], then=(q,), **form,
                            domain="apart")
        yield from rows(function, None, [T], then=(0.45,), axis=(0, 2), domain="apart")
        yield from rows(function, lambda x, f=theirs: f(x, torch.tensor(several, dtype=x.dtype), 1), [T],
                        call=lambda x, f=function: f(x, np.array(several, x.dtype), 1),
                        name=f"several of {name}", domain="apart")
        yield from rows(
            function,
            None,
            [T],
            name=f"several of {name}, two axes",
            domain="apart",
            call=lambda x, f=function: f(
                x, np.array(several, x.dtype), axis=(0, -1), keepdims=True
            ),
        )
    yield from rows(np.quantile, None, [(4,)], then=(np.array([0.1, 0.9]),), domain="apart")
    yield from rows(np.nanquantile, "nanquantile", [GAPS], then=(0.4,), axis=1, smooth=False)
    for method in ("lower", "higher", "nearest", "midpoint"):
        theirs = lambda x, method=method: torch.quantile(x, 0.4, interpolation=method)
        yield from rows(np.quantile, theirs, [(6,)], then=(0.4,), method=method, domain="apart")
    for method in UNLIKE_PYTORCH:
        yield from rows(np.quantile, None, [(5,)], then=(0.4,), method=method, domain="apart")
    for function, theirs in (
        (np.percentile, lambda x: torch.quantile(x, 0.3, 1)),
        (np.nanpercentile, lambda x: torch.nanquantile(x, 0.3, 1)),
    ):
        yield from rows(function, theirs, [(2, 4)], then=(30,), axis=1, domain="apart")
        yield from rows(function, None, [(2, 4)], name=f"{function.__name__} of a matrix",
                        domain="apart", call=lambda x, f=function: f(x, np.array([[10, 90.0]], x.dtype)))
    yield from rows(np.cov, "cov", [(3, 4)], also=[lambda x: np.cov(x.T, rowvar=False)])
    yield from rows(np.cov, lambda x: torch.cov(x, correction=0), [(3, 4)], bias=True,
                    also=[lambda x: np.cov(x, ddof=0)])
    yield from rows(np.cov, "cov", [(4,)])
    yield from rows(np.cov, lambda x, y: torch.cov(torch.cat([x.T, y[None]])), [(4, 2), (4,)],
                    rowvar=False)
