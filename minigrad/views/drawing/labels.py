"""The texts of a drawing: what stands in its nodes and closed boxes, and at its arrows."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...ran import words
from ...ran.data import GraphEdge, GraphNode
from ..text import listing
from ..text.expressions import expression
from . import mirror, room
from .blocks import Block
from .folding import FoldPlan
from .looks import FONT, MARGIN, SIZE, SMALL

SHORT = {(2,), (3,)}  # shapes of gradients that are written at an arrow, beside single numbers
WIDE = 60  # letters of a line, at most


class Label(NamedTuple):
    """A text in lines, and the least width in inches of the shape around it, or None."""

    lines: list[str]
    least_width: float | None


class Labels:
    """Writes the texts of one drawing.

    Args:
        plan: of the drawing.
        values, gradients, steady: what to write; as `drawing.draw` takes them.
    """

    def __init__(self, plan: FoldPlan, values: bool, gradients: bool, steady: bool):
        self.plan = plan
        self.graph = plan.graph
        self.values = values
        self.gradients = gradients
        self.steady = steady

    def caption(self) -> str:
        """The text below the drawing, on things that are not shown."""
        lines = []
        if self.plan.notes:
            size = words.plural(len(self.graph), "node")
            lines.append(f"{size}: {', and '.join(self.plan.notes)}")
        if self.values and listing.hidden(self.graph):
            lines.append(listing.HINT)
        return "\n".join(lines)

    # In nodes and boxes

    def of_node(self, node: GraphNode) -> Label:
        """The name of a node and what made it; its shape, value and gradient; what went wrong there."""
        details, least_width = self._with_room(node, self._details)
        lines = [self._first_line(node), *details, *_message(node)]
        return Label([words.shortened(line, WIDE) for line in lines], least_width)

    def of_closed(self, block: Block, gives: Sequence[GraphNode]) -> Label:
        """The heading of a closed block, the node that it `gives` out if it is one, its parameters."""
        lines, least_width = [block.heading], None
        for n in block.members():
            if self.graph[n].error:
                lines += [f"#{n} {self.graph[n].operation} failed:", *_message(self.graph[n])]
        if len(gives) == 1:
            lines += [gives[0].label] if gives[0].number in self.plan.results else []
            details, least_width = self._with_room(gives[0], self._details)
            lines += details
        learned = self.plan.learned(block) // block.times
        if learned:
            lines.append(words.plural(learned, "parameter") + (" each" if block.times > 1 else ""))
        return Label(lines, least_width)

    def of_gradient(self, node: GraphNode, contributions: int) -> Label:
        """The name of a node's gradient, how many contributions it is the sum of, and its numbers."""
        lines, least_width = [mirror.gradient_name(node)], None
        if contributions + (node.number in self.graph.roots) > 1:
            lines[0] += f" = the sum of {contributions}"
        lines += [words.shape(node.shape)] if node.shape else []
        if self.values:
            numbers, least_width = self._with_room(node, self._gradient_lines)
            lines += numbers
        return Label(lines, least_width)

    def tooltip(self, node: GraphNode) -> str:
        """All that is known of a node, for who points at it."""
        parts = [f"#{node.number} {node.label}".strip(), expression(node)]
        parts.append(f"{words.shape(node.shape)} {node.dtype}")
        if node.value is not None:
            parts.append(f"value {words.array(node.value)}")
        parts.append(f"gradient {listing.gradient(node)}")
        if node.line is not None:
            parts.append(str(node.line))
        return "\n".join(parts)

    def _with_room(self, node: GraphNode, write: Callable[[GraphNode], list[str]]) -> Label:
        """The lines that `write` makes of a node.

        In a steady drawing neither they nor their width depend on the numbers: there is room for the
        longest ones, and a line that says more than these, such as how many are nan, is cut.
        """
        lines = write(node)
        if not (self.steady and lines):
            return Label(lines, None)
        longest = [words.shortened(line, WIDE) for line in write(room.with_longest(node))]
        width = room.width(longest, FONT, SIZE) / 72 + 2 * MARGIN[0]
        hundredths = math.ceil(100 * width)  # rounded down, it would be less than they need
        return Label(room.cut(lines, longest), hundredths / 100)

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
            lines.append(f"grad {_gradient(node)}")
        return lines

    def _gradient_lines(self, node: GraphNode) -> list[str]:
        return [_gradient(node)] if node.gradient is None else words.array_lines(node.gradient)

    def _first_line(self, node: GraphNode) -> str:
        """`h = x @ w`: the name of a node, and what made it."""
        name = self._short(node.number)
        if node.kind != "operation" or node.outside:
            return name if node.label or node.outside else node.kind
        if node.operation in ("sum", "start") and node.of is not None:
            many = len(node.arguments)
            return f"{name} = the sum of {many}" if many else name
        return f"{name} = {expression(node, self._short).removeprefix('np.')}"

    def _short(self, number: int) -> str:
        """A short name for a node, among others in an expression."""
        return words.visible(self.graph[number].short)

    # At arrows

    def of_arrow(self, edge: GraphEdge, below: bool) -> str | None:
        """The gradient that comes back along an arrow, and how many copies it is summed over.

        `below` leaves a line free, where the arrow would cross the last one.
        """
        if not self.gradients:
            return None
        notes = contribution(edge)
        shape = self.graph[edge.target].shape
        copies = math.prod(shape[axis] for axis in edge.copied)
        if edge.differentiable and copies > 1:
            notes.append((f"{copies:,} copies", ""))
        if not notes:
            return None
        return self._notes([*notes, ("", "")] if below else notes) or ""

    def of_arrow_back(self, edge: GraphEdge | None, rules: Mapping[int, str]) -> str | None:
        """The rule of an edge and the gradient that it gives; None where an arrow stands for several."""
        notes: list[tuple[str, str]] = []
        if edge is not None:
            notes.append((words.shortened(rules[id(edge)], 44), ""))
            notes += contribution(edge) if self.values else []
        return self._notes(notes)

    def _notes(self, notes: list[tuple[str, str]]) -> str | None:
        """A label of notes; each comes with the longest that it may become, "" if it never changes."""
        if self.steady and any(longest for _, longest in notes):
            return room.table([(f" {note} ", longest) for note, longest in notes], FONT, SMALL)
        return "\n".join(f" {words.visible(note)} ".rstrip() + " " for note, _ in notes) or None


def _gradient(node: GraphNode) -> str:
    """The gradient of a node in one line, or why there is none."""
    if node.gradient is not None:
        return words.array(node.gradient)
    return {"not computed": "–", "freed": "freed"}.get(node.state, node.state)


def contribution(edge: GraphEdge) -> list[tuple[str, str]]:
    """The gradient that comes back along an arrow where it is short, and the longest of its kind."""
    gradient = edge.contribution
    if gradient is None or not (gradient.size == 1 or gradient.shape in SHORT):
        return []
    shape = gradient.shape if gradient.size > 1 else ()
    return [(words.array(gradient.reshape(shape)), words.array(room.longest(shape)))]


def _message(node: GraphNode) -> list[str]:
    """The error at a node, in lines short enough to be read."""
    return [w for line in node.error.splitlines() for w in textwrap.wrap(words.visible(line), 44)]
