"""The command: what it can be asked for, and with which options."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from ...system.terminal import seed_of
from ...system.working import busy
from . import learner
from .classroom import teacher
from .classroom.times import read_due
from .isolation.container import PROGRAMS
from .own_engine import command as own_engine
from .sandbox import SECONDS


def add_options(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(title="commands", metavar="RUN")
    parser.set_defaults(act=busy("checking", learner.overview), folder=None, seconds=SECONDS)
    for name, (act, about, options) in COMMANDS.items():
        one = commands.add_parser(name, help=about, description=f"{about}.", allow_abbrev=False)
        one.set_defaults(act=act)
        options(one)


def command(options: argparse.Namespace) -> int:
    """Do what the options say; returns the exit status."""
    return options.act(options)


# --- options --------------------------------------------------------------------------------------


def _which(parser: argparse.ArgumentParser, least: str = "+") -> None:
    parser.add_argument(
        "which", metavar="EXERCISE", nargs=least, help="a lesson, such as 06, or a function's name"
    )


def _running(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=seed_of, metavar="N", help="of the inputs (default: a new one each time)"
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=SECONDS, metavar="N", help="for one exercise"
    )
    _in_process(parser)


def _seconds(text: str) -> float:
    """A time limit as an option gives it."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError(f"seconds are a number above 0, not {text!r}")
    return seconds


def _in_process(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--in-process",
        dest="seconds",
        action="store_const",
        const=math.inf,
        help="judge in this process, without a limit: for notebooks, and where there are no processes",
    )


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


def _parts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--parts",
        metavar="P",
        type=_share,
        default=0.0,
        help="of its points a wrong function gets at most this share, by the inputs that it answers "
        "right (default: 0)",
    )


def _container(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--container",
        choices=PROGRAMS,
        help="run what students wrote in containers, one for each function",
    )


def _points(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--points",
        metavar="FILE",
        type=Path,
        help="lines of exercise,points,share: in place of the course's points and of --parts",
    )


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"a share is a number from 0 to 1, not {text!r}")
    return share


def _mark_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="a student's folder")
    _which(parser, "*")
    _running(parser)
    _container(parser)
    _parts(parser)
    _points(parser)
    parser.add_argument("--json", metavar="FILE", type=Path, help="write points and marks there")
    parser.add_argument("--junit", metavar="FILE", type=Path, help="the same as JUnit XML")
    parser.add_argument(
        "--gradescope", metavar="FILE", type=Path, help="the same as Gradescope's results.json"
    )


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


def _engine_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        type=Path,
        default=Path("04_your_own_engine.py"),
        help="your engine (default: 04_your_own_engine.py)",
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=60.0, metavar="N", help="after which it stops"
    )


def _steps(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"steps are a whole number from 1, not {text!r}")
    return int(text)


def _puzzle_options(parser: argparse.ArgumentParser) -> None:
    _which(parser)
    parser.add_argument(
        "--lines",
        metavar="N",
        type=_numbers,
        nargs="+",
        help="your answer: the numbers, such as 4 2",
    )
    parser.set_defaults(seconds=SECONDS)
    _in_process(parser)


def _numbers(text: str) -> list[int]:
    """Numbers of lines, "4" or "4,2"."""
    numbers = [number.strip() for number in text.split(",") if number.strip()]
    if not all(map(str.isdecimal, numbers)):
        raise argparse.ArgumentTypeError(f"lines have whole numbers, such as 4 2, not {text!r}")
    return [int(number) for number in numbers]


def _start_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="DIR", nargs="?", type=Path)
    _which(parser, "*")
    parser.add_argument(
        "--without-answers", action="store_true", help="a folder in which `solution` shows none"
    )
    parser.add_argument(
        "--names", metavar="LIST", type=Path, help="a folder in DIR for each name in a file"
    )


def _class_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="a folder of students' folders or zips, or a zip"
    )
    _which(parser, "*")
    _running(parser)
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("out"), help="where table and page go"
    )
    _container(parser)
    _parts(parser)
    _points(parser)
    parser.add_argument(
        "--roster", metavar="FILE", type=Path, help="lines of name,id or name,id,time of hand-in"
    )
    parser.add_argument(
        "--due",
        metavar="TIME",
        type=_time,
        help="such as 2026-11-20T18:00, or a day, which counts to its end: shows the days late",
    )
    parser.add_argument(
        "--late",
        metavar="P",
        type=_share,
        default=0.0,
        help="of the points, this share is taken off for each day late (default: 0)",
    )
    parser.add_argument("--feedback", action="store_true", help="a page for each student, too")


def _time(text: str) -> datetime:
    """A time as an option gives it."""
    try:
        return read_due(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a time is like 2026-11-20T18:00 or 20.11.2026 18:00, not {text!r}"
        ) from None


def _autograder_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="the zip")
    _which(parser, "*")
    parser.add_argument("--seed", type=seed_of, metavar="N", help="of the inputs")


def _forget_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="where `class` wrote its results")


COMMANDS: dict[str, tuple[Callable[..., int], str, Callable[..., None]]] = {
    "check": (
        busy("checking", learner.check_some),
        "say what is right, and what the mistake is",
        _check_options,
    ),
    "run": (learner.run_all, "train a transformer with what you have written", _run_options),
    "engine": (
        busy("comparing gradients", own_engine.command),
        "run an engine of your own under a transformer, and compare every gradient",
        _engine_options,
    ),
    "hint": (learner.hint, "help on", _which),
    "puzzle": (
        learner.puzzle,
        "the lines of a solution, shuffled, to be put in order",
        _puzzle_options,
    ),
    "solution": (learner.solution, "show a solution, to those who ask twice", _solution_options),
    "start": (
        learner.start,
        "copy the exercises, or those of some lessons, into a new folder; nothing there is overwritten",
        _start_options,
    ),
    "mark": (busy("marking", teacher.mark), "points for a student's folder", _mark_options),
    "class": (
        busy("marking", teacher.mark_class),
        "points for each student's folder in a folder, and what to talk about",
        _class_options,
    ),
    "autograder": (
        busy("writing the zip", teacher.autograder),
        "write the zip of an autograder for Gradescope",
        _autograder_options,
    ),
    "forget": (teacher.forget, "remove what `class` has written", _forget_options),
}
