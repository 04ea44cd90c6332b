"""The command: a script is run as Python runs it, and what it ends with is its exit status."""

from __future__ import annotations

import argparse
import contextlib
import os
import runpy
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from .. import errors
from ..ran.variables import line_of
from ..system.disk import other_kind
from ..system.terminal import complain
from .first_backward import first_backward_walked
from .walk import KEYS, Quit

PROGRAM = "minigrad"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"keys:\n{KEYS}"
    parser.add_argument("file", metavar="FILE", help="a script that calls backward()")
    parser.add_argument(
        "arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="what the script is given"
    ).required = False


def command(options: argparse.Namespace) -> int:
    """Run a script to its first backward(), PyTorch's too, and step from there."""
    walked: list[Any] = []  # of a loss at most, by the reader
    if kind := other_kind(options.file):
        raise errors.ConfigError(f"{options.file} is {kind}, not a regular file: give a script")
    with open(options.file, "rb"):  # a file that is not there is no error of the script's
        pass
    try:
        with _script(options.file, options.arguments), first_backward_walked(walked):
            runpy.run_path(options.file, run_name="__main__")
    except Quit:
        return 0
    except SystemExit as end:
        if walked:
            return _status(end)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except BaseException as problem:
        line = line_of(problem)
        at = f", at {line}" if line is not None and "runpy" not in line.file else ""
        return complain(
            PROGRAM, f"{type(problem).__name__}: {str(problem).partition(chr(10))[0]}{at}"
        )
    if not walked:
        return complain(PROGRAM, f"{options.file} came to its end without a backward()")
    return 0


def _status(end: SystemExit) -> int:
    """The exit status that a script asks for."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


@contextlib.contextmanager
def _script(file: str, arguments: Sequence[str]) -> Iterator[None]:
    """The surroundings of a script that Python runs: its arguments, and its folder on the path."""
    before = sys.argv, sys.path[:]
    sys.argv = [file, *arguments]
    sys.path[:0] = [os.path.dirname(os.path.abspath(file))]
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before
