"""Rewritings: algebra on lines, for speed. Each replaces a formula by an equal one.

Floats may be rounded otherwise. No rewriting knows of a softmax, or of any other function made of
lines. Each docstring shows the calls before, the calls in their place, and why these are faster; `sum`
is np.add.reduce, `X.r` a reshape.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..engine import rules
from ..script.bodies import body_of
from ..script.symbols import Line, Symbol, plain, simplest
from .passes import calls, needed, through

Uses = Counter[int]
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
LONG_ROW = 64  # elements of a row from which a call for each row is worth its while
FEW_RESULTS = 64  # results below which a rewriting saves nothing


class Rewriting(NamedTuple):
    """A rewriting of the table.

    Attributes:
        formula: the equation, which is printed in programs.
        change: returns the symbol that replaces a line, or None; it gets the line, and how often each
            symbol is used, by its id.
        same_bits: whether it changes no bits, but for the sign of a zero.
    """

    formula: str
    change: Callable[[Line, Uses], Any]
    same_bits: bool


REWRITINGS: dict[Any, list[Rewriting]] = {}  # by the function of the line; the first that fits


def rewriting(formula: str, *functions: Any, same_bits: bool = False) -> Callable:
    """Enter the decorated function into the table, for lines that call one of some functions."""

    def enter(change: Callable) -> Callable:
        for function in functions:
            REWRITINGS.setdefault(function, []).append(Rewriting(formula, change, same_bits))
        return change

    return enter


def rewrite(
    lines: list[Line], ends: list[Symbol], exact: bool
) -> tuple[list[Line], list[Symbol], dict[int, str]]:
    """Apply all rewritings, until none fits; with `exact`, only those that change no bits.

    Returns:
        the lines, the symbols that `ends` have become, and for each new line, by its id, the formula of
        its rewriting.
    """
    notes: dict[int, str] = {}
    changed = True
    while changed:
        changed = False
        uses = Counter(id(part) for line in lines for part in line.parts)
        uses.update(map(id, ends))

        def change(line: Line) -> Symbol | None:
            nonlocal changed
            if not isinstance(line.value, np.ndarray) or line.dtype not in FLOATS:
                return None
            for formula, change_of, same_bits in REWRITINGS.get(line.call.function, ()):
                if same_bits or not exact:
                    result = change_of(line, uses)
                    if result is not None:
                        changed = True
                        _note(result, formula, notes)
                        return result
            return None

        lines, ends = through(lines, ends, change)
        lines = needed(lines, ends)  # so that `uses` counts no others
    return lines, ends, notes


def _note(symbol: Symbol, formula: str, notes: dict[int, str]) -> None:
    """Note the formula of a new symbol, and of its new parts."""
    if symbol.role is None and isinstance(symbol, Line):
        notes[id(symbol)] = formula
        for part in symbol.parts:
            _note(part, formula, notes)


# --- sums as products with ones ---------------------------------------------------------------------


@rewriting("sum(-x) = -sum(x)", np.add.reduce, same_bits=True)
def sum_of_negatives(line: Line, uses: Uses) -> Any:
    """`sum(negative(x))` becomes `negative(sum(x))`: fewer numbers get another sign."""
    _, args, options, _ = line.call
    x = _operand(args[0], np.negative, uses)
    return None if x is None else np.negative(simplest(np.add.reduce, [x], options))


@rewriting("sum(a b, -1) = vecdot(a, b)", np.add.reduce)
def sum_of_products(line: Line, uses: Uses) -> Any:
    """`sum(a * b, -1)` becomes `vecdot(a, b)`, for long rows: their products need not be stored."""
    x, axes = _summed(line)
    if x is None or axes != (x.ndim - 1,) or x.value.shape[-1] < LONG_ROW:
        return None
    a, b = _operands(x, np.multiply, uses)
    if a is None or np.shape(plain(a)) != x.value.shape or np.shape(plain(b)) != x.value.shape:
        return None
    return np.reshape(np.vecdot(a, b), line.value.shape)


@rewriting("sum(a b, -1) = sum(a, -1) b", np.add.reduce)
def sum_of_multiples(line: Line, uses: Uses) -> Any:
    """`sum(a * b, -1)` becomes `sum(a, -1) * b`, for one number b in each row: fewer products."""
    x, axes = _summed(line)
    if x is None or axes != (line.ndim - 1,) or uses[id(x)] > 1:
        return None
    a, b = sorted(_both(x, np.multiply), key=lambda part: -np.size(plain(part)))
    if np.shape(plain(a)) != x.value.shape or np.shape(plain(b)) != line.value.shape:
        return None
    if not a.dtype == b.dtype == line.dtype:  # a sum of narrow integers has another dtype
        return None
    return np.multiply(simplest(np.add.reduce, [a], line.call.options), b)


@rewriting("sum(x, -1) = x @ 1", np.add.reduce)
def sum_of_rows(line: Line, uses: Uses) -> Any:
    """`sum(x, -1)` becomes `x @ ones`: on short rows, a sum takes longer for a row than its elements."""
    x, axes = _summed(line)
    if x is None or axes != (x.ndim - 1,) or line.size < FEW_RESULTS:
        return None
    rows = np.reshape(x, (-1, x.value.shape[-1]))
    return np.reshape(np.matmul(rows, ones(x.value.shape[-1], x.dtype)), line.value.shape)


@rewriting("sum(x, 0) = 1 @ x", np.add.reduce)
def sum_of_columns(line: Line, uses: Uses) -> Any:
    """`sum(x, (0, 1))` becomes `ones @ x.r`, with one row for each element of both axes: one product."""
    x, axes = _summed(line)
    if x is None or axes != tuple(range(len(axes))) or len(axes) == x.ndim or x.size < FEW_RESULTS:
        return None
    count = math.prod(x.value.shape[: len(axes)])
    columns = np.reshape(x, (count, -1))
    return np.reshape(np.matmul(ones(count, x.dtype), columns), line.value.shape)


@rewriting("c (x @ 1) = x @ c", np.multiply, np.negative)
def multiple_of_a_sum(line: Line, uses: Uses) -> Any:
    """`c * (x @ ones)` becomes `x @ filled(c)`, as in a mean of rows, or in -sum(x): one call less."""
    x, c = _multiple(line)
    inner = _operand(x, np.reshape, uses)
    product = x if inner is None else inner
    if product is None or product.dtype != line.dtype or uses[id(product)] != 1:
        return None
    product = _with_factor(c, *_both(product, np.matmul))
    return product if inner is None or product is None else np.reshape(product, line.value.shape)


@rewriting("(c x) @ 1 = x @ c", np.matmul)
def sum_of_a_multiple(line: Line, uses: Uses) -> Any:
    """`(c * x) @ ones` becomes `x @ filled(c)`: fewer numbers are multiplied."""
    a, k = _both(line, np.matmul)
    rows = k if is_filled(a) else a
    inner = _operand(rows, np.reshape, uses)
    x, c = _multiple(rows if inner is None else inner)
    if x is None or x.dtype != line.dtype or uses[id(rows if inner is None else inner)] != 1:
        return None
    x = np.reshape(x, rows.value.shape)
    return _with_factor(c, *((a, x) if is_filled(a) else (x, k)))


# --- products that are turned ------------------------------------------------------------------------


@rewriting("(a @ b).mT = b.mT @ a.mT", np.swapaxes)
def product_transposed(line: Line, uses: Uses) -> Any:
    """`swapaxes(a @ b)` becomes `swapaxes(b) @ swapaxes(a)`: the rows of the result lie one after the
    other in memory."""
    x, *axes = line.call.args
    a, b = _operands(x, np.matmul, uses) if isinstance(x, Symbol) else (None, None)
    if not isinstance(a, Symbol) or not isinstance(b, Symbol) or min(a.ndim, b.ndim) < 2:
        return None
    if {axis % x.ndim for axis in axes} != {x.ndim - 1, x.ndim - 2}:
        return None
    return np.matmul(np.swapaxes(b, -1, -2), np.swapaxes(a, -1, -2))


# --- signs, quotients, sums of equal terms ---------------------------------------------------------


@rewriting("a + -b = a - b", np.add, same_bits=True)
def plus_a_negative(line: Line, uses: Uses) -> Any:
    """`a + negative(b)` becomes `a - b`: nothing gets another sign."""
    a, b = _both(line, np.add)
    for x, negative in (a, b), (b, a):
        y = _operand(negative, np.negative, uses)
        if y is not None:
            return np.subtract(x, y)
    return None


@rewriting("a / b = a (1 / b)", np.divide)
def quotient(line: Line, uses: Uses) -> Any:
    """`a / b` becomes `a * (1 / b)`, if b has fewer numbers than a: fewer are divided."""
    a, b = _both(line, np.divide)
    if a is None or line.size < FEW_RESULTS or not isinstance(a, Symbol) or a.dtype != line.dtype:
        return None
    if type(b) in (int, float):
        return np.multiply(a, 1 / b) if b and is_normal(1 / b, line.dtype) else None
    if isinstance(b, Symbol) and b.dtype == line.dtype and 4 * b.size <= line.size:
        return np.multiply(a, np.divide(1, b))
    return None


@rewriting("(-a) b = -(a b)", np.multiply, same_bits=True)
def product_with_a_negative(line: Line, uses: Uses) -> Any:
    """`negative(a) * b` becomes `negative(a * b)`: a sum of it can have the sign then."""
    a, b = _both(line, np.multiply)
    if not isinstance(a, Symbol) or not isinstance(b, Symbol):
        return None
    x, y = _operand(a, np.negative, uses), _operand(b, np.negative, uses)
    if x is not None:
        return np.negative(np.multiply(x, b))
    return np.negative(np.multiply(a, y)) if y is not None else None


@rewriting("a / (c b) = (a / b) (1 / c)", np.divide)
def quotient_of_a_multiple(line: Line, uses: Uses) -> Any:
    """`a / (c * b)` becomes `(a / b) * (1 / c)`: a number after it can be multiplied by 1 / c."""
    a, b = _both(line, np.divide)
    x, c = _multiple(b)
    if x is None or uses[id(b)] != 1 or b.size != line.size or x.dtype != line.dtype:
        return None
    return np.multiply(np.divide(a, x), 1 / c) if c and is_normal(1 / c, line.dtype) else None


@rewriting("(a c) d = a (c d)", np.multiply, np.negative)
def multiple_of_a_multiple(line: Line, uses: Uses) -> Any:
    """`(a * c) * d` becomes `a * e`, for numbers c and d, and e = c d: one product less."""
    x, d = _multiple(line)
    a, c = _multiple(x) if isinstance(x, Symbol) and uses[id(x)] == 1 else (None, None)
    if a is None or x.dtype != line.dtype or not is_normal(c * d, line.dtype):
        return None
    return np.multiply(a, c * d)


@rewriting("a + b c + b c = a + (2 b) c", np.add)
def twice_a_product(line: Line, uses: Uses) -> Any:
    """`(a + p) + p`, with p = b * c, becomes `a + (b * 2) * c`, if b has fewer numbers: one sum less."""
    s, p = _both(line, np.add)
    if s is None or not isinstance(p, Symbol) or uses[id(p)] != 2:
        return None
    b, c = (_spread(x) for x in _both(p, np.multiply))
    if not isinstance(b, Symbol) or not isinstance(c, Symbol):
        return None
    if 4 * b.size > p.size:
        b, c = c, b
    if 4 * b.size > p.size or c.value.shape != p.value.shape:
        return None
    if s is p:
        return np.multiply(np.multiply(b, 2), c)
    x, y = _operands(s, np.add, uses)
    if y is p:
        return np.add(x, np.multiply(np.multiply(b, 2), c))
    return None


# --- the same numbers, by what NumPy is faster at ---------------------------------------------------


@rewriting("where(c, x, 0) = where(~c, 0, x)", np.where, same_bits=True)
def chosen_last(line: Line, uses: Uses) -> Any:
    """`where(c, x, 0)` becomes `where(invert(c), 0, x)`: the result can be written over x."""
    c, a, b = line.call.args
    if not line.ndim:  # both are numbers
        return None
    if isinstance(a, Symbol) and a.value.shape == line.value.shape and np.ndim(plain(b)) == 0:
        return np.where(np.invert(c), b, a) if getattr(c, "dtype", None) == np.dtype(bool) else None
    return None


@rewriting("x mask = x float(mask)", np.multiply, same_bits=True)
def factor_of_booleans(line: Line, uses: Uses) -> Any:
    """`x * mask` becomes `x * mask.astype(float)`: the product converts in twice the time."""
    a, b = _both(line, np.multiply)
    if not isinstance(a, Symbol) or not isinstance(b, Symbol):
        return None
    if a.dtype == line.dtype and b.dtype == bool:
        return np.multiply(a, b.astype(line.dtype))
    return np.multiply(a.astype(line.dtype), b) if a.dtype == bool else None


@rewriting("max(x, -1) = maximum.reduceat(x, starts)", np.maximum.reduce, same_bits=True)
def maximum_of_rows(line: Line, uses: Uses) -> Any:
    """`maximum.reduce(x, -1)` becomes `maximum.reduceat(x.r, starts)`: short rows take half the time."""
    _, args, options, _ = line.call
    if not args[0].ndim or not args[0].value.flags.c_contiguous:
        return None
    x, n = args[0], args[0].value.shape[-1]
    if options.get("axis") not in (-1, x.ndim - 1) or not 1 < n < LONG_ROW:
        return None
    flat = np.reshape(x, (x.size,))
    top = simplest(np.maximum.reduceat, [flat, starts(x.size, n)], {})
    return np.reshape(top, line.value.shape)


@rewriting("maximum(x, 0) = maximum(x, zeros)", np.maximum, same_bits=True)
def above_a_row(line: Line, uses: Uses) -> Any:
    """`maximum(x, 0)` becomes `maximum(x, zeros)`: NumPy compares two arrays in half the time."""
    x, bound = _both(line, np.maximum)
    if x is None or not isinstance(x, Symbol) or type(bound) not in (int, float) or not x.ndim:
        return None
    return np.maximum(x, np.full(x.value.shape[-1:], bound, line.dtype))


@rewriting("scatter_add(rows, ids) = one_hot(ids) @ rows", body_of(rules.scatter_add))
def rows_added(line: Line, uses: Uses) -> Any:
    """`scatter_add(rows, ids)` becomes `one_hot(ids) @ rows`, for a table of few rows: one product."""
    values, ids, shape = line.call.args
    whole = getattr(ids, "dtype", None) is not None and ids.dtype.kind in "iu"
    if not whole or len(shape) != 2 or not line.size:
        return None
    N, n = shape[0], math.prod(np.shape(plain(ids)))
    if N > 128 or shape[1] < 16 or N * n > 1 << 20:
        return None
    named = np.equal(np.arange(N)[:, None], np.reshape(ids, (1, n)))
    return np.matmul(named.astype(line.dtype), np.reshape(values, (n, shape[1])))


# --- the parts of a line ----------------------------------------------------------------------------


def _both(line: Any, function: Callable) -> tuple[Any, Any]:
    """The operands of a line, if it is a call of that function."""
    return line.call.args[:2] if calls(line, function) else (None, None)


def _operands(x: Symbol, function: Callable, uses: Uses) -> tuple[Any, Any]:
    """The operands of a symbol that is used once, if it is a call of that function."""
    return _both(x, function) if uses[id(x)] == 1 else (None, None)


def _operand(x: Any, function: Callable, uses: Uses) -> Any:
    """The only operand of a symbol that is used once, if it is a call of that function."""
    return x.call.args[0] if calls(x, function) and uses[id(x)] == 1 else None


def _summed(line: Line) -> tuple[Any, tuple[int, ...]]:
    """The symbol that a line sums, if its rows lie one after the other, and the axes; else None."""
    _, args, options, _ = line.call
    if len(args) != 1:
        return None, ()
    x, axis = args[0], options.get("axis")
    fits = x.dtype == line.dtype and x.ndim > 1 and x.size and x.value.flags.c_contiguous
    if not fits or axis is None:
        return None, ()
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    return x, tuple(sorted(i % x.ndim for i in axes))


def _multiple(line: Any) -> tuple[Any, Any]:
    """A symbol and a number, if a line is their product; else None and None."""
    if calls(line, np.negative):
        return line.call.args[0], -1
    a, b = _both(line, np.multiply)
    a, b = (b, a) if type(a) in (int, float) else (a, b)
    return (a, b) if isinstance(a, Symbol) and type(b) in (int, float) else (None, None)


def _spread(x: Any) -> Any:
    """The symbol that a symbol repeats by broadcasting; else the symbol itself."""
    return x.call.args[0] if calls(x, np.broadcast_to) else x


# --- numbers, and constants of one axis ---------------------------------------------------------------


def _with_factor(c: float, a: Any, b: Any) -> Any:
    """c (a @ b), if one of them is a constant with one number everywhere."""
    if is_filled(b):
        return np.matmul(a, filled(b.size, c * b.item(0), b.dtype))
    return np.matmul(filled(a.size, c * a.item(0), a.dtype), b) if is_filled(a) else None


def is_normal(number: float, dtype: Any) -> bool:
    """Tell whether a dtype has a number to its full precision."""
    info = np.finfo(dtype)
    return number != 0 and float(info.tiny) <= abs(number) <= float(info.max)


def ones(count: int, dtype: np.dtype) -> np.ndarray:
    return filled(count, 1, dtype)


@functools.lru_cache(maxsize=256)
def filled(count: int, value: float, dtype: np.dtype) -> np.ndarray:
    return np.full(count, value, dtype)


def is_filled(a: object) -> bool:
    """Tell whether `a` is a constant of one axis, with one number everywhere."""
    return isinstance(a, np.ndarray) and a.ndim == 1 and a.size > 0 and bool((a == a[0]).all())


@functools.lru_cache(maxsize=256)
def starts(size: int, step: int) -> np.ndarray:
    """The places where the rows of an array begin: 0, step, 2 step ..."""
    return np.arange(0, size, step)
