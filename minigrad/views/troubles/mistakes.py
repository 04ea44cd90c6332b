"""Mistakes that give finite numbers: a softmax of a softmax, a column less a row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...ran.data import GraphNode
from ..graph import Graph
from .reading import VIEWS, plain, sources
from .remedies import GENERAL
from .trouble import Trouble
from .wording import called, inputs_of


def softmax_twice(graph: Graph) -> Iterator[Trouble]:
    """Each softmax, or logarithm of one, that is given what a softmax made; also arranged otherwise, if
    both are along one axis."""
    names = {box.number: box.name for box in graph.boxes}
    name = lambda node: names.get(node.box, "")  # type: ignore[arg-type]
    for edge in graph.edges:
        came, taken = graph[edge.source], graph[edge.target]
        if not edge.differentiable or came.box == taken.box or "softmax" not in name(taken):
            continue
        given = came
        while plain(given.operation) in VIEWS and name(given) != "softmax":
            given = sources(graph, given)[0]
        if name(given) == "softmax" and (given is came or _along_one_axis(graph, came, taken)):
            what = f"{name(taken)} takes {called(given)}, which a softmax made: it is flatter than meant"
            inputs = inputs_of(graph, taken)[:1]
            yield Trouble("twice", what, given.line, inputs, GENERAL["twice"], taken.number)


def _along_one_axis(graph: Graph, came: GraphNode, taken: GraphNode) -> bool:
    """Tell whether numbers sum to one along the axis of the softmax, or logarithm, that takes them."""
    last = max(n.number for n in graph.nodes if n.box == taken.box)
    a, b = came.value, graph[last].value
    if a is None or b is None or a.shape != b.shape:
        return False
    b = np.exp(b) if b.max(initial=0) <= 0 else b
    is_one = lambda sums: np.allclose(sums, 1, atol=1e-3)
    return any(is_one(a.sum(k)) and is_one(b.sum(k)) for k in range(a.ndim))


def pairs(graph: Graph) -> Iterator[Trouble]:
    """Each column less a row, one computed from what is learned and the other given: each number with
    every other. What then goes through an exp or a product of matrices may be meant, as of centres.

    Of products those with a logarithm of probabilities alone are told, once a line."""
    lines = set()
    for node in graph.nodes:
        name = plain(node.operation)
        if name not in ("subtract", "multiply") or len(node.shape) != 2:
            continue
        terms = sources(graph, node)
        for k, term in enumerate(terms):  # PyTorch's losses spread them first
            while plain(term.operation) == "broadcast_to":
                term = terms[k] = sources(graph, term)[0]
        shapes = sorted([t.shape for t in terms], key=len)
        n = node.shape[0]
        learned = {t.state != "needs none" for t in terms}
        if shapes != [(n,), (n, 1)] or n == 1 or len(learned) < 2 or not _is_error(graph, node):
            continue
        if name == "multiply" and not any(_is_logarithm(graph, t) for t in terms):
            continue
        less, of = (t.shape for t in terms[::-1])
        does = f"takes {less} from {of}" if name == "subtract" else f"multiplies {of} and {less}"
        what = f"{called(node)} {does}, which gives {node.shape}: each number with every other"
        if (name, node.line) not in lines:
            lines.add((name, node.line))
            remedy = GENERAL["pairs"]
            yield Trouble("pairs", what, node.line, inputs_of(graph, node), remedy, node.number)


def _is_logarithm(graph: Graph, node: GraphNode) -> bool:
    """Tell whether a node is a logarithm, chosen or bounded perhaps."""
    names = {box.number: box.name for box in graph.boxes}
    while plain(node.operation) in VIEWS | {"negative", "maximum"}:
        node = sources(graph, node)[0]
    return plain(node.operation) == "log" or names.get(node.box) == "log_softmax"  # type: ignore[arg-type]


def _is_error(graph: Graph, node: GraphNode) -> bool:
    """Tell whether a node is the error of a loss: neither an exp nor a product comes after it."""
    after = graph.made_into(node.number)
    return not any(plain(graph[n].operation) in ("exp", "matmul") for n in after)
