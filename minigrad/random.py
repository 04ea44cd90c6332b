"""Sources of random numbers: one common generator, so that a seed fixes a run, or one of a run."""

from __future__ import annotations

import contextlib
import operator

import numpy as np

from . import errors
from .engine.modes import mode, setting

_common = np.random.default_rng(0)


def manual_seed(seed: int) -> np.random.Generator:
    """Start the common generator anew, and return it; the same seed gives the same run, bit for bit.

    Raises:
        ConfigError: if `seed` is not a whole number from 0.
    """
    global _common
    try:
        _common = np.random.default_rng(operator.index(seed))
    except (TypeError, ValueError):
        raise errors.ConfigError(f"a seed is a whole number from 0, not {seed!r}") from None
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


def _checked(rng: np.random.Generator) -> np.random.Generator:
    if not isinstance(rng, np.random.Generator):
        raise errors.ConfigError(
            f"rng is a generator, such as np.random.default_rng(0), not {rng!r}"
        )
    return rng
