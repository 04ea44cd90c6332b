"""Commands of a teacher: a folder marked, or those of a whole class."""

from __future__ import annotations

import argparse
import contextlib
import math
import secrets
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .... import errors
from ....system.disk import destination, write_whole
from ...printing import say
from ..catalogue import RUN, Selection, Sheet, exercises_named, has_any, in_folder, sheets
from ..exercise import Exercise
from ..isolation.container import build
from ..isolation.house import House
from ..marking.mark import Mark
from ..sandbox import Marked, check, tell_of_time
from ..values_as_text import cleaned
from .class_marks import marks_of_class
from .class_results import FEEDBACK, RESULTS, ClassResults
from .gradescope import as_gradescope, nothing_for_gradescope, write_autograder
from .points import part_told, points_of, total, uses_told
from .points_table import read_points, with_points, with_share
from .result_files import as_json, as_junit
from .roster import Enrolled, read_roster, spell_as_roster, untouched_doubles
from .students import Student, student_in, students_in
from .verdict_cache import FILE, VerdictCache

FORMS = {"json": as_json, "junit": as_junit, "gradescope": as_gradescope}  # by their options


def mark(options: argparse.Namespace) -> int:
    """Mark a folder: points for each exercise, printed, and written as JSON and JUnit XML."""
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    files = {path: FORMS[name] for name in FORMS if (path := getattr(options, name)) is not None}
    for path in files:
        destination(path)  # before minutes of marking
    table = read_points(options.points) if options.points else {}
    selection = exercises_named(options.which)
    folder_given = options.folder if options.folder.name else options.folder.resolve()  # of "."
    marked: list[Marked] = []
    with contextlib.ExitStack() as until:
        try:
            folder = _with_files(folder_given, until)
        except errors.ConfigError as problem:
            if not options.gradescope:
                raise
            _nothing_to_mark(str(problem), options.gradescope)
            return 0
        if not (options.which or files):  # files are for programs, which expect all
            selection = _there(in_folder(folder), "mark", folder_given)
        selection = with_points(selection, table)
        house = until.enter_context(contextlib.closing(_house(options)))
        try:
            for sheet, exercise, whole in check(folder, selection, seed, options.seconds, house):
                its_mark = with_share(exercise, whole, table, options.parts)
                marked.append((sheet, exercise, its_mark))
                _tell(sheet, exercise, its_mark)
        finally:  # after Ctrl-C, too
            _warn(house)
            tell_of_time({"": [mark for _, _, mark in marked]})
            if uses := uses_told(marked):
                say(f"look at: {uses}", hanging=4)
            most = sum(exercise.points for _, exercise, _ in marked)
            print(f"\n{total(marked)} of {most} points (seed {seed})")
    for path, form in files.items():
        data = form(marked, str(folder_given), seed)
        write_whole(path, lambda file: file.write(data))
    return 0


def _tell(sheet: Sheet, exercise: Exercise, mark: Mark) -> None:
    """Print a mark in a line, with its points."""
    points = f"{points_of(exercise, mark)}/{exercise.points}" if exercise.points else "-"
    part = f" ({one})" if (one := part_told(exercise, mark)) else ""
    about = f"{points:>4}  {mark.state:<10} {mark.says}{part}"
    say(f"{sheet.number}  {exercise.name:<22} {about}", hanging=44)


def _nothing_to_mark(why: str, path: Path) -> None:
    """Say it to the student on Gradescope, who else reads that the autograder has failed."""
    data = nothing_for_gradescope(why)
    write_whole(path, lambda file: file.write(data))
    say(cleaned(why))


def _with_files(folder: Path, until: contextlib.ExitStack) -> Path:
    """A folder that has exercises: this one, or a copy of what lies deeper in it, in other forms.

    Raises:
        ConfigError: if there are none.
    """
    if has_any(folder):
        return folder
    copy = Path(until.enter_context(tempfile.TemporaryDirectory()))
    for note in student_in(folder, copy).notes:
        say(cleaned(note.says), hanging=4)
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
    every = exercises_named(options.which)
    if options.late and options.due is None:
        raise errors.ConfigError("--late needs --due, the time after which work is late")
    roster = read_roster(options.roster, say) if options.roster else []
    with contextlib.ExitStack() as until:
        work = until.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        students = _students(options, Path(work), roster)
        lessons = sorted({number for one in students for number in in_folder(one.folder)})
        selection = every if options.which else _there(lessons, "class", options.folder)
        selection = with_points(selection, table)
        options.out.mkdir(parents=True, exist_ok=True)
        cache = until.enter_context(VerdictCache(options.out, options.seed))
        house = until.enter_context(contextlib.closing(_house(options)))
        results = ClassResults(students, options, cache.seed, roster)
        verdicts = marks_of_class(students, selection, cache, options.seconds, house)
        try:
            for student, marked in verdicts:
                worth = [(s, e, with_share(e, mark, table, options.parts)) for s, e, mark in marked]
                results.add(student, worth)
        finally:  # after Ctrl-C, too
            results.write(whole=True)
            _warn(house)
            _tell_of_results(results, options, cache)
    return 0


def _students(options: argparse.Namespace, work: Path, roster: Sequence[Enrolled]) -> list[Student]:
    """The students, with the names that the roster has for them; their files are copied to `work`."""
    students = students_in(options.folder, work, options.out)
    for one in untouched_doubles(students, roster):
        students.remove(one)
        say(f"{cleaned(one.name)}: handed out and not begun; what came in elsewhere is marked")
    spell_as_roster(students, roster)
    return students


def _tell_of_results(
    results: ClassResults, options: argparse.Namespace, cache: VerdictCache
) -> None:
    """Say where the results are, and what there is to know of them; write the pages for students."""
    of_students = {cleaned(name): marked for name, marked in results.students.items()}
    tell_of_time({name: [mark for *_, mark in marked] for name, marked in of_students.items()})
    print(f"\nof {results.points_in_all} points (seed {cache.seed}{', as before' * cache.before})")
    for name in results.names:
        print(options.out / name)
    results.tell_of_the_maximum()
    if options.feedback:
        print(results.feedback())
    if len(results.students) < len(results.all):
        say(f"{len(results.students)} of {len(results.all)} students: once more goes on there")
    else:
        results.tell_of_before(options.feedback)


def _there(numbers: Sequence[str], command: str, folder: Path) -> Selection:
    """The exercises of the lessons of which there are files; which they are is said, unless all are."""
    if len(numbers) < len(sheets()):
        say(
            f"marked are the lessons of which there are files: {', '.join(numbers)} (for others: "
            f"`{RUN} {command} {shlex.quote(str(folder))} 01 02`)"
        )
    return exercises_named(numbers)


def forget(options: argparse.Namespace) -> int:
    """Remove what `class` has written to a folder: names, marks and pages of students."""
    names = [*RESULTS, FILE]
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
    exercises_named(options.which)  # which says what there is none of
    write_whole(options.file, lambda file: write_autograder(file, seed, options.which))
    print(f"{options.file} (seed {seed})")
    return 0
