"""The cells of a lesson's file, in the percent format, and its optional sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

CELL = re.compile(r"^# %%(.*)\n", re.M)
HEADING = re.compile(r"^(#{1,6}) (.+)$")
OPTIONAL = " (optional)"  # ends the heading of a section that the core stands without


class Cell(NamedTuple):
    """A cell of a lesson.

    Attributes:
        kind: "markdown" or "code".
        text: the Markdown or the Python.
        line: of the file, from 1, at which its text begins.
        printed: what it printed, if it ran.
        picture: the address of the picture that it drew, or "".
        optional: the heading of the optional section that it is in, or "".
    """

    kind: str
    text: str
    line: int = 1
    printed: str = ""
    picture: str = ""
    optional: str = ""


def cells(text: str) -> list[Cell]:
    """The cells of a lesson's file, in the percent format."""
    every = []
    starts = [*CELL.finditer(text)]
    for start, end in zip(starts, [*(one.start() for one in starts[1:]), len(text)]):
        body = text[start.end() : end]
        line = text.count("\n", 0, start.end() + len(body) - len(body.lstrip())) + 1
        if start[1].strip() == "[markdown]":
            lines = (line.removeprefix("#").removeprefix(" ") for line in body.splitlines())
            every.append(Cell("markdown", "\n".join(lines).strip(), line))
        else:
            every.append(Cell("code", body.strip(), line))
    return [cell for cell in every if cell.text]


def sections(uncut: Iterable[Cell]) -> Iterator[Cell]:
    """The same cells, text cut at its headings; those of optional sections say so.

    Such a section begins at a heading that ends in ` (optional)`, and runs to the next heading of the
    same or of a higher level.
    """
    title, depth = "", 0  # of the optional section that this is in
    for cell in uncut:
        for heading, piece in _pieces(cell):
            if heading is not None:
                level, text = len(heading[1]), heading[2].rstrip()
                if title and level <= depth:
                    title = ""
                if not title and text.endswith(OPTIONAL):
                    title, depth = text.removesuffix(OPTIONAL), level
            yield cell._replace(text=piece, optional=title)


def _pieces(cell: Cell) -> Iterator[tuple[re.Match[str] | None, str]]:
    """The parts of a cell, each with the heading that it begins with."""
    if cell.kind == "code":
        yield None, cell.text
        return
    lines: list[str] = []
    heading, fenced = None, False
    for line in cell.text.splitlines():
        fenced ^= line.startswith("```")
        match = None if fenced else HEADING.match(line)
        if match:
            if lines:
                yield heading, "\n".join(lines).strip()
            lines, heading = [], match
        lines.append(line)
    yield heading, "\n".join(lines).strip()
