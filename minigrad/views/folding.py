"""The parts of a graph that a drawing shows: boxes open or closed, equal parts once.

A drawing of ten thousand operations shows nothing. `plan` turns a graph into a tree of blocks, shows
equal parts in a row once ("× 6"), and closes boxes until what is left can be taken in.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from . import text
from .data import Edge, GraphData, GraphNode, Ref

LONGEST = 32  # the most items that a repeated part may have, and
LONGEST_OF_MANY = 8  # where thousands would have to be compared
ENDLESS = 10**9


@dataclasses.dataclass(eq=False)
class Block:
    """A box of a drawing: a module's call, a definition's, or a part that this module made.

    Attributes:
        kind: "module", "definition", "repeat" (several items that come again) or "group".
        title: what it is headed by.
        box: the number of the graph's box, or None.
        items: operations, by their numbers, and blocks, in order of creation.
        leaves: the nodes in it that no operation made.
        times: how often it comes, and `chained` whether each time goes on from the one before.
        last: the title of the last time.
        open: whether its inside is shown.
    """

    kind: str
    title: str
    box: int | None = None
    items: list[Any] = dataclasses.field(default_factory=list)
    leaves: list[int] = dataclasses.field(default_factory=list)
    times: int = 1
    chained: bool = False
    last: str = ""
    open: bool = True

    def members(self) -> Iterator[int]:
        """Every node inside, the leaves of each block before its operations."""
        yield from self.leaves
        for item in self.items:
            if isinstance(item, Block):
                yield from item.members()
            else:
                yield item


Shown = int | Block  # a node, or the closed block that it is in


class Link(NamedTuple):
    """An arrow of a drawing: one edge, or all those between two things, one of them a block.

    `edge` is None for several; a gradient goes back along the arrow if it is `differentiable`.
    """

    source: Shown
    target: Shown
    edge: Edge | None
    differentiable: bool


class Plan(NamedTuple):
    """The content of a drawing.

    Attributes:
        root: the block around everything.
        links: the arrows.
        uses: for each node that is not left out, those that use it or the nodes it stands for.
        results: the nodes that are, or stand for, what the graph was asked for.
        notes: what the reader is told of what is not shown.
    """

    root: Block
    links: list[Link]
    uses: dict[int, set[int]]
    results: set[int]
    notes: list[str]


def plan(graph: GraphData, depth: int | None, fold: bool, budget: int) -> Plan:
    """Choose what to show of `graph`: boxes open `depth` deep, and no more than `budget` nodes."""
    root = _tree(graph)
    folder = _Folder(graph, root)
    if fold:
        folder.fold_all(root)
    notes = _close(graph, root, depth, budget)
    if folder.groups:
        notes.append("equal parts are drawn once")
    shown: dict[int, Shown] = {}
    _show(root, shown)
    uses: dict[int, set[int]] = {}
    for e in graph.edges:
        source, target = folder.representative(e.source), folder.representative(e.target)
        uses.setdefault(source, set()).add(target)
    results = {folder.representative(n) for n in graph.roots}
    return Plan(root, _links(graph, shown, folder), uses, results, notes)


def _show(block: Block, shown: dict[int, Shown]) -> None:
    """Note for each node that is not left out what stands for it."""
    shown.update((n, n) for n in block.leaves)
    for item in block.items:
        if not isinstance(item, Block):
            shown[item] = item
        elif item.open:
            _show(item, shown)
        else:
            shown.update((n, item) for n in item.members())


def _links(graph: GraphData, shown: dict[int, Shown], folder: _Folder) -> list[Link]:
    """An arrow for each edge between nodes; one for all edges between a block and something."""
    links: list[Link] = []
    merged: dict[tuple[Shown, Shown], bool] = {}
    drawn: set[tuple[Shown, Shown]] = set()
    for e in graph.edges:
        source, target = shown.get(e.source), shown.get(e.target)
        if source == e.source and target == e.target:
            links.append(Link(source, target, e, e.differentiable))
            drawn.add((source, target))
        elif folder.within_one_time(e):
            source = shown[folder.representative(e.source)] if source is None else source
            target = shown[folder.representative(e.target)] if target is None else target
            if source is not target:
                ends = source, target
                merged[ends] = merged.get(ends, False) or e.differentiable
    links += (Link(*ends, None, d) for ends, d in merged.items() if ends not in drawn)
    return links


# --- the tree -------------------------------------------------------------------------------------


def _tree(graph: GraphData) -> Block:
    """The graph's boxes as blocks; those that would only surround one thing are left out."""
    root = Block("root", graph.title)
    blocks: dict[int | None, Block] = {None: root}

    def block_of(number: int | None) -> Block:
        if number is not None and number not in blocks:
            box = graph.box(number)
            blocks[number] = Block(box.kind, box.title, number)
            block_of(box.parent).items.append(blocks[number])
        return blocks[number]

    leaves = [n for n in graph.nodes if n.kind != "operation" or n.outside]
    for node in graph.nodes:
        if node.kind == "operation" and not node.outside:
            block_of(node.box).items.append(node.number)
    for node in leaves:  # later, so that the blocks are in the order of their operations
        block_of(node.box).leaves.append(node.number)
    for number in sorted((b for b in blocks if b is not None), reverse=True):
        _simplify(blocks[number])
    _simplify(root)
    return root


