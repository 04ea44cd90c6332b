"""Gradients that become too small, or too large, on their way."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...engine.source import SourceLine
from ...ran.data import GraphEdge, GraphNode
from ..graph import Graph
from .reading import SCALED, TOTALS, leaves_of, size_of, sources, verb
from .remedies import GENERAL
from .trouble import Trouble

# A gradient that shrinks, or grows, by so much on its way is said to vanish, or to explode.
FAR = 1e4
LOST = 1e7  # what a step of a loop gives is lost in rounding the sum, of all steps, for its weights
STEPS = 6  # on a way of at least so many operations


def along_the_way(graph: Graph) -> Iterator[Trouble]:
    """The deepest way back from the result: how much the size of the gradient changes on it."""
    way = _deepest_way(graph)
    steps = _changes(graph, way)
    loop = _loop(graph, steps)
    steps = loop or steps
    change = sum(log for _, log in steps)
    most = max((log for _, log in steps), key=abs, default=0.0)  # of one operation, as a loss
    far = math.log(LOST if loop and change < 0 else FAR)
    if len(steps) < STEPS or not min(abs(change), abs(change - most)) >= far:
        return
    if change < 0 and _is_gated(graph, steps):  # a gate learns what to keep
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
    for edge in graph.edges:
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
    leaves = leaves_of(graph)
    for edge in way:
        if edge.source in leaves:  # its gradient is a sum, of all that use it
            break
        arriving, passed_on = (size_of(graph[n].gradient) for n in (edge.target, edge.source))
        node = graph[edge.target]
        scales = not node.shape and verb(node) in SCALED  # as a GradScaler does
        leading = not steps and (scales or verb(node) in TOTALS)
        if arriving and passed_on and not leading:
            steps.append((node, math.log(passed_on / arriving)))
    return steps


def _loop(graph: Graph, steps: list[tuple[GraphNode, float]]) -> list[tuple[GraphNode, float]]:
    """The part of a way where the same learned numbers are used again, as in each step in time."""
    leaves = leaves_of(graph)
    places: dict[int, list[int]] = {}
    for k, (node, _) in enumerate(steps):
        for s in sources(graph, node) if verb(node) == "matmul" else ():
            if s.state != "needs none" and s.number in leaves:
                places.setdefault(leaves[s.number], []).append(k)
    longest = max(places.values(), key=lambda at: at[-1] - at[0], default=[0])
    return steps[longest[0] : longest[-1]]


def _is_gated(graph: Graph, steps: list[tuple[GraphNode, float]]) -> bool:
    """Tell whether a way goes through a gate: a product of two numbers that were computed."""
    leaves = leaves_of(graph)
    computed = lambda s: s.state != "needs none" and s.number not in leaves
    return any(
        verb(node) == "multiply" and sum(map(computed, sources(graph, node))) > 1
        for node, _ in steps
    )
