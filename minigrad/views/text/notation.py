"""Symbols as code: a call folded into an expression, with the signs and brackets that it needs."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...engine.names import is_numpys, name_of
from ...ran import words
from ...script.operators import BY_FUNCTION, SIGN, TIGHT
from ...script.symbols import Symbol, SymbolCall, alias, simplest
from .literals import LITERALS


class Notation:
    """Writes symbols, and what they are called with, as code.

    What is no part of an expression is written as the views that use it need it: `name`, `array` and
    `function` say how. A vector that was made a matrix, to be multiplied, is written as a vector.

    Attributes:
        exact: whether that has to give the same bits. `np.outer` does not where a matrix product, which
            adds to 0, makes -0.0 an ordinary 0.
        axes: whether to write new axes of size 1, which matter to code alone.
    """

    exact = False
    axes = True

    def text(self, value: Any, needed: int | None) -> str:
        """The expression for `value`; in brackets where it binds less tightly than is needed."""
        if not isinstance(value, Symbol):
            return self.literal(value, needed)
        return self.name(value) or bracketed(*self.expression(value), needed)

    def expression(self, symbol: Symbol) -> tuple[str, int]:
        """The call that gave a symbol, as code, and how tightly that binds."""
        simple = self._as_vectors(symbol)
        if self.exact and simple is not symbol and simple.value.tobytes() != symbol.value.tobytes():
            simple = symbol
        assert simple.call is not None
        if simple.call.function is np.expand_dims:
            of, axis = simple.call.args
            if self.axes:
                return self.text(of, TIGHT) + _new_axes(simple.value.ndim, axis), TIGHT
            return (self.name(of), TIGHT) if self.name(of) else self.expression(of)
        parts, binds = pieces(simple.call)
        return "".join(p if isinstance(p, str) else self.text(*p) for p in parts), binds

    def name(self, symbol: Symbol) -> str:
        """The name of a symbol; "" for one that is written as the call that gave it."""
        return ""

    def array(self, array: np.ndarray) -> str:
        """The text of an array that is no symbol."""
        return words.literal(array)

    def function(self, function: Any) -> str:
        """The name of a function that is not NumPy's."""
        return name_of(function)

    def literal(self, value: Any, needed: int | None) -> str:
        """A number, a setting or an index as code; `needed` is None between the brackets of x[...]."""
        write = next(write for types, write in LITERALS.items() if isinstance(value, types))
        return write(self, value, needed)

    def call(self, symbol: Any) -> SymbolCall | None:
        """The call that a symbol is written as; None for what has a name."""
        return None if not isinstance(symbol, Symbol) or self.name(symbol) else symbol.call

    # Products of vectors: the rules make matrices of these, and a person does not

    def _as_vectors(self, value: Any) -> Any:
        """A product in which a vector was made a matrix, written with the vector itself."""
        call = self.call(value)
        if call is not None and call.function in PRODUCTS:
            column, row = self._vector(call.args[0], -1), self._vector(call.args[1], -2)
            if column is not None and row is not None:
                return simplest(np.outer, [column, row], {})
        if call is not None and call.function is operator.getitem:
            product = self._part_of_product(*call.args)
            return value if product is None else product
        return value

    def _part_of_product(self, value: Any, index: Any) -> Any:
        """The product of which the only row or column is taken, with a vector; None for any other.

        `(u[None, :] @ b)[..., 0, :]` is `u @ b`, and `(a @ v[:, None])[..., 0]` is `a @ v`.
        """
        product = self.call(value)
        if product is None or product.function not in PRODUCTS:
            return None
        left, right = product.args
        if index == (Ellipsis, 0, slice(None)):
            u = self._vector(left, -2)
            return None if u is None else _product(u, self._number(u, right, -2))
        if index == (Ellipsis, 0):
            v = self._vector(right, -1)
            return None if v is None else _product(self._number(v, left, -1), v)
        return None

    def _number(self, one: Symbol, other: Any, axis: int) -> Any:
        """The other operand of a product; if the one is a number, as a number too, if it is one."""
        vector = self._vector(other, axis) if one.ndim == 0 else None
        return other if vector is None else vector

    def _vector(self, value: Any, axis: int) -> Symbol | None:
        """The vector, or number, that was made a matrix by a new axis -1 (a column) or -2 (a row)."""
        call = self.call(value)
        if call is None or value.value.ndim != 2:
            return None
        function, (source, *more) = call.function, call.args
        if function is np.swapaxes:
            return self._vector(source, -3 - axis)
        if value.value.shape[axis] != 1 or not isinstance(source, Symbol) or source.value.ndim > 1:
            return None
        if function is np.expand_dims:
            axes = more[0] if isinstance(more[0], tuple) else (more[0],)
            return source if source.value.ndim == 0 or axis in axes else None
        if function is operator.getitem:
            column = more[0] == (slice(None), None)
            return source if column == (axis == -1) and None in more[0] else None
        return None


