"""The process of one room: a learner's function is loaded there and asked.

    python -m minigrad.course.exercises.isolation.room_process 70

is one, where none can be forked; elsewhere the fork server calls `answer_on`.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from typing import BinaryIO

import numpy as np

from .... import hessian
from ...folders import EXERCISES
from ..learner_file import handed_out
from ..learner_side.loading import load
from ..messages import read, unpacked
from ..shared_files import SHARED, shared_file
from .limits import limit


def load_what_functions_need() -> None:
    """Load what functions need, before they can find no file."""
    for name in SHARED:
        shared_file(name)
    hessian(np.sum)(np.ones(1))  # which loads what the first derivative needs
    for path in EXERCISES.glob("[0-9][0-9]_*.py"):
        handed_out(path.name)


def answer_on(talk: int, seconds: int) -> None:
    """Load and ask a function, with no other file open."""
    os.setsid()
    os.dup2(talk, 3)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    os.closerange(4, 1 << 10)
    with socket.socket(fileno=3) as line:
        limit(seconds)
        serve(line.makefile("rb"), line.makefile("wb"))


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Load a function, and answer what is asked of it, until nothing more is."""
    with contextlib.suppress(EOFError):
        callee = load(**unpacked(read(requests)))
        while True:
            replies.write(callee(read(requests)))
            replies.flush()


def _by_itself(seconds: str) -> None:
    """Be a room: the judge's stream is the standard one, which the function does not get."""
    replies = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    load_what_functions_need()
    limit(int(seconds))
    serve(requests, replies)
    os._exit(0)  # whatever threads the function has left running


if __name__ == "__main__":
    _by_itself(*sys.argv[1:])
