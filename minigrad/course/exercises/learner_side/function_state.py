"""Values that a function keeps from call to call, by accident: defaults, and names outside it."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import numpy as np

MUTABLE = (list, dict, set, np.ndarray)


@dataclass
class KeptValue:
    """A value that calls may change.

    Attributes:
        home: the function whose default value it is, or the names at the top of a file.
        place: its name there, or its number among the default values.
        says: what is wrong, if calls change it.
        before: a copy of it as it was before the first call.
    """

    home: FunctionType | dict[str, Any]
    place: Any
    says: str
    before: Any = None

    @property
    def value(self) -> Any:
        """The value as it is now."""
        home = self.home if isinstance(self.home, dict) else self.home.__defaults__ or ()
        return home[self.place]

    def put(self, value: object) -> None:
        """Put another value in its place."""
        if isinstance(self.home, dict):
            self.home[self.place] = value
        else:
            defaults = list(self.home.__defaults__ or ())
            defaults[self.place] = value
            self.home.__defaults__ = tuple(defaults)


class FunctionState:
    """The lists, dictionaries, sets and arrays that outlive a call of a function.

    These are default values of it and of the functions of its file that it uses, and what stands
    outside them under a name that they use.
    """

    def __init__(self, function: Callable):
        self.values: list[KeptValue] = []
        whole = inspect.unwrap(function)
        if isinstance(whole, FunctionType):
            for one in _kept_values(whole, set()):
                with contextlib.suppress(Exception):  # of some things there is no copy
                    one.before = copy.deepcopy(one.value)
                    self.values.append(one)

    def changed(self) -> str:
        """Say which value is another than before the first call; "" if none is."""
        changed = (one.says for one in self.values if repr(one.value) != repr(one.before))
        return next(changed, "")

    def forget(self) -> None:
        """Put everything back as it was before the first call, as new objects."""
        for one in self.values:
            one.put(copy.deepcopy(one.before))


def _kept_values(function: FunctionType, seen: set[str]) -> Iterator[KeptValue]:
    code, space, defaults = function.__code__, function.__globals__, function.__defaults__ or ()
    first = code.co_argcount - len(defaults)
    for k, value in enumerate(defaults):
        if isinstance(value, MUTABLE):
            name = code.co_varnames[first + k]
            yield KeptValue(
                function,
                k,
                f"the default value of `{name}` is made only once, when the function is defined, "
                f"and each call changes it. Make it inside the function.",
            )
    for name in sorted(_names(code) - seen):
        seen.add(name)
        value = space.get(name)
        if isinstance(value, MUTABLE):
            says = (
                f"`{name}` stands outside the function, and each call changes it. Make it inside."
            )
            yield KeptValue(space, name, says)
        elif isinstance(value, FunctionType) and value.__globals__ is space:
            yield from _kept_values(value, seen)


def _names(code: CodeType) -> set[str]:
    """All names that some code uses, with the functions inside it."""
    inner = (_names(one) for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*inner)
