"""The guide for teachers says of each lesson how long it takes, and what there is to write."""

import re
from pathlib import Path

import pytest

from minigrad.course.exercises.sheets import sheets
from minigrad.course.places import EXAMPLES

GUIDE = (EXAMPLES / "TEACHING.md").read_text()
ROWS = re.findall(r"^\| (\d\d[a-z]?) (.+?) \| (\d+) \| (\d+) \| (.*?) ?\|$", GUIDE, re.M)


def lesson_of(title):
    return next(
        p
        for p in EXAMPLES.glob("*.py")
        if re.search(rf"^# # \d\d[a-z]? {re.escape(title)}$", p.read_text(), re.M)
    )


def minutes_to_read(lesson: Path):
    """200 words of prose a minute, and 20 lines of code, as the guide has it."""
    words = code = 0
    for cell in re.split(r"^# %%", lesson.read_text(), flags=re.M):
        if cell.startswith(" [markdown]"):
            words += len(re.findall(r"\w+", cell)) - 1
        else:
            code += sum(bool(x.strip()) and not x.startswith("#") for x in cell.splitlines())
    return words / 200 + code / 20


def test_every_lesson_has_a_row():
    numbers = [number for number, *_ in ROWS]
    assert numbers == sorted(p.name.split("_")[0] for p in EXAMPLES.glob("[0-9]*.py"))


@pytest.mark.parametrize(("number", "title", "minutes", "seconds", "write"), ROWS, ids=lambda x: x)
def test_what_a_row_says_is_so(number, title, minutes, seconds, write):
    lesson = lesson_of(title)
    assert int(minutes) == pytest.approx(minutes_to_read(lesson), rel=0.2)
    assert f"About {seconds} seconds." in lesson.read_text()
    found = [sheet for sheet in sheets() if sheet.title == title]
    for sheet in found:
        points = sum(exercise.points for exercise in sheet.exercises.values())
        assert write == f"{len(sheet.exercises)} ({points})"
    assert found or not write
