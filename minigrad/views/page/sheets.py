"""The layout of the drawings of a page: each box laid out once, by Graphviz.

A sheet is one drawing: of the whole graph, of one box, or of a part that only the drawing made. What
is shown in it is chosen by `folding.plan`, so it opens as many boxes as fit; the closed ones are
sheets of their own. The scripts of the page call each a view. Graphviz is given the sizes of the cards
and no text that it would have to measure.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator
from typing import Any

from ...ran import words
from ...ran.data import GraphData, GraphNode
from ..drawing import drawing, folding
from ..drawing.blocks import Block
from ..text import listing
from .packing import table

BUDGET = 44  # cards in a drawing
OUTLINE, FEW = 22, 8  # cards in that of the whole at most, and at least, if it is not `LEGIBLE`
LEGIBLE = 1400, 1100  # width and height of a drawing that can be read when it is seen whole
LONGEST = 30  # letters on a card
LETTER, SMALL_LETTER = 7.9, 7.0  # the widths of a letter in each of its two lines
CARD, BOX, PILL = 68, 76, 26  # heights: of a node, of a closed box, of a node from outside
WRITTEN_OUT, IN_A_ROW = 6, 3  # numbers of an array that a card writes out, and of a row of these
CELL, ROW = 47, 17  # the width and height of one of them
POINTS = 72  # to Graphviz's inch
NO_ENGINE = (
    "No Graphviz was found when this page was written, so tables stand in for the drawings; "
    "pip install pygraphviz brings one."
)


@dataclasses.dataclass(eq=False)
class DrawingSheet:
    """One drawing: the part of the graph, and how the reader comes to it.

    Attributes:
        name: "all", "box3" or "part1".
        title: what it is headed by.
        graph: the part of the graph that it shows.
        around: the name of the sheet in which it is a box; "" for the whole.
        box: the number of the graph's box, or None.
    """

    name: str
    title: str
    graph: GraphData
    around: str
    box: int | None = None


def sheets(graph: GraphData) -> list[dict[str, Any]]:
    """Every drawing of `graph`, the whole first, as data: see `_written`.

    The page opens with the whole. Of a large model it is an outline, that can be read at once; the boxes
    in it open one level after the other.
    """
    edges = {id(e): i for i, e in enumerate(graph.edges)}
    waiting = [DrawingSheet("all", graph.title or "the whole graph", graph, "")]
    made: list[dict[str, Any]] = []
    layouts: dict[str, dict[str, Any] | None] = {}
    while waiting:
        sheet = waiting.pop(0)
        writer = _SheetWriter(sheet, folding.plan(sheet.graph, None, False, BUDGET), edges)
        written = _written(writer, layouts)
        if not sheet.around and any(n > most for n, most in zip(written.get("size", ()), LEGIBLE)):
            plan = folding.plan(sheet.graph, None, False, OUTLINE)
            outline = _SheetWriter(sheet, plan, edges)
            if len(outline.cards) >= FEW:
                writer, written = outline, _written(outline, layouts)
        made.append(written)
        waiting += writer.inner()
    return made


def _boxes_inside(graph: GraphData, box: int | None, own: set[int]) -> set[int]:
    """The boxes inside `box`; without one, those of which all nodes are among `own`."""
    inside: set[int] = set()
    if box is None:
        around: dict[int, bool] = {}
        parents = {b.number: b.parent for b in graph.boxes}
        for n in graph.nodes:
            outer = n.box
            while outer is not None:
                around[outer] = around.get(outer, True) and n.number in own
                outer = parents[outer]
        return {number for number, whole in around.items() if whole}
    for b in graph.boxes:  # those around come before those inside
        if b.parent == box or b.parent in inside:
            inside.add(b.number)
    return inside


# --- one drawing ----------------------------------------------------------------------------------


def _written(writer: _SheetWriter, layouts: dict[str, dict[str, Any] | None]) -> dict[str, Any]:
    """A sheet as data.

    `cards` has each thing drawn: its key (a node's number, or the name of a closed box's sheet), width
    and height, and where there is a layout its place. `frames` has the open boxes too. `arrows`
    have the keys of both ends, the number of the edge that each stands for (None for several), and
    their path. All three are tables (see `packing.table`).
    """
    dot = writer.dot()
    if dot not in layouts:  # equal blocks have equal sizes, and so one layout
        data = drawing.rendered(dot, "json0")
        layouts[dot] = None if data is None else json.loads(data)
    placed = layouts[dot]
    sheet = writer.sheet
    made = {
        "name": sheet.name, "title": sheet.title, "around": sheet.around, "box": sheet.box,
        "outside": [n.number for n in sheet.graph.nodes if n.outside], "closed": writer.closed,
        "results": sorted(writer.plan.results),
    }  # fmt: skip
    return made | (writer.unplaced() if placed is None else writer.placed(placed))


class _SheetWriter:
    """Writes a sheet for Graphviz, its cards named v0, v1 ..., so that equal drawings are equal."""

    def __init__(self, sheet: DrawingSheet, plan: folding.FoldPlan, edges: dict[int, int]):
        self.sheet = sheet
        self.graph = sheet.graph
        self.plan = plan
        self.edges = edges
        self.cards: list[dict[str, Any]] = []
        self.frames: list[dict[str, Any]] = []
        self.closed: dict[str, dict[str, Any]] = {}
        self.lines: list[str] = []
        self.names: dict[Any, str] = {}  # in DOT, by node or block
        self.keys: dict[Any, Any] = {}
        self._inside(plan.root, 1)

    def inner(self) -> Iterator[DrawingSheet]:
        """The sheets of the boxes directly inside this one, open and closed."""
        for item in self.plan.root.items:
            if isinstance(item, Block) and item.items:
                own = set(item.members())
                inside = self.graph.part(own, _boxes_inside(self.graph, item.box, own))
                title = _heading(item)
                yield DrawingSheet(self.keys[item], title, inside, self.sheet.name, item.box)

    def dot(self) -> str:
        lines = [
            "digraph sheet {",
            '  graph [rankdir=TB, nodesep=0.2, ranksep=0.36, fontname="Helvetica", fontsize=11];',
            '  node [shape=box, fixedsize=true, label=""];',
            "  edge [arrowsize=0.6];",
            *self.lines,
        ]
        for i, link in enumerate(self.plan.links):
            lines.append(f"  {self.names[link.source]} -> {self.names[link.target]} [id=e{i}];")
        return "\n".join([*lines, "}"])

    def placed(self, layout: dict[str, Any]) -> dict[str, Any]:
        """The drawing as Graphviz laid it out; it counts upwards from the bottom, a page downwards."""
        width, height = map(float, layout["bb"].split(",")[2:])
        found = {o["name"]: o for o in layout.get("objects", ())}
        cards = []
        for i, card in enumerate(self.cards):
            x, y = map(float, found[f"v{i}"]["pos"].split(","))
            left, up = x - card["width"] / 2, height - y - card["height"] / 2
            cards.append(card | {"x": _short(left), "y": _short(up)})
        frames = []
        for i, frame in enumerate(self.frames):
            left, bottom, right, top = map(float, found[f"cluster_{i}"]["bb"].split(","))
            place = {"x": left, "y": height - top, "width": right - left, "height": top - bottom}
            frames.append(frame | {name: _short(v) for name, v in place.items()})
        paths = {e["id"]: _path(e["pos"], height) for e in layout.get("edges", ())}
        arrows = [arrow | {"path": paths[f"e{i}"]} for i, arrow in enumerate(self._arrows())]
        return {
            "size": [math.ceil(width), math.ceil(height)],
            "cards": table(cards), "frames": table(frames), "arrows": table(arrows),
        }  # fmt: skip

    def unplaced(self) -> dict[str, Any]:
        """The drawing without places, where there is no Graphviz: the page shows it as tables."""
        return {
            "cards": table(self.cards), "frames": table(self.frames), "arrows": table(self._arrows()),
        }  # fmt: skip

    def _arrows(self) -> list[dict[str, Any]]:
        return [
            {
                "source": self.keys[link.source],
                "target": self.keys[link.target],
                "edge": self.edges.get(id(link.edge)),
            }
            for link in self.plan.links
        ]

    def _inside(self, block: Block, level: int) -> None:
        for n in block.leaves:
            self._node(self.graph[n], level)
        for item in block.items:
            if not isinstance(item, Block):
                self._node(self.graph[item], level)
            elif item.open:
                self._frame(item, level)
            else:
                self._box(item, level)

    def _card(self, shown: Any, key: Any, width: float, height: int, level: int) -> None:
        width = 12 * math.ceil(width / 12)
        name = self.names[shown] = f"v{len(self.cards)}"
        self.keys[shown] = key
        self.cards.append({"key": key, "width": width, "height": height})
        size = f"width={width / POINTS:.4f}, height={height / POINTS:.4f}"
        self.lines.append(f"{'  ' * level}{name} [{size}];")

    def _node(self, node: GraphNode, level: int) -> None:
        if node.outside:
            width = len(label(node)) * SMALL_LETTER + 20
            self._card(node.number, node.number, width, PILL, level)
            return
        title = words.shortened(headline(self.graph, node), LONGEST)
        number = len(f"#{node.number}") + 1  # in the corner
        shape = len(words.shape(node.shape)) + 2 * len(node.shape) + number
        rows, columns = cells(node.shape)
        least = 24 + 2 * max(columns * CELL, 40)  # for the value, and beside it the gradient
        width = max(least, len(title) * LETTER + 18, shape * SMALL_LETTER + 18)
        self._card(node.number, node.number, width, CARD + (rows - 1) * ROW, level)

    def _frame(self, block: Block, level: int) -> None:
        heading = _heading(block)
        i = len(self.frames)
        self.frames.append({"key": self._key(block), "title": heading, "kind": block.kind})
        indent = "  " * level
        self.lines.append(f"{indent}subgraph cluster_{i} {{")
        width = "m" * math.ceil(len(heading) * 0.66)  # to be measured by Graphviz
        self.lines.append(f'{indent}  graph [margin=10, labeljust=l, label="{width}"];')
        self._inside(block, level + 1)
        self.lines.append(f"{indent}}}")

    def _box(self, block: Block, level: int) -> None:
        key = self._key(block)
        nodes = [self.graph[n] for n in block.members()]
        lines = [words.shortened(line, LONGEST + 8) for line in _title_lines(block)]
        self.closed[key] = {
            "kind": block.kind, "lines": lines, "gives": sorted(self.plan.given_out(block)),
            "operations": sum(n.kind == "operation" for n in nodes),
            "learned": self.plan.learned(block),
        }  # fmt: skip
        self._card(block, key, max(132, *(len(line) * LETTER + 36 for line in lines)), BOX, level)

    def _key(self, block: Block) -> str:
        """The name of a block's own sheet."""
        part_number = len(self.closed) + len(self.frames)
        key = f"box{block.box}" if block.box is not None else f"{self.sheet.name}-{part_number}"
        self.keys[block] = key
        return key


