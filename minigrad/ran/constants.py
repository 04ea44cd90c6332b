"""Constants: numbers of a graph that Python or NumPy made, and the nodes that they may be made of.

    scale = float(np.max(x).detach())  # numbers of x are taken out of the graph
    y = x / scale                      # and come back, as a number that its line does not have

Such a number is not computed again when x changes. Nothing tells how it was made. So it may be made of
all numbers taken out before it came up, in the same code: the user's, or one call of a definition.

Plain results, such as `x > 0`, are followed. Python makes no number of them unseen, but NumPy may make
an array: `np.array([n, m])`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays.identity import memory_of
from ..engine.modes import Box, outward
from ..engine.node import Node
from ..engine.source import SourceLine
from .numbers_in_code import numbers_in_line
from .reached import Reached
from .recording import BoxNote, TakenOut, flat, is_plain

SETTINGS = {  # arguments that say which elements, and not what numbers: a page never changes shapes
    "axis", "axes", "axis1", "axis2", "axisa", "axisb", "axisc", "shape", "source", "destination",
    "start", "offset", "k", "m", "reps", "repeats", "indices_or_sections", "pad_width", "widths", "A",
    "subscripts",
}  # fmt: skip


class TakenOutOf(NamedTuple):
    """Numbers taken out, and the nodes of the graph, by number, that they were of."""

    taken: TakenOut
    nodes: list[int]


class Constants:
    """The nodes that the constants of a graph may be made of.

    Attributes:
        calls, number: of the graph: the arguments of each operation, and the number of each node.
        holding: the node that has an array, by the identity of the array.
        arguments: the nodes of what the recorded function was called with.
        taken_out: the numbers taken out that a constant may be made of.
        before: of each node, those that it, or a constant that it was called with, may be made of.
        ids: the numbers of leaves that a mask may be made of: the user's arrays of integers, and what
            the function was called with.
    """

    def __init__(self, reached: Reached):
        self.calls, self.number = reached.calls, reached.number
        self.holding = {id(reached.values.get(n)): n for n in reached.nodes}
        notes = [n.note for n in self.calls if n.note is not None]
        recordings = {id(note.recording): note.recording for note in notes if note.recording}
        self.arguments = set().union(*[recording.arguments for recording in recordings.values()])
        every = [t for recording in recordings.values() for t in recording.taken_out]
        lost = [t for t in every if not (t.inside and t.unseen)]  # the library's own code is known
        self.taken_out = [TakenOutOf(t, self._within(t)) for t in lost]
        leaves = [n for n in reached.nodes if n.operation is None and n.shape]
        own = [n for n in leaves if n.note is None or _is_from_user(n)]
        self.ids = {
            self.number[n] for n in own if n.dtype.kind in "iu" or (n in self.arguments and n.note)
        }
        self.before = {node: self._taken_out_before(node) for node in reached.nodes}

    def may_be_of(self, node: Node) -> tuple[int, ...]:
        """The nodes, by number, that the constant `node`, or one that it was called with, may be of."""
        found = {n for _, numbers in self.before[node] for n in numbers}
        if node.note is not None:
            found |= {self.number[n] for n in node.note.made_of if n in self.number}
        array = node.operation is None and node.note is not None and node.note.array is not None
        if array and self._may_be_users(node):  # maybe of ids
            found |= self.ids - {self.number[node]}
        return tuple(sorted(found))

    def taken_out_seen(self) -> list[TakenOutOf]:
        """The numbers taken out that were seen, or that a constant of the graph may be made of."""
        of_constants = {id(t) for before in self.before.values() for t, _ in before}
        return [
            one for one in self.taken_out if not one.taken.unseen or id(one.taken) in of_constants
        ]

    def _taken_out_before(self, node: Node) -> list[TakenOutOf]:
        """The numbers taken out that `node`, or a constant it was called with, may be made of."""
        before = [one for one in self.taken_out if one.taken.number < node.number]
        if not before:
            return []
        boxes, by_user, by_numpy = list(_around(node.box)), self._may_be_users(node), True
        if node.operation is not None:
            by_numpy = any(isinstance(v, (np.generic, np.ndarray)) for v in self._numbers(node))
        return [
            TakenOutOf(taken, nodes)
            for taken, nodes in before
            if (taken.node.box in boxes if taken.inside else by_user)
            if by_numpy or not taken.unseen
        ]

    def origin(self, node: Node) -> str:
        """Return "argument" or "draw" for a leaf that a recording knows as that, else ""."""
        if node in self.arguments:
            return "argument"
        return node.note.origin if node.note is not None else ""

    def _may_be_users(self, node: Node) -> bool:
        """Tell whether the user's code may have made a constant.

        It has not if the constant came up in a definition of the library that was given no array, and no
        number but those that stand in its line.
        """
        if node.note is None:
            return node.operation is None
        if node.note.inside:
            note = next((box.note for box in _around(node.box) if box.note), BoxNote(None, []))
            return any(np.ndim(v) for v in note.plain) or _hidden(note.plain, note.line)
        if node.operation is None:
            return True
        return _hidden(self._numbers(node), node.note.line)

    def _numbers(self, node: Node) -> list[Any]:
        """The numbers among the arguments and options of an operation."""
        names = getattr(node.operation, "parameters", ())
        names = (*names, *[""] * len(self.calls[node]))
        given = [*zip(names, self.calls[node]), *node.kwargs.items()]
        parts = _parts([v for name, v in given if name not in SETTINGS])
        return [v for v in parts if is_plain(v) and not np.ndim(v)]

    def _within(self, taken: TakenOut) -> list[int]:
        """The node of these numbers; if it is not in the graph, the nodes that it was computed from."""
        found, waiting = set(), [taken.node]
        if taken.node not in self.number and taken.node.operation is None:  # detached
            waiting = [self.holding.get(id(taken.value), taken.node)]
        seen = set(waiting)  # each once: over residual connections many ways lead to one node
        while waiting:
            one = waiting.pop()
            if one in self.number:
                found.add(self.number[one])
            elif one.note is not None:
                sources = {s for s in flat(one.note.sources) if isinstance(s, Node)} - seen
                seen |= sources
                waiting += sources
        return sorted(found)


def _is_from_user(leaf: Node) -> bool:
    """Tell whether an array comes from the user, and not from a definition of the library."""
    plain = [a for box in _around(leaf.box) if box.note for a in box.note.plain]
    return not leaf.note.inside or memory_of(leaf.note.array) in map(memory_of, plain)


def _around(box: Box | None) -> Iterator[Box]:
    """The calls of definitions around a node, innermost first, as far as the next module."""
    return itertools.takewhile(lambda around: isinstance(around.owner, str), outward(box))


def _parts(values: Sequence[object]) -> Iterator[Any]:
    for v in flat(values):
        yield from [v.start, v.stop, v.step] if isinstance(v, slice) else [v]


def _hidden(values: list[Any], line: SourceLine | None) -> bool:
    """Tell whether there is a number that does not stand in the line, as `2` and `2.0` do."""
    written = numbers_in_line(line) if line is not None else frozenset()
    pythons = (v.item() if isinstance(v, np.generic) else v for v in values if not np.ndim(v))
    return any(repr(abs(v)) not in written for v in pythons)
