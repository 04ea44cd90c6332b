"""Every exercise there is, by lesson; and those that a command names, or that a folder has."""

from __future__ import annotations

import difflib
import functools
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ... import errors
from ..folders import EXERCISES
from .exercise import Exercise
from .shared_files import module_of

RUN = "python -m minigrad exercises"


@dataclass(frozen=True, eq=False)
class Sheet:
    """The exercises of a lesson.

    Attributes:
        file: the name of their file, such as "08_scaled_dot_product_attention.py".
        title: what the lesson is about.
        exercises: by name, in their order.
    """

    file: str
    title: str
    exercises: dict[str, Exercise]

    @property
    def number(self) -> str:
        """The number of the lesson, such as "08"."""
        return self.file[:2]


Selection = Sequence[tuple[Sheet, list[Exercise]]]  # the exercises that are to be marked


@functools.cache
def sheets() -> tuple[Sheet, ...]:
    """Every sheet, in order.

    Raises:
        ConfigError: if there are none.
    """
    paths = sorted((EXERCISES / "answers").glob("[0-9][0-9]_*.py"))
    if not paths:
        raise errors.ConfigError(
            f"there are no exercises in {EXERCISES}: they come with a clone of the repository, in the "
            f"folder examples/exercises"
        )
    return tuple(map(sheet_of, paths))


def sheet_of(path: Path) -> Sheet:
    """The sheet whose answers are in this file.

    Raises:
        ConfigError: if the file raises an error.
    """
    try:
        module = module_of(path)
    except Exception as problem:  # of an author's: it would end every command in a traceback
        lines = [
            at.lineno
            for at in traceback.extract_tb(problem.__traceback__)
            if at.filename == str(path)
        ]
        line = getattr(problem, "lineno", None) or (lines[-1] if lines else 1)
        raise errors.ConfigError(
            f"cannot load the exercises in {path}: line {line}: {type(problem).__name__}: {problem}; "
            f"mend it there, as no command finds its exercises until then; "
            f"examples/exercises/README.md shows a whole file"
        ) from problem
    exercises = [value for value in vars(module).values() if isinstance(value, Exercise)]
    title = str(module.__doc__).partition("\n")[0].partition(": ")[2].rstrip(".")
    return Sheet(path.name, title[:1].upper() + title[1:], {one.name: one for one in exercises})


def exercises_named(names: Sequence[str]) -> Selection:
    """The exercises of lessons, such as "6" or "06", and of names, such as "softmax"; all if none.

    Raises:
        ConfigError: if there is no such lesson or exercise.
    """
    picked: dict[Exercise, Sheet] = {}
    for name in names or [sheet.number for sheet in sheets()]:
        fitting = {
            exercise: sheet
            for sheet in sheets()
            for exercise in sheet.exercises.values()
            if name in (exercise.name, f"{sheet.number}.{exercise.name}", sheet.file)
            or name.zfill(2) == sheet.number
        }
        if not fitting:
            raise errors.ConfigError(_no_exercise(name))
        picked |= fitting
    return [
        (sheet, [exercise for exercise, its in picked.items() if its is sheet])
        for sheet in sheets()
        if sheet in picked.values()
    ]


def _no_exercise(name: str) -> str:
    """Say that there is none of this name, and what may be meant."""
    numbers = ", ".join(sheet.number for sheet in sheets())
    names = [name for sheet in sheets() for name in sheet.exercises]
    near = difflib.get_close_matches(name.lower(), names, 1)
    path = Path(name)
    folder = path if path.is_dir() else path.parent
    elsewhere = f"; of another folder: `{RUN} check --folder {folder}`" if path.exists() else ""
    return (
        f"there is no exercise {name}"
        + (f", did you mean {near[0]}" if near else "")
        + elsewhere
        + f"; there are those of the lessons {numbers}, and "
        f"`python -m minigrad exercises` lists their names"
    )


def folder_of(named: Path | None) -> Path:
    """Return the learner's folder: the one named, or this one if it has exercises, or the clone's.

    Raises:
        ConfigError: if the folder named has none.
    """
    if named is None:
        return Path() if has_any(Path()) else EXERCISES
    if not has_any(named):
        if not named.exists() and any(str(named).zfill(2) == sheet.number for sheet in sheets()):
            raise errors.ConfigError(
                f"{named} is a lesson, and a folder is asked for; `{RUN} check {named}` checks a lesson"
            )
        raise errors.ConfigError(
            f"there are no exercises in {named}: `{RUN} start {named}` puts them there"
        )
    return named


def has_any(folder: Path) -> bool:
    """Tell whether there are exercises in a folder."""
    return bool(in_folder(folder))


def in_folder(folder: Path) -> list[str]:
    """The numbers of the lessons whose exercises are in a folder."""
    return [sheet.number for sheet in sheets() if (folder / sheet.file).is_file()]
