"""The room that a steady drawing leaves for numbers: enough for the longest, whatever the font is."""

from __future__ import annotations

import dataclasses
import html
import math

import numpy as np

from ...ran import words
from ...ran.data import GraphNode
from .rendering import widest_letter

LONGEST = (-1.234e-300, -2.345e-300)  # numbers that take as many letters as any of a float
LETTER = 0.682  # of a font's size: a digit of DejaVu Sans, which Graphviz widens to whole pixels
LINE = 1.5  # the same for the height of a line


class Markup(str):
    """A label in Graphviz's own HTML."""

    __slots__ = ()


def longest(shape: tuple[int, ...]) -> np.ndarray:
    """An array whose text is as long as any text of an array of its shape, but for remarks on NaN."""
    return np.resize(LONGEST, shape)


def with_longest(node: GraphNode) -> GraphNode:
    """`node` with the longest numbers in place of its own."""
    arrays = (node.value, node.gradient)
    value, gradient = (None if a is None else longest(a.shape) for a in arrays)
    return dataclasses.replace(node, value=value, gradient=gradient)


def cut(lines: list[str], room: list[str]) -> list[str]:
    """`lines`, each cut to the length of the line of `room`."""
    return [words.shortened(line, len(other)) for line, other in zip(lines, room)]


def width(lines: list[str], font: str, size: float) -> float:
    """The width in points that holds `lines` of numbers: the same on all machines with usual fonts."""
    letter = max(LETTER * size, widest_letter(font, size))
    return math.ceil(max(map(len, lines)) * letter)


def table(rows: list[tuple[str, str]], font: str, size: float) -> Markup:
    """Rows of text; each comes with the longest that it may become, or "" if it never changes."""
    cells = []
    for line, room in rows:
        fixed = ""
        if room:
            held = width([room], font, size), math.ceil(LINE * size)
            fixed = ' align="left" fixedsize="true" width="{}" height="{}"'.format(*held)
        cells.append(f"<tr><td{fixed}>{html.escape(words.visible(line))}</td></tr>")
    return Markup(
        f'<table border="0" cellborder="0" cellspacing="0" cellpadding="0">{"".join(cells)}</table>'
    )
