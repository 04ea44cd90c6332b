"""Workers that are threads of this process."""

from __future__ import annotations

import concurrent.futures
import contextlib
import contextvars
from collections.abc import Callable, Sequence

import numpy as np

from .. import errors
from ..engine.kinds import checked
from ..settings import whole
from .job import MOST_WORKERS, Gradients, Workers, added, tree


class Threads(Workers):
    """Threads of this process, which share its weights and its memory.

    Each part runs in a copy of the caller's context, so that modes such as `no_grad` hold there. Within
    a part, products of matrices use one thread: the parts themselves keep the cores busy.

    Args:
        count: the number of threads; with 1, the caller's own thread computes.

    Raises:
        ConfigError: if `count` is not a whole number from 1 up to `MOST_WORKERS`; or if it is above 1
            and threadpoolctl is missing: then each product would start threads of its own.
        WorkersError: for a total of several threads outside the `with` block.
    """

    def __init__(self, count: int = 1):
        self.count = whole("the number of workers", count, least=1, most=MOST_WORKERS)
        self.limits = threadpool_limits() if count > 1 else contextlib.nullcontext
        self.stack = contextlib.ExitStack()
        self.pool: concurrent.futures.Executor | None = None  # while entered

    def __enter__(self) -> Threads:
        if self.count > 1:
            self.stack.enter_context(self.limits())
            pool = concurrent.futures.ThreadPoolExecutor(self.count, "part")
            self.pool = self.stack.enter_context(pool)
        return self

    def __exit__(self, *problem: object) -> None:
        self.pool = None
        self.stack.close()

    @checked
    def total(self, job: Gradients, parts: Sequence[object]) -> list[np.ndarray]:
        if self.count == 1:
            return tree(map(job, parts), added)
        if self.pool is None:
            raise errors.WorkersError(
                f"the threads run within the block alone: write `with Threads({self.count}) as workers:`"
            )
        futures = [self.pool.submit(contextvars.copy_context().run, job, part) for part in parts]
        try:
            return tree((future.result() for future in futures), added)
        finally:
            # After an error, none goes on with weights that change.
            concurrent.futures.wait(futures)


def threadpool_limits() -> Callable[[], contextlib.AbstractContextManager]:
    """A function that makes a context in which each product of matrices runs in one thread."""
    try:
        import threadpoolctl
    except ImportError:
        raise errors.ConfigError(
            "more than one thread needs threadpoolctl, so that each multiplies alone: "
            "pip install threadpoolctl"
        ) from None
    return lambda: threadpoolctl.threadpool_limits(1, user_api="blas")
