"""A lesson: a file of `examples/`, and what its first cell says of it."""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ... import errors
from ...ran.variables import line_of
from ..folders import EXAMPLES
from .cells import Cell, cells, sections

HEAD = re.compile(
    r"# %% \[markdown\]\n# # (\d\d[a-z]?) (.+)\n(?:#\n# \*(.+?) About (\d+) seconds\.\*\n)?"
)
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


def lessons_named(numbers: Sequence[str]) -> list[Lesson]:
    """The lessons of these numbers, "6" as well as "06"; all without any.

    Raises:
        ConfigError: if there is none of a number.
    """
    every = {lesson.number: lesson for lesson in lessons()}
    padded = [number.zfill(2) if number.isdigit() else number for number in numbers] or list(every)
    for number_typed, number in zip(numbers, padded):
        if number not in every:
            raise errors.ConfigError(
                f"there is no lesson {number_typed}; there are {', '.join(every)}"
            )
    return [every[number] for number in padded]


def listing(several: Iterable[Lesson]) -> str:
    """A line for each lesson."""
    several = list(several)
    wide = max(len(lesson.title) for lesson in several)
    return "\n".join(
        f"{s.number:<3} {s.title:<{wide}}  {minutes_of(*s.minutes):>6} min  {s.about}".rstrip()
        for s in several
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
        raise failure(lesson, problem) from problem
    finally:
        sys.argv = before


class LessonFails(errors.ConfigError):
    """A lesson cannot be run to its end on this machine; what it needs is installed.

    Args:
        why: without a full stop, such as "its process died".
    """

    def __init__(self, lesson: Lesson, why: str):
        super().__init__(f"{lesson.path.name} fails: {why}")
        self.why = why


def failure(lesson: Lesson, problem: BaseException) -> LessonFails:
    """The error that says why a lesson fails, and at which line."""
    error = f"{type(problem).__name__}: {problem}".partition("\n")[0]
    return LessonFails(lesson, f"{error}, at {line_of(problem)}")