def cells(shape: tuple[int, ...]) -> tuple[int, int]:
    """The rows and columns in which a card writes out an array's numbers; (1, 0) where it draws them."""
    n = math.prod(shape)
    if not 0 < n <= WRITTEN_OUT:
        return 1, 0
    columns = shape[-1] if shape and len(shape) > 1 and shape[-1] <= IN_A_ROW else min(n, IN_A_ROW)
    return -(-n // columns), columns


def _title_lines(block: Block) -> list[str]:
    """A closed box's name, and its kind."""
    if block.kind == "group":
        return block.title.split("\n")
    name, _, kind = block.title.partition(": ")
    return [words.visible(line) for line in (name, kind) if line]


def _heading(block: Block) -> str:
    return words.visible(block.title)


def label(node: GraphNode) -> str:
    """A short name for a node among others."""
    return words.shortened(words.visible(node.short), 24)


def headline(graph: GraphData, node: GraphNode) -> str:
    """Return the first line of a card: the name, and the operation on its arguments."""
    if node.kind != "operation":
        return label(node) if node.label else f"{node.role} #{node.number}"
    called = lambda number: label(graph[number])
    made = words.visible(listing.expression(node, called)).removeprefix("np.")
    return f"{label(node)} = {made}" if node.label else made


def _path(pos: str, height: float) -> str:
    """An arrow's curve as SVG has it, its last point that of the arrow's head."""
    points = pos.split(" ")
    end = None
    if points[0].startswith("e,"):
        end = points.pop(0)[2:]
    pairs = [tuple(map(float, p.split(","))) for p in (*points, *([end] if end else []))]
    at = [f"{_short(x)} {_short(height - y)}" for x, y in pairs]
    curve = at[1 : len(points)]
    tail = f"L{at[-1]}" if end else ""
    return f"M{at[0]}C{' '.join(curve)}{tail}"


def _short(x: float) -> float | int:
    rounded = round(x, 1)
    return int(rounded) if rounded == int(rounded) else rounded
