"""All that a function reads beside its arguments: closures, globals, defaults, attributes, items.

A program is right as long as these are the same objects. `Outside` finds in which places they stand,
anew after each recorded call; and looks at these places in each call.
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
from .places import LEAVES, MANY, VALUES, Place, find_places, globals_of, named_in
from .recorded import RecordedCall

# Bytes of an array that is looked at as a whole in each call; of others, some numbers.
SMALL = 1 << 16


class Outside:
    """The places that a function reads beside its arguments, as far as recorded calls showed them."""

    def __init__(self, function: Callable):
        self._function = function
        self._called: dict[Any, None] = {}  # modules, and functions among the arguments
        self._rules: dict[Any, Any] = {}  # by their code, of one code by their order
        self._read: dict[int, Tensor] = {}  # the tensors that calls read, by id
        self._places: list[Place] | None = None  # None until the function is called
        self._seen = Seen([], (), [])
        self._leaves: dict[int, Any] = {}  # the tensors, arrays and the like there, by id
        self._generators: list[np.random.Generator] = []

    def now(self) -> tuple[list[Any], tuple]:
        """Return what stands outside now: the objects, and the marks that tell each from another."""
        if self._places is None:
            self._look()
        self._seen = state(self._places or (), self._seen)
        return self._seen.objects, self._seen.marks

    def leaves(self) -> Iterable[Any]:
        """The tensors, arrays and the like that stand outside."""
        return self._leaves.values()

    def holds(self, a: Any) -> bool:
        """Tell whether a tensor or an array stands outside."""
        return id(a) in self._leaves

    def note(self, recorded: RecordedCall, args: tuple, kwargs: dict[str, Any]) -> None:
        """Note the modules, functions, rules and tensors that a recorded call used, and look again."""
        given: list[Any] = []
        mapped((args, kwargs), lambda a: given.append(a) or a)  # type: ignore[func-returns-value]
        called = [a for a in given if callable(a) and not isinstance(a, Tensor)]
        self._called.update(dict.fromkeys([*recorded.modules, *called]))
        self._note_rules(recorded)
        read = (t for n, t in recorded.tensors.items() if n not in recorded.arguments)
        self._read.update((id(t), t) for t in read)
        self._look()

    def _note_rules(self, recorded: RecordedCall) -> None:
        """Note the rules of the file. A rule that the call itself made replaces the rule that the call
        before made: it has the same code."""
        file, times = globals_of(self._function), collections.Counter[Any]()
        for rule in dict.fromkeys(rule for node in recorded.graph.nodes for rule in node.rules):
            inner = inspect.unwrap(rule)  # type: ignore[arg-type]
            if getattr(inner, "__globals__", None) is file:
                times[inner.__code__] += 1
                self._rules[inner.__code__, times[inner.__code__]] = inner

    @contextlib.contextmanager
    def drawn_again(self, others: bool = False) -> Iterator[None]:
        """Within it, random numbers are drawn that are drawn again after it; with `others`, others."""
        states = [g.bit_generator.state for g in self._generators]
        try:
            with drawing_from(copy.deepcopy(generator())):
                for g in (generator(), *self._generators) if others else ():
                    g.random()
                yield
        finally:
            for g, before in zip(self._generators, states):
                g.bit_generator.state = before

    def _found(self) -> tuple[list[Place], list[Any], set[Any]]:
        roots = [self._function, *self._called, *self._rules.values()]
        return find_places(roots, self._read)

    def _look(self) -> None:
        self._places, found, _ = self._found()
        self._leaves = {id(a): a for a in found if isinstance(a, LEAVES)}
        self._generators = [a for a in found if isinstance(a, np.random.Generator)]

    def named(self) -> Iterator[tuple[Any, str, Any]]:
        """List what stands outside now: the object that it is in, its name there, and its mark."""
        _, found, names = self._found()
        file = globals_of(self._function)
        for a in found:
            for name, value in named_in(a, file, names):
                yield a, name, _mark(value)


class Seen(NamedTuple):
    """The objects that stood outside in a call.

    Attributes:
        objects: all of them.
        marks: what tells each from others: a number, a text and an array are known by their values,
            any other object by its identity.
        arrays: the places among these of arrays, which can change.
    """

    objects: list[Any]
    marks: tuple
    arrays: list[int]


def state(places: Iterable[Place], before: Seen) -> Seen:
    """Return what stands in these places now; the marks of `before` where there are the same objects."""
    objects = [a for place in places for a in place()]
    known, marks, arrays = before
    same = len(objects) == len(known) and all(map(operator.is_, objects, known))
    if same and all(_mark(objects[i]) == marks[i] for i in arrays):
        return before
    arrays = [i for i, a in enumerate(objects) if _can_change(a)]
    return Seen(objects, tuple(map(_mark, objects)), arrays)


def _mark(a: Any) -> Any:
    if type(a) in VALUES:
        return repr(a)
    if not _can_change(a):
        return id(a)
    if a.nbytes <= SMALL:
        return a.shape, a.strides, a.dtype, a.tobytes()
    return id(a), a.shape, a.strides, a.dtype, a.flat[:: a.size // MANY | 1].tobytes()


def _can_change(a: Any) -> bool:
    """Tell whether this is an array of numbers, which somebody may write to if it is large."""
    if type(a) is not np.ndarray or a.dtype.hasobject:
        return False
    return a.nbytes <= SMALL or a.flags.writeable or owner_of(a).flags.writeable
