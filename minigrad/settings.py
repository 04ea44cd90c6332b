"""Settings, checked where they are given, so that a wrong one does not show up as a strange result."""

from __future__ import annotations

import math
import operator
from numbers import Real

from .errors import ConfigError


def whole(name: str, value: int, least: int = 0) -> int:
    """`value` as a Python int.

    Raises:
        ConfigError: if it is not a whole number from `least`.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise ConfigError(f"{name} is a whole number from {least}, not {value!r}")
    return number


def real(name: str, value: float, below: float = math.inf) -> float:
    """`value` as a Python float; a number of NumPy's would widen the float32 arrays it meets.

    Raises:
        ConfigError: if it is not a number from 0 to below `below`.
    """
    if not (isinstance(value, Real) and 0 <= value < below):
        limit = "a finite number from 0" if below == math.inf else f"from 0 to below {below}"
        raise ConfigError(f"{name} is {limit}, not {value!r}")
    return float(value)
