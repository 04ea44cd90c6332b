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
from ...views.source import line_of
from ..places import EXAMPLES

HEAD = re.compile(
    r"# %% \[markdown\]\n# # (\d\d[a-z]?) (.+)\n(?:#\n# \*(.+?) About (\d+) seconds\.\*\n)?"
)


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
    found = []
    for path in paths:
        head = HEAD.match(path.read_text(encoding="utf-8"))
        if head is None:
            raise errors.ConfigError(
                f"{path} is no lesson: it does not begin with a cell of text whose first line is "
                f"'# # {path.stem[:2]} Title'"
            )
        number, title, about, seconds = head.groups()
        found.append(Lesson(path, number, title, about or "", int(seconds) if seconds else None))
    return found


def links(page: Path) -> dict[str, tuple[str, str]]:
    """The title of each lesson and its address for a link in `page`, by number; none outside a clone."""
    try:
        found = lessons()
    except errors.ConfigError:
        return {}
    folder = page.resolve().parent
    return {s.number: (s.title, Path(os.path.relpath(s.path, folder)).as_posix()) for s in found}


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
        f"{s.number:<3} {s.title:<{wide}}  {time_of(s):>4}  {s.about}".rstrip() for s in some
    )


def time_of(lesson: Lesson) -> str:
    return "" if lesson.seconds is None else f"{lesson.seconds} s"


def run(lesson: Lesson, pictures: str = "out") -> None:
    """Run a lesson as a script.

    Args:
        pictures: the folder that its pictures go to.

    Raises:
        ConfigError: if it fails; it says at which line.
    """
    before = sys.argv
    sys.argv = [str(lesson.path), pictures]
    try:
        runpy.run_path(str(lesson.path), run_name="__main__")
    except Exception as problem:
        told = f"{type(problem).__name__}: {problem}".partition("\n")[0]
        raise errors.ConfigError(
            f"{lesson.path.name} fails: {told}, at {line_of(problem)}"
        ) from problem
    finally:
        sys.argv = before
