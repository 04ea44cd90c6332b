"""The files that a teacher gets: points and marks as JSON, JUnit XML and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from ..marking.mark import NOT_BEGUN, RIGHT
from ..sandbox import Marked
from ..values_as_text import cleaned
from .points import points_of, total
from .roster import Enrolled

ESCAPED = "backslashreplace"  # of a file name whose bytes are no characters
FORMULA = ("=", "+", "-", "@", "'")  # with which a table begins a formula, or a text


def as_json(marked: Sequence[Marked], folder: str, seed: int) -> bytes:
    """Points and marks as JSON."""
    return _json(_as_data(marked, folder, seed))


def class_as_json(students: Mapping[str, Sequence[Marked]], seed: int) -> bytes:
    """The data that `mark --json` writes, for each student."""
    return _json([_as_data(marked, student, seed) for student, marked in students.items()])


def _as_data(marked: Sequence[Marked], folder: str, seed: int) -> dict[str, object]:
    return {
        "folder": folder,
        "seed": seed,
        "points": total(marked),
        "of": sum(exercise.points for _, exercise, _ in marked),
        "exercises": [
            {
                "lesson": sheet.number,
                "name": exercise.name,
                "points": points_of(exercise, mark),
                "of": exercise.points,
                "state": mark.state,
                "says": mark.says,
                "shows": list(mark.shows),
                "uses": mark.uses,
            }
            for sheet, exercise, mark in marked
        ],
    }


def _json(about: object) -> bytes:
    return (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode(errors=ESCAPED)


def as_junit(marked: Sequence[Marked], folder: str, seed: int) -> bytes:
    """Points and marks as JUnit XML: a test case for each exercise."""
    missed = [mark for _, _, mark in marked if mark.state != RIGHT]
    skipped = sum(mark.state == NOT_BEGUN for mark in missed)
    counts = {"tests": len(marked), "failures": len(missed) - skipped, "skipped": skipped}
    suites = ElementTree.Element("testsuites")
    about: dict[str, Any] = {"name": _printable(folder), "errors": 0, **counts}
    suite = ElementTree.SubElement(suites, "testsuite", {k: str(v) for k, v in about.items()})
    _properties(suite, seed=seed, points=total(marked), of=sum(e.points for _, e, _ in marked))
    for sheet, exercise, mark in marked:
        stem = sheet.file.removesuffix(".py")
        case = ElementTree.SubElement(
            suite, "testcase", classname=stem, name=exercise.name, time="0"
        )
        _properties(case, points=points_of(exercise, mark), of=exercise.points)
        if mark.state == NOT_BEGUN:
            ElementTree.SubElement(case, "skipped", message=mark.state)
        elif mark.state != RIGHT:
            lines = _printable("\n".join(mark.shows))
            message = _printable(f"{mark.state}: {mark.says}")
            failure = ElementTree.SubElement(case, "failure", type=mark.state, message=message)
            failure.text = lines
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def _properties(element: ElementTree.Element, **values: object) -> None:
    properties = ElementTree.SubElement(element, "properties")
    for name, value in values.items():
        ElementTree.SubElement(properties, "property", name=name, value=str(value))


def _printable(text: str) -> str:
    """Replace the characters of a text that XML cannot hold."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def as_csv(
    students: Mapping[str, Sequence[Marked]],
    more: Mapping[str, Mapping[str, object]],
    absent: Sequence[Enrolled] = (),
) -> bytes:
    """A line for each student: the points for each exercise, and their sum.

    Args:
        more: further columns: by their names, what each student has there.
        absent: the students who handed in nothing; who is excused has no points, and not 0.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    first = next(iter(students.values()))
    names = [f"{sheet.number}.{exercise.name}" for sheet, exercise, _ in first]
    table.writerow(["student", *names, "points", *more])
    for student, marked in students.items():
        points = [points_of(exercise, mark) for _, exercise, mark in marked]
        further = [_cell(str(column.get(student, ""))) for column in more.values()]
        table.writerow([_cell(student), *points, total(marked), *further])
    for one in absent:
        further = [_cell(one.number) if name == "id" else "" for name in more]
        each, whole = ("", "excused") if one.excused else (0, 0)
        table.writerow([_cell(one.name), *[each] * len(names), whole, *further])
    # Excel takes a table without a mark of its encoding for one of another.
    return text.getvalue().encode("utf-8-sig", errors=ESCAPED)


def _cell(text: str) -> str:
    """A text that no table takes for a formula, in one line."""
    text = cleaned(text)
    return f"'{text}" if text.startswith(FORMULA) else text
