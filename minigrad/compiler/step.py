"""The compiled function: a plan for each shape of its arguments, and one node for a call."""

from __future__ import annotations

import functools
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..aten.watched import Watched
from ..engine.errors import PROBLEMS
from ..engine.kinds import named
from ..engine.modes import get_default_dtype, mode
from ..engine.source import pass_over
from ..engine.tensor import Tensor, tensor_of
from ..errors import ArgumentError, GraphError
from ..ran.loop import record
from ..settings import flag, whole
from ..settings import function as checked_function
from ..views.graph import Graph, graph
from .changing import Changing
from .keys import Key, alike, signature_of
from .of_watched import CompiledGraph
from .other_numbers import check_with_other_numbers
from .outside import Outside
from .plan import Plan, WithProgram
from .recorded import Fact, RecordedCall, check_result, function_name, record_call
from .running import one_node

pass_over(os.path.dirname(__file__) + os.sep)

PATIENCE = 30  # calls of a new shape, after which an old plan is dropped for it
HISTORIES = 64  # keys without a plan that are remembered
# Of one call at most: two that are alike make a plan, and the first may change the key.
RECORDINGS = 3


@named
def compile(  # noqa: A001 - as in PyTorch
    function: Callable | Watched, *, exact: bool = False, at_once: bool = False, plans: int = 8
) -> Compiled | CompiledGraph:
    """Return `function`, made to run as one NumPy program with planned memory.

        step = mg.compile(loss_of)
        loss = step(source, target)
        loss.backward()

    The first call with arguments of new shapes runs as it is. The second is recorded. So is the third,
    which must compute the same. For the first of its shapes, the function is recorded twice more, with
    other numbers in the same arguments. If it computes something else then, or with other constants, an
    error names the line. From then on the program runs.

    A number or a text is part of the program: another value needs another program. So is every object
    that the function names outside: variables, defaults, attributes, items, and the attributes of
    modules, such as `training`. This holds for the functions of the same file that it calls, too.
    Tensors are read again in each call. All that the function does beside computing, such as printing,
    happens in recorded calls alone. Do not change

    - single numbers of an array of more than 64 KB that it reads outside: give it as an argument, or as
      a Tensor;
    - objects that functions of other files read outside;
    - attributes whose names are computed.

    Numbers that are taken out of an argument unseen, as by `np.float32(n)`, are found only if other
    arguments give other numbers: compute with the arrays themselves.

    For small arrays, start Python with OPENBLAS_NUM_THREADS=1. On a busy machine, the threads of a
    product wait for each other, and a step can take up to 30 times as long.

    Args:
        function: returns one Tensor. Its arguments are tensors, arrays, numbers, texts and functions,
            in lists, tuples and dicts. Another function as an argument needs another program. Or the
            `watched` of `mg.pytorch()`: its graph is there already. Then `step()` computes with copies
            of its tensors, by name `step.tensors`; `step(x=other)` takes another in place of one.
        exact: keep the bits of the function itself, but for the sign of a zero. Else sums may be rounded
            in another order, and constant factors multiplied in another one, so that other numbers near
            the largest overflow; a / b may be a (1 / b), which overflows where an array b is below 1e-38
            in float32; and a gradient of a table that is not finite in one row may be so in others.
        at_once: make the program at the first call of a shape, by recorded calls whose results and draws
            are thrown away. So the bits of a call do not depend on the calls before it.
        plans: how many programs there are at most. Beyond, a shape gets one after 30 calls and two that
            are recorded (with `at_once`, at its first call), and the one that was used least recently is
            dropped.

    Under `record()` and `detect_anomaly()`, the function runs as it is.

    On Linux, the first program sets for the whole process that freed memory is kept for later arrays
    (see `heap`).

    A call raises:
        GraphError: if the function returns no tensor, takes numbers out of the graph (`item()`, an
            `if`), does not compute the same in each call, or changes an array, a leaf, a gradient, an
            optimiser or the seed; with `at_once`, also if it changes anything else outside.
        ArgumentError: for an argument of another type.

    `backward()` of what it returns raises:
        GraphError: with create_graph; if it is called a second time; and after the next call of the same
            shapes, which uses the same memory.
    """
    exact = flag("exact", exact)
    if isinstance(function, Watched):
        return CompiledGraph(function, exact)
    checked = checked_function("what is compiled", function)
    return Compiled(checked, exact, flag("at_once", at_once), whole("plans", plans, least=1))


