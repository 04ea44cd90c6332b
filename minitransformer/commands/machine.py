"""What a run asks of the system: to be told of Ctrl-C, and how much memory it had."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Make a context in which the first Ctrl-C is only noted: the function that it yields tells whether
    there was one. The second Ctrl-C interrupts as usual."""
    noted: list[int] = []

    def note(number: int, frame: Any) -> None:
        noted.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGINT, before)


def peak_memory() -> int | None:
    """The most memory that this process has had, in MB; None where the system does not tell."""
    try:
        # Linux counts in rusage what the process that started this one had; this line does not.
        lines = Path("/proc/self/status").read_text().splitlines()
        line = next(x for x in lines if x.startswith("VmHWM"))
        return round(int(line.split()[1]) * 1024 / 1e6)
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (1e6 if sys.platform == "darwin" else 1e6 / 1024))
