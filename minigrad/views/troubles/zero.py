"""Parameters whose gradient is exactly zero, or that none reaches, and where it stops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...engine.source import SourceLine
from ...ran.data import GraphNode
from ...ran.recording import memory_of
from ..graph import Graph
from .remedies import GENERAL, remedy_for
from .trouble import Trouble
from .words import called, inputs_of, listed, plain

Cuts = Callable[[np.ndarray | None], SourceLine | None]


def zero(
    graph: Graph, expected: dict[str, list[np.ndarray]], learns: bool, cuts: Cuts
) -> Iterator[Trouble]:
    """Parameters and inputs whose gradient is exactly zero, or that none reaches: told together where it
    stops at the same place.

    Args:
        expected: the parameters that should have one, by name: the arrays of each.
        learns: whether the loss requires a gradient at all.
        cuts: gives the line that detached a value, where that is known.
    """
    root = graph[graph.roots[0]]
    if expected and not learns:
        what = "the loss requires no gradient, so no parameter has one"
        yield Trouble("cut off", what, root.line, (), GENERAL["cut off"], root.number)
        return
    together: dict[tuple[str, SourceLine | None], tuple[Trouble, list[str]]] = {}
    for leaf in graph.nodes:
        if not leaf.operation and leaf.kind != "data" and leaf.state in ("zero", "not computed"):
            trouble = _stopped(graph, leaf, cuts)
            known = together.setdefault((trouble.what, trouble.line), (trouble, []))
            known[1].append(called(leaf))
    for trouble, names in together.values():
        yield replace(trouble, what=trouble.what.replace(WHOSE, listed(names), 1))
    there = {memory_of(n.value) for n in graph.nodes if not n.operation}
    if missing := sorted(
        name for name in expected if there.isdisjoint(map(memory_of, expected[name]))
    ):
        what = f"no gradient reaches {listed(missing)}: the loss was not computed from there"
        yield Trouble("cut off", what, root.line, (), GENERAL["cut off"], root.number)


WHOSE = "{whose}"  # stands for the names of the leaves, until all are known


def _stopped(graph: Graph, leaf: GraphNode, cuts: Cuts) -> Trouble:
    """The place where the gradient of a leaf stops on its way back."""
    ways = _used_by(graph, leaf)
    stops = [
        e for e in graph.edges
        if e.source in ways and graph[e.target].gradient is not None
        and graph[e.target].gradient.any() and not _arrives(e.contribution)  # type: ignore[union-attr]
    ]  # fmt: skip
    stop = max(stops, key=lambda e: e.target, default=None)
    before = sorted(n for n in ways if stop is None or n <= stop.source)
    cut = [line for n in before for line in [cuts(graph[n].value)] if line is not None]
    if stop is None:
        lines = [graph[n].line for n in before if graph[n].line is not None]
        return _cut_off(leaf, next(iter([*cut, *lines]), None))
    node = graph[stop.target]
    if not stop.differentiable and not _is_flat(node):
        return _cut_off(leaf, cut[-1] if cut else node.line)
    what = f"the gradient of {WHOSE} is exactly zero: {called(node)} passes none back"
    remedy = remedy_for(graph, node, "zero")
    return Trouble("zero", what, node.line, inputs_of(graph, node), remedy, node.number, back=True)


def _cut_off(leaf: GraphNode, line: SourceLine | None) -> Trouble:
    what = f"no gradient reaches {WHOSE}: what is computed from there leaves the graph"
    return Trouble("cut off", what, line, (), GENERAL["cut off"], leaf.number)


def _arrives(contribution: np.ndarray | None) -> bool:
    return contribution is not None and bool(contribution.any())


def _is_flat(node: GraphNode) -> bool:
    """Tell whether it is its slope that is zero everywhere."""
    return plain(node.operation) in ("round", "sign", "floor", "ceil", "trunc", "rint")


def _used_by(graph: Graph, leaf: GraphNode) -> set[int]:
    """The numbers of all that was computed from a leaf, and its own."""
    ways = {leaf.number}
    for edge in sorted(graph.edges, key=lambda e: e.target):
        if edge.source in ways:
            ways.add(edge.target)
    return ways
