"""Parameters whose gradient is exactly zero, or that none reaches, and where it stops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...arrays.identity import memory_of
from ...aten.for_diagnosis import excused, without_gradient
from ...aten.watched import Watched
from ...engine.source import SourceLine
from ...engine.tensor import Tensor
from ...optim import ALIVE
from ...ran.data import GraphEdge, GraphNode
from ...ran.training import SeenTraining
from ..graph import Graph
from .reading import (
    ADDING,
    BOUNDING,
    FLAT,
    RECURRENT,
    SQUARES,
    SUMMING,
    has_any,
    module_of,
    sources,
    verb,
)
from .remedies import GENERAL, remedy_for
from .trouble import Trouble
from .wording import called, inputs_of, listed

WHOSE = "{whose}"  # stands for the names of the leaves, until all are known


def zero(
    graph: Graph, watched: Watched | None, training: SeenTraining | None, learns: bool
) -> Iterator[Trouble]:
    """Parameters and inputs whose gradient is exactly zero, or that none reaches: told together where it
    stops at the same place.

    Args:
        watched: the block that it was computed in, which knows of parameters that are not in the graph.
        training: the steps of the block; None of a single loss.
        learns: whether the loss requires a gradient at all.
    """
    root = graph[graph.roots[0]]
    expected = {} if watched is None else without_gradient(watched)
    if expected and not learns:
        what = "the loss requires no gradient, so no parameter has one"
        yield Trouble("cut off", what, root.line, (), GENERAL["cut off"], root.number)
        return
    together: dict[tuple[str, SourceLine | None], tuple[Trouble, list[str]]] = {}
    without = [
        n for n in graph.nodes
        if not n.operation and n.kind != "data"
        and (n.state in ("zero", "not computed") or (n.state == "known" and not learns))
    ]  # fmt: skip
    meant = {}
    if without:
        meant = _of_no_optimizer(graph, training) if watched is None else excused(watched)
    for leaf in without:
        trouble = _stopped(graph, leaf, watched)
        if trouble is not None and memory_of(leaf.value) not in meant.get(leaf.state, ()):
            _, names = together.setdefault((trouble.what, trouble.line), (trouble, []))
            names.append(called(leaf))
    for trouble, names in together.values():
        yield replace(trouble, what=trouble.what.replace(WHOSE, listed(names), 1))
    if watched is not None:
        yield from _not_in_the_graph(graph, watched, expected)


def _of_no_optimizer(graph: Graph, training: SeenTraining | None) -> dict[str, set]:
    """The memory of the leaves that no optimizer of ours has, if one has others of them."""
    earlier = {} if training is None else training.versions
    optimized = {
        memory_of(array)
        for o in ALIVE
        for p in o.parameters
        for array in (p._array, *earlier.get(p.node, ()))  # a step gives a parameter a new array
    }
    leaves = {memory_of(n.value) for n in graph.nodes if not n.operation}
    return {"not computed": leaves - optimized if optimized & leaves else set()}


def _not_in_the_graph(
    graph: Graph, watched: Watched, expected: dict[str, list[Tensor]]
) -> Iterator[Trouble]:
    """The parameters, by name with their leaves, of which the loss was not computed: by the line where
    what was computed of them left the graph."""
    root = graph[graph.roots[0]]
    there = {memory_of(n.value) for n in graph.nodes if not n.operation}
    missing = [
        (name, leaves) for name, leaves in sorted(expected.items())
        if there.isdisjoint(memory_of(leaf._array) for leaf in leaves)
    ]  # fmt: skip
    ended = watched.calls.ends.of_leaves() if missing else {}
    by_line: dict[SourceLine | None, list[str]] = {}
    for name, leaves in missing:
        lines = [line for leaf in leaves if (line := ended.get(leaf.node)) is not None]
        by_line.setdefault(lines[-1] if lines else root.line, []).append(name)
    for line, names in by_line.items():
        what = f"no gradient reaches {listed(names)}: the loss was not computed from there"
        yield Trouble("cut off", what, line, (), _remedy_of_cut(line), root.number)


def _remedy_of_cut(line: SourceLine | None) -> str:
    sampled = line is not None and ".sample(" in line.text
    return GENERAL["sampled" if sampled else "cut off"]


def _stopped(graph: Graph, leaf: GraphNode, watched: Watched | None) -> Trouble | None:
    """The place where the gradient of a leaf stops on its way back; None if that may be meant."""
    passes = lambda e: e.differentiable or verb(graph[e.target]) in FLAT
    ways = _used_by(graph, leaf, passes)
    if graph.roots[0] not in ways:
        what = f"no gradient reaches {WHOSE}: what is computed from there leaves the graph"
        lines = _lines_of_cuts(graph, ways, watched)
        ends = [e.target for e in graph.edges if e.source in ways and not passes(e)]
        line = next(iter(lines), graph[max(ends)].line if ends else None)
        others = tuple(f"or at {other}: one of them may be meant" for other in lines[1:])
        return Trouble("cut off", what, line, others, _remedy_of_cut(line), leaf.number)
    into = [
        e for e in graph.edges
        if e.source in ways and passes(e)
        and has_any(graph[e.target].gradient) and not has_any(graph[e.source].gradient)
    ]  # fmt: skip
    adds = lambda e: has_any(e.contribution) or verb(graph[e.target]) in ADDING
    cancelled = [e.source for e in into if adds(e)]
    # One that passes a gradient on, as a where does to what it chose, is not where it stops.
    onward = {
        e.target for e in graph.edges
        if e.source in ways and passes(e) and (has_any(graph[e.source].gradient) or adds(e))
    }  # fmt: skip
    stops = [e.target for e in into if e.source not in cancelled and e.target not in onward]
    number = min([*stops, *cancelled], default=graph.roots[0])
    node = graph[number]
    if _may_be_meant(graph, node, number in cancelled):
        return None
    what = f"the gradient of {WHOSE} is exactly zero: {called(node)} passes none back"
    module = module_of(graph, node)
    remedy = remedy_for(graph, node, "zero")
    if verb(node) == "matmul" and module and module.type.split(" ")[0] in RECURRENT:
        remedy = GENERAL["first step"]
    if number in cancelled:
        what = f"the gradient of {WHOSE} is exactly zero: those that come to {called(node)} add up to 0"
        node = graph[max(e.target for e in into if e.source == number)]
        remedy = GENERAL["cancelled"]
    return Trouble("zero", what, node.line, inputs_of(graph, node), remedy, node.number, back=True)


def _may_be_meant(graph: Graph, node: GraphNode, cancels: bool) -> bool:
    """Tell whether a healthy computation may pass no gradient back at a node.

    Sums that cancel are meant while others learn, as a bias of what is then subtracted. Another factor
    may start at 0 and learn, as the last layer of a residual branch does. There may be no element, as of
    an expert that gets none. And a term of the loss may be as small as it can be, as a hinge is, unless
    the loss would become smaller if the term grew.
    """
    learns = lambda n: not graph[n].operation and has_any(graph[n].gradient)
    if cancels:
        return any(learns(n.number) for n in graph.nodes if n.kind != "data")
    arguments = sources(graph, node)
    if any(s.value is not None and not s.value.size for s in arguments):
        return True
    starts = [s for s in arguments if has_any(s.gradient) and not np.any(s.value)]
    if any(map(learns, (n for s in starts for n in graph.made_from(s.number)))):
        return True
    squares = verb(node) in SQUARES and len({s.number for s in arguments}) == 1
    bounded = arguments[0] if squares else node
    least = verb(bounded) in BOUNDING and not np.any(node.value)
    return least and np.min(node.gradient) >= 0 and _is_term(graph, node)  # type: ignore[arg-type]


def _is_term(graph: Graph, node: GraphNode) -> bool:
    """Tell whether a node is only added up from there on: no learned number takes part."""
    after = {node.number}
    for edge in graph.edges:
        target = graph[edge.target]
        if edge.source not in after:
            continue
        others = [s for s in sources(graph, target) if s.number != edge.source]
        learned = [s for s in others if s.state != "needs none"]
        if verb(target) not in SUMMING or (learned and verb(target) not in ADDING):
            return False
        after.add(target.number)
    return True


def _lines_of_cuts(graph: Graph, ways: set[int], watched: Watched | None) -> list[SourceLine]:
    """The lines that detached some of these nodes, those of the newest first. The line that made a node
    counts of the newest alone, if no other detached it: PyTorch detaches results that it saves."""
    if watched is None:
        return []
    lines_of = watched.calls.ends.lines_of
    found: dict[SourceLine, None] = {}
    for node in (graph[n] for n in sorted(ways, reverse=True)):
        lines = lines_of(node.value)
        others = [line for line in lines if line != node.line]
        found |= dict.fromkeys(others or ([] if found else lines))
    return [*found]


def _used_by(graph: Graph, leaf: GraphNode, passes: Callable[[GraphEdge], bool]) -> set[int]:
    """The numbers of all to which a gradient of a leaf has a way, and its own."""
    ways = {leaf.number}
    for edge in graph.edges:
        if edge.source in ways and passes(edge):
            ways.add(edge.target)
    return ways
