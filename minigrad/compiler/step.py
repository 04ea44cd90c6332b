"""The compiled function: a plan for each shape of its arguments, and one node for a call."""

from __future__ import annotations

import contextlib
import copy
import enum
import functools
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..engine.errors import PROBLEMS, described
from ..engine.kinds import named
from ..engine.modes import get_default_dtype, mode
from ..engine.node import Edge, Node, outline
from ..engine.table import lookup, rule
from ..engine.tensor import Array, Tensor, tensor_of
from ..errors import ArgumentError, GraphError
from ..random import drawing_from, generator
from ..recording import mapped, memory_of, record
from ..settings import flag, whole
from ..settings import function as checked_function
from ..views.graph import Graph, graph
from .keeping import MemoryUse
from .outside import VALUES, Place, reached, state
from .plan import Plan, ProgramCall
from .recorded import Recorded, check_result, pytorchs

PATIENCE = 30  # calls of a shape that one more plan is worth, for which another one is dropped
MET = 64  # forms of arguments that it remembers before
RECORDED = 2  # recorded calls of a shape that make its plan


@named
def compile(  # noqa: A001 - as in PyTorch
    function: Callable, *, exact: bool = False, at_once: bool = False, plans: int = 8
) -> Compiled:
    """Return `function`, made to run as one NumPy program with planned memory.

        step = mg.compile(loss_of)
        loss = step(source, target)
        loss.backward()

    A call with arguments of new shapes runs as it is; a second one is recorded, and so is a third, which
    must compute the same. Then, for the first of its shapes, the function is recorded once more, for
    numbers drawn from the same arguments: what differs there, and is no part of the graph, is refused
    with its line. From then on the program runs.

    A number or a text is part of the program: another value needs another one. So is every object that
    the function, or one that it calls in the same file, names outside: variables, defaults, attributes,
    items; and the attributes of modules, such as `training`. Tensors are read again in each call. What
    the function does beside computing, such as printing, happens in recorded calls alone. Do not change

    - a large array that it reads outside, in its place: give it as an argument, or as a Tensor;
    - what functions of other files read outside;
    - attributes whose names are computed.

    Numbers taken out of an argument unseen, as by `np.float32(n)`, are found only where other arguments
    give others: compute with the arrays themselves.

    Args:
        function: returns one Tensor. Its arguments are tensors, arrays, numbers, texts and functions,
            in lists, tuples and dicts. Another function as an argument needs another program.
        exact: keep the bits of the function itself, but for the sign of a zero. Else sums may be rounded
            in another order, a / b may be a (1 / b), which overflows where an array b is below 1e-38 in
            float32, and a gradient of a table that is not finite in one row may be so in others.
        at_once: make the program at the first call of a shape, by recorded calls whose results and draws
            are thrown away. So the bits of a call do not depend on which calls came before it.
        plans: how many programs there are at most. Where there are that many, a shape has one after 30
            calls (with `at_once`, at its first), and the one that was used least recently is dropped.

    Under `record()` and `detect_anomaly()`, the function runs as it is.

    A call raises:
        GraphError: if the function returns no tensor, takes numbers out of the graph (`item()`, an
            `if`), or computes something else from call to call.
        ArgumentError: for an argument of another type.

    `backward()` of what it returns raises:
        GraphError: with create_graph, a second time, and after the next call of the same shapes, which
            uses the same memory.
    """
    function = checked_function("what is compiled", function)
    plans = whole("plans", plans, least=1)
    return Compiled(function, flag("exact", exact), flag("at_once", at_once), plans)


class _Key(NamedTuple):
    """All that a plan depends on: calls with equal keys have one plan.

    Attributes:
        grad: whether gradients are recorded.
        dtype: the default dtype.
        form: of the arguments: their types, shapes and dtypes, and the numbers among them.
        alike: which of the arrays are the same, and which stand outside too; see `Compiled._alike`.
        outside: the form of what the function reads outside.
    """

    grad: bool
    dtype: Any
    form: Any
    alike: tuple
    outside: Any


class _Call(NamedTuple):
    """A call, as it is looked up among those that there were.

    Attributes:
        plan: the one for its key, or None.
        arrays: all arrays and tensors among the arguments.
        key: what its plan depends on.
        outside: what stands outside, so that it is kept.
    """

    plan: Plan | None
    arrays: list[Any]
    key: _Key
    outside: list[Any]


class _Met(NamedTuple):
    """The facts known of a key for which there is no plan yet.

    Attributes:
        calls: how many calls had it.
        facts: of a recorded call, or None.
        outside: what stands outside, so that it is kept.
    """

    calls: int
    facts: list[tuple[Any, ...]] | None
    outside: list[Any]


