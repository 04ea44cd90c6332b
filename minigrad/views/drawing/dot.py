"""A drawing in DOT, Graphviz's language: each node, box and arrow with its look and its label.

Labels are plain text in plain shapes: HTML-like and record labels are read differently by different
engines, and neither survives a name such as `<lambda>` or `a|b`. Only a steady drawing has HTML at its
arrows, since no other label there has a size that can be set.
"""

from __future__ import annotations

from typing import Any

from ...ran import words
from ...ran.data import GraphEdge, GraphNode
from . import mirror, room
from .blocks import Block, Shown, walk_blocks
from .folding import FoldPlan, Link
from .labels import WIDE, Labels, contribution
from .looks import (
    BACKWARD,
    CLUSTERS,
    FAINT,
    FONT,
    INK,
    LOOKS,
    MARGIN,
    QUIET,
    SIZE,
    SMALL,
    look_of,
)

DIRECTIONS = {"right": "LR", "down": "TB", "up": "BT", "left": "RL"}


def quoted(label: str) -> str:
    """`label` as a string of the DOT language, in which it stands for itself, line by line."""
    lines = label.split("\n")
    escaped = (words.visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(line.replace("&", "&amp;") for line in escaped) + '"'


def _attributes(**attributes: object) -> str:
    """`[color="#64748b", penwidth=1.5]`, without attributes that are None."""
    present = ((name, value) for name, value in attributes.items() if value is not None)
    return "[" + ", ".join(f"{name}={_in_dot(value)}" for name, value in present) + "]"


def _in_dot(value: object) -> str:
    if isinstance(value, room.Markup):
        return f"<{value}>"
    return quoted(value) if isinstance(value, str) else str(value)


class Writer:
    """Writes one drawing in DOT: the same text for the same arguments.

    Args:
        plan: which blocks are open, and which arrows there are.
        values, gradients, direction, backward, steady: as `drawing.draw` takes them.
    """

    def __init__(
        self,
        plan: FoldPlan,
        values: bool,
        gradients: bool,
        direction: str,
        backward: bool,
        steady: bool,
    ):
        self.plan = plan
        self.graph = plan.graph
        self.labels = Labels(plan, values, gradients, steady)
        self.gradients = gradients
        self.direction = direction
        self.arriving = mirror.arriving(plan.graph) if backward else {}
        self.rules = mirror.rules_of(plan.graph) if backward else {}
        self.names: dict[Block, str] = {}  # of blocks, in DOT
        self.around: dict[Shown, Block] = {}  # the innermost block that each thing is in
        self.arguments: dict[Shown, list[Shown]] = {}
        self.lines: list[str] = []

    def dot(self) -> str:
        """The text of the drawing."""
        self.lines = ["digraph computation {", *self._defaults()]
        for item, around, level, ends in walk_blocks(self.plan.root):
            self.around[item] = around
            if ends:
                self._line(level, "}")
            elif not isinstance(item, Block):
                self._node(self.graph[item], level)
            else:
                part = f"part{len(self.names)}"  # what the drawing made has no number
                self.names[item] = part if item.box is None else f"box{item.box}"
                (self._open if item.open else self._closed)(item, level)
        self._links()
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def _line(self, level: int, line: str) -> None:
        self.lines.append("  " * level + line)

    def _defaults(self) -> list[str]:
        """The attributes of the whole, and the default attributes of nodes and arrows."""
        caption = self.labels.caption()
        graph = _attributes(
            rankdir=DIRECTIONS[self.direction], bgcolor="#ffffff", pad=0.2, nodesep=0.25,
            ranksep=0.35, fontname=FONT, fontsize=SIZE, fontcolor=QUIET, id="graph",
            label=caption or None, labelloc="b" if caption else None, labeljust="l",
            tooltip=words.visible(self.graph.title) or "graph",
        )  # fmt: skip
        node = _attributes(
            shape="box", style="filled", fontname=FONT, fontsize=SIZE, fontcolor=INK, height=0.3,
            margin="{},{}".format(*MARGIN),
        )  # fmt: skip
        edge = _attributes(color=QUIET, fontname=FONT, fontsize=SMALL, arrowsize=0.6)
        return [f"  graph {graph};", f"  node {node};", f"  edge {edge};"]

    # Nodes and boxes

    def _node(self, node: GraphNode, level: int) -> None:
        """Write a node, and where the walk back is drawn, its gradient."""
        look = look_of(node, node.number in self.plan.results, self.gradients)
        lines, least_width = self.labels.of_node(node)
        attributes = _attributes(
            label="\n".join(lines), width=least_width,
            style=look.style, fillcolor=look.fill, color=look.border, penwidth=look.pen,
            fontcolor=look.ink, id=f"n{node.number}", tooltip=self.labels.tooltip(node),
            **{"class": f"{look.kind} gradient-{node.state.replace(' ', '-')}"},
        )  # fmt: skip
        self._line(level, f"n{node.number} {attributes};")
        self._gradient_beside(node.number, level)

    def _open(self, block: Block, level: int) -> None:
        """Begin a box whose inside is shown."""
        fills, border = CLUSTERS[block.kind]
        name = self.names[block]
        self._line(level, f"subgraph cluster_{name} {{")
        attributes = _attributes(
            label=block.heading, labeljust="r", labelloc="t", style="filled,rounded", margin=10,
            fillcolor=fills[level % 2], color=border, fontcolor=INK if block.kind == "module" else QUIET,
            fontsize=SIZE, id=name, tooltip=block.heading,
            **{"class": block.kind},
        )  # fmt: skip
        self._line(level + 1, f"graph {attributes};")

    def _closed(self, block: Block, level: int) -> None:
        """Write a closed box: the node that it gives out, and how much it holds."""
        fill, border = LOOKS[block.kind]
        gives = [self.graph[n] for n in self.plan.given_out(block)]
        if any(n.number in self.plan.results for n in gives):
            border = LOOKS["result"][1]
        if any(self.graph[n].error for n in block.members()):
            fill, border = LOOKS["error"]
        lines, least_width = self.labels.of_closed(block, gives)
        attributes = _attributes(
            label="\n".join(lines), width=least_width, style="filled,rounded", fillcolor=fill,
            color=border, penwidth=1.5, id=self.names[block], tooltip=block.heading,
            **{"class": f"closed {block.kind}"},
        )  # fmt: skip
        self._line(level, f"{self.names[block]} {attributes};")
        self._gradient_beside(block, level)

    def _gradient_beside(self, item: Shown, level: int) -> None:
        """The gradient of a node, or what goes back through a closed block, linked to it."""
        if not self._goes_back(item):
            return
        if isinstance(item, Block):
            lines, least_width = [f"back through {item.heading}"], None
        else:
            contributions = len(self.arriving[item])
            lines, least_width = self.labels.of_gradient(self.graph[item], contributions)
        fill, border = LOOKS["gradient"]
        attributes = _attributes(
            label="\n".join(words.visible(words.shortened(line, WIDE)) for line in lines),
            width=least_width, fillcolor=fill, style="filled,rounded", color=border,
            id=self._back(item),
            **{"class": "gradient"},
        )  # fmt: skip
        link = _attributes(style="dotted", arrowhead="none", color=FAINT, penwidth=1.5)
        self._line(level, f"{self._back(item)} {attributes};")
        self._line(level, f"{{ rank=same; {self._name(item)} -> {self._back(item)} {link}; }}")

    def _goes_back(self, shown: Shown) -> bool:
        """Tell whether a gradient comes to a node, or to one inside a block."""
        members = shown.members() if isinstance(shown, Block) else (shown,)
        return any(n in self.arriving for n in members)

    def _name(self, shown: Shown) -> str:
        return self.names[shown] if isinstance(shown, Block) else f"n{shown}"

    def _back(self, shown: Shown) -> str:
        """The name of the gradient beside a node or a block."""
        return f"d_{self._name(shown)}"

    # Arrows

    def _links(self) -> None:
        """Write the arrows, each with the one that goes back beside it."""
        for link in self.plan.links:
            self.arguments.setdefault(link.target, []).append(link.source)
        for link in self.plan.links:
            attributes: dict[str, Any] = {}
            if link.edge is not None:
                attributes.update(self._edge_attributes(link.edge))
            if not link.differentiable:
                attributes.update(style="dashed", color=LOOKS["data"][1])
            if self._enters(link.source, link.target):
                attributes["minlen"] = 2
            tail = f" {_attributes(**attributes)}" if attributes else ""
            self._line(1, f"{self._name(link.source)} -> {self._name(link.target)}{tail};")
            if (
                link.differentiable
                and self._goes_back(link.target)
                and self._goes_back(link.source)
            ):
                self._arrow_back(link)

    def _edge_attributes(self, e: GraphEdge) -> dict[str, str]:
        """The name of an arrow that stands for one edge, and the text at it."""
        place = "" if e.item is None else f"-{e.item}"
        attributes = {"id": f"n{e.target}-{e.position}{place}"}
        label = self.labels.of_arrow(e, below=self.direction in ("right", "left"))
        if label is not None:
            attributes.update(label=label, fontcolor=BACKWARD if contribution(e) else QUIET)
        return attributes

    def _arrow_back(self, link: Link) -> None:
        """The arrow that goes back beside `link`, with its rule; it is laid out as that one is."""
        label = self.labels.of_arrow_back(link.edge, self.rules)
        attributes = _attributes(dir="back", color=BACKWARD, fontcolor=BACKWARD, label=label)
        self._line(1, f"{self._back(link.source)} -> {self._back(link.target)} {attributes};")

    def _enters(self, source: Shown, target: Shown) -> bool:
        """Tell whether an arrow comes into a box below the parameters or data that begin it.

        One rank more lets the whole box lie below what the arrow comes from, and not beside it.
        """
        block = self.around[target]
        begins = any(n in block.leaves for n in self.arguments.get(target, ()))
        outer = self.around[source]
        while outer is not block and outer in self.around:
            outer = self.around[outer]
        return begins and outer is not block
