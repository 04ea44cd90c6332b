"""The inputs of a program: which arrays each run reads anew, and in which order."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.saving import unshared
from ..engine.tensor import Tensor
from ..ran.data import GraphData
from ..random import Draw

SIGNATURE = operator.attrgetter(
    "_array.shape", "_array.strides", "_array.dtype", "_node.requires_grad"
)


class Inputs(NamedTuple):
    """A graph, and the sources of the arrays that each run of its program reads.

    Attributes:
        graph: the computation.
        arguments: for each argument that is an array, the number of its node, or None.
        tensors: the tensors that the computation reads, by the numbers of their nodes.
        draws: for each random array the function that draws it, and the number of its node, or None if
            nothing uses it.
    """

    graph: GraphData
    arguments: list[int | None]
    tensors: dict[int, Tensor]
    draws: list[tuple[int | None, Draw]]


class InputReader:
    """The arrays that a program reads: first arguments, then other tensors, then random arrays.

    Attributes:
        nodes: for each array that is read, the number of its node, in the order in which they are read.
    """

    def __init__(self, inputs: Inputs):
        places = {n: i for i, n in enumerate(inputs.arguments) if n is not None}
        others = [n for n in inputs.tensors if n not in places]
        drawn = [n for n, _ in inputs.draws if n is not None]
        self.nodes = [*places, *others, *drawn]
        self._argument_places = list(places.values())
        self._indices = [i for n, i in places.items() if _may_be_index(inputs.graph[n].value)]
        self._tensors = [inputs.tensors[n] for n in others]
        self._signatures = self._signatures_now()
        self._draws = [(draw, n is not None) for n, draw in inputs.draws]

    def _signatures_now(self) -> list[tuple]:
        return list(map(SIGNATURE, self._tensors))

    def fit(self, arguments: Sequence[Any]) -> bool:
        """Tell whether the program is right for the arrays that it would read now.

        The tensors must have the shapes, strides and dtypes that they had. Integers that may be indices
        must not be negative: NumPy takes such indices without an error.
        """
        return self._signatures_now() == self._signatures and all(
            np.minimum.reduce(getattr(arguments[i], "_array", arguments[i]), axis=None) >= 0
            for i in self._indices
        )

    def read(self, arguments: Sequence[Any]) -> tuple[list[Any], list[np.ndarray]]:
        """Return the arguments and tensors that are read, and the arrays of these and of new draws."""
        read = [arguments[i] for i in self._argument_places] + self._tensors
        arrays = [a._array if isinstance(a, Tensor) else unshared(a) for a in read]
        for draw, used in self._draws:
            array = draw()
            if used:
                arrays.append(array)
        return read, arrays


def _may_be_index(array: np.ndarray | None) -> bool:
    return array is not None and array.dtype.kind == "i" and array.size > 0 and array.min() >= 0
