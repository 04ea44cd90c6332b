"""The compiled function: a plan for each shape of its arguments, and one node for a call."""

from __future__ import annotations

import copy
import functools
import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..engine.errors import PROBLEMS
from ..engine.modes import get_default_dtype, mode, setting
from ..engine.node import Edge, Node, outline
from ..engine.table import lookup, rule
from ..engine.tensor import Array, Tensor, tensor_of
from ..errors import ArgumentError, GraphError
from ..nn import Module
from ..random import drawing_from, generator
from ..recording import record
from ..settings import flag
from ..settings import function as checked_function
from ..views.graph import Graph, graph
from .keeping import MemoryUse
from .plan import Plan, ProgramCall
from .recorded import Recorded

MOST = 8  # plans that a function has at once
MET = 64  # forms of arguments that it remembers before


def compile(function: Callable, *, exact: bool = False) -> Compiled:  # noqa: A001 - as in PyTorch
    """Return `function`, made to run as one NumPy program with planned memory.

        step = mg.compile(loss_of)
        loss = step(source, target)
        loss.backward()

    A call with arguments of new shapes runs as it is; a second one is recorded, and so is a third, which
    must compute the same; from then on the program runs. It is a new one, too, where a module that was
    called has another attribute, such as `training`, or where what the function itself names outside is
    another object. What else it reads, beside arguments and tensors, must not change.

    Args:
        function: returns one Tensor. Its arguments are tensors, arrays, numbers and texts, in lists,
            tuples and dicts.
        exact: keep the bits of the function itself; else sums may be rounded in another order.

    Under `record()` and `detect_anomaly()`, the function runs as it is.

    A call raises:
        GraphError: if the function returns no tensor, takes numbers out of the graph (`item()`, an
            `if`), or computes something else from call to call.

    `backward()` of what it returns raises:
        GraphError: with create_graph, a second time, and after the next call of the same shapes, which
            uses the same memory.
    """
    return Compiled(checked_function("what is compiled", function), flag("exact", exact))


