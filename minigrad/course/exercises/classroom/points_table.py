"""Points as an instructor sets them: a table in place of the course's own.

exercise,points,share
softmax,4,0.5            4 points; up to half of them if it is wrong, by the inputs it answers right
walk,0                   is not counted
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from .... import errors
from ..catalogue import Wanted, sheets
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
    known = {name for sheet in sheets() for name in sheet.exercises}
    table: dict[str, Worth] = {}
    for row in rows:
        name, *cells = row
        try:
            worth = Worth(*(float(cell.replace(",", ".")) for cell in cells if cell))
            fits = name in known and worth.points >= 0 and 0 <= (worth.share or 0) <= 1
        except (TypeError, ValueError):
            fits = False
        if not fits or name in table:
            raise errors.ConfigError(
                f"the points {path}: the line {','.join(row)!r} is none: once for each exercise, its "
                f"name, points from 0, and a share from 0 to 1 if it has one, as in softmax,4,0.5"
            )
        whole = int(worth.points) if worth.points == int(worth.points) else worth.points
        table[name] = worth._replace(points=whole)
    return table


def counted(wanted: Wanted, table: Mapping[str, Worth]) -> Wanted:
    """The exercises with the points of a table, where it has them."""

    def worth(exercise: Exercise) -> Exercise:
        own = table.get(exercise.name)
        return exercise if own is None else replace(exercise, points=own.points)

    return [(sheet, [worth(one) for one in exercises]) for sheet, exercises in wanted]


def shared(exercise: Exercise, mark: Mark, table: Mapping[str, Worth], parts: float) -> Mark:
    """The mark of a wrong function with the share of its points that it gets."""
    own = table.get(exercise.name)
    return in_parts(mark, parts if own is None or own.share is None else own.share)
