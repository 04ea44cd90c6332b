"""The results of a class: a table, JSON, a page for the teacher, and one for each student."""

from __future__ import annotations

import argparse
import collections
import functools
import json
import math
import shutil
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from ....system.disk import write_whole
from ...printing import say
from ..isolation.room import JUDGE
from ..sandbox import Marked
from ..values_as_text import cleaned
from .class_page import class_page
from .equal_work import Work, equal_work, the_same, work_in
from .feedback import write_feedback
from .moodle_grades import grading_worksheet
from .points import begun, less_late, total, uses_told
from .result_files import ESCAPED, as_csv, class_as_json
from .roster import Enrolled, absentees, numbers_of, times_of
from .students import Student

GRADES = "grades.csv"  # Moodle's grading worksheet, filled in
RESULTS = ("class.csv", "class.json", "class.html", GRADES)
FEEDBACK = "feedback"  # the folder of the pages for students
PAUSE = 2.0  # seconds from one writing of the results to the next, at least
SHARE = 0.03  # of the time that may go into it


class ClassResults:
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
        self.worksheet = grading_worksheet(options.roster)
        self.numbers = numbers_of(students, roster) or {s.name: s.number for s in students}
        self.times = times_of(self.numbers, roster)
        self.out: Path = options.out
        self.seed = seed
        self.students: dict[str, Sequence[Marked]] = {}
        self.works: dict[str, Work] = {}
        self.contents: dict[str, dict[str, bytes]] = {}  # as hashes
        self.names: list[str] = []
        self._next = 0.0
        self._before = self._results_on_disk()
        self._tell()

    def _tell(self) -> None:
        """Say what there is to know before the marks: notes on files, and who is missing."""
        if self.due is not None:
            say(f"late is what was handed in after {self.due:%Y-%m-%d %H:%M}, {self._clock()}")
            if after := self._after_the_roster(self.due.timestamp()):
                say(
                    f"{'; '.join(after)}: the time in the roster counts, and a file is later. If it was "
                    f"handed in again since, download the worksheet or the list anew"
                )
        for student in self.all:
            for note in student.notes:
                say(f"{cleaned(student.name)}: {cleaned(note.says)}", hanging=4)
            if self.roster and student.name not in self.numbers:
                say(f"{cleaned(student.name)}: not in the roster")
        for number, count in collections.Counter(self.numbers.values()).items():
            if self.roster and number and count > 1:
                names = [cleaned(name) for name, its in self.numbers.items() if its == number]
                say(f"{'; '.join(names)}: the roster has one student for these")
        for one in self._absentees():
            say(f"{cleaned(one.name)}: {'excused' if one.excused else 'handed in nothing'}")

    def _clock(self) -> str:
        """Say whose times count."""
        others = [cleaned(one.name) for one in self.all if one.name not in self.times]
        if not self.times:
            return "by the times of the files, in their zips too"
        and_of = f"; of {', '.join(others)}, by those of the files" if others else ""
        return f"by the times in the roster{and_of}"

    def _after_the_roster(self, due: float) -> list[str]:
        """The students who are less late by the roster's time, which counts, than by their files'."""
        return [
            cleaned(one.name)
            for one in self.all
            if (by_roster := self.times.get(one.name)) is not None
            and _days(one.time, due) > _days(by_roster, due)
        ]

    def add(self, student: Student, marked: Sequence[Marked]) -> None:
        """Add the marks of a student, and write what is there."""
        self.students[student.name] = marked
        with JUDGE:  # two threads at once are too many for the parser of Python 3.11
            work = work_in(student.folder)
        names = {exercise.name for _, exercise, _ in marked}
        self.works[student.name] = {name: work[name] for name in work.keys() & names}
        self.contents[student.name] = {
            sheet.file: sha256((student.folder / sheet.file).read_bytes()).digest()
            for sheet, exercise, _ in marked
            if exercise.name in work
        }
        points = total(marked)
        worth = f"{points:>4} point{'s' * (points != 1)}"
        line = ", ".join(filter(None, (worth, self._late_told(student.name))))
        say(f"{cleaned(student.name):<24} {line}", hanging=25)
        if uses := uses_told(marked):
            say(f"{cleaned(student.name)}: look at: {uses}", hanging=4)
        self.write()

    @property
    def points_in_all(self) -> float:
        """The points of all exercises."""
        return max(
            (sum(e.points for _, e, _ in marked) for marked in self.students.values()), default=0
        )

    def write(self, whole: bool = False) -> None:
        """Write what is there; the page only with `whole`, and nothing soon after it was written."""
        started = time.monotonic()
        if not self.students or (not whole and started < self._next):
            return
        self.names = []
        for name, data in self._files(whole):
            write_whole(self.out / name, functools.partial(_put, data))
            self.names.append(name)
        now = time.monotonic()
        self._next = now + max(PAUSE, (now - started) / SHARE)

    def _files(self, whole: bool) -> Iterator[tuple[str, bytes]]:
        """The files of results, each with what it holds, one after the other."""
        equal = equal_work(self.works)
        columns = self._columns(equal).items()
        more = {name: column for name, column in columns if any(column.values())}
        yield "class.csv", as_csv(self.students, more, self._absentees() if whole else [])
        yield "class.json", class_as_json(self.students, self.seed)
        if whole:
            yield "class.html", self._page(equal).encode(errors=ESCAPED)
            if self.worksheet is not None:
                yield GRADES, self.worksheet.filled(self._grades())

    def _page(self, equal: Mapping[str, Sequence[str]]) -> str:
        """The page for the teacher."""
        compared = {name for work in self.works.values() for name in work}
        return class_page(
            self.students,
            notes=self._notes(),
            equal=equal,
            absent=[f"{one.name}{', excused' * one.excused}" for one in self._absentees()],
            same=the_same(self.works, self.contents),
            compared=len(compared),
            late={name: line for name in self.students if (line := self._late_told(name))},
        )

    def _notes(self) -> dict[str, list[str]]:
        """The notes on the files of each student, as lines."""
        return {one.name: [note.says for note in one.notes] for one in self.all}

    def tell_of_the_maximum(self) -> None:
        """Say if Moodle's maximum grade is not the sum of the points, as which they are written."""
        most, points = self.worksheet and self.worksheet.most, self.points_in_all
        if most is not None and self.students and most != points:
            say(
                f"Moodle's maximum grade is {most:g}, and the points sum to {points:g}: {GRADES} has "
                f"the points, so that all right is {points:g} of {most:g}. Set the maximum grade to "
                f"{points:g}, and download the worksheet again"
            )

    def _absentees(self) -> list[Enrolled]:
        """Who handed in nothing."""
        return absentees(list(self.numbers.values()), self.roster)

    def feedback(self) -> Path:
        """Write a page for each student, and a zip of them that Moodle takes back, if the work has come
        from there; returns their folder."""
        shutil.rmtree(self.out / FEEDBACK, ignore_errors=True)
        notes = self._notes()
        moodles = {one.name: one.moodles for one in self.all if one.moodles}
        back: dict[str, Path] = {}  # by the names in the zip
        for k, (student, marked) in enumerate(self.students.items(), 1):
            late = f"{late}." if (late := self._late_told(student)) else ""
            path = write_feedback(self.out / FEEDBACK, k, student, marked, late, notes[student])
            if student in moodles:
                back[f"{moodles[student]}/feedback.html"] = path
        if back:
            with zipfile.ZipFile(self.out / FEEDBACK / "feedback.zip", "w") as archive:
                for name, path in back.items():
                    archive.write(path, name)
        return self.out / FEEDBACK

    def _results_on_disk(self) -> list[dict[str, Any]]:
        """The results in `class.json`, a dictionary for each student; [] if there are none."""
        try:
            return list(json.loads((self.out / "class.json").read_bytes()))
        except (OSError, ValueError, TypeError):
            return []

    def tell_of_before(self, feedback: bool) -> None:
        """Say if other results were replaced, and if the pages for students are of marks of before.

        Args:
            feedback: whether the pages have been written anew.
        """
        now = self._results_on_disk()
        if not self._before or now == self._before:
            return
        if not _functions(self._before) <= _functions(now):
            say(
                f"The results of other students or exercises in {self.out} were replaced; to keep both, "
                f"give each marking a folder of its own: `--out DIR`"
            )
        anew = {
            FEEDBACK: "" if feedback else "--feedback",
            GRADES: "" if self.worksheet else "--roster WORKSHEET",
        }
        for name, option in anew.items():
            if option and (self.out / name).exists():
                say(f"{self.out / name} has the marks of before: `{option}` writes it anew")

    @property
    def days(self) -> dict[str, int]:
        """The days begun that work is late, of who is late: by the roster, or else the files. Where
        nothing was begun, nothing is late."""
        if self.due is None:
            return {}
        times = {one.name: self.times.get(one.name, one.time) for one in self.all}
        due = self.due.timestamp()
        late = {name: days for name, time in times.items() if (days := _days(time, due))}
        return {name: days for name, days in late.items() if begun(self.students.get(name, ()))}

    def _late_told(self, student: str) -> str:
        """Say how late work is, and how many points are left; "" if it is in time."""
        if not (days := self.days.get(student, 0)):
            return ""
        left = self._left_of(student)
        points = "1 point is" if left == 1 else f"{left:g} points are"
        return f"{days} day{'s' * (days != 1)} late: {points} left"

    def _columns(self, same: Mapping[str, Sequence[str]]) -> dict[str, dict[str, object]]:
        """The columns that the table has beside points."""
        return {
            "id": {**self.numbers},
            "days late": {**self.days},
            "points left": {**self._left()},
            "not marked": {one.name: _not_marked(one) or "" for one in self.all},
            "look at": {name: uses_told(marked) for name, marked in self.students.items()},
            "equal to": {name: "; ".join(others) for name, others in same.items()},
        }

    def _grades(self) -> dict[str, float]:
        """The points of each student, by the number: those that are left, if work may be late; 0 where
        nothing was handed in. Who is excused has none."""
        left = self._left() or {name: total(marked) for name, marked in self.students.items()}
        missing = {one.number: 0 for one in self._absentees() if not one.excused}
        return missing | {self.numbers.get(name, ""): points for name, points in left.items()}

    def _left(self) -> dict[str, float]:
        """The points after what is taken off for lateness, if anything is."""
        return {
            name: self._left_of(name)
            for name in self.students
            if self.due is not None and self.share
        }

    def _left_of(self, student: str) -> float:
        return less_late(total(self.students[student]), self.days.get(student, 0), self.share)


def _put(data: bytes, file: IO[bytes]) -> None:
    file.write(data)


def _days(time: float, due: float) -> int:
    """The days begun since it was due; 0 in time."""
    return max(0, math.ceil((time - due) / 86400))


def _functions(results: Sequence[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """Whose functions were marked: the names of student and function."""
    return {(one["folder"], each["name"]) for one in results for each in one["exercises"]}


def _not_marked(student: Student) -> int:
    """Count the notes on what was not marked."""
    return sum(not note.marked for note in student.notes)
