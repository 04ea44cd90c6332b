"""Functions of a learner in the engine and in a model: each takes its place, the rest is the library's.

    with replacement(PLACES, {"softmax": theirs}) as profiler:
        loss = model(x)                  # theirs computes every softmax in it
        loss.backward()
    profiler.calls["softmax"], profiler.seconds["softmax"]

A place is an entry of a mapping: of a module's names, or of a table. What is put there is made of the
learner's functions by an adapter, of `operations` or, for functions that walk a graph, of
`walk_replacement`. The table of places stands with the exercises, in `examples/exercises/places.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, NamedTuple

from ....engine.table import TABLE
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
