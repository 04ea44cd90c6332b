"""The end of the two command lines: an exit status, and what went wrong in one line."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from . import errors

WRONG, INTERRUPTED, NO_READER = 2, 128 + signal.SIGINT, 128 + 13  # exit statuses; 13 is SIGPIPE
REMEDIES = {  # by the names of errors, of which not every system has all
    "ENOSPC": "make room on that disk",
    "EDQUOT": "make room: no more files of yours may be there",
    "EFBIG": "no file may be so large there",
    "EROFS": "nothing can be written there",
    "EACCES": "it is not yours to write or read",
}


def ended(program: str, run: Callable[[], int]) -> int:
    """Run `run`, which returns an exit status; what goes wrong is said in one line of `program`'s."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # while `starting`
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status = run()
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        let_go()
        return NO_READER
    except errors.MinigradError as problem:
        return complain(program, problem)
    except MemoryError as problem:
        what = f" ({problem})" if str(problem) else ""
        return complain(program, f"not enough memory{what}: choose smaller sizes or batches")
    except OSError as problem:
        let_go()
        return complain(program, _told(problem))


def complain(program: str, problem: object) -> int:
    """Say what is wrong, in one line; returns the exit status for it."""
    with contextlib.suppress(OSError):  # the terminal may be gone
        print(f"{program}: {' '.join(str(problem).split())}", file=sys.stderr)
    return WRONG


def _told(problem: OSError) -> str:
    """The file, what is wrong with it, and the remedy."""
    where = f"{problem.filename}: " if problem.filename is not None else ""
    remedy = REMEDIES.get(errno.errorcode.get(problem.errno or 0, ""))
    return f"{where}{problem.strerror or problem}" + (f": {remedy}" if remedy else "")


def let_go() -> None:
    """Discard what could not be written to standard output: at its exit, Python would try once more, and
    report the error."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the options: `python -m minigrad step` as `minigrad`."""

    def error(self, message: str) -> NoReturn:
        program = self.prog.removeprefix("python -m ").partition(" ")[0]
        self.exit(complain(program, f"{message} (--help lists all options)"))
