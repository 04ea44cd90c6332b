"""The page of a class: the mistakes and who made them, what to repeat, and a slide for each mistake."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ....views.drawing.drawing import Drawing
from ..catalogue import Sheet
from ..exercise import Exercise
from ..marking.mark import (
    BORROWED,
    HARD_CODED,
    MISSING,
    NOT_BEGUN,
    NOT_MARKED,
    RIGHT,
    STOPPED,
    WRONG,
    Mark,
)
from ..values_as_text import as_html, cleaned
from .results import total

Students = Mapping[str, Sequence[tuple[Sheet, Exercise, Mark]]]
LINE = re.compile(r", in line \d+.*")  # of the learner's, which differs from one to the other
IN_COMMON = {  # what is said of an unnamed fault begins so, and has this in common with others
    r"It raises (\w+)": r"An error, \1",
    r"It returns": "An answer of another kind or shape",
    r"It does not hold that": "A property that does not hold",
    r"It is wrong, in a way": "Wrong numbers",
}
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


class Unnamed(NamedTuple):
    """Functions of a lesson that are wrong in a way that has no name, with those who wrote them."""

    sheet: Sheet
    exercises: list[Exercise]
    says: str
    who: list[str]


def unnamed(students: Students) -> list[Unnamed]:
    """Faults that have no name, in groups of an exercise and a sentence, the largest first; what is said
    of the same students in several exercises of a lesson, as of a file that changes NumPy, is one."""
    groups: dict[tuple[str, str], Unnamed] = {}
    for student, marked in students.items():
        for sheet, exercise, mark in marked:
            if mark.state not in (RIGHT, NOT_BEGUN, MISSING) and mark.mistake is None:
                key = exercise.name, LINE.sub("", mark.says)
                group = groups.setdefault(key, Unnamed(sheet, [exercise], mark.says, []))
                group.who.append(student)
    joined: dict[tuple[Sheet, str, tuple[str, ...]], Unnamed] = {}
    for group in groups.values():
        one = joined.setdefault((group.sheet, LINE.sub("", group.says), (*group.who,)), group)
        one.exercises.extend(group.exercises if one is not group else ())
    return sorted(joined.values(), key=lambda group: -len(group.who))


def in_common(faults: Iterable[Unnamed]) -> dict[str, list[Unnamed]]:
    """The faults by what they have in common; that which most students have first."""
    families: dict[str, list[Unnamed]] = {}
    for fault in faults:
        fits = (re.match(text, fault.says) for text in IN_COMMON)
        begins = next(((text, found) for text, found in zip(IN_COMMON, fits) if found), None)
        family = begins[1].expand(IN_COMMON[begins[0]]) if begins else fault.says.partition(":")[0]
        families.setdefault(family.rstrip("."), []).append(fault)
    count = lambda some: sum(len(one.who) for one in some)
    return dict(sorted(families.items(), key=lambda family: -count(family[1])))


def to_repeat(students: Students) -> list[tuple[Sheet, float]]:
    """Each lesson whose exercises were begun, with the share of the points of these that was lost; the
    largest first."""
    lost: dict[Sheet, list[float]] = {}
    for marked in students.values():
        for sheet, exercise, mark in marked:
            if mark.state not in (NOT_BEGUN, MISSING):
                of = lost.setdefault(sheet, [0, 0])
                of[0] += exercise.points * (mark.state != RIGHT)
                of[1] += exercise.points
    shares = [(sheet, missed / of) for sheet, (missed, of) in lost.items() if missed]
    return sorted(shares, key=lambda one: -one[1])


def wrong_of(students: Students, sheet: Sheet) -> list[tuple[Exercise, int, int]]:
    """The exercises of a lesson, with how many have them wrong, of how many who began; if any has."""
    counts: dict[Exercise, list[int]] = {}
    for marked in students.values():
        for its, exercise, mark in marked:
            if its is sheet and mark.state not in (NOT_BEGUN, MISSING):
                count = counts.setdefault(exercise, [0, 0])
                count[0] += mark.state != RIGHT
                count[1] += 1
    found = [(exercise, wrong, begun) for exercise, (wrong, begun) in counts.items() if wrong]
    return sorted(found, key=lambda one: -one[1])


def page(
    students: Students,
    notes: Mapping[str, Sequence[str]] = {},
    equal: Mapping[str, Sequence[str]] = {},
    absent: Sequence[str] = (),
) -> str:
    """The page, in HTML that needs nothing else.

    Args:
        notes: on each student's files: what was not marked.
        equal: for each student those with equal work.
        absent: who is in the roster, and handed in nothing.
    """
    made = mistakes(students)
    style = Path(__file__).with_name("class.css").read_text(encoding="utf-8")
    body = [
        f"<h1>{len(students)} students{f', {len(absent)} absent' * bool(absent)}</h1>",
        '<p><label><input type="checkbox" id="nameless"> Names off, to show it to the class</label></p>',
        _table(students),
        "<h2>To repeat</h2>",
        _listed(
            f"lesson {sheet.number}, {escape(sheet.title)}: {share:.0%} of the points lost in what "
            f"was begun; "
            + ", ".join(
                f"<code>{exercise.name}</code> wrong for {wrong} of {begun}"
                for exercise, wrong, begun in wrong_of(students, sheet)
            )
            for sheet, share in to_repeat(students)
        ),
        "<h2>Mistakes</h2>",
        _listed(_fault(one, len(students)) for one in made),
        "<h2>Wrong in another way</h2>",
        *(
            f"<h3>{as_html(family)}</h3>{_listed(_fault(one, len(students)) for one in some)}"
            for family, some in in_common(unnamed(students)).items()
        ),
        '<div class="who">',
        *(["<h2>Absent: handed in nothing</h2>", _listed(map(_name, absent))] if absent else ()),
        "<h2>Equal work</h2>",
        _listed(
            f"{_name(one)}: as {', '.join(map(_name, others))}" for one, others in equal.items()
        ),
        "<h2>Not marked, or marked under another name</h2>",
        _listed(
            f"{_name(one)}: {escape(cleaned(note))}" for one, some in notes.items() for note in some
        ),
        "</div>",
        *map(_slide, made),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Exercises of a '
        f'class</title>\n<link rel="icon" href="data:,">\n<style>\n{style}</style>\n</head>\n<body>\n'
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


SIGNS = {RIGHT: "●", WRONG: "○", BORROWED: "◐", HARD_CODED: "◇", STOPPED: "✕", NOT_MARKED: "□"}


def _name(student: str) -> str:
    return f"<bdi>{escape(cleaned(student))}</bdi>"


def _names(students: Sequence[str]) -> str:
    return f'<i class="who">{escape(", ".join(map(cleaned, students)))}</i>'


def _fault(one: SharedMistake | Unnamed, of: int) -> str:
    exercises = [one.exercise] if isinstance(one, SharedMistake) else one.exercises
    names = ", ".join(f"<code>{exercise.name}</code>" for exercise in exercises)
    what = f"lesson {one.sheet.number}, {names}"
    return f"<b>{len(one.who)} of {of}</b>: {what}: {as_html(one.says)} {_names(one.who)}"


def _table(students: Students) -> str:
    columns = next(iter(students.values()))
    head = "".join(
        f'<th scope="col"><span>{sheet.number} {exercise.name}</span></th>'
        for sheet, exercise, _ in columns
    )
    rows = []
    for number, (student, marked) in enumerate(students.items(), 1):
        cells = "".join(
            f'<td title="{escape(f"{exercise.name}: {found.state}. {found.says}")}">'
            f'<span aria-hidden="true">{SIGNS.get(found.state, "")}</span>'
            f'<span class="read">{found.state}</span></td>'
            for _, exercise, found in marked
        )
        points = total(marked)
        name = f'<span class="who">{_name(student)}</span><span class="number">{number}</span>'
        rows.append(f'<tr><th scope="row">{name}</th><td>{points}</td>{cells}</tr>')
    legend = ", ".join(f"{sign} {state}" for state, sign in SIGNS.items())
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="Table of marks"><table>'
        f"<caption>What is right of what was handed in</caption><tr><td></td>"
        f'<th scope="col"><span>points</span></th>{head}</tr>{"".join(rows)}</table></div>'
        f"<p>{legend}, empty: not begun, or not there</p>"
    )


def _listed(items: Iterable[str]) -> str:
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
        f"<p>{as_html(mistake.says)}</p><pre>{shows}</pre>{picture}</section>"
    )
