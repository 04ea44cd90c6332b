"""Gradients that become too small, or too large, on their way."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...engine.source import SourceLine
from ...ran.data import GraphEdge, GraphNode
from ..graph import Graph
from .remedies import GENERAL
from .trouble import Trouble
from .wording import SCALED, plain, size_of

# A gradient that shrinks, or grows, by so much on its way is said to vanish, or to explode.
FAR = 1e4
STEPS = 6  # on a way of at least so many operations


def along_the_way(graph: Graph) -> Iterator[Trouble]:
    """The deepest way back from the result: how much the size of the gradient changes on it."""
    way = _deepest_way(graph)
    steps = _changes(graph, way)
    change = sum(log for _, log in steps)
    most = max((log for _, log in steps), key=abs, default=0.0)  # of one operation, as a loss
    if len(steps) < STEPS or not min(abs(change), abs(change - most)) >= math.log(FAR):
        return
    kind = "vanishes" if change < 0 else "explodes"
    by_line: dict[SourceLine | None, float] = {}
    for node, log in steps:
        by_line[node.line] = by_line.get(node.line, 0) + log
    line = (min if change < 0 else max)(by_line, key=by_line.__getitem__)
    node = next(n for n, _ in steps if n.line == line)
    what = (
        f"on the way back through {len(steps)} operations the size of the gradient changes by a factor "
        f"of {math.exp(change):.2g}, of which {math.exp(by_line[line]):.2g} on one line"
    )
    sizes = [size_of(graph[e.source].gradient) for e in way[:: max(1, len(way) // 5)]]
    numbers = ("its size on the way back: " + ", ".join(f"{size:.2g}" for size in sizes),)
    yield Trouble(kind, what, line, numbers, GENERAL[kind], node.number, back=True)


def _deepest_way(graph: Graph) -> list[GraphEdge]:
    """The longest way along which a gradient goes back from the result."""
    depth: dict[int, int] = {}
    deepest: dict[int, GraphEdge] = {}
    for edge in sorted(graph.edges, key=lambda e: e.target):
        if edge.differentiable and edge.contribution is not None:
            here = depth.get(edge.source, 0) + 1
            if here > depth.get(edge.target, 0):
                depth[edge.target], deepest[edge.target] = here, edge
    way, number = [], graph.roots[0]
    while number in deepest:
        way.append(deepest[number])
        number = way[-1].source
    return way


def _changes(graph: Graph, way: list[GraphEdge]) -> list[tuple[GraphNode, float]]:
    """The operations of a way, each with the logarithm of what it makes the gradient larger by.

    Those at its beginning that scale the loss, or add it up, are left out.
    """
    steps: list[tuple[GraphNode, float]] = []
    for edge in way:
        came, passed = (size_of(graph[n].gradient) for n in (edge.target, edge.source))
        node = graph[edge.target]
        scales = not node.shape and plain(node.operation) in SCALED  # as a GradScaler does
        leading = not steps and (scales or plain(node.operation) in ("sum", "mean"))
        if came and passed and not leading:
            steps.append((node, math.log(passed / came)))
    return steps
