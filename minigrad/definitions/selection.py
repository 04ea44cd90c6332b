"""Elements chosen by their places."""

from __future__ import annotations

import numpy as np

from ..engine.followed import Followed
from ..engine.table import definition
from .axes import along, at, axis_of


@definition(of=np.take)
def take(a, indices, axis=None, out=None, mode="raise"):
    """y[i] = a[indices[i]], along `axis` (None: of all elements in a row). The axes of `indices` take
    the place of that axis.

    Args:
        mode: what is done with an index that there is not: "raise" an error, "wrap" it around, or
            "clip" it to the nearest.

    Raises:
        ShapeError: for an index that there is not, or another mode.
    """
    a, axis = along(a, axis)
    if not (isinstance(indices, Followed) and indices.size):
        indices = np.asarray(indices, dtype=None if np.size(indices) else int)
    indices = indices.astype(int) if indices.dtype == bool else indices
    n = a.shape[axis]
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    if mode != "raise":
        indices = indices % n if mode == "wrap" else np.clip(indices, 0, n - 1)
    return a[at(axis, indices)]


@definition(of=np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    """y[i, j] = arr[i, indices[i, j]] for the last of two axes, and so for any: of the shape of
    `indices`, which broadcasts on the other axes.

    Raises:
        ShapeError: if the indices are no integers, or have other axes than `arr`.
    """
    arr, axis = (np.ravel(arr), 0) if axis is None else (arr, axis_of(axis, arr.ndim))
    kind = indices.dtype.kind if hasattr(indices, "dtype") else "none"
    if np.ndim(indices) != arr.ndim or kind not in "iu":
        raise ValueError(f"the indices must be an array of integers in {arr.ndim} dimensions")
    grid = list(np.ix_(*map(np.arange, arr.shape)))  # every element names itself, but on `axis`
    grid[axis] = indices
    return arr[tuple(grid)]
