"""The command line:

python -m minitransformer                                      train on dates, and write a report
python -m minitransformer train dates --steps 500 --out runs/short
python -m minitransformer train pairs phrases.tsv --model decoder
python -m minitransformer train --resume runs/short             go on where a run was stopped
python -m minitransformer translate runs/dates "3rd of march 1998"
python -m minitransformer explain runs/dates "3rd of march 1998"   a page that explains each step
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minigrad.terminal import Parser, ended

from .commands import PROGRAM
from .commands.explain import explain
from .commands.options import training_options
from .commands.train import train
from .commands.translate import translate
from .tasks import FILE_TASKS, TASKS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    for stream in (sys.stdout, sys.stdin):  # any file name or line can be read and printed
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="surrogateescape" if stream is sys.stdin else "backslashreplace"
            )
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in ("-h", "--help")):
        given = ["train", *given]
    return ended(PROGRAM, lambda: _run(given))


def _run(given: list[str]) -> int:
    options = command_line().parse_args(given)
    return options.run(options)


def command_line() -> Parser:
    """The commands and their options."""
    shape: dict[str, Any] = {
        "formatter_class": argparse.ArgumentDefaultsHelpFormatter,
        "allow_abbrev": False,
    }
    options = training_options()
    parser = Parser(
        prog="python -m minitransformer",
        description="Train a transformer, and use it. Without a command: train dates. The options "
        "below belong to train.",
        parents=[options],
        **shape,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    about = "learn a task, and write a checkpoint, the curve and a report"
    command = commands.add_parser(
        "train", help=about, description=about, parents=[options], **shape
    )
    command.add_argument(
        "task",
        metavar="TASK",
        nargs="?",
        default="dates",
        help=", ".join(TASKS) + "; or, with a file, " + " or ".join(FILE_TASKS),
    )
    command.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="pairs: a line each, source tab target; text: anything in UTF-8",
    )
    command.set_defaults(run=train)

    about = "read lines with a trained model"
    command = commands.add_parser("translate", help=about, description=about, **shape)
    command.add_argument("checkpoint", metavar="RUN", help="the folder of a run, or its checkpoint")
    command.add_argument(
        "lines", metavar="LINE", nargs="*", help="what to read; without any, standard input"
    )
    command.set_defaults(run=translate)

    about = "write a page on which to walk through one reading, forwards and back"
    command = commands.add_parser("explain", help=about, description=about, **shape)
    command.add_argument("checkpoint", metavar="RUN", help="the folder of a run, or its checkpoint")
    command.add_argument("line", metavar="LINE", help="what to read")
    command.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="the page (default: explain.html in the folder of the run)",
    )
    command.set_defaults(run=explain)
    return parser


if __name__ == "__main__":
    sys.exit(main())
