"""A pass over lines: each is looked at once, in order, and a new symbol may replace it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import numpy as np

from ..script.roles import Role
from ..script.symbols import Line, Symbol, SymbolCall, plain, replaced

Change = Callable[[Line], "Symbol | None"]


def through(
    lines: Sequence[Line], ends: Sequence[Symbol], change: Change
) -> tuple[list[Line], list[Symbol]]:
    """Replace each line, in order, by the symbol that `change` returns for it.

    `change` gets a line whose arguments are replaced already, and returns None to keep it. The parts of
    a new symbol become lines before it. A line that is kept is the same object: its call, its array and
    its role are set anew.

    Returns:
        the new lines, and the symbols that `ends` have become.
    """
    replacement: dict[int, Symbol] = {}  # of each line that is not kept, by its id
    old_array: dict[int, Any] = {}  # of each line that has another array now, by its id
    new_lines: dict[int, Line] = {}  # by their ids
    current: Callable[[Symbol], Symbol] = lambda symbol: replacement.get(id(symbol), symbol)
    for line, role in zip(lines, _roles(lines)):
        function, args, options, _ = line.call
        call = SymbolCall(function, replaced(args, current), replaced(options, current))
        old = line.value
        line.value, line.call, line.role = _value(line, call, old_array), call, role
        result = change(line)
        result = line if result is None else result
        _add(result, role, new_lines)
        if result is not line:
            replacement[id(line)] = result
        if result.value is not old:
            old_array[id(line)] = old
    return [*new_lines.values()], list(map(current, ends))


def _roles(lines: Sequence[Line]) -> list[Role]:
    """The role of each line. One without a role is a part of the line after it."""
    roles = []
    role = Role("part")
    for line in reversed(lines):
        role = line.role or _of_part(role)
        roles.append(role)
    return roles[::-1]


def _of_part(role: Role) -> Role:
    """The role of a part of a symbol that has this role."""
    return Role("part", role.node, edge=role.edge)


def _add(symbol: Symbol, role: Role, lines: dict[int, Line]) -> None:
    """Add a symbol to the lines, after its parts, unless it is there or is held."""
    if not isinstance(symbol, Line) or id(symbol) in lines:
        return
    for part in symbol.parts:
        _add(part, part.role or _of_part(role), lines)
    symbol.role = symbol.role or role
    lines[id(symbol)] = symbol


def _value(line: Line, call: SymbolCall, old_array: dict[int, Any]) -> Any:
    """The array of a line with a new call. If it may be a view of a part that has another array now,
    it is computed again.

    A number of NumPy's becomes an array without axes, which can have views.
    """
    value, may_be_view = line.value, call.function is np.reshape
    old = [old_array[id(part)] for part in line.parts if id(part) in old_array]
    if any(may_be_view or isinstance(a, np.generic) or shares(a, value) for a in old):
        value = call.function(*plain(list(call.args)), **plain(call.options))
    return np.asarray(value) if isinstance(value, np.generic) else value


def needed(lines: Sequence[Line], ends: Sequence[Symbol]) -> list[Line]:
    """The lines that `ends` are computed by."""
    ids = {id(end) for end in ends}
    backwards = []
    for line in reversed(lines):
        if id(line) in ids:
            ids.update(map(id, line.parts))
            backwards.append(line)
    return backwards[::-1]


def calls(a: object, function: Callable) -> TypeGuard[Line]:
    """Tell whether this is a line that calls that function."""
    return isinstance(a, Line) and a.call.function is function


def by_rows(call: SymbolCall) -> bool:
    """Tell whether a reshape goes through its elements row after row, the usual order."""
    return len(call.args) < 3 and "order" not in call.options


def shares(a: Any, b: Any) -> bool:
    """Tell whether two values are arrays in the same memory."""
    both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    return both and np.may_share_memory(a, b)
