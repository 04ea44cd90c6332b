"""The students of a class, with what each has handed in: folders, zips, or what Moodle and Canvas make.

    for student in students_in(folder, work):
        student.name, student.folder          its files have the names that the exercises have
        student.notes                         what else is there, and is not marked

A student is a folder or a zip in the folder of the class, with the files somewhere inside; or a file by
itself, whose name begins with the student's, as Canvas writes them. Of other files, programs and
archives are told of. Nothing in a zip is run: files of exercises are copied, under their own names.
"""

from __future__ import annotations

import collections
import difflib
import itertools
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .... import errors
from ...folders import EXERCISES
from ..catalogue import RUN, has_any, sheets
from ..learner_file import parse_learner_file
from .files_inside import ARCHIVES, FILES, IGNORED, PYTHON, FoundFile, files_in, files_in_zip
from .platform_names import MOODLE, PREFIX, student_of

AGAIN = r"(?:[ _-]*(?:\(\d+\)|\d{1,2}|copy|kopie))*"  # as browsers and systems name a second file
WORK = (*PYTHON, ".zip", *ARCHIVES)


class FileNote(NamedTuple):
    """A line on the files of a student: what was not marked, and why; or what was marked as another."""

    says: str
    marked: bool = False


@dataclass
class Student:
    """The work of a student.

    Attributes:
        name: of the folder, or as the learning platform has it.
        number: the platform's for the student; or "".
        folder: with the files of exercises; of other Python files there are the names alone.
        notes: on what was not marked, or not under its own name.
        time: of the last file, in seconds since 1970.
        moodles: the name of the folder that Moodle has for the student; or "".
    """

    name: str
    folder: Path
    number: str = ""
    notes: list[FileNote] = field(default_factory=list)
    time: float = 0.0
    moodles: str = ""

    @property
    def untouched(self) -> bool:
        """Tell whether nothing is there but files of exercises as they are handed out."""
        files = [*self.folder.iterdir()]
        stubs = [EXERCISES / file.name for file in files]
        same = (s.is_file() and s.read_bytes() == f.read_bytes() for s, f in zip(stubs, files))
        return bool(files) and not self.notes and all(same)


def students_in(folder: Path, work: Path, out: Path | None = None) -> list[Student]:
    """Every student of a class, in order; their files are copied to folders in `work`.

    Args:
        folder: of the class, or its zip.
        out: the folder of results, which is no student's, if it is in that folder.

    Raises:
        ConfigError: if the folder cannot be read, or has no student.
    """
    students: list[Student] = []
    names: set[str] = set()
    entries = list(_by_student(folder, out))
    count = collections.Counter(name for name, _, _ in entries)
    for k, (name, number, files) in enumerate(entries):
        if count[name] > 1 and number:  # as where a platform hides names
            name = f"{name} {number}"
        while name in names:
            name = f"{name} (again)"
        names.add(name)
        student = Student(name, work / f"{k}", number)
        student.folder.mkdir()
        _sort(student, files)
        students.append(student)
    with_work = [student for student in students if has_any(student.folder)]
    if not with_work:
        raise errors.ConfigError(
            f"there is no student's folder in {folder}: each is a folder made by `start`, or a zip of it"
        )
    for student in students:
        if student not in with_work:
            student.notes.append(FileNote("no file of exercises is there"))
    return students


def student_in(folder: Path, work: Path) -> Student:
    """The work of one student, wherever in a folder or zip it is.

    Raises:
        ConfigError: if there is none.
    """
    if not folder.exists():
        raise errors.ConfigError(f"there is no folder or zip {folder}")
    student = Student(folder.name, work)
    files = list(itertools.islice(files_in(folder, folder.name), FILES))
    paths = [file.path for file in files if isinstance(file, FoundFile)]
    if len({who for path in paths for part in path.split("/") if (who := student_of(part))[1]}) > 1:
        raise errors.ConfigError(
            f"{folder} has the work of several students, and `mark` is for one: `{RUN} class {folder}`"
        )
    _sort(student, files)
    if not has_any(work):
        why = "".join(f"; {note.says}" for note in student.notes[:3])
        raise errors.ConfigError(f"there is no file of exercises in {folder}{why}")
    return student


def _by_student(
    folder: Path, out: Path | None
) -> Iterator[tuple[str, str, Iterable[FoundFile | str]]]:
    """The name and number of each student, and the files, or notes of what cannot be read."""
    try:
        if zipfile.is_zipfile(folder):
            every = files_in_zip(folder.name, folder.read_bytes(), 0)
            yield from ((*who, its_files) for who, its_files in sorted(_together(every).items()))
            return
        paths = sorted(folder.iterdir())
    except OSError as problem:
        raise errors.ConfigError(f"cannot read {folder}: {problem.strerror}") from None
    files_of: dict[tuple[str, str], list[Iterable[FoundFile | str]]] = {}
    own = [sheet.file for sheet in sheets()]  # which are no student's, by themselves
    for path in paths:
        if IGNORED.fullmatch(path.name) or (out is not None and path.resolve() == out.resolve()):
            continue
        end = next((end for end in WORK if path.name.lower().endswith(end)), path.suffix)
        name, number = student_of(
            path.name if path.is_dir() else path.name[: len(path.name) - len(end)]
        )
        files: Iterable[FoundFile | str] = files_in(path, path.name)
        if number:
            files_of.setdefault((name, number), []).append(files)
        elif path.is_dir() or (end.lower() in WORK and f"{name}.py" not in own):
            first = list(itertools.islice(files, FILES))
            files = itertools.chain(first, files)
            if not _of_several(first):
                yield name, number, files
                continue
            for who, its_files in sorted(_together(files, name).items()):
                files_of.setdefault(who, []).append(its_files)
    for (name, number), several in files_of.items():
        yield name, number, itertools.chain.from_iterable(several)


