"""Lines lowered: single calls of NumPy's functions, each computed once, and only those that are needed.

A line is a symbol, as in a script. Here its call becomes the one that NumPy itself ends in: `a * b` is
`np.multiply(a, b)`, and `np.sum(a, axis)` is `np.add.reduce(a, axis)`. So each can write its result
into a given array, and has the bits that it had.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine import rules
from ..engine.names import name_of
from ..script.operators import BY_FUNCTION
from ..script.symbols import Role, Symbol, SymbolCall, alias, body_of, form, plain, replaced, traced

Change = Callable[[Symbol], "Symbol | None"]

REDUCTIONS = {
    np.sum: np.add.reduce, np.prod: np.multiply.reduce, np.max: np.maximum.reduce,
    np.amax: np.maximum.reduce, np.min: np.minimum.reduce, np.amin: np.minimum.reduce,
}  # fmt: skip
IDLE = {np.reshape, np.broadcast_to, np.expand_dims, np.positive, body_of(rules.astype)}
OF_SHAPE = {np.zeros_like, np.ones_like}  # whatever the numbers are
EXACT = {np.dtype(np.float32): 1 << 24, np.dtype(np.float64): 1 << 53}  # integers up to here


def lowered(
    lines: Sequence[Symbol], ends: Sequence[Symbol], varying: Sequence[Symbol]
) -> tuple[list[Symbol], list[Symbol]]:
    """The calls that compute `ends`, each a single one, and what these have become.

    Args:
        varying: the symbols without a call whose arrays differ from run to run.
    """
    return once(*through(*through(lines, ends, _opened), _single), varying)


def once(
    lines: Sequence[Symbol], ends: Sequence[Symbol], varying: Sequence[Symbol]
) -> tuple[list[Symbol], list[Symbol]]:
    """The lines that are left, and what `ends` have become, once superfluous lines are left out.

    These are lines that compute what another one does, or what no run changes, or what nothing needs.
    """
    vary = {id(symbol) for symbol in varying}
    known: dict[Any, Symbol] = {}

    def change(line: Symbol) -> Symbol:
        assert line.call is not None
        parts = line.parts
        if not varies(line, vary):
            return Symbol(line.value, role=Role("constant", line.role and line.role.node))
        if line.call.function in IDLE and form(parts[0].value) == form(line.value):
            return parts[0]
        found = known.setdefault(_key(line), line)
        vary.add(id(found))
        return found

    lines, ends = through(lines, ends, change)
    return needed(lines, ends), ends


def varies(line: Symbol, vary: set[int]) -> bool:
    """Tell whether the numbers of a line differ from run to run, if those of `vary` do; by id."""
    assert line.call is not None
    return line.call.function not in OF_SHAPE and any(id(part) in vary for part in line.parts)


def through(
    lines: Sequence[Symbol], ends: Sequence[Symbol], change: Change
) -> tuple[list[Symbol], list[Symbol]]:
    """Go through lines in order, and put in the place of each what `change` makes of it.

    `change` gets a line whose arguments are what became of them. It returns another symbol, whose own
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
    """The array of a line; of a view, or what can be one, that of the array its argument has now.

    A number of NumPy's becomes an array without axes, which can have views.
    """
    value, may_be_view = line.value, call.function is np.reshape
    old = [before[id(part)] for part in line.parts if id(part) in before]
    if any(may_be_view or isinstance(a, np.generic) or shares(a, value) for a in old):
        value = call.function(*plain(list(call.args)), **plain(call.options))
    return np.asarray(value) if isinstance(value, np.generic) else value


def shares(a: Any, b: Any) -> bool:
    """Tell whether two values are arrays in the same memory."""
    both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    return both and np.may_share_memory(a, b)


def needed(lines: Sequence[Symbol], ends: Sequence[Symbol]) -> list[Symbol]:
    """The lines that `ends` are computed by."""
    wanted = {id(end) for end in ends}
    kept = []
    for line in reversed(lines):
        if id(line) in wanted:
            wanted.update(map(id, line.parts))
            kept.append(line)
    return kept[::-1]


# --- one call ---------------------------------------------------------------------------------------


def _opened(line: Symbol) -> Symbol | None:
    """A function that is not NumPy's, as the calls that it is made of, if it can be followed."""
    assert line.call is not None
    function, args, options, _ = line.call
    if function is alias:
        return args[0]
    if function in BY_FUNCTION or function is operator.getitem or numpys(function):
        return None
    followed = traced(body_of(function), args, options)
    own = isinstance(followed, Symbol) and followed.call and followed.call.function
    if not own or own is body_of(function) or form(followed.value) != form(line.value):
        return None
    return followed


def numpys(function: Any) -> bool:
    return name_of(function).startswith("np.")


def _single(line: Symbol) -> Symbol:
    """The same call, as the one that NumPy ends in."""
    assert line.call is not None
    function, args, options, _ = line.call
    if function in BY_FUNCTION and function is not operator.pow:  # x ** 2 calls np.square
        return _like(line, BY_FUNCTION[function].ufunc, args, options)
    if function in REDUCTIONS:
        return _reduction(line, REDUCTIONS[function], *args, **options)
    if function is body_of(rules.astype):
        return Symbol(line.value, SymbolCall(function, args[:2], {}, "astype"), line.role)
    if function is np.mean:
        return _mean(line, *args, **options)
    return line


def _like(line: Symbol, function: Any, args: tuple, options: dict[str, Any]) -> Symbol:
    return Symbol(line.value, SymbolCall(function, args, options), line.role)


def _reduction(
    line: Symbol, reduce: Any, a: Any, axis: Any = None, dtype=None, out=None, keepdims=False
) -> Symbol:
    options = {"axis": axis} | ({"keepdims": True} if keepdims else {})
    if dtype is not None or not isinstance(line.value, (np.ndarray, np.generic)):
        return line
    return _like(line, reduce, (a,), options)


def _mean(line: Symbol, a: Any, axis: Any = None, dtype=None, out=None, keepdims=False) -> Symbol:
    """A sum and a quotient, where these have the bits of NumPy's mean."""
    count = np.size(a.value) // max(np.size(line.value), 1)
    if dtype is not None or not 0 < count <= EXACT.get(a.dtype, 0):
        return line
    total = np.add.reduce(a.value, axis=axis, keepdims=keepdims)
    sums = _reduction(Symbol(total, line.call), np.add.reduce, a, axis, keepdims=keepdims)
    return _like(line, np.divide, (sums, count), {})


def _key(line: Symbol) -> Any:
    """Return what equal calls have in common."""
    assert line.call is not None
    return line.call.function, _known_by(line.call.args), _known_by(line.call.options)


def _known_by(a: Any) -> Any:
    if isinstance(a, (Symbol, np.ndarray)):
        return id(a)
    if isinstance(a, (list, tuple)):
        return (type(a), *map(_known_by, a))
    if isinstance(a, dict):
        return tuple((k, _known_by(v)) for k, v in a.items())
    return type(a), repr(a)
