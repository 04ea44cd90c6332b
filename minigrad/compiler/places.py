"""The places of the objects that a function reads beside its arguments, found by its code.

A place is a function that gives the objects that stand there now. Such places are the variables that a
function names, the items of a list, and the attributes of an object. Each kind of object leads to
places of its own kind, and these to other objects.
"""

from __future__ import annotations

import collections
import functools
import inspect
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.tensor import Tensor
from ..nn import Module

VALUES = {int, float, complex, bool, str, bytes, *np.sctypeDict.values()} - {np.void, np.object_}
LEAVES = (Tensor, np.ndarray, np.generic, np.random.Generator, str, bytes)
LISTS = (list, tuple, set, frozenset, collections.deque, bytearray)
UNUSED = {"__init__", "__new__", "__del__", "__repr__", "__str__"}  # methods that compute nothing
MANY_ITEMS = 1_000  # a list or dict with more items is a table: only tensors that were read count
Place = Callable[[], Iterable[Any]]  # gives the objects that stand there now


class Found(NamedTuple):
    """The places that a function reads, the objects there, and the names that lead to them."""

    places: list[Place]
    objects: list[Any]
    names: set[Any]


def find_places(roots: Sequence[Any], read: Collection[int]) -> Found:
    """Find the places that a function reads.

    A function in the same file leads to all that its code names: variables; attributes, also of classes
    and of Python's modules; properties; and methods that Python calls by itself, as `__getitem__`. Lists
    and dicts lead to all items, and modules (`nn.Module`) to all attributes.

    Args:
        roots: the function, and the modules that it called.
        read: the ids of the tensors that its last call read.
    """
    names: set[Any] = {"forward"}  # that a call of a module runs
    while True:
        count = len(names)
        places, objects = _walk(roots, names, read)
        if len(names) == count:  # else walk again: some objects were not asked for the new names
            return Found(places, objects, names)


def _walk(roots: Sequence[Any], names: set, read: Collection[int]) -> tuple[list[Place], list[Any]]:
    """Walk from object to object by `names`; the names in the code of functions are added to these."""
    waiting, objects = [*roots], {}  # by their ids
    search = Search(globals_of(roots[0]), names, read, set())
    places: list[Place] = []
    for a in waiting:  # which grows
        if id(a) in objects or a is None or type(a) in VALUES:
            continue
        objects[id(a)] = a
        if isinstance(a, types.FunctionType) and a.__globals__ is search.file:
            names.update(_names(a.__code__))
        for place in places_of(a, search):
            places.append(place)
            waiting.extend(place())
    return places, [*objects.values()]


class Search(NamedTuple):
    """The bounds of a walk from object to object.

    Attributes:
        file: the globals of the function's file.
        names: the names of the variables and attributes that the walk follows.
        read: the ids of the tensors that the function's last call read.
        classes: the classes whose places have been found.
    """

    file: Any
    names: set[Any]
    read: Collection[int]
    classes: set[type]


