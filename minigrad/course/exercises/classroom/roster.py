"""A roster: the names of a class, the numbers that its learning platform knows them by, and times."""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from .... import errors
from .handed_in import Student

# What a first line may call its columns.
NAMES = ("name", "student", "student name", "full name", "vollständiger name")
FIRST = ("first name", "firstname", "given name", "vorname")  # or a name in two columns
LAST = ("last name", "lastname", "surname", "family name", "nachname")
NUMBERS = (
    "id", "number", "student id", "student number", "sis user id", "identifier", "id number",
    "id nummer", "matrikel", "matrikelnummer",
)  # fmt: skip
TIMES = ("time", "handed in", "submitted", "last modified (submission)")
WRITTEN = (  # times as Moodle's grading worksheet has them in English, and as Canvas exports them
    "%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%A, %B %d, %Y, %I:%M %p",
    "%Y-%m-%d %H:%M:%S %Z",
)  # fmt: skip
MOODLES = "Participant "  # before the number in its worksheet; in its folders it stands alone


class Enrolled(NamedTuple):
    name: str
    number: str
    time: float = 0.0  # of hand-in, in seconds since 1970; 0 if the roster does not say it

    @property
    def folder(self) -> str:
        """The name of the student's folder, where the class is handed out by the roster."""
        return re.sub(r"[^\w.-]+", "_", self.name).strip("._") or "student"


def read_roster(path: Path) -> list[Enrolled]:
    """Read a roster: a line for each student, the name, and behind commas the number and the time of
    hand-in, if there are such.

    A first line that names the columns "name" (or "first name" and "last name"), "id" and "time" says
    where they are, among others, in English or German. Moodle's grading worksheet is a roster too, and
    its list of a course.

    Raises:
        ConfigError: if there is no name in it, one is there twice, or a time cannot be read.
    """
    rows = rows_of(path, "the roster")
    heads = [cell.lower().replace("-", " ") for cell in rows[0]] if rows else []
    places = lambda names: [k for k, head in enumerate(heads) if head in names]
    name = places(NAMES)[:1] or [*places(FIRST)[:1], *places(LAST)[:1]]
    number, handed_in = places(NUMBERS)[:1], places(TIMES)[:1]
    if not number and len(heads) == 2 and name == [0]:
        number = [1]
    if name:
        del rows[0]
    else:
        name, number, handed_in = [0], [1], [2]
    cell = lambda row, places: " ".join(row[k] for k in places if k < len(row)).strip()
    entries = [
        Enrolled(called, cell(row, number).removeprefix(MOODLES), _time(path, cell(row, handed_in)))
        for row in rows
        if (called := cell(row, name))
    ]
    folders = [entry.folder.lower() for entry in entries]
    twice = [e.name for e in entries if folders.count(e.folder.lower()) > 1]
    if not entries or twice:
        about = f"{twice[0]} is there twice" if twice else "there is no name in it"
        raise errors.ConfigError(
            f"the roster {path}: {about}; a line is a name, name,id or name,id,time"
        )
    return entries


def rows_of(path: Path, what: str) -> list[list[str]]:
    """The cells of a table, divided by commas; or by semicolons or tabs, as spreadsheets write them.

    Raises:
        ConfigError: if it cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeError:
        raise errors.ConfigError(
            f"cannot read {what} {path}: it is not UTF-8; in a spreadsheet, save it as CSV UTF-8"
        ) from None
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise errors.ConfigError(f"cannot read {what} {path}: {why}") from None
    lines = [line for line in lines if line.strip()]
    divider = next((d for d in ";\t" if lines and all(d in line for line in lines)), ",")
    rows = csv.reader(lines, delimiter=divider)
    return [[cell.strip() for cell in row] for row in rows if any(row)]


def _time(path: Path, text: str) -> float:
    if text in ("", "-"):
        return 0.0
    for form in ("", *WRITTEN):
        with contextlib.suppress(ValueError):
            return _read(text, form).timestamp()
    raise errors.ConfigError(
        f"the roster {path}: a time is like 2026-11-20T18:00, or as Moodle writes it in English, not "
        f"{text!r}; a line is name,id,time, or the first names the columns it has, such as name and id"
    )


def _read(text: str, form: str) -> datetime:
    when = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
    return when.replace(tzinfo=timezone.utc) if form.endswith("%Z") else when


def numbers_of(students: Sequence[Student], roster: Sequence[Enrolled]) -> dict[str, str]:
    """The number in the roster of each student who is in it: by the number, the name or the folder."""
    known: dict[str, str] = {}
    for entry in roster:
        other = entry._replace(name=" ".join(reversed(entry.name.split(", "))))  # "Schmidt, Anna"
        names = entry.number, entry.name, entry.folder, other.name, other.folder
        for called in filter(None, names):
            known.setdefault(called.lower(), entry.number or entry.name)
    found = {
        one.name: known.get(one.number.lower()) or known.get(one.name.lower()) for one in students
    }
    return {name: number for name, number in found.items() if number}


def absent(numbers: Sequence[str], roster: Sequence[Enrolled]) -> list[str]:
    """Who is in the roster, and has handed in nothing."""
    return [entry.name for entry in roster if (entry.number or entry.name) not in numbers]


def times_of(numbers: Mapping[str, str], roster: Sequence[Enrolled]) -> dict[str, float]:
    """The time of hand-in that the roster says of each student, by name; of `numbers_of` them."""
    known = {entry.number or entry.name: entry.time for entry in roster if entry.time}
    return {name: known[number] for name, number in numbers.items() if number in known}
