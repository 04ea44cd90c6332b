"""Commands of a teacher: a folder marked, or those of a whole class."""

from __future__ import annotations

import argparse
import contextlib
import math
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from .... import errors
from ....system.disk import destination, write_whole
from ...printing import say
from ..exercise import Exercise
from ..isolation.container import build
from ..isolation.house import JUDGE, House
from ..marking import Mark
from ..sandbox import Job, check, marks_of
from ..sheets import Sheet, chosen, has_any
from ..wording import cleaned
from . import page
from .alike import Work, equal_work, work_in
from .feedback import write_feedback
from .gradescope import as_gradescope, nothing_for_gradescope, write_autograder
from .handed_in import Student, gathered, handed_in
from .kept import NAME as KEPT
from .kept import Kept
from .points import counted, read_points, shared
from .results import (
    ESCAPED,
    Marked,
    as_csv,
    as_json,
    as_junit,
    begun,
    class_as_json,
    less_late,
    points_of,
    total,
)
from .roster import Enrolled, absent, numbers_of, read_roster, times_of

RESULTS = ("class.csv", "class.json", "class.html")
FEEDBACK = "feedback"  # the folder of the pages for students
PAUSE = 2.0  # seconds from one writing of the results to the next, at least
SHARE = 0.03  # of the time that may go into it


FORMS = {"json": as_json, "junit": as_junit, "gradescope": as_gradescope}  # by their options


def mark(options: argparse.Namespace) -> int:
    """Mark a folder: points for each exercise, printed, and written as JSON and JUnit XML."""
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    files = {path: FORMS[name] for name in FORMS if (path := getattr(options, name)) is not None}
    for path in files:
        destination(path)  # before minutes of marking
    table = read_points(options.points) if options.points else {}
    wanted = counted(chosen(options.which), table)
    named = options.folder if options.folder.name else options.folder.resolve()  # of "."
    marked = []
    with contextlib.ExitStack() as until:
        try:
            folder = _with_files(named, until)
        except errors.ConfigError as problem:
            if not options.gradescope:
                raise
            data = nothing_for_gradescope(str(problem))
            write_whole(options.gradescope, lambda file: file.write(data))
            say(cleaned(str(problem)))
            return 0
        house = until.enter_context(contextlib.closing(_house(options)))
        try:
            for sheet, exercise, found in check(folder, wanted, seed, options.seconds, house):
                found = shared(exercise, found, table, options.parts)
                marked.append((sheet, exercise, found))
                points = f"{points_of(exercise, found)}/{exercise.points}"
                told = f"{points:>4}  {found.state:<10} {found.says}"
                say(f"{sheet.number}  {exercise.name:<22} {told}", hanging=44)
        finally:  # after Ctrl-C, too
            _warn(house)
            of = sum(exercise.points for _, exercise, _ in marked)
            print(f"\n{total(marked)} of {of} points (seed {seed})")
    for path, form in files.items():
        data = form(marked, str(named), seed)
        write_whole(path, lambda file: file.write(data))
    return 0


def _with_files(folder: Path, until: contextlib.ExitStack) -> Path:
    """A folder that has exercises: this one, or a copy of what lies deeper in it, in other forms.

    Raises:
        ConfigError: if there are none.
    """
    if has_any(folder):
        return folder
    copy = Path(until.enter_context(tempfile.TemporaryDirectory()))
    for note in gathered(folder, copy).notes:
        say(cleaned(note), hanging=4)
    return copy


def _house(options: argparse.Namespace) -> House:
    """The house for what students wrote, as the options say.

    Raises:
        ConfigError: if no container is to be had.
    """
    if options.container:
        if options.seconds == math.inf:
            raise errors.ConfigError(
                "--container and --in-process exclude each other: leave one out"
            )
        build(options.container)
    return House(options.container or "")


def _warn(house: House) -> None:
    """Say what is not held, where rooms have no namespaces."""
    if house.problem:
        say(
            f"Not held here: what students wrote can read and write your files, and reach the "
            f"network ({house.problem})."
        )


