"""A learner's walk back, or its order, in the place of the engine's: the graph that it is given, and
what the engine makes of its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from ....engine import walk as engine
from ....engine.base import AnyArray
from ....engine.modes import mode
from ....engine.node import Edge, Node
from ....engine.tensor import Tensor


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

    def visits(
        starts: Mapping[Node, AnyArray], goals: set[Node] | None = None, frees: bool = False
    ) -> Iterator[engine.Visit]:
        ways = engine.order(starts, goals)
        root, first = next(iter(starts.items()), (None, None))
        other = len(starts) > 1 or isinstance(first, Tensor) or np.any(first != 1)
        if root is None or not ways or other:
            yield from before(starts, goals, frees)
            return
        passed_on: dict[Node, list[engine.Contribution]] = {node: [] for node in ways}
        gradients = walk(_with_slopes(ways, passed_on, walk.library), root.number)  # type: ignore
        arrived: dict[Node, AnyArray] = {}
        for node in ways:
            g = np.asarray(gradients.get(node.number, 0), node.dtype)
            contributions = [_added(one, arrived) for one in passed_on[node]]
            visit = engine.Visit(node, np.array(np.broadcast_to(g, node.shape)), contributions)
            for watcher in mode.get().watchers:
                watcher.on_visit(visit)
            yield visit
            if frees:
                node.saved = None

    return visits


def _with_slopes(
    ways: Mapping[Node, Sequence[Edge]],
    passed_on: Mapping[Node, list[engine.Contribution]],
    library: Callable,
) -> dict[int, list[tuple[int, Slope]]]:
    """The graph as a learner's `walk` is given it: by the number of each node, where its edges lead."""
    return {
        node.number: [
            (edge.to.number, Slope(node, edge, passed_on[node], library)) for edge in edges
        ]
        for node, edges in reversed(ways.items())  # type: ignore
    }


def _added(one: engine.Contribution, arrived: dict[Node, AnyArray]) -> engine.Contribution:
    """A contribution with what had arrived at its node before it and has after it, which is noted."""
    before = arrived.get(one.to)
    arrived[one.to] = one.fitted if before is None else before + one.fitted
    return one._replace(before=before, after=arrived[one.to])


def ordering(before: Callable, order: Callable) -> Callable:
    """A learner's `order` as the engine's. A node to which nothing has come yet passes nothing on."""

    def ordered(starts: Iterable[Node], goals: set[Node] | None = None) -> dict[Node, list[Edge]]:
        starts = list(starts)
        ways = before(starts, goals)
        if len(starts) != 1 or not ways:
            return ways
        (root,) = starts
        nodes = {node.number: node for node in ways}
        graph = {node.number: [to.number for _, _, to in edges] for node, edges in ways.items()}
        arrived, reached = {root}, {}
        for node in map(nodes.__getitem__, order(graph, root.number)):
            if node in arrived:
                reached[node] = ways[node]
                arrived.remove(node)
                arrived.update(to for _, _, to in ways[node])
        return reached

    return ordered
