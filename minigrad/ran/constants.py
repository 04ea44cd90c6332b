"""Constants: numbers of a graph that Python or NumPy made, and the nodes that they may be made of.

    scale = float(np.max(x).detach())  # a number made of x, which is #0, is taken out of the graph
    y = x / scale                      # and comes back: #1 has a 4.0 that does not stand in its line
    z = y * 2                          # the 2 of #2 stands there

Then #1 may be made of #0, and #2 of nothing. When x changes, 4.0 is not computed again, and nothing
tells how it was made. So a constant may be made of all numbers taken out

- before it came up,
- in the same code: the user's, or one call of a definition,
- by Python; or unseen by NumPy, as `np.array([n, m])` takes them, if NumPy may have made the constant.

Plain results, such as `x > 0`, are followed: Python makes no number of them unseen.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..arrays.identity import memory_of
from ..engine.modes import Box, outward
from ..engine.node import Node
from ..engine.source import SourceLine
from .numbers_in_code import numbers_in_line
from .reached import Reached
from .recording import BoxNote, Recording, TakenOut, flat, is_plain

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
    """The nodes that the constants of a graph may be made of. An operation has those it was called with.

    Attributes:
        calls, number: of the graph: the arguments of each operation, and the number of each node.
        arguments: the nodes of what the recorded function was called with.
        taken_out: the numbers taken out that some constant may be made of.
        sources: of each node, those that its constants may be made of.
        ids: the leaves, by number, that a mask may be made of: the user's arrays of integers, and what
            the function was called with.
    """

    def __init__(self, reached: Reached):
        self.calls, self.number = reached.calls, reached.number
        self._node_with = {id(reached.values.get(n)): n for n in reached.nodes}  # by its array
        recordings = _recordings(reached)
        self.arguments = set().union(*[recording.arguments for recording in recordings])
        all_taken = itertools.chain.from_iterable(one.taken_out for one in recordings)
        self.taken_out = [
            TakenOutOf(taken, self._nodes_of(taken))
            for taken in all_taken
            # The library makes no constants of plain results.
            if not (taken.inside and taken.unseen)
        ]
        self.ids = {self.number[n] for n in reached.nodes if self._may_become_a_mask(n)}
        self.sources = {node: self._sources(node) for node in reached.nodes}

    def origin(self, node: Node) -> str:
        """Return "argument" or "draw" for a leaf that a recording knows as that, else ""."""
        if node in self.arguments:
            return "argument"
        return node.note.origin if node.note is not None else ""

    def may_be_of(self, node: Node) -> tuple[int, ...]:
        """The nodes, by number, that the constants of `node` may be made of."""
        numbers = {n for source in self.sources[node] for n in source.nodes}
        if node.note is not None:
            numbers |= {self.number[n] for n in node.note.made_of if n in self.number}
            is_array = node.operation is None and node.note.array is not None
            if is_array and self._may_come_from_user_code(node):
                numbers |= self.ids - {self.number[node]}
        return tuple(sorted(numbers))

    def taken_out_seen(self) -> list[TakenOutOf]:
        """The numbers taken out that were seen, or that a constant of the graph may be made of."""
        of_constants = {id(source.taken) for sources in self.sources.values() for source in sources}
        return [
            one for one in self.taken_out if not one.taken.unseen or id(one.taken) in of_constants
        ]

    def _sources(self, node: Node) -> list[TakenOutOf]:
        """The numbers taken out that the constants of `node` may be made of."""
        earlier = [one for one in self.taken_out if one.taken.number < node.number]
        if not earlier:
            return []
        definitions = list(_definitions_around(node.box))
        by_user, by_numpy = self._may_come_from_user_code(node), self._may_come_from_numpy(node)

        def is_source(taken: TakenOut) -> bool:
            in_same_code = taken.node.box in definitions if taken.inside else by_user
            return in_same_code and (by_numpy or not taken.unseen)

        return [one for one in earlier if is_source(one.taken)]

    def _may_come_from_user_code(self, node: Node) -> bool:
        """Tell whether the user's code may have made a constant.

        It has not if the constant came up in a definition of the library that was given no array, and no
        number but those that stand in its line.
        """
        note = node.note
        if note is None:
            return node.operation is None
        if note.inside:
            calls = (box.note for box in _definitions_around(node.box) if box.note)
            call = next(calls, BoxNote(None, []))
            return any(np.ndim(v) for v in call.numbers) or _some_not_in_line(
                call.numbers, call.line
            )
        return node.operation is None or _some_not_in_line(self._numbers(node), note.line)

    def _may_come_from_numpy(self, node: Node) -> bool:
        """Tell whether NumPy may have made a constant: an array, or a number of NumPy's."""
        return node.operation is None or any(
            isinstance(v, (np.generic, np.ndarray)) for v in self._numbers(node)
        )

    def _numbers(self, node: Node) -> list[Any]:
        """The numbers among the arguments and options of an operation."""
        parameters = getattr(node.operation, "parameters", ())
        names = (*parameters, *[""] * len(self.calls[node]))
        arguments = [*zip(names, self.calls[node]), *node.kwargs.items()]
        values = flat([v for name, v in arguments if name not in SETTINGS])
        return [v for v in _with_ends_of_slices(values) if is_plain(v) and not np.ndim(v)]

    def _nodes_of(self, taken: TakenOut) -> list[int]:
        """The node of these numbers; if it is not in the graph, the nodes that it was computed from."""
        first = taken.node
        if first not in self.number and first.operation is None:  # detached: it has another's array
            first = self._node_with.get(id(taken.value), first)
        numbers, waiting, seen = set(), [first], {first}
        while waiting:  # each once: over residual connections many ways lead to one node
            node = waiting.pop()
            if node in self.number:
                numbers.add(self.number[node])
            elif node.note is not None:
                new = {s for s in flat(node.note.sources) if isinstance(s, Node)} - seen
                seen |= new
                waiting += new
        return sorted(numbers)

    def _may_become_a_mask(self, node: Node) -> bool:
        """Tell whether a node is a leaf that a mask may be made of."""
        if node.operation is not None or not node.shape:
            return False
        if node.note is None:
            return node.dtype.kind in "iu"
        return _is_from_user(node) and (node.dtype.kind in "iu" or node in self.arguments)


def _recordings(reached: Reached) -> list[Recording]:
    """The recordings that the operations of a graph ran under, each once."""
    notes = [node.note for node in reached.calls if node.note is not None]
    return [*{id(note.recording): note.recording for note in notes if note.recording}.values()]


def _is_from_user(leaf: Node) -> bool:
    """Tell whether an array comes from the user, and not from a definition of the library."""
    given = [a for box in _definitions_around(leaf.box) if box.note for a in box.note.numbers]
    return not leaf.note.inside or memory_of(leaf.note.array) in map(memory_of, given)


def _definitions_around(box: Box | None) -> Iterator[Box]:
    """The calls of definitions around a node, innermost first, as far as the next module."""
    return itertools.takewhile(lambda around: isinstance(around.owner, str), outward(box))


def _with_ends_of_slices(values: Iterable[Any]) -> Iterator[Any]:
    for v in values:
        yield from [v.start, v.stop, v.step] if isinstance(v, slice) else [v]


def _some_not_in_line(values: list[Any], line: SourceLine | None) -> bool:
    """Tell whether some number does not stand in the line, as `2` and `2.0` do."""
    in_line = numbers_in_line(line) if line is not None else frozenset()
    numbers = (v.item() if isinstance(v, np.generic) else v for v in values if not np.ndim(v))
    return any(repr(abs(v)) not in in_line for v in numbers)