def _simplify(block: Block) -> None:
    """Take a lonely operation out of its definition, and a lonely definition out of its box."""
    items: list[Any] = []
    for item in block.items:
        if isinstance(item, Block) and item.kind == "definition" and len(item.items) == 1:
            items += item.items
            block.leaves += item.leaves
        else:
            items.append(item)
    if block.box is not None and len(items) == 1:
        only = items[0]
        if isinstance(only, Block) and only.kind == "definition":
            items = only.items
            block.leaves += only.leaves
    block.items = items
    block.leaves.sort()


# --- equal parts ----------------------------------------------------------------------------------


class _Row(NamedTuple):
    """The items of a block: what each looks like, and the place at which it starts (and the end)."""

    items: list[Any]
    looks: list[int]
    starts: list[int]


class _Folder:
    """Finds parts that are equal inside, and connected to the rest in the same way.

    Every node has a place in one order in which each block is an interval, so that the places in two
    equal blocks differ by a constant.
    """

    def __init__(self, graph: GraphData, root: Block):
        self.graph = graph
        self.groups: list[tuple[int, int]] = []  # where the first time begins, and how long it is
        self.left_out: dict[int, tuple[int, int, int]] = {}  # node -> group, which time, first node
        self.nodes = list(root.members())
        self.place = {n: i for i, n in enumerate(self.nodes)}
        self.into: dict[int, list[Edge]] = {n: [] for n in self.nodes}
        self.out: dict[int, list[Edge]] = {n: [] for n in self.nodes}
        for e in graph.edges:
            self.into[e.target].append(e)
            self.out[e.source].append(e)
        self.numbers: dict[Any, int] = {}  # of what looks alike
        self.look: dict[Any, int] = {}  # by block, or number of a node
        self.size: dict[Any, int] = {}
        self._measure(root)

    def _measure(self, block: Block) -> int:
        """The places of a block, and what it looks like: two that look alike have equal numbers."""
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
        node = self.graph[number]
        constants = [
            a if isinstance(a, Ref) else text.literal(a)
            for a in node.arguments
            if node.operation != "getitem" and not isinstance(a, list) and not _refers(a)
        ]
        options = [(k, text.literal(v)) for k, v in node.options.items()]
        outline = (node.kind, node.operation, node.shape, node.dtype, len(self.into[number]))
        return self._number((outline, tuple(constants), tuple(options)))

    def _number(self, look: Any) -> int:
        return self.numbers.setdefault(look, len(self.numbers))

    def representative(self, n: int) -> int:
        """The node that is drawn for `n`."""
        while n in self.left_out:
            n = self.left_out[n][2]
        return n

    def within_one_time(self, e: Edge) -> bool:
        """Tell whether an edge does not lead from one time of a repeated part to another."""
        source, target = self._times(e.source), self._times(e.target)
        for group in source.keys() | target.keys():
            a, b = self._time(e.source, source, group), self._time(e.target, target, group)
            if a is not None and b is not None and a != b:
                return False
        return True

    def _times(self, n: int) -> dict[int, int]:
        """Of which groups `n` is left out, and at which time of each it comes."""
        found = {}
        while n in self.left_out:
            group, k, n = self.left_out[n]
            found[group] = k
        return found

    def _time(self, n: int, times: dict[int, int], group: int) -> int | None:
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
        folded: list[Any] = []
        i = 0
        while i < len(row.items):
            length, times, chained = self._longest(row, i)
            if times == 1:
                folded.append(row.items[i])
                i += 1
                continue
            start, size = row.starts[i], row.starts[i + length] - row.starts[i]
            for k in range(1, times):
                for j in range(start, start + size):
                    self.left_out[self.nodes[j + k * size]] = len(self.groups), k, self.nodes[j]
            self.groups.append((start, size))
            unit = row.items[i : i + length]
            i += length * times
            alone = length == 1 and isinstance(unit[0], Block)
            once = unit[0] if alone else Block("repeat", "", items=unit)
            once.times, once.chained = times, chained
            once.last = row.items[i - 1].title if alone else ""
            folded.append(once)
        block.items = folded

    def _row(self, block: Block) -> _Row:
        looks, starts = [], [0]
        for item in block.items:
            inner = isinstance(item, Block)
            looks.append(self.look[item] if inner else self._look_of(item))
            starts.append(starts[-1] + (self.size[item] if inner else 1))
        first = next(iter(block.items), None)
        if first is not None:
            offset = self.place[next(first.members()) if isinstance(first, Block) else first]
            starts = [offset + n for n in starts]
        return _Row(block.items, looks, starts)

    def _longest(self, row: _Row, i: int) -> tuple[int, int, bool]:
        """The sequence from item `i` whose repetitions cover most: its length, how often, chained."""
        best, covered = (1, 1, False), 0
        looks = row.looks
        longest = LONGEST if len(looks) < 5000 else LONGEST_OF_MANY
        for length in range(1, min(longest, (len(looks) - i) // 2) + 1):
            unit = looks[i : i + length]
            if looks[i + length] != unit[0] or looks[i + length : i + 2 * length] != unit:
                continue
            if covered and length % best[0] == 0:
                continue  # the same again, twice at a time
            times, chained = self._alike(row, i, length)
            if length * times > covered and self._worthwhile(row.items[i : i + length], times):
                best, covered = (length, times, chained), length * times
        return best

    def _worthwhile(self, unit: list[Any], times: int) -> bool:
        """Tell whether one box for all is simpler: yes for two equal modules, no for three additions."""
        if times > 1 and any(isinstance(item, Block) for item in unit):
            return True
        return times > 2 and len(unit) * times > 5

    def _alike(self, row: _Row, i: int, length: int) -> tuple[int, bool]:
        """Count how often `length` items from `i` come that the rest cannot tell apart; tell if chained.

        In a chain each takes from the one before what the first takes from elsewhere, and only the
        last gives to what follows; side by side, all take from and give to the same.
        """
        looks = row.looks
        unit = looks[i : i + length]
        start, second = row.starts[i], row.starts[i + length]
        size = second - start
        chained = False
        for j in range(start, second):
            here, there = self._inputs(j, start, start), self._inputs(j + size, second, start)
            if here.keys() != there.keys():
                return 1, False
            for argument, (origin, _) in there.items():
                if origin == "before":
                    chained = True
                elif there[argument] != here[argument]:
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
        found = {}
        for e in self.into[self.nodes[i]]:
            source = self.place[e.source]
            if source < before:
                origin = ("elsewhere", source)
            else:
                origin = ("inside" if source >= at else "before", source - at)
            found[e.position, e.item] = origin
        return found

    def _outputs(self, i: int, end: int) -> set[tuple]:
        """List the nodes and arguments that the node at place `i` gives to, from place `end` on."""
        edges = self.out[self.nodes[i]]
        return {(e.target, e.position) for e in edges if self.place[e.target] >= end}


def _refers(argument: Any) -> bool:
    """Tell whether an argument is a node, or has nodes in it."""
    return isinstance(argument, Ref) or (
        isinstance(argument, tuple) and any(isinstance(a, Ref) for a in argument)
    )


# --- closing --------------------------------------------------------------------------------------


def _close(graph: GraphData, root: Block, depth: int | None, budget: int) -> list[str]:
    """Close boxes until at most `budget` nodes are left; returns what to tell the reader."""
    deepest = _deepest(root)
    wish = deepest if depth is None else min(depth, deepest)
    for d in range(wish, -1, -1):
        for definitions in (True, False):
            _open(root, d, definitions)
            if _count(root) <= budget:
                asked = d == wish and definitions
                return [] if asked else [f"boxes are open {text.plural(d, 'level')} deep"]
    _group(graph, root, budget)
    return ["operations are grouped in order of creation"]


def _deepest(block: Block) -> int:
    inner = (_deepest(b) + (b.kind != "repeat") for b in block.items if isinstance(b, Block))
    return max(inner, default=0)


def _open(block: Block, depth: int, definitions: bool) -> None:
    for item in block.items:
        if isinstance(item, Block):
            repeat = item.kind == "repeat"
            item.open = repeat or (depth > 0 and (definitions or item.kind != "definition"))
            _open(item, depth - (not repeat), definitions)


def _count(block: Block) -> int:
    """Count the nodes that are drawn."""
    if not block.open:
        return 1
    return len(block.leaves) + sum(
        _count(item) if isinstance(item, Block) else 1 for item in block.items
    )


def _group(graph: GraphData, root: Block, budget: int) -> None:
    """Put neighbours in the order of creation together: nothing else is left to fold."""
    most = budget // 2
    if len(root.items) > most:
        size = -(-len(root.items) // most)
        root.items = [
            Block("group", "", items=root.items[i : i + size], open=False)
            for i in range(0, len(root.items), size)
        ]
    if len(root.leaves) > most:
        _group_leaves(graph, root)
    if len(root.leaves) > most:
        root.items.insert(0, Block("group", "", leaves=root.leaves, open=False))
        root.leaves = []
    for item in root.items:
        if isinstance(item, Block) and item.kind == "group":
            item.title = _contents(graph, item.members())


def _group_leaves(graph: GraphData, root: Block) -> None:
    """Put what only one closed block uses into that block."""
    home = {n: b for b in root.items if isinstance(b, Block) and not b.open for n in b.members()}
    used_by: dict[int, set[Block | None]] = {n: set() for n in root.leaves}
    for e in graph.edges:
        if e.source in used_by:
            used_by[e.source].add(home.get(e.target))
    leaves, root.leaves = root.leaves, []
    for n in leaves:
        (block, *others) = used_by[n] or {None}
        (root if block is None or others else block).leaves.append(n)


def _contents(graph: GraphData, members: Iterable[int]) -> str:
    """`120 operations: add × 60, tanh × 60`."""
    nodes = [graph[n] for n in members]
    kinds = Counter(n.kind for n in nodes)
    operations = Counter(short_name(n) for n in nodes if n.kind == "operation")
    words = [text.plural(kinds[k], k) for k in ("operation", "parameter", "input") if kinds[k]]
    words += [f"{kinds['data']} data"] if kinds["data"] else []
    most = ", ".join(f"{name} × {k:,}" for name, k in operations.most_common(3))
    return ", ".join(words) + (f"\n{most}" if most else "")


def short_name(node: GraphNode) -> str:
    """The name of a node's operation without `np.`."""
    return node.operation.removeprefix("np.")
