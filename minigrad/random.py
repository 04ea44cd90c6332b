"""Sources of random numbers: one common generator, so that a seed fixes a run, or one of a run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np

from . import errors
from .engine.modes import effect, mode, setting
from .missing import missing
from .settings import whole

_common = np.random.default_rng(0)
Draw = Callable[[], np.ndarray]


def __getattr__(name: str) -> object:
    if name[0] != "_" and hasattr(np.random.Generator, name):
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}; write mg.generator().{name}(...)"
        )
    raise missing(__name__, name, "np.random", "torch")


def manual_seed(seed: int) -> np.random.Generator:
    """Start the common generator again, and return it; the same seed gives the same run, bit for bit.

    Raises:
        ConfigError: if `seed` is not a whole number from 0.
    """
    global _common
    effect("calls manual_seed()")
    _common = np.random.default_rng(whole("a seed", seed))
    return _common


def drawing_from(rng: np.random.Generator) -> contextlib.AbstractContextManager[None]:
    """Within it, `rng` takes the place of the common generator, so that two runs in one process do not
    change each other's numbers.

    Raises:
        ConfigError: if `rng` is no generator.
    """
    return setting(rng=_checked(rng))


def generator(given: np.random.Generator | None = None) -> np.random.Generator:
    """The generator to draw from: the one given, or that of `drawing_from` around the call, or else
    the common one, which `manual_seed` starts.

    Raises:
        ConfigError: if what was given is no generator.
    """
    return mode.get().rng or _common if given is None else _checked(given)


def drawn(
    draw: Callable[[np.random.Generator], np.ndarray], rng: np.random.Generator | None = None
) -> np.ndarray:
    """Return what `draw` takes from a generator, as in `drawn(lambda rng: rng.random(3))`.

    Watchers see it, so that a compiled function draws again in each call; there it is an array, for a
    number would be part of the program.
    """
    again = lambda: draw(generator(rng))
    array = again()
    for watcher in mode.get().watchers:
        watcher.on_draw(array, again)
    return array


def _checked(rng: np.random.Generator) -> np.random.Generator:
    if not isinstance(rng, np.random.Generator):
        raise errors.ConfigError(
            f"rng is a generator, such as np.random.default_rng(0), not {rng!r}"
        )
    return rng
