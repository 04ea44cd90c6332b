"""The line of the user's code that is running."""

from __future__ import annotations

import linecache
import os
import re
import sys
from collections.abc import Iterator
from types import FrameType
from typing import NamedTuple

import numpy as np

HERE, NUMPY = (os.path.dirname(f) + os.sep for f in (os.path.dirname(__file__), np.__file__))
ENGINE = os.path.dirname(__file__) + os.sep
INSIDE: tuple[str, ...] = HERE, NUMPY  # not the user's files
CALLED: tuple[str, ...] = ENGINE, NUMPY  # they run operations that other code asks for


def pass_over(place: str) -> None:
    """Never name a line of a file, or of the files of a folder: other code asks for their operations."""
    global INSIDE, CALLED
    INSIDE, CALLED = (*INSIDE, place), (*CALLED, place)


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
        cell = cell_of(self.file)
        if cell:
            return f"{cell}, line {self.number}"
        return f"{os.path.basename(self.file)}:{self.number}"

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.text else self.place


def cell_of(file: str) -> str:
    """`cell 3` for the file that stands for a cell of a notebook; "" for any other."""
    typed = re.fullmatch(r"<ipython-input-(\d+)-\w+>", file)
    if typed:
        return f"cell {typed[1]}"
    if not re.search(r"[/\\]ipykernel_\d+[/\\]\d+\.py$", file):
        return ""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    counts = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return f"cell {counts[file]}" if file in counts else "cell"


def user_frames() -> Iterator[FrameType]:
    """The functions that are running, innermost first, without minigrad's and NumPy's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(INSIDE):
            yield frame
        frame = frame.f_back


def source_line() -> SourceLine | None:
    """The innermost line that is running outside minigrad and NumPy."""
    frame = next(user_frames(), None)
    return SourceLine(frame.f_code.co_filename, frame.f_lineno) if frame is not None else None


def source_text() -> str:
    """The text of that line; "" where there is none."""
    line = source_line()
    return line.text if line is not None else ""


def level_outside() -> int:
    """The `stacklevel` by which a warning of the caller's names the innermost line outside minigrad."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        frame, level = frame.f_back, level + 1
    return level


def by_definition() -> bool:
    """Tell whether a definition of minigrad's asked for the operation that is running."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(CALLED):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(HERE)
