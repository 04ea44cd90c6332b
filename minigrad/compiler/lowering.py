"""Lines lowered: single calls of NumPy's functions, each made once, and only if it is needed.

The call of a line becomes the one that NumPy itself ends in: `a * b` becomes `np.multiply(a, b)`, and
`np.sum(a, axis)` becomes `np.add.reduce(a, axis)`. Such a call has the same bits, and can write its
result into an array that is there.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine import rules
from ..engine.names import is_numpys
from ..script.arrays import form
from ..script.bodies import body_of
from ..script.operators import BY_FUNCTION
from ..script.roles import Role
from ..script.symbols import Line, Symbol, SymbolCall, alias, traced
from .passes import needed, through

REDUCTIONS = {
    np.sum: np.add.reduce, np.prod: np.multiply.reduce, np.max: np.maximum.reduce,
    np.amax: np.maximum.reduce, np.min: np.minimum.reduce, np.amin: np.minimum.reduce,
}  # fmt: skip
IDLE = {np.reshape, np.broadcast_to, np.expand_dims, np.positive, body_of(rules.astype)}
OF_SHAPE = {np.zeros_like, np.ones_like}  # whatever the numbers are
# Up to here every integer is a float.
LARGEST_INTEGER = {np.dtype(np.float32): 1 << 24, np.dtype(np.float64): 1 << 53}


def lowered(
    lines: Sequence[Line], ends: Sequence[Symbol], varying: Sequence[Symbol]
) -> tuple[list[Line], list[Symbol]]:
    """The lines that compute `ends`, each a single call, and the symbols that `ends` have become.

    Args:
        varying: the symbols without a call whose arrays differ from run to run.
    """
    return once(*through(*through(lines, ends, _opened), _single), varying)


def once(
    lines: Sequence[Line], ends: Sequence[Symbol], varying: Sequence[Symbol]
) -> tuple[list[Line], list[Symbol]]:
    """The lines without superfluous ones, and the symbols that `ends` have become.

    A line is superfluous if a line before it computes the same, if it is the same in all runs, or if no
    end needs it.
    """
    vary = {id(symbol) for symbol in varying}
    first: dict[Any, Line] = {}  # of equal lines

    def change(line: Line) -> Symbol:
        parts = line.parts
        if not varies(line, vary):
            return Symbol(line.value, role=Role("constant", line.role and line.role.node))
        if line.call.function in IDLE and form(parts[0].value) == form(line.value):
            return parts[0]
        vary.add(id(line))
        return first.setdefault(_key(line), line)

    lines, ends = through(lines, ends, change)
    return needed(lines, ends), ends


def varies(line: Line, vary: set[int]) -> bool:
    """Tell whether a line differs from run to run; `vary` has the ids of the symbols that do."""
    return line.call.function not in OF_SHAPE and any(id(part) in vary for part in line.parts)


# --- one call ---------------------------------------------------------------------------------------


def _opened(line: Line) -> Symbol | None:
    """The calls that make a call of a function that is not NumPy's; None if it cannot be traced."""
    function, args, options, _ = line.call
    if function is alias:
        return args[0]
    if function in BY_FUNCTION or function is operator.getitem or is_numpys(function):
        return None
    body = body_of(function)
    opened = traced(body, args, options)
    if not isinstance(opened, Line) or opened.call.function is body:
        return None
    return opened if form(opened.value) == form(line.value) else None


def _single(line: Line) -> Line:
    """The line with the call that NumPy itself ends in."""
    function, args, options, _ = line.call
    if function in BY_FUNCTION and function is not operator.pow:  # x ** 2 calls np.square
        return _like(line, BY_FUNCTION[function].ufunc, args, options)
    if function in REDUCTIONS:
        return _reduction(line, REDUCTIONS[function], *args, **options)
    if function is body_of(rules.astype):
        return Line(line.value, SymbolCall(function, args[:2], {}, "astype"), line.role)
    if function is np.mean:
        return _mean(line, *args, **options)
    if function is np.reshape and "A" in (*args[2:], *options.values()):  # as the array lies now
        order = "F" if args[0].value.flags.fnc else "C"
        return _like(line, function, args[:2], {"order": order})
    return line


def _like(line: Line, function: Any, args: tuple, options: dict[str, Any]) -> Line:
    return Line(line.value, SymbolCall(function, args, options), line.role)


def _reduction(
    line: Line, reduce: Any, a: Any, axis: Any = None, dtype=None, out=None, keepdims=False
) -> Line:
    options = {"axis": axis} | ({"keepdims": True} if keepdims else {})
    if dtype is not None or not isinstance(line.value, (np.ndarray, np.generic)):
        return line
    return _like(line, reduce, (a,), options)


def _mean(line: Line, a: Any, axis: Any = None, dtype=None, out=None, keepdims=False) -> Line:
    """A sum and a quotient, where these have the bits of NumPy's mean."""
    count = np.size(a.value) // max(np.size(line.value), 1)
    if dtype is not None or not 0 < count <= LARGEST_INTEGER.get(a.dtype, 0):
        return line
    total = np.add.reduce(a.value, axis=axis, keepdims=keepdims)
    sums = _reduction(Line(total, line.call), np.add.reduce, a, axis, keepdims=keepdims)
    return _like(line, np.divide, (sums, count), {})


def _key(line: Line) -> Any:
    """The key of a line: equal calls have equal keys."""
    return line.call.function, _key_of(line.call.args), _key_of(line.call.options)


def _key_of(a: Any) -> Any:
    if isinstance(a, (Symbol, np.ndarray)):
        return id(a)
    if isinstance(a, (list, tuple)):
        return (type(a), *map(_key_of, a))
    if isinstance(a, dict):
        return tuple((k, _key_of(v)) for k, v in a.items())
    return type(a), repr(a)
