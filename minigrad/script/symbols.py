"""Symbols: arrays that note the call that gave them.

    x = Symbol(np.array([1.0, 2.0]))
    y = np.exp(x) * 2  # a Line
    y.value          # [5.44, 14.78], computed as NumPy computes it
    y.call.function  # operator.mul
    y.call.args      # a symbol, whose own call is np.exp(x), and 2

NumPy's protocols let a class answer NumPy's functions. A `Tensor` answers them by remembering; a
`Symbol` answers by computing the result and noting the call. So a rule of the table, called on symbols,
becomes the calls that it is made of: lines of a script (see `script`), and with a `Notation`, text.

Below the classes stand the ways to call a function on symbols: `noted` as it is, `simplest` in as few
calls as it can be written with, `traced` by the calls that its body makes. After these stand functions
that find and replace the symbols among arguments.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..engine import rules
from ..engine.base import BaseTensor
from ..engine.errors import Options
from ..engine.names import is_numpys
from .arrays import same
from .bodies import body_of, is_expression
from .operators import OPERATORS

if TYPE_CHECKING:
    from .roles import Role


METHODS = {
    "astype", "clip", "copy", "cumsum", "dot", "max", "mean", "min", "prod", "ravel", "repeat",
    "reshape", "squeeze", "sum", "swapaxes", "transpose",
}  # fmt: skip
# The exceptions by which a function, perhaps a user's, refuses symbols.
REFUSALS = (TypeError, ValueError, LookupError, AttributeError, AssertionError, RuntimeError)


class _CallFields(NamedTuple):  # a NamedTuple itself cannot keep a property
    function: Callable
    args: tuple
    options: Options
    method: str = ""


class SymbolCall(_CallFields):
    """One call: a function and its arguments, symbols among them.

    `method` is the name under which it was called as a method of its first argument, or "".
    """

    @functools.cached_property
    def parts(self) -> list[Symbol]:
        """The symbols among the arguments, in order."""
        return symbols_in([self.args, self.options])


class Shape(tuple):
    """The shape of a symbol that has a role, and so can be written as `x.shape`."""

    symbol: Symbol


class Symbol(BaseTensor):
    """An array, and the call that gave it.

    `a == b` of symbols is a symbol too, as of Tensors: so tables of them are by `id(symbol)`.

    Attributes:
        value: the array.
        call: None for a symbol that is held: only a `Line` has one.
        role: its place in a computation; None for a part of an expression.
    """

    __slots__ = ("role", "value")

    _is_symbol = True
    call: SymbolCall | None = None

    def __init__(self, value: Any, role: Role | None = None):
        self.value = value
        self.role = role

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array; with a role, one that knows its symbol (see `Shape`)."""
        if self.role is None:
            return self.value.shape
        shape = Shape(self.value.shape)
        shape.symbol = self
        return shape

    @property
    def parts(self) -> list[Symbol]:
        """The symbols among the arguments of its call, in order."""
        return []

    ndim = property(lambda self: self.value.ndim)
    size = property(lambda self: self.value.size)
    dtype = property(lambda self: self.value.dtype)
    T = property(lambda self: noted(np.transpose, self))

    def __getitem__(self, index: object) -> Any:
        return noted(operator.getitem, self, index)

    def __getattr__(self, method: str) -> Callable:
        """A method of arrays, such as `sum`: its call is noted under that name."""
        if method not in METHODS:
            raise AttributeError(method)
        function = body_of(rules.astype) if method == "astype" else getattr(np, method)

        def called(*args: Any, **options: Any) -> Any:
            if function in (np.reshape, np.transpose) and len(args) > 1:
                args = (args,)
            return _run(SymbolCall(function, (self, *args), options, method))

        return called

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        if method != "__call__" or "out" in kwargs or not is_numpys(ufunc):
            return NotImplemented
        return simplest(ufunc, args, kwargs)

    def __array_function__(
        self, function: Callable, kinds: object, args: tuple, kwargs: Options
    ) -> Any:
        return simplest(function, args, kwargs)

    def __bool__(self) -> bool:
        raise TypeError("what is done must not depend on the values of an array")

    __len__ = __iter__ = __float__ = __int__ = __index__ = __bool__  # type: ignore[assignment]
    __setitem__ = None


class Line(Symbol):
    """A symbol that a call gave: a line of a script."""

    __slots__ = ("call",)

    call: SymbolCall

    def __init__(self, value: Any, call: SymbolCall, role: Role | None = None):
        super().__init__(value, role)
        self.call = call

    @property
    def parts(self) -> list[Symbol]:
        return self.call.parts


class Number(Symbol):
    """A Python number that is followed like an array; it takes the dtype of the arrays it meets."""

    __slots__ = ()
    shape = property(lambda self: ())  # type: ignore[assignment]
    ndim = property(lambda self: 0)
    size = property(lambda self: 1)


class NumberLine(Line, Number):
    """A number that a call of numbers gave."""

    __slots__ = ()


def _give_operators() -> None:
    """Give `Symbol` the operators of Python."""
    for row in OPERATORS:
        function = row.python
        name = function.__name__.strip("_")
        if row.unary:
            setattr(Symbol, f"__{name}__", lambda a, f=function: noted(f, a))
            continue
        setattr(Symbol, f"__{name}__", lambda a, b, f=function: simplest(f, (a, b), {}))
        if not row.compares:
            setattr(Symbol, f"__r{name}__", lambda a, b, f=function: simplest(f, (b, a), {}))


