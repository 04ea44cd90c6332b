"""The range of an array, in words."""

from __future__ import annotations

from typing import Any

import numpy as np


def extent(value: object) -> str:
    """The range of an array: `from -1.5 to 2`, with how many of it are NaN or infinite."""
    array = numbers_in(value)
    if array is None:
        return "not computed yet"
    if array.size == 0:
        return "empty"
    finite = array[np.isfinite(array)]
    said = []
    if finite.size:
        low, high = finite.min() + 0, finite.max() + 0
        said.append(f"all {low:.5g}" if low == high else f"from {low:.5g} to {high:.5g}")
    for what, found in (("NaN", np.isnan(array)), ("infinite", np.isinf(array))):
        if found.any():
            said.append(f"{int(found.sum())} of {array.size} {what}")
    return ", ".join(said)


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