# --- a class --------------------------------------------------------------------------------------


def mark_class(options: argparse.Namespace) -> int:
    """Mark what a class has handed in; write a table, and a page of what to talk about.

    The results are written while it runs. Verdicts are kept beside them, so that what was interrupted
    goes on, and what has not changed is not marked again.
    """
    table = read_points(options.points) if options.points else {}
    wanted = counted(chosen(options.which), table)
    roster = read_roster(options.roster) if options.roster else []
    with contextlib.ExitStack() as until:
        work = until.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        students = handed_in(options.folder, Path(work), options.out)
        options.out.mkdir(parents=True, exist_ok=True)
        kept = until.enter_context(Kept(options.out, options.seed))
        house = until.enter_context(contextlib.closing(_house(options)))
        results = Results(students, options, kept.seed, roster)
        try:
            for student, marked in _marked(students, wanted, kept, options.seconds, house):
                parts = [(s, e, shared(e, mark, table, options.parts)) for s, e, mark in marked]
                results.add(student, parts)
        finally:
            results.write(whole=True)
            _warn(house)
            print(f"\nof {results.of} points (seed {kept.seed}{', as before' * kept.before})")
            for name in results.names:
                print(options.out / name)
            if options.feedback:
                print(results.feedback())
            if len(results.students) < len(students):
                say(f"{len(results.students)} of {len(students)} students: once more goes on there")
    return 0


def _marked(
    students: Sequence[Student],
    wanted: Sequence[tuple[Sheet, list[Exercise]]],
    kept: Kept,
    seconds: float,
    house: House,
) -> Iterator[tuple[Student, list[Marked]]]:
    """Each student with the marks, in order; several are marked at a time."""
    every = [(sheet, exercise) for sheet, exercises in wanted for exercise in exercises]
    keys = {
        (student.name, exercise): kept.key(student.folder, sheet, exercise)
        for student in students
        for sheet, exercise in every
    }
    todo: dict[str, Job] = {}  # by their keys: equal files are marked once
    for student in students:
        for sheet, exercise in every:
            key = keys[student.name, exercise]
            if kept.get(key) is None:
                todo.setdefault(key, (student.folder / sheet.file, sheet, exercise))
    found: dict[str, Mark] = {}
    marks = zip(todo, marks_of(list(todo.values()), kept.seed, seconds, house))
    for student in students:
        marked = []
        for sheet, exercise in every:
            key = keys[student.name, exercise]
            while (mark := kept.get(key) or found.get(key)) is None:
                done, new = next(marks)
                found[done] = new
                kept.add(done, new)
            marked.append((sheet, exercise, mark))
        yield student, marked


