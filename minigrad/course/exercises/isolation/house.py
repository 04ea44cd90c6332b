"""A house of rooms, as the judge has them: opened, asked with a limit to the time, and closed.

    with contextlib.closing(House()) as house:
        room = house.room(seconds=10)
        room.send(which function)
        room.ask(request)                 waits for the reply, while another thread may judge

What runs in a room is in `rooms`.
"""

from __future__ import annotations

import abc
import contextlib
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from ...folders import ROOT
from ..messages import MessageError, StoppedError, read
from . import container, rooms

AFTER = 60  # seconds of a processor that a function may use beyond its time, if nobody ends it
KEPT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "SYSTEMROOT")
JUDGE = threading.Lock()  # one thread judges at a time, while others wait for answers


@contextlib.contextmanager
def letting_others_judge() -> Iterator[None]:
    """Within it, other threads may have `JUDGE`, which this one has before and after."""
    JUDGE.release()
    try:
        yield
    finally:
        JUDGE.acquire()


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
                room = self._made(seconds)
            except OSError as problem:
                raise StoppedError(f"No process can be had: {problem}.") from None
            self._open.add(room)
        return room

    def _made(self, seconds: float) -> Room:
        if self.program:
            return Container(self, seconds)
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
        return ForkedRoom(self, seconds, talk, fate)

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
            rooms.__name__,
            str(theirs.fileno()),
            self._folder.name,
            how,
        ]
        with theirs:
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], **_quiet(), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )  # fmt: skip
        reply = self._line.recv(1 << 12)
        return json.loads(reply)["problem"] if reply else "Python did not start"

    def _spawned(self, seconds: float) -> Room:
        self.problem = f"{sys.platform} has none"
        command = [sys.executable, "-m", rooms.__name__, str(math.ceil(seconds) + AFTER)]
        return ProcessRoom(self, seconds, command, **_quiet(), cwd=self._folder.name)

    def left(self, room: Room) -> None:
        with self._lock:
            self._open.discard(room)

    def _end(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._process is not None:
            ended(self._process)
            self._process = None

    def close(self) -> None:
        """End all that runs."""
        with self._lock:
            self._closed = True
            left = list(self._open)
        for room in left:
            room.close()
        with self._lock:
            self._end()
        self._folder.cleanup()


class Room(abc.ABC):
    """A room as the judge has it: a process in which one function of a learner's is called."""

    def __init__(self, house: House, seconds: float) -> None:
        self.house = house
        self.seconds = seconds

    def send(self, message: bytes) -> None:
        with contextlib.suppress(OSError):  # which is told where an answer is missing
            self._in_time(lambda: self._send(message))

    def ask(self, request: bytes) -> bytes:
        """The reply to a request; others may judge while it is waited for. The caller has `JUDGE`.

        Raises:
            StoppedError: if there is none.
        """
        with letting_others_judge():
            try:
                return self._in_time(lambda: self._asked(request))
            except TimeoutError:
                raise StoppedError(
                    f"It had not come to an end after {self.seconds:g} seconds: is there a loop "
                    f"without an end, or an import that takes long? `--seconds` gives it more."
                ) from None
            except MessageError as problem:
                raise StoppedError(f"Its answer cannot be read: {problem}.") from None
            except (OSError, EOFError):
                raise StoppedError(_why(self.status())) from None

    def _asked(self, request: bytes) -> bytes:
        self._send(request)
        return read(self)

    @abc.abstractmethod
    def _in_time(self, act: Callable[[], Any]) -> Any:
        """Return what `act` does.

        Raises:
            TimeoutError: if the seconds of the room are over before it is done.
        """

    @abc.abstractmethod
    def _send(self, message: bytes) -> None: ...

    @abc.abstractmethod
    def read(self, count: int) -> bytes:
        """Return so many bytes of a reply, or fewer; none at its end."""

    @abc.abstractmethod
    def status(self) -> int | None:
        """The way the process ended, as `Popen.returncode` says it; None if that is not known."""

    @abc.abstractmethod
    def close(self) -> None: ...


class ForkedRoom(Room):
    """A room that the process of rooms has forked: `talk` leads to the function, `fate` tells how it
    ended."""

    def __init__(
        self, house: House, seconds: float, talk: socket.socket, fate: socket.socket
    ) -> None:
        super().__init__(house, seconds)
        self.left = seconds
        self.talk = talk
        self.fate = fate

    def _in_time(self, act: Callable[[], Any]) -> Any:
        begun = time.monotonic()
        self.until = begun + self.left
        try:
            return act()
        finally:
            self.left -= time.monotonic() - begun

    def _send(self, message: bytes) -> None:
        self.talk.settimeout(max(self.left, 1e-3))
        self.talk.sendall(message)

    def read(self, count: int) -> bytes:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.talk.settimeout(left)
        return self.talk.recv(count)

    def status(self) -> int | None:
        self.fate.settimeout(AFTER)
        with contextlib.suppress(OSError, ValueError):
            return int(self.fate.recv(64))
        return None

    def close(self) -> None:
        for line in (self.talk, self.fate):
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)  # wakes who reads it
            line.close()
        self.house.left(self)


class ProcessRoom(Room):
    """A room that is a process by itself, where none can be forked."""

    def __init__(self, house: House, seconds: float, command: list[str], **how: Any) -> None:
        super().__init__(house, seconds)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **how
        )
        self.late = False
        self.timer = threading.Timer(seconds, self._too_late)
        self.timer.start()

    def _too_late(self) -> None:
        self.late = True
        self.end()

    def _in_time(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except (OSError, EOFError):
            if self.late:
                raise TimeoutError from None
            raise

    def _send(self, message: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(message)
        self.process.stdin.flush()

    def read(self, count: int) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.read(count)

    def status(self) -> int | None:
        return self.process.wait()

    def end(self) -> None:
        ended(self.process)

    def close(self) -> None:
        self.timer.cancel()
        self.end()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        self.house.left(self)


class Container(ProcessRoom):
    """A room that is a container; its time begins before it has started."""

    def __init__(self, house: House, seconds: float) -> None:
        command, self.name = container.run(house.program, math.ceil(seconds) + AFTER)
        how = {"stderr": subprocess.DEVNULL, "start_new_session": True}
        super().__init__(house, seconds + container.START, command, **how)
        self.seconds = seconds

    def end(self) -> None:
        """End it: what runs in it is no child of this process, and goes on without its client."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()  # type: ignore[union-attr]
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0 if self.late else container.WAIT)
            return
        container.remove(self.house.program, self.name)
        ended(self.process)


def _why(status: int | None) -> str:
    if status is None:
        return "Its process ended before it answered."
    if status >= 0:
        return (
            f"Its process ended before it answered, with the status {status}: does it end Python, or "
            f"change what Python needs, such as a built-in function?"
        )
    names = {known.value: known.name for known in signal.Signals}  # not of all there are
    return f"It crashed Python, by the signal {names.get(-status, -status)}."


def _quiet() -> dict[str, Any]:
    """The start of the process of rooms: with little of the environment, apart from the keyboard."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment = {**kept, **with_packages(), "LC_ALL": "C.UTF-8"}
    return {"env": environment, "stderr": subprocess.DEVNULL, "start_new_session": True}


def with_packages() -> dict[str, str]:
    """The environment in which a process finds both packages; its matrix products run in one thread."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}


def ended(process: subprocess.Popen) -> None:
    """See that a process has ended, and those that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
