"""Finite differences: the slope of a function along one element of an array, from its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Values = Callable[[], Sequence[np.ndarray]]  # reads arrays that are changed in place between calls


def slope(
    f: Values, weights: Sequence, array: np.ndarray, index: tuple, forward: float, back: float
) -> float:
    """The slope of the weighted sum of the results of `f`, from x - back to x + forward.

    x is the element of `array` at `index`; in the end it gets its old value back.
    """
    x = array[index]
    try:
        _put(array, index, x + forward)
        upper, values_above = array[index], [np.array(v) for v in f()]
        _put(array, index, x - back)
        lower, values_below = array[index], f()
        change = 0.0
        for above, below, w in zip(values_above, values_below, weights):
            # Differences first: numbers that do not change cancel exactly, and so do infinities.
            change += np.sum(np.where(np.equal(above, below), 0, above - below) * w)
        return float(change / (upper - lower))
    finally:
        _put(array, index, x)


def _put(array: np.ndarray, index: tuple, x: float) -> None:
    """Change one element, even of a leaf's array, which is made read-only whenever it is used."""
    array.flags.writeable = True
    array[index] = x


def slopes(f: Values, weights: Sequence, array: np.ndarray, eps: float) -> np.ndarray:
    """The central difference along every element of `array`, of its shape."""
    quotients = np.empty(array.shape)
    for index in np.ndindex(array.shape):
        h = step(array[index], eps)
        quotients[index] = slope(f, weights, array, index, h, h)
    return quotients


def step(x: float, eps: float) -> float:
    """The step at x: `eps`, or more for a number whose rounding is coarser than that of 1."""
    return eps * max(1.0, abs(float(x)))


def sides(
    f: Values, weights: Sequence, array: np.ndarray, index: tuple, eps: float
) -> tuple[float, float]:
    """The slopes to the left and to the right."""
    h = step(array[index], eps)
    left = slope(f, weights, array, index, 0.0, h)
    return left, slope(f, weights, array, index, h, 0.0)


def is_kink(
    f: Values, weights: Sequence, array: np.ndarray, index: tuple, eps: float, missed: float
) -> bool:
    """Tell whether the slope jumps between the two points, by enough to explain a gap of `missed`.

    On a smooth function the two one-sided slopes come together in proportion to the step.
    """
    jumps = []
    for divisor in (1, 2, 4):
        left, right = sides(f, weights, array, index, eps / divisor)
        jumps.append(abs(right - left))
    if not jumps[0] > 0.2 * missed:
        return False
    return not all(0.8 < jump * divisor / jumps[0] < 1.2 for jump, divisor in zip(jumps, (1, 2, 4)))
