"""A house of rooms, as the judge has them: opened, and all closed at the end.

with contextlib.closing(House()) as house:
    room = house.room(seconds=10)
    room.send(which function)
    room.ask(request)                 waits for the reply, while another thread may judge
"""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import tempfile
import threading

from ..messages import StoppedError
from . import fork_server, room_process
from .container import ContainerRoom
from .processes import apart, end
from .room import AFTER, ForkedRoom, ProcessRoom, Room


class House:
    """The rooms in which learners' functions run. The process that forks them is started with the first.

    Args:
        program: "docker" or "podman", whose image is built: each room is a container then.

    Attributes:
        problem: why rooms have no namespaces, once there is a room; "" if they have.
    """

    def __init__(self, program: str = "") -> None:
        self.program = program
        self.problem = ""
        self._open: set[Room] = set()
        self._lock = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._process: subprocess.Popen | None = None
        self._line: socket.socket | None = None
        self._closed = False

    def room(self, seconds: float) -> Room:
        """A room in which a function may take so many seconds.

        Raises:
            StoppedError: if no more rooms are to be had.
        """
        with self._lock:
            if self._closed:
                raise StoppedError("The check was stopped.")
            try:
                room = self._new_room(seconds)
            except OSError as problem:
                raise StoppedError(f"No process can be had: {problem}.") from None
            self._open.add(room)
        return room

    def _new_room(self, seconds: float) -> Room:
        if self.program:
            return ContainerRoom(self.program, seconds, self._forget)
        return self._forked(seconds) if sys.platform == "linux" else self._spawned(seconds)

    def _forked(self, seconds: float) -> Room:
        limit = str(math.ceil(seconds) + AFTER).encode()
        talk, inner_talk = socket.socketpair()
        fate, inner_fate = socket.socketpair()
        with inner_talk, inner_fate:
            fds = [inner_talk.fileno(), inner_fate.fileno()]
            try:
                socket.send_fds(self._started(), [limit], fds)
            except OSError:  # it has been ended, by what it forked
                self._end()
                socket.send_fds(self._started(), [limit], fds)
        return ForkedRoom(seconds, self._forget, talk, fate)

    def _started(self) -> socket.socket:
        """The socket of the process that forks rooms, with namespaces if they are to be had."""
        if self._line is None:
            problem = self._start("open" if self.problem else "shut")
            if problem:
                self.problem = problem
                self._end()
                self._start("open")
        assert self._line is not None
        return self._line

    def _start(self, how: str) -> str:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [
            sys.executable,
            "-m",
            fork_server.__name__,
            str(theirs.fileno()),
            self._folder.name,
            how,
        ]
        with theirs:
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], **apart(), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )  # fmt: skip
        reply = self._line.recv(1 << 12)
        return json.loads(reply)["problem"] if reply else "Python did not start"

    def _spawned(self, seconds: float) -> Room:
        self.problem = f"{sys.platform} has none"
        command = [sys.executable, "-m", room_process.__name__, str(math.ceil(seconds) + AFTER)]
        return ProcessRoom(seconds, self._forget, command, **apart(), cwd=self._folder.name)

    def _forget(self, room: Room) -> None:
        with self._lock:
            self._open.discard(room)

    def _end(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._process is not None:
            end(self._process)
            self._process = None

    def close(self) -> None:
        """End all that runs."""
        with self._lock:
            self._closed = True
            still_open = list(self._open)
        for room in still_open:
            room.close()
        with self._lock:
            self._end()
        self._folder.cleanup()
