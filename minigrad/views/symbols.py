"""Symbols: arrays that write down what is done to them.

NumPy's protocols let a class answer NumPy's functions. A `Tensor` answers them by remembering; a
`Symbol` answers by computing the result and noting the expression that gave it. So a rule of the table,
called on symbols, writes itself out as the operations it is made of.
"""

from __future__ import annotations

import ast
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import errors
from ..engine import rules, table
from ..engine.walk import copied_axes
from ..rules_as_text import tree_of
from . import text

# How tightly an expression binds: a name or call, and the operators.
TIGHT, POWER, SIGN, PRODUCT, SUM, BITS, COMPARED = 9, 8, 7, 6, 5, 4, 3
SIGNS: dict[Any, tuple[str, int]] = {
    np.add: ("+", SUM), np.subtract: ("-", SUM), np.multiply: ("*", PRODUCT),
    np.divide: ("/", PRODUCT), np.matmul: ("@", PRODUCT), np.less: ("<", COMPARED),
    np.less_equal: ("<=", COMPARED), np.greater: (">", COMPARED), np.greater_equal: (">=", COMPARED),
    np.equal: ("==", COMPARED), np.not_equal: ("!=", COMPARED),
}  # fmt: skip


METHODS = {
    "astype", "clip", "copy", "cumsum", "dot", "max", "mean", "min", "prod", "ravel", "repeat",
    "reshape", "squeeze", "sum", "swapaxes", "transpose",
}  # fmt: skip


Call = tuple[Callable, tuple, dict[str, Any]] | None


class Shape(tuple):
    """The shape of a symbol that has a name, and so can be written as `x.shape`."""

    text: str


class Symbol(table.BaseTensor):
    """An array, and the expression that computes it: names, and the operations done to them.

    `parts` are pieces of text, and `(operand, how tightly it must bind)` for what stands between;
    `call` is the function and the arguments that gave it, None where it has only a name.
    """

    __slots__ = ("binds", "call", "fragile", "name", "parts", "value")

    def __init__(
        self, value: Any, binds: int = TIGHT, *parts: Any, name="", call: Call = None, fragile=False
    ):
        self.value = value
        self.binds = binds
        self.parts = parts
        self.name = name
        self.call = call
        self.fragile = fragile  # an operand of no dimensions must be an array here, not a number

    @property
    def shape(self) -> tuple[int, ...]:
        shape = Shape(self.value.shape)
        shape.text = f"{self.name}.shape"
        return shape if self.name else self.value.shape

    def operands(self) -> list[Any]:
        """The symbols and arrays between the pieces of its text."""
        return [part[0] for part in self.parts if isinstance(part, tuple)]

    ndim = property(lambda self: self.value.ndim)
    size = property(lambda self: self.value.size)
    dtype = property(lambda self: self.value.dtype)
    T = property(lambda self: _made((np.transpose, self), TIGHT, (self, TIGHT), ".T"))

    def __getitem__(self, index: Any) -> Any:
        call = operator.getitem, self, index
        return _made(call, TIGHT, (self, TIGHT), "[", (index, None), "]")

    def __getattr__(self, method: str) -> Callable:
        if method not in METHODS:
            raise AttributeError(method)
        function = rules.astype if method == "astype" else getattr(np, method)

        def called(*args: Any, **kwargs: Any) -> Any:
            if function in (np.reshape, np.transpose) and len(args) > 1:
                args = (args,)
            return _called(function, [(self, TIGHT), f".{method}"], (self, *args), kwargs, 1)

        return called

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        known = table.name_of(ufunc).startswith("np.")
        if method != "__call__" or "out" in kwargs or not known:
            return NotImplemented
        return write(ufunc, args, kwargs)

    def __array_function__(self, function: Any, kinds: Any, args: tuple, kwargs: dict) -> Any:
        return write(function, args, kwargs)

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


def _operators() -> None:
    """Give `Symbol` the operators of Python."""
    signs = {
        "add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "truediv": ("/", PRODUCT),
        "matmul": ("@", PRODUCT), "pow": ("**", POWER), "and": ("&", BITS), "or": ("|", BITS),
        "lt": ("<", COMPARED), "le": ("<=", COMPARED), "gt": (">", COMPARED),
        "ge": (">=", COMPARED), "eq": ("==", COMPARED), "ne": ("!=", COMPARED),
    }  # fmt: skip
    for name, (sign, binds) in signs.items():
        function = getattr(operator, f"__{name}__")
        setattr(
            Symbol, f"__{name}__", lambda a, b, f=function, s=sign, p=binds: _infix(f, s, p, a, b)
        )
        if binds != COMPARED:
            back = lambda a, b, f=function, s=sign, p=binds: _infix(f, s, p, b, a)
            setattr(Symbol, f"__r{name}__", back)
    for name, sign in (("neg", "-"), ("invert", "~")):
        function = getattr(operator, f"__{name}__")
        one = lambda a, f=function, s=sign: _made((f, a), SIGN, s, (a, SIGN))
        setattr(Symbol, f"__{name}__", one)


