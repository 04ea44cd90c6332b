"""Commands of a teacher: a folder marked, or those of a whole class."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ... import errors
from ...disk import destination, write_whole
from . import class_page
from .exercise import Exercise
from .house import Rooms
from .marking import NOT_BEGUN, RIGHT, Mark
from .sandbox import check
from .sheets import Sheet, chosen, folder_of, has_any

ESCAPED = "backslashreplace"  # of a file name whose bytes are no characters
Marked = tuple[Sheet, Exercise, Mark]

# --- one student -----------------------------------------------------------------------------------


def mark(options: argparse.Namespace) -> int:
    """Mark a folder: points for each exercise, printed, and written as JSON and JUnit XML."""
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    for path in filter(None, (options.json, options.junit)):
        destination(path)  # before minutes of marking
    folder = folder_of(options.folder)
    with contextlib.closing(Rooms()) as house:
        marked = list(check(folder, chosen([]), seed, options.seconds, house))
    _warn(house)
    for sheet, exercise, found in marked:
        points = f"{_points(exercise, found)}/{exercise.points}"
        print(f"{sheet.number}  {exercise.name:<22} {points:>4}  {found.state:<10} {found.says}")
    total, of = _total(marked), sum(exercise.points for _, exercise, _ in marked)
    print(f"\n{total} of {of} points (seed {seed})")
    written: list[tuple[Path | None, Callable[..., bytes]]] = [
        (options.json, as_json),
        (options.junit, as_junit),
    ]
    for path, form in written:
        if path is not None:
            data = form(marked, str(options.folder), seed)
            write_whole(path, lambda file: file.write(data))
    return 0


def _warn(house: Rooms) -> None:
    """Say what is not held, where rooms have no namespaces."""
    if house.problem:
        print(
            f"Not held here: what students wrote can read and write your files, and reach the "
            f"network ({house.problem})."
        )


def _points(exercise: Exercise, mark: Mark) -> int:
    return exercise.points if mark.state == RIGHT else 0


def _total(marked: Iterable[Marked]) -> int:
    return sum(_points(exercise, mark) for _, exercise, mark in marked)


def as_json(marked: Sequence[Marked], folder: str, seed: int) -> bytes:
    """Points and marks as JSON."""
    about = {
        "folder": folder,
        "seed": seed,
        "points": _total(marked),
        "of": sum(exercise.points for _, exercise, _ in marked),
        "exercises": [
            {
                "lesson": sheet.number,
                "name": exercise.name,
                "points": _points(exercise, mark),
                "of": exercise.points,
                "state": mark.state,
                "says": mark.says,
                "shows": list(mark.shows),
            }
            for sheet, exercise, mark in marked
        ],
    }
    return (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode(errors=ESCAPED)


def as_junit(marked: Sequence[Marked], folder: str, seed: int) -> bytes:
    """Points and marks as JUnit XML: a test case for each exercise."""
    missed = [mark for _, _, mark in marked if mark.state != RIGHT]
    skipped = sum(mark.state == NOT_BEGUN for mark in missed)
    counts = {"tests": len(marked), "failures": len(missed) - skipped, "skipped": skipped}
    suites = ElementTree.Element("testsuites")
    about: dict[str, Any] = {"name": _printable(folder), "errors": 0, **counts}
    suite = ElementTree.SubElement(suites, "testsuite", {k: str(v) for k, v in about.items()})
    _properties(suite, seed=seed, points=_total(marked), of=sum(e.points for _, e, _ in marked))
    for sheet, exercise, mark in marked:
        stem = sheet.file.removesuffix(".py")
        case = ElementTree.SubElement(
            suite, "testcase", classname=stem, name=exercise.name, time="0"
        )
        _properties(case, points=_points(exercise, mark), of=exercise.points)
        if mark.state == NOT_BEGUN:
            ElementTree.SubElement(case, "skipped", message=mark.state)
        elif mark.state != RIGHT:
            told = _printable("\n".join(mark.shows))
            message = _printable(f"{mark.state}: {mark.says}")
            failure = ElementTree.SubElement(case, "failure", type=mark.state, message=message)
            failure.text = told
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def _properties(element: ElementTree.Element, **values: object) -> None:
    properties = ElementTree.SubElement(element, "properties")
    for name, value in values.items():
        ElementTree.SubElement(properties, "property", name=name, value=str(value))


def _printable(text: str) -> str:
    """Replace the characters of a text that XML cannot hold."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


# --- a class --------------------------------------------------------------------------------------


def mark_class(options: argparse.Namespace) -> int:
    """Mark the folders of a class; write a table, and a page of what to talk about."""
    folders = sorted(one for one in _folders(options.folder) if has_any(one))
    if not folders:
        raise errors.ConfigError(
            f"there is no student's folder in {options.folder}: each is a folder made by `start`"
        )
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    wanted = chosen(options.which)
    students: dict[str, list[Marked]] = {}
    with contextlib.closing(Rooms()) as house:
        for one in folders:
            students[one.name] = list(check(one, wanted, seed, options.seconds, house))
            print(f"{one.name:<24} {_total(students[one.name]):>4} points", flush=True)
    _warn(house)
    of = sum(exercise.points for _, exercises in wanted for exercise in exercises)
    print(f"\nof {of} points (seed {seed})")
    options.out.mkdir(parents=True, exist_ok=True)
    written: dict[str, Callable[[], bytes]] = {
        "class.csv": lambda: as_csv(students),
        "class.json": lambda: class_as_json(students, seed),
        "class.html": lambda: class_page.page(students).encode(errors=ESCAPED),
    }
    for name, form in written.items():
        data = form()
        write_whole(options.out / name, lambda file: file.write(data))
        print(options.out / name)
    return 0


def _folders(folder: Path) -> list[Path]:
    try:
        return [one for one in folder.iterdir() if one.is_dir()]
    except OSError as problem:
        raise errors.ConfigError(f"cannot read {folder}: {problem.strerror}") from None


def as_csv(students: dict[str, list[Marked]]) -> bytes:
    """A line for each student: the points for each exercise, and their sum."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    first = next(iter(students.values()))
    names = [f"{sheet.number}.{exercise.name}" for sheet, exercise, _ in first]
    table.writerow(["student", *names, "points"])
    for student, marked in students.items():
        points = [_points(exercise, found) for _, exercise, found in marked]
        table.writerow([student, *points, sum(points)])
    return text.getvalue().encode(errors=ESCAPED)


def class_as_json(students: dict[str, list[Marked]], seed: int) -> bytes:
    """The data that `mark --json` writes, for each student."""
    each = [json.loads(as_json(marked, student, seed)) for student, marked in students.items()]
    return (json.dumps(each, indent=2, ensure_ascii=False) + "\n").encode(errors=ESCAPED)
