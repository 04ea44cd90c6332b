"""A warning for a function that reads something outside that is different at each call."""

from __future__ import annotations

import warnings
from typing import Any

from .keys import Key
from .outside import Outside

MANY_CALLS = 8  # in a row, with something different outside: then it warns


class Changing:
    """Counts the calls in a row that differ from the call before only outside of the arguments.

    Attributes:
        name: the name of the object that is different at each call, such as `model.count`; "" until one
            is found.
    """

    def __init__(self, function_name: str, outside: Outside):
        self.name = ""
        self._function_name, self._outside = function_name, outside
        self._calls = 0
        self._before: Key | None = None
        self._marks: dict[tuple[int, str], Any] = {}

    def note(self, key: Key) -> None:
        """Note a call for which there is no program; warn after many of them, once."""
        before, self._before = self._before or key, key
        only_outside = key != before == key._replace(outside=before.outside)
        self._calls = self._calls + 1 if only_outside else 1
        if self._calls == MANY_CALLS - 1:
            self._marks = self._marks_now()
        elif self._calls == MANY_CALLS and not self.name:
            marks = self._marks_now()
            changed = (
                place for place, mark in marks.items() if self._marks.get(place, mark) != mark
            )
            self.name = _name(next(changed, None), marks)
            warnings.warn(
                f"{self._function_name} runs without a program: {self.name} was different at each of "
                f"the last {MANY_CALLS} calls, and each would need a program of its own. Do not change "
                f"it in each call, or give it as an array among the arguments",
                stacklevel=3,  # the line that calls the compiled function
            )

    def _marks_now(self) -> dict[tuple[int, str], Any]:
        return {(id(a), name): mark for a, name, mark in self._outside.named()}


def _name(place: tuple[int, str] | None, marks: dict[tuple[int, str], Any]) -> str:
    """The name of a place, such as `model.count`: after the name of the object that it is in."""
    name = ""
    visited: set[Any] = set()
    while place is not None and place not in visited:
        visited.add(place)
        name = place[1] + name
        begins = not name or name[0] in ".["
        place = next((p for p, mark in marks.items() if begins and mark == place[0]), None)  # type: ignore[index]
    return name.lstrip(".") or "something outside of it"
