"""Attention in a graph: weights whose rows sum to one, from a product of queries and keys.

A node is taken for attention weights if it is what a softmax gives, if it is multiplied by values,
and if it goes back, through operations that keep its shape, to a product of two matrices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..data import Edge, GraphData, GraphNode, Ref

Tokens = Mapping[str, tuple[Sequence[str], Sequence[str]]]
SOFTMAX = {"softmax", "masked_softmax", "dot_weights", "normalized", "attention"}


def maps(graph: GraphData, tokens: Tokens | None) -> list[dict[str, Any]]:
    """Every attention map of `graph`: the numbers of its nodes, and the tokens of its two sides.

    `weights`, `scores`, `mask`, `query`, `key` and `value` are numbers of nodes, None where none was
    found. The key's node has a column for each key. `hides` is what the mask has where it hides a key.
    """
    into: dict[int, list[Edge]] = {}
    out: dict[int, list[Edge]] = {}
    for e in graph.edges:
        into.setdefault(e.target, []).append(e)
        out.setdefault(e.source, []).append(e)
    made = []
    for node in graph.nodes:
        if not _times_values(graph, node, out) or not _sums_to_one(node):
            continue
        scores, mask, hides = _scores(graph, node, into)
        if scores is None or not (_is_weights(graph, node) or _from_softmax(graph, node, into)):
            continue
        query, key = (e.source for e in into[scores.number])
        place = _place(graph, node)
        made.append(
            {
                "weights": node.number, "scores": scores.number, "mask": mask, "hides": hides,
                "query": query, "key": key, "place": place, "tokens": _tokens(node, place, tokens),
            }
        )  # fmt: skip
    return made


def _times_values(graph: GraphData, node: GraphNode, out: Mapping[int, list[Edge]]) -> bool:
    """Tell whether a node is multiplied, on the left, with a matrix."""
    if len(node.shape) < 2 or node.kind != "operation":
        return False
    uses = out.get(node.number, ())
    return any(graph[e.target].function is np.matmul and e.position == 0 for e in uses)


def _sums_to_one(node: GraphNode) -> bool:
    if node.value is None or not node.value.size or node.value.dtype.kind != "f":
        return False
    total = np.sum(node.value, axis=-1)
    near = (np.abs(total - 1) < 1e-3) | (total == 0)  # a query that may attend to nothing
    return bool(np.all(near) and np.all(node.value >= 0))


def _scores(
    graph: GraphData, node: GraphNode, into: Mapping[int, list[Edge]]
) -> tuple[GraphNode | None, int | None, bool]:
    """The product of queries and keys that a node goes back to, the mask on the way, and what it has
    where it hides a key."""
    mask, hides = None, False
    seen: set[int] = set()
    waiting = [node.number]
    while waiting:
        n = waiting.pop(0)
        for e in into.get(n, ()):
            source = graph[e.source]
            if source.value is not None and source.value.dtype == bool and mask is None:
                mask, hides = source.number, masked_at(graph, graph[n]) == 2
            if source.number in seen or source.shape != node.shape:
                continue
            seen.add(source.number)
            if source.function is np.matmul:
                return source, mask, hides
            waiting.append(source.number)
    return None, mask, hides


def masked_at(graph: GraphData, node: GraphNode) -> int | None:
    """Which argument of np.where(mask, x, y) is masked, 1 or 2: what an operation gave, else a leaf.

    None for other operations.
    """
    if node.function is not np.where or len(node.arguments) < 3:
        return None
    is_node = lambda a: isinstance(a, Ref) and (1 + (graph[a.number].kind == "operation"))
    return 2 if is_node(node.arguments[2]) > is_node(node.arguments[1]) else 1


def _is_weights(graph: GraphData, node: GraphNode) -> bool:
    """Tell whether a softmax, or a function called attention, gave the node."""
    box = node.box
    while box is not None:
        if graph.box(box).name in SOFTMAX:
            return True
        box = graph.box(box).parent
    return node.operation in SOFTMAX


def _from_softmax(graph: GraphData, node: GraphNode, into: Mapping[int, list[Edge]]) -> bool:
    """Tell whether it is e / sum(e): a softmax written out."""
    return node.function is np.divide and all(
        graph[e.source].operation in ("np.exp", "np.sum", "np.add") for e in into[node.number]
    )


def _place(graph: GraphData, node: GraphNode) -> str:
    """The path of the module in which it lies, else that of its box."""
    if node.module is not None:
        return node.module
    return graph.box(node.box).path if node.box is not None else ""


def _tokens(node: GraphNode, place: str, tokens: Tokens | None) -> Any:
    """The tokens of the queries and of the keys, from the longest path that `place` begins with."""
    for path in sorted(tokens or {}, key=len, reverse=True):
        within = not path or place == path or place.startswith((f"{path}.", f"{path}/"))
        rows, columns = tokens[path]  # type: ignore[index]
        if within and (len(rows), len(columns)) == node.shape[-2:]:
            return [list(map(str, rows)), list(map(str, columns))]
    return None