def _of_several(files: Sequence[FoundFile | str]) -> bool:
    """Tell whether a folder or zip is a platform's, with the work of a class: it has a folder of
    Moodle's; or Canvas's names alone, of several students."""
    paths = [_path(file) for file in files]
    students = {student_of(path.partition("/")[0])[1] for path in paths}
    return any(map(_moodles, paths)) or (len(students) > 1 and "" not in students)


def _together(
    files: Iterable[FoundFile | str], name: str = ""
) -> dict[tuple[str, str], list[FoundFile | str]]:
    """The files of a class, by student: by Moodle's folder, at any depth; or the first folder, or what
    Canvas puts in front.

    Args:
        name: of whose the files are that no platform has named; default: that of the first folder.
    """
    students: dict[tuple[str, str], list[FoundFile | str]] = {}
    for file in files:
        path = _path(file)
        who = student_of(_moodles(path) or path.partition("/")[0])
        students.setdefault((name, "") if name and not who[1] else who, []).append(file)
    return students


def _path(file: FoundFile | str) -> str:
    return file if isinstance(file, str) else file.path


def _moodles(path: str) -> str:
    """The first part of a path that has the name of a folder of Moodle's; or ""."""
    return next((part for part in re.split(r"[/\\]", path) if MOODLE.match(part)), "")


# --- the files of one student ----------------------------------------------------------------------


def _sort(student: Student, files: Iterable[FoundFile | str]) -> None:
    """Copy a student's files of exercises; note what is none, and where there are several."""
    of_sheets: dict[str, list[FoundFile]] = {}
    for k, file in enumerate(files):
        if k >= FILES:
            student.notes.append(FileNote(f"only {FILES} files were looked at"))
            break
        if moodles := MOODLE.match(_moodles(_path(file))):
            student.moodles = f"{moodles[0]}file_"
        if isinstance(file, str):
            student.notes.append(FileNote(f"not marked: {file}"))
        elif sheet := _sheet_of(file.path):
            of_sheets.setdefault(sheet, []).append(file)
        else:
            why = f"no file of exercises has such a name{_meant(file)}"
            student.notes.append(FileNote(f"not marked: {file.path}: {why}"))
            own = PREFIX.sub("", re.split(r"[/\\]", file.path)[-1])
            if re.fullmatch(r"\w+\.py", own):
                (student.folder / own).touch()  # that it was there is told where it is imported
    for sheet, several in of_sheets.items():
        last = max(several, key=lambda one: (one.time, one.path.endswith(f"/{sheet}"), one.path))
        (student.folder / sheet).write_bytes(last.data)
        student.time = max(student.time, last.time)
        student.notes += _others(several, last)
        if not last.data.strip():
            student.notes.append(FileNote(f"not marked: {last.path}: the file is empty"))
        if not last.path.endswith(sheet):
            student.notes.append(FileNote(f"taken for {sheet}: {last.path}", marked=True))
    student.notes = list(dict.fromkeys(student.notes))  # two zips have the same names


def _others(several: Sequence[FoundFile], last: FoundFile) -> Iterator[FileNote]:
    for one in several:
        if one is not last and one.data != last.data:
            later = "is later" if last.time > one.time else "has the same time, and is marked"
            same = one.path == last.path  # in two zips
            which = lambda file: f"that in {file.archive or 'no zip'}" if same else file.path
            place = f"{one.path}{f' in {one.archive}' * same}"
            yield FileNote(f"not marked: {place}: {which(last)} {later}")


def _sheet_of(path: str) -> str:
    """The file of exercises that a name stands for; "" if for none."""
    name = re.split(r"[/\\]", path)[-1]
    for sheet in sheets():
        stem = re.escape(sheet.file.removesuffix(".py"))
        if re.search(rf"(?:^|_){stem}{AGAIN}\.py(?:\.txt)?$", name, re.IGNORECASE):
            return sheet.file
    return ""


def _meant(file: FoundFile) -> str:
    """Say which file of exercises is likely to be meant, by the name or by what is in it; or ""."""
    names = [sheet.file for sheet in sheets()]
    near = difflib.get_close_matches(re.split(r"[/\\]", file.path)[-1].lower(), names, 1)
    if near:
        return f"; did it mean {near[0]}"
    learners = parse_learner_file(Path(file.path), file.data)
    homes = [sheet.file for sheet in sheets() if any(map(learners.has, sheet.exercises))]
    return (
        f"; it has functions that belong in {', '.join(homes)}: rename it to that" if homes else ""
    )
