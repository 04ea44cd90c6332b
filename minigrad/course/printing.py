"""Lines for a terminal: at most 80 columns wide there, and whole where they go to a file or a pipe."""

from __future__ import annotations

import shutil
import sys
import textwrap

COLUMNS = 80


def say(line: str = "", hanging: int | None = None) -> None:
    """Print a line; in a terminal it is broken between words, and goes on as far in as it began.

    Args:
        hanging: how far in it goes on; default: where it began.
    """
    if sys.stdout is None or not sys.stdout.isatty():
        print(line, flush=True)
        return
    width = max(20, min(COLUMNS, shutil.get_terminal_size().columns))
    begin = len(line) - len(line.lstrip())
    further = " " * min(begin if hanging is None else hanging, width // 2)
    parts = textwrap.wrap(
        line, width, subsequent_indent=further, drop_whitespace=True, break_on_hyphens=False,
        replace_whitespace=False, expand_tabs=False,
    )  # fmt: skip
    print("\n".join(parts), flush=True)
