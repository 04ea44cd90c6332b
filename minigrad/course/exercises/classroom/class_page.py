"""The page of a class: the mistakes and who made them, what to repeat, and a slide for each mistake."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ....views.drawing.drawing import Drawing
from ..marking.mark import BORROWED, HARD_CODED, NOT_MARKED, RIGHT, STOPPED, WRONG
from ..values_as_text import as_html, cleaned
from .class_mistakes import (
    SharedMistake,
    Students,
    Unnamed,
    by_kind,
    mistakes,
    to_repeat,
    unnamed,
    wrong_of,
)
from .equal_work import COMPARED, SAME
from .points import total

SIGNS = {RIGHT: "●", WRONG: "○", BORROWED: "◐", HARD_CODED: "◇", STOPPED: "✕", NOT_MARKED: "□"}
USES = (
    "Functions that use what leads to files, networks, processes or threads, or what runs other code. "
    "It takes off no points. But an exercise seldom needs it, and a library can do the work so, unseen."
)
escape = html.escape


def class_page(
    students: Students,
    notes: Mapping[str, Sequence[str]] = {},
    equal: Mapping[str, Sequence[str]] = {},
    absent: Sequence[str] = (),
    same: Mapping[tuple[str, ...], Sequence[str]] = {},
    compared: int = 0,
    late: Mapping[str, str] = {},
) -> str:
    """The page, in HTML that needs nothing else.

    Args:
        notes: on each student's files: what was not marked.
        equal: for each student those with equal work.
        absent: who is in the roster, and handed in nothing.
        same: by those who have it, what is the same word for word.
        compared: the number of functions.
        late: of who is late, by how much, and what that leaves.
    """
    shared = mistakes(students)
    box = '<input type="checkbox" id="nameless">'
    body = [
        f"<h1>{len(students)} students{f', {len(absent)} absent' * bool(absent)}</h1>",
        f"<p><label>{box} Names off, to show it to the class</label></p>",
        _table(students),
        *_to_repeat(students),
        "<h2>Mistakes</h2>",
        _listed(_fault(one, len(students)) for one in shared),
        *_wrong_in_another_way(students),
        '<div class="who">',
        *_who_is_absent(absent),
        *_who_is_late(late),
        *_equal_work(equal, same, f"{compared} functions of {len(students)} students"),
        *_to_look_at(students),
        *_about_the_files(notes),
        "</div>",
        *map(_slide, shared),
    ]
    style = Path(__file__).with_name("class.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Exercises of a '
        f'class</title>\n<link rel="icon" href="data:,">\n<style>\n{style}</style>\n</head>\n<body>\n'
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _to_repeat(students: Students) -> Iterator[str]:
    yield "<h2>To repeat</h2>"
    yield _listed(
        f"lesson {sheet.number}, {escape(sheet.title)}: {share:.0%} of the points lost in what was "
        f"begun; "
        + ", ".join(
            f"<code>{exercise.name}</code> wrong for {wrong} of {begun}"
            for exercise, wrong, begun in wrong_of(students, sheet)
        )
        for sheet, share in to_repeat(students)
    )


def _wrong_in_another_way(students: Students) -> Iterator[str]:
    yield "<h2>Wrong in another way</h2>"
    for kind, faults in by_kind(unnamed(students)).items():
        yield f"<h3>{as_html(kind)}</h3>{_listed(_fault(one, len(students)) for one in faults)}"


def _who_is_absent(absent: Sequence[str]) -> Iterator[str]:
    if absent:
        yield "<h2>Absent: handed in nothing</h2>"
        yield _listed(map(_name, absent))


def _who_is_late(late: Mapping[str, str]) -> Iterator[str]:
    if late:
        yield "<h2>Late</h2><p>The table above has the points before anything is taken off.</p>"
        yield _listed(f"{_name(one)}: {escape(told)}" for one, told in late.items())


def _equal_work(
    equal: Mapping[str, Sequence[str]], same: Mapping[tuple[str, ...], Sequence[str]], compared: str
) -> Iterator[str]:
    """Equal work, and the same; and that it says little if there is none."""
    yield f"<h2>Equal work</h2><p>{COMPARED}</p>"
    yield _listed(
        (f"{_name(one)}: as {'; '.join(map(_name, others))}" for one, others in equal.items()),
        none=f"None that can be told, of {compared}. Where these are few or short, a copy under other "
        f"names is not told: None is no proof either.",
    )
    yield f"<h3>The same, word for word</h3><p>{SAME}</p>"
    yield _listed(
        f"{'; '.join(map(_name, who))}: {escape('; '.join(what))}" for who, what in same.items()
    )


def _to_look_at(students: Students) -> Iterator[str]:
    """Functions whose code leads out of the exercise."""
    yield f"<h2>To look at</h2><p>{USES}</p>"
    yield _listed(
        f"{_name(student)}: <code>{exercise.name}</code> uses {escape(mark.uses)}"
        for student, marked in students.items()
        for _, exercise, mark in marked
        if mark.uses
    )


def _about_the_files(notes: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The notes on files that were not marked."""
    yield "<h2>Not marked, or marked under another name</h2>"
    yield _listed(
        f"{_name(student)}: {escape(cleaned(line))}"
        for student, lines in notes.items()
        for line in lines
    )


def _table(students: Students) -> str:
    columns = next(iter(students.values()))
    head = "".join(
        f'<th scope="col"><span>{sheet.number} {exercise.name}</span></th>'
        for sheet, exercise, _ in columns
    )
    rows = []
    for number, (student, marked) in enumerate(students.items(), 1):
        cells = "".join(
            f'<td title="{escape(f"{exercise.name}: {mark.state}. {mark.says}")}">'
            f'<span aria-hidden="true">{SIGNS.get(mark.state, "")}</span>'
            f'<span class="read">{mark.state}</span></td>'
            for _, exercise, mark in marked
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


def _fault(one: SharedMistake | Unnamed, of: int) -> str:
    exercises = [one.exercise] if isinstance(one, SharedMistake) else one.exercises
    names = ", ".join(f"<code>{exercise.name}</code>" for exercise in exercises)
    what = f"lesson {one.sheet.number}, {names}"
    return f"<b>{len(one.who)} of {of}</b>: {what}: {as_html(one.mark.says)} {_names(one.who)}"


def _name(student: str) -> str:
    return f"<bdi>{escape(cleaned(student))}</bdi>"


def _names(students: Sequence[str]) -> str:
    return f'<i class="who">{escape("; ".join(map(cleaned, students)))}</i>'  # of "Last, First"


def _listed(items: Iterable[str], none: str = "None.") -> str:
    lines = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{lines}</ul>" if lines else f"<p>{none}</p>"


def _slide(mistake: SharedMistake) -> str:
    picture = ""
    if mistake.mark.picture is not None:
        picture = Drawing(*mistake.mark.picture).svg() or ""
    shows = escape("\n".join(mistake.mark.shows))
    return (
        f'<section class="slide"><h2>{mistake.sheet.number} {mistake.exercise.name}</h2>'
        f"<p>{as_html(mistake.mark.says)}</p><pre>{shows}</pre>{picture}</section>"
    )
