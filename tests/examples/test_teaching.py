"""The guide for teachers says of each lesson how long it takes, and what there is to write."""

import re

import pytest

from minigrad.course.exercises.catalogue import sheets
from minigrad.course.folders import EXAMPLES
from minigrad.course.lessons.lesson import lessons

GUIDE = (EXAMPLES / "TEACHING.md").read_text()
ROWS = re.findall(
    r"^\| (\d\d[a-z]?) (.+?) \| (\d+)(?: \+ (\d+))? \| (\d+) \| (.*?) ?\|$", GUIDE, re.M
)


def test_every_lesson_has_a_row():
    titles = [(lesson.number, lesson.title) for lesson in lessons()]
    assert [row[:2] for row in ROWS] == titles, "the first table of examples/TEACHING.md"


@pytest.mark.parametrize(
    ("number", "title", "core", "optional", "seconds", "write"), ROWS, ids=lambda x: x
)
def test_what_a_row_says_is_so(number, title, core, optional, seconds, write):
    (lesson,) = (one for one in lessons() if one.number == number)
    assert (int(core), int(optional or 0)) == pytest.approx(lesson.minutes, abs=1)  # to the minute
    assert int(seconds) == lesson.seconds
    found = [sheet for sheet in sheets() if sheet.title == title]
    for sheet in found:
        points = sum(exercise.points for exercise in sheet.exercises.values())
        assert write == f"{len(sheet.exercises)} ({points})"
    assert found or not write


def test_the_core_of_a_lesson_takes_at_most_twenty_minutes_and_that_of_18_fifteen():
    most = dict.fromkeys((lesson.number for lesson in lessons()), 20) | {"18": 15}
    core = {lesson.number: lesson.minutes[0] for lesson in lessons()}
    assert {number: took for number, took in core.items() if took > most[number]} == {}


@pytest.mark.parametrize("sheet", sheets(), ids=lambda sheet: sheet.title)
def test_a_lesson_ends_with_its_exercises_by_name(sheet):
    (lesson,) = (one for one in lessons() if one.title == sheet.title)
    end = lesson.text.partition("## Questions")[2]
    assert [name for name in sheet.exercises if f"`{name}`" not in end] == []


def test_the_sessions_of_twelve_weeks_have_ninety_minutes_and_every_lesson_from_01_to_16():
    rows = re.findall(r"^\| (\d+) \| (.+?) \| .+? \| ((?:\d+, ){4}\d+) \| (.+) \|$", GUIDE, re.M)
    assert [int(week) for week, *_ in rows] == list(range(1, 13))
    assert [sum(map(int, minutes.split(", "))) for *_, minutes, _ in rows] == 12 * [90]
    assert set(re.findall(r"\d\d", " ".join(row[1] for row in rows))) >= {
        f"{k:02}" for k in range(1, 17)
    }
