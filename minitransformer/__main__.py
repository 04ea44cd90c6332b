"""The command line.

Its help ends in these examples:

    python -m minitransformer
        train on dates, and write a report
    python -m minitransformer translate runs/dates "3rd of march 1998"
    python -m minitransformer explain runs/dates "3rd of march 1998"
        write a page that explains each step
    python -m minitransformer train dates --steps 500 --out runs/short
    python -m minitransformer train --resume runs/short
        go on where a run was stopped
    python -m minitransformer train pairs phrases.tsv --model decoder
    python -m minitransformer train text novel.txt --window 128
    python -m minitransformer write runs/text "It was" --length 500
"""

from __future__ import annotations

import argparse
import io
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from minigrad import errors
from minigrad.system.terminal import Command, Parser, add_commands, complain, ended
from minigrad.system.working import busy

from .commands import PROGRAM
from .commands.explain import explain
from .commands.options import EXPLAIN, TRAIN, TRANSLATE, WRITE, Option, add, spelled
from .commands.train import train
from .commands.translate import translate
from .commands.write import write
from .tasks import FILE_TASKS, FORMS, TASKS

PROG = f"python -m {PROGRAM}"
EXAMPLES = textwrap.dedent((__doc__ or "").rpartition("\n\n")[2])
RUN = {"metavar": "RUN", "help": "the folder of a run, or its checkpoint"}
RESULTS = (
    "A result is a line: what the model writes, a tab, and the probability that it gives to all of "
    "it; then, if it is not sure or something is wrong, a tab and a word about it. For a line that "
    "it cannot read both are empty, and the word is `not read`: there is a result for each line. The "
    "exit status is 0 if it is sure of every line, 1 if not, and 2 if there is a line that it cannot "
    "read.\n\n"
    + "\n\n".join(f"{task}: {told}\n\n{'; '.join(forms)}" for task, (told, forms) in FORMS.items())
)


def takes(
    arguments: Mapping[str, Mapping[str, Any]],
    options: Mapping[str, Iterable[Option]],
    notes: str = "",
) -> Callable[[argparse.ArgumentParser], None]:
    """Return the function that gives a command its arguments, its options, and the end of its help."""

    def add_to(parser: argparse.ArgumentParser) -> None:
        placeholders = " ".join(map(_placeholder, arguments.values()))
        parser.usage = f"%(prog)s {placeholders} [OPTION ...]"
        parser.epilog, parser.formatter_class = notes, _Help
        for argument, how in arguments.items():
            parser.add_argument(argument, **how)
        add(parser, options)

    return add_to


COMMANDS = {
    "train": Command(
        busy("training", train),
        "learn a task, and write a checkpoint, the curve and a report",
        takes(
            {
                "task": {
                    "metavar": "TASK",
                    "nargs": "?",
                    "default": argparse.SUPPRESS,
                    "help": f"{', '.join(TASKS)}; or, with a file, {' or '.join(FILE_TASKS)} "
                    f"(default: dates)",
                },
                "file": {
                    "metavar": "FILE",
                    "nargs": "?",
                    "default": argparse.SUPPRESS,
                    "help": "pairs: a line each, source tab target, or a csv of two columns, which a "
                    "first line source,target may name (other names: --header); text: anything in UTF-8",
                },
            },
            TRAIN,
        ),
    ),
    "translate": Command(
        translate,
        "read lines with a trained model, and tell how sure it is of each",
        takes(
            {
                "checkpoint": RUN,
                "lines": {
                    "metavar": "LINE",
                    "nargs": "*",
                    "help": "what to read; without any, standard input",
                },
            },
            TRANSLATE,
            RESULTS,
        ),
    ),
    "write": Command(
        write,
        "go on with a text, by a model that has learned from one",
        takes(
            {
                "checkpoint": RUN,
                "lines": {
                    "metavar": "START",
                    "nargs": "*",
                    "help": "how the text begins; without any, each line of standard input",
                },
            },
            WRITE,
        ),
    ),
    "explain": Command(
        busy("explaining", explain),
        "write a page on which to walk through one reading, forwards and back",
        takes({"checkpoint": RUN, "line": {"metavar": "LINE", "help": "what to read"}}, EXPLAIN),
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # any file name or line can be read and printed
        sys.stdout.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        encoding = None if sys.stdin.isatty() else "utf-8-sig"  # a file may have a byte order mark
        sys.stdin.reconfigure(encoding=encoding, errors="surrogateescape")
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in ("-h", "--help")):
        given = ["train", *given]
    return ended(PROGRAM, lambda: _run(given))


def _run(given: list[str]) -> int:
    options = command_line().parse_args(given)
    try:
        return options.run(options)
    except errors.MinigradError as problem:
        return complain(PROGRAM, spelled(str(problem)))


def command_line() -> Parser:
    """The commands and their options."""
    parser = Parser(
        prog=PROG,
        usage=f"{PROG} [COMMAND] [OPTION ...]",
        description=f"Train a transformer, and use it.\n\n{EXAMPLES}\n"
        "Without a command: train dates. The options below belong to train; those of the others, and "
        "the forms in which dates are read, are shown by translate --help and so on.",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    add_commands(parser, COMMANDS, PROG)
    add(parser, TRAIN)
    return parser


def _placeholder(argument: Mapping[str, Any]) -> str:
    shown = {"?": "[{}]", "*": "[{} ...]"}.get(argument.get("nargs", ""), "{}")
    return shown.format(argument["metavar"])


class _Help(argparse.HelpFormatter):
    """Fills each paragraph; one whose lines begin with a command stays as it is."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(
            paragraph
            if paragraph.startswith("python -m")
            else super(_Help, self)._fill_text(paragraph, width, indent)
            for paragraph in text.strip().split("\n\n")
        )


if __name__ == "__main__":
    sys.exit(main())
