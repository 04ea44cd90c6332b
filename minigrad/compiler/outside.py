"""All that a function reads beside its arguments: closures, globals, defaults, attributes, items.

A program is right as long as these are the same objects. After each recorded call, `Outside` finds the
places in which they stand. In each call, it looks at these places.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import inspect
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..arrays.identity import owner_of
from ..engine.tensor import Tensor
from ..ran.recording import mapped
from ..random import drawing_from, generator
from .places import LEAVES, VALUES, Found, Place, find_places, globals_of, named_in
from .recorded import RecordedCall

SMALL_BYTES = 1 << 16  # of an array that is compared as a whole at each call
SAMPLE = 1_000  # numbers of a larger one that are compared


class Outside:
    """The places that a function reads beside its arguments, as far as recorded calls showed them."""

    def __init__(self, function: Callable):
        self._function = function
        self._called: dict[Any, None] = {}  # modules, and functions among the arguments
        self._rules: dict[Any, Any] = {}  # by their code, of one code by their order
        self._read: dict[int, Tensor] = {}  # the tensors that calls read, by id
        self._places: list[Place] | None = None  # None until the function is called
        self._last = Objects([], (), [])
        self._leaves: dict[int, Any] = {}  # the tensors, arrays and the like there, by id
        self._generators: list[np.random.Generator] = []

    def look(self) -> tuple[list[Any], tuple]:
        """Look at all places; return the objects that stand there now, and their marks."""
        if self._places is None:
            self._find_places()
        self._last = objects_in(self._places or (), self._last)
        return self._last.objects, self._last.marks

    def leaves(self) -> Iterable[Any]:
        """The tensors, arrays and the like that stand outside."""
        return self._leaves.values()

    def holds(self, a: Any) -> bool:
        """Tell whether a tensor or an array stands outside."""
        return id(a) in self._leaves

    def note(self, record: RecordedCall, args: tuple, kwargs: dict[str, Any]) -> None:
        """Note the modules, functions, rules and tensors that a recorded call used; find places anew."""
        arguments: list[Any] = []
        mapped((args, kwargs), lambda a: arguments.append(a) or a)  # type: ignore[func-returns-value]
        functions = [a for a in arguments if callable(a) and not isinstance(a, Tensor)]
        self._called.update(dict.fromkeys([*record.modules, *functions]))
        self._note_rules(record)
        read = (t for n, t in record.tensors.items() if n not in record.arguments)
        self._read.update((id(t), t) for t in read)
        self._find_places()

    def _note_rules(self, record: RecordedCall) -> None:
        """Note the rules of the file.

        A rule that the call itself made replaces the one that the call before it made: it has the same
        code.
        """
        file, times = globals_of(self._function), collections.Counter[Any]()
        for rule in dict.fromkeys(rule for node in record.graph.nodes for rule in node.rules):
            inner = inspect.unwrap(rule)  # type: ignore[arg-type]
            if getattr(inner, "__globals__", None) is file:
                times[inner.__code__] += 1
                self._rules[inner.__code__, times[inner.__code__]] = inner

    @contextlib.contextmanager
    def drawn_again(self, others: bool = False) -> Iterator[None]:
        """Put all generators back at the end: the random numbers within it are drawn again after it.

        With `others`, they are other numbers.
        """
        states = [g.bit_generator.state for g in self._generators]
        try:
            with drawing_from(copy.deepcopy(generator())):
                for g in (generator(), *self._generators) if others else ():
                    g.random()
                yield
        finally:
            for g, state in zip(self._generators, states):
                g.bit_generator.state = state

    def _found(self) -> Found:
        roots = [self._function, *self._called, *self._rules.values()]
        return find_places(roots, self._read)

    def _find_places(self) -> None:
        self._places, objects, _ = self._found()
        self._leaves = {id(a): a for a in objects if isinstance(a, LEAVES)}
        self._generators = [a for a in objects if isinstance(a, np.random.Generator)]

    def named(self) -> Iterator[tuple[Any, str, Any]]:
        """List the objects that stand outside now: the object that has it, its name there, its mark."""
        _, objects, names = self._found()
        file = globals_of(self._function)
        for a in objects:
            for name, value in named_in(a, file, names):
                yield a, name, _mark(value)


class Objects(NamedTuple):
    """The objects that stood outside in a call.

    Attributes:
        objects: all of them.
        marks: for each, the mark that tells it from others. That of a number, a text or an array has its
            values; that of any other object is its identity.
        arrays: the places among them of arrays, which can change.
    """

    objects: list[Any]
    marks: tuple
    arrays: list[int]


def objects_in(places: Iterable[Place], last: Objects) -> Objects:
    """The objects in these places now: `last` itself, if nothing has changed since then."""
    objects = [a for place in places for a in place()]
    same = len(objects) == len(last.objects) and all(map(operator.is_, objects, last.objects))
    if same and all(_mark(objects[i]) == last.marks[i] for i in last.arrays):
        return last
    arrays = [i for i, a in enumerate(objects) if _can_change(a)]
    return Objects(objects, tuple(map(_mark, objects)), arrays)


def _mark(a: Any) -> Any:
    """The value by which an object is told from others."""
    if type(a) in VALUES:
        return repr(a)
    if not _can_change(a):
        return id(a)
    if a.nbytes <= SMALL_BYTES:
        return a.shape, a.strides, a.dtype, a.tobytes()
    return id(a), a.shape, a.strides, a.dtype, a.flat[:: a.size // SAMPLE | 1].tobytes()


def _can_change(a: Any) -> bool:
    """Tell whether this is an array of numbers, which somebody may write to if it is large."""
    if type(a) is not np.ndarray or a.dtype.hasobject:
        return False
    return a.nbytes <= SMALL_BYTES or a.flags.writeable or owner_of(a).flags.writeable
