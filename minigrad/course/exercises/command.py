"""`python -m minigrad exercises`: its commands, and what each does."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from ...system.working import busy
from . import learner, options
from .classroom import teacher
from .own_engine import command as own_engine
from .sandbox import SECONDS

# By its name, what a command does, what is said of it, and its options.
COMMANDS: dict[str, tuple[Callable[..., int], str, Sequence[options.Option]]] = {
    "check": (
        busy("checking", learner.check_some),
        "say what is right, and what the mistake is",
        options.CHECK,
    ),
    "run": (learner.run_all, "train a transformer with what you have written", options.RUN),
    "engine": (
        busy("comparing gradients", own_engine.command),
        "run an engine of your own under a transformer, and compare every gradient",
        options.ENGINE,
    ),
    "hint": (learner.hint, "help on", options.HINT),
    "puzzle": (
        learner.puzzle,
        "the lines of a solution, shuffled, to be put in order",
        options.PUZZLE,
    ),
    "solution": (learner.solution, "show a solution, to those who ask twice", options.SOLUTION),
    "start": (
        learner.start,
        "copy the exercises, or those of some lessons, into a new folder; nothing there is overwritten",
        options.START,
    ),
    "mark": (busy("marking", teacher.mark), "points for a student's folder", options.MARK),
    "class": (
        busy("marking", teacher.mark_class),
        "points for each student's folder in a folder, and what to talk about",
        options.CLASS,
    ),
    "autograder": (
        busy("writing the zip", teacher.autograder),
        "write the zip of an autograder for Gradescope",
        options.AUTOGRADER,
    ),
    "forget": (teacher.forget, "remove what `class` has written", options.FORGET),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    parser.set_defaults(act=busy("checking", learner.overview), folder=None, seconds=SECONDS)
    for name, (act, about, arguments) in COMMANDS.items():
        one = commands.add_parser(name, help=about, description=f"{about}.", allow_abbrev=False)
        one.set_defaults(act=act)
        for names, details in arguments:
            one.add_argument(*names, **details)


def command(arguments: argparse.Namespace) -> int:
    """Do what the options say; returns the exit status."""
    return arguments.act(arguments)
