"""The files that a class has handed in: folders, zips, or what Moodle and Canvas make of both.

    for student in handed_in(room, work):
        student.name, student.folder          its files have the names that the exercises have
        student.notes                         what else is there, and is not marked

A student is a folder or a zip in the room, with the files somewhere inside; or a file by itself, whose
name begins with the student's, as Canvas writes them. Of other files, programs and archives are told
of. Nothing in a zip is run or written as it is named: files of exercises are copied, under their own
names.
"""

from __future__ import annotations

import collections
import difflib
import io
import itertools
import re
import time
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .... import errors
from ..catalogue import RUN, has_any, sheets
from ..learner_file import LONGEST, content, parsed

MOODLE = re.compile(r"(.+?)_(\d+)_assignsubmission_")
CANVAS = re.compile(r"([^_]+)_(?:LATE_)?(\d+)_\d+_")
PREFIX = re.compile(rf"^(?:{MOODLE.pattern}[a-z]+_|{CANVAS.pattern})")  # in front of a file
AGAIN = r"(?:[ _-]*(?:\(\d+\)|\d{1,2}|copy|kopie))*"  # as browsers and systems name a second file
IGNORED = re.compile(
    r"(?:.*/)?(?:\.[^./].*|__MACOSX/.*|__pycache__(?:/.*)?|conftest\.py|class\.(?!zip$).*|.*\.(?:svg|pyc))"
)
PYTHON = (".py", ".py.txt")  # an editor of Windows adds the second ending, and its folders hide it
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".7z", ".rar")  # that are not read
WORK = (*PYTHON, ".zip", *ARCHIVES)
REASONS = {  # a file is not marked, by the end of its name
    **dict.fromkeys(
        ARCHIVES, "an archive that is no zip; unpack it, and put the files in a folder"
    ),
    ".ipynb": "a notebook; save its code as a Python file, such as 01_one_derivative.py",
    "": "no Python file",
}
FILES, DEEP = 2000, 3  # that are looked at for one student; zips in zips


class Found(NamedTuple):
    """A file that was handed in, by its path in the room, with its content and time."""

    path: str
    data: bytes
    time: float


@dataclass
class Student:
    """The work of a student.

    Attributes:
        name: of the folder, or as the learning platform has it.
        number: the platform's for the student; or "".
        folder: with the files of exercises; of other Python files there are the names alone.
        notes: what is not marked, and why; a line each.
        time: of the last file, in seconds since 1970.
        moodles: the name of the folder that Moodle has for the student; or "".
    """

    name: str
    folder: Path
    number: str = ""
    notes: list[str] = field(default_factory=list)
    time: float = 0.0
    moodles: str = ""


def handed_in(room: Path, work: Path, out: Path | None = None) -> list[Student]:
    """Every student of a room, in order; their files are copied to folders in `work`.

    Args:
        out: the folder of results, which is no student's, if it is in the room.

    Raises:
        ConfigError: if the room cannot be read, or has no student.
    """
    students: list[Student] = []
    names: set[str] = set()
    entries = list(_by_student(room, out))
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
            f"there is no student's folder in {room}: each is a folder made by `start`, or a zip of it"
        )
    for student in students:
        if student not in with_work:
            student.notes.append("no file of exercises is there")
    return students


def gathered(folder: Path, work: Path) -> Student:
    """The work of one student, wherever in a folder or zip it is.

    Raises:
        ConfigError: if there is none.
    """
    if not folder.exists():
        raise errors.ConfigError(f"there is no folder or zip {folder}")
    student = Student(folder.name, work)
    files = list(itertools.islice(_in(folder, folder.name), FILES))
    paths = [file.path for file in files if isinstance(file, Found)]
    if len({who for path in paths for part in path.split("/") if (who := _who(part))[1]}) > 1:
        raise errors.ConfigError(
            f"{folder} has the work of several students, and `mark` is for one: `{RUN} class {folder}`"
        )
    _sort(student, files)
    if not has_any(work):
        found = "".join(f"; {note}" for note in student.notes[:3])
        raise errors.ConfigError(f"there is no file of exercises in {folder}{found}")
    return student


def _by_student(room: Path, out: Path | None) -> Iterator[tuple[str, str, Iterable[Found | str]]]:
    """The name and number of each student, and the files, or notes of what cannot be read."""
    try:
        if zipfile.is_zipfile(room):
            entries = sorted(_together(_in_zip(room.name, room.read_bytes(), 0)).items())
            yield from ((*who, files) for who, files in entries)
            return
        paths = sorted(room.iterdir())
    except OSError as problem:
        raise errors.ConfigError(f"cannot read {room}: {problem.strerror}") from None
    known: dict[tuple[str, str], list[Iterable[Found | str]]] = {}
    own = [sheet.file for sheet in sheets()]  # which are no student's, by themselves
    for path in paths:
        if IGNORED.fullmatch(path.name) or (out is not None and path.resolve() == out.resolve()):
            continue
        end = next((end for end in WORK if path.name.lower().endswith(end)), path.suffix)
        name, number = _who(path.name if path.is_dir() else path.name[: len(path.name) - len(end)])
        if number:
            known.setdefault((name, number), []).append(_in(path, path.name))
        elif path.is_dir() or (end.lower() in WORK and f"{name}.py" not in own):
            yield name, number, _in(path, path.name)
    for (name, number), some in known.items():
        yield name, number, itertools.chain.from_iterable(some)


