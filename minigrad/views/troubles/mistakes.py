"""Mistakes that give finite numbers: a softmax of a softmax, a column less a row."""

from __future__ import annotations

from collections.abc import Iterator

from ...ran.data import GraphNode
from ..graph import Graph
from .remedies import GENERAL
from .trouble import Trouble
from .wording import VIEWS, called, inputs_of, plain, sources


def softmax_twice(graph: Graph) -> Iterator[Trouble]:
    """Each softmax, or logarithm of one, that is given what a softmax made."""
    names = {box.number: box.name for box in graph.boxes}
    for edge in graph.edges:
        given, taken = graph[edge.source], graph[edge.target]
        of, by = (names.get(n.box, "") for n in (given, taken))  # type: ignore[arg-type]
        if edge.differentiable and given.box != taken.box and of == "softmax" and "softmax" in by:
            what = f"{by} takes {called(given)}, which a softmax made: it is flatter than meant"
            inputs = inputs_of(graph, taken)[:1]
            yield Trouble("twice", what, given.line, inputs, GENERAL["twice"], taken.number)


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
