"""Arrays in blocks of one size: large ones in pieces, and small ones side by side.

An optimiser's update goes faster over blocks that stay in the processor's cache.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..engine.tensor import Tensor, read_only

BLOCK_ELEMENTS = 1 << 15  # that are updated together: they stay in the processor's cache


class Group:
    """Parameters that an optimiser changes together, and the arrays that it keeps for them, joined.

    Attributes:
        places: of these parameters among all.
        state: the arrays, each with the elements of all these parameters in a row.
    """

    def __init__(
        self, places: list[int], parameters: Sequence[Tensor], state: list[list[np.ndarray]]
    ):
        self.places = places
        dtype = parameters[places[0]].dtype
        by_slot = zip(*[state[i] for i in places])
        self.state = [np.concatenate([a.ravel() for a in row], dtype=dtype) for row in by_slot]
        ends = list(itertools.accumulate(parameters[i].size for i in places))
        self._parts = [
            (slice(start, end), parameters[i].shape)
            for i, start, end in zip(places, [0, *ends], ends)
        ]

    def split(self, joined: np.ndarray) -> list[np.ndarray]:
        """Return each parameter's part of an array that has all in a row, in its shape."""
        return [joined[where].reshape(shape) for where, shape in self._parts]


class Blocks:
    """The parameters of an optimiser, and the arrays that it keeps for each, laid out for fast updates.

    Each line of an update is a call of NumPy's. For a few numbers the call takes longer than its work,
    so small parameters are joined. A large one is updated in pieces, and each piece stays in the
    processor's cache.

    Args:
        elementwise: whether an update treats each element by itself. If not, each parameter is updated
            alone, and whole.

    Attributes:
        state: for each parameter, the arrays kept for it.
    """

    def __init__(
        self, parameters: Sequence[Tensor], state: list[list[np.ndarray]], elementwise: bool
    ):
        self.parameters, self.elementwise = parameters, elementwise
        self._lay_out(state)

    def _lay_out(self, state: list[list[np.ndarray]]) -> None:
        """Copy these arrays into groups, in the dtypes that the parameters have now."""
        self._dtypes = [p._array.dtype for p in self.parameters]
        alone = [[i] for i in range(len(self.parameters))]
        groups = grouped(self.parameters) if self.elementwise else alone
        self._groups = [Group(places, self.parameters, state) for places in groups]
        self.state: list[list[np.ndarray]] = []
        for group in self._groups:
            by_slot = map(group.split, group.state)
            self.state += map(list, zip(*by_slot)) if group.state else [[] for _ in group.places]

    def updates(
        self, gradients: Sequence[np.ndarray | None], steps: list[int]
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the arguments of each update: the step t, p, its gradient g, and the arrays kept for it.

        The update writes to p and to these arrays; then the parameter gets p. A parameter without a
        gradient is left out. For all others, `steps` counts one more.
        """
        if self._dtypes != [p._array.dtype for p in self.parameters]:  # converted since
            self._lay_out(self.state)
        for group in self._groups:
            moving = [i for i in group.places if gradients[i] is not None]
            counts = {steps[i] for i in moving}
            for i in moving:
                steps[i] += 1
            if len(moving) > 1 and moving == group.places and len(counts) == 1:
                yield from self._update_of_group(group, gradients, steps)
            else:
                for i in moving:
                    yield from self._updates_of_one(i, gradients, steps)

    def _update_of_group(
        self, group: Group, gradients: Sequence, steps: list[int]
    ) -> Iterator[tuple]:
        new = np.concatenate([self.parameters[i]._array for i in group.places], axis=None)
        g = np.concatenate([gradients[i] for i in group.places], axis=None)
        yield steps[group.places[0]], new, g, *group.state
        for i, part in zip(group.places, group.split(read_only(new))):
            self.parameters[i]._array = part

    def _updates_of_one(self, i: int, gradients: Sequence, steps: list[int]) -> Iterator[tuple]:
        p = self.parameters[i]
        new = np.empty_like(p._array)
        arrays = new, p._array, gradients[i], *self.state[i]
        for part, before, *rest in pieces(*arrays) if self.elementwise else [arrays]:
            part[...] = before
            yield steps[i], part, *rest
        p._array = read_only(new)


def grouped(parameters: Sequence[Tensor]) -> Iterator[list[int]]:
    """The places of parameters in groups of one dtype, neighbours, at most `BLOCK_ELEMENTS` in all."""
    group: list[int] = []
    size = 0
    for i, p in enumerate(parameters):
        if group and (size + p.size > BLOCK_ELEMENTS or p.dtype != parameters[group[0]].dtype):
            yield group
            group, size = [], 0
        group.append(i)
        size += p.size
    yield group


def pieces(*arrays: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Arrays of one shape as they are, or, if they are large, about `BLOCK_ELEMENTS` at a time."""
    first = arrays[0]
    if first.size <= BLOCK_ELEMENTS:
        yield arrays
        return
    rows = max(1, BLOCK_ELEMENTS * len(first) // first.size)
    for i in range(0, len(first), rows):
        yield tuple(a[i : i + rows] for a in arrays)


def squares(array: object) -> float:
    """The sum of the squares of all elements, in float64: in float32 that of 1e20 is infinite."""
    total = 0.0
    for (part,) in pieces(np.asarray(array)):
        part = part.astype(np.float64).ravel()
        total += float(part @ part)
    return total
