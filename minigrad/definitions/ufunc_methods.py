"""The methods of ufuncs: `np.add.reduce` and its like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import errors
from ..engine.names import name_of
from ..engine.table import INSTEAD, definition

SAME: dict[Any, Callable] = {  # by the names of the methods
    (np.add, "reduce"): np.sum,
    (np.multiply, "reduce"): np.prod,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "accumulate"): np.cumprod,
}


def over_axis(ufunc: np.ufunc, method: str, function: Callable) -> Callable:
    """`np.add.reduce` and its like, as the function that does the same, over the first axis."""

    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, **options):
        if dtype is not None and ufunc in (np.maximum, np.minimum):
            raise errors.UnsupportedError(
                f"{name_of(ufunc)}.{method} of a Tensor takes no dtype=; {INSTEAD['dtype']}"
            )
        if method == "accumulate" and not np.ndim(array):
            raise ValueError("a number has no axis to accumulate along")
        more = {"dtype": dtype, "out": out, "keepdims": keepdims or None} | options
        return function(array, axis=axis, **{k: v for k, v in more.items() if v is not None})

    return reduce


def outer(ufunc: np.ufunc) -> Callable:
    """`np.add.outer` and its like: each element of one array with each of another."""

    def outer(a, b, **options):
        return ufunc(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b, **options)

    return outer


def refused(ufunc: np.ufunc, method: str) -> Callable:
    """A method that has no derivative here: calling it says what to write instead."""

    def refuse(*args, **kwargs):
        raise errors.UnsupportedError(
            f"{name_of(ufunc)}.{method} has no derivative here; write it with {name_of(ufunc)} itself"
            + (", or scatter by multiplying with a one-hot matrix" if method == "at" else "")
        )

    return refuse


for ufunc in {u for u in vars(np).values() if isinstance(u, np.ufunc)}:
    for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
        body = (
            over_axis(ufunc, method, SAME[ufunc, method]) if (ufunc, method) in SAME
            else outer(ufunc) if method == "outer" else refused(ufunc, method)
        )  # fmt: skip
        definition(body, of=getattr(ufunc, method))
