"""The command: a worksheet written, and its key."""

from __future__ import annotations

import argparse
import secrets
import sys
from pathlib import Path

from ...system.terminal import seed_of
from ...system.working import working
from ..lessons.lesson import lessons_named
from ..lessons.notebooks import write_text
from .page import PARTS, signs, worksheet


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lesson", metavar="LESSON", help="its number, such as 08")
    parser.add_argument(
        "--seed", type=seed_of, metavar="N", help="of the numbers (default: a new one each time)"
    )
    parser.add_argument(
        "--only", choices=PARTS, nargs="+", default=PARTS, help="parts of it (default: all three)"
    )
    parser.add_argument("--key", action="store_true", help="the answers, too, in a file beside it")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("out"), help="where it is written"
    )


def command(options: argparse.Namespace) -> int:
    """Write a worksheet, as a page to be printed; with its key, if that is asked for.

    The name of the file does not tell the seed, with which anybody could write the key.
    """
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    (lesson,) = lessons_named([options.lesson])
    for name, key in (("", False), ("_key", True)):
        if options.key or not key:
            path = options.out / f"worksheet_{lesson.number}_{signs(lesson, seed)}{name}.html"
            with working(f"drawing {path.name}"):
                page = worksheet(lesson, seed, key, options.only)
            print(write_text(path, page))
    if options.seed is None:
        print(f"to write it again, or its key: --seed {seed}", file=sys.stderr)
    return 0
