"""Arrays that are one: by the memory in which they lie, or by their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .strides import address


def memory_of(a: Any) -> Any:
    """Return what tells an array from others elsewhere, or of other elements of the same memory.

    It can be a key of a dict. Of what is no array it is the identity.
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
    """Tell whether two arrays have the same numbers; of NaN, which takes longer to see, too."""
    return np.array_equal(a, b) or (a.dtype.kind == "f" and np.array_equal(a, b, equal_nan=True))
