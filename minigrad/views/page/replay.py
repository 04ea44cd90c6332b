"""Checks of a recorded graph by finite differences: nudge one node, and compute all that follows.

The graph is computed again in float64 from its leaves. For each node a random direction is chosen, and
the value is moved along it by a small step either way. The change of the result is compared with the
change that the node's gradient predicts.
"""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine import rules
from ...ran.data import GraphNode
from ...script.bodies import body_of
from ...script.script import Script, compute
from ...script.symbols import Line, Symbol

STEP = 1e-5
MOST_NUMBERS = 2_000_000_000  # numbers to compute: if there are more, no check is run
OVERHEAD = 5000  # numbers that take as long as the overhead of one call


class Check(NamedTuple):
    """One node's gradient compared with finite differences along one random direction.

    Attributes:
        measured: the change of the result for a unit of the direction.
        predicted: the change that the gradient predicts.
        tolerance: the largest difference of the two that is right.
        kink: whether the slopes to both sides differ: then there is no right answer.
    """

    measured: float
    predicted: float
    tolerance: float
    kink: bool

    @property
    def ok(self) -> bool:
        return abs(self.measured - self.predicted) <= self.tolerance


def checks(script: Script) -> dict[int, Check]:
    """The check of every node with a gradient, by number; none, if there is too much to compute."""
    graph = script.graph
    work = sum(math.prod(n.shape) + OVERHEAD for n in graph.nodes) * len(graph)
    ends = {n: graph[n].gradient for n in graph.roots}
    if work > MOST_NUMBERS or any(g is None for g in ends.values()):
        return {}
    with np.errstate(all="ignore"):
        replay = _Replay(script, ends)
        checked = {}
        for node in graph.nodes:
            if node.gradient is not None and node.gradient.size and node.dtype.kind == "f":
                checked[node.number] = replay.check(node)
        return checked


class _Replay:
    """The forward pass of a script, in float64.

    Attributes:
        wide: the arrays of symbols, by their ids.
        users: the places of the lines that read a symbol, by its id.
    """

    def __init__(self, script: Script, ends: Mapping[int, Any]):
        self.values = script.values
        self.ends = {n: np.asarray(g, np.float64) for n, g in ends.items()}
        self.lines = script.lines[: script.ahead]
        held = (s for s in script.values.values() if s.call is None)
        self.wide: dict[int, Any] = {id(symbol): _wide(symbol.value) for symbol in held}
        compute(self.lines, self.wide, _in_float64)
        self.users: dict[int, list[int]] = {}
        for place, line in enumerate(self.lines):
            for read in line.parts:
                self.users.setdefault(id(read), []).append(place)

    def check(self, node: GraphNode) -> Check:
        """Compare the gradient of a node with the change of the result along one direction."""
        symbol = self.values[node.number]
        x = self.wide[id(symbol)]
        direction = np.random.default_rng(node.number).standard_normal(x.shape)
        direction = direction / np.linalg.norm(direction)
        h = _step(x)
        after = self._after(symbol)

        def change(step: float) -> float:
            moved = ChainMap({id(symbol): x + step * direction}, self.wide)
            compute(after, moved, _in_float64)
            ends = ((g, id(self.values[n])) for n, g in self.ends.items())
            return sum(float(np.sum(g * (moved[i] - self.wide[i]))) for g, i in ends)

        right, left = change(h) / h, -change(-h) / h
        measured = (right + left) / 2
        gradient = np.asarray(node.gradient, np.float64)
        predicted = float(np.sum(gradient * direction))
        kink = abs(right - left) > 0.1 * max(abs(right), abs(left))
        return Check(measured, predicted, self._tolerance(node, gradient, measured, h), bool(kink))

    def _tolerance(self, node: GraphNode, gradient: np.ndarray, measured: float, h: float) -> float:
        """The largest error of a slope that is right, which has three causes."""
        start = max(float(np.linalg.norm(g)) for g in self.ends.values())
        eps = float(np.finfo(node.dtype).eps)
        rounded_gradient = eps * (start + 1000 * float(np.linalg.norm(gradient)))
        bend_between_the_ends = 1e-3 * abs(measured)
        rounded_ends = 1e-10 * start * STEP / h  # float64 leaves less of a larger step
        return rounded_gradient + bend_between_the_ends + rounded_ends

    def _after(self, symbol: Symbol) -> list[Line]:
        """The lines that are computed from a symbol, in order."""
        places: set[int] = set()
        waiting = [symbol]
        while waiting:
            for place in self.users.get(id(waiting.pop()), ()):
                if place not in places:
                    places.add(place)
                    waiting.append(self.lines[place])
        return [self.lines[place] for place in sorted(places)]


def _step(x: np.ndarray) -> float:
    """The size of a small step from `x`: in proportion to its numbers, if these are large."""
    size = float(np.sqrt(np.mean(np.square(x)))) if np.all(np.isfinite(x)) else 1.0
    return STEP * max(1.0, size)


def _in_float64(function: Callable, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """The result of a function, in float64."""
    if function is body_of(rules.astype) and np.dtype([*args, *options.values()][1]).kind == "f":
        return args[0]
    return _wide(function(*args, **options))


def _wide(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(map(_wide, value))
    array = np.asarray(value)
    return array.astype(np.float64, copy=False) if array.dtype.kind == "f" else array
