"""The range of an array, in words."""

from __future__ import annotations

from typing import Any

import numpy as np


def extent(value: object) -> str:
    """The range of an array: `from -1.5 to 2`, and how many elements are NaN or infinite."""
    array = numbers_in(value)
    if array is None:
        return "not computed yet"
    if array.size == 0:
        return "empty"
    finite = array[np.isfinite(array)]
    phrases = []
    if finite.size:
        low, high = finite.min() + 0, finite.max() + 0
        phrases.append(f"all {low:.5g}" if low == high else f"from {low:.5g} to {high:.5g}")
    for what, mask in (("NaN", np.isnan(array)), ("infinite", np.isinf(array))):
        if mask.any():
            phrases.append(f"{int(mask.sum())} of {array.size} {what}")
    return ", ".join(phrases)


def shape_and_dtype(value: Any) -> str:
    """The shape and dtype of an array: `(2, 3) float32`."""
    return f"{value.shape} {value.dtype}"


def numbers_in(value: object) -> np.ndarray | None:
    """The NumPy array inside `value`, or None for an array that would have to be computed first."""
    array = getattr(value, "_array", value)
    foreign = hasattr(type(array), "__array_function__")
    if foreign and not isinstance(array, (np.ndarray, np.generic)):
        return None
    return np.asarray(array)
