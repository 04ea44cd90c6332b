"""The command: exercises listed, checked, explained, handed out and marked."""

from __future__ import annotations

import argparse
import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ... import errors
from ...serialize import write_whole
from ...views.drawing import Drawing
from .exercise import Exercise
from .marking import NOT_BEGUN, RIGHT, Verdict
from .sandbox import SECONDS, check
from .sheets import HOME, Sheet, chosen, sheets
from .together import run

RUN = "python -m minigrad exercises"
Marked = tuple[Sheet, Exercise, Verdict]


def add_options(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    parser.set_defaults(act=overview, folder=None, seconds=SECONDS)
    for name, (act, about, options) in COMMANDS.items():
        one = commands.add_parser(name, help=about, description=f"{about}.", allow_abbrev=False)
        one.set_defaults(act=act)
        options(one)


def command(options: argparse.Namespace) -> int:
    """Do what the options say; returns the exit status."""
    return options.act(options)


def folder_of(options: argparse.Namespace) -> Path:
    """Return the learner's folder: the one named, or this one if it has exercises, or the clone's.

    Raises:
        ConfigError: if the folder named has none.
    """
    if options.folder is None:
        return Path() if _has_any(Path()) else HOME
    if not _has_any(options.folder):
        raise errors.ConfigError(
            f"there are no exercises in {options.folder}: `{RUN} start {options.folder}` puts them "
            f"there"
        )
    return options.folder


def _has_any(folder: Path) -> bool:
    return any((folder / sheet.file).is_file() for sheet in sheets())


# --- for a learner --------------------------------------------------------------------------------


def overview(options: argparse.Namespace) -> int:
    """Show every exercise and its state, found by running the checks."""
    folder = folder_of(options)
    marked = list(check(folder, chosen([]), seconds=options.seconds))
    for sheet in sheets():
        print(f"{sheet.number}  {sheet.title}")
        for one, exercise, found in marked:
            if one is sheet:
                print(f"      {exercise.name:<22} {found.state:<10} {_first(found.says)}".rstrip())
    right = sum(found.state == RIGHT for _, _, found in marked)
    print(f"\n{right} of {len(marked)} are right, in {folder.resolve()}")
    print(f"`{RUN} check 01` tells more" + ("" if folder != HOME else _advice()))
    return 0


def _advice() -> str:
    return f"; `{RUN} start DIR` makes a copy to work in"


def _first(says: str) -> str:
    """The first sentence, as far as a line has room."""
    return says if len(says) <= 60 else f"{says[:57].rstrip()}..."


def check_some(options: argparse.Namespace) -> int:
    """Check exercises and explain what is wrong; the status is 1 if one is not right."""
    folder = folder_of(options)
    marked = list(check(folder, chosen(options.which), options.seed, options.seconds))
    for sheet, exercise, found in marked:
        print(f"{sheet.number} {exercise.name}: {found.state}")
        for line in (found.says, *found.shows):
            if line:
                print(f"    {line}")
        if found.picture is not None:
            _draw(found, options.pictures / f"{sheet.number}_{exercise.name}.svg")
    if any(found.state != RIGHT for _, _, found in marked):
        print(f"\n`{RUN} hint` with a lesson or a name helps on")
        return 1
    return 0


def _draw(found: Verdict, path: Path) -> None:
    """Save the drawing of what is wrong; without Graphviz, print its table."""
    assert found.picture is not None
    drawing = Drawing(*found.picture)
    path.parent.mkdir(parents=True, exist_ok=True)
    if drawing.save(path) is not None:
        print(f"    a drawing of it, with the place marked: {path}")


def hint(options: argparse.Namespace) -> int:
    """Show the hints of exercises."""
    for sheet, exercises in chosen(options.which):
        for exercise in exercises:
            print(f"{sheet.number} {exercise.name}")
            for number, text in enumerate(exercise.hints, 1):
                print(f"    {number}. {text}")
    return 0


def solution(options: argparse.Namespace) -> int:
    """Show solutions, if this is the second time of asking."""
    which = chosen(options.which)
    if not options.again:
        names = " ".join(options.which)
        print(f"Have you seen the hints? `{RUN} hint {names}` shows them.")
        print(f"To see the solution all the same, ask again: `{RUN} solution {names} --again`")
        return 0
    for sheet, exercises in which:
        for exercise in exercises:
            print(f"# {sheet.number} {exercise.name}\n{exercise.text()}\n")
    return 0


def start(options: argparse.Namespace) -> int:
    """Copy the exercises into a folder; what is there stays as it is."""
    options.target.mkdir(parents=True, exist_ok=True)
    for name in [*(sheet.file for sheet in sheets()), "conftest.py"]:
        target, text = options.target / name, (HOME / name).read_bytes()
        try:
            with open(target, "xb") as file:  # x: only if it is not there
                file.write(text)
        except FileExistsError:
            print(f"{target} is there already, and stays as it is")
        else:
            print(target)
    print(f"\nOpen 01 in your editor; then, in that folder, `{RUN} check 01`")
    return 0


def run_all(options: argparse.Namespace) -> int:
    """Train a transformer with what is written; returns the exit status."""
    folder = folder_of(options)
    return run(folder, options.steps, options.seconds, options.out, options.even_if_wrong)


# --- for a course ---------------------------------------------------------------------------------


def mark(options: argparse.Namespace) -> int:
    """Mark a folder: points for each exercise, printed, and written as JSON and JUnit XML."""
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    marked = list(check(folder_of(options), chosen([]), seed, options.seconds))
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


def _points(exercise: Exercise, found: Verdict) -> int:
    return exercise.points if found.state == RIGHT else 0


def _total(marked: Iterable[Marked]) -> int:
    return sum(_points(exercise, found) for _, exercise, found in marked)


def as_json(marked: Sequence[Marked], folder: str, seed: int) -> bytes:
    """Points and verdicts as JSON."""
    about = {
        "folder": folder,
        "seed": seed,
        "points": _total(marked),
        "of": sum(exercise.points for _, exercise, _ in marked),
        "exercises": [
            {
                "lesson": sheet.number,
                "name": exercise.name,
                "points": _points(exercise, found),
                "of": exercise.points,
                "state": found.state,
                "says": found.says,
                "shows": list(found.shows),
            }
            for sheet, exercise, found in marked
        ],
    }
    return (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode()


def as_junit(marked: Sequence[Marked], folder: str, seed: int) -> bytes:
    """Points and verdicts as JUnit XML: a test case for each exercise."""
    missed = [found for _, _, found in marked if found.state != RIGHT]
    skipped = sum(found.state == NOT_BEGUN for found in missed)
    counts = {"tests": len(marked), "failures": len(missed) - skipped, "skipped": skipped}
    suites = ElementTree.Element("testsuites")
    about: dict[str, Any] = {"name": folder, "errors": 0, **counts}
    suite = ElementTree.SubElement(suites, "testsuite", {k: str(v) for k, v in about.items()})
    _properties(suite, seed=seed, points=_total(marked), of=sum(e.points for _, e, _ in marked))
    for sheet, exercise, found in marked:
        stem = sheet.file.removesuffix(".py")
        case = ElementTree.SubElement(
            suite, "testcase", classname=stem, name=exercise.name, time="0"
        )
        _properties(case, points=_points(exercise, found), of=exercise.points)
        if found.state == NOT_BEGUN:
            ElementTree.SubElement(case, "skipped", message=found.state)
        elif found.state != RIGHT:
            told = _printable("\n".join(found.shows))
            message = _printable(f"{found.state}: {found.says}")
            failure = ElementTree.SubElement(case, "failure", type=found.state, message=message)
            failure.text = told
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def _properties(element: ElementTree.Element, **values: Any) -> None:
    properties = ElementTree.SubElement(element, "properties")
    for name, value in values.items():
        ElementTree.SubElement(properties, "property", name=name, value=str(value))


def _printable(text: str) -> str:
    """Replace the characters of a text that XML cannot hold."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


# --- options --------------------------------------------------------------------------------------


def _which(parser: argparse.ArgumentParser, least: str = "+") -> None:
    parser.add_argument(
        "which", metavar="EXERCISE", nargs=least, help="a lesson, such as 06, or a function's name"
    )


def _seed(text: str) -> int:
    """A seed as an option gives it: a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a seed is a whole number from 0, not {text!r}")
    return int(text)


def _running(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=_seed, metavar="N", help="of the inputs (default: a new one each time)"
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=SECONDS, metavar="N", help="for one exercise"
    )


def _seconds(text: str) -> float:
    """A time limit as an option gives it."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError(f"seconds are a number above 0, not {text!r}")
    return seconds


def _check_options(parser: argparse.ArgumentParser) -> None:
    _which(parser, "*")
    _folder(parser)
    _running(parser)
    parser.add_argument(
        "--pictures", metavar="DIR", type=Path, default=Path("out"), help="where drawings go"
    )


def _folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--folder", metavar="DIR", type=Path, help="where your files are (default: this folder)"
    )


def _solution_options(parser: argparse.ArgumentParser) -> None:
    _which(parser)
    parser.add_argument("--again", action="store_true", help="this is the second time of asking")


def _mark_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="a student's folder")
    _running(parser)
    parser.add_argument("--json", metavar="FILE", type=Path, help="write points and verdicts there")
    parser.add_argument("--junit", metavar="FILE", type=Path, help="the same as JUnit XML")


def _run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", type=Path, help="your files (default: this folder)"
    )
    parser.add_argument(
        "--even-if-wrong",
        action="store_true",
        help="train with wrong functions too, and show beside a right run what they do to learning",
    )
    parser.add_argument(
        "--steps", metavar="N", type=_steps, default=500, help="to learn from (default: 500)"
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=600.0, metavar="N", help="after which it stops"
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("out"), help="where its pictures go"
    )


def _steps(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"steps are a whole number from 1, not {text!r}")
    return int(text)


COMMANDS: dict[str, tuple[Callable[..., int], str, Callable[..., None]]] = {
    "check": (check_some, "say what is right, and what the mistake is", _check_options),
    "run": (run_all, "train a transformer with what you have written", _run_options),
    "hint": (hint, "help on", _which),
    "solution": (solution, "show a solution, to those who ask twice", _solution_options),
    "start": (
        start,
        "copy the exercises into a folder of your own; nothing there is overwritten",
        lambda parser: parser.add_argument("target", metavar="DIR", type=Path),
    ),
    "mark": (mark, "points for a student's folder", _mark_options),
}
