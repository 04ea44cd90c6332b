"""Copies of arrays whose elements lie in memory as those of the original do."""

from __future__ import annotations

import numpy as np


def copied_as_it_lies(array: np.ndarray) -> np.ndarray:
    """A copy in which axes follow each other, repeat or have gaps as they do in `array`.

    Products and sums of floats round by that. A gap is one element wide in the copy, so that a column
    takes no more memory than two.

        a = np.zeros((3, 100), np.float32)[:, :2]     strides (400, 4): rows of 2, then a gap of 98
        copied_as_it_lies(a)                          strides (12, 4): rows of 2, then a gap of 1
    """
    turn = tuple([slice(None, None, -1 if n < 0 else 1) for n in array.strides])
    upward = array[turn]  # no stride is negative
    if array.dtype.kind != "f":
        return upward.copy(order="K")[turn]
    strides = [0] * array.ndim
    tight = tight_copy = array.itemsize  # the strides of the next axis, if no gap is before it
    for axis in sorted(range(array.ndim), key=lambda k: (upward.strides[k], array.shape[k])):
        stride, n = upward.strides[axis], array.shape[axis]
        if 0 < stride < tight:  # elements of two places are one, as in a window that slides
            strides = [*upward.strides]
            break
        if stride:
            strides[axis] = tight_copy + (array.itemsize if stride > tight else 0)
            tight, tight_copy = stride * n, strides[axis] * n
    size = array.itemsize + sum((n - 1) * stride for n, stride in zip(array.shape, strides))
    memory = np.empty(max(size, 0), np.uint8)
    copy = np.ndarray(array.shape, array.dtype, memory.data, 0, strides)
    once = tuple([slice(1 if stride == 0 else None) for stride in strides])  # of repeated elements
    copy[once] = upward[once]
    return copy[turn]
