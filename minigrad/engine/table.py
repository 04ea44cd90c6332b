"""The table of derivatives: its entries, and how they are made.

    rule(np.exp, lambda g, y, _x: g * y)        a function, and its derivative for each argument

    @definition(of=np.ptp)                      a function that is written in others
    def ptp(a, axis=None):
        return np.max(a, axis) - np.min(a, axis)

`rule` says what a rule is given and what it has to do. A function with no rule at all returns a plain
array, outside the graph.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re
import types
import weakref
from collections.abc import Callable, Collection, Iterator, MutableMapping, Sequence
from typing import Any, overload

import numpy as np

from .base import BaseTensor
from .boxes import call_in_box
from .errors import UNCLEAR, Options, UnsupportedError
from .failures import error_of_arguments
from .kinds import Function, checked
from .names import anything, code_of, name_of
from .plain_calls import run_on_arrays
from .source import source_text

INSTEAD = {
    "out": "it makes a new array: write y = f(x), and a = a + x for a += x",
    "where": "choose with np.where(mask, x, other), before it or after; to leave elements out of a "
    "mean, a sum or the like, make them NaN: np.nanmean(np.where(mask, x, np.nan))",
    "dtype": "convert with x.astype(dtype), before it or after",
    "initial": "put it in afterwards, as in np.sum(x) + initial, or np.maximum(np.max(x), initial)",
}
IN_PLACE_OF: dict[Callable, str] = {  # functions without an entry
    np.lib.stride_tricks.sliding_window_view: "Take windows by an index, such as x[:, i, j] with "
    "i = np.arange(3)[:, None, None, None] + np.arange(2)[:, None] and "
    "j = np.arange(4)[:, None, None] + np.arange(2) for the 3 x 4 windows of 2 x 2 in the last axes",
    **dict.fromkeys(
        (np.save, np.savez, np.savez_compressed),
        "Save arrays by name, as minigrad.save('w.npz', {'w': w.data})",
    ),
}


# --- entries --------------------------------------------------------------------------------------


class Entry:
    """The table's entry for one function, and how that may be called.

    Attributes:
        function: what one calls. An operation computes by its `call`, which looks for no Tensors.
        refused: NumPy's options that a Tensor does not offer: with Tensors they must be None.
        names: of all arguments, without underscores; keyword-only names last.
        takes_any_name: whether it has **kwargs.
        parameters: the names of the arguments by position.
        most: the largest number of arguments by position; infinite with *args.
        safe_count: so many arguments by position have no refused option among them: a call with
            these alone needs no check.
        rules: for each argument a rule, or None where there is none. A definition has none at all.
    """

    refused: Collection[str] = ()
    rules: tuple[Any, ...] = ()

    def __init__(self, function: Callable, code: types.CodeType, first: int = 0):
        """Take the names of the arguments from `code`, from the parameter at place `first` on."""
        self.function = function
        count = code.co_argcount
        names = code.co_varnames[first : count + code.co_kwonlyargcount]
        self.names = tuple([name.lstrip("_") for name in names])
        self.parameters = self.names[: count - first]
        self.most = math.inf if code.co_flags & inspect.CO_VARARGS else len(self.parameters)
        self.takes_any_name = bool(code.co_flags & inspect.CO_VARKEYWORDS)
        places = [i for i, name in enumerate(self.parameters) if name in self.refused]
        self.safe_count = min([*places, self.most])

    @functools.cached_property
    def name(self) -> str:
        return name_of(self.function)

    def by_position(self, args: tuple, kwargs: Options) -> tuple:
        """The arguments by position. The next ones are taken out of `kwargs`, as far as it has them."""
        names = self.parameters
        while len(args) < len(names) and names[len(args)] in kwargs:
            args = (*args, kwargs.pop(names[len(args)]))
        return args


class Operation(Entry):
    """A function with its derivatives: for each argument a rule, or None where there is none.

    Attributes:
        call: the function itself, without the wrapper that looks for Tensors.
        makes_new: whether its result is surely in memory of its own, as that of every ufunc is.
        is_wrapped: whether `rule` has put a wrapper around it, as it is no function of NumPy's: other
            code may hold its result.
        reads: what its rules read, for `saving`.
    """

    refused = ("out",)

    def __init__(self, function: Callable, rules: tuple[Any, ...], makes_new: bool = False):
        template = next((r for r in rules if r is not None), anything)
        super().__init__(function, code_of(template), first=2)  # after g and y
        self.call = getattr(function, "dispatched", function)  # the arguments are arrays by then
        self.rules = rules
        self.makes_new = makes_new or isinstance(function, np.ufunc)
        self.is_wrapped = self.call is not function
        self.reads: dict[tuple, tuple[bool, list[bool]]] = {}
        self._check_count(template)

    def _check_count(self, template: Callable) -> None:
        """Check that there are as many rules as arguments; the last need none if they have a default.

        The rule `template` has the arguments. If it takes `*args`, the function itself may name them.

        Raises:
            UnsupportedError: if there are more or fewer.
        """
        entry: Entry = self
        if self.rules and self.is_wrapped and self.most == math.inf:
            entry, template = Entry(self.call, code_of(self.call)), self.call
        optional = getattr(inspect.unwrap(template), "__defaults__", None) or ()
        count, most = len(self.rules), entry.most
        if most != math.inf and not most - len(optional) <= count <= most:
            raise UnsupportedError(
                f"{self.name} has {count} rule{'' if count == 1 else 's'} for the {most} arguments "
                f"({', '.join(entry.parameters)}): a rule takes the gradient g, the result y, and "
                f"all arguments; give one for each argument, or None where there is none"
            )

    def run(self, _args: tuple, arrays: Sequence, kwargs: Options) -> Any:
        """Call NumPy's function, or what `rule` was given, with plain arrays."""
        y = self.call(*arrays, **kwargs)
        return y._array if self.is_wrapped and isinstance(y, BaseTensor) else y