class Results:
    """The results of a class, as far as they are there, and the files they are written to."""

    def __init__(
        self,
        students: Sequence[Student],
        options: argparse.Namespace,
        seed: int,
        roster: Sequence[Enrolled],
    ):
        self.all = students
        self.due: datetime | None = options.due
        self.share: float = options.late
        self.roster = roster
        self.numbers = numbers_of(students, roster) or {s.name: s.number for s in students}
        self.times = times_of(self.numbers, roster)
        self.out: Path = options.out
        self.seed = seed
        self.students: dict[str, Sequence[Marked]] = {}
        self.works: dict[str, Work] = {}
        self.names: list[str] = []
        self._next = 0.0
        for student in students:
            for note in student.notes:
                say(f"{cleaned(student.name)}: {cleaned(note)}", hanging=4)
            if roster and student.name not in self.numbers:
                say(f"{cleaned(student.name)}: not in the roster")
        for name in absent(list(self.numbers.values()), roster):
            say(f"{cleaned(name)}: handed in nothing")

    def add(self, student: Student, marked: Sequence[Marked]) -> None:
        self.students[student.name] = marked
        with JUDGE:  # two threads at once are too many for the parser of Python 3.11
            self.works[student.name] = work_in(student.folder)
        say(f"{cleaned(student.name):<24} {total(marked):>4} points")
        self.write()

    @property
    def of(self) -> float:
        """The points of all exercises."""
        return max(
            (sum(e.points for _, e, _ in some) for some in self.students.values()), default=0
        )

    def write(self, whole: bool = False) -> None:
        """Write what is there; the page only with `whole`, and nothing soon after it was written."""
        begun = time.monotonic()
        if not self.students or (not whole and begun < self._next):
            return
        same = equal_work(self.works)
        notes = {one.name: one.notes for one in self.all}
        more = {
            name: column for name, column in self._columns(same).items() if any(column.values())
        }
        forms: Mapping[str, Callable[[], bytes]] = {
            "class.csv": lambda: as_csv(self.students, more, self._absent() if whole else []),
            "class.json": lambda: class_as_json(self.students, self.seed),
        }
        if whole:
            away = [name for name, _ in self._absent()]
            as_html = lambda: page.page(self.students, notes, same, away).encode(errors=ESCAPED)
            forms = {**forms, "class.html": as_html}
        for name, form in forms.items():
            data = form()
            write_whole(self.out / name, lambda file: file.write(data))
        self.names = list(forms)
        now = time.monotonic()
        self._next = now + max(PAUSE, (now - begun) / SHARE)

    def _absent(self) -> list[tuple[str, str]]:
        """The names and numbers of who handed in nothing."""
        names = absent(list(self.numbers.values()), self.roster)
        return [(one.name, one.number) for one in self.roster if one.name in names]

    def feedback(self) -> Path:
        """Write a page for each student; returns their folder."""
        shutil.rmtree(self.out / FEEDBACK, ignore_errors=True)
        notes = {one.name: one.notes for one in self.all}
        for k, (student, marked) in enumerate(self.students.items(), 1):
            days = self.days.get(student)
            left = less_late(total(marked), days or 0, self.share)
            late = f"{days} day{'s' * (days != 1)} late: {left} points are left." if days else ""
            write_feedback(self.out / FEEDBACK, k, student, marked, late, notes[student])
        return self.out / FEEDBACK

    @property
    def days(self) -> dict[str, int]:
        """The days begun that work is late, of who is late: by the roster, or else the files. Where
        nothing was begun, nothing is late."""
        if self.due is None:
            return {}
        times = {one.name: self.times.get(one.name, one.time) for one in self.all}
        due = self.due.timestamp()
        late = {name: math.ceil((time - due) / 86400) for name, time in times.items() if time > due}
        return {name: days for name, days in late.items() if begun(self.students.get(name, ()))}

    def _columns(self, same: Mapping[str, Sequence[str]]) -> dict[str, dict[str, object]]:
        """The columns that the table has beside points."""
        return {
            "id": {**self.numbers},
            "days late": {**self.days},
            "points left": self._left(),
            "not marked": {one.name: _not_marked(one) or "" for one in self.all},
            "equal to": {name: ", ".join(others) for name, others in same.items()},
        }

    def _left(self) -> dict[str, object]:
        """The points after what is taken off for lateness, if anything is."""
        return {
            name: less_late(total(marked), self.days.get(name, 0), self.share)
            for name, marked in self.students.items()
            if self.due is not None and self.share
        }


def _not_marked(student: Student) -> int:
    """Count the notes on what was not marked."""
    return sum(not note.startswith("taken for") for note in student.notes)


def forget(options: argparse.Namespace) -> int:
    """Remove what `class` has written to a folder: names, marks and pages of students."""
    names = [*RESULTS, KEPT]
    removed = False
    for path in [options.folder / name for name in names] + [options.folder / FEEDBACK]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
        else:
            continue
        print(f"removed {path}")
        removed = True
    if not removed:
        raise errors.ConfigError(f"there is nothing in {options.folder} that `class` has written")
    return 0


def autograder(options: argparse.Namespace) -> int:
    """Write the zip of an autograder for Gradescope."""
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    chosen(options.which)  # which says what there is none of
    write_whole(options.file, lambda file: write_autograder(file, seed, options.which))
    print(f"{options.file} (seed {seed})")
    return 0