class Compiled:
    """A function that runs as programs. See `compile`.

    Attributes:
        function: the function itself.
        exact: whether the bits are its own.
        at_once: whether the first call of a shape runs its program.
        plans: how many programs there are at most.
    """

    def __init__(self, function: Callable, exact: bool, at_once: bool, plans: int):
        functools.update_wrapper(self, function)
        self.function, self.exact, self.at_once, self.plans = function, exact, at_once, plans
        self._modules: dict[Any, None] = {}  # and functions among the arguments
        self._places: list[Place] | None = None  # what it reads outside; None until it is called
        self._read: dict[int, Tensor] = {}  # the tensors that calls read
        self._leaves: dict[int, Any] = {}  # the tensors and arrays that stand there
        self._lock = threading.RLock()  # threads share plans, not memory
        self._met: OrderedDict[_Key, _Met] = OrderedDict()  # what is known before there is a plan
        # Keys without shapes that were recorded for other numbers.
        self._checked: set[_Key] = set()
        self._example: tuple[tuple, dict[str, Any]] = (), {}
        self._plans: OrderedDict[_Key, tuple[Plan, list[Any]]] = OrderedDict()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if mode.get().watchers:
            return self.function(*args, **kwargs)
        call = self._looked_up(args, kwargs)
        for _ in range(RECORDED + 1):  # it may only then be known what it reads outside
            if call.plan is not None:
                break
            result = self._prepared(call, args, kwargs)
            if result is not None:
                return result
            call = self._looked_up(args, kwargs)
        if call.plan is None:
            return self.function(*args, **kwargs)
        try:
            run, parents = call.plan.start(call.arrays)
        except PROBLEMS:
            return self.function(*args, **kwargs)  # its error says what is wrong, and where
        return one_node(run, parents) if parents else tensor_of(run.result)

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
        return plan.text if buffers else plan.text_without_buffers

    def memory(self) -> MemoryUse:
        """Return what the last plan keeps for the way back, and the size of all its buffers: printed, a
        table; by `draw()`, a picture.

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
        with self._to_be_drawn_again(), record():
            result = self.function(*args, **kwargs)
        return graph(result)

    def _last(self) -> Plan:
        if not self._plans:
            raise GraphError(
                "there is no program yet: it is made at the third call with arguments of one shape"
            )
        return next(reversed(self._plans.values()))[0]

    def _looked_up(self, args: tuple, kwargs: dict) -> _Call:
        """The call with these arguments, and its plan if there is one that fits."""
        arrays: list[Any] = []
        if self._places is None:
            self._look()
        outside, of_outside = state(self._places or ())
        form = _form((args, kwargs), arrays)
        key = _Key(mode.get().grad, get_default_dtype(), form, self._alike(arrays), of_outside)
        known = self._plans.get(key)
        if known is None or not known[0].fits(arrays):
            return _Call(None, arrays, key, outside)
        with self._lock:
            _remember(self._plans, key, known, self.plans)
        return _Call(known[0], arrays, key, outside)

    def _prepared(self, call: _Call, args: tuple, kwargs: dict) -> Any:
        """The result of a call for which there is no program yet; None if there may be one now."""
        with self._lock:
            met = self._met.get(call.key, _Met(0, None, call.outside))
            if self.at_once or met.calls >= (1 if len(self._plans) < self.plans else PATIENCE):
                return self._recorded(call, met, args, kwargs)
        result = self.function(*args, **kwargs)
        check_result(self.function, result)
        with self._lock:  # it has come to its end: what it computes once, and keeps, is there
            met = self._met.get(call.key, met)
            _remember(self._met, call.key, met._replace(calls=met.calls + 1), MET)
        return result

    def _recorded(self, call: _Call, met: _Met, args: tuple, kwargs: dict) -> Any:
        """The result of a recorded call; None at the second one, of which the program is made."""
        first = met.facts is None and not self.at_once
        with contextlib.nullcontext() if first else self._to_be_drawn_again():
            recorded = Recorded(self.function, args, kwargs, call.arrays)
        result = recorded.result if first else None
        recorded.result = None  # it holds all arrays of the call
        self._note_reads(recorded, args, kwargs)
        outside, of_outside = state(self._places or ())
        key = call.key._replace(alike=self._alike(call.arrays), outside=of_outside)
        facts = met.facts if key == call.key else None  # those of another key are not of this one
        code = key._replace(form=_form((args, kwargs), [], shapes=False))
        if facts is None and not (self.at_once and code in self._checked):
            _remember(self._met, key, _Met(met.calls, recorded.facts(), outside), MET)
            return result
        if facts is not None:
            recorded.check(facts)
        if code not in self._checked:
            self._record_with_other_numbers(args, kwargs, recorded)
            self._checked.add(code)
        self._met.pop(key, None)
        self._example = args, kwargs
        plan = Plan(recorded, key.grad, self.exact)
        _remember(self._plans, key, (plan, outside), self.plans)
        return result

    def _note_reads(self, recorded: Recorded, args: tuple, kwargs: dict) -> None:
        """Note the modules, functions and tensors that a recorded call read, and look outside again."""
        given: list[Any] = []
        mapped((args, kwargs), lambda a: given.append(a) or a)  # type: ignore[func-returns-value]
        called = [a for a in given if callable(a) and not isinstance(a, Tensor)]
        self._modules.update(dict.fromkeys([*recorded.modules, *called]))
        read = (t for n, t in recorded.tensors.items() if n not in recorded.arguments)
        self._read.update((id(t), t) for t in read)
        self._look()

    @contextlib.contextmanager
    def _to_be_drawn_again(self) -> Iterator[None]:
        """Within it, random numbers are drawn that are drawn again after it."""
        states = [g.bit_generator.state for g in self._generators]
        try:
            with drawing_from(copy.deepcopy(generator())):
                yield
        finally:
            for g, state in zip(self._generators, states):
                g.bit_generator.state = state

    def _look(self) -> None:
        """Find what the function reads outside."""
        self._places, leaves = reached([self.function, *self._modules], self._read)
        self._leaves = {id(a): a for a in leaves}
        self._generators = [a for a in leaves if isinstance(a, np.random.Generator)]

    def _alike(self, arrays: list[Any]) -> tuple:
        """For each argument the first one that is the same array; and whether it stands outside too."""
        first: dict[Any, int] = {}
        same = [first.setdefault(memory_of(bare_array(a)), i) for i, a in enumerate(arrays)]
        return (*same, *[id(a) in self._leaves for a in arrays])

    def _record_with_other_numbers(self, args: tuple, kwargs: dict, recorded: Recorded) -> None:
        """Record the function for other numbers, and compare; an error of its own says nothing.

        Raises:
            GraphError: if it is another computation, or has other constants.
        """
        for most in (np.max, np.min):
            others: dict[Any, Any] = {}
            change = lambda a: a if id(a) in self._leaves else _resampled(a, most, others)
            changed, options = mapped((args, kwargs), change)
            arrays: list[Any] = []
            _form((changed, options), arrays)
            try:
                with (
                    warnings.catch_warnings(),
                    np.errstate(all="ignore"),
                    self._to_be_drawn_again(),
                ):
                    warnings.simplefilter("ignore")
                    other = Recorded(self.function, changed, options, arrays)
            except GraphError:
                raise
            except Exception:  # such numbers it may refuse
                continue
            other.check(recorded.facts())
            del other  # before the next one

    def __reduce__(self) -> tuple:
        again = functools.partial(compile, exact=self.exact, at_once=self.at_once, plans=self.plans)
        return again, (self.function,)


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


def bare_array(a: Any) -> Any:
    return a._array if isinstance(a, Tensor) else a


def _remember(known: OrderedDict, key: Any, value: Any, most: int) -> None:
    """Remember a value, and forget the one that was used least recently if there are too many."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > most:
        known.popitem(last=False)


