"""What a user's own code says: the line that asked for an operation, and the names of variables."""

from __future__ import annotations

import linecache
import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_INSIDE = (_PACKAGE + os.sep, os.path.dirname(np.__file__) + os.sep)


class SourceLine(NamedTuple):
    """A line of code, by its file and number (from 1)."""

    file: str
    number: int

    @property
    def text(self) -> str:
        """The line itself, without its indentation; empty where the file cannot be read."""
        return linecache.getline(self.file, self.number).strip()

    @property
    def place(self) -> str:
        """`train.py:12`, or `cell 3, line 12` in a notebook."""
        cell = _cell(self.file)
        return (
            f"{cell}, line {self.number}"
            if cell
            else f"{os.path.basename(self.file)}:{self.number}"
        )

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.text else self.place


def home(file: str) -> str:
    """What a reader calls a file of code: its name, or `cell 3` in a notebook."""
    return _cell(file) or os.path.basename(file)


def _cell(file: str) -> str:
    """`cell 3` for the file that stands for a cell of a notebook; "" for any other."""
    typed = re.fullmatch(r"<ipython-input-(\d+)-\w+>", file)
    if typed:
        return f"cell {typed[1]}"
    if not re.search(r"[/\\]ipykernel_\d+[/\\]\d+\.py$", file):
        return ""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    counts = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return f"cell {counts[file]}" if file in counts else "cell"


def source_line() -> SourceLine | None:
    """The innermost line, of all that are running, outside minigrad and NumPy."""
    frame = next(_frames(), None)
    return SourceLine(frame.f_code.co_filename, frame.f_lineno) if frame is not None else None


def names_here(values: Iterable[Any]) -> list[tuple[Any, str]]:
    """Those of `values` that the user's innermost function has in a variable, with its name."""
    frame = next(_frames(), None)
    wanted = {id(v): v for v in values}
    found: dict[int, str] = {}
    if frame is not None and wanted:
        for name, value in frame.f_locals.items():
            if id(value) in wanted and not name.startswith("_"):
                found.setdefault(id(value), name)
    return [(wanted[i], name) for i, name in found.items()]


def variables(error: BaseException | None = None) -> Iterator[tuple[str, Any]]:
    """The variables of all functions that are running, innermost first, then those of their files.

    With an `error`, those of the functions that it came up through stand before them.
    """
    frames = [*_frames_of(error), *_frames()]
    namespaces = [frame.f_locals for frame in frames]
    namespaces += {id(f.f_globals): f.f_globals for f in frames}.values()
    for namespace in namespaces:
        for name, value in list(namespace.items()):
            if not name.startswith("_"):
                yield name, value


def line_of(error: BaseException) -> SourceLine | None:
    """The innermost line of the user's that an error came up through."""
    frame = next(_frames_of(error), None)
    if frame is None:
        return None
    numbers = [n for f, n in traceback.walk_tb(error.__traceback__) if f is frame]
    return SourceLine(frame.f_code.co_filename, numbers[-1])


def _frames_of(error: BaseException | None) -> Iterator[FrameType]:
    """The user's functions that an error came up through, innermost first."""
    found = traceback.walk_tb(error.__traceback__ if error is not None else None)
    for frame, _ in reversed(list(found)):
        if not frame.f_code.co_filename.startswith(_INSIDE):
            yield frame


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_INSIDE):
            yield frame
        frame = frame.f_back
