"""Arrays and tensors as short text: for errors, steps, reports and tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.ranges import extent, numbers_in, shape_and_dtype

SMALL = 24  # arrays of up to so many numbers are shown whole


def numbers(value: Any, indent: int = 0) -> str:
    """The numbers of an array or tensor, aligned, to about five digits; a large one is summarised.

    `indent` is the column at which the text will stand: further lines are shifted by as much.
    """
    array = numbers_in(value)
    if array is None:
        return f"{shape_and_dtype(value)}, not computed yet"
    if array.size == 0:
        return f"empty, {shape_and_dtype(array)}"
    if array.size > SMALL or (array.ndim and array.shape[-1] > 12):
        first = ", ".join(texts(array[(0,) * (array.ndim - 1)][:3]))
        return f"{shape_and_dtype(array)}, {extent(array)}, first {first} ..."
    width = max(map(len, texts(array)))
    cells = iter([text.rjust(width) if array.ndim else text for text in texts(array)])
    return _nested(cells, array.shape, indent)


def _nested(cells: Any, shape: tuple[int, ...], indent: int) -> str:
    if not shape:
        return next(cells)
    rows = [_nested(cells, shape[1:], indent + 1) for _ in range(shape[0])]
    return "[" + (", " if len(shape) == 1 else ",\n" + " " * (indent + 1)).join(rows) + "]"


def texts(array: np.ndarray) -> list[str]:
    """Each number of an array as text, all with as many decimals as the one that needs most."""
    if array.dtype.kind != "f":
        return [str(v) for v in array.ravel().tolist()]
    listed = [v + 0.0 for v in array.ravel().tolist()]  # -0.0 becomes 0.0
    finite = [v for v in listed if math.isfinite(v)]
    largest = max(map(abs, finite), default=0.0)
    power = math.floor(math.log10(largest)) if largest else 0
    decimals = max(0, 4 - max(power, 0)) if power >= -1 else 3 - power
    if not -4 <= power <= 6 or any(v and not round(v, decimals) for v in finite):
        return [f"{v:.3e}" if v else "0" for v in listed]
    while decimals and all(round(v, decimals) == round(v, decimals - 1) for v in finite):
        decimals -= 1
    return [f"{round(v, decimals) + 0.0:.{decimals}f}" for v in listed]
