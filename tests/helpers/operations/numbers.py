"""Fixed numbers to call a function with, its results as a list, and its slope."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np


def run(call: Callable, inputs: Sequence[Any]) -> list[Any]:
    """The results of a call, as a list."""
    result = call(*inputs)
    return list(result) if isinstance(result, (list, tuple)) else [result]


def numbers(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Fixed numbers in no order, neither near zero nor, in pairs, near each other."""
    n = np.arange(math.prod(shape))
    return (np.sin(2.3 * n + seed) + 1.1 * (-1.0) ** n).reshape(shape)


def product(xs: Iterable[Any], ys: Iterable[Any]) -> Any:
    """The sum of the products of all elements of two lists of arrays."""
    return sum(((x * y).sum() for x, y in zip(xs, ys)), 0.0)


def slope(f: Callable, arrays: Sequence[Any], direction: Sequence[Any], step: float = 1e-3) -> Any:
    """The derivative of `f` along a direction: central differences that are exact to fourth order."""

    def at(t: float) -> Any:
        return f([a + t * d for a, d in zip(arrays, direction)])

    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)
