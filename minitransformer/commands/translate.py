"""The command `translate`: read lines with a trained model."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterable

import minigrad as mg
from minigrad import errors
from minigrad.terminal import complain

from ..training.checkpoints import load_reader
from ..training.readers import Reader
from . import PROGRAM
from .folder import checkpoint_of


def translate(options: argparse.Namespace) -> int:
    """Read lines, and print one result per line. A bad line is reported, and the others are read."""
    reader, _ = load_reader(checkpoint_of(options.checkpoint))
    if options.lines:
        return _translate("argument", options.lines, reader, len(options.lines))
    at_once = 1 if sys.stdin is not None and sys.stdin.isatty() else 256
    return _translate("line", sys.stdin or (), reader, at_once)


def _translate(what: str, lines: Iterable[str], reader: Reader, at_once: int) -> int:
    status = 0
    numbered = enumerate((line.strip() for line in lines), 1)
    while some := list(itertools.islice(numbered, at_once)):
        problems = {number: _problem(reader, line) for number, line in some}
        good = [line for number, line in some if problems[number] is None]
        with mg.fast():
            read = reader.read(good)
        print("".join(f"{written}\n" for written in read), end="", flush=True)
        for number, problem in problems.items():
            if problem is not None:
                status = complain(PROGRAM, f"{what} {number}: {problem}")
    return status


def _problem(reader: Reader, line: str) -> errors.MinigradError | None:
    """Return the error if the reader cannot read `line`, else None."""
    try:
        reader.encode([line])
    except errors.MinigradError as problem:
        return problem
    return None
