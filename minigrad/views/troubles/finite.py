"""A NaN or an infinity: where the first came from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...ran.data import GraphNode
from ..graph import Graph
from .reading import is_bad, sources
from .remedies import GENERAL, remedy_for
from .trouble import Trouble
from .wording import called, counted, inputs_of, range_of


def not_finite(graph: Graph, gradients: bool = True) -> Iterator[Trouble]:
    """The origin of the first number that is not finite, if one reaches the result or a gradient.

    `gradients`: those of the graph count; not where PyTorch's are finite.
    """
    root = graph[graph.roots[0]]
    if is_bad(root.value):
        yield origin(graph, root)
    elif any(is_bad(n.gradient) for n in graph.nodes):
        yield from _back(graph) if gradients else ()
    else:  # an infinity can end in a slope of 0
        differentiable = (n for n in graph.nodes if n.operation and n.state != "needs none")
        bad = next((n for n in differentiable if is_bad(n.value) and _gives(graph, n)), None)
        if bad is not None:
            yield origin(graph, bad)


def origin(graph: Graph, root: GraphNode) -> Trouble:
    """The operation that gave the first such number on the way to the result."""
    reached, waiting = {root.number}, [root]
    while waiting:
        for source in sources(graph, waiting.pop()):
            if is_bad(source.value) and source.number not in reached:
                reached.add(source.number)
                waiting.append(source)
    nodes = [graph[n] for n in sorted(reached)]
    first = next((n for n in nodes if n.operation and _gives(graph, n)), None)
    if first is None:
        return _came_in(graph, nodes)
    what = f"{called(first)} is the first to give {counted(first.value)}"
    inputs, remedy = inputs_of(graph, first), remedy_for(graph, first)
    return Trouble("not finite", what, first.line, inputs, remedy, first.number)


def _came_in(graph: Graph, nodes: list[GraphNode]) -> Trouble:
    """The trouble of a number that was not finite when it came in: in a leaf, or put in by a call."""
    first = next((n for n in nodes if not n.operation), nodes[0])
    line = graph.line_of(first.number)
    if first.operation:
        what, inputs = f"{called(first)} puts {counted(first.value)} in", inputs_of(graph, first)
        return Trouble("not finite", what, line, inputs, GENERAL["mask"], first.number)
    what = f"{called(first)} has {counted(first.value)} when it comes in"
    remedy = GENERAL["parameter" if first.kind == "parameter" else "data"]
    return Trouble("data", what, line, (), remedy, first.number)


def _gives(graph: Graph, node: GraphNode) -> bool:
    """Tell whether it gave a NaN where none came in; or an infinity where no number was infinite."""
    arrays = [s.value for s in sources(graph, node) if s.value is not None]
    literals = [a for a in node.arguments if isinstance(a, float)]
    floats = [a for a in (*arrays, *map(np.asarray, literals)) if a.dtype.kind == "f"]
    if np.isnan(node.value).any():  # type: ignore[arg-type]
        return not any(np.isnan(a).any() for a in arrays if a.dtype.kind == "f")
    return not any(np.isinf(a).any() for a in floats)


def _back(graph: Graph) -> Iterator[Trouble]:
    """The rule that gave the first such gradient, newest operation first."""
    for edge in sorted(graph.edges, key=lambda e: -e.target):
        node = graph[edge.target]
        if not is_bad(edge.contribution) or is_bad(node.gradient):
            continue
        what = (
            f"the gradient that {called(node)} passes back to {called(graph[edge.source])} has "
            f"{counted(edge.contribution)}"
        )
        arrives = f"the gradient that arrives: {range_of(node.gradient)}"
        numbers = (arrives, *inputs_of(graph, node))
        bad = [s for s in sources(graph, node) if is_bad(s.value)]
        remedy = GENERAL["infinite"] if bad else remedy_for(graph, node)
        back = Trouble("not finite", what, node.line, numbers, remedy, node.number, back=True)
        origins = (origin(graph, source) for source in bad)
        # What came in otherwise is meant, as in a mask.
        yield next((trouble for trouble in origins if trouble.kind == back.kind), back)
        return
