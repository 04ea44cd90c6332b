"""An exercise as a puzzle: the lines of a solution, shuffled, with two that do not belong there.

These are Parsons problems (Parsons & Haden, 2006). What is put together is judged as if it had been
written, by running it, so that any order that works is right.
"""

from __future__ import annotations

import ast
import re
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ... import errors
from ..folders import EXERCISES
from .catalogue import Sheet
from .exercise import Exercise
from .marking.mark import Mark
from .sandbox import Conditions, Job, mark_of

# What a line that does not belong has in place of what is right.
SLIPS = (
    ("-1, keepdims=True", "-1"), ("axis=-1", "axis=0"), ("axis=0", "axis=1"), (".T", ""), ("+=", "="),
    ("-1, -2", "0, 1"), ("1, 2)", "0, 1)"), ("~", ""), (" <= ", " > "), (" >= ", " < "), (" < ", " > "),
    (" != ", " == "), (" == ", " != "), (" & ", " | "), (" / ", " * "), (" * ", " / "), (" - ", " + "),
    (" + ", " - "), (" @ ", " * "), ("argmax", "argmin"), (".copy()", ""), ("reversed(graph)", "graph"),
    ("[:, :-1]", "[:, 1:]"), ("1:", ":"), ("0", "1"), ("1", "0"), ("zeros(", "ones("),
    ("norm(x)", "norm"), (" * ", " + "), ("None, :]", ":, None]"), ("g)", "-g)"), ("(x)", "(v)"),
)  # fmt: skip
ALIEN = 2  # lines that do not belong


@dataclass(frozen=True)
class Puzzle:
    """The first line of a function, and those to choose from."""

    head: str
    lines: Sequence[str]


def puzzle_of(exercise: Exercise) -> Puzzle:
    """The puzzle of an exercise, always the same."""
    rng = np.random.default_rng(zlib.crc32(exercise.name.encode()))
    head, *body = ast.unparse(ast.parse(exercise.text())).splitlines()
    slips = [line.replace(*slip, 1) for slip in SLIPS for line in body if slip[0] in line]
    alien = [line for line in dict.fromkeys(slips) if line not in body and _is_code(line)]
    lines = [*body, *alien[:ALIEN]]
    return Puzzle(head, [lines[k] for k in rng.permutation(len(lines))])


def _is_code(line: str) -> bool:
    text = line.strip()
    try:
        ast.parse(f"{text} pass" if text.endswith(":") else text)
    except SyntaxError:
        return text.startswith(("elif ", "else:"))
    return True


def mark_of_puzzle(sheet: Sheet, exercise: Exercise, order: Sequence[int], seconds: float) -> Mark:
    """Return the mark of the lines of a puzzle, in an order, by their numbers from 1.

    Raises:
        ConfigError: for a number that no line has, or that is given twice.
    """
    puzzle = puzzle_of(exercise)
    for number in order:
        if not 0 < number <= len(puzzle.lines):
            raise errors.ConfigError(
                f"the lines of the puzzle {exercise.name} have the numbers 1 to "
                f"{len(puzzle.lines)}, and there is no {number}"
            )
        if order.count(number) > 1:
            raise errors.ConfigError(f"each line is there once: {number} is given twice")
    code = [puzzle.head, *(puzzle.lines[number - 1] for number in order)]
    stub = (EXERCISES / sheet.file).read_text(encoding="utf-8").splitlines()
    names = dict(enumerate(["the first line", *(f"line {n}" for n in order)], len(stub) + 1))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "these lines")
        path.write_text("\n".join([*stub, *code, ""]), encoding="utf-8")
        mark = mark_of(Job(path, sheet, exercise), Conditions(0, seconds))
    says = re.sub(r"\bline (\d+)", lambda line: names.get(int(line[1]), line[0]), mark.says)
    return replace(mark, says=says)
