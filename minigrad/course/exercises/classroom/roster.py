"""A roster: the names of a class, the numbers that its learning platform knows them by, and times."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .... import errors
from .students import Student
from .table_files import rows_of
from .times import read_time

# What a first line may call its columns.
NAMES = ("name", "student", "student name", "full name", "vollständiger name")
FIRST = ("first name", "firstname", "given name", "vorname")  # or a name in two columns
LAST = ("last name", "lastname", "surname", "family name", "nachname")
NUMBERS = (
    "id", "number", "student id", "student number", "sis user id", "identifier", "id number",
    "id nummer", "matrikel", "matrikelnummer", "nummer", "nr", "nr.",
)  # fmt: skip
TIMES = (
    "time", "handed in", "submitted", "last modified (submission)", "zeit", "abgegeben", "abgabe",
    "zuletzt geändert (abgabe)",
)  # fmt: skip
EXCUSED = ("excused", "entschuldigt")  # in place of a time
# Before the number in Moodle's worksheet; in its folders the number stands alone.
MOODLES = re.compile(r"(?:Participant|Teilnehmer/in) ?(?=\d)")
NONE = ("points possible", "student, test", "test student")  # lines of Canvas that are no student


class Enrolled(NamedTuple):
    """A student in a roster."""

    name: str
    number: str
    time: float = 0.0  # of hand-in, in seconds since 1970; 0 if the roster does not say it
    excused: bool = False

    @property
    def folder(self) -> str:
        """The name of the student's folder, where the class is handed out by the roster."""
        return re.sub(r"[^\w.-]+", "_", self.name).strip("._") or "student"


def read_roster(path: Path, tell: Callable[[str], object] = lambda line: None) -> list[Enrolled]:
    """Read a roster: a line for each student, the name, and behind commas the number and the time of
    hand-in, if there are such. Names may be written "Last, First", and lines be numbered.

    A first line that names the columns "name" (or "first name" and "last name"), "id" and "time" says
    where they are, among others, in English or German. Moodle's grading worksheet is a roster too, its
    list of a course, and Canvas's gradebook. Who is excused has that in place of a time.

    Args:
        tell: is given a line on a column that seems to have times, and is not read.

    Raises:
        ConfigError: if there is no name in it, one is there twice, or a time or a line cannot be read.
    """
    rows = rows_of(path, "the roster")
    columns = _titled(path, rows, tell) or _untitled(path, rows)
    cell = lambda row, places: " ".join(row[k] for k in places if k < len(row)).strip()
    entries = [
        Enrolled(
            name, MOODLES.sub("", cell(row, columns.number)), *_time(path, cell(row, columns.time))
        )
        for row in rows
        if (name := cell(row, columns.name)) and name.lower() not in NONE
    ]
    folders = [entry.folder.lower() for entry in entries]
    twice = [e.name for e in entries if folders.count(e.folder.lower()) > 1]
    if not entries or twice:
        about = f"{twice[0]} is there twice" if twice else "there is no name in it"
        raise errors.ConfigError(
            f"the roster {path}: {about}; a line is a name, name,id or name,id,time"
        )
    return entries


class _Columns(NamedTuple):
    """The columns of a roster: one or none each, but for a name in two."""

    name: list[int]
    number: list[int]
    time: list[int]


def _titled(path: Path, rows: list[list[str]], tell: Callable[[str], object]) -> _Columns | None:
    """Find the columns by their titles, which the rows lose; None if the first row has none."""
    at = lambda titles: places(rows, titles)[:1]
    name, number, time = at(NAMES) or [*at(FIRST), *at(LAST)], at(NUMBERS), at(TIMES)
    if not number and name == [0] and len(rows[0]) == 2:
        number = [1]
    if not name and all(MOODLES.match(row[k]) for k in number for row in rows[1:] if k < len(row)):
        name = number  # names are hidden from who marks
    if not name:
        return None
    titles = rows.pop(0)
    for k, title in enumerate(titles if not time else ()):
        if k not in (*name, *number) and _seem_times([row[k] for row in rows if k < len(row)]):
            tell(
                f"the roster {path}: the column {title!r} is not read, and the files' times are "
                f"used; if it has the times of hand-in, call it time"
            )
    return _Columns(name, number, time)


def places(rows: Sequence[Sequence[str]], titles: Sequence[str]) -> list[int]:
    """The columns whose title, in the first row, is one of these; that with the first of them first."""
    heads = [cell.lower().replace("-", " ") for cell in rows[0]] if rows else []
    return [heads.index(title) for title in titles if title in heads]


