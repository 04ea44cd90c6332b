"""A warning for a function that reads something outside that is different at each call."""

from __future__ import annotations

import warnings
from typing import Any

from .keys import Key
from .outside import Outside

MANY = 8  # calls in a row with something different outside, before the warning


class Changing:
    """The calls without a program that differ from the call before only outside of the arguments.

    Attributes:
        name: the name of the object that is different at each call, such as `model.count`; "" until one
            is found.
    """

    def __init__(self, called: str, outside: Outside):
        self.name = ""
        self._called, self._outside = called, outside
        self._calls = 0
        self._before: Key | None = None
        self._marks: dict[tuple[int, str], Any] = {}

    def note(self, key: Key) -> None:
        """Note a call for which there is no program; warn after many of them, once."""
        before, self._before = self._before or key, key
        alone = key != before == key._replace(outside=before.outside)
        self._calls = self._calls + 1 if alone else 1
        if self._calls == MANY - 1:
            self._marks = self._now()
        elif self._calls == MANY and not self.name:
            now = self._now()
            others = (place for place, mark in now.items() if self._marks.get(place, mark) != mark)
            self.name = _name(next(others, None), now)
            warnings.warn(
                f"{self._called} runs without a program: {self.name} was different at each of the last "
                f"{MANY} calls, and each would need a program of its own. Do not change it in each "
                f"call, or give it as an array among the arguments",
                stacklevel=3,  # the line that calls the compiled function
            )

    def _now(self) -> dict[tuple[int, str], Any]:
        return {(id(a), name): mark for a, name, mark in self._outside.named()}


def _name(place: tuple[int, str] | None, marks: dict[tuple[int, str], Any]) -> str:
    """The name of a place, such as `model.count`: after the name of the object that it is in."""
    name = ""
    passed: set[Any] = set()
    while place is not None and place not in passed:
        passed.add(place)
        name = place[1] + name
        begins = not name or name[0] in ".["
        place = next((p for p, mark in marks.items() if begins and mark == place[0]), None)  # type: ignore[index]
    return name.lstrip(".") or "something outside of it"
