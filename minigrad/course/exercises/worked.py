"""Worked examples: an exercise done step by step, with numbers that no check asks for."""

from __future__ import annotations

import inspect
import itertools
import math
import re
from typing import Any

import numpy as np

from ...ran.rules_as_text import source_of
from .exercise import Exercise
from .values_as_text import shown

EXPRESSION = re.compile(r"\{(.+?)\}(?!\})")


def worked_example(exercise: Exercise) -> tuple[list[str], Any]:
    """The lines of an exercise's worked example, and the answer that it comes to."""
    inputs, steps = exercise.worked
    arguments = inputs()
    names = inspect.signature(exercise.solution).parameters
    space: dict[str, Any] = {"np": np, "math": math, "itertools": itertools}
    space |= dict(zip(names, arguments))
    lines = [f"{exercise.name}({', '.join(map(_argument, arguments))})"]
    answer = None

    def value(match: re.Match) -> str:
        nonlocal answer
        answer = eval(f"({match[1]})", space)
        return shown(_rounded(answer))

    lines += [f"  {EXPRESSION.sub(value, step)}" for step in steps]
    return lines, answer


def _argument(value: object) -> str:
    if not inspect.isfunction(value):
        return shown(value)
    return f"lambda {', '.join(inspect.signature(value).parameters)}: {source_of(value)}"


def _rounded(value: Any) -> Any:
    """Numbers with four decimals at most."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_rounded, value))
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return np.round(value, 4) if np.asarray(value).dtype.kind == "f" else value
