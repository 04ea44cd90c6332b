"""Questions of a run to the system: when to stop, how many cores there are, how much memory it had."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

STOPS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # by name: no system has all of them


@contextlib.contextmanager
def interruptible() -> Iterator[Callable[[], int]]:
    """Within it, the first signal to stop is only noted: Ctrl-C, the end of the terminal, or `kill`.

    It gives a function that returns the number of the signal, or 0 if there was none. The second signal
    interrupts as Ctrl-C usually does. A signal that was ignored before, as under `nohup`, still is.
    """
    noted: list[int] = []

    def note(number: int, frame: object) -> None:
        noted.append(number)
        for signum in before:
            signal.signal(signum, signal.default_int_handler)

    known = [getattr(signal, name) for name in STOPS if hasattr(signal, name)]
    before = {signum: signal.getsignal(signum) for signum in known}
    before = {
        signum: handler for signum, handler in before.items() if handler is not signal.SIG_IGN
    }
    for signum in before:
        signal.signal(signum, note)
    try:
        yield lambda: noted[0] if noted else 0
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def cores() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peak_memory() -> int | None:
    """The most memory that this process has had, in MB; None, if the system does not tell."""
    try:
        # On Linux, rusage includes the memory of the process that started this one; this line does not.
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
