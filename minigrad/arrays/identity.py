"""Arrays that are one: by the memory in which they lie, or by their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .strides import address


def memory_of(a: Any) -> Any:
    """The key of the elements in memory that an array is made of: two arrays of the same have one key.

    For anything but an array, and for an array without elements, it is the identity.
    """
    if not isinstance(a, np.ndarray) or not a.size:
        return id(a)
    return address(np.asarray(a)), a.shape, a.strides, a.dtype.str


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array whose memory `array` lies in: itself, unless it is a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def frozen_view(array: np.ndarray) -> np.ndarray:
    """A view of an array that belongs to a graph, for those who only look."""
    view = array.view()
    view.flags.writeable = False
    return view


def equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether two arrays have the same numbers, NaN in the same places included."""
    return np.array_equal(a, b) or (a.dtype.kind == "f" and np.array_equal(a, b, equal_nan=True))
