"""The cards of a drawing on a page: the text of a node or a closed box, and the size that it needs."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...ran import words
from ...ran.data import GraphData, GraphNode
from ..drawing.blocks import Block
from ..text.expressions import expression

LONGEST = 30  # letters on a card
LETTER, SMALL_LETTER = 7.9, 7.0  # the widths of a letter in each of its two lines
CARD, BOX, PILL = 68, 76, 26  # heights: of a node, of a closed box, of a node from outside
WRITTEN_OUT, IN_A_ROW = 6, 3  # numbers of an array that a card writes out, and of a row of these
CELL, ROW = 47, 17  # the width and height of one of them


class Size(NamedTuple):
    """The width and height of a card, in pixels."""

    width: float
    height: int


def size_of_node(graph: GraphData, node: GraphNode) -> Size:
    """The size of a node's card. The card of a node from outside is a pill with its name alone."""
    if node.outside:
        return Size(len(label(node)) * SMALL_LETTER + 20, PILL)
    title = words.shortened(headline(graph, node), LONGEST)
    number = len(f"#{node.number}") + 1  # in the corner
    shape = len(words.shape(node.shape)) + 2 * len(node.shape) + number
    rows, columns = cells(node.shape)
    least = 24 + 2 * max(columns * CELL, 40)  # for the value, and beside it the gradient
    width = max(least, len(title) * LETTER + 18, shape * SMALL_LETTER + 18)
    return Size(width, CARD + (rows - 1) * ROW)


def size_of_box(lines: list[str]) -> Size:
    """The size of the card of a closed box, given its lines."""
    return Size(max(132, *(len(line) * LETTER + 36 for line in lines)), BOX)


def box_lines(block: Block) -> list[str]:
    """A closed box's name, and its kind."""
    if block.kind == "group":
        lines = block.title.split("\n")
    else:
        name, _, kind = block.title.partition(": ")
        lines = [words.visible(line) for line in (name, kind) if line]
    return [words.shortened(line, LONGEST + 8) for line in lines]


def cells(shape: tuple[int, ...]) -> tuple[int, int]:
    """The rows and columns in which a card writes the numbers of an array; (1, 0), if it draws them."""
    n = math.prod(shape)
    if not 0 < n <= WRITTEN_OUT:
        return 1, 0
    columns = shape[-1] if shape and len(shape) > 1 and shape[-1] <= IN_A_ROW else min(n, IN_A_ROW)
    return -(-n // columns), columns


def label(node: GraphNode) -> str:
    """A short name for a node among others."""
    return words.shortened(words.visible(node.short), 24)


def headline(graph: GraphData, node: GraphNode) -> str:
    """The first line of a card: the name, and the operation on its arguments: `h = x @ w`."""
    if node.kind != "operation":
        return label(node) if node.label else f"{node.role} #{node.number}"
    called = lambda number: label(graph[number])
    made_by = words.visible(expression(node, called)).removeprefix("np.")
    return f"{label(node)} = {made_by}" if node.label else made_by
