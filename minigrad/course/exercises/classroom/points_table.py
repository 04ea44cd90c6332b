"""Points as an instructor sets them: a table in place of the course's own.

exercise,points,share
softmax,4,0.5            4 points; up to half of them if it is wrong, by the inputs it answers right
walk,0                   is not counted
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from .... import errors
from ..catalogue import Selection, exercises_named
from ..exercise import Exercise
from ..marking.mark import Mark
from .points import in_parts
from .table_files import rows_of


class Worth(NamedTuple):
    """The points of an exercise, and the share that a wrong function gets at most; None: `--parts`."""

    points: float
    share: float | None = None


def read_points(path: Path) -> dict[str, Worth]:
    """Read a table of points, by the names of exercises.

    Raises:
        ConfigError: if a line is none of `exercise,points` or `exercise,points,share`.
    """
    rows = rows_of(path, "the points")
    if rows and rows[0][0].lower() == "exercise":
        del rows[0]
    table: dict[str, Worth] = {}
    for row in rows:
        with _with_its_line(path, row):
            name = _name(row[0])
            if name in table:
                raise errors.ConfigError(f"{name} is there twice")
            table[name] = _worth(row[1:])
    return table


@contextlib.contextmanager
def _with_its_line(path: Path, row: Sequence[str]) -> Iterator[None]:
    """Say with an error which line it is of, and what a line is like."""
    try:
        yield
    except errors.ConfigError as problem:
        raise errors.ConfigError(
            f"the points {path}: the line {','.join(row)!r}: {problem}. A line is the name of an "
            f"exercise, points from 0, and a share from 0 to 1 if it has one, as in softmax,4,0.5"
        ) from None


def _name(text: str) -> str:
    """The name of an exercise, of what `class.csv` calls it, too: 01.order."""
    names = [one.name for _, exercises in exercises_named([text]) for one in exercises]
    if len(names) > 1:
        raise errors.ConfigError(f"{text} is a lesson; give each of its exercises a line")
    return names[0]


def _worth(cells: Sequence[str]) -> Worth:
    points, share, *more = *cells, *[""] * max(0, 2 - len(cells))
    if any(more):
        raise errors.ConfigError(f"there is something behind the share: {', '.join(more)}")
    number = _number(points, "the points", math.inf)
    whole = int(number) if number == int(number) else number
    return Worth(whole, _number(share, "the share", 1) if share else None)


def _number(text: str, what: str, most: float) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (number := float(text.replace(",", "."))) <= most and number < math.inf:
            return number
    about = "is missing" if not text else f"{text!r} is no number from 0"
    raise errors.ConfigError(f"{what}: {about}{f' to {most}' * (most < math.inf)}")


def with_points(selection: Selection, table: Mapping[str, Worth]) -> Selection:
    """The exercises with the points of a table, where it has them."""

    def worth(exercise: Exercise) -> Exercise:
        own = table.get(exercise.name)
        return exercise if own is None else replace(exercise, points=own.points)

    return [(sheet, [worth(one) for one in exercises]) for sheet, exercises in selection]


def with_share(exercise: Exercise, mark: Mark, table: Mapping[str, Worth], parts: float) -> Mark:
    """The mark of a wrong function with the share of its points that it gets."""
    own = table.get(exercise.name)
    return in_parts(mark, parts if own is None or own.share is None else own.share)
