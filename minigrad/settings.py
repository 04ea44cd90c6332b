"""Settings, checked where they are given, so that a wrong one does not show up as a strange result."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .engine.errors import described
from .engine.kinds import is_whole, not_of
from .errors import ConfigError

Check = Callable[[str, Any], Any]  # of a setting: its name and value; returns what is kept of that


def whole(name: str, value: int, least: float = 0, *, most: float = math.inf) -> int:
    """`value` as a Python int.

    Raises:
        ConfigError: if it is not a whole number from `least` up to `most`.
    """
    if not is_whole(value) or not least <= operator.index(value) <= most:
        limits = f" from {least}" if least > -math.inf else ""
        limits += f" up to {most}" if most < math.inf else ""
        raise ConfigError(f"{name} is a whole number{limits}, not {described(value)}")
    return operator.index(value)


def real(
    name: str,
    value: float,
    least: float = 0.0,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
    infinite: bool = False,
) -> float:
    """`value` as a Python float; a number of NumPy's would widen the float32 arrays it meets.

    Raises:
        ConfigError: if it is not a finite number from `least`, above `above`, below `below` and up to
            `most`, nor plus infinity where that is allowed.
    """
    number = not_of(float, name, value) is None
    if infinite and number and value == math.inf:
        return math.inf
    if not (number and least <= value <= most and above < value < below):
        low = f"above {above:g}" if above >= least else f"from {least:g}"
        high = f" to below {below:g}" if below < math.inf else f" up to {most:g}"
        limits = low + (high if min(below, most) < math.inf else "")
        finite = "" if min(below, most) < math.inf else "a finite number "
        raise ConfigError(f"{name} is {finite}{limits}, not {described(value)}")
    return float(value)


def choice(name: str, value: str, names: Iterable[str]) -> str:
    """Return `value`, one of `names`.

    Raises:
        ConfigError: if it is not one of `names`.
    """
    if not isinstance(value, str) or value not in names:
        raise ConfigError(f"{name} is one of {', '.join(map(repr, names))}, not {described(value)}")
    return value


def flag(name: str, value: bool) -> bool:
    """Return `value`, which is True or False.

    Raises:
        ConfigError: if it is not True or False.
    """
    return _of(bool, name, value)


def function(name: str, value: object) -> Any:
    """Return `value`, which can be called.

    Raises:
        ConfigError: if it cannot be called.
    """
    return _of(Callable, name, value)


def _of(kind: Any, name: str, value: Any) -> Any:
    if (wrong := not_of(kind, name, value)) is not None:
        raise ConfigError(wrong)
    return value


def check(owner: object, checks: Mapping[str, Check]) -> None:
    """Check the named attributes of a frozen dataclass, and keep what each check returns.

    Raises:
        ConfigError: for the first that is wrong.
    """
    for name, checked in checks.items():
        object.__setattr__(owner, name, checked(name, getattr(owner, name)))
