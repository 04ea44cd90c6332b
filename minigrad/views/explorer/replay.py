"""Checks of a recorded graph by finite differences: nudge one node, and compute all that follows.

The graph is computed again in float64 from its leaves. At each node a random direction is chosen, the
value is moved along it by a small step either way, and what the result changes by is compared with
what the node's gradient says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...engine import rules
from ..data import GraphData, GraphNode, Ref, Unknown

STEP = 1e-5
MOST = 2_000_000_000  # numbers to compute, beyond which no check is run
OVERHEAD = 5000  # numbers that take as long as one call


class Check(NamedTuple):
    """One node's gradient compared with finite differences along one random direction.

    Attributes:
        measured: what the result changes by, a unit of the direction.
        told: what the gradient says of it.
        tolerance: how far they may be apart.
        kink: whether the slopes to both sides differ, so that there is no right answer.
    """

    measured: float
    told: float
    tolerance: float
    kink: bool

    @property
    def ok(self) -> bool:
        return abs(self.measured - self.told) <= self.tolerance


def checks(graph: GraphData) -> dict[int, Check]:
    """The check of every node with a gradient, by number; none where the graph cannot be replayed."""
    work = sum(math.prod(n.shape) + OVERHEAD for n in graph.nodes) * len(graph)
    if work > MOST:
        return {}
    with np.errstate(all="ignore"):
        try:
            values = _values(graph)
        except LostError:
            return {}
        ends = [(n, graph[n].gradient) for n in graph.roots]
        if any(g is None for _, g in ends):
            return {}
        users: dict[int, list[int]] = {}
        for e in graph.edges:
            users.setdefault(e.source, []).append(e.target)
        made = {}
        for node in graph.nodes:
            if node.gradient is not None and node.gradient.size and node.dtype.kind == "f":
                made[node.number] = _check(graph, node, values, users, ends)
        return made


def _check(
    graph: GraphData,
    node: GraphNode,
    values: Mapping[int, np.ndarray],
    users: Mapping[int, list[int]],
    ends: list,
) -> Check:
    x = values[node.number]
    direction = np.random.default_rng(node.number).standard_normal(x.shape)
    direction = direction / np.linalg.norm(direction)
    h = STEP * max(1.0, float(np.sqrt(np.mean(np.square(x)))) if np.all(np.isfinite(x)) else 1.0)
    after = _after(node.number, users)

    def change(step: float) -> float:
        moved = {node.number: x + step * direction}
        for n in after:
            moved[n] = _result(graph[n], lambda k: moved[k] if k in moved else values[k])
        total = 0.0
        for n, g in ends:
            if n in moved:
                total += float(np.sum(np.asarray(g, np.float64) * (moved[n] - values[n])))
        return total

    right, left = change(h) / h, -change(-h) / h
    measured = (right + left) / 2
    gradient = np.asarray(node.gradient, np.float64)
    told = float(np.sum(gradient * direction))
    start = max(float(np.linalg.norm(g)) for _, g in ends)
    rounding = float(np.finfo(node.dtype).eps)
    tolerance = rounding * (start + 1000 * float(np.linalg.norm(gradient))) + 1e-3 * abs(measured)
    tolerance += 1e-10 * start / h * 1e-5
    kink = abs(right - left) > 0.1 * max(abs(right), abs(left))
    return Check(measured, told, tolerance, bool(kink))


def _after(number: int, users: Mapping[int, list[int]]) -> list[int]:
    """All that is computed from a node, in order."""
    found: set[int] = set()
    waiting = [number]
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in found:
                found.add(user)
                waiting.append(user)
    return sorted(found)


class LostError(Exception):
    """A value or an argument that the engine no longer holds."""


def _values(graph: GraphData) -> dict[int, np.ndarray]:
    """Every node's value, computed again in float64."""
    values: dict[int, np.ndarray] = {}
    for node in graph.nodes:
        if node.kind == "operation":
            values[node.number] = _result(node, values.__getitem__)
        elif node.value is None:
            raise LostError
        else:
            values[node.number] = _wide(node.value)
    return values


def _result(node: GraphNode, value_of: Callable[[int], np.ndarray]) -> Any:
    """An operation done again."""
    if node.function is rules.astype and node.dtype.kind == "f":
        return value_of(node.arguments[0].number)
    assert node.function is not None
    return _wide(node.function(*(_given(a, value_of) for a in node.arguments), **node.options))


def _given(argument: Any, value_of: Callable[[int], np.ndarray]) -> Any:
    if isinstance(argument, Ref):
        return value_of(argument.number)
    if isinstance(argument, (list, tuple)):
        return type(argument)([_given(a, value_of) for a in argument])
    if isinstance(argument, Unknown):
        raise LostError
    return argument


def _wide(array: np.ndarray) -> np.ndarray:
    array = np.asarray(array)
    return array.astype(np.float64) if array.dtype.kind == "f" else array
