"""The progress of a long run: a bar in a terminal if tqdm is installed, else plain lines."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any, Protocol

from minigrad.system.working import heard

UNITS = {"s": 1, "min": 60, "h": 3600}  # of times that are left


class Progress(Protocol):
    """Reports from a long run while it is running."""

    def advance(self, **figures: str) -> None:
        """Count one more step. Each of `figures` is shown by its name: in a bar until it is given again,
        in lines once, as an old one would read as if it were of now."""

    def say(self, text: str) -> None:
        """Print lines of text that stay when the bar moves or disappears."""


@contextlib.contextmanager
def progress(steps: int, done: int = 0, every: int = 50) -> Iterator[Progress]:
    """Show the steps from `done` to `steps` on standard error; a plain line every `every` steps."""
    tqdm = _tqdm() if sys.stderr is not None and sys.stderr.isatty() else None
    if tqdm is None:
        yield _Lines(steps, done, every)
        return
    with tqdm(
        total=steps, initial=done, unit="step", file=sys.stderr, dynamic_ncols=True, leave=False
    ) as bar:
        yield _Bar(bar)


def _tqdm() -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm


def rough(seconds: float) -> str:
    """A time in words, of one unit: "about 40 s", "about 3 min"."""
    unit = next((unit for unit, size in UNITS.items() if seconds < 120 * size), "h")
    return f"about {max(seconds / UNITS[unit], 1):.0f} {unit}"


class _Bar:
    def __init__(self, bar: Any):
        self.bar = bar
        self.figures: dict[str, str] = {}

    def advance(self, **figures: str) -> None:
        heard()
        self.figures |= figures
        self.bar.set_postfix(self.figures, refresh=False)
        self.bar.update()

    def say(self, text: str) -> None:
        heard()
        self.bar.write(text, file=sys.stderr)


class _Lines:
    def __init__(self, steps: int, done: int, every: int):
        self.steps, self.first, self.done, self.every = steps, done, done, every
        self.started = time.perf_counter()
        self.figures: dict[str, str] = {}

    def advance(self, **figures: str) -> None:
        self.done += 1
        self.figures |= figures
        if self.done % self.every == 0 or self.done == self.steps:
            speed = (self.done - self.first) / (time.perf_counter() - self.started)
            shown = "  ".join(f"{name} {figure}" for name, figure in self.figures.items())
            left = f", {rough((self.steps - self.done) / speed)} left" * (self.done < self.steps)
            self.say(f"step {self.done} of {self.steps}  {shown}  {speed:.1f} steps/s{left}")
            self.figures = {}

    def say(self, text: str) -> None:
        heard()
        if sys.stderr is not None:
            print(text, file=sys.stderr, flush=True)  # an error, if nobody reads it any more
