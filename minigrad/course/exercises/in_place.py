"""Functions of a learner in the engine and in a model: each takes its place, the rest is the library's.

    with in_place(PLACES, {"softmax": theirs}) as watch:
        loss = model(x)                  # theirs computes every softmax in it
        loss.backward()
    watch.calls["softmax"], watch.seconds["softmax"]

A place is an entry of a mapping: of a module's names, or of a table. What is put there is made of the
learner's functions by an adapter. These functions take and return arrays; so an operation is made of
each, whose derivative is a rule of the learner's, or the library's. The table of places stands with
the exercises, in `examples/exercises/places.py`.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from ... import transforms
from ...engine import walk as engine
from ...engine.base import AnyArray
from ...engine.modes import mode, setting
from ...engine.node import Edge, Node
from ...engine.table import TABLE, Operation, dispatched
from ...engine.table import rule as enter
from ...engine.tensor import Array, Tensor
from .wording import shown

Functions = Mapping[str, Callable]
NOTHING: Any = object()
FAILED = 3  # the exit status of a run that has said itself why it failed


class Place(NamedTuple):
    """A place in the engine or in a model.

    Attributes:
        exercises: whose functions it takes, by name; some of them may be missing.
        home: the mapping where it is.
        key: of what stands there.
        adapter: what is put there, made of what stands there and of the learner's functions, which it
            is given by their names.
    """

    exercises: Sequence[str]
    home: MutableMapping[Any, Any]
    key: Any
    adapter: Callable


class Watch:
    """Counts of each function's calls, and of the seconds that it ran by itself, without what it
    called in the library.

    Attributes:
        odd: the first call that made NaN or infinity of numbers that had none, in a sentence; or "".
    """

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.seconds: dict[str, float] = defaultdict(float)
        self.odd = ""
        self._running: list[str] = [""]
        self._since = time.perf_counter()

    @contextlib.contextmanager
    def running(self, name: str) -> Iterator[None]:
        """Within it, the time is that of `name`; of the library, if it is ""."""
        self._charge()
        self._running.append(name)
        try:
            yield
        finally:
            self._charge()
            self._running.pop()

    def watched(self, name: str, function: Callable) -> Callable:
        """`function`, with its calls counted."""

        def call(*arguments: object) -> Any:
            self.calls[name] += 1
            with self.running(name):
                value = function(*map(self._aside, arguments))
            if not self.odd and _odd(value) and all(_harmless(one) for one in arguments):
                self.odd = (
                    f"{name} was the first to give {_odd(value)}, in its call {self.calls[name]:,}, "
                    f"though nothing that it was given is nan or inf: "
                    f"{name}({', '.join(map(shown, arguments))})"
                )
            return value

        call.library = lambda: self.running("")  # type: ignore[attr-defined]
        return call

    def _aside(self, argument: object) -> Any:
        """A function among the arguments, whose time is the library's."""
        if not callable(argument):
            return argument

        def call(*arguments: object) -> Any:
            with self.running(""):
                return argument(*arguments)

        return call

    def now(self) -> str:
        """The name of the function that is running; "" if none is."""
        return next(filter(None, reversed(self._running)), "")

    def share(self, name: str) -> float:
        """The share of the time so far that is a function's own, or with "" the library's."""
        self._charge()
        return self.seconds[name] / (sum(self.seconds.values()) or 1.0)

    def _charge(self) -> None:
        now = time.perf_counter()
        self.seconds[self._running[-1]] += now - self._since
        self._since = now


def _odd(value: Any) -> str:
    """Name what is in an answer and is no finite number, "nan" or "inf"; or "" if nothing is."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next(filter(None, map(_odd, value)), "")
    floats = getattr(value, "dtype", type(value)) in (np.float64, np.float32, float)
    if not floats or np.isfinite(value).all():
        return ""
    return "nan" if np.isnan(value).any() else "inf"


def _harmless(value: object) -> bool:
    """Tell whether an argument is of numbers, and neither NaN nor inf; -inf is what masks put in."""
    if isinstance(value, (dict, list)) or callable(value):
        return False  # what it computes with it is not only its own
    return not (isinstance(value, np.ndarray) and _odd(np.where(np.isneginf(value), 0.0, value)))


@contextlib.contextmanager
def in_place(
    places: Sequence[Place], functions: Functions, watch: Watch | None = None
) -> Iterator[Watch]:
    """Within it, the functions, by the names of their exercises, stand in their places.

    Args:
        watch: what counts their calls; default: a new one.
    """
    watch = Watch() if watch is None else watch
    theirs = {name: watch.watched(name, function) for name, function in functions.items()}
    with contextlib.ExitStack() as back:
        for entry in list(TABLE.values()):  # all bodies are called with tensors, as theirs are
            _put(back, vars(entry), "plain", False)
        for place in places:
            own = {name: theirs[name] for name in place.exercises if name in theirs}
            if own:
                now = place.home.get(place.key)
                _put(back, place.home, place.key, place.adapter(now, **own))
        yield watch


def _put(back: contextlib.ExitStack, home: MutableMapping, key: object, value: object) -> None:
    """Put a value into a mapping, until the stack is left."""
    before = home.get(key, NOTHING)
    back.callback(lambda: home.pop(key) if before is NOTHING else home.update({key: before}))
    home[key] = value


# --- operations made of functions on arrays ---------------------------------------------------------


def operation(
    name: str, function: Callable | None, of: Callable, rules: Sequence[Callable | bool]
) -> Callable:
    """An operation on tensors that a function of a learner's computes, or a rule.

    Args:
        name: of the exercise.
        function: theirs, on arrays; None if the library computes it.
        of: what the library computes in its place, on tensors.
        rules: for each argument theirs, (g, y, *arguments) -> gradient; or True for the library's,
            False for none.
    """
    compute = of if function is None else function

    def run(*arguments: object) -> Any:
        return np.asarray(compute(*arguments))

    run.__name__ = f"{name} ({'your rule' if function is None else 'yours'})"
    made = (derivative(of, i) if rule is True else (rule or None) for i, rule in enumerate(rules))
    return enter(dispatched(run), *made)  # type: ignore[arg-type]


def derivative(of: Callable, i: int) -> Callable:
    """The library's derivative of a function by its argument `i`, as a rule on arrays."""

    def rule(g: Array, y: Array, *arguments: object) -> Any:
        along = lambda x: of(*arguments[:i], x, *arguments[i + 1 :])
        with setting(watchers=()):
            _, back = transforms.vjp(along, arguments[i])
            return back(g)[0].data

    return rule