def _together(files: Iterable[Found | str]) -> dict[tuple[str, str], list[Found | str]]:
    """The files of a zip of a class, by student: the first folder, or what Canvas puts in front."""
    students: dict[tuple[str, str], list[Found | str]] = {}
    for file in files:
        path = file if isinstance(file, str) else file.path
        students.setdefault(_who(path.partition("/")[0]), []).append(file)
    return students


def _who(name: str) -> tuple[str, str]:
    """The name and number of a student, of the name of a folder or file.

    Canvas numbers each file, after the student, and Moodle has a folder for each kind of hand-in, or
    puts the folder's name in front of each file.
    """
    name = unicodedata.normalize("NFC", name)  # macOS has letters and accents apart
    known = MOODLE.match(name) or CANVAS.match(name)
    return (known[1], known[2]) if known else (name, "")


def _in(path: Path, name: str) -> Iterator[Found | str]:
    """All files in a folder or zip, or the file itself."""
    try:
        if path.is_dir():
            for inner in sorted(path.iterdir()):
                if not inner.is_symlink() or inner.is_file():
                    yield from _in(inner, f"{name}/{inner.name}")
        elif IGNORED.fullmatch(name):
            return
        elif path.suffix.lower() == ".zip":
            yield from _in_zip(name, path.read_bytes(), 0)
        elif path.name.lower().endswith(PYTHON):
            yield Found(name, content(path), path.stat().st_mtime)
        else:
            yield f"{name}: {_reason(name)}"
    except (OSError, ValueError, RecursionError) as problem:
        yield f"{name}: {getattr(problem, 'strerror', None) or problem}"


def _in_zip(name: str, data: bytes, deep: int) -> Iterator[Found | str]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError) as problem:
        yield f"{name}: {problem}"
        return
    for one in archive.infolist()[:FILES]:
        if one.is_dir() or IGNORED.fullmatch(one.filename):
            continue
        inner = one.filename.lower()
        most = 20 * LONGEST if inner.endswith(".zip") else LONGEST
        if not inner.endswith((*PYTHON, ".zip")):
            yield f"{one.filename}: {_reason(inner)}"
        elif one.file_size > most or one.flag_bits & 1 or deep >= DEEP:
            yield f"{one.filename}: too long, encrypted, or a zip in too many zips"
        else:
            try:
                with archive.open(one) as file:
                    found = file.read(most)
            except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as problem:
                yield f"{one.filename}: {problem}"
                continue
            if inner.endswith(".zip"):
                for each in _in_zip(one.filename, found, deep + 1):
                    stem = one.filename[:-4]
                    if isinstance(each, str):
                        yield f"{stem}/{each}"
                    else:
                        yield each._replace(path=f"{stem}/{each.path}")
            else:
                yield Found(one.filename, found, _time(one))


def _reason(name: str) -> str:
    return next(why for end, why in REASONS.items() if name.lower().endswith(end))


def _time(one: zipfile.ZipInfo) -> float:
    try:
        return time.mktime((*one.date_time, 0, 0, -1))
    except (OverflowError, ValueError):
        return 0.0


def _sort(student: Student, files: Iterable[Found | str]) -> None:
    """Copy a student's files of exercises; note what is none, and where there are several."""
    known: dict[str, list[Found]] = {}
    for k, file in enumerate(files):
        if k >= FILES:
            student.notes.append(f"only {FILES} files were looked at")
            break
        path = file if isinstance(file, str) else file.path
        if moodles := MOODLE.match(re.split(r"[/\\]", path)[0]):
            student.moodles = f"{moodles[0]}file_"
        if isinstance(file, str):
            student.notes.append(f"not marked: {file}")
        elif sheet := _sheet_of(file.path):
            known.setdefault(sheet, []).append(file)
        else:
            student.notes.append(
                f"not marked: {file.path}: no file of exercises has such a name{_meant(file)}"
            )
            own = PREFIX.sub("", re.split(r"[/\\]", file.path)[-1])
            if re.fullmatch(r"\w+\.py", own):
                (student.folder / own).touch()  # that it was there is told where it is imported
    for sheet, several in known.items():
        last = max(several, key=lambda one: (one.time, one.path.endswith(f"/{sheet}"), one.path))
        (student.folder / sheet).write_bytes(last.data)
        student.time = max(student.time, last.time)
        student.notes += _others(several, last)
        if not last.data.strip():
            student.notes.append(f"not marked: {last.path}: the file is empty")
        if not last.path.endswith(sheet):
            student.notes.append(f"taken for {sheet}: {last.path}")


def _others(several: Sequence[Found], last: Found) -> Iterator[str]:
    for one in several:
        if one is not last and one.data != last.data:
            later = "is later" if last.time > one.time else "has the same time, and is marked"
            yield f"not marked: {one.path}: {last.path} {later}"


def _sheet_of(path: str) -> str:
    """The file of exercises that a name stands for; "" if for none."""
    name = re.split(r"[/\\]", path)[-1]
    for sheet in sheets():
        stem = re.escape(sheet.file.removesuffix(".py"))
        if re.search(rf"(?:^|_){stem}{AGAIN}\.py(?:\.txt)?$", name, re.IGNORECASE):
            return sheet.file
    return ""


def _meant(file: Found) -> str:
    """Say which file of exercises is likely to be meant, by the name or by what is in it; or ""."""
    names = [sheet.file for sheet in sheets()]
    near = difflib.get_close_matches(re.split(r"[/\\]", file.path)[-1].lower(), names, 1)
    if near:
        return f"; did it mean {near[0]}"
    known = parsed(Path(file.path), file.data)
    homes = [sheet.file for sheet in sheets() if any(map(known.has, sheet.exercises))]
    return f"; it has functions that belong in {', '.join(homes)}" if homes else ""
