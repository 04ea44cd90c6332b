"""Questions about plain arrays: equal to the last bit, of one form, of one number; and stand-ins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.identity import equal

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


def same(a: Any, b: Any) -> bool:
    """Tell whether two results are the same to the last bit."""
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and equal(a, b)


def form(array: np.ndarray) -> tuple[np.dtype, tuple[int, ...]]:
    """The dtype and the shape of an array. (With its strides, that is its layout.)"""
    return array.dtype, array.shape


def uniform(array: np.ndarray) -> bool:
    """Tell whether an array has one number everywhere, to the last bit: 0.0 and -0.0 are two."""
    return array.size > 0 and array.tobytes() == array.flat[0].tobytes() * array.size


def stand_in(shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """An array of ones in place of an array of which only the shape and dtype are known, or wanted."""
    return np.broadcast_to(np.ones((), dtype), shape)
