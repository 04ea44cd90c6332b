"""The drawings of a page: of the whole graph, of each box, and of groups that a drawing made.

`folding.plan` opens as many boxes of a drawing as fit. Each closed box has a drawing of its own.
Graphviz lays out each drawing once, here. It gets the sizes of the cards, and no text to measure.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator
from typing import Any

from ...ran import words
from ...ran.data import GraphData
from ..drawing import drawing, folding
from ..drawing.blocks import Block, Shown, walk_blocks
from . import cards
from .packing import table

BUDGET = 44  # cards in a drawing
LEGIBLE = 1400, 1100  # the largest width and height of a drawing that can be read as a whole
OUTLINE = 22  # cards of the first drawing, if all nodes are more
FEW = 8  # cards below which that outline shows too little
POINTS = 72  # to Graphviz's inch
NO_ENGINE = (
    "No Graphviz was found when this page was written, so tables stand in for the drawings; "
    "pip install pygraphviz brings one."
)

# The layout of each text in DOT; None without Graphviz.
Layouts = dict[str, "dict[str, Any] | None"]


@dataclasses.dataclass(eq=False)
class PageDrawing:
    """A drawing of a part of the graph.

    Attributes:
        name: "all", "box3" or "all-1".
        title: its heading.
        graph: the part of the graph that it shows.
        around: the name of the drawing in which it is a box; "" for the drawing of the whole.
        box: the number of its box in the graph; None for the whole, or for a group.
    """

    name: str
    title: str
    graph: GraphData
    around: str
    box: int | None = None


def drawings(graph: GraphData) -> list[dict[str, Any]]:
    """Every drawing of `graph`, the whole first, as data: see `CardWriter.data`.

    The page opens with the drawing of the whole. For a large model it is an outline that can be read at
    once, and its boxes open one level after the other.
    """
    edges = {id(e): i for i, e in enumerate(graph.edges)}
    waiting = [PageDrawing("all", graph.title or "the whole graph", graph, "")]
    data: list[dict[str, Any]] = []
    layouts: Layouts = {}
    while waiting:
        one = waiting.pop(0)
        writer = CardWriter(one, BUDGET, edges)
        written = writer.data(layouts)
        if not one.around and any(n > most for n, most in zip(written.get("size", ()), LEGIBLE)):
            outline = CardWriter(one, OUTLINE, edges)
            if len(outline.cards) >= FEW:
                writer, written = outline, outline.data(layouts)
        data.append(written)
        waiting += writer.inner()
    return data


class CardWriter:
    """Writes a drawing for Graphviz, its cards named v0, v1 ..., so that equal drawings are equal.

    Args:
        part: the drawing.
        budget: how many cards it may have.
        edges: the places of the edges in the whole graph, by their ids.

    Attributes:
        cards: for each node and closed box the `key` (a node's number, or the name of the box's own
            drawing), the `width` and the `height`.
        frames: for each open box the `key`, `title` and `kind`.
        closed: the text of the card of each closed box, by its key.
    """

    def __init__(self, part: PageDrawing, budget: int, edges: dict[int, int]):
        self.part = part
        self.graph = part.graph
        self.plan = folding.plan(part.graph, None, False, budget)
        self.edges = edges
        self.cards: list[dict[str, Any]] = []
        self.frames: list[dict[str, Any]] = []
        self.closed: dict[str, dict[str, Any]] = {}
        self.lines: list[str] = []
        self.names: dict[Shown, str] = {}  # in DOT
        self.keys: dict[Shown, int | str] = {}
        for item, _, level, ends in walk_blocks(self.plan.root):
            if ends:
                self.lines.append(f"{'  ' * level}}}")
            elif not isinstance(item, Block):
                self._card(item, item, cards.size_of_node(self.graph, self.graph[item]), level)
            elif item.open:
                self._frame(item, level)
            else:
                self._box(item, level)

    def inner(self) -> Iterator[PageDrawing]:
        """The drawings of the boxes directly inside this one, open and closed."""
        for item in self.plan.root.items:
            if isinstance(item, Block) and item.items:
                own = set(item.members())
                inside = self.graph.part(own, _boxes_inside(self.graph, item.box, own))
                title = ": ".join(map(words.visible, item.title.split("\n")))
                name = str(self.keys[item])
                yield PageDrawing(name, title, inside, self.part.name, item.box)

    # Written for Graphviz

    def dot(self) -> str:
        """The drawing in DOT. Its only texts are rows of "m", as wide as headings."""
        lines = [
            "digraph drawing {",
            '  graph [rankdir=TB, nodesep=0.2, ranksep=0.36, fontname="Helvetica", fontsize=11];',
            '  node [shape=box, fixedsize=true, label=""];',
            "  edge [arrowsize=0.6];",
            *self.lines,
        ]
        for i, link in enumerate(self.plan.links):
            lines.append(f"  {self.names[link.source]} -> {self.names[link.target]} [id=e{i}];")
        return "\n".join([*lines, "}"])

    def _card(self, shown: Shown, key: int | str, size: cards.Size, level: int) -> None:
        width = 12 * math.ceil(size.width / 12)
        name = self.names[shown] = f"v{len(self.cards)}"
        self.keys[shown] = key
        self.cards.append({"key": key, "width": width, "height": size.height})
        inches = f"width={width / POINTS:.4f}, height={size.height / POINTS:.4f}"
        self.lines.append(f"{'  ' * level}{name} [{inches}];")

    def _frame(self, block: Block, level: int) -> None:
        """Begin an open box."""
        heading = words.visible(block.title)
        i = len(self.frames)
        self.frames.append({"key": self._key(block), "title": heading, "kind": block.kind})
        indent = "  " * level
        self.lines.append(f"{indent}subgraph cluster_{i} {{")
        width = "m" * math.ceil(len(heading) * 0.66)  # Graphviz makes room for it
        self.lines.append(f'{indent}  graph [margin=10, labeljust=l, label="{width}"];')

    def _box(self, block: Block, level: int) -> None:
        """Write the card of a closed box."""
        key = self._key(block)
        nodes = [self.graph[n] for n in block.members()]
        lines = cards.box_lines(block)
        self.closed[key] = {
            "kind": block.kind, "lines": lines, "gives": sorted(self.plan.given_out(block)),
            "operations": sum(n.kind == "operation" for n in nodes),
            "learned": self.plan.learned(block),
        }  # fmt: skip
        self._card(block, key, cards.size_of_box(lines), level)

    def _key(self, block: Block) -> str:
        """The name of a block's own drawing."""
        part_number = len(self.closed) + len(self.frames)
        key = f"box{block.box}" if block.box is not None else f"{self.part.name}-{part_number}"
        self.keys[block] = key
        return key

    # As data for the page

    def data(self, layouts: Layouts) -> dict[str, Any]:
        """The drawing as data, laid out. Its layout is looked up in `layouts`, or added to them.

        `cards`, `frames` and `arrows` are tables (see `packing.table`). Cards and frames have keys and
        sizes, and places if there is a layout. An arrow has the keys of both ends, the number of its
        edge (None if it stands for several), and its path.
        """
        dot = self.dot()
        if dot not in layouts:  # equal blocks have equal texts, and share a layout
            laid_out = drawing.rendered(dot, "json0")
            layouts[dot] = None if laid_out is None else json.loads(laid_out)
        layout = layouts[dot]
        about = {
            "name": self.part.name, "title": self.part.title, "around": self.part.around,
            "box": self.part.box,
            "outside": [n.number for n in self.graph.nodes if n.outside], "closed": self.closed,
            "results": sorted(self.plan.results),
        }  # fmt: skip
        return about | (self._unplaced() if layout is None else self._placed(layout))

    def _placed(self, layout: dict[str, Any]) -> dict[str, Any]:
        """The drawing with places. Graphviz counts upwards from the bottom, a page downwards."""
        width, height = map(float, layout["bb"].split(",")[2:])
        objects = {o["name"]: o for o in layout.get("objects", ())}
        placed_cards = []
        for i, card in enumerate(self.cards):
            x, y = map(float, objects[f"v{i}"]["pos"].split(","))
            left, up = x - card["width"] / 2, height - y - card["height"] / 2
            placed_cards.append(card | {"x": _short(left), "y": _short(up)})
        frames = []
        for i, frame in enumerate(self.frames):
            left, bottom, right, top = map(float, objects[f"cluster_{i}"]["bb"].split(","))
            place = {"x": left, "y": height - top, "width": right - left, "height": top - bottom}
            frames.append(frame | {name: _short(v) for name, v in place.items()})
        paths = {e["id"]: _path(e["pos"], height) for e in layout.get("edges", ())}
        arrows = [arrow | {"path": paths[f"e{i}"]} for i, arrow in enumerate(self._arrows())]
        return {
            "size": [math.ceil(width), math.ceil(height)],
            "cards": table(placed_cards), "frames": table(frames), "arrows": table(arrows),
        }  # fmt: skip

    def _unplaced(self) -> dict[str, Any]:
        """The drawing without places, if there is no Graphviz: the page shows tables."""
        return {
            "cards": table(self.cards), "frames": table(self.frames), "arrows": table(self._arrows()),
        }  # fmt: skip

    def _arrows(self) -> list[dict[str, Any]]:
        """The arrows, by the keys of their two ends."""
        return [
            {
                "source": self.keys[link.source],
                "target": self.keys[link.target],
                "edge": self.edges.get(id(link.edge)),
            }
            for link in self.plan.links
        ]


def _boxes_inside(graph: GraphData, box: int | None, own: set[int]) -> set[int]:
    """The boxes inside `box`; or, without a box, the boxes whose nodes are all among `own`."""
    if box is not None:
        return graph.boxes_within({box}) - {box}
    split = {b.number for n in graph.nodes if n.number not in own for b in graph.outward(n.box)}
    return {b.number for n in graph.nodes for b in graph.outward(n.box)} - split


def _path(pos: str, height: float) -> str:
    """The curve of an arrow as a path of SVG; its last point is the arrow's head."""
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
    """A coordinate with one decimal, or none."""
    rounded = round(x, 1)
    return int(rounded) if rounded == int(rounded) else rounded
