"""Symbols: arrays that note the call that gave them.

NumPy's protocols let a class answer NumPy's functions. A `Tensor` answers them by remembering; a
`Symbol` answers by computing the result and noting the call. So a rule of the table, called on symbols,
becomes the calls that it is made of: lines of a script (see `script`), and with a `Notation`, text.
"""

from __future__ import annotations

import ast
import functools
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arrays.identity import equal
from ..engine import rules, table
from ..engine.errors import Options
from ..engine.names import name_of
from ..engine.walk import copied_axes
from ..ran.data import GraphEdge
from ..ran.rules_as_text import tree_of
from .operators import OPERATORS

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


METHODS = {
    "astype", "clip", "copy", "cumsum", "dot", "max", "mean", "min", "prod", "ravel", "repeat",
    "reshape", "squeeze", "sum", "swapaxes", "transpose",
}  # fmt: skip
# The ways in which a function refuses symbols, of which it may be any user's.
REFUSALS = (TypeError, ValueError, LookupError, AttributeError, AssertionError, RuntimeError)


class _CallFields(NamedTuple):
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


class Role(NamedTuple):
    """The place of a symbol in the computation.

    Attributes:
        kind: "value" of a node; "sum", its gradient, as far as it has arrived; "given" by a rule, and
            "fitted", the same with broadcasting undone. Held: "leaf", "start" of the way back, "number"
            (Python's, among a node's arguments), "gate" (whether a node is on), "constant".
        node: its number; None for a constant.
        position: of the argument that a number is.
        edge: along which a gradient is given.
    """

    kind: str
    node: int | None = None
    position: int | None = None
    edge: GraphEdge | None = None


class Shape(tuple):
    """The shape of a symbol that has a role, and so can be written as `x.shape`."""

    symbol: Symbol


class Symbol(table.BaseTensor):
    """An array, and the call that gave it.

    `a == b` of symbols is a symbol too, as of Tensors: so tables of them are by `id(symbol)`.

    Attributes:
        value: the array.
        call: None for a symbol that is only given.
        role: its place in a computation; None for a part of an expression.
    """

    __slots__ = ("call", "role", "value")

    _is_symbol = True

    def __init__(self, value: Any, call: SymbolCall | None = None, role: Role | None = None):
        self.value = value
        self.call = call
        self.role = role

    @property
    def shape(self) -> tuple[int, ...]:
        if self.role is None:
            return self.value.shape
        shape = Shape(self.value.shape)
        shape.symbol = self
        return shape

    @property
    def parts(self) -> list[Symbol]:
        """The symbols among the arguments of its call, in order."""
        return self.call.parts if self.call is not None else []

    ndim = property(lambda self: self.value.ndim)
    size = property(lambda self: self.value.size)
    dtype = property(lambda self: self.value.dtype)
    T = property(lambda self: noted(np.transpose, self))

    def __getitem__(self, index: object) -> Any:
        return noted(operator.getitem, self, index)

    def __getattr__(self, method: str) -> Callable:
        if method not in METHODS:
            raise AttributeError(method)
        function = body_of(rules.astype) if method == "astype" else getattr(np, method)

        def called(*args: Any, **options: Any) -> Any:
            if function in (np.reshape, np.transpose) and len(args) > 1:
                args = (args,)
            return _result(SymbolCall(function, (self, *args), options, method))

        return called

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        known = name_of(ufunc).startswith("np.")
        if method != "__call__" or "out" in kwargs or not known:
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


class Number(Symbol):
    """A Python number that is followed like an array; it takes the dtype of the arrays it meets."""

    __slots__ = ()
    shape = property(lambda self: ())  # type: ignore[assignment]
    ndim = property(lambda self: 0)
    size = property(lambda self: 1)


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


def noted(function: Callable, *args: Any) -> Any:
    """The result of `function` for `args`, symbols among them: a symbol, if it is an array."""
    return _result(SymbolCall(function, args, {}))


def _result(call: SymbolCall) -> Any:
    return _symbols(call.function(*plain(list(call.args)), **plain(call.options)), call)


def _symbols(value: Any, call: SymbolCall) -> Any:
    """The result of a call as a symbol; of several arrays, one for each."""
    if type(value) in (int, float) and any(isinstance(a, Number) for a in call.args):
        return Number(value, call)
    if isinstance(value, (np.ndarray, np.generic)):
        return Symbol(value, call)
    if isinstance(value, (list, tuple)) and any(hasattr(v, "dtype") for v in value):
        whole = Symbol(value, call)
        items = (SymbolCall(operator.getitem, (whole, i), {}) for i in range(len(value)))
        return tuple([Symbol(v, item) for v, item in zip(value, items)])
    return value


