"""The compiled function: a plan for each shape of its arguments, and one node for a call."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from ..aten.watched import Watched
from ..engine.errors import PROBLEMS
from ..engine.kinds import named
from ..engine.modes import get_default_dtype, mode
from ..engine.source import pass_over
from ..engine.tensor import tensor_of
from ..errors import ArgumentError, GraphError
from ..ran.recording import record
from ..settings import flag, whole
from ..settings import function as checked_function
from ..views.graph import Graph, graph
from .changing import Changing
from .keys import Key, alike, form_of
from .of_watched import CompiledGraph
from .other_numbers import check_with_other_numbers
from .outside import Outside
from .plan import Plan, WithProgram
from .recorded import Fact, RecordedCall, check_result
from .running import one_node

pass_over(os.path.dirname(__file__) + os.sep)

PATIENCE = 30  # calls of a new shape, after which an old plan is dropped for it
MET = 64  # keys without a plan that it remembers
RECORDED = 2  # recorded calls of a key that make its plan
AGAIN = object()  # in place of a result that is thrown away: look whether there is a plan now


@named
def compile(  # noqa: A001 - as in PyTorch
    function: Callable | Watched, *, exact: bool = False, at_once: bool = False, plans: int = 8
) -> Compiled | CompiledGraph:
    """Return `function`, made to run as one NumPy program with planned memory.

        step = mg.compile(loss_of)
        loss = step(source, target)
        loss.backward()

    A call with arguments of new shapes runs as it is; a second one is recorded, and so is a third, which
    must compute the same. Then, for the first of its shapes, the function is recorded twice more, for
    other numbers of the same arguments: what differs there, and is no part of the graph, is refused with
    its line. From then on the program runs.

    A number or a text is part of the program: another value needs another one. So is every object that
    the function, or one that it calls in the same file, names outside: variables, defaults, attributes,
    items; and the attributes of modules, such as `training`. Tensors are read again in each call. What
    the function does beside computing, such as printing, happens in recorded calls alone. Do not change

    - single numbers of an array of more than 64 KB that it reads outside: give it as an argument, or as
      a Tensor;
    - what functions of other files read outside;
    - attributes whose names are computed.

    Numbers taken out of an argument unseen, as by `np.float32(n)`, are found only where other arguments
    give others: compute with the arrays themselves.

    Args:
        function: returns one Tensor. Its arguments are tensors, arrays, numbers, texts and functions,
            in lists, tuples and dicts. Another function as an argument needs another program. Or what
            `mg.pytorch()` watched: its graph is there already. Then `step()` computes with copies of
            what it was given, by name `step.tensors`; `step(x=other)` takes another in place of one.
        exact: keep the bits of the function itself, but for the sign of a zero. Else sums may be rounded
            in another order, and constant factors multiplied in another one, so that other numbers near
            the largest overflow; a / b may be a (1 / b), which overflows where an array b is below 1e-38
            in float32; and a gradient of a table that is not finite in one row may be so in others.
        at_once: make the program at the first call of a shape, by recorded calls whose results and draws
            are thrown away. So the bits of a call do not depend on which calls came before it.
        plans: how many programs there are at most. Where there are that many, a shape has one after 30
            calls and two that are recorded (with `at_once`, at its first), and the one that was used
            least recently is dropped.

    Under `record()` and `detect_anomaly()`, the function runs as it is.

    On Linux, the first program sets for the whole process that memory which is freed is kept for later
    arrays (see `heap`).

    A call raises:
        GraphError: if the function returns no tensor, takes numbers out of the graph (`item()`, an
            `if`), computes something else from call to call, or changes an array, a leaf, a gradient,
            an optimiser or the seed; with `at_once` anything outside.
        ArgumentError: for an argument of another type.

    `backward()` of what it returns raises:
        GraphError: with create_graph, a second time, and after the next call of the same shapes, which
            uses the same memory.
    """
    exact = flag("exact", exact)
    if isinstance(function, Watched):
        return CompiledGraph(function, exact)
    called = checked_function("what is compiled", function)
    plans = whole("plans", plans, least=1)
    return Compiled(called, exact, flag("at_once", at_once), plans)


class _Call(NamedTuple):
    """A call, and what it is known by.

    Attributes:
        args, kwargs: its arguments.
        arrays: all arrays and tensors among them.
        key: what its plan depends on.
        outside: what stands outside, so that it is kept, and its ids are not another object's.
    """

    args: tuple
    kwargs: dict[str, Any]
    arrays: list[Any]
    key: Key
    outside: list[Any]


class _Met(NamedTuple):
    """The calls of a key for which there is no plan yet.

    Attributes:
        calls: how many have ended, not recorded.
        facts: of the recorded call, or None.
        outside: as of a call.
    """

    calls: int
    facts: list[Fact] | None
    outside: list[Any]


class Compiled(WithProgram):
    """A function that runs as programs. See `compile`.

    A call depends on the state of its key, and may change it:

        state     calls      the function runs        the call returns       the state after it
        new       first      as it is                 its result             due
        due       second     recorded: `facts`        its result             due, with facts
        due       third      recorded: same facts?    what its plan gives    planned
        planned   later      not at all               what the plan gives    planned

    Facts are what a program takes for granted. For the first shapes of a function, they are compared
    with those for other numbers, too.

    - Where there are `plans` plans already, a key is new for `PATIENCE` calls.
    - With `at_once`, no key is new: the first call is recorded until there is a plan, which it runs.
    - A recorded call may change what stands outside, and so the key: then the new key counts.

    Threads share plans, and what is known before there is one; recorded calls wait for each other. The
    memory of a plan's program is a thread's own.

    Attributes:
        function: the function itself.
        exact: whether the bits are its own.
        at_once: whether the first call of a shape runs its program.
        plans: how many programs there are at most.
    """

    def __init__(self, function: Callable, exact: bool, at_once: bool, plans: int):
        functools.update_wrapper(self, function)
        self.function, self.exact, self.at_once, self.plans = function, exact, at_once, plans
        self._outside = Outside(function)
        self._changing = Changing(getattr(function, "__name__", "the function"), self._outside)
        self._lock = threading.RLock()
        self._met: OrderedDict[Key, _Met] = OrderedDict()
        self._checked: set[Key] = set()  # keys without shapes, compared for other numbers
        self._plans: OrderedDict[Key, tuple[Plan, list[Any]]] = OrderedDict()  # and what is outside
        self._example: tuple[tuple, dict[str, Any]] = (), {}  # the arguments of the last plan

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if mode.get().watchers:
            return self.function(*args, **kwargs)
        call = self._call_with(args, kwargs)
        plan = self._plan_of(call)
        if plan is not None:
            return self._by_plan(plan, call)
        self._changing.note(call.key)
        for _ in range(1 + RECORDED):  # the first may change the key; then the new one is recorded
            result = self._without_plan(call)
            if result is not AGAIN:
                return result
            call = self._call_with(args, kwargs)
            plan = self._plan_of(call)
            if plan is not None:
                return self._by_plan(plan, call)
        if not self.at_once:
            return self.function(*args, **kwargs)  # what stands outside is another thing each time
        raise GraphError(
            f"{getattr(self.function, '__name__', 'the function')} changes what stands outside of it, "
            f"such as an attribute, each time that it runs, and at_once=True lets it run more than once "
            f"for a call. Change that outside of the function, or leave at_once out"
        )

    def __get__(self, instance: Any, _owner: type | None = None) -> Compiled:
        """Refuse to be a method: programs are of one object, and a class has many."""
        if instance is None:
            return self
        name = getattr(self.function, "__name__", "step")
        raise ArgumentError(
            f"a method is compiled for each object by itself: without @mg.compile above {name}, write "
            f"self.{name} = mg.compile(self.{name}) in __init__"
        )

    @property
    def graph(self) -> Graph:
        """The graph of the function itself, recorded now for the arguments of the last plan.

        Random numbers are drawn from a copy of the generator.

        Raises:
            GraphError: as `program`.
        """
        self._last()
        args, kwargs = self._example
        with self._outside.drawn_again(), record():
            result = self.function(*args, **kwargs)
        return graph(result)

    def _last(self) -> Plan:
        if not self._plans:
            why = (
                f", and {name} was different at each call" if (name := self._changing.name) else ""
            )
            raise GraphError(
                f"there is no program yet: it is made at the third call with arguments of one shape, or "
                f"with at_once=True at the first{why}"
            )
        return next(reversed(self._plans.values()))[0]

    # A call, and the plan for it

    def _call_with(self, args: tuple, kwargs: dict[str, Any]) -> _Call:
        """The call with these arguments."""
        arrays: list[Any] = []
        outside, of_outside = self._outside.now()
        form = form_of((args, kwargs), arrays)
        same = alike(arrays, self._outside.holds)
        key = Key(mode.get().grad, get_default_dtype(), form, same, of_outside)
        return _Call(args, kwargs, arrays, key, outside)

    def _by_plan(self, plan: Plan, call: _Call) -> Any:
        """The result of the program: a node with an edge to each tensor that gets a gradient."""
        try:
            run, parents = plan.start(call.arrays)
        except PROBLEMS:
            # Its error says what is wrong, and where.
            return self.function(*call.args, **call.kwargs)
        return one_node(run, parents) if parents else tensor_of(run.result)

    def _plan_of(self, call: _Call) -> Plan | None:
        """The plan for a call, if there is one that fits; it is the last used from now on."""
        known = self._plans.get(call.key)
        if known is None or not known[0].inputs.fit(call.arrays):
            return None
        with self._lock:
            _remember(self._plans, call.key, known, self.plans)
        return known[0]

    # Calls before there is a plan

    def _without_plan(self, call: _Call) -> Any:
        """The result of a call for which there is no plan; AGAIN if there may be one now."""
        with self._lock:
            met = self._met.get(call.key, _Met(0, None, call.outside))
            if self._is_due(met):
                return self._record(call, met)
        return self._as_it_is(call, met)

    def _is_due(self, met: _Met) -> bool:
        """Tell whether a key is to have a plan: its calls are recorded."""
        return self.at_once or met.calls >= (1 if len(self._plans) < self.plans else PATIENCE)

    def _as_it_is(self, call: _Call, met: _Met) -> Any:
        """The result of the function itself, for a key that is new."""
        result = self.function(*call.args, **call.kwargs)
        check_result(self.function, result)
        with self._lock:  # it has come to its end: what it computes once, and keeps, is there
            met = self._met.get(call.key, met)
            _remember(self._met, call.key, met._replace(calls=met.calls + 1), MET)
        return result

    def _record(self, call: _Call, met: _Met) -> Any:
        """Record a call, and make the plan where there are facts to compare it with, or none are needed.

        Returns:
            The result of the first one that is recorded; AGAIN of others, whose numbers are drawn again.
        """
        is_result = met.facts is None and not self.at_once
        with contextlib.nullcontext() if is_result else self._outside.drawn_again():
            recorded = RecordedCall(
                self.function, call.args, call.kwargs, call.arrays, self._outside.leaves()
            )
        result = recorded.result if is_result else AGAIN
        recorded.result = None  # it holds all arrays of the call
        now = self._looked_at_again(call, recorded)
        if met.facts is not None and now.key == call.key:
            recorded.check(met.facts)
        elif not (self.at_once and _without_shapes(now) in self._checked):
            _remember(self._met, now.key, _Met(met.calls, recorded.facts(), now.outside), MET)
            return result
        self._make_plan(recorded, now)
        return AGAIN

    def _looked_at_again(self, call: _Call, recorded: RecordedCall) -> _Call:
        """The call with all that it is known, since it was recorded, to read outside."""
        self._outside.note(recorded, call.args, call.kwargs)
        outside, of_outside = self._outside.now()
        same = alike(call.arrays, self._outside.holds)
        return call._replace(key=call.key._replace(alike=same, outside=of_outside), outside=outside)

    def _make_plan(self, recorded: RecordedCall, call: _Call) -> None:
        """Make the plan for a call that was recorded; the first time also for other numbers."""
        code = _without_shapes(call)
        if code not in self._checked:
            check_with_other_numbers(self.function, call.args, call.kwargs, recorded, self._outside)
            self._checked.add(code)
        self._met.pop(call.key, None)
        self._example = call.args, call.kwargs
        plan = Plan(recorded.inputs(), call.key.grad, self.exact)
        _remember(self._plans, call.key, (plan, call.outside), self.plans)

    def __reduce__(self) -> tuple:
        again = functools.partial(compile, exact=self.exact, at_once=self.at_once, plans=self.plans)
        return again, (self.function,)


def _without_shapes(call: _Call) -> Key:
    """The key of a call, in which its arguments count by their types and dtypes alone."""
    return call.key._replace(form=form_of((call.args, call.kwargs), [], shapes=False))


def _remember(known: OrderedDict, key: Any, value: Any, most: int) -> None:
    """Remember a value, and forget the one that was used least recently if there are too many."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > most:
        known.popitem(last=False)
