"""Functions of a learner in the engine and in a model: each takes its place, the rest is the library's.

    with replacement(PLACES, {"softmax": theirs}) as profiler:
        loss = model(x)                  # theirs computes every softmax in it
        loss.backward()
    profiler.calls["softmax"], profiler.seconds["softmax"]

A place is an entry of a mapping: of a module's names, or of a table. What is put there is made of the
learner's functions by an adapter. These functions take and return arrays; so an operation is made of
each, whose derivative is a rule of the learner's, or the library's. Those that walk a graph have their
adapters in `walk_replacement`. The table of places stands with the exercises, in
`examples/exercises/places.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from .... import transforms
from ....engine.modes import setting
from ....engine.table import TABLE, Operation, dispatched
from ....engine.table import rule as enter
from ....engine.tensor import Array
from .profiler import Profiler

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


@contextlib.contextmanager
def replacement(
    places: Sequence[Place], functions: Functions, profiler: Profiler | None = None
) -> Iterator[Profiler]:
    """Within it, the functions, by the names of their exercises, stand in their places.

    Args:
        profiler: what counts their calls; default: a new one.
    """
    profiler = Profiler() if profiler is None else profiler
    theirs = {name: profiler.wrap(name, function) for name, function in functions.items()}
    with contextlib.ExitStack() as back:
        for entry in list(TABLE.values()):  # all bodies are called with tensors, as theirs are
            _put(back, vars(entry), "plain", False)
        for place in places:
            own = {name: theirs[name] for name in place.exercises if name in theirs}
            if own:
                now = place.home.get(place.key)
                _put(back, place.home, place.key, place.adapter(now, **own))
        yield profiler


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