def _untitled(path: Path, rows: list[list[str]]) -> _Columns:
    """Find the columns of rows without titles; the rows lose their numbering.

    Raises:
        ConfigError: if only some lines seem to be "Last, First", or to be names and something else.
    """
    if all(re.match(r"\d+(?:[.)]\s*|\s+)[^\W\d]|\d+[.)]$", row[0]) for row in rows):
        for row in rows:
            row[0] = re.sub(r"^\d+[.)]?\s*", "", row[0])
            if not row[0]:  # it had a column of its own
                del row[0]
    first_names = [row for row in rows if len(row) > 1 and _first_name(row[1])]
    if not first_names:
        return _Columns([0], [1], [2])
    whole = sum(" " in row[0] for row in first_names) * 2 > len(first_names)
    if whole or len(first_names) < len(rows):
        one = first_names[0]
        raise errors.ConfigError(
            f"the roster {path}: in the line {', '.join(one)!r} the name would be {one[0]!r} and the id "
            f"{one[1]!r}; write all lines as Last, First, or a first line that says name,id or "
            f"last name,first name"
        )
    numbered = all(row[0].isdecimal() for row in rows)
    return _Columns([1], [0], [2]) if numbered else _Columns([1, 0], [2], [3])


def _first_name(text: str) -> bool:
    """Tell whether a text looks like a first name, rather than like an id or a time."""
    return bool(re.fullmatch(r"[^\W\d_](?:[^\W\d_]|[ .'’-])*", text)) and not text[0].islower()


def _seem_times(cells: Sequence[str]) -> bool:
    texts = [cell for cell in cells if cell not in ("", "-")]
    return bool(texts) and all(re.search(r"\d{4}.*\d:\d\d", cell) for cell in texts)


def _time(path: Path, text: str) -> tuple[float, bool]:
    """The time of hand-in, or 0; and whether the student is excused."""
    if text in ("", "-") or text.lower() in EXCUSED:
        return 0.0, text.lower() in EXCUSED
    with contextlib.suppress(ValueError):
        return read_time(text).timestamp(), False
    raise errors.ConfigError(
        f"the roster {path}: a time is like 2026-11-20T18:00 or 20.11.2026 18:00, or as Moodle writes "
        f"it, not {text!r}; a line is name,id,time, or the first names the columns it has, such as name "
        f"and id"
    )


# --- the students of a class, in the roster ----------------------------------------------------------


def numbers_of(students: Sequence[Student], roster: Sequence[Enrolled]) -> dict[str, str]:
    """The number in the roster of each student who is in it: by the number, the name or the folder, or
    else by the words of the name in any order, if that is one student's alone."""
    by_name: dict[str, str] = {}
    by_words: dict[str, set[str]] = {}
    for entry in roster:
        number = entry.number or entry.name
        by_words.setdefault(_words(entry.name), set()).add(number)
        for called in filter(None, (entry.number, entry.name, entry.folder)):
            by_name.setdefault(called.casefold(), number)

    def number_of(student: Student) -> str | None:
        for called in filter(None, (student.number, student.name)):
            if called.casefold() in by_name:
                return by_name[called.casefold()]
        same = by_words.get(_words(student.name), set())
        return min(same) if len(same) == 1 else None

    numbers = {one.name: number_of(one) for one in students}
    return {name: number for name, number in numbers.items() if number}


def spell_as_roster(students: Sequence[Student], roster: Sequence[Enrolled]) -> None:
    """Give students the names that the roster has for them, so that each has one spelling."""
    numbers = numbers_of(students, roster)
    names = {entry.number or entry.name: entry.name for entry in roster}
    for student in students:
        number = numbers.get(student.name, "")
        if [*numbers.values()].count(number) == 1:
            student.name = names[number]


def untouched_doubles(students: Sequence[Student], roster: Sequence[Enrolled]) -> list[Student]:
    """The students whose folder was handed out and never begun, while their work came in elsewhere."""
    numbers = numbers_of(students, roster)
    whose = {one.name: numbers.get(one.name) or _words(one.name) for one in students}
    untouched = [one for one in students if not one.number and one.untouched]
    came = {whose[one.name] for one in students if one not in untouched}
    return [one for one in untouched if whose[one.name] in came]


def _words(name: str) -> str:
    """The words of a name in the order of the alphabet: those of "Weiß, Jörg" and "Jörg_Weiß"."""
    return " ".join(sorted(re.findall(r"[^\W_]+", name.casefold())))


def absentees(numbers: Sequence[str], roster: Sequence[Enrolled]) -> list[Enrolled]:
    """Who is in the roster, and has handed in nothing."""
    return [entry for entry in roster if (entry.number or entry.name) not in numbers]


def times_of(numbers: Mapping[str, str], roster: Sequence[Enrolled]) -> dict[str, float]:
    """The time of hand-in that the roster says of each student, by name; of `numbers_of` them."""
    times = {entry.number or entry.name: entry.time for entry in roster if entry.time}
    return {name: times[number] for name, number in numbers.items() if number in times}
