"""Moodle's grading worksheet, filled in with points."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .roster import MOODLES, NUMBERS, places
from .table_files import rows_of

GRADES = ("grade", "bewertung")  # what the column may be called
MOST = ("maximum grade", "bestwertung", "maximale bewertung")


class GradingWorksheet(NamedTuple):
    """The rows of Moodle's grading worksheet, its titles first, the columns that count, and the maximum
    grade, if it is there."""

    rows: list[list[str]]
    number: int
    grade: int
    most: float | None = None

    def filled(self, points: Mapping[str, float]) -> bytes:
        """The worksheet with the points of each student, by the number, in the column of grades. Other
        students keep the grade that they have."""
        text = io.StringIO()
        table = csv.writer(text)
        for row in self.rows:
            number = MOODLES.sub("", row[self.number])
            grades = [str(points[number])] if number in points else row[self.grade :][:1]
            table.writerow([*row[: self.grade], *grades, *row[self.grade + 1 :]])
        return text.getvalue().encode()


def grading_worksheet(roster: Path | None) -> GradingWorksheet | None:
    """The roster as Moodle's grading worksheet; None if it is another list.

    Raises:
        ConfigError: if it cannot be read.
    """
    rows = rows_of(roster, "the roster") if roster else []
    for number, grade in zip(places(rows, NUMBERS), places(rows, GRADES)):
        if rows[1:] and all(MOODLES.match(row[number]) for row in rows[1:]):
            return GradingWorksheet(rows, number, grade, _most(rows))
    return None


def _most(rows: Sequence[Sequence[str]]) -> float | None:
    """The maximum grade that the rows have, as 11.00 or 11,00; None if there is none."""
    cells = [row[k] for k in places(rows, MOST)[:1] for row in rows[1:] if k < len(row)]
    with contextlib.suppress(ValueError, IndexError):  # a scale has words
        return float(cells[0].replace(",", "."))
    return None
