"""Functions among the inputs of an exercise.

    @maker
    def falling(depth): ...          makes such a function, of plain data

A learner's function runs in a process of its own, and no code goes there. What goes there is a
`Recipe`: which maker, and of what. The function is then made again on the other side.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any, NamedTuple


class Recipe(NamedTuple):
    """The way a function among the inputs is made: by which maker, of which plain data."""

    maker: str
    data: tuple


MAKERS: dict[str, Callable] = {}


def maker(function: Callable) -> Callable:
    """Have what the function below makes be made again where a learner's function runs.

    What it makes is a function among the inputs, or holds one. It is known there by a `Recipe`, since
    code does not go from one process to the other; so what it is made of has to be plain data, or such
    a function itself.
    """

    @functools.wraps(function)
    def make(*data: object) -> Any:
        result = function(*data)
        result.recipe = Recipe(function.__name__, data)
        return result

    MAKERS[function.__name__] = make
    return make


def recipe_of(value: object) -> Recipe | None:
    """The way a function among the inputs was made; None of anything else."""
    recipe = getattr(value, "recipe", None)
    return recipe if isinstance(recipe, Recipe) else None


def made_again(arguments: tuple) -> tuple:
    """The arguments of an example once more: functions among them can be called as often as before."""
    recipes = map(recipe_of, arguments)
    return tuple(
        MAKERS[recipe.maker](*recipe.data) if recipe else copy.deepcopy(a)
        for a, recipe in zip(arguments, recipes)
    )


class Limited:
    """A function among the inputs of an exercise, which gives up when it is called too often.

    Args:
        function: what it computes.
        calls: how often it may be called; infinity: always.
        name: how it is shown among the inputs.

    Raises:
        TooManyCallsError: by the call after the last.
    """

    def __init__(self, function: Callable, calls: float, name: str):
        self.function = function
        self.calls = calls
        self.left = calls
        self.name = name

    def __call__(self, *arguments: object) -> Any:
        self.left -= 1
        if self.left < 0:
            short = self.name.partition(":")[0]
            raise TooManyCallsError(f"{short} was called more than {self.calls} times")
        return self.function(*arguments)

    def __repr__(self) -> str:
        return self.name


class TooManyCallsError(RuntimeError):
    """The error that a `Limited` function raises in the end."""
