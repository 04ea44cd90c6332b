"""The answers that count as the same."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.tensor import Tensor


def alike(a: Any, b: Any, rtol: float, atol: float) -> bool:
    """Tell whether two answers are alike: numbers up to rounding, kinds, shapes and lengths exactly."""
    if callable(a) and callable(b):
        return True
    if holder_of(a) != holder_of(b):
        return False
    if isinstance(a, dict) or isinstance(b, dict):
        both = isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys()
        return both and all(alike(a[k], b[k], rtol, atol) for k in a)
    if isinstance(a, (str, type(None))) or isinstance(b, (str, type(None))):
        return type(a) is type(b) and a == b
    if type(a) is type(b) and type(a) in (int, float):
        return a == b or abs(a - b) <= atol + rtol * abs(b) < math.inf or (a != a and b != b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(alike(x, y, rtol, atol) for x, y in zip(a, b))
    x, y = numbers_of(a), numbers_of(b)
    if x is None or y is None:
        return False
    kinds = x.dtype.kind == y.dtype.kind or "b" not in (x.dtype.kind, y.dtype.kind)
    return kinds and x.shape == y.shape and _close(x, y, rtol, atol)


def holder_of(value: object) -> str:
    """The name of the type that holds the numbers of an answer; "" for a single one, or for none."""
    value = data_of(value)
    if isinstance(value, tuple):
        inner = [holder_of(one) for one in value]
        return (
            f"a tuple of {' and '.join(k or 'a number' for k in inner)}"
            if any(inner)
            else "a tuple"
        )
    if isinstance(value, list):
        return "a list"
    return "an array of NumPy's" if isinstance(value, np.ndarray) and value.ndim else ""


def numbers_of(value: object) -> np.ndarray | None:
    """A value as an array of numbers or booleans; None if it is none."""
    try:
        array = np.asarray(data_of(value))
    except Exception:  # lists of several lengths, or anything that is no array
        return None
    return array if array.dtype.kind in "biuf" else None


def _close(x: np.ndarray, y: np.ndarray, rtol: float, atol: float) -> bool:
    close = x == y
    if "f" in (x.dtype.kind, y.dtype.kind):
        with np.errstate(all="ignore"):  # infinity is close to itself alone, and so is NaN
            close = close | (np.isfinite(y) & (abs(x - y) <= atol + rtol * abs(y)))
            close = close | ((x != x) & (y != y))
    return bool(np.all(close))


def data_of(value: object) -> Any:
    """The array of a Tensor; anything else as it is."""
    return value.data if isinstance(value, Tensor) else value
