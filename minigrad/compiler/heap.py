"""The heap of the process: when the C library of Linux gives back memory that is freed.

Elsewhere, nothing is done.
"""

import contextlib
import ctypes
import functools
import mmap
import sys
from collections.abc import Callable

import numpy as np

from ..arrays.strides import address

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # mallopt's numbers
NEVER, LARGEST = -1, 32 << 20  # bytes


@functools.cache
def keep_freed_memory() -> None:
    """Keep freed memory in the process: it would go back to the system page by page, at each step.

    The C library gives back free memory at the end of its heap, and every array that is larger than a
    threshold. Both limits are set to the largest value that it takes (mallopt, man page 3). It also has
    a heap for each thread: here all threads share one. The most memory that a process needs does not
    grow.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(TRIM_THRESHOLD, NEVER)
        mallopt(MMAP_THRESHOLD, LARGEST)
        mallopt(ARENA_MAX, 1)


def give_back_free_memory() -> None:
    """Give back all memory that is free now: a run needs far less than the making of its program."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def empty(array: np.ndarray) -> None:
    """Give back the memory of an array whose numbers nobody needs (madvise, man page 2).

    It reads as zeros from then on, and keeps its shape, its strides, and its views. Memory that the
    array does not own stays.
    """
    begin = address(array)
    first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
    size = (begin + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE - first
    if array.base is None and array.flags.owndata and size > 0 and (advise := _advise()):
        advise(first, size, mmap.MADV_DONTNEED)


@functools.cache
def _advise() -> Callable | None:
    """The function `madvise` of Linux; on other systems it does something else."""
    if sys.platform != "linux":
        return None
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    return advise
