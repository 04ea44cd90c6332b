"""The options of each command, as `argparse` takes them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ...system.terminal import seed_of
from .isolation.container import PROGRAMS
from .option_values import numbers_of_lines, seconds_of, share_of, steps_of, time_of
from .sandbox import SECONDS

Option = tuple[tuple[str, ...], dict[str, Any]]


def option(*names: str, **about: Any) -> Option:
    """The arguments of `ArgumentParser.add_argument`."""
    return names, about


def which(least: str) -> Option:
    """The names of exercises: at least one with "+", all if none is given with "*"."""
    about = "a lesson, such as 06, or a function's name"
    return option("which", metavar="EXERCISE", nargs=least, help=about)


# --- of several commands --------------------------------------------------------------------------

SEED = option(
    "--seed", type=seed_of, metavar="N", help="of the inputs (default: a new one each time)"
)
LIMIT = option("--seconds", type=seconds_of, default=SECONDS, metavar="N", help="for one exercise")
IN_PROCESS = option(
    "--in-process",
    dest="seconds",
    action="store_const",
    const=math.inf,
    default=SECONDS,
    help="judge in this process, without a limit: for notebooks, and where there are no processes",
)
CONTAINER = option(
    "--container",
    choices=PROGRAMS,
    help="run what students wrote in containers, one for each function",
)
PARTS = option(
    "--parts",
    metavar="P",
    type=share_of,
    default=0.0,
    help="of its points a wrong function gets at most this share, by the inputs that it answers "
    "right (default: 0)",
)
POINTS = option(
    "--points",
    metavar="FILE",
    type=Path,
    help="lines of exercise,points,share: in place of the course's points and of --parts",
)

# --- of a learner's commands ----------------------------------------------------------------------

CHECK = [
    which("*"),
    option(
        "--folder", metavar="DIR", type=Path, help="where your files are (default: this folder)"
    ),
    SEED,
    LIMIT,
    IN_PROCESS,
    option("--pictures", metavar="DIR", type=Path, default=Path("out"), help="where drawings go"),
]
RUN = [
    option("folder", metavar="DIR", nargs="?", type=Path, help="your files (default: this folder)"),
    option(
        "--even-if-wrong",
        action="store_true",
        help="train with wrong functions too, and show beside a right run what they do to learning",
    ),
    option("--steps", metavar="N", type=steps_of, default=500, help="to learn from (default: 500)"),
    option("--seconds", type=seconds_of, default=600.0, metavar="N", help="after which it stops"),
    option("--out", metavar="DIR", type=Path, default=Path("out"), help="where its pictures go"),
]
ENGINE = [
    option(
        "file",
        metavar="FILE",
        nargs="?",
        type=Path,
        default=Path("04_your_own_engine.py"),
        help="your engine (default: 04_your_own_engine.py)",
    ),
    option("--seconds", type=seconds_of, default=60.0, metavar="N", help="after which it stops"),
]
HINT = [which("+")]
PUZZLE = [
    which("+"),
    option(
        "--lines",
        metavar="N",
        type=numbers_of_lines,
        nargs="+",
        help="your answer: the numbers, such as 4 2",
    ),
    IN_PROCESS,
]
SOLUTION = [
    which("+"),
    option("--again", action="store_true", help="this is the second time of asking"),
]
START = [
    option("target", metavar="DIR", nargs="?", type=Path),
    which("*"),
    option(
        "--without-answers", action="store_true", help="a folder in which `solution` shows none"
    ),
    option("--names", metavar="LIST", type=Path, help="a folder in DIR for each name in a file"),
]

# --- of a teacher's commands ----------------------------------------------------------------------

MARK = [
    option("folder", metavar="DIR", type=Path, help="a student's folder"),
    which("*"),
    SEED,
    LIMIT,
    IN_PROCESS,
    CONTAINER,
    PARTS,
    POINTS,
    option("--json", metavar="FILE", type=Path, help="write points and marks there"),
    option("--junit", metavar="FILE", type=Path, help="the same as JUnit XML"),
    option("--gradescope", metavar="FILE", type=Path, help="the same as Gradescope's results.json"),
]
CLASS = [
    option(
        "folder", metavar="DIR", type=Path, help="a folder of students' folders or zips, or a zip"
    ),
    which("*"),
    SEED,
    LIMIT,
    IN_PROCESS,
    option("--out", metavar="DIR", type=Path, default=Path("out"), help="where table and page go"),
    CONTAINER,
    PARTS,
    POINTS,
    option(
        "--roster", metavar="FILE", type=Path, help="lines of name,id or name,id,time of hand-in"
    ),
    option(
        "--due",
        metavar="TIME",
        type=time_of,
        help="such as 2026-11-20T18:00, or a day, which counts to its end: shows the days late",
    ),
    option(
        "--late",
        metavar="P",
        type=share_of,
        default=0.0,
        help="of the points, this share is taken off for each day late (default: 0)",
    ),
    option("--feedback", action="store_true", help="a page for each student, too"),
]
AUTOGRADER = [
    option("file", metavar="FILE", type=Path, help="the zip"),
    which("*"),
    option("--seed", type=seed_of, metavar="N", help="of the inputs"),
]
FORGET = [option("folder", metavar="DIR", type=Path, help="where `class` wrote its results")]