class _Call(NamedTuple):
    """A call, and all that its plan depends on.

    Attributes:
        args, kwargs: its arguments.
        arrays: all arrays and tensors among them.
        key: all that its plan depends on.
        outside: the objects that stand outside: while they are kept, no other object has their ids.
    """

    args: tuple
    kwargs: dict[str, Any]
    arrays: list[Any]
    key: Key
    outside: list[Any]


class _History(NamedTuple):
    """The calls so far with one key, for which there is no plan yet.

    Attributes:
        calls: the number of those that ran as they are.
        facts: the facts of the call that was recorded; None before.
        outside: the objects that stood outside in the last one.
    """

    calls: int = 0
    facts: list[Fact] | None = None
    outside: Sequence[Any] = ()


class Compiled(WithProgram):
    """A function that runs as programs. See `compile`.

    A call depends on the state of its key, and may change it:

        state      calls      the function runs        the call returns       the state after it
        new        first      as it is                 its result             due
        due        second     recorded: its facts      its result             recorded
        recorded   third      recorded: same facts?    what its plan gives    planned
        planned    later      not at all               what the plan gives    planned

    Facts are what a program takes for granted. For the first shapes of a function, they are compared
    with those for other numbers, too.

    - Where there are `plans` plans already, a key is new for `PATIENCE` calls.
    - With `at_once`, every key without a plan counts as recorded: the first call is recorded until there
      is a plan.
    - A recorded call may change what stands outside, and so the key. Then the state of the new key
      counts.

    Threads share plans and histories. Recorded calls wait for each other. Each thread has its own memory
    for the program of a plan.

    Attributes:
        function: the function itself.
        exact: whether the programs keep its bits.
        at_once: whether the first call of a shape runs its program.
        plans: how many programs there are at most.
    """

    def __init__(self, function: Callable, exact: bool, at_once: bool, plans: int):
        functools.update_wrapper(self, function)
        self.function, self.exact, self.at_once, self.plans = function, exact, at_once, plans
        self._outside = Outside(function)
        self._changing = Changing(function_name(function), self._outside)
        self._lock = threading.RLock()
        self._histories: OrderedDict[Key, _History] = OrderedDict()
        self._plans: OrderedDict[Key, tuple[Plan, list[Any]]] = OrderedDict()  # and what is outside
        self._checked: set[Key] = set()  # keys without shapes, compared for other numbers
        self._example: tuple[tuple, dict[str, Any]] = (), {}  # the arguments of the last plan

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if mode.get().watchers:
            return self.function(*args, **kwargs)
        call = self._call_with(args, kwargs)
        plan = self._plan_of(call)
        if plan is not None:  # planned
            return self._by_plan(plan, call)
        self._changing.note(call.key)
        if not self._is_to_be_recorded(call.key):  # new
            return self._as_it_is(call)
        with self._lock:
            if self._history(call.key).facts is None and not self.at_once:  # due
                return self._recorded(call)
            call, plan = self._recorded_until_planned(call)  # recorded
        if plan is None:  # what stands outside is something else at each call
            return self.function(*args, **kwargs)
        return self._by_plan(plan, call)

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

    # The key of a call, and its state

    def _call_with(self, args: tuple, kwargs: dict[str, Any]) -> _Call:
        """The call with these arguments."""
        arrays: list[Any] = []
        outside, marks = self._outside.look()
        signature = signature_of((args, kwargs), arrays)
        same = alike(arrays, self._outside.holds)
        key = Key(mode.get().grad, get_default_dtype(), signature, same, marks)
        return _Call(args, kwargs, arrays, key, outside)

    def _plan_of(self, call: _Call) -> Plan | None:
        """The plan for a call, if there is one that fits; it is the last used from now on."""
        entry = self._plans.get(call.key)
        if entry is None or not entry[0].inputs.fit(call.arrays):
            return None
        with self._lock:
            _remember(self._plans, call.key, entry, self.plans)
        return entry[0]

    def _is_to_be_recorded(self, key: Key) -> bool:
        """Tell whether a key without a plan is to have one now."""
        patience = 1 if len(self._plans) < self.plans else PATIENCE
        return self.at_once or self._history(key).calls >= patience

    def _history(self, key: Key) -> _History:
        return self._histories.get(key, _History())

    # A call in each state

    def _by_plan(self, plan: Plan, call: _Call) -> Any:
        """The result of the program: a node with an edge to each tensor that gets a gradient."""
        try:
            run, parents = plan.start(call.arrays)
        except PROBLEMS:
            # Its error says what is wrong, and where.
            return self.function(*call.args, **call.kwargs)
        return one_node(run, parents) if parents else tensor_of(run.result)

    def _as_it_is(self, call: _Call) -> Any:
        """The result of the function itself; its call is counted."""
        result = self.function(*call.args, **call.kwargs)
        check_result(self.function, result)
        with self._lock:  # after the call: what it computes once, and keeps, is there
            before = self._history(call.key)
            history = _History(before.calls + 1, before.facts, call.outside)
            _remember(self._histories, call.key, history, HISTORIES)
        return result

    def _recorded(self, call: _Call) -> Any:
        """The result of the function, which is recorded; its facts are kept."""
        result, recorded = self._record_call(call)
        self._keep_facts(recorded, call, self._seen_again(call, recorded))
        return result

    def _recorded_until_planned(self, call: _Call) -> tuple[_Call, Plan | None]:
        """Record a call until there is a plan for it. The results and the draws are thrown away.

        Returns:
            the call with the key of the plan, and the plan; None if each recorded call changes the key.

        Raises:
            GraphError: in place of None, with `at_once`.
        """
        for _ in range(RECORDINGS):
            with self._outside.drawn_again():
                recorded = self._record_call(call)[1]
            self._plan_or_keep(recorded, call)
            call = self._call_with(call.args, call.kwargs)
            plan = self._plan_of(call)
            if plan is not None:
                return call, plan
        if not self.at_once:
            return call, None
        raise GraphError(
            f"{function_name(self.function)} changes what stands outside of it, such as an attribute, "
            f"each time that it runs, and at_once=True lets it run more than once for a call. Change "
            f"that outside of the function, or leave at_once out"
        )

    # What a recorded call leads to

    def _record_call(self, call: _Call) -> tuple[Tensor, RecordedCall]:
        outside = self._outside.leaves()
        return record_call(self.function, call.args, call.kwargs, call.arrays, outside)

    def _plan_or_keep(self, recorded: RecordedCall, call: _Call) -> None:
        """Make the plan, if the facts of a recorded call are those of one before it; else keep them."""
        now = self._seen_again(call, recorded)
        facts = self._history(call.key).facts
        if facts is not None and now.key == call.key:
            recorded.check(facts)
        elif not (self.at_once and _without_shapes(now) in self._checked):
            self._keep_facts(recorded, call, now)
            return
        self._make_plan(recorded, now)

    def _seen_again(self, call: _Call, recorded: RecordedCall) -> _Call:
        """The call with the key that it has now: its recording shows what else stands outside."""
        self._outside.note(recorded, call.args, call.kwargs)
        outside, marks = self._outside.look()
        same = alike(call.arrays, self._outside.holds)
        return call._replace(key=call.key._replace(alike=same, outside=marks), outside=outside)

    def _keep_facts(self, recorded: RecordedCall, call: _Call, now: _Call) -> None:
        """Keep the facts of a recorded call for the key that it has now. Its history goes on there."""
        calls = self._history(call.key).calls
        history = _History(calls, recorded.facts(), now.outside)
        _remember(self._histories, now.key, history, HISTORIES)

    def _make_plan(self, recorded: RecordedCall, call: _Call) -> None:
        """Make the plan for a call that was recorded; the first time also for other numbers."""
        code = _without_shapes(call)
        if code not in self._checked:
            check_with_other_numbers(self.function, call.args, call.kwargs, recorded, self._outside)
            self._checked.add(code)
        self._histories.pop(call.key, None)
        self._example = call.args, call.kwargs
        plan = Plan(recorded.inputs(), call.key.grad, self.exact)
        _remember(self._plans, call.key, (plan, call.outside), self.plans)

    def __reduce__(self) -> tuple:
        again = functools.partial(compile, exact=self.exact, at_once=self.at_once, plans=self.plans)
        return again, (self.function,)


def _without_shapes(call: _Call) -> Key:
    """The key of a call, in which its arguments count by their types and dtypes alone."""
    return call.key._replace(signature=signature_of((call.args, call.kwargs), [], shapes=False))


def _remember(table: OrderedDict, key: Any, value: Any, most: int) -> None:
    """Remember a value, and forget the one that was used least recently if there are too many."""
    table[key] = value
    table.move_to_end(key)
    if len(table) > most:
        table.popitem(last=False)
