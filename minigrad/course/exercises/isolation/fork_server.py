"""The process that forks rooms: NumPy is loaded there, and no answer is.

    python -m minigrad.course.exercises.isolation.fork_server 5 FOLDER shut

It forks a room for each pair of sockets that it is sent. A room has two processes: the first one tells
what became of the second, in which the function runs (`room_process`). Who forked the first ends it when
the judge closes its socket, and all that the function leaves running ends with it; where there are no
namespaces, a third process, the keeper, sees to that.
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
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from . import namespaces
from .room_process import answer_on, load_what_functions_need


def main(control: str, folder: str, kind: str) -> None:
    """Make a room for each pair of sockets, until there are no more.

    Args:
        control: the number of the socket that sends them.
        folder: an empty one of its own.
        kind: "shut" or "open": whether rooms have namespaces of their own.
    """
    load_what_functions_need()
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
    waiting = select.poll()
    waiting.register(line, select.POLLIN)
    lives: dict[int, tuple[int, int]] = {}  # of a room, by either file that tells that it is to end
    while True:
        ready = waiting.poll()[0][0]
        if ready in lives:
            fate, process = lives[ready]
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, signal.SIGKILL)
            for file in (fate, process):
                waiting.unregister(file)
                os.close(file)
                del lives[file]
        else:
            data, sockets, _, _ = socket.recv_fds(line, 1 << 10, 2)
            if not data:
                return
            life = _fork_room(int(data), sockets, [line.fileno(), *lives], folder, shut)
            if life is not None:
                for file in life:
                    waiting.register(file, select.POLLIN)
                    lives[file] = life
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _fork_room(
    seconds: int, sockets: Sequence[int], others: Sequence[int], folder: str, shut: bool
) -> tuple[int, int] | None:
    """Fork a room, which closes the files of others.

    Returns:
        The socket that the judge closes to end it, and a file for its process; None where the keeper
        sees to its end.
    """
    talk, fate = sockets
    child = namespaces.forked() if shut else os.fork()
    if child == 0:
        for file in others:
            os.close(file)
        begin, place = (_first, namespaces.WORK) if shut else (_keep, folder)
        _end(begin, talk, fate, seconds, place)
    os.close(talk)
    if shut:
        return fate, os.pidfd_open(child)
    os.close(fate)
    return None


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
        _end(answer_on, talk, seconds)
    os.close(talk)
    ended, status = 0, 0
    while ended != function:
        ended, status = os.waitpid(-1, 0)
    os.write(fate, json.dumps(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
