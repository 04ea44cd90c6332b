"""The limits of a learner's function: its memory, its time, and how many run at once."""

from __future__ import annotations

import contextlib
import os

try:
    import resource
except ImportError:  # not every system has it
    resource = None  # type: ignore[assignment]


LEAST, MOST = 1 << 29, 4 << 30  # bytes that a function may use, where the system can limit that


def at_once() -> int:
    """The number of functions that run at a time; one of them is judged."""
    return 1 + (os.cpu_count() or 1)


def memory() -> int:
    """The bytes that a function may use: with as many others as run at a time, half of the machine's."""
    try:
        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):  # not every system tells
        return MOST
    return max(LEAST, min(MOST, half // at_once()))


def limit(seconds: int) -> None:
    """Limit what this process may use, as far as the system can."""
    if resource is not None:
        for what, most in {"AS": memory(), "CORE": 0, "CPU": seconds}.items():
            with contextlib.suppress(OSError, ValueError):  # not every system has each of them
                resource.setrlimit(getattr(resource, f"RLIMIT_{what}"), (most, most))