def each(signature: str, function: Callable) -> Callable:
    """A function on matrices, for arrays with axes in front: it is called once for each matrix.

    Args:
        signature: the axes that it takes and gives, as in "(t,k),(s,k)->(t,s)".
    """
    return np.vectorize(function, signature=signature)


def with_rules(name: str, entry: Operation, *rules: Callable | None) -> Operation:
    """An operation of the table with other rules; None leaves the one that is there."""
    operation = Operation(
        entry.function, tuple(r or old for r, old in zip_longest(rules, entry.rules))
    )
    operation.name = f"{entry.name} ({name}: yours)"
    return operation


# --- the walk back ----------------------------------------------------------------------------------


class Slope:
    """An edge in the graph that a learner's `walk` is given.

    The product with a gradient is what the edge passes on: the rule of the operation runs.
    """

    __array_ufunc__ = None  # an array leaves the product to this class

    def __init__(
        self, node: Node, edge: Edge, passed_on: list[engine.Contribution], library: Callable
    ):
        self.node, self.edge, self.passed_on, self.library = node, edge, passed_on, library

    def __mul__(self, g: np.ndarray) -> np.ndarray:
        node, (position, item, to) = self.node, self.edge
        with self.library():
            g = np.array(np.broadcast_to(np.asarray(g, node.dtype), node.shape))
            contribution = node.operation.rules[position](g, *node.saved, **node.kwargs)  # type: ignore
            contribution = contribution if item is None else contribution[item]
            fitted = engine.fit(contribution, to, g)
            one = engine.Contribution(position, to, contribution, fitted, None, None)
        self.passed_on.append(one)
        return np.array(fitted)  # a copy, which += may change

    __rmul__ = __mul__


def walking(before: Callable, walk: Callable) -> Callable:
    """A learner's `walk` as the engine's; from a start that is not one number, the engine's own."""

    theirs = walk

    def walked(
        starts: Mapping[Node, AnyArray], wanted: set[Node] | None = None, frees: bool = False
    ) -> Iterator[engine.Visit]:
        ways = engine.order(starts, wanted)
        root, first = next(iter(starts.items()), (None, None))
        other = len(starts) > 1 or isinstance(first, Tensor) or np.any(first != 1)
        if root is None or not ways or other:
            yield from before(starts, wanted, frees)
            return
        passed_on: dict[Node, list[engine.Contribution]] = {node: [] for node in ways}
        graph = {
            node.number: [
                (edge[2].number, Slope(node, edge, passed_on[node], theirs.library))  # type: ignore
                for edge in edges
            ]
            for node, edges in reversed(ways.items())
        }
        gradients = theirs(graph, root.number)
        arrived: dict[Node, AnyArray] = {}
        for node in ways:
            g = np.asarray(gradients.get(node.number, 0), node.dtype)
            contributions = []
            for one in passed_on[node]:
                sofar = arrived.get(one.to)
                arrived[one.to] = one.fitted if sofar is None else sofar + one.fitted
                contributions.append(one._replace(before=sofar, after=arrived[one.to]))
            visit = engine.Visit(node, np.array(np.broadcast_to(g, node.shape)), contributions)
            for watcher in mode.get().watchers:
                watcher.on_visit(visit)
            yield visit
            if frees:
                node.saved = None

    return walked


def ordering(before: Callable, order: Callable) -> Callable:
    """A learner's `order` as the engine's. A node to which nothing has come yet passes nothing on."""

    theirs = order

    def ordered(starts: Iterable[Node], wanted: set[Node] | None = None) -> dict[Node, list[Edge]]:
        starts = list(starts)
        ways = before(starts, wanted)
        if len(starts) != 1 or not ways:
            return ways
        (root,) = starts
        nodes = {node.number: node for node in ways}
        graph = {node.number: [to.number for _, _, to in edges] for node, edges in ways.items()}
        arrived, reached = {root}, {}
        for node in map(nodes.__getitem__, theirs(graph, root.number)):
            if node in arrived:
                reached[node] = ways[node]
                arrived.remove(node)
                arrived.update(to for _, _, to in ways[node])
        return reached

    return ordered
