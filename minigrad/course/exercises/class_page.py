"""The page of a class: the mistakes and who made them, what to repeat, and a slide for each mistake."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...views.drawing.drawing import Drawing
from .exercise import Exercise
from .marking import MISSING, NOT_BEGUN, RIGHT, WRONG, Mark
from .sheets import Sheet

Students = Mapping[str, Sequence[tuple[Sheet, Exercise, Mark]]]
escape = html.escape


class SharedMistake(NamedTuple):
    """A mistake, with those who made it, and the smallest input that shows it."""

    sheet: Sheet
    exercise: Exercise
    says: str
    who: list[str]
    mark: Mark


def mistakes(students: Students) -> list[SharedMistake]:
    """The mistakes of a class that have a name, the most frequent first."""
    known: dict[tuple[str, str], SharedMistake] = {}
    for student, marked in students.items():
        for sheet, exercise, mark in marked:
            if mark.mistake is None:
                continue
            key = exercise.name, mark.says
            mistake = known.get(key) or SharedMistake(sheet, exercise, mark.says, [], mark)
            shortest = min(mistake.mark, mark, key=lambda one: len("".join(one.shows)))
            mistake.who.append(student)
            known[key] = mistake._replace(mark=shortest)
    return sorted(known.values(), key=lambda mistake: -len(mistake.who))


def to_repeat(students: Students) -> list[tuple[Sheet, float]]:
    """Each lesson whose exercises were begun, with the share of the points of these that was lost; the
    largest first."""
    lost: dict[Sheet, list[int]] = {}
    for marked in students.values():
        for sheet, exercise, mark in marked:
            if mark.state not in (NOT_BEGUN, MISSING):
                of = lost.setdefault(sheet, [0, 0])
                of[0] += exercise.points * (mark.state != RIGHT)
                of[1] += exercise.points
    shares = [(sheet, missed / of) for sheet, (missed, of) in lost.items() if missed]
    return sorted(shares, key=lambda one: -one[1])


def page(students: Students) -> str:
    """The page, in HTML that needs nothing else."""
    made = mistakes(students)
    style = Path(__file__).with_name("class.css").read_text(encoding="utf-8")
    body = [
        f"<h1>{len(students)} students</h1>",
        _table(students),
        "<h2>To repeat</h2>",
        _listed(
            f"lesson {sheet.number}, {escape(sheet.title)}: {share:.0%} of the points lost in what "
            f"was begun"
            for sheet, share in to_repeat(students)
        ),
        "<h2>Mistakes</h2>",
        _listed(
            f"<b>{len(one.who)}</b> {one.sheet.number} {one.exercise.name}: {escape(one.says)} "
            f"<i>{escape(', '.join(one.who))}</i>"
            for one in made
        ),
        "<h2>Wrong in another way</h2>",
        _listed(
            f"{sheet.number} {exercise.name}: <i>{escape(student)}</i> {escape(found.says)}"
            for student, marked in students.items()
            for sheet, exercise, found in marked
            if found.state not in (RIGHT, NOT_BEGUN, MISSING) and found.mistake is None
        ),
        *map(_slide, made),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Exercises of a '
        f'class</title>\n<link rel="icon" href="data:,">\n<style>\n{style}</style>\n</head>\n<body>\n'
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


SIGNS = {RIGHT: "●", WRONG: "○", NOT_BEGUN: "", MISSING: ""}


def _table(students: Students) -> str:
    columns = next(iter(students.values()))
    head = "".join(
        f"<th><span>{sheet.number} {exercise.name}</span></th>" for sheet, exercise, _ in columns
    )
    rows = []
    for student, marked in students.items():
        cells = "".join(
            f'<td title="{escape(f"{exercise.name}: {found.state}. {found.says}")}">'
            f"{SIGNS.get(found.state, '○')}</td>"
            for _, exercise, found in marked
        )
        points = sum(exercise.points for _, exercise, found in marked if found.state == RIGHT)
        rows.append(f"<tr><td>{escape(student)}</td>{cells}<td>{points}</td></tr>")
    return (
        f"<table><tr><th></th>{head}<th><span>points</span></th></tr>{''.join(rows)}</table>"
        "<p>● right, ○ not right, empty: not begun</p>"
    )


def _listed(items) -> str:
    lines = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{lines}</ul>" if lines else "<p>None.</p>"


def _slide(mistake: SharedMistake) -> str:
    picture = ""
    if mistake.mark.picture is not None:
        picture = Drawing(*mistake.mark.picture).svg() or ""
        picture = picture[max(picture.find("<svg"), 0) :]
    shows = escape("\n".join(mistake.mark.shows))
    return (
        f'<section class="slide"><h2>{mistake.sheet.number} {mistake.exercise.name}</h2>'
        f"<p>{escape(mistake.says)}</p><pre>{shows}</pre>{picture}</section>"
    )