def _form(a: Any, arrays: list[Any], shapes: bool = True) -> Any:
    """Return what the arguments of one program have in common; arrays and tensors go into `arrays`."""
    if isinstance(a, Tensor):
        arrays.append(a)
        return Tensor, a.shape if shapes else a.ndim, a.dtype, a.requires_grad
    if type(a) is np.ndarray and a.dtype.kind in "fiub":
        if not a.ndim:  # a number
            return a.dtype, a.tobytes()
        arrays.append(a)
        return (a.shape, a.dtype, a.strides) if shapes else (a.ndim, a.dtype)
    if type(a) in (list, tuple) or hasattr(a, "_fields"):
        return (type(a), *[_form(b, arrays, shapes) for b in a])
    if type(a) in (dict, OrderedDict):
        return (type(a), *[(k, _form(b, arrays, shapes)) for k, b in a.items()])
    if a is None or type(a) in VALUES or isinstance(a, enum.Enum):
        return type(a), repr(a)
    if isinstance(a, (np.dtype, slice)):
        return type(a), repr(a)
    if callable(a) and type(a).__hash__ is not None:
        return type(a), a  # not its id, which another one may have after it
    raise ArgumentError(
        f"arguments of a compiled function are tensors, arrays of NumPy's own class, numbers and texts, "
        f"in lists, tuples and dicts, not {described(a)}{pytorchs(a)}"
    )


def _resampled(a: Any, most: Callable, others: dict[Any, Any]) -> Any:
    """Other numbers of the same kind: elements of the array itself, most of them `most` of it.

    What is one array, here and among `others`, stays one.
    """
    plain = bare_array(a)
    if id(a) in others or type(plain) is not np.ndarray or not plain.ndim or not plain.size:
        return others.get(id(a), a)
    if (key := memory_of(plain)) not in others:
        low, high = np.lib.array_utils.byte_bounds(plain)
        begin = plain.__array_interface__["data"][0] - low
        memory = np.empty(high - low, np.uint8)
        array = np.ndarray(plain.shape, plain.dtype, memory.data, begin, plain.strides)
        rng = np.random.default_rng(0)
        drawn = rng.choice(plain.ravel(), plain.shape)
        array[...] = np.where(rng.random(plain.shape) < 0.6, most(plain), drawn)
        others[key] = array
    array = others[key]
    if isinstance(a, Tensor):
        array = others[id(a)] = Tensor(array, requires_grad=a.requires_grad)
    return array
