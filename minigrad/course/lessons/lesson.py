"""A lesson: a file of `examples/`, and what its first cell says of it."""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ... import errors
from ...ran.variables import line_of
from ..folders import EXAMPLES

HEAD = re.compile(
    r"# %% \[markdown\]\n# # (\d\d[a-z]?) (.+)\n(?:#\n# \*(.+?) About (\d+) seconds\.\*\n)?"
)
CELL = re.compile(r"^# %%(.*)\n", re.M)
HEADING = re.compile(r"^(#{1,6}) (.+)$")
OPTIONAL = " (optional)"  # ends the heading of a section that the core stands without
WORDS, LINES = 200, 20  # that are read in a minute: of prose, of code. An estimate


@dataclass(frozen=True)
class Lesson:
    """A lesson: its number such as "06", its title, and, where it says so, what it is about and how
    many seconds it takes."""

    path: Path
    number: str
    title: str
    about: str = ""
    seconds: int | None = None

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def minutes(self) -> tuple[float, float]:
        """The time to read the core, and that to read the optional sections; an estimate."""
        times = {True: 0.0, False: 0.0}
        for cell in sections(cells(self.text)):
            times[bool(cell.optional)] += _minutes(cell)
        return times[False], times[True]


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


def sections(some: Iterable[Cell]) -> Iterator[Cell]:
    """The same cells, text cut at its headings; those of optional sections say so.

    Such a section begins at a heading that ends in ` (optional)`, and runs to the next heading of the
    same or of a higher level.
    """
    title, depth = "", 0  # of the optional section that this is in
    for cell in some:
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
        found = None if fenced else HEADING.match(line)
        if found:
            if lines:
                yield heading, "\n".join(lines).strip()
            lines, heading = [], found
        lines.append(line)
    yield heading, "\n".join(lines).strip()


def _minutes(cell: Cell) -> float:
    if cell.kind == "markdown":
        return len(re.findall(r"\w+", cell.text)) / WORDS
    lines = (line for line in cell.text.splitlines() if line.strip())
    return sum(not line.startswith("#") for line in lines) / LINES


def minutes_of(core: float, optional: float) -> str:
    """Times to read as a guide has them, in whole minutes: "17", or "17 + 5" with optional parts."""
    return f"{core:.0f}" + (f" + {optional:.0f}" if optional >= 0.5 else "")


def lessons(folder: Path = EXAMPLES) -> list[Lesson]:
    """The lessons in a folder, in order.

    Raises:
        ConfigError: if there are none, or one has no title.
    """
    paths = sorted(folder.glob("[0-9][0-9]*_*.py"))
    if not paths:
        raise errors.ConfigError(
            f"there are no lessons in {folder}: they come with a clone of the repository, in the "
            f"folder examples"
        )
    every = []
    for path in paths:
        head = HEAD.match(path.read_text(encoding="utf-8"))
        if head is None:
            raise errors.ConfigError(
                f"{path} is no lesson: it does not begin with a cell of text whose first line is "
                f"'# # {path.stem[:2]} Title'"
            )
        number, title, about, seconds = head.groups()
        every.append(Lesson(path, number, title, about or "", int(seconds) if seconds else None))
    return every


def links(page: Path) -> dict[str, tuple[str, str]]:
    """The title of each lesson and its address for a link in `page`, by number; none outside a clone."""
    try:
        every = lessons()
    except errors.ConfigError:
        return {}
    folder = page.resolve().parent
    return {s.number: (s.title, Path(os.path.relpath(s.path, folder)).as_posix()) for s in every}


def chosen(numbers: Sequence[str]) -> list[Lesson]:
    """The lessons of these numbers, "6" as well as "06"; all without any.

    Raises:
        ConfigError: if there is none of a number.
    """
    every = {lesson.number: lesson for lesson in lessons()}
    wanted = [number.zfill(2) if number.isdigit() else number for number in numbers] or list(every)
    for given, number in zip(numbers, wanted):
        if number not in every:
            raise errors.ConfigError(f"there is no lesson {given}; there are {', '.join(every)}")
    return [every[number] for number in wanted]


def listing(some: Iterable[Lesson]) -> str:
    """A line for each lesson."""
    some = list(some)
    wide = max(len(lesson.title) for lesson in some)
    return "\n".join(
        f"{s.number:<3} {s.title:<{wide}}  {minutes_of(*s.minutes):>6} min  {s.about}".rstrip()
        for s in some
    )


def run(lesson: Lesson, pictures: str = "out") -> None:
    """Run a lesson as a script.

    Args:
        pictures: the folder that its pictures go to.

    Raises:
        LessonFails: if it fails.
    """
    before = sys.argv
    sys.argv = [str(lesson.path), pictures]
    try:
        runpy.run_path(str(lesson.path), run_name="__main__")
    except BrokenPipeError:  # who read it, such as `head`, has enough: no mistake of the lesson's
        raise
    except Exception as problem:
        raise failed(lesson, problem) from problem
    finally:
        sys.argv = before


class LessonFails(errors.ConfigError):
    """A lesson cannot be run to its end on this machine; what it needs is installed."""


def failed(lesson: Lesson, problem: BaseException) -> LessonFails:
    """The error that says why a lesson fails, and at which line."""
    told = f"{type(problem).__name__}: {problem}".partition("\n")[0]
    return LessonFails(f"{lesson.path.name} fails: {told}, at {line_of(problem)}")
