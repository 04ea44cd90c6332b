"""Arrays in blocks of one size: large ones in pieces, and small ones side by side.

An optimiser's update goes faster over blocks that stay in the processor's cache.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from ..engine.tensor import Tensor

BLOCK = 1 << 15  # elements that are updated together: they stay in the processor's cache


class Group:
    """Parameters that an optimiser changes together, and what it keeps for them, side by side.

    Each line of an update is a call of NumPy's, which for a few numbers takes longer than its work.

    Args:
        places: of these parameters among all.
    """

    def __init__(self, places: list[int], parameters: Sequence[Tensor]):
        self.places = places
        self.dtype = parameters[places[0]].dtype
        self.state: list[np.ndarray] = []
        ends = list(itertools.accumulate(parameters[i].size for i in places))
        self.slots = [
            (slice(start, end), parameters[i].shape)
            for i, start, end in zip(places, [0, *ends], ends)
        ]

    def parts(self, joined: np.ndarray) -> list[np.ndarray]:
        """Return each parameter's part of an array that has all side by side, in its shape."""
        return [joined[where].reshape(shape) for where, shape in self.slots]


def grouped(parameters: Sequence[Tensor]) -> Iterator[list[int]]:
    """The places of parameters in groups of one dtype, neighbours, at most `BLOCK` elements in all."""
    group: list[int] = []
    size = 0
    for i, p in enumerate(parameters):
        if group and (size + p.size > BLOCK or p.dtype != parameters[group[0]].dtype):
            yield group
            group, size = [], 0
        group.append(i)
        size += p.size
    yield group


def pieces(*arrays: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Arrays of one shape as they are, or, if they are large, about `BLOCK` elements at a time."""
    first = arrays[0]
    if first.size <= BLOCK:
        yield arrays
        return
    rows = max(1, BLOCK * len(first) // first.size)
    for i in range(0, len(first), rows):
        yield tuple(a[i : i + rows] for a in arrays)


def squares(array: object) -> float:
    """The sum of the squares of all elements, in float64: in float32 that of 1e20 is infinite."""
    total = 0.0
    for (part,) in pieces(np.asarray(array)):
        part = part.astype(np.float64).ravel()
        total += float(part @ part)
    return total
