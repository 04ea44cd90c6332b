"""Settings, checked where they are given, so that a wrong one does not show up as a strange result."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

from .engine.errors import described
from .errors import ConfigError


def whole(name: str, value: int, least: int = 0, *, most: float = math.inf) -> int:
    """`value` as a Python int.

    Raises:
        ConfigError: if it is not a whole number from `least` up to `most`.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most or isinstance(value, bool):
        limits = f"{least}" if most == math.inf else f"{least} up to {most}"
        raise ConfigError(f"{name} is a whole number from {limits}, not {value!r}")
    return number


def real(
    name: str,
    value: float,
    least: float = 0.0,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
) -> float:
    """`value` as a Python float; a number of NumPy's would widen the float32 arrays it meets.

    Raises:
        ConfigError: if it is not a finite number from `least`, above `above`, below `below` and up to
            `most`.
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (number and least <= value <= most and above < value < below):
        low = f"above {above:g}" if above >= least else f"from {least:g}"
        high = f" to below {below:g}" if below < math.inf else f" up to {most:g}"
        limits = low + (high if min(below, most) < math.inf else "")
        finite = "" if min(below, most) < math.inf else "a finite number "
        raise ConfigError(f"{name} is {finite}{limits}, not {value!r}")
    return float(value)


def choice(name: str, value: str, names: Iterable[str]) -> str:
    """`value`.

    Raises:
        ConfigError: if it is not one of `names`.
    """
    if not isinstance(value, str) or value not in names:
        raise ConfigError(f"{name} is one of {', '.join(map(repr, names))}, not {value!r}")
    return value


def function(name: str, value: Any) -> Any:
    """`value`.

    Raises:
        ConfigError: if it cannot be called.
    """
    if not callable(value):
        raise ConfigError(f"{name} is a function, not {described(value)}")
    return value


def check(owner: Any, checks: Mapping[str, Callable[[str, Any], Any]]) -> None:
    """Check the named attributes of a frozen dataclass, and keep what each check returns.

    Raises:
        ConfigError: for the first that is wrong.
    """
    for name, checked in checks.items():
        object.__setattr__(owner, name, checked(name, getattr(owner, name)))
