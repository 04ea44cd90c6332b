"""How many threads NumPy multiplies matrices with."""

from __future__ import annotations

import contextlib


def one_thread() -> contextlib.AbstractContextManager:
    """Within it, matrix products run in one thread, where threadpoolctl is installed.

    The matrices of a small model are multiplied sooner than a second thread has been told; and where
    other programs run, threads that wait for one another make each step many times as long.
    """
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return contextlib.nullcontext()
    return threadpool_limits(limits=1, user_api="blas")
