"""A room as the judge has it: asked with a limit to the time, and closed.

What runs in it is in `room_process`.
"""

from __future__ import annotations

import abc
import contextlib
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from ..marking.mark import TOO_LONG
from ..messages import MessageError, StoppedError, read
from .processes import end

AFTER = 60  # seconds of a processor that a function may use beyond its time, if nobody ends it
JUDGE = threading.Lock()  # one thread judges at a time, while others wait for answers


@contextlib.contextmanager
def letting_others_judge() -> Iterator[None]:
    """Within it, other threads may have `JUDGE`, which this one has before and after."""
    JUDGE.release()
    try:
        yield
    finally:
        JUDGE.acquire()


class Room(abc.ABC):
    """A room as the judge has it: a process in which one function of a learner's is called.

    Args:
        seconds: how long the function may take, over all that it is asked.
        on_close: is told of the room when it is closed.
    """

    def __init__(self, seconds: float, on_close: Callable[[Room], object]) -> None:
        self.seconds = seconds
        self.on_close = on_close

    def send(self, message: bytes) -> None:
        """Send the function that is to be loaded; it gives no reply."""
        with contextlib.suppress(OSError):  # which is told where an answer is missing
            self._in_time(lambda: self._send(message))

    def ask(self, request: bytes) -> bytes:
        """The reply to a request; others may judge while it is waited for. The caller has `JUDGE`.

        Raises:
            StoppedError: if there is none.
        """
        with letting_others_judge():
            try:
                return self._in_time(lambda: self._reply_to(request))
            except TimeoutError:
                says = (
                    f"It had not come to an end after {self.seconds:g} seconds: is there a loop without "
                    f"an end, or an import that takes long?"
                )
                raise StoppedError(says, TOO_LONG) from None
            except MessageError as problem:
                raise StoppedError(f"Its answer cannot be read: {problem}.") from None
            except (OSError, EOFError):
                raise StoppedError(_why(self.status())) from None

    def _reply_to(self, request: bytes) -> bytes:
        self._send(request)
        return read(self)

    @abc.abstractmethod
    def _in_time(self, act: Callable[[], Any]) -> Any:
        """Return what `act` does.

        Raises:
            TimeoutError: if the seconds of the room are over before it is done.
        """

    @abc.abstractmethod
    def _send(self, message: bytes) -> None:
        """Write a message to the process."""

    @abc.abstractmethod
    def read(self, count: int) -> bytes:
        """Return so many bytes of a reply, or fewer; none at its end."""

    @abc.abstractmethod
    def status(self) -> int | None:
        """The way the process ended, as `Popen.returncode` says it; None if that is not known."""

    @abc.abstractmethod
    def close(self) -> None:
        """End the process, and all that it started."""


class ForkedRoom(Room):
    """A room that the fork server has forked.

    Args:
        talk: leads to the function.
        fate: tells how its process ended.
    """

    def __init__(
        self,
        seconds: float,
        on_close: Callable[[Room], object],
        talk: socket.socket,
        fate: socket.socket,
    ) -> None:
        super().__init__(seconds, on_close)
        self.left = seconds
        self.until = 0.0  # when the time of what is done now is over
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
        self.on_close(self)


class ProcessRoom(Room):
    """A room that is a process by itself, where none can be forked."""

    def __init__(
        self, seconds: float, on_close: Callable[[Room], object], command: list[str], **how: Any
    ) -> None:
        super().__init__(seconds, on_close)
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
        end(self.process)

    def close(self) -> None:
        self.timer.cancel()
        self.end()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        self.on_close(self)


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