_give_operators()
Symbol.__hash__ = object.__hash__  # type: ignore[method-assign]


# --- calls on symbols -----------------------------------------------------------------------------


def noted(function: Callable, *args: Any) -> Any:
    """The result of `function` for `args`, symbols among them: a symbol, if it is an array."""
    return _run(SymbolCall(function, args, {}))


def _run(call: SymbolCall) -> Any:
    """The result of a call, computed with the arrays of its symbols."""
    return _as_symbols(call.function(*plain(list(call.args)), **plain(call.options)), call)


def _as_symbols(value: Any, call: SymbolCall) -> Any:
    """The result of a call as a symbol; if it is several arrays, as one symbol for each."""
    if type(value) in (int, float) and any(isinstance(a, Number) for a in call.args):
        return NumberLine(value, call)
    if isinstance(value, (np.ndarray, np.generic)):
        return Line(value, call)
    if isinstance(value, (list, tuple)) and any(hasattr(v, "dtype") for v in value):
        whole = Line(value, call)
        items = (SymbolCall(operator.getitem, (whole, i), {}) for i in range(len(value)))
        return tuple([Line(v, item) for v, item in zip(value, items)])
    return value


def simplest(function: Callable, args: Sequence[Any], options: Options) -> Any:
    """The result of a call, in as few calls as it can be written with.

    A call of `SHORTER` that changes nothing is left out. A function that only returns an expression is
    replaced by the calls of that expression.
    """
    shorter = SHORTER[function](*args, **options) if function in SHORTER else None
    if shorter is not None:
        return shorter
    if not (is_numpys(function) or function in PYTHONS):
        function = body_of(function)
        if is_expression(function):
            return traced(function, args, options)
    return _run(SymbolCall(function, tuple(args), options))


def _in_shape(x: Any, shape: Any = None, *_order: Any, **options: Any) -> Any:
    """`x` itself, if it has this shape already, and is no number."""
    return x if not options and () != x.shape == shape else None


# From the arguments of a call to a shorter form of it, or None.
SHORTER: dict[Callable, Callable[..., Any]] = {
    operator.pow: lambda x, n: x if type(n) is int and n == 1 else None,
    np.transpose: lambda x, axes=None: x.T if axes is None else None,
    np.reshape: _in_shape,
    np.broadcast_to: _in_shape,
    np.expand_dims: lambda x, axis: x if axis == () else None,
}
PYTHONS = {operator.getitem, *(row.python for row in OPERATORS)}


def traced(
    function: Callable,
    args: Sequence[Any],
    options: Options,
    name: str = "",
    result: Any = None,
) -> Any:
    """The result of a function by the calls that it makes; if it cannot be traced, by one call of it.

    It is called with arrays and with symbols. It can be traced if both give the same numbers, for it may
    look at the class of its arguments, and do something else with symbols.

    Args:
        name: the name for that one call, if the function is a lambda.
        result: its result for arrays, if that is known already.
    """
    if result is None:
        result = function(*plain(list(args)), **plain(options))
    try:
        traced_result = function(*args, **options)
    except REFUSALS:
        traced_result = None
    if traced_result is not None and same(plain(traced_result), result):
        if isinstance(traced_result, Symbol) and _lies_otherwise(traced_result.value, result):
            # NumPy writes the product in `-g * y` over a large `-g`, in the order of its axes.
            traced_result.value = result
        return traced_result
    if name and function.__name__ == "<lambda>":
        function = _named(function, name)
    return _as_symbols(result, SymbolCall(function, tuple(args), options))


def _lies_otherwise(array: Any, other: Any) -> bool:
    """Tell whether two arrays, which are no views, have their axes in another order."""
    both = isinstance(array, np.ndarray) and isinstance(other, np.ndarray)
    return both and array.strides != other.strides and array.base is other.base is None


def _named(function: Any, name: str) -> Callable:
    """The same function under a name."""
    named = types.FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    named.__kwdefaults__ = function.__kwdefaults__
    return named


def alias(x: Any) -> Any:
    """Return `x`: the call of a symbol that is another one, in one more role."""
    return x


# --- the symbols among arguments ------------------------------------------------------------------


def plain(value: Any) -> Any:
    """`value` with arrays in place of symbols."""
    return replaced(value, _value_of)


_value_of = operator.attrgetter("value")


def replaced(value: Any, by: Callable[[Symbol], Any]) -> Any:
    """`value`, also a list, a tuple or a dict, with `by(symbol)` in place of each symbol in it."""
    if isinstance(value, Symbol):
        return by(value)
    if type(value) in (list, tuple):
        return type(value)([replaced(v, by) for v in value])
    return {k: replaced(v, by) for k, v in value.items()} if isinstance(value, dict) else value


def symbols_in(value: object) -> list[Symbol]:
    """The symbols in a nested list of arguments, in order."""
    symbols: list[Symbol] = []
    _collect_symbols([value], symbols)
    return symbols


def _collect_symbols(values: Iterable[object], symbols: list[Symbol]) -> None:
    for v in values:
        if isinstance(v, Symbol):
            symbols.append(v)
        elif isinstance(v, dict):
            _collect_symbols(v.values(), symbols)
        elif isinstance(v, (list, tuple)) and not isinstance(v, Shape):
            _collect_symbols(v, symbols)
