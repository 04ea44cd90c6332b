"""The files of source code that a page shows: their lines asked for its operations."""

from __future__ import annotations

import ast
import linecache
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...ran import words
from ...ran.data import GraphData

WHOLE = 150  # a file of up to so many lines is shown as a whole
AROUND = 7  # lines that are shown before and after a line that was used


class SourceFiles:
    """The files whose lines asked for an operation, in order of their first use."""

    def __init__(self, graph: GraphData):
        self.lines: dict[str, set[int]] = {}
        for node in graph.nodes:
            if node.line is not None:
                self.lines.setdefault(node.line.file, set()).add(node.line.number)

    def number_of(self, file: str) -> int:
        """The place of a file among them."""
        return list(self.lines).index(file)

    def as_data(self) -> list[dict[str, Any]]:
        """Each file: its `name`, whether it is the reader's `own`, and `pieces` of it.

        A piece has the number of its `first` line, its `lines`, and in `folded` the count of imports at
        its beginning.
        """
        return [
            {
                "name": words.visible(_name(file)),
                "own": not in_a_package(file),
                "pieces": list(_pieces(linecache.getlines(file), used)),
            }
            for file, used in self.lines.items()
        ]


def _name(file: str) -> str:
    """The name of a file without its folders; "a cell" for a cell of a notebook."""
    name = os.path.basename(file)
    return "a cell" if re.fullmatch(r"\d+\.py", name) and "ipykernel" in file else name


def in_a_package(file: str) -> bool:
    """Tell whether a file is part of a package, and not a script or a cell."""
    return os.path.exists(os.path.join(os.path.dirname(file), "__init__.py"))


def _imports(lines: Sequence[str]) -> int:
    """Count the lines at the beginning of a file that are its docstring and its imports."""
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return 0
    last = 0
    for i, statement in enumerate(tree.body):
        docstring = i == 0 and isinstance(statement, ast.Expr)
        if not docstring and not isinstance(statement, (ast.Import, ast.ImportFrom)):
            break
        last = statement.end_lineno or 0
    return last


def _pieces(lines: Sequence[str], used: set[int]) -> Iterator[dict[str, Any]]:
    """The lines of a file in pieces: all of a short file; of a long one, those around `used` lines."""
    if not lines:
        return
    numbers = set(range(1, len(lines) + 1))
    if len(lines) > WHOLE:
        numbers &= {k for n in used for k in range(n - AROUND, n + AROUND + 1)}
    top = min(_imports(lines), min(used) - 1)
    first = None
    piece: list[str] = []
    for k in range(1, len(lines) + 2):
        if k in numbers:
            first = k if first is None else first
            piece.append(lines[k - 1].rstrip().expandtabs(4))
        elif first is not None:
            folded = max(0, top - first + 1)
            yield {"first": first, "lines": piece} | ({"folded": folded} if folded else {})
            first, piece = None, []
