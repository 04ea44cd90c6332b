"""Strides: where the elements of an array lie in memory."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of an array of `shape` whose rows lie one after the other."""
    return tuple([math.prod(shape[axis + 1 :]) for axis in range(len(shape))])


def address(array: np.ndarray) -> int:
    """The place in memory of the first element."""
    return array.__array_interface__["data"][0]
