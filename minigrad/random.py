"""The one generator of random numbers, so that a seed fixes a whole run."""

from __future__ import annotations

import operator

import numpy as np

from . import errors

_generator = np.random.default_rng(0)


def manual_seed(seed: int) -> np.random.Generator:
    """Start the common generator anew, and return it; the same seed gives the same run, bit for bit.

    Raises:
        ConfigError: if `seed` is not a whole number from 0.
    """
    global _generator
    try:
        _generator = np.random.default_rng(operator.index(seed))
    except (TypeError, ValueError):
        raise errors.ConfigError(f"a seed is a whole number from 0, not {seed!r}") from None
    return _generator


def generator(given: np.random.Generator | None = None) -> np.random.Generator:
    """The generator to draw from: the one given, or else the one that `manual_seed` starts.

    Raises:
        ConfigError: if what was given is no generator.
    """
    if given is None:
        return _generator
    if not isinstance(given, np.random.Generator):
        raise errors.ConfigError(
            f"rng is a generator, such as np.random.default_rng(0), not {given!r}"
        )
    return given
