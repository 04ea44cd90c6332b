"""Mistakes that give finite numbers: a softmax of a softmax, a column less a row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...ran.data import GraphNode
from ..graph import Graph
from .reading import VIEWS, behind, boxes_of, sources, verb
from .remedies import GENERAL
from .trouble import Trouble
from .wording import called, inputs_of


def twice(graph: Graph) -> Iterator[Trouble]:
    """Each softmax, or logarithm of one, that is given what a softmax made; also arranged otherwise, if
    both are along one axis. And each sigmoid of a sigmoid."""
    squashed = _squashed(graph)
    for edge in graph.edges:
        argument, taker = graph[edge.source], graph[edge.target]
        second = squashed.get(taker.number, "")
        inside = argument.box == taker.box and "softmax" in second
        if not edge.differentiable or inside or not second:
            continue
        origin = argument
        while verb(origin) in VIEWS and origin.number not in squashed:
            origin = sources(graph, origin)[0]
        first = squashed.get(origin.number)
        alike = first == "softmax" and second != "sigmoid"
        if alike and origin is not argument:
            alike = "softmax" in second and _along_one_axis(graph, argument, taker)
        if alike or first == second == "sigmoid":
            what = (
                f"{second} takes {called(origin)}, which a {first} made: it is flatter than meant"
            )
            inputs = inputs_of(graph, taker)[:1]
            yield Trouble("twice", what, origin.line, inputs, GENERAL["twice"], taker.number)


def _squashed(graph: Graph) -> dict[int, str]:
    """The nodes in a softmax, in its logarithm, or of a sigmoid or a logsumexp, and the name of that."""
    names = {box.number: box.name for box in graph.boxes if "softmax" in box.name}
    found = {n.number: names[n.box] for n in graph.nodes if n.box in names}
    alone = {n.number: n.operation for n in graph.nodes if n.operation in ("sigmoid", "logsumexp")}
    return alone | found


def _along_one_axis(graph: Graph, argument: GraphNode, taker: GraphNode) -> bool:
    """Tell whether numbers sum to one along the axis of the softmax, or logarithm, that takes them."""
    last = max(n.number for n in graph.nodes if n.box == taker.box)
    before, after = argument.value, graph[last].value
    if before is None or after is None or before.shape != after.shape:
        return False
    after = np.exp(after) if after.max(initial=0) <= 0 else after
    is_one = lambda sums: np.allclose(sums, 1, atol=1e-3)
    return any(is_one(before.sum(k)) and is_one(after.sum(k)) for k in range(before.ndim))


def pairs(graph: Graph) -> Iterator[Trouble]:
    """Each column less a row, one computed from what is learned and the other given: each number with
    every other. What then goes through an exp or a product of matrices may be meant, as of centres.

    Of products those with a logarithm of probabilities alone are told, once a line."""
    lines = set()
    for node in graph.nodes:
        name = verb(node)
        if name not in ("subtract", "multiply") or len(node.shape) != 2:
            continue
        # PyTorch's losses spread them first.
        terms = [behind(graph, term, {"broadcast_to"}) for term in sources(graph, node)]
        rows = node.shape[0]
        shapes = sorted([t.shape for t in terms], key=len)
        if shapes != [(rows,), (rows, 1)] or rows == 1 or not _is_error(graph, node):
            continue
        if len({t.state != "needs none" for t in terms}) < 2:
            continue
        if name == "multiply" and not any(_is_logarithm(graph, t) for t in terms):
            continue
        if (name, node.line) in lines:
            continue
        lines.add((name, node.line))
        first, second = (t.shape for t in terms)
        does = f"takes {second} from {first}"
        if name == "multiply":
            does = f"multiplies {first} and {second}"
        what = f"{called(node)} {does}, which gives {node.shape}: each number with every other"
        inputs = inputs_of(graph, node)
        yield Trouble("pairs", what, node.line, inputs, GENERAL["pairs"], node.number)


def _is_logarithm(graph: Graph, node: GraphNode) -> bool:
    """Tell whether a node is a logarithm, chosen or bounded perhaps."""
    node = behind(graph, node, VIEWS | {"negative", "maximum"})
    return verb(node) == "log" or node.box in boxes_of(graph, "log_softmax")


def _is_error(graph: Graph, node: GraphNode) -> bool:
    """Tell whether a node is the error of a loss: neither an exp nor a product comes after it."""
    after = graph.made_into(node.number)
    return not any(verb(graph[n]) in ("exp", "matmul") for n in after)