class Compiled:
    """A function that runs as programs. See `compile`.

    Attributes:
        function: the function itself.
        exact: whether the bits are its own.
    """

    def __init__(self, function: Callable, exact: bool):
        functools.update_wrapper(self, function)
        self.function, self.exact = function, exact
        self._modules: dict[Module, None] = {}
        self._lock = threading.RLock()  # threads share plans, not memory
        self._met: OrderedDict[Any, Any] = OrderedDict()  # what is known before there is a plan
        self._example: tuple[tuple, dict[str, Any]] = (), {}
        self._plans: OrderedDict[Any, tuple[Plan, list[Any]]] = OrderedDict()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if mode.get().watchers:
            return self.function(*args, **kwargs)
        arrays: list[Any] = []
        outside = [*self._outside()]
        form = mode.get().grad, get_default_dtype(), _form((args, kwargs), arrays)
        key = form, tuple(map(id, outside))
        known = self._plans.get(key)
        if known is None or not known[0].fits(arrays):
            return self._prepared(key, outside, args, kwargs, arrays)
        with self._lock:
            _put(self._plans, key, known, MOST)
        try:
            call, parents = known[0].start(arrays)
        except PROBLEMS:
            return self.function(*args, **kwargs)  # its error says what is wrong, and where
        return one_node(call, parents) if parents else tensor_of(call.result)

    @property
    def source(self) -> str:
        """The program of the last plan that was made or used, as plain calls; see `program`."""
        return self.program()

    def program(self, *, buffers: bool = False) -> str:
        """The program of the last plan, as text: with `buffers`, what runs, with where each result is.

        Raises:
            GraphError: if no shape of arguments was met often enough for a plan.
        """
        plan = self._last()
        return plan.text if buffers else plan.plain

    def memory(self) -> MemoryUse:
        """Return what the last plan keeps for the way back, and the size of all its buffers.

        Raises:
            GraphError: as `program`.
        """
        return self._last().memory

    @property
    def graph(self) -> Graph:
        """The graph of the function itself, recorded now for the arguments of the last plan.

        Random numbers are drawn from a copy of the generator.

        Raises:
            GraphError: as `program`.
        """
        self._last()
        args, kwargs = self._example
        with drawing_from(copy.deepcopy(generator())), setting(fast=False), record():
            result = self.function(*args, **kwargs)
        return graph(result)

    def _last(self) -> Plan:
        if not self._plans:
            raise GraphError(
                "there is no program yet: it is made at the third call with arguments of one shape"
            )
        return next(reversed(self._plans.values()))[0]

    def _prepared(self, key: Any, outside: list, args: tuple, kwargs: dict, arrays: list) -> Any:
        """The result of a call for which there is no program yet."""
        if key not in self._met:
            _put(self._met, key, (None, outside), MET)
            return self.function(*args, **kwargs)
        with self._lock:
            return self._recorded(key, outside, args, kwargs, arrays)

    def _recorded(self, key: Any, outside: list, args: tuple, kwargs: dict, arrays: list) -> Any:
        """The result of a recorded call; at the second one, its program is made."""
        facts, _ = self._met.get(key, (None, None))
        recorded = Recorded(self.function, args, kwargs, arrays)
        if new := [m for m in recorded.modules if m not in self._modules]:
            self._modules.update(dict.fromkeys(new))
            key = key[0], tuple(map(id, outside := [*self._outside()]))
            facts = None
        if facts is None:
            _put(self._met, key, (recorded.facts(), outside), MET)
        else:
            recorded.check(facts)
            self._met.pop(key, None)
            self._example = args, kwargs
            _put(self._plans, key, (Plan(recorded, key[0][0], self.exact), outside), MOST)
        return recorded.result

    def _outside(self) -> Iterator[Any]:
        """Return what the function names outside, and the attributes of the modules that it called."""
        function: Any = inspect.unwrap(self.function)
        code = getattr(function, "__code__", None)
        if code is not None:
            yield from (getattr(cell, "cell_contents", None) for cell in function.__closure__ or ())
            yield from (function.__globals__.get(name) for name in code.co_names)
        for module in self._modules:
            yield from vars(module).values()

    def __reduce__(self) -> tuple:
        return functools.partial(compile, exact=self.exact), (self.function,)


def compiled_call(call: ProgramCall, _parents: list[Tensor]) -> Array:
    """The result of a run, computed from its parents: one operation of the table."""
    return call.result


compiled_call = rule(
    compiled_call, None, lambda g, _y, call, _parents: call.back(g), makes_new=True
)
OPERATION = lookup(compiled_call)


def one_node(call: ProgramCall, parents: list[Tensor]) -> Tensor:
    """The result of a run as a Tensor, with the node that calling `compiled_call` would give it; that
    would look at each parent again, of which there may be hundreds."""
    edges: list[Edge] = [(1, i, parent.node) for i, parent in enumerate(parents)]
    shape = outline(call.result.shape, call.result.dtype)
    saved = shape, call, [shape] * len(parents)
    return tensor_of(call.result, Node(call.result, OPERATION, saved, {}, edges))  # type: ignore[arg-type]


def _put(known: OrderedDict, key: Any, value: Any, most: int) -> None:
    """Remember a value, and forget the one that was used least recently if there are too many."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > most:
        known.popitem(last=False)


def _form(a: Any, arrays: list[Any]) -> Any:
    """Return what the arguments of one program have in common; arrays and tensors go into `arrays`."""
    if isinstance(a, Tensor):
        arrays.append(a)
        return Tensor, a.shape, a.dtype, a.requires_grad
    if isinstance(a, np.ndarray):
        arrays.append(a)
        return a.shape, a.dtype, a.strides
    if isinstance(a, (list, tuple)):
        return (type(a), *[_form(b, arrays) for b in a])
    if isinstance(a, dict):
        return (dict, *[(k, _form(b, arrays)) for k, b in a.items()])
    try:
        hash(a)
    except TypeError:
        raise ArgumentError(
            f"arguments of a compiled function are tensors, arrays, numbers and texts, in lists, tuples "
            f"and dicts, not {type(a).__name__}"
        ) from None
    return type(a), repr(a) if isinstance(a, float) else a