def _infix(function: Callable, sign: str, binds: int, a: Any, b: Any) -> Any:
    if sign == "**" and type(b) is int and b == 1:
        return a
    left, right = (TIGHT, SIGN) if sign == "**" else (binds, binds + 1)
    if sign == "@":  # a * b @ c would be read in two ways
        left = right = SIGN
    elif binds == COMPARED:  # a < b == c would be two comparisons
        left = right
    between = (a, left), f" {sign} ", (b, right)
    return _made((function, a, b), binds, *between, fragile=sign == "**")


_operators()
Symbol.__hash__ = object.__hash__  # type: ignore[method-assign]


def write(function: Callable, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Return what `function` gives for `args`, with the call as its expression."""
    if function in SIGNS and len(args) == 2 and not kwargs:
        sign, binds = SIGNS[function]
        return _infix(function, sign, binds, *args)
    if function is np.negative and len(args) == 1:
        return _made((np.negative, *args), SIGN, "-", (args[0], SIGN))
    if function is operator.getitem:
        return Symbol.__getitem__(*args)
    if function is np.swapaxes and set(args[1:]) == {-1, -2}:
        sign = ".T" if np.ndim(plain(args[0])) == 2 else ".mT"
        return _made((function, *args), TIGHT, (args[0], TIGHT), sign)
    if function is np.transpose and (*args[1:], *kwargs.values()) in ((), (None,)):
        return args[0].T
    if function in (np.reshape, np.broadcast_to) and not kwargs and () != args[0].shape == args[1]:
        return args[0]
    if function is np.expand_dims and (*args[1:], *kwargs.values()) == ((),):
        return args[0]
    if table.name_of(function).startswith("np."):
        return _called(function, [table.name_of(function)], args, kwargs)
    function = bare(function)
    if is_expression(function):
        return follow(function, args, kwargs)
    return _called(function, [(function, TIGHT)], args, kwargs, fragile=True)


def follow(
    function: Callable,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    name: str = "",
    wanted: Any = None,
) -> Any:
    """Compute what `function` gives, by the operations that it is made of, where these can be followed.

    Whether they were is seen from the numbers: a function may look at what it is given, and do
    something else with arrays than with symbols. `wanted` is what it gives for arrays, where that is
    known already.
    """
    if wanted is None:
        wanted = function(*plain(list(args)), **plain(kwargs))
    try:
        found = function(*args, **kwargs)
    except Exception:  # whatever a function does that symbols cannot
        found = None
    if found is not None and same(plain(found), wanted):
        return found
    if name and function.__name__ == "<lambda>":
        function = _named(function, name)
    return _called(function, [(function, TIGHT)], args, kwargs, fragile=True)


def undone(given: Symbol, argument: Symbol) -> Symbol:
    """`given` with broadcasting undone, as the engine does at each edge."""
    wide, shape = given.value.shape, argument.shape
    if wide != shape:
        axes = copied_axes(wide, shape)
        one = axes[0] if len(axes) == 1 else axes
        if axes and len(wide) == len(shape):
            given = write(np.sum, [given], {"axis": one, "keepdims": True})
        elif axes:
            given = write(np.sum, [given], {"axis": one})
        if given.value.shape != shape:
            given = write(np.reshape, [given, shape], {})
    return given if given.dtype == argument.dtype else given.astype(argument.dtype)


def _named(function: Any, name: str) -> Any:
    """The same function under a name."""
    named = types.FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    named.__kwdefaults__ = function.__kwdefaults__
    return named


def _called(
    function: Callable,
    name: list[Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    written: int = 0,
    fragile: bool = False,
) -> Any:
    """The result of a call, as `name(...)`; so many of its arguments are `written` in the name."""
    between: list[Any] = []
    for a in args[written:]:
        between += [", ", (a, 0)]
    for key, value in kwargs.items():
        between += [f", {key}=", (value, 0)]
    if between:
        between[0] = between[0][2:]
    return _made(
        (function, *args), TIGHT, *name, "(", *between, ")", kwargs=kwargs, fragile=fragile
    )


def _made(
    call: tuple,
    binds: int,
    *parts: Any,
    kwargs: dict[str, Any] | None = None,
    fragile: bool = False,
) -> Any:
    """The result of a function for arguments, both in `call`, with the expression that is its text."""
    (function, *args), kwargs = call, kwargs or {}
    value = function(*plain(list(args)), **plain(kwargs))
    made_by = function, tuple(args), kwargs
    if isinstance(value, (int, float)) and any(isinstance(a, Number) for a in args):
        return Number(value, binds, *parts, call=made_by)
    if isinstance(value, (np.ndarray, np.generic)):
        return Symbol(value, binds, *parts, call=made_by, fragile=fragile)
    if isinstance(value, (list, tuple)) and any(hasattr(v, "dtype") for v in value):
        whole = Symbol(value, binds, *parts, call=made_by, fragile=fragile)
        return tuple([Symbol(v, TIGHT, (whole, TIGHT), f"[{i}]") for i, v in enumerate(value)])
    return value


def plain(value: Any) -> Any:
    """`value` with arrays in place of symbols."""
    if isinstance(value, Symbol):
        return value.value
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))
    return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def same(a: Any, b: Any) -> bool:
    """Tell whether two results are the same to the last bit."""
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and equal(a, b)


def equal(a: Any, b: Any) -> bool:
    """Tell whether two arrays have the same numbers; of NaN, which takes longer to see, too."""
    return np.array_equal(a, b) or (a.dtype.kind == "f" and np.array_equal(a, b, equal_nan=True))


def uniform(array: np.ndarray) -> bool:
    """Tell whether an array has one number everywhere, to the last bit: 0.0 and -0.0 are two."""
    return array.size > 0 and array.tobytes() == array.flat[0].tobytes() * array.size


# --- their text -----------------------------------------------------------------------------------


class Notation:
    """Writes symbols, and what they are called with, as code.

    What is no part of an expression is written as the views that use it need it: `array` and
    `function` say how.
    """

    def text(self, value: Any, needed: int | None) -> str:
        """The expression for `value`; in brackets where it binds less tightly than is needed."""
        if not isinstance(value, Symbol):
            return self.literal(value, needed)
        if value.name:
            return value.name
        code = "".join(p if isinstance(p, str) else self.text(*p) for p in value.parts)
        return bracketed(code, value.binds, needed)

    def array(self, array: np.ndarray) -> str:
        """The text of an array that is no symbol."""
        return text.literal(array)

    def function(self, function: Any) -> str:
        """The name of a function that is not NumPy's."""
        return table.name_of(function)

    def literal(self, value: Any, needed: int | None) -> str:
        """A number, a setting or an index as code; `needed` is None between the brackets of x[...]."""
        inside = needed is None
        if isinstance(value, Shape):
            return value.text
        if isinstance(value, np.generic):
            return repr(value) if np.isfinite(value) else f"np.{value.dtype}({number(value)})"
        if isinstance(value, (bool, str)) or value is None:
            return repr(value)
        if isinstance(value, (int, float)):
            code = number(value)
            return f"({code})" if code.startswith("-") and (needed or 0) > SIGN else code
        if value is Ellipsis:
            return "..."
        if isinstance(value, slice):
            if not inside:
                return repr(value)
            ends = [value.start, value.stop, *([value.step] if value.step is not None else [])]
            return ":".join("" if e is None else self.literal(e, 0) for e in ends)
        if isinstance(value, tuple):
            items = ", ".join(
                self.text(v, None if inside and not isinstance(v, tuple) else 0) for v in value
            )
            if inside and value:
                return items
            return f"({items}{',' if len(value) == 1 else ''})"
        if isinstance(value, list):
            return f"[{', '.join(self.text(v, 0) for v in value)}]"
        if isinstance(value, np.dtype) or (
            isinstance(value, type) and issubclass(value, np.generic)
        ):
            return f"np.{np.dtype(value).name}"
        if isinstance(value, np.ndarray):
            return self.array(value)
        if callable(value):
            name = table.name_of(value)
            return name if name.startswith("np.") else self.function(value)
        if repr(value).startswith("<"):
            raise errors.GraphError(
                f"an object of the class {type(value).__name__} cannot be written into a program; "
                f"kernels are given such, so compute outside `with mg.fast():`"
            )
        return repr(value)


def bracketed(code: str, binds: int, needed: int | None) -> str:
    return f"({code})" if needed is not None and binds < needed else code


def number(value: Any) -> str:
    value = float(value) if isinstance(value, (float, np.floating)) else int(value)
    if value != value:
        return "np.nan"
    return repr(value).replace("inf", "np.inf")


# --- functions as they are written ----------------------------------------------------------------


def bare(function: Any) -> Any:
    """A function without what makes it leave Tensors to the engine, and without a cache."""
    entry = table.TABLE.get(function)
    if isinstance(entry, table.Definition):
        return entry.body
    if hasattr(function, "cache_info"):  # functools.cache
        function = function.__wrapped__
    return getattr(function, "dispatched", function)


def is_expression(function: Any) -> bool:
    """Tell whether a function only returns an expression."""
    tree = tree_of(function)
    if isinstance(tree, ast.FunctionDef):
        body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
        return len(body) == 1 and isinstance(body[0], ast.Return)
    return tree is not None