Piece = str | tuple[Any, int | None]  # text, or an operand and how tightly it must bind


def pieces(call: SymbolCall) -> tuple[list[Piece], int]:
    """The text of a call in pieces, with its operands between them, and how tightly the whole binds."""
    function, args, options, method = call
    sign = BY_FUNCTION.get(function)
    if method:
        return [(args[0], TIGHT), f".{method}", *_arguments(args[1:], options)], TIGHT
    if sign is not None and function is not np.power:  # which rounds otherwise than `**`
        if sign.unary:
            return [sign.sign, (args[0], SIGN)], SIGN
        left, right = sign.needed
        return [(args[0], left), f" {sign.sign} ", (args[1], right)], sign.binds
    if function is alias:
        return [(args[0], TIGHT)], TIGHT
    if function is operator.getitem:
        return [(args[0], TIGHT), "[", (args[1], None), "]"], TIGHT
    if function is np.transpose and len(args) == 1 and not options:
        return [(args[0], TIGHT), ".T"], TIGHT
    if function is np.swapaxes and set(args[1:]) == {-1, -2}:
        return [(args[0], TIGHT), ".T" if args[0].ndim == 2 else ".mT"], TIGHT
    called: Piece = name_of(function) if is_numpys(function) else (function, TIGHT)
    return [called, *_arguments(args, options)], TIGHT


def needs_arrays(call: SymbolCall) -> bool:
    """Tell whether an operand without dimensions must be an array here, and no number: a power rounds
    otherwise, and a function may ask for a shape."""
    function = call.function
    if function in BY_FUNCTION or call.method:
        return function is operator.pow
    return function not in (operator.getitem, alias) and not is_numpys(function)


def _arguments(args: tuple, options: dict[str, Any]) -> list[Piece]:
    """`(a, b, axis=0)`, in pieces."""
    between: list[Piece] = []
    for a in args:
        between += [", ", (a, 0)]
    for key, value in options.items():
        between += [f", {key}=", (value, 0)]
    if between:
        between[0] = str(between[0])[2:]
    return ["(", *between, ")"]


def bracketed(code: str, binds: int, needed: int | None) -> str:
    """`code`, in brackets where it binds less tightly than is needed."""
    return f"({code})" if needed is not None and binds < needed else code


PRODUCTS = (np.matmul, operator.matmul)


def _product(left: Any, right: Any) -> Any:
    return left * right if left.ndim == 0 or right.ndim == 0 else left @ right


def _new_axes(ndim: int, axis: Any) -> str:
    """`[:, None]`: the index that puts an axis there."""
    axes = {a % ndim for a in (axis if isinstance(axis, (tuple, list)) else (axis,))}
    items = ["None" if i in axes else ":" for i in range(ndim)]
    while items and items[-1] == ":":
        items.pop()
    return f"[{', '.join(items)}]"