def simplest(function: Callable, args: Sequence[Any], options: Options) -> Any:
    """The result of a call, in as few calls as it can be written with: none for a reshape that changes
    nothing; those of its body for a function that only returns an expression."""
    given = (*args[1:], *options.values())
    if function is operator.pow and type(args[1]) is int and args[1] == 1:
        return args[0]
    if function is np.transpose and given in ((), (None,)):
        return args[0].T
    if function in (np.reshape, np.broadcast_to) and not options and () != args[0].shape == args[1]:
        return args[0]
    if function is np.expand_dims and given == ((),):
        return args[0]
    if name_of(function).startswith("np.") or function in PYTHONS:
        return _result(SymbolCall(function, tuple(args), options))
    function = body_of(function)
    if is_expression(function):
        return traced(function, args, options)
    return _result(SymbolCall(function, tuple(args), options))


PYTHONS = {operator.getitem, *(row.python for row in OPERATORS)}


def traced(
    function: Callable,
    args: Sequence[Any],
    options: Options,
    name: str = "",
    wanted: Any = None,
) -> Any:
    """Compute what `function` gives, by the calls that it is made of, where it can be traced.

    Whether they were is seen from the numbers: a function may look at what it is given, and do
    something else with arrays than with symbols. `wanted` is what it gives for arrays, where that is
    known already. A lambda that cannot be traced is called `name`.
    """
    if wanted is None:
        wanted = function(*plain(list(args)), **plain(options))
    try:
        found = function(*args, **options)
    except REFUSALS:
        found = None
    if found is not None and same(plain(found), wanted):
        if isinstance(found, Symbol) and _lies_otherwise(found.value, wanted):
            # NumPy writes the product in `-g * y` over a large `-g`, in the order of its axes.
            found.value = wanted
        return found
    if name and function.__name__ == "<lambda>":
        function = _named(function, name)
    return _symbols(wanted, SymbolCall(function, tuple(args), options))


def _lies_otherwise(array: Any, wanted: Any) -> bool:
    """Tell whether an array has its axes in another order than the one wanted; both are no views."""
    both = isinstance(array, np.ndarray) and isinstance(wanted, np.ndarray)
    return both and array.strides != wanted.strides and array.base is wanted.base is None


def undone(gradient: Symbol, argument: Symbol) -> Symbol:
    """`gradient` with broadcasting undone, as `walk.fit` does it, in calls that a person would write."""
    wide, shape = gradient.value.shape, argument.shape
    if wide != shape:
        axes = copied_axes(wide, shape)
        one = axes[0] if len(axes) == 1 else axes
        if axes and len(wide) == len(shape):
            gradient = simplest(np.sum, [gradient], {"axis": one, "keepdims": True})
        elif axes:
            gradient = simplest(np.sum, [gradient], {"axis": one})
        if gradient.value.shape != shape:
            gradient = simplest(np.reshape, [gradient, shape], {})
    return gradient if gradient.dtype == argument.dtype else gradient.astype(argument.dtype)


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


# --- their arrays ---------------------------------------------------------------------------------


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
    found: list[Symbol] = []
    _collect_symbols([value], found)
    return found


def _collect_symbols(values: Iterable[object], found: list[Symbol]) -> None:
    for v in values:
        if isinstance(v, Symbol):
            found.append(v)
        elif isinstance(v, dict):
            _collect_symbols(v.values(), found)
        elif isinstance(v, (list, tuple)) and not isinstance(v, Shape):
            _collect_symbols(v, found)


def same(a: Any, b: Any) -> bool:
    """Tell whether two results are the same to the last bit."""
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and equal(a, b)


def form(array: np.ndarray) -> tuple[np.dtype, tuple[int, ...]]:
    """The dtype and the shape of an array."""
    return array.dtype, array.shape


def uniform(array: np.ndarray) -> bool:
    """Tell whether an array has one number everywhere, to the last bit: 0.0 and -0.0 are two."""
    return array.size > 0 and array.tobytes() == array.flat[0].tobytes() * array.size


def stand_in(shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """An array of a shape, for one of which only that is known, or wanted."""
    return np.broadcast_to(np.ones((), dtype), shape)


# --- functions as they are written ----------------------------------------------------------------


def body_of(function: Any) -> Callable:
    """A function without what makes it leave Tensors to the engine, and without a cache."""
    entry = table.TABLE.get(function)
    if isinstance(entry, table.Definition):
        return entry.body
    if hasattr(function, "cache_info"):  # functools.cache
        function = function.__wrapped__
    return getattr(function, "dispatched", function)


def is_expression(function: Callable) -> bool:
    """Tell whether a function only returns an expression."""
    tree = tree_of(function)
    if isinstance(tree, ast.FunctionDef):
        body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
        return len(body) == 1 and isinstance(body[0], ast.Return)
    return tree is not None
