"""How the table of derivatives is kept: three kinds of entry, and what each rule needs.

    rule(np.exp, lambda g, y, x: g * y)            a derivative, one function an argument
    definition(np.std)(lambda x, ...: ...)         a function written in others of the table
    plain(np.argmax, np.equal)                     an array, outside the graph

A rule is called as `rule(g, y, *args, **kwargs)`: `g` is the gradient of the loss with respect to
the result `y`, and the rest is what the function itself was called with. It returns the gradient
with respect to its argument, in any shape that broadcasting would have produced. The entries
themselves are in `rules.py` and `definitions.py`.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import linecache
import operator
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .errors import UnsupportedError


class Spec:
    """The shape and dtype of an array that no rule needs the values of."""

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype):
        self.shape = shape
        self.dtype = dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        size = 1
        for n in self.shape:
            size *= n
        return size

    def __repr__(self) -> str:
        return f"Spec({self.shape}, {self.dtype})"


spec = functools.lru_cache(maxsize=1 << 12)(Spec)  # one object for all arrays that are alike


class _Entry:
    """What the table has for one function, and how that may be called with Tensors."""

    kind: str
    function: Callable
    written: Callable  # what names the arguments
    skipped = 0  # how many of its first arguments are not the function's
    refused: Iterable[str] = ()  # the options that must be None
    keeps = False  # whether its rules can use what it computed on the way: see `composition.kernel`

    @functools.cached_property
    def name(self) -> str:
        return name_of(self.function)

    @functools.cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the function's own arguments, in order."""
        return parameters_of(self.written)[self.skipped : code_of(self.written).co_argcount]

    @functools.cached_property
    def most(self) -> int:
        """How many arguments by position need no second look."""
        if code_of(self.written).co_flags & inspect.CO_VARARGS:
            return sys.maxsize
        places = [i for i, name in enumerate(self.parameters) if name in self.refused]
        return min(places, default=len(self.parameters))

    @functools.cached_property
    def keywords(self) -> frozenset[str]:
        """The options that need no second look."""
        return frozenset(parameters_of(self.written)[self.skipped :]).difference(self.refused)

    def check(self, args: tuple, kwargs: dict) -> None:
        """Refuse what the entry does not know.

        Raises:
            UnsupportedError: for an option such as `out=` or `where=`, saying what to write instead.
        """
        any_more = code_of(self.written).co_flags & inspect.CO_VARARGS
        any_name = code_of(self.written).co_flags & inspect.CO_VARKEYWORDS
        takes = f"it takes {', '.join(self.parameters)}"
        if len(args) > len(self.parameters) and not any_more:
            raise UnsupportedError(
                f"{self.name} of a Tensor takes no {len(args)} arguments; {takes}"
            )
        for name, value in (*zip(self.parameters, args), *kwargs.items()):
            known = name in self.keywords or (any_name and name not in self.refused)
            if value is not None and not known:
                remedy = INSTEAD.get(name, takes)
                raise UnsupportedError(f"{self.name} of a Tensor takes no {name}=; {remedy}")