class Definition(Entry):
    """A function written in other functions of the table: its body.

    Attributes:
        body: what runs.
        plain: whether it gives the same numbers for plain arrays.
    """

    refused = INSTEAD

    def __init__(self, function: Callable | None, body: Callable, plain: bool = False):
        @functools.wraps(body)
        def call(*args: object, **kwargs: object) -> Any:
            return self.run(args, args, kwargs)

        super().__init__(function or call, code_of(body))
        self.body, self.plain = body, plain

    def run(self, args: tuple, _arrays: Sequence, kwargs: Options) -> Any:
        """Call the body, in a box; without one where plain arrays do, which takes less time."""
        if self.plain and (y := run_on_arrays(self.body, args, kwargs)) is not NotImplemented:
            return y
        return call_in_box(self.name, self.body, args, kwargs)


# --- the table ------------------------------------------------------------------------------------

NUMPYS: dict[Callable, Operation | Definition] = {}  # the entries of NumPy's and Python's functions


class Table(MutableMapping[Callable, "Operation | Definition"]):
    """All entries, by their functions, in the order in which they were made.

    An entry of NumPy's function is in `NUMPYS`. Any other function has its entry as an attribute: so a
    rule that was made in a loop ends with its function.
    """

    def __init__(self) -> None:
        self._own: weakref.WeakKeyDictionary[Callable, None] = weakref.WeakKeyDictionary()

    def __getitem__(self, function: Callable) -> Operation | Definition:
        entry = NUMPYS.get(function) or getattr(function, "entry", None)
        if entry is None or entry.function != function:  # functools.wraps copies attributes
            raise KeyError(function)
        return entry

    def __setitem__(self, function: Callable, entry: Operation | Definition) -> None:
        if isinstance(function, types.FunctionType):
            function.entry = entry  # type: ignore[attr-defined]
            self._own[function] = None
        else:
            NUMPYS[function] = entry

    def __delitem__(self, function: Callable) -> None:
        if NUMPYS.pop(function, None) is None:
            del self._own[function]
            del function.entry  # type: ignore[attr-defined]

    def __iter__(self) -> Iterator[Callable]:
        return iter([*NUMPYS, *self._own])

    def __len__(self) -> int:
        return len(NUMPYS) + len(self._own)


TABLE = Table()


# --- making entries -------------------------------------------------------------------------------


