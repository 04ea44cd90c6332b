"""Ends: values from which no gradient goes back, and the lines of code that left the graph there."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np
import torch

from ..arrays.identity import memory_of
from ..engine.node import Node
from ..engine.source import SourceLine, source_line
from ..engine.tensor import Tensor
from ..engine.walk import order
from .aten_call import AtenCall
from .values import collects

MOST = 100  # values that are remembered: each keeps its graph in memory


class Cut(NamedTuple):
    """An array from which no gradient goes back: it was detached, or drawn.

    Attributes:
        array: the numbers.
        sources: the values that it was made of.
        lines: those that did it.
    """

    array: np.ndarray
    sources: list[Tensor]
    lines: list[SourceLine]


class Ends:
    """The values that get no gradient, in the computation so far.

    Attributes:
        lines: the nodes of values to which no gradient comes yet, newest last, each with the line that
            used it where none goes back; None where nothing has used it.
        tested: of these, those whose line gives way to the next, as it only compared them.
        cuts: of what was detached, or drawn, each a `Cut`, by its memory.
        used: PyTorch's leaves to which gradients were to come, by identity.
    """

    def __init__(self) -> None:
        self.lines: dict[Node, SourceLine | None] = {}
        self.tested: WeakSet[Node] = WeakSet()
        self.cuts: dict[Any, Cut] = {}
        self.used: dict[int, torch.Tensor] = {}

    def note_result(self, value: Tensor) -> None:
        """Note a new value with a gradient, which no call has used yet."""
        self.lines[value.node] = None

    def note_end(self, ours: Tensor, tested: bool = False) -> None:
        """Note the line, if a value to which no gradient comes yet is used where none goes back. One
        that only `tested` it gives way to the next; so does that which made it, as PyTorch detaches
        results that it saves."""
        if not ours.requires_grad or (node := ours.node) not in self.lines:
            return
        if self.lines[node] is None or (node in self.tested and not tested):
            line = self.lines[node] = source_line()
            made_it = node.note is not None and node.note.line == line
            (self.tested.add if tested or made_it else self.tested.discard)(node)

    def note_use(self, call: AtenCall, learns: bool) -> None:
        """Note that a call uses its arguments; `learns`: a gradient goes back from its results."""
        for tensor, ours in call.pairs:
            if not learns:
                self.note_end(ours, tested=_are_booleans(call.outputs))
            elif ours.requires_grad:
                self.lines.pop(ours.node, None)
                if collects(tensor):
                    self.used[id(tensor)] = tensor
        while len(self.lines) > MOST:
            del self.lines[next(iter(self.lines))]

    def note_cut(self, array: np.ndarray, sources: list[Tensor]) -> None:
        """Note an array that was detached, or drawn, and the values that it was made of."""
        lines = self.cuts.setdefault(memory_of(array), Cut(array, sources, [])).lines
        lines += [line for line in [source_line()] if line is not None and line not in lines]

    def lines_of(self, value: np.ndarray | None) -> list[SourceLine]:
        """The lines that detached a value, if some did."""
        return self.cuts[memory_of(value)].lines if memory_of(value) in self.cuts else []

    def cut_of(self, value: np.ndarray) -> Cut | None:
        """The cut that gave a value; or one of the same numbers, about, as after `numpy()`."""
        known = self.cuts.get(memory_of(value))
        alike = (c for c in self.cuts.values() if c.array.shape == value.shape and value.any())
        return known or next((c for c in alike if np.allclose(c.array, value, 1e-4)), None)

    def of_leaves(self) -> dict[Node, SourceLine | None]:
        """For each leaf, the line at which the newest value computed from it lost its gradient."""
        lines: dict[Node, SourceLine | None] = {}
        for end, line in reversed(self.lines.items()):
            for node in order([end]):
                if node.operation is None:
                    lines.setdefault(node, line)
        return lines


def _are_booleans(outputs: list[Any]) -> bool:
    return all(isinstance(y, torch.Tensor) and y.dtype == torch.bool for y in outputs)