class Rule(_Entry):
    """A function's derivatives: for each argument a rule, or None where there is no gradient."""

    kind = "rule"
    skipped = 2  # g and y
    refused = ("out",)

    def __init__(self, function: Callable, rules: tuple[Any, ...], makes_new: bool = False):
        self.function = function
        self.call = getattr(function, "alone", function)  # the arguments have been looked at
        self.makes_new = makes_new or isinstance(function, np.ufunc)  # never a view of an argument
        self.rules = rules
        self.written = next(r for r in rules if r is not None)
        self.keeps = "kept" in parameters_of(self.call)
        self._needs: dict[tuple, tuple[bool, tuple[bool, ...]]] = {}

    def needs(self, positions: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """Whether the rules at `positions` read the result, and each of the `count` arguments.

        What none of them reads is not kept.
        """
        found = self._needs.get((positions, count))
        if found is None:
            read = frozenset().union(*(values_read(self.rules[i], 2 + count) for i in positions))
            found = 1 in read, tuple(2 + i in read for i in range(count))
            self._needs[positions, count] = found
        return found


class Definition(_Entry):
    """A function written in other functions of the table; a drawing can open it as a box."""

    kind = "definition"

    def __init__(self, function: Callable, body: Callable):
        self.function = function
        self.body = self.written = body
        self.refused = INSTEAD


class Plain(_Entry):
    """A function whose result is a plain array (or number, or tuple), outside the graph."""

    kind = "plain"
    most = sys.maxsize

    def __init__(self, function: Callable):
        self.function = self.call = function

    def check(self, args: tuple, kwargs: dict) -> None:
        if kwargs.get("out") is not None:
            raise UnsupportedError(f"{self.name} of a Tensor takes no out=; {INSTEAD['out']}")


Entry = Rule | Definition | Plain
TABLE: dict[Any, Entry] = {}
INSTEAD = {
    "out": "it makes a new array: write y = f(x)",
    "where": "choose with np.where(mask, x, other), before it or after",
    "dtype": "convert with x.astype(dtype), before it or after",
    "initial": "put it in afterwards, as in np.maximum(np.max(x), initial)",
}
answers: Any = ()  # the class that functions of one's own ask for their derivative: Tensor


def rule(function: Callable, *rules: Callable | None) -> Callable:
    """Give `function` its derivatives: one rule an argument, None where there is none.

    Returns `function`, wrapped so that it takes Tensors if it does not dispatch by itself:

        cube = rule(lambda x: x * x * x, lambda g, y, x: g * 3 * x * x)

    Rules are written in NumPy's functions and operators, so that they work on arrays and, for
    higher derivatives, on Tensors.
    """
    function = dispatched(function)
    TABLE[function] = Rule(function, rules)
    return function


def derivatives(*rules: Callable | None) -> Callable[[Callable], Callable]:
    """Decorate a function of one's own with its rules, as `rule` gives them."""
    return lambda function: rule(function, *rules)


def together(function: Callable, count: int) -> tuple[Callable, ...]:
    """The rules of the first `count` arguments, made of one function that returns all their gradients.

    What these have in common is then computed once, where several of them are needed.
    """

    def part(i: int) -> Callable:
        @functools.wraps(function)
        def rule(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)[i]

        rule.whole, rule.place = function, i  # type: ignore[attr-defined]
        return rule

    return tuple(map(part, range(count)))


def definition(function: Callable) -> Callable[[Callable], Callable]:
    """Decorate the body that `function` stands for when it is called with Tensors."""

    def enter(body: Callable) -> Callable:
        TABLE[function] = Definition(function, body)
        return body

    return enter


def plain(*functions: Callable) -> None:
    """Let `functions` of Tensors return plain results, computed from their arrays."""
    for function in functions:
        TABLE[function] = Plain(function)


def dispatched(function: Callable) -> Callable:
    """`function`, made to leave it to Tensors among its arguments, as NumPy's own do (NEP 18)."""
    if isinstance(function, np.ufunc) or hasattr(function, "_implementation"):
        return function
    if function in TABLE or function is operator.getitem:  # x[i] asks the class of x
        return function

    @functools.wraps(function)
    def asking(*args: Any, **kwargs: Any) -> Any:
        for a in (*args, *kwargs.values()) if kwargs else args:
            if isinstance(a, answers):
                return a.__array_function__(asking, (type(a),), args, kwargs)
            for one in a if isinstance(a, (list, tuple)) else ():
                if isinstance(one, answers):
                    return one.__array_function__(asking, (type(one),), args, kwargs)
        return function(*args, **kwargs)

    asking.alone = function  # type: ignore[attr-defined]
    return asking


def lookup(function: Callable) -> Entry:
    """The entry of `function`.

    Raises:
        UnsupportedError: if it has none; the message says what to write instead, or how to add it.
    """
    entry = TABLE.get(function)
    if entry is None:
        raise UnsupportedError(
            f"{name_of(function)} has no derivative here, so it cannot take a Tensor. "
            f"Write it with functions that have one, call it on `x.detach().numpy()` if no "
            f"gradient should flow, or add a rule: "
            f"minigrad.rule({name_of(function)}, lambda g, y, *args: ...)."
        )
    return entry


def name_of(function: Any) -> str:
    """The name under which a reader knows `function`: `np.exp`, `np.linalg.inv`, `softmax`."""
    name = getattr(function, "__name__", str(function))
    for home, prefix in ((np, "np"), (np.linalg, "np.linalg"), (np.fft, "np.fft")):
        if getattr(home, name, None) is function:
            return f"{prefix}.{name}"
    return name


# --- what a rule reads, and how it is written -----------------------------------------------------

_OUTLINE = {"shape", "ndim", "size", "dtype"}


def code_of(function: Callable) -> types.CodeType:
    """The code of a function; that of one with any arguments, for what is not written in Python."""
    function = getattr(function, "whole", function)
    return getattr(function, "__code__", (lambda *args, **kwargs: None).__code__)


def parameters_of(function: Callable) -> tuple[str, ...]:
    """The names of a function's parameters, those by keyword alone last; not its other variables."""
    code = code_of(function)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def values_read(rule: Callable, count: int) -> set[int]:
    """Which of the first `count` arguments `rule` reads the values of, found in its bytecode.

    A parameter that occurs only as `x.shape`, `x.ndim`, `x.size` or `x.dtype`, or not at all, needs
    no values: its array need not outlive the forward pass. Whatever is not understood counts as
    read: `x` handed to another function, used by an inner one, or taken by `*args`.
    """
    code = code_of(rule)
    position = {name: i for i, name in enumerate(code.co_varnames[: code.co_argcount])}
    read = set(range(code.co_argcount, count))
    alone: str | None = None  # the parameter that the instruction before put on the stack
    for instruction in dis.get_instructions(code):
        outlined = instruction.opname == "LOAD_ATTR" and instruction.argval in _OUTLINE
        if alone is not None and not outlined:
            read.add(position[alone])
        alone = None
        # From Python 3.13 on, one instruction can load two parameters; it names both.
        named = instruction.argval
        names = [n for n in (named if isinstance(named, tuple) else (named,)) if n in position]
        if names and instruction.opname.startswith("LOAD_FAST"):
            alone = names.pop()
        if "ATTR" not in instruction.opname and "METHOD" not in instruction.opname:
            read.update(position[n] for n in names)
    return read


@functools.lru_cache(maxsize=1024)  # of each function once, however often it is asked for
def tree_of(function: Callable) -> ast.Lambda | ast.FunctionDef | None:
    """How a function is written, from its file; None where there is no source."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    text = "".join(linecache.getlines(code.co_filename))
    found = [f for f in _functions_in(text) if _place(f) == (code.co_name, code.co_firstlineno)]
    if len(found) > 1:  # lambdas on one line
        found = [
            f for f in found if _essence(code) == _essence(_compiled(f, text, code.co_freevars))
        ]
    return found[0] if found else None


@functools.lru_cache(maxsize=1024)
def source_of(rule: Callable) -> str:
    """What a rule returns, as it stands in its file; the rule's name where there is no source.

    A lambda, or a function that only returns, is shown as one expression on one line; of a longer
    function all lines are shown; of one that several arguments share, the call.
    """
    if hasattr(rule, "whole"):
        code = code_of(rule)
        names = [n for n in code.co_varnames[: code.co_argcount] if n != "kept"]
        return f"{rule.whole.__name__}({', '.join(names)})[{rule.place}]"  # type: ignore[attr-defined]
    tree, code = tree_of(rule), code_of(rule)
    if tree is None:
        return getattr(rule, "__name__", str(rule))
    body = tree.body
    if isinstance(body, list):
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]  # without the docstring
        if not (len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value):
            return "\n".join(map(ast.unparse, body))
        body = body[0].value
    if body.lineno != body.end_lineno:
        return ast.unparse(body)
    line = linecache.getline(code.co_filename, body.lineno).encode()
    return line[body.col_offset : body.end_col_offset].decode()


@functools.lru_cache(maxsize=16)
def _functions_in(text: str) -> list[ast.Lambda | ast.FunctionDef]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    return [node for node in ast.walk(tree) if isinstance(node, (ast.Lambda, ast.FunctionDef))]


@functools.lru_cache(maxsize=16)
def _imports_in(text: str) -> list[ast.stmt]:
    return [n for n in ast.parse(text).body if isinstance(n, (ast.Import, ast.ImportFrom))]


def _place(node: ast.Lambda | ast.FunctionDef) -> tuple[str, int]:
    """A function's name and first line, as its code has them: decorators belong to it."""
    lines = [n.lineno for n in (node, *getattr(node, "decorator_list", ()))]
    return getattr(node, "name", "<lambda>"), min(lines)


def _compiled(node: Any, text: str, free: tuple[str, ...]) -> types.CodeType:
    """The code of a lambda, compiled where what it uses is imported, or closed over, as in its file."""
    made = ast.parse(f"def f({', '.join(free)}): return 0")
    made.body[0].body[0].value = node  # type: ignore[attr-defined]
    made.body[:0] = _imports_in(text)
    outer = next(c for c in compile(made, "", "exec").co_consts if isinstance(c, types.CodeType))
    return next(c for c in outer.co_consts if isinstance(c, types.CodeType))


def _essence(code: types.CodeType) -> tuple:
    """What equal pieces of code have in common wherever they stand."""
    constants = (
        _essence(c) if isinstance(c, types.CodeType) else repr(c)
        for c in code.co_consts
        if "<locals>" not in str(c)  # Python 3.10 has the full names of inner functions there
    )
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, tuple(constants)
