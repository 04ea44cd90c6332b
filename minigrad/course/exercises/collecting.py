"""`pytest DIR` checks the exercises in a folder of one's own, through the `conftest.py` there.

pytest runs that file before this one, whoever wrote it: what was handed in is for `mark` and `class`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .catalogue import Sheet, sheets
from .exercise import Exercise
from .marking.mark import RIGHT
from .sandbox import SECONDS, check


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file of exercises; with a test for each of them."""
    for sheet in sheets():
        if file_path.name == sheet.file and file_path.parent.name != "answers":
            return _HandedIn.from_parent(parent, path=file_path)
    return None


class _HandedIn(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        (sheet,) = (sheet for sheet in sheets() if sheet.file == self.path.name)
        for exercise in sheet.exercises.values():
            item = _Item.from_parent(self, name=exercise.name)
            item.sheet, item.exercise = sheet, exercise
            yield item


class _Item(pytest.Item):
    sheet: Sheet
    exercise: Exercise

    def runtest(self) -> None:
        ((_, exercise, mark),) = check(
            self.path.parent, [(self.sheet, [self.exercise])], seconds=SECONDS
        )
        points = exercise.points if mark.state == RIGHT else 0
        self.user_properties += [("points", points), ("of", exercise.points)]
        if mark.state != RIGHT:
            lines = (f"{exercise.name}: {mark.state}", mark.says, *mark.shows)
            raise AssertionError("\n    ".join(filter(None, lines)))

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value)

    def reportinfo(self):
        return self.path, None, f"{self.sheet.number} {self.name}"
