"""The process from which learners' functions get theirs: NumPy is loaded there, and no answer is.

    python -m minigrad.course.exercises.isolation.rooms 5 FOLDER shut forks one per pair of sockets
    python -m minigrad.course.exercises.isolation.rooms 70            is one itself: where none is forked

In a room one function is loaded and asked, through a stream (`learner_side.callee`). A room has two
processes: the first one tells what became of the second, in which the function runs. Who forked the
first ends it when the judge closes its socket, and all that the function leaves running ends with it;
where there are no namespaces, a third process, the keeper, sees to that.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np

try:
    import resource
except ImportError:  # not every system has it
    resource = None  # type: ignore[assignment]

from .... import hessian
from ...folders import EXERCISES
from ..learner_file import handed_out
from ..learner_side.loading import load
from ..messages import read, unpacked
from ..shared_files import SHARED, shared_file
from . import namespaces

LEAST, MOST = 1 << 29, 4 << 30  # bytes that a function may use, where the system can limit that


def memory() -> int:
    """The bytes that a function may use: with as many others as run at a time, half of the machine's."""
    try:
        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):  # not every system tells
        return MOST
    return max(LEAST, min(MOST, half // at_once()))


def at_once() -> int:
    """The number of functions that run at a time; one of them is judged."""
    return 1 + (os.cpu_count() or 1)


def main(control: str, folder: str, kind: str) -> None:
    """Make a room for each pair of sockets, until there are no more.

    Args:
        control: the number of the socket that sends them.
        folder: an empty one of its own.
        kind: "shut" or "open": whether rooms have namespaces of their own.
    """
    _load()
    line = socket.socket(fileno=int(control))
    shut = kind == "shut"
    problem = ""
    try:
        if shut:
            namespaces.shut(folder)
            _try_room()
    except (OSError, AttributeError) as error:
        problem = str(error) or type(error).__name__
    line.send(json.dumps({"problem": problem}).encode())
    if problem:
        return
    gc.collect()
    gc.freeze()
    _fork_rooms(line, folder, shut)


def _fork_rooms(line: socket.socket, folder: str, shut: bool) -> None:
    """Fork a room for each pair of sockets; end it, if it has namespaces, when the judge closes them."""
    begin, place = (_first, namespaces.WORK) if shut else (_keep, folder)
    waiting = select.poll()
    waiting.register(line, select.POLLIN)
    kept: dict[int, tuple[int, int]] = {}  # by either file that tells that a room is to end
    while True:
        told = waiting.poll()[0][0]
        if told in kept:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(kept[told][1], signal.SIGKILL)
            for file in kept[told]:
                waiting.unregister(file)
                os.close(file)
                del kept[file]
        else:
            data, sockets, _, _ = socket.recv_fds(line, 1 << 10, 2)
            if not data:
                return
            child = namespaces.forked() if shut else os.fork()
            if child == 0:
                for file in (line.fileno(), *kept):
                    os.close(file)
                _end(begin, *sockets, int(data), place)
            talk, fate = sockets
            os.close(talk)
            if shut:
                both = fate, os.pidfd_open(child)
                for file in both:
                    waiting.register(file, select.POLLIN)
                    kept[file] = both
            else:
                os.close(fate)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _load() -> None:
    """Load what functions need, before they can find no file."""
    for name in SHARED:
        shared_file(name)
    hessian(np.sum)(np.ones(1))  # which loads what the first derivative needs
    for path in EXERCISES.glob("[0-9][0-9]_*.py"):
        handed_out(path.name)


def _try_room() -> None:
    """See that a room can be had.

    Raises:
        OSError: if none can.
    """
    child = namespaces.forked()
    if child == 0:
        _end(namespaces.inside)
    if os.waitpid(child, 0)[1]:
        raise OSError("no room of processes can be had")


def _end(function: Any, *arguments: object) -> NoReturn:
    """Call a function, and end this process."""
    status = 1
    try:
        function(*arguments)
        status = 0
    finally:
        os._exit(status)


def _keep(talk: int, fate: int, seconds: int, folder: str) -> None:
    """Keep a room without namespaces until what runs in it has ended, or the judge closes `fate`."""
    namespaces.adopting()
    work = tempfile.mkdtemp(dir=folder)
    first = os.fork()
    if first == 0:
        _end(_first, talk, fate, seconds, work, False)
    os.close(talk)
    waiting = select.poll()
    waiting.register(fate, select.POLLIN)
    waiting.register(os.pidfd_open(first), select.POLLIN)
    waiting.poll()
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    _end_children()
    shutil.rmtree(work, ignore_errors=True)


def _end_children() -> None:
    """End what is left of a room without namespaces, as far as it can be found."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    with contextlib.suppress(OSError):
        while True:
            for child in children.read_text().split():
                os.kill(int(child), signal.SIGKILL)
            os.waitpid(-1, 0)


def _first(talk: int, fate: int, seconds: int, work: str, shut: bool = True) -> None:
    """Start the process of the function, and tell how it ended."""
    if shut:
        namespaces.inside()
    function = os.fork()
    if function == 0:
        os.chdir(work)
        _end(_alone, talk, seconds)
    os.close(talk)
    ended, status = 0, 0
    while ended != function:
        ended, status = os.waitpid(-1, 0)
    os.write(fate, json.dumps(os.waitstatus_to_exitcode(status)).encode())


def _alone(talk: int, seconds: int) -> None:
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


def serve(asked: BinaryIO, answers: BinaryIO) -> None:
    """Load a function, and answer what is asked of it, until nothing more is."""
    with contextlib.suppress(EOFError):
        what = unpacked(read(asked))
        callee = load(**what)
        while True:
            answers.write(callee(read(asked)))
            answers.flush()


def limit(seconds: int) -> None:
    """Limit what this process may use, as far as the system can."""
    if resource is not None:
        for what, most in {"AS": memory(), "CORE": 0, "CPU": seconds}.items():
            with contextlib.suppress(OSError, ValueError):  # not every system has each of them
                resource.setrlimit(getattr(resource, f"RLIMIT_{what}"), (most, most))


def _by_itself(seconds: str) -> None:
    """Be a room: the judge's stream is the standard one, which the function does not get."""
    answers = os.fdopen(os.dup(1), "wb")
    asked = os.fdopen(os.dup(0), "rb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    _load()
    limit(int(seconds))
    serve(asked, answers)
    os._exit(0)  # whatever threads the function has left running


if __name__ == "__main__":
    _by_itself(*sys.argv[1:]) if len(sys.argv) == 2 else main(*sys.argv[1:])
