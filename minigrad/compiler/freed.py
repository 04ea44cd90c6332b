"""Memory that is freed stays in the process: the system would give it back page by page, at each step.

The C library of Linux returns what is free at the end of its memory, and every array that is larger
than a threshold. Both limits are set to the largest value that it takes (mallopt, man page 3). And it
keeps memory apart for each thread, of which large pieces come and go with the arrays: here all threads
share one. The most memory that a process needs does not grow.
"""

import contextlib
import ctypes
import functools

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # mallopt's numbers
NEVER, LARGEST = -1, 32 << 20  # bytes


@functools.cache
def keep() -> None:
    """Set the limits, where there is such a C library."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(TRIM_THRESHOLD, NEVER)
        mallopt(MMAP_THRESHOLD, LARGEST)
        mallopt(ARENA_MAX, 1)
