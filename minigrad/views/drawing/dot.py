"""A drawing in DOT, Graphviz's language: what each node, box and arrow looks like and says.

Labels are plain text in plain shapes: HTML-like and record labels are read differently by different
engines, and neither survives a name such as `<lambda>` or `a|b`. Only a steady drawing has HTML at its
arrows, since no other label there has a size that can be set.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

from ...ran import words
from ...ran.data import GraphData, GraphEdge, GraphNode
from ..text import listing
from ..text.expressions import expression
from . import folding, mirror, room
from .blocks import Block
from .folding import FoldPlan

DIRECTIONS = {"right": "LR", "down": "TB", "up": "BT", "left": "RL"}
SHORT = {(2,), (3,)}  # shapes of gradients that are written at an arrow, beside those of one number
WIDE = 60  # letters of a line, at most
SIZE, SMALL = 11, 9  # points: of the text of nodes, and of arrows
MARGIN = (0.12, 0.06)  # inches, on each side of the text of a node

# Okabe and Ito's hues, which colour-blind readers can tell apart, as tints with dark text on them.
INK, QUIET, BACKWARD, FAINT = "#1f2937", "#64748b", "#b3370f", "#dd9f85"
FONT = "Helvetica,Arial,sans-serif"
LOOKS = {  # fill, border
    "parameter": ("#ffe8c2", "#b45309"),
    "input": ("#dbeafe", "#1d5fa8"),
    "data": ("#f1f5f9", "#94a3b8"),
    "operation": ("#ffffff", "#64748b"),
    "result": ("#cdeee0", "#00785c"),
    "module": ("#e9e5fb", "#5b4db1"),
    "definition": ("#f3effc", "#8b80c9"),
    "group": ("#e5e7eb", "#64748b"),
    "error": ("#fbd5e0", "#a3123f"),
    "gradient": ("#fff0e8", BACKWARD),
}
SQUARE = ("parameter", "input", "data", "error")  # the corners of all others are rounded
DASHES = {"zero": (",dashed", BACKWARD), "freed": (",dotted", QUIET)}  # of a gradient; its border
CLUSTERS = {  # of open boxes, the deeper the darker by turns
    "module": (("#f6f5fd", "#edebfa"), "#b5addf"),
    "definition": (("#fafaf7", "#f1f1ea"), "#c9c7b8"),
    "repeat": (("#f6f5fd", "#edebfa"), "#b5addf"),
}


class Look(NamedTuple):
    """The look of a node.

    Attributes:
        kind: the name of its class.
        pen: the width of its border, in points.
        ink: of its text; None for that of all.
    """

    kind: str
    fill: str
    border: str
    style: str
    pen: float
    ink: str | None


def quoted(label: str) -> str:
    """`label` as a string of the DOT language, in which it stands for itself, line by line."""
    lines = label.split("\n")
    escaped = (words.visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(line.replace("&", "&amp;") for line in escaped) + '"'


def _attributes(**attributes: object) -> str:
    given = ((k, v) for k, v in attributes.items() if v is not None)
    return "[" + ", ".join(f"{k}={_written(v)}" for k, v in given) + "]"


def _written(value: object) -> str:
    if isinstance(value, room.Markup):
        return f"<{value}>"
    return quoted(value) if isinstance(value, str) else str(value)


class Writer:
    """Writes one drawing in DOT. Nothing depends on anything but the graph and the plan."""

    def __init__(
        self,
        graph: GraphData,
        plan: FoldPlan,
        values: bool,
        gradients: bool,
        direction: str,
        backward: bool,
        steady: bool,
    ):
        self.graph = graph
        self.arriving = mirror.arriving(graph) if backward else {}
        self.rules = mirror.rules_of(graph) if backward else {}
        self.plan = plan
        self.values = values
        self.gradients = gradients
        self.direction = direction
        self.steady = steady
        self.ids: dict[Block, str] = {}
        self.around: dict[int | Block, Block] = {}  # the innermost block that each thing is in
        self.arguments: dict[folding.Shown, list[folding.Shown]] = {}
        self.lines: list[str] = []

    def dot(self) -> str:
        caption = self._caption()
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
        self.lines = [
            "digraph computation {",
            f"  graph {graph};",
            f"  node {node};",
            f"  edge {edge};",
        ]
        self._inside(self.plan.root, 1)
        self._links()
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def _caption(self) -> str:
        """Return what the reader is told about what is not shown."""
        lines = []
        if self.plan.notes:
            size = words.plural(len(self.graph), "node")
            lines.append(f"{size}: {', and '.join(self.plan.notes)}")
        if self.values and listing.hidden(self.graph):
            lines.append(listing.HINT)
        return "\n".join(lines)

    def _inside(self, block: Block, level: int) -> None:
        self.around.update((thing, block) for thing in (*block.leaves, *block.items))
        for n in block.leaves:
            self._node(self.graph[n], level)
            self._gradient_beside(n, level)
        for item in block.items:
            if not isinstance(item, Block):
                self._node(self.graph[item], level)
                self._gradient_beside(item, level)
                continue
            made_here = item.box is None
            self.ids[item] = f"part{len(self.ids)}" if made_here else f"box{item.box}"
            if item.open:
                self._cluster(item, level)
            else:
                self._closed(item, level)
                self._gradient_beside(item, level)

    def _gradient_beside(self, shown: folding.Shown, level: int) -> None:
        """The gradient of a node, or what goes back through a closed block, linked to it."""
        if not self._goes_back(shown):
            return
        least_width = None
        if isinstance(shown, Block):
            lines = [f"back through {self._heading(shown)}"]
        else:
            node, edges = self.graph[shown], self.arriving[shown]
            lines = [mirror.gradient_name(node)]
            if len(edges) + (shown in self.graph.roots) > 1:
                lines[0] += f" = the sum of {len(edges)}"
            lines += [words.shape(node.shape)] if node.shape else []
            if self.values:
                numbers, least_width = self._lines_and_width(node, self._gradient_lines)
                lines += numbers
        fill, border = LOOKS["gradient"]
        attributes = _attributes(
            label="\n".join(words.visible(words.shortened(line, WIDE)) for line in lines),
            width=least_width, fillcolor=fill, style="filled,rounded", color=border,
            id=self._back(shown),
            **{"class": "gradient"},
        )  # fmt: skip
        link = _attributes(style="dotted", arrowhead="none", color=FAINT, penwidth=1.5)
        self._line(level, f"{self._back(shown)} {attributes};")
        self._line(level, f"{{ rank=same; {self._id(shown)} -> {self._back(shown)} {link}; }}")

    def _goes_back(self, shown: folding.Shown) -> bool:
        """Tell whether a gradient comes to a node, or to one inside a block."""
        members = shown.members() if isinstance(shown, Block) else (shown,)
        return any(n in self.arriving for n in members)

    def _back(self, shown: folding.Shown) -> str:
        return f"d_{self._id(shown)}"

    def _arrow_back(self, link: folding.Link) -> None:
        """The arrow that goes back beside `link`, with its rule; it is laid out as that one is."""
        notes = []
        if link.edge is not None:
            notes.append((words.shortened(self.rules[id(link.edge)], 44), ""))
            notes += _contribution(link.edge) if self.values else []
        attributes = _attributes(
            dir="back", color=BACKWARD, fontcolor=BACKWARD, label=self._at_arrow(notes)
        )
        ends = f"{self._back(link.source)} -> {self._back(link.target)}"
        self.lines.append(f"  {ends} {attributes};")

    def _line(self, level: int, line: str) -> None:
        self.lines.append("  " * level + line)

    def _cluster(self, block: Block, level: int) -> None:
        fills, border = CLUSTERS[block.kind]
        name = self.ids[block]
        self._line(level, f"subgraph cluster_{name} {{")
        attributes = _attributes(
            label=self._heading(block), labeljust="r", labelloc="t", style="filled,rounded", margin=10,
            fillcolor=fills[level % 2], color=border, fontcolor=INK if block.kind == "module" else QUIET,
            fontsize=SIZE, id=name, tooltip=self._heading(block),
            **{"class": block.kind},
        )  # fmt: skip
        self._line(level + 1, f"graph {attributes};")
        self._inside(block, level + 1)
        self._line(level, "}")

    def _closed(self, block: Block, level: int) -> None:
        """A block whose inside is not shown: what it gives out, and how much it holds."""
        fill, border = LOOKS[block.kind]
        gives = [self.graph[n] for n in self.plan.given_out(block)]
        if any(n.number in self.plan.results for n in gives):
            border = LOOKS["result"][1]
        lines, least_width = [self._heading(block)], None
        members = (self.graph[n] for n in block.members())
        for culprit in (n for n in members if n.error):
            fill, border = LOOKS["error"]
            lines += [f"#{culprit.number} {culprit.operation} failed:", *_message(culprit)]
        if len(gives) == 1:
            lines += [gives[0].label] if gives[0].number in self.plan.results else []
            details, least_width = self._lines_and_width(gives[0], self._details)
            lines += details
        learned = self.plan.learned(block) // block.times
        if learned:
            lines.append(words.plural(learned, "parameter") + (" each" if block.times > 1 else ""))
        attributes = _attributes(
            label="\n".join(lines), width=least_width, style="filled,rounded", fillcolor=fill,
            color=border, penwidth=1.5, id=self.ids[block], tooltip=self._heading(block),
            **{"class": f"closed {block.kind}"},
        )  # fmt: skip
        self._line(level, f"{self.ids[block]} {attributes};")

    def _heading(self, block: Block) -> str:
        if block.times == 1:
            return words.visible(block.title) if block.kind != "group" else block.title
        first, _, kind = block.title.rpartition(": ")
        last = block.last.rpartition(": ")[0]
        if first != last:  # layers.0 to layers.5
            first = f"{first} to {last.rpartition('.')[2]}"
        names = f"{first}: " if first else ""
        how = "" if block.chained else ", side by side"
        return words.visible(f"{names}{kind} × {block.times:,}{how}".strip())

    def _node(self, node: GraphNode, level: int) -> None:
        look = self._look(node)
        details, least_width = self._lines_and_width(node, self._details)
        lines = [self._first_line(node), *details, *_message(node)]
        attributes = _attributes(
            label="\n".join(words.shortened(line, WIDE) for line in lines), width=least_width,
            style=look.style, fillcolor=look.fill, color=look.border, penwidth=look.pen,
            fontcolor=look.ink, id=f"n{node.number}", tooltip=self._tooltip(node),
            **{"class": f"{look.kind} gradient-{node.state.replace(' ', '-')}"},
        )  # fmt: skip
        self._line(level, f"n{node.number} {attributes};")

    def _look(self, node: GraphNode) -> Look:
        kind = node.kind
        if node.error:
            kind = "error"
        elif kind == "operation" and node.number in self.plan.results:
            kind = "result"
        state = node.state if self.gradients and kind != "error" else ""
        fill, border = LOOKS[kind]
        dashes, border = DASHES.get(state, ("", border))
        pen = 2.0 if kind in ("result", "error") else 1.0
        pen = {"zero": 1.8, "known": pen + 0.6}.get(state, pen)
        if node.of is not None and kind != "error":
            fill, border = LOOKS["gradient"]
        style = f"filled{'' if kind in SQUARE else ',rounded'}{dashes}"
        faint = node.of is None and node.state == "needs none" and kind not in ("result", "error")
        if node.outside:
            style, fill, faint = "filled,dashed", "#ffffff", True
        if faint:
            border = LOOKS["data"][1]
        return Look(kind, fill, border, style, pen, QUIET if faint else None)

    def _lines_and_width(
        self, node: GraphNode, write: Callable[[GraphNode], list[str]]
    ) -> tuple[list[str], float | None]:
        """The lines that `write` makes of a node, and the least width for them in inches.

        In a steady drawing neither depends on the numbers: there is room for the longest ones, and
        a line that says more than these, such as how many are nan, is cut.
        """
        lines = write(node)
        if not (self.steady and lines):
            return lines, None
        longest = [words.shortened(line, WIDE) for line in write(room.with_longest(node))]
        width = room.width(longest, FONT, SIZE) / 72 + 2 * MARGIN[0]
        hundredths = math.ceil(100 * width)  # rounded down, it would be less than they need
        return room.cut(lines, longest), hundredths / 100

    def _details(self, node: GraphNode) -> list[str]:
        """Shape, value and gradient, as far as they are to be shown."""
        if node.error and node.value is None:
            return []
        lines = [words.shape(node.shape)] if node.shape else []
        if self.values:
            value = words.array_lines(node.value) if node.value is not None else ["?"]
            # By what kind of text it is and not by how long it is, which changes in training.
            few = node.value is None or not 2 < node.value.size <= 4
            beside = len(lines) == len(value) == 1 and few and len(lines[0]) < 14
            lines = [f"{lines[0]}  {value[0]}"] if beside else lines + value
        if self.gradients and node.state != "needs none":
            lines.append(f"grad {self._gradient(node)}")
        return lines

    def _gradient_lines(self, node: GraphNode) -> list[str]:
        return [self._gradient(node)] if node.gradient is None else words.array_lines(node.gradient)

    def _gradient(self, node: GraphNode) -> str:
        if node.gradient is not None:
            return words.array(node.gradient)
        return {"not computed": "–", "freed": "freed"}.get(node.state, node.state)

    def _first_line(self, node: GraphNode) -> str:
        name = self._called(node.number)
        if node.kind != "operation" or node.outside:
            return name if node.label or node.outside else node.kind
        if node.operation in ("sum", "start") and node.of is not None:
            many = len(node.arguments)
            return f"{name} = the sum of {many}" if many else name
        made = expression(node, self._called)
        return f"{name} = {made.replace('np.', '', 1) if made.startswith('np.') else made}"

    def _called(self, number: int) -> str:
        """A short name for a node, among others in an expression."""
        return words.visible(self.graph[number].short)

    def _tooltip(self, node: GraphNode) -> str:
        parts = [f"#{node.number} {node.label}".strip(), expression(node)]
        parts.append(f"{words.shape(node.shape)} {node.dtype}")
        if node.value is not None:
            parts.append(f"value {words.array(node.value)}")
        parts.append(f"gradient {listing.gradient(node)}")
        if node.line is not None:
            parts.append(str(node.line))
        return "\n".join(parts)

    def _links(self) -> None:
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
            self.lines.append(f"  {self._id(link.source)} -> {self._id(link.target)}{tail};")
            if (
                link.differentiable
                and self._goes_back(link.target)
                and self._goes_back(link.source)
            ):
                self._arrow_back(link)

    def _enters(self, source: folding.Shown, target: folding.Shown) -> bool:
        """Tell whether an arrow comes into a box below the parameters or data that begin it.

        One rank more lets the whole box lie below what the arrow comes from, and not beside it.
        """
        block = self.around[target]
        begins = any(n in block.leaves for n in self.arguments.get(target, ()))
        outer = self.around[source]
        while outer is not block and outer in self.around:
            outer = self.around[outer]
        return begins and outer is not block

    def _id(self, shown: folding.Shown) -> str:
        return self.ids[shown] if isinstance(shown, Block) else f"n{shown}"

    def _edge_attributes(self, e: GraphEdge) -> dict[str, str]:
        """The gradient that comes back along an arrow, and how many copies it is summed over."""
        notes = _contribution(e) if self.gradients else []
        color = BACKWARD if notes else QUIET
        shape = self.graph[e.target].shape
        copies = math.prod(shape[axis] for axis in e.copied)
        if self.gradients and e.differentiable and copies > 1:
            notes.append((f"{copies:,} copies", ""))
        place = "" if e.item is None else f"-{e.item}"
        attributes = {"id": f"n{e.target}-{e.position}{place}"}
        if notes:
            below = [("", "")] if self.direction in ("right", "left") else []  # or the line is met
            attributes.update(label=self._at_arrow(notes + below) or "", fontcolor=color)
        return attributes

    def _at_arrow(self, notes: list[tuple[str, str]]) -> str | None:
        """A label of notes; each comes with the longest that it may become, "" if it never changes."""
        if self.steady and any(longest for _, longest in notes):
            return room.table([(f" {note} ", longest) for note, longest in notes], FONT, SMALL)
        return "\n".join(f" {words.visible(note)} ".rstrip() + " " for note, _ in notes) or None


def _contribution(edge: GraphEdge) -> list[tuple[str, str]]:
    """The gradient that comes back along an arrow where it is short, and the longest of its kind."""
    given = edge.contribution
    if given is None or not (given.size == 1 or given.shape in SHORT):
        return []
    shape = given.shape if given.size > 1 else ()
    return [(words.array(given.reshape(shape)), words.array(room.longest(shape)))]


def _message(node: GraphNode) -> list[str]:
    """Return the error at a node, in lines short enough to be read."""
    return [w for line in node.error.splitlines() for w in textwrap.wrap(words.visible(line), 44)]
