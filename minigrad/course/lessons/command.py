"""The command: lessons listed, run, or written."""

from __future__ import annotations

import argparse
from pathlib import Path

from .lesson import chosen, listing, run
from .notebooks import write_notebooks
from .pages import write_pages


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "numbers",
        metavar="LESSON",
        nargs="*",
        help="numbers of lessons, such as 06 (default: all)",
    )
    parser.add_argument(
        "--pictures",
        metavar="DIR",
        default="out",
        help="where a lesson that runs leaves its pictures",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--notebooks", metavar="DIR", type=Path, help="write them as notebooks")
    group.add_argument("--html", metavar="DIR", type=Path, help="run them, and write pages")


def command(options: argparse.Namespace) -> int:
    """List, run or write lessons; returns the exit status."""
    some = chosen(options.numbers)
    if options.notebooks is not None:
        for path in write_notebooks(some, options.notebooks):
            print(path)
    elif options.html is not None:
        print(f"open {write_pages(some, options.html, say=print)}")
    elif options.numbers:
        for lesson in some:
            run(lesson, options.pictures)
    else:
        print(listing(some))
        print("\npython -m minigrad lessons 01 runs one; --notebooks and --html write them")
    return 0