@checked
def rule(function: Function, *rules: Callable | None, makes_new: bool = False) -> Function:
    """Give `function` its derivatives: one rule an argument, None where there is none.

        cube = rule(lambda x: x * x * x, lambda g, _y, x: g * 3 * x * x)

    A rule

    1. is called as `rule(g, y, *args, **kwargs)`: `g` is the gradient of the loss with respect to the
       result `y`, and the rest is what `function` was called with;
    2. returns the gradient with respect to its argument, in any shape that broadcasting would have
       produced; for an argument that is a list of arrays, a list of gradients. The array is new, or what
       the rule was given: it becomes read-only, and may be the memory of a `.grad`;
    3. marks each argument that it does not read with an underscore, as `_y` above: it gets the shape and
       dtype of that alone, and no array is saved for it;
    4. is written in NumPy's functions and operators, so that it computes with arrays and, for higher
       derivatives, with Tensors.

    The first rule that is not None has, after `g` and `y`, the names of all arguments of `function`:
    with Tensors, no other name can be passed. The last arguments need no rule if they have a default.
    Without any rule, the result is a plain array.

    The result of `function` is copied, since other code may hold it. With `makes_new` it is not: then
    each call has to return an array in new memory.

    Returns the function to call from now on, as in `cube = rule(cube, ...)`: `function` itself if it is
    NumPy's, else a wrapper that finds Tensors among the arguments, and in lists of them, but not in
    lists of lists.

    Raises:
        UnsupportedError: if there are not as many rules as arguments.
    """
    function = dispatched(function)
    if getattr(function, "__name__", "") == "<lambda>":  # a reader knows it by its variable
        assignment = re.match(r"(\w+) *= *(?:\w+\.)?rule\(", source_text())
        function.__name__ = assignment[1] if assignment else function.__name__
    TABLE[function] = Operation(function, rules, makes_new)
    return function


@overload
def definition(body: Function, of: Callable | None = None, *, plain: bool = False) -> Function: ...


@overload
def definition(
    body: None = None, *, of: Callable | None = None, plain: bool = False
) -> Callable[[Function], Function]: ...


@checked
def definition(
    body: Callable | None = None, of: Callable | None = None, *, plain: bool = False
) -> Any:
    """Enter a function that is written in functions of the table: a drawing shows it as a box.

    Decorates a new function or, with `of`, the body that a function of NumPy's has with Tensors.

    Args:
        plain: its body gives the same numbers for plain arrays. Where no gradient is wanted, it is
            given the arrays inside Tensors of floats, which takes less time.
    """
    if body is None:
        return functools.partial(definition, of=of, plain=plain)
    entry = Definition(of, body, plain)
    TABLE[entry.function] = entry
    return body if of is not None else entry.function


def dispatched(function: Function) -> Function:
    """Wrap `function`: a call with a Tensor among its arguments goes to that Tensor's
    `__array_function__`, as with NumPy's own functions (NEP 18), which need no wrapper.

    A Tensor is found in a list or tuple too, one level deep. The wrapper has `function` itself as its
    attribute `dispatched`.
    """
    is_numpys = isinstance(function, np.ufunc) or hasattr(function, "_implementation")
    is_getitem = function is operator.getitem  # calls type(x).__getitem__
    if is_numpys or is_getitem or function in TABLE:
        return function

    @functools.wraps(function)
    def dispatching(*args: object, **kwargs: object) -> Any:
        for a in (*args, *kwargs.values()) if kwargs else args:
            if isinstance(a, (list, tuple)):
                a = next((item for item in a if isinstance(item, BaseTensor)), None)
            if isinstance(a, BaseTensor):
                return a.__array_function__(dispatching, (type(a),), args, kwargs)  # type: ignore[attr-defined]
        try:
            return function(*args, **kwargs)
        except UNCLEAR as problem:
            raise error_of_arguments(name_of(function), function, args, kwargs, problem)  # noqa: B904

    dispatching.dispatched = function  # type: ignore[attr-defined]
    return dispatching  # type: ignore[return-value]


def lookup(function: Callable) -> Operation | Definition:
    """The entry of `function`.

    Raises:
        UnsupportedError: if it has none; the message says what to write instead, or how to add it.
    """
    try:
        return TABLE[function]
    except KeyError:
        raise UnsupportedError(
            f"{name_of(function)} has no derivative here, so it cannot take a Tensor. "
            f"{IN_PLACE_OF.get(function, 'Write it with functions that have one')}, call it on "
            f"`x.detach().numpy()` if no gradient should flow, or add a rule: "
            f"minigrad.rule({name_of(function)}, lambda g, y, *args: ...)."
        ) from None