def _names(code: types.CodeType) -> Iterator[Any]:
    """The names, texts and integers in the code of a function, and of functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
        elif isinstance(constant, (str, int)):
            yield constant


# --- places by kind of object ------------------------------------------------------------------------


def places_of(a: Any, search: Search) -> Iterator[Place]:
    """The places that an object leads to, by the first of its kinds in the table."""
    return next(places for kinds, places in KINDS if isinstance(a, kinds))(a, search)


def _in_function(a: types.FunctionType, search: Search) -> Iterator[Place]:
    names, read = search.names, search.read
    if a.__globals__ is not search.file:
        inner = inspect.unwrap(a)  # of a wrapper that another file made, as `rule` does
        if getattr(inner, "__globals__", None) is search.file:
            yield lambda: [inner]
        return
    own = tuple(dict.fromkeys(n for n in _names(a.__code__) if n in a.__globals__))
    yield lambda: [getattr(cell, "cell_contents", None) for cell in a.__closure__ or ()]
    yield lambda: [a.__globals__.get(name) for name in own]
    yield lambda: [*(a.__defaults__ or ()), *(a.__kwdefaults__ or {}).values()]
    yield lambda: [a.__code__, *_attributes(a, names, read)]


def _in_method(a: types.MethodType, search: Search) -> Iterator[Place]:
    yield lambda: (a.__self__, a.__func__)


def _in_partial(a: functools.partial, search: Search) -> Iterator[Place]:
    yield lambda: [a.func, *a.args, *a.keywords.values()]


def _in_python_module(a: types.ModuleType, search: Search) -> Iterator[Place]:
    names = search.names  # its functions, classes and modules do not change
    yield lambda: [v for n in names if not _is_permanent(v := vars(a).get(n))]


def _in_leaf(a: Any, search: Search) -> Iterator[Place]:
    if isinstance(a, Tensor) and a._node is not None and id(a._node.grad) in search.read:
        yield lambda: [a.node.grad]
    elif isinstance(a, Tensor) and "grad" in search.names:
        yield lambda: [a.node.grad is None]


def _in_list(a: Collection[Any], search: Search) -> Iterator[Place]:
    read = search.read
    yield lambda: [*a] if len(a) <= MANY_ITEMS else [b for b in a if id(b) in read]


def _in_dict(a: dict, search: Search) -> Iterator[Place]:
    names, read = search.names, search.read
    if len(a) <= MANY_ITEMS:
        yield lambda: [*a.values()]
    else:
        yield lambda: [v for k, v in a.items() if k in names or id(v) in read]


def _in_nn_module(a: Module, search: Search) -> Iterator[Place]:
    # `training` is the class's until train() or eval() is called
    yield lambda: [*{"training": a.training, **vars(a)}.values()]
    yield from _in_class(type(a), search)


def _in_class(a: type, search: Search) -> Iterator[Place]:
    if a in search.classes:
        return
    search.classes.add(a)
    # All that a property reads counts, in whichever file it is.
    for v in (vars(c).get(n) for c in a.__mro__ for n in [*search.names]):
        if isinstance(v, property) and isinstance(v.fget, types.FunctionType):
            search.names.update(_names(v.fget.__code__))
    yield _of_class(a, search.names, _special_methods(a, search.file))


def _in_object(a: Any, search: Search) -> Iterator[Place]:
    names, read, slots = search.names, search.read, _slots(type(a))
    if slots or isinstance(getattr(a, "__dict__", None), dict):
        yield lambda: [*_attributes(a, names, read, slots), _method(a)]
        yield from _in_class(type(a), search)


KINDS: tuple[tuple[Any, Callable[[Any, Search], Iterator[Place]]], ...] = (
    (types.FunctionType, _in_function),
    (types.MethodType, _in_method),
    (functools.partial, _in_partial),
    (types.ModuleType, _in_python_module),
    (LEAVES, _in_leaf),
    (LISTS, _in_list),
    (dict, _in_dict),
    (Module, _in_nn_module),
    (type, _in_class),
    (object, _in_object),
)


# --- what objects have -------------------------------------------------------------------------------


def globals_of(function: Any) -> Any:
    while not isinstance(function, types.FunctionType):
        inner = getattr(function, "__func__", None) or getattr(function, "func", None)
        if inner is None:
            return getattr(_method(function), "__globals__", None)
        function = inner
    return function.__globals__


def _method(a: Any) -> Any:
    """Return the function that a call of an object runs, if its class has one."""
    name = "forward" if isinstance(a, Module) else "__call__"
    return next((vars(c)[name] for c in type(a).__mro__ if name in vars(c)), None)


def _is_permanent(a: Any) -> bool:
    """Tell whether an attribute of one of Python's modules is a module, a function or a class."""
    return isinstance(a, types.ModuleType) or (callable(a) and not isinstance(a, Tensor))


def _attributes(
    a: Any, names: set, read: Collection[int], slots: Sequence[str] = ()
) -> Iterator[Any]:
    """Go over the attributes of an object with these names, and the function that it wraps."""
    for n, v in getattr(a, "__dict__", {}).items():
        if n in names or n == "__wrapped__" or id(v) in read:
            yield v
    for n in slots:
        if n in names:
            yield getattr(a, n, None)


def _slots(kind: type) -> list[str]:
    """The names of the attributes that objects of a class have beside their dict."""
    slots = (vars(c).get("__slots__", ()) for c in kind.__mro__)
    return [n for names in slots for n in ([names] if isinstance(names, str) else names)]


def _special_methods(kind: type, file: Any) -> list[tuple[type, str]]:
    """The methods of a class that Python calls by itself, as `__getitem__`, if they are in the file."""
    return [
        (c, n)
        for c in kind.__mro__[:-1]
        for n, v in vars(c).items()
        if n[:2] == "__" and n not in UNUSED and getattr(v, "__globals__", None) is file
    ]


def _of_class(kind: type, names: set, methods: Sequence[tuple[type, str]]) -> Place:
    """The place of the attributes of a class with these names, and of some methods.

    It gives the functions of methods and properties. It lists the attributes anew if a class has got
    some.
    """
    classes = kind.__mro__[:-1]
    counts: list[int] = []  # the number of attributes that each class had
    attributes: list[tuple[type, str]] = []

    def values() -> list[Any]:
        counts_now = [len(vars(c)) for c in classes]
        if counts_now != counts:
            counts[:] = counts_now
            attributes[:] = [(c, n) for c in classes for n in vars(c) if n in names]
            attributes.extend(methods)
        return [
            v if type(v) is types.FunctionType
            else getattr(v, "fget", None) or getattr(v, "__func__", v)
            for v in [vars(c).get(n) for c, n in attributes]
        ]  # fmt: skip

    return values


# --- names -------------------------------------------------------------------------------------------


def named_in(a: Any, file: Any, names: Collection[Any]) -> Iterable[tuple[str, Any]]:
    """The names in an object, as written after its own name (`.count`, `[0]`), and their values."""
    if isinstance(a, types.FunctionType):
        if a.__globals__ is not file:
            return []
        cells = (getattr(cell, "cell_contents", None) for cell in a.__closure__ or ())
        own = ((n, file[n]) for n in _names(a.__code__) if n in file)
        return [*zip(a.__code__.co_freevars, cells), *own]
    if isinstance(a, LISTS):
        return [("", len(a)), *((f"[{i}]", b) for i, b in enumerate(a))]
    if isinstance(a, dict):
        return [("", len(a)), *((f"[{k!r}]", b) for k, b in a.items())]
    every = isinstance(a, Module)
    return [(f".{n}", v) for n, v in getattr(a, "__dict__", {}).items() if every or n in names]
