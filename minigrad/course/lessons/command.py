"""The command: lessons listed, run, or written."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...system.working import hearing_prints, working
from ..printing import say
from .lesson import lessons_named, listing, run
from .notebooks import write_notebooks


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "numbers",
        metavar="LESSON",
        nargs="*",
        help="numbers of lessons, such as 06, which are run: their text is in their files, and in the "
        "course (default: list all)",
    )
    parser.add_argument(
        "--pictures",
        metavar="DIR",
        default="out",
        help="where a lesson that runs leaves its pictures",
    )
    parser.add_argument("--notebooks", metavar="DIR", type=Path, help="write them as notebooks")


def command(options: argparse.Namespace) -> int:
    """List, run or write lessons; returns the exit status."""
    lessons = lessons_named(options.numbers)
    if options.notebooks is not None:
        for path in write_notebooks(lessons, options.notebooks):
            print(path)
    elif options.numbers:
        for lesson in lessons:
            say(f"{lesson.path}: its text is in this file, or by python -m minigrad course", 4)
            with working(f"lesson {lesson.number}"), hearing_prints():
                run(lesson, options.pictures)
    else:
        for line in listing(lessons).splitlines():
            say(line, hanging=4)
        print("\npython -m minigrad lessons 01 runs one; --notebooks writes them as notebooks;")
        print("python -m minigrad course shows them all in a browser")
    return 0
