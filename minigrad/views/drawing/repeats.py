"""Equal parts of a graph: six layers that differ in their numbers alone are drawn once ("× 6")."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...ran import words
from ...ran.data import GraphData, GraphEdge, Ref
from .blocks import Block

LONGEST = 32  # the most items that a repeated part may have, and
LONGEST_OF_MANY = 8  # where thousands would have to be compared


class _ItemRow(NamedTuple):
    """The items of a block: what each looks like, and the place at which it starts (and the end)."""

    items: list[int | Block]
    looks: list[int]
    starts: list[int]


class _Repetition(NamedTuple):
    """A sequence of items that comes several times: how many items, how often, and whether in a chain.

    In a chain each time takes from the one before what the first takes from elsewhere, and only the last
    gives to what follows; side by side, all take from and give to the same.
    """

    length: int
    times: int
    chained: bool


ONCE = _Repetition(1, 1, False)


class _LeftOut(NamedTuple):
    """A node that is not drawn: its group of repetitions, its turn, and the node drawn in its place."""

    group: int
    time: int
    first: int


class RepeatFinder:
    """Finds parts that are equal inside, and connected to the rest in the same way.

    Every node has a place in one order in which each block is an interval, so that the places in two
    equal blocks differ by a constant.
    """

    def __init__(self, graph: GraphData, root: Block):
        self.graph = graph
        self.groups: list[tuple[int, int]] = []  # where the first time begins, and how long it is
        self.left_out: dict[int, _LeftOut] = {}
        self.nodes = list(root.members())
        self.place = {n: i for i, n in enumerate(self.nodes)}
        self.into: dict[int, list[GraphEdge]] = {n: [] for n in self.nodes}
        self.out: dict[int, list[GraphEdge]] = {n: [] for n in self.nodes}
        for e in graph.edges:
            self.into[e.target].append(e)
            self.out[e.source].append(e)
        self.numbers: dict[Any, int] = {}  # of what looks alike
        self.look: dict[Block, int] = {}  # the number of its look
        self.size: dict[Block, int] = {}
        self._measure(root)

    def _measure(self, block: Block) -> int:
        """Count the places of a block, and note its look: blocks that look alike have equal numbers."""
        inside = [self._look_of(n) for n in block.leaves]
        size = len(block.leaves)
        for item in block.items:
            if isinstance(item, Block):
                size += self._measure(item)
                inside.append(self.look[item])
            else:
                size += 1
                inside.append(self._look_of(item))
        box = None if block.box is None else self.graph.box(block.box)
        kind = (box.type or box.name) if box is not None else ""
        self.look[block] = self._number((block.kind, kind, tuple(inside)))
        self.size[block] = size
        return size

    def _look_of(self, number: int) -> int:
        """The number of what a node looks like: its kind, operation and shape, constants and options."""
        node = self.graph[number]
        constants = [
            a if isinstance(a, Ref) else words.literal(a)
            for a in node.arguments
            if node.operation != "getitem" and not isinstance(a, list) and not _refers(a)
        ]
        options = [(k, words.literal(v)) for k, v in node.options.items()]
        outline = (node.kind, node.operation, node.shape, node.dtype, len(self.into[number]))
        return self._number((outline, tuple(constants), tuple(options)))

    def _number(self, look: object) -> int:
        return self.numbers.setdefault(look, len(self.numbers))

    def representative(self, n: int) -> int:
        """The node that is drawn for `n`."""
        while n in self.left_out:
            n = self.left_out[n].first
        return n

    def within_one_time(self, e: GraphEdge) -> bool:
        """Tell whether an edge does not lead from one time of a repeated part to another."""
        source, target = self._times(e.source), self._times(e.target)
        for group in source.keys() | target.keys():
            a, b = self._time(e.source, source, group), self._time(e.target, target, group)
            if a is not None and b is not None and a != b:
                return False
        return True

    def _times(self, n: int) -> dict[int, int]:
        """The groups from which `n` is left out, and for each of them the time at which it comes."""
        times = {}
        while n in self.left_out:
            group, time, n = self.left_out[n]
            times[group] = time
        return times

    def _time(self, n: int, times: dict[int, int], group: int) -> int | None:
        """The time of a group in which `n` lies, the first being 0; None outside the group."""
        if group in times:
            return times[group]
        start, size = self.groups[group]
        return 0 if start <= self.place[self.representative(n)] < start + size else None

    def fold_all(self, root: Block) -> None:
        """Fold everything inside `root`, the outermost parts first."""
        waiting = [root]
        while waiting:
            block = waiting.pop()
            self.fold(block)
            waiting += (item for item in block.items if isinstance(item, Block))

    def fold(self, block: Block) -> None:
        """Replace equal items in a row, or equal sequences of items, by one of them."""
        row = self._row(block)
        folded: list[int | Block] = []
        i = 0
        while i < len(row.items):
            repetition = self._longest(row, i)
            folded.append(row.items[i] if repetition == ONCE else self._once(row, i, repetition))
            i += repetition.length * repetition.times
        block.items = folded

    def _once(self, row: _ItemRow, i: int, repetition: _Repetition) -> Block:
        """The block that is drawn for a repetition from item `i` on; only its first time is in it."""
        length, times, chained = repetition
        start, size = row.starts[i], row.starts[i + length] - row.starts[i]
        for k in range(1, times):
            for j in range(start, start + size):
                first = self.nodes[j]
                self.left_out[self.nodes[j + k * size]] = _LeftOut(len(self.groups), k, first)
        self.groups.append((start, size))
        unit, last = row.items[i : i + length], row.items[i + length * times - 1]
        if length == 1 and isinstance(unit[0], Block) and isinstance(last, Block):
            once, once.last = unit[0], last.title
        else:
            once = Block("repeat", "", items=unit)
        once.times, once.chained = times, chained
        return once

    def _row(self, block: Block) -> _ItemRow:
        """The items of a block as they are compared."""
        looks, starts = [], [0]
        for item in block.items:
            looks.append(self.look[item] if isinstance(item, Block) else self._look_of(item))
            starts.append(starts[-1] + (self.size[item] if isinstance(item, Block) else 1))
        first = next(iter(block.items), None)
        if first is not None:
            offset = self.place[next(first.members()) if isinstance(first, Block) else first]
            starts = [offset + n for n in starts]
        return _ItemRow(block.items, looks, starts)

    def _longest(self, row: _ItemRow, i: int) -> _Repetition:
        """The repetition from item `i` on that covers most items."""
        best, covered = ONCE, 0
        looks = row.looks
        longest = LONGEST if len(looks) < 5000 else LONGEST_OF_MANY
        for length in range(1, min(longest, (len(looks) - i) // 2) + 1):
            unit = looks[i : i + length]
            if looks[i + length] != unit[0] or looks[i + length : i + 2 * length] != unit:
                continue
            if covered and length % best.length == 0:
                continue  # the same again, twice at a time
            times, chained = self._alike(row, i, length)
            if length * times > covered and self._worthwhile(row.items[i : i + length], times):
                best, covered = _Repetition(length, times, chained), length * times
        return best

    def _worthwhile(self, unit: list[int | Block], times: int) -> bool:
        """Tell whether one box for all is simpler: yes for two equal modules, no for three additions."""
        if times > 1 and any(isinstance(item, Block) for item in unit):
            return True
        return times > 2 and len(unit) * times > 5

    def _alike(self, row: _ItemRow, i: int, length: int) -> tuple[int, bool]:
        """Count how often `length` items come that the rest cannot tell apart; tell if in a chain."""
        looks = row.looks
        unit = looks[i : i + length]
        start, second = row.starts[i], row.starts[i + length]
        size = second - start
        chained = self._chained(start, second)
        if chained is None:
            return 1, False
        times = 1
        while looks[i + times * length : i + (times + 1) * length] == unit:
            last = start + (times - 1) * size
            if chained and not self._outputs_alike(start, last, size, 2 * size):
                break
            if not chained and not self._outputs_alike(start, last + size, size, size):
                break
            if times > 1 and not self._inputs_alike(second, last + size, size):
                break
            times += 1
        return times, chained

    def _chained(self, start: int, second: int) -> bool | None:
        """Tell whether the unit at `second` takes from the one at `start`, and all else as that does.

        None if it takes anything from elsewhere that the first does not.
        """
        chained = False
        size = second - start
        for j in range(start, second):
            here, there = self._inputs(j, start, start), self._inputs(j + size, second, start)
            if here.keys() != there.keys():
                return None
            for argument, (origin, _) in there.items():
                if origin == "before":
                    chained = True
                elif there[argument] != here[argument]:
                    return None
        return chained

    def _inputs_alike(self, a: int, b: int, size: int) -> bool:
        """Tell whether the units that begin at `a` and `b` take the same from the same."""
        return all(
            self._inputs(a + i, a, a - size) == self._inputs(b + i, b, b - size)
            for i in range(size)
        )

    def _outputs_alike(self, a: int, b: int, size: int, near: int) -> bool:
        """Tell whether they give the same to the same, beyond the first `near` places of each."""
        return all(
            self._outputs(a + i, a + near) == self._outputs(b + i, b + near) for i in range(size)
        )

    def _inputs(self, i: int, at: int, before: int) -> dict[tuple, tuple[str, int]]:
        """Return where the arguments of the node at place `i` come from, counted from its unit's start.

        The unit before it starts at the place `before`, which is `at` itself where there is none.
        """
        origins = {}
        for e in self.into[self.nodes[i]]:
            source = self.place[e.source]
            if source < before:
                origin = ("elsewhere", source)
            else:
                origin = ("inside" if source >= at else "before", source - at)
            origins[e.position, e.item] = origin
        return origins

    def _outputs(self, i: int, end: int) -> set[tuple]:
        """List the nodes and arguments that the node at place `i` gives to, from place `end` on."""
        edges = self.out[self.nodes[i]]
        return {(e.target, e.position) for e in edges if self.place[e.target] >= end}


def _refers(argument: object) -> bool:
    """Tell whether an argument is a node, or has nodes in it."""
    return isinstance(argument, Ref) or (
        isinstance(argument, tuple) and any(isinstance(a, Ref) for a in argument)
    )
