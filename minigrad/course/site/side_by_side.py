"""Lessons that run side by side, as many as there are cores; one that is asked for runs at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Generic, TypeVar

from ..lessons.lesson import Lesson

T = TypeVar("T")
AT_ONCE = 2  # lessons that may run beside those whose turn it is


class SideBySide(Generic[T]):
    """Calls `run` of each lesson, in order, in threads; within a `with` block.

    A lesson that `run` fails for fails again where its result is asked for. What has not begun when
    the block is left does not run.
    """

    def __init__(self, run: Callable[[Lesson], T], order: Sequence[Lesson]):
        self.run, self.moving = run, threading.Lock()
        self.in_turn = ThreadPoolExecutor(os.cpu_count() or 1)
        self.at_once = ThreadPoolExecutor(AT_ONCE)
        self.runs = {lesson: self.in_turn.submit(run, lesson) for lesson in order}

    def now(self, lesson: Lesson) -> None:
        """Let a lesson run at once, if it has not begun."""
        with self.moving:
            if self.runs[lesson].cancel():
                self.runs[lesson] = self.at_once.submit(self.run, lesson)

    def result(self, lesson: Lesson) -> T:
        """Wait for a lesson; return what `run` returned."""
        try:
            return self.runs[lesson].result()
        except CancelledError:
            with self.moving:
                moved = self.runs[lesson]
            return moved.result()

    def __enter__(self) -> SideBySide[T]:
        return self

    def __exit__(self, *problem: object) -> None:
        for pool in (self.in_turn, self.at_once):
            pool.shutdown(cancel_futures=True)
