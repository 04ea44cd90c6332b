"""The parts of a graph that a drawing shows: boxes open or closed, equal parts once.

A drawing of ten thousand operations shows nothing. `plan` turns a graph into a tree of blocks, shows
equal parts in a row once ("× 6"), and closes boxes until what is left can be taken in.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ...engine.source import SourceLine
from ...ran import words
from ...ran.data import GraphData, GraphEdge, GraphNode
from .blocks import Block, Shown, tree, walk_blocks
from .repeats import RepeatFinder

NAMED = 3  # parts in the name of a group
LONGEST = 40  # letters of a line in it


class Link(NamedTuple):
    """An arrow of a drawing: one edge, or all those between two things, one of them a block.

    `edge` is None for several; a gradient goes back along the arrow if it is `differentiable`.
    """

    source: Shown
    target: Shown
    edge: GraphEdge | None
    differentiable: bool


class FoldPlan(NamedTuple):
    """The content of a drawing.

    Attributes:
        graph: what it is a drawing of.
        root: the block around everything.
        links: the arrows.
        uses: for each node that is not left out, those that use it or the nodes it stands for.
        results: the nodes that are, or stand for, what the graph was asked for.
        notes: what the reader is told of what is not shown.
    """

    graph: GraphData
    root: Block
    links: list[Link]
    uses: dict[int, set[int]]
    results: set[int]
    notes: list[str]

    def given_out(self, block: Block) -> list[int]:
        """The nodes in a block that something outside uses, or that the graph was asked for."""
        members = list(block.members())
        inside = set(members)
        return [n for n in members if n in self.results or not self.uses.get(n, set()) <= inside]

    def learned(self, block: Block) -> int:
        """Count the numbers that are learned in a block, in all its repetitions."""
        leaves = (self.graph[n] for n in block.leaves)
        own = sum(math.prod(n.shape) for n in leaves if n.kind == "parameter")
        blocks = (item for item in block.items if isinstance(item, Block))
        return block.times * (own + sum(map(self.learned, blocks)))


def plan(graph: GraphData, depth: int | None, fold: bool, budget: int) -> FoldPlan:
    """Choose what to show of `graph`: boxes open `depth` deep, and no more than `budget` nodes."""
    root = tree(graph)
    repeats = RepeatFinder(graph, root)
    if fold:
        repeats.fold_all(root)
    notes = _close(graph, root, depth, budget)
    if repeats.groups:
        notes.append("equal parts are drawn once")
    uses: dict[int, set[int]] = {}
    for e in graph.edges:
        source, target = repeats.representative(e.source), repeats.representative(e.target)
        uses.setdefault(source, set()).add(target)
    results = {repeats.representative(n) for n in graph.roots}
    return FoldPlan(graph, root, _links(graph, root, repeats), uses, results, notes)


def _stand_ins(root: Block) -> dict[int, Shown]:
    """For each node that is not left out, the thing that is drawn for it: itself, or a closed block."""
    stand_ins: dict[int, Shown] = {}
    for item, *_ in walk_blocks(root):
        if not isinstance(item, Block):
            stand_ins[item] = item
        elif not item.open:
            stand_ins.update((n, item) for n in item.members())
    return stand_ins


def _links(graph: GraphData, root: Block, repeats: RepeatFinder) -> list[Link]:
    """An arrow for each edge between nodes; one for all edges between a block and something."""
    stand_ins = _stand_ins(root)
    links: list[Link] = []
    merged: dict[tuple[Shown, Shown], bool] = {}
    drawn: set[tuple[Shown, Shown]] = set()
    for e in graph.edges:
        source, target = stand_ins.get(e.source), stand_ins.get(e.target)
        if source == e.source and target == e.target:
            links.append(Link(source, target, e, e.differentiable))
            drawn.add((source, target))
        elif repeats.within_one_time(e):
            source = stand_ins[repeats.representative(e.source)] if source is None else source
            target = stand_ins[repeats.representative(e.target)] if target is None else target
            if source is not target:
                ends = source, target
                merged[ends] = merged.get(ends, False) or e.differentiable
    links += (Link(*ends, None, d) for ends, d in merged.items() if ends not in drawn)
    return links


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
                return [] if asked else [f"boxes are open {words.plural(d, 'level')} deep"]
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


def _count(root: Block) -> int:
    """Count the nodes and closed blocks that are drawn."""
    return sum(not (isinstance(item, Block) and item.open) for item, *_ in walk_blocks(root))


def _group(graph: GraphData, root: Block, budget: int) -> None:
    """Put neighbours in the order of creation together, those of one line of code first: nothing else
    is left to fold."""
    most = budget // 2
    if len(root.items) > most:
        root.items = _by_line(graph, root.items)
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
            name, contents = _name(graph, item), _contents(graph, item.members())
            item.title = "\n".join([name, *contents.split("\n")[:1]]) if name else contents


def _by_line(graph: GraphData, items: list[int | Block]) -> list[int | Block]:
    """The items, neighbours that one line of code asked for in one block; not where that is all."""
    runs = [list(run) for _, run in itertools.groupby(items, lambda item: _line(graph, item))]
    in_groups: list[int | Block] = []
    for run in runs:
        together = len(run) > 1 and _line(graph, run[0]) is not None
        in_groups += [Block("group", "", items=run, open=False)] if together else run
    return in_groups if len(in_groups) > 1 else items


def _line(graph: GraphData, item: int | Block) -> SourceLine | None:
    """The line that asked for an item; None where there are several, and of modules."""
    if isinstance(item, Block) and item.kind == "module":
        return None
    lines = {n.line for n in _operations(graph, item)}
    return lines.pop() if len(lines) == 1 else None


def _operations(graph: GraphData, item: int | Block) -> list[GraphNode]:
    members = item.members() if isinstance(item, Block) else [item]
    return [node for n in members if (node := graph[n]).kind == "operation"]


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


def _name(graph: GraphData, group: Block) -> str:
    """The line of code that asked for a group; or else the names of the parts in it; or its lines."""
    line = _line(graph, group)
    if line is not None:
        return words.visible(words.shortened(line.text or line.place, LONGEST))
    parts = [b.title.partition(": ")[0] for b in group.items if isinstance(b, Block) and b.title]
    if parts:
        more = "" if len(parts) <= NAMED else f" and {len(parts) - NAMED} more"
        return words.visible(", ".join(parts[:NAMED]) + more)
    lines = sorted({n.line for n in _operations(graph, group) if n.line is not None})
    if not lines or len({line.file for line in lines}) > 1:
        return ""
    return words.visible(f"{lines[0].place} to {lines[-1].number}")


def _contents(graph: GraphData, members: Iterable[int]) -> str:
    """`120 operations: add × 60, tanh × 60`."""
    nodes = [graph[n] for n in members]
    kinds = Counter(n.kind for n in nodes)
    operations = Counter(short_name(n) for n in nodes if n.kind == "operation")
    counts = [words.plural(kinds[k], k) for k in ("operation", "parameter", "input") if kinds[k]]
    counts += [f"{kinds['data']} data"] if kinds["data"] else []
    most = ", ".join(f"{name} × {k:,}" for name, k in operations.most_common(3))
    return ", ".join(counts) + (f"\n{most}" if most else "")


def short_name(node: GraphNode) -> str:
    """The name of a node's operation without `np.`."""
    return node.operation.removeprefix("np.")
