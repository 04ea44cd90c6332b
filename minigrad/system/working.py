"""A line on standard error after two seconds without one: the work that is being done, and its time.

    with working("reading"):
        ...

Standard output has only results, so that they can be piped. In a terminal each line replaces the last,
and in the end it is removed. A notebook itself shows that a cell runs: there no line is written.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

SECONDS = 1.8  # of silence; a line may take a moment
CLEAR = "\r\x1b[K"  # the line of a terminal
PRINT, INPUT = builtins.print, builtins.input


class _Work:
    """A piece of work; `outer`: the work that it is a part of."""

    part = ""

    def __init__(self, what: str, outer: _Work | None):
        self.what, self.outer, self.since = what, outer, time.monotonic()

    def begins(self, part: str) -> None:
        self.part = f", {part}"

    def __str__(self) -> str:
        return f"{self.what}{self.part}: {time.monotonic() - self.since:.0f} s"


class _Speaker:
    """Writes the lines, in a thread that lives as long as there is work."""

    def __init__(self) -> None:
        self.works: list[_Work] = []
        self.changed = threading.Condition()
        self.last = 0.0  # the time of the last line
        self.asking = 0  # prompts that wait for an answer
        self.shown = False  # whether the terminal shows a line that is to be removed
        self.thread: threading.Thread | None = None
        self.here = threading.local()

    def begin(self, what: str) -> _Work:
        work = self.here.work = _Work(what, getattr(self.here, "work", None))
        with self.changed:
            if not self.works:
                self.last = work.since
            self.works.append(work)
            if self.thread is None:
                self.thread = threading.Thread(target=self._speak, daemon=True)
                self.thread.start()
            self.changed.notify()
        return work

    def end(self, work: _Work) -> None:
        self.here.work = work.outer
        with self.changed:
            self.works.remove(work)
            self._clear()

    def heard(self, asking: int = 0) -> None:
        """Note that other code will write a line, or that so many more prompts wait (fewer, if < 0)."""
        with self.changed:
            self._clear()
            self.last = time.monotonic()
            self.asking += asking

    def _speak(self) -> None:
        with self.changed:
            while self.works or self.changed.wait_for(lambda: self.works, SECONDS):
                left = self.last + SECONDS - time.monotonic()
                if left > 0 or self.asking:
                    self.changed.wait(max(left, 0.1))
                else:
                    self._say()
            self.thread = None

    def _say(self) -> None:
        outer = {work.outer for work in self.works}
        line = "; ".join(str(work) for work in self.works if work not in outer)
        self.last = time.monotonic()
        self.shown = sys.stderr is not None and sys.stderr.isatty()
        _write(f"{CLEAR}{line}" if self.shown else f"{line}\n")

    def _clear(self) -> None:
        if self.shown:
            self.shown = False
            _write(CLEAR)


def _write(text: str) -> None:
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
            sys.stderr.write(text)
            sys.stderr.flush()


_SPEAKER = _Speaker()


@contextlib.contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Within it, a line names the work whenever two seconds pass without another line.

    It gives a function, which is called with the name of each part that begins.
    """
    if in_notebook():
        yield lambda part: None
        return
    work = _SPEAKER.begin(what)
    try:
        yield work.begins
    finally:
        _SPEAKER.end(work)


def heard() -> None:
    """Note that other code will write a line."""
    _SPEAKER.heard()


def say(text: str) -> None:
    """Write a line on standard error."""
    heard()
    _write(f"{text}\n")


def busy(what: str, run: Callable[..., int]) -> Callable[..., int]:
    """The command `run`, with a line about its work whenever it prints nothing for long."""

    @functools.wraps(run)
    def command(*args: Any) -> int:
        with working(what), hearing_prints():
            return run(*args)

    return command


@contextlib.contextmanager
def hearing_prints() -> Iterator[None]:
    """Within it, printed text counts as a line, and no line is written while a prompt waits."""

    printed, asked = builtins.print, builtins.input

    def heard_print(*values: Any, **options: Any) -> None:
        heard()
        printed(*values, **options)

    def heard_input(*prompt: Any) -> str:
        _SPEAKER.heard(1)
        try:
            return asked(*prompt)
        finally:
            _SPEAKER.heard(-1)

    with _builtin(heard_print, heard_input):
        yield


def not_hearing() -> contextlib.AbstractContextManager:
    """Within it, `print` and `input` are Python's own again: a learner's code is run with these."""
    return _builtin(PRINT, INPUT)


@contextlib.contextmanager
def _builtin(writes: Callable, asks: Callable) -> Iterator[None]:
    before = builtins.print, builtins.input
    builtins.print, builtins.input = writes, asks
    try:
        yield
    finally:
        builtins.print, builtins.input = before


def in_notebook() -> bool:
    """Tell whether this runs in a notebook, which can show a page in place."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None
