"""All that a function reads beside its arguments: closures, globals, defaults, attributes, items.

A program is right as long as these are the same objects. `reached` finds once in which places they
stand; `state` looks at the places again, in each call.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import numpy as np

from ..engine.tensor import Tensor
from ..nn import Module

VALUES = {int, float, complex, bool, str, bytes, *np.sctypeDict.values()} - {np.void, np.object_}
LEAVES = (Tensor, np.ndarray, np.generic, np.random.Generator, str, bytes, type, types.ModuleType)
Place = Callable[[], Iterable[Any]]  # gives the objects that stand there now


def reached(roots: Iterable[Any], read: Collection[int]) -> tuple[list[Place], list[Any]]:
    """Return the places that a function reads, and the tensors, arrays and generators there.

    Of functions in its file, the places are what they name: variables, attributes and items. Of modules
    they are all attributes; of lists the elements that it reads, and those that hold others.

    Args:
        roots: the function, and the modules that it called.
        read: the ids of the tensors that its last call read.
    """
    waiting, seen = [*roots], {}
    file = _globals_of(waiting[0])
    names: set[Any] = set()
    places: list[Place] = []
    while waiting:
        a = waiting.pop(0)
        if id(a) in seen or a is None or type(a) in VALUES:
            continue
        seen[id(a)] = a
        if isinstance(a, types.FunctionType) and a.__globals__ is file:
            names.update(_names(a.__code__))
        for place in () if isinstance(a, LEAVES) else _places(a, file, names, read):
            places.append(place)
            waiting.extend(place())
    return places, [a for a in seen.values() if isinstance(a, LEAVES)]


def state(places: Iterable[Place]) -> tuple[list[Any], tuple]:
    """Return what stands in these places now: the objects, and what tells them from others.

    A number or a text is known by its value, any other object by its identity.
    """
    objects = [a for place in places for a in place()]
    return objects, tuple([repr(a) if type(a) in VALUES else id(a) for a in objects])


def _globals_of(function: Any) -> Any:
    while not isinstance(function, types.FunctionType):
        inner = getattr(function, "__func__", None) or getattr(function, "func", None)
        if inner is None:
            return getattr(_method(function), "__globals__", None)
        function = inner
    return function.__globals__


def _method(a: Any) -> Any:
    """Return the function that a call of an object runs, if its class has one."""
    return next((vars(c)["__call__"] for c in type(a).__mro__ if "__call__" in vars(c)), None)


def _is_leaf(a: Any) -> bool:
    return a is None or type(a) in VALUES or isinstance(a, LEAVES)


def _names(code: types.CodeType) -> Iterator[Any]:
    """The names and texts in the code of a function, and of those inside of it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
        elif isinstance(constant, (str, int)):
            yield constant


def _places(a: Any, file: Any, names: set, read: Collection[int]) -> Iterator[Place]:
    if isinstance(a, types.FunctionType):
        if a.__globals__ is not file:
            return
        own = tuple(dict.fromkeys(n for n in _names(a.__code__) if n in a.__globals__))
        yield lambda: [getattr(cell, "cell_contents", None) for cell in a.__closure__ or ()]
        yield lambda: [a.__globals__.get(name) for name in own]
        yield lambda: [*(a.__defaults__ or ()), *(a.__kwdefaults__ or {}).values()]
        yield lambda: [getattr(a, "__wrapped__", None)]
    elif isinstance(a, types.MethodType):
        yield lambda: (a.__self__, a.__func__)
    elif isinstance(a, functools.partial):
        yield lambda: [a.func, *a.args, *a.keywords.values()]
    elif isinstance(a, (tuple, frozenset)):
        yield lambda: a
    elif isinstance(a, (list, set)):  # one that numbers or losses are added to is no other list
        yield lambda: [b for i, b in enumerate(a) if i in names or id(b) in read or not _is_leaf(b)]
    elif isinstance(a, dict):
        yield lambda: [v for k, v in a.items() if k in names or id(v) in read]
    elif isinstance(a, Module):
        yield lambda: [*vars(a).values()]
    elif isinstance(getattr(a, "__dict__", None), dict):
        method = _method(a)
        yield lambda: [method, *[v for k, v in vars(a).items() if k in names or id(v) in read]]
