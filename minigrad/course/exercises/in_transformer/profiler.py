"""A watch over a learner's functions while a model is trained: their calls, their time, a first NaN."""

from __future__ import annotations

import contextlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..values_as_text import shown


class Profiler:
    """Counts of each function's calls, and of the seconds that it ran by itself, without what it
    called in the library.

    Attributes:
        odd: the first call that made NaN or infinity of numbers that had none, in a sentence; or "".
    """

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.seconds: dict[str, float] = defaultdict(float)
        self.odd = ""
        self._running: list[str] = [""]
        self._since = time.perf_counter()

    @contextlib.contextmanager
    def running(self, name: str) -> Iterator[None]:
        """Within it, the time is that of `name`; of the library, if it is ""."""
        self._charge()
        self._running.append(name)
        try:
            yield
        finally:
            self._charge()
            self._running.pop()

    def wrap(self, name: str, function: Callable) -> Callable:
        """`function`, with its calls counted."""

        def call(*arguments: object) -> Any:
            self.calls[name] += 1
            with self.running(name):
                value = function(*map(self._aside, arguments))
            if not self.odd and _odd(value) and all(_harmless(one) for one in arguments):
                self.odd = (
                    f"{name} was the first to give {_odd(value)}, in its call {self.calls[name]:,}, "
                    f"though nothing that it was given is nan or inf: "
                    f"{name}({', '.join(map(shown, arguments))})"
                )
            return value

        # `walk_replacement` calls the library's rules within the learner's walk.
        call.library = lambda: self.running("")  # type: ignore[attr-defined]
        return call

    def _aside(self, argument: object) -> Any:
        """A function among the arguments, whose time is the library's."""
        if not callable(argument):
            return argument

        def call(*arguments: object) -> Any:
            with self.running(""):
                return argument(*arguments)

        return call

    def now(self) -> str:
        """The name of the function that is running; "" if none is."""
        return next(filter(None, reversed(self._running)), "")

    def share(self, name: str) -> float:
        """The share of the time so far that is a function's own, or with "" the library's."""
        self._charge()
        return self.seconds[name] / (sum(self.seconds.values()) or 1.0)

    def _charge(self) -> None:
        now = time.perf_counter()
        self.seconds[self._running[-1]] += now - self._since
        self._since = now


def _odd(value: Any) -> str:
    """Name what is in an answer and is no finite number, "nan" or "inf"; or "" if nothing is."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next(filter(None, map(_odd, value)), "")
    floats = getattr(value, "dtype", type(value)) in (np.float64, np.float32, float)
    if not floats or np.isfinite(value).all():
        return ""
    return "nan" if np.isnan(value).any() else "inf"


def _harmless(value: object) -> bool:
    """Tell whether an argument is of numbers, and neither NaN nor inf; -inf is what masks put in."""
    if isinstance(value, (dict, list)) or callable(value):
        return False  # what it computes with it is not only its own
    return not (isinstance(value, np.ndarray) and _odd(np.where(np.isneginf(value), 0.0, value)))
