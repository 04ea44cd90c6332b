"""A pass over lines: each is looked at once, in order, and another symbol may take its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..script.roles import Role
from ..script.symbols import Symbol, SymbolCall, plain, replaced

Change = Callable[[Symbol], "Symbol | None"]


def through(
    lines: Sequence[Symbol], ends: Sequence[Symbol], change: Change
) -> tuple[list[Symbol], list[Symbol]]:
    """Go through lines in order, and replace each by the result of `change`.

    `change` gets a line whose arguments have been replaced already. It returns another symbol, whose own
    parts become lines before it, or None for the line itself. A line that stays is the same symbol.
    """
    now: dict[int, Symbol] = {}
    before: dict[int, Any] = {}  # the arrays of those that have another one now
    new: dict[int, Symbol] = {}  # the lines, by their ids
    current: Callable[[Symbol], Symbol] = lambda symbol: now.get(id(symbol), symbol)
    place: Any = Role("part")
    roles = []
    for line in reversed(lines):  # the parts of a line stand before it
        place = line.role or Role("part", place.node, edge=place.edge)
        roles.append(place)
    for line, role in zip(lines, reversed(roles)):
        old, line.role = line.value, role
        function, args, options, _ = line.call  # type: ignore[misc]
        call = SymbolCall(function, replaced(args, current), replaced(options, current))
        line.value, line.call = _value(line, call, before), call
        result = change(line)
        result = line if result is None else result
        _write(result, role, new)
        if result is not line:
            now[id(line)] = result
        if result.value is not old:
            before[id(line)] = old
    return [*new.values()], list(map(current, ends))


def _write(symbol: Symbol, role: Role, new: dict[int, Symbol]) -> None:
    """Put a symbol among the lines, after its parts."""
    if symbol.call is None or id(symbol) in new:
        return
    for part in symbol.parts:
        _write(part, part.role or Role("part", role.node, edge=role.edge), new)
    symbol.role = role if symbol.role is None else symbol.role
    new[id(symbol)] = symbol


def _value(line: Symbol, call: SymbolCall, before: dict[int, Any]) -> Any:
    """The array of a line. A view, or what may be one, is made of the array its argument has now.

    A number of NumPy's becomes an array without axes, which can have views.
    """
    value, may_be_view = line.value, call.function is np.reshape
    old = [before[id(part)] for part in line.parts if id(part) in before]
    if any(may_be_view or isinstance(a, np.generic) or shares(a, value) for a in old):
        value = call.function(*plain(list(call.args)), **plain(call.options))
    return np.asarray(value) if isinstance(value, np.generic) else value


def needed(lines: Sequence[Symbol], ends: Sequence[Symbol]) -> list[Symbol]:
    """The lines that `ends` are computed by."""
    wanted = {id(end) for end in ends}
    kept = []
    for line in reversed(lines):
        if id(line) in wanted:
            wanted.update(map(id, line.parts))
            kept.append(line)
    return kept[::-1]


def by_rows(call: SymbolCall) -> bool:
    """Tell whether a reshape goes through its elements row after row, the usual order."""
    return len(call.args) < 3 and "order" not in call.options


def shares(a: Any, b: Any) -> bool:
    """Tell whether two values are arrays in the same memory."""
    both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    return both and np.may_share_memory(a, b)
