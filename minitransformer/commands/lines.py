"""Lines that a model reads, from the command line or from standard input, and their results."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable

from minigrad import errors
from minigrad.system.terminal import complain

from ..training.line_reader import LineReader
from . import PROGRAM

AT_ONCE = 64  # lines


def for_each(
    arguments: list[str],
    reader: LineReader,
    results: Callable[[list[str]], Iterable[str]],
    clean: Callable[[str], str] = str,
    unread: str = "",
) -> int:
    """Print a result for each of the arguments; without arguments, for each line of standard input.

    A line that cannot be read is reported, and the lines after it are still read.

    Args:
        reader: it says which lines it can read.
        results: gives a text for each of a list of lines that can be read.
        clean: is applied to each line first.
        unread: the text that is printed for a line that cannot be read; no line, if it is "".

    Returns:
        The exit status: 2 if a line could not be read.
    """
    typed = not arguments and sys.stdin is not None and sys.stdin.isatty()
    what, at_once = ("argument" if arguments else "line"), (1 if typed else AT_ONCE)
    lines = arguments or (line.rstrip("\r\n") for line in sys.stdin or ())
    numbered = enumerate(map(clean, lines), 1)
    status = 0
    while batch := list(itertools.islice(numbered, at_once)):
        problems = {number: _problem(reader, line) for number, line in batch}
        good = [line for number, line in batch if problems[number] is None]
        texts = iter(results(good) if good else ())
        printed = (unread if problems[number] else next(texts) for number, _ in batch)
        print("".join(f"{text}\n" for text in printed if text), end="", flush=True)
        for number, problem in problems.items():
            if problem is not None:
                status = complain(PROGRAM, f"{what} {number}: {problem}")
    return status


def _problem(reader: LineReader, line: str) -> errors.MinigradError | None:
    """Return the error if the reader cannot read `line`, else None."""
    try:
        reader.encode([line])
    except errors.MinigradError as problem:
        return problem
    return None
