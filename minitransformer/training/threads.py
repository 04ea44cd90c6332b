"""The number of threads that NumPy uses to multiply matrices."""

from __future__ import annotations

import contextlib


def one_thread() -> contextlib.AbstractContextManager:
    """Make a context in which matrix products run in one thread, if threadpoolctl is installed.

    Small matrices are multiplied faster than a second thread can be started; and while other
    programs run, threads that wait for each other make each step many times slower.
    """
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return contextlib.nullcontext()
    return threadpool_limits(limits=1, user_api="blas")
