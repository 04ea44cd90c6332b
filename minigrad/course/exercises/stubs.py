"""Parts of the stubs that are handed out: calls in their docstrings, and programs to be repaired."""

from __future__ import annotations

import contextlib
import doctest
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .catalogue import Sheet
from .exercise import Exercise
from .learner_file import handed_out
from .recipes import Limited, maker


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
