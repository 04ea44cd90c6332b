"""The command line:

python -m minigrad step FILE [ARGUMENT ...]     run a script to its first backward(), and step from there
python -m minigrad course                       the course in a browser: lessons, exercises, reference
python -m minigrad lessons [LESSON ...]         list the lessons of the course, run them, or write them
python -m minigrad exercises [COMMAND ...]      the exercises of the course: what is right, and why not
python -m minigrad worksheet LESSON             a worksheet on paper, and its key
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from .course.exercises import command as exercises
from .course.lessons import command as lessons
from .course.site import command as site
from .course.worksheets import command as worksheet
from .stepping import command as step
from .system.terminal import Command, Parser, add_commands, ended

PROGRAM = "minigrad"
PROG = f"python -m {PROGRAM}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # any file name or error can be printed
    given = list(sys.argv[1:] if arguments is None else arguments)
    return ended(PROGRAM, lambda: _run(given))


def _run(given: list[str]) -> int:
    parser = command_line()
    if not given:
        parser.print_help()
        return 0
    options = parser.parse_args(given)
    return options.run(options)


def command_line() -> Parser:
    """The commands and their options."""
    parser = Parser(prog=PROG, description="See how gradients come about.")
    add_commands(parser, COMMANDS, PROG)
    return parser


COMMANDS = {
    "step": Command(
        step.command, "run a script to its first backward(), and step from there", step.add_options
    ),
    "course": Command(
        site.command,
        "show the course in a browser: lessons, exercises, reference; or write it as files",
        site.add_options,
    ),
    "lessons": Command(
        lessons.command,
        "list the lessons of the course, run one, or write them as notebooks",
        lessons.add_options,
    ),
    "exercises": Command(
        exercises.command,
        "list the exercises of the course, check what you have written, or mark a folder",
        exercises.add_options,
    ),
    "worksheet": Command(
        worksheet.command,
        "write a worksheet to be printed: graphs to walk by hand, shapes, questions; and its key",
        worksheet.add_options,
    ),
}

if __name__ == "__main__":
    sys.exit(main())
