"""The sheets of exercises, one a lesson, and the files beside them."""

from __future__ import annotations

import contextlib
import difflib
import doctest
import functools
import importlib.util
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ... import errors
from ..folders import EXERCISES
from .exercise import Exercise, Limited, maker
from .learner_file import handed_out

RUN = "python -m minigrad exercises"
BESIDE = ("draws", "engines")  # files there that functions get inputs from, or are asked through


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
        return self.file[:2]


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


def module_of(path: Path) -> ModuleType:
    """A file of the exercises' folder, as a module."""
    spec = importlib.util.spec_from_file_location(f"exercises_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sheet_of(path: Path) -> Sheet:
    """The sheet whose answers are in this file."""
    module = module_of(path)
    exercises = [value for value in vars(module).values() if isinstance(value, Exercise)]
    title = str(module.__doc__).partition("\n")[0].partition(": ")[2].rstrip(".")
    return Sheet(path.name, title[:1].upper() + title[1:], {one.name: one for one in exercises})


def chosen(wanted: Sequence[str]) -> list[tuple[Sheet, list[Exercise]]]:
    """The exercises of lessons, such as "6" or "06", and of names, such as "softmax"; all if none.

    Raises:
        ConfigError: if there is no such lesson or exercise.
    """
    picked: dict[Exercise, Sheet] = {}
    for one in wanted or [sheet.number for sheet in sheets()]:
        fits = [
            (sheet, exercise)
            for sheet in sheets()
            for exercise in sheet.exercises.values()
            if one in (exercise.name, f"{sheet.number}.{exercise.name}", sheet.file)
            or one.zfill(2) == sheet.number
        ]
        if not fits:
            numbers = ", ".join(sheet.number for sheet in sheets())
            names = [name for sheet in sheets() for name in sheet.exercises]
            near = difflib.get_close_matches(one.lower(), names, 1)
            path = Path(one)
            folder = path if path.is_dir() else path.parent
            elsewhere = path.exists() and f"; of another folder: `{RUN} check --folder {folder}`"
            raise errors.ConfigError(
                f"there is no exercise {one}"
                + (f", did you mean {near[0]}" if near else "")
                + (elsewhere or "")
                + f"; there are those of the lessons {numbers}, and "
                f"`python -m minigrad exercises` lists their names"
            )
        picked.update({exercise: sheet for sheet, exercise in fits})
    return [
        (sheet, [exercise for exercise, its in picked.items() if its is sheet])
        for sheet in sheets()
        if sheet in picked.values()
    ]


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


def examples(sheet: Sheet, exercise: Exercise) -> list[tuple]:
    """The arguments of the calls in an exercise's docstring, as it was handed out."""
    return [
        tuple(
            example(sheet.file, exercise.name, k, place) if inspect.isfunction(one) else one
            for place, one in enumerate(arguments)
        )
        for k, arguments in enumerate(_calls(sheet.file, exercise.name))
    ]


@maker
def example(file: str, name: str, k: int, place: int) -> Limited:
    """A function among the arguments of the docstring's examples; it can be called 1000 times."""
    function = _calls(file, name)[k][place]
    return Limited(function, 1000, function.__name__.replace("<lambda>", "f"))


@functools.cache
def _calls(file: str, name: str) -> list[tuple]:
    calls: list[tuple] = []
    space = handed_out(file).functions()
    text = getattr(space.get(name), "__doc__", None) or ""
    record: Callable[..., Any] = lambda *arguments: calls.append(arguments)
    space = {**space, name: record}
    for one in doctest.DocTestParser().get_examples(text):
        with contextlib.suppress(Exception):  # what is done with an answer that is not there
            exec(one.source, space)
    return calls


def shipped(file: str, exercise: Exercise, says: str) -> None:
    """Write down the program that was handed out as the first mistake of an exercise of the museum.

    Args:
        file: of the exercise, or of its answer.
        says: what comes of the bug, and not what it is.
    """
    exercise.mistake(f"As it shipped: {says}")(
        handed_out(Path(file).name).functions()[exercise.name]
    )


@functools.cache
def beside(name: str) -> ModuleType:
    """A file beside the exercises, of what the answers and a learner's side have in common."""
    return module_of(EXERCISES / f"{name}.py")


def draws() -> ModuleType:
    """The functions among the inputs."""
    return beside("draws")


def asked(function: Any, through: str) -> Any:
    """Return what is asked in place of a function, if that is made of it (`Exercise.through`)."""
    if not through or not callable(function):
        return function
    file, _, name = through.partition(".")
    return getattr(beside(file), name)(function)
