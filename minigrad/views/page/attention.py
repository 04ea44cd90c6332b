"""Attention in a graph: weights whose rows sum to one, from scores of queries and keys.

A node counts as attention weights if values are multiplied by it, and if it comes from a function that
is registered for weights (see `functional.weighting`), or from a softmax written out: e / sum(e). From
there the search goes back, through operations that keep the shape, to the operation that the mask
enters, and to the scores: a product of two matrices.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...functional import weighting
from ...ran.data import GraphData, GraphNode, Ref

Tokens = Mapping[str, tuple[Sequence[str], Sequence[str]]]


class Attention(NamedTuple):
    """One attention of a graph, by the numbers of its nodes.

    Attributes:
        weights: the weights (..., T, S): rows are queries, columns keys.
        scores: the product of queries and keys; None, if no such product was found.
        mask: the array of booleans that hides keys, or None.
        hides: the boolean that hides a key.
        masked: the operation that the mask enters, and its argument that is masked; or None.
    """

    weights: int
    scores: int | None
    mask: int | None
    hides: bool
    masked: tuple[int, int] | None


def maps(graph: GraphData, tokens: Tokens) -> list[dict[str, Any]]:
    """Every attention map of `graph`: the numbers of its nodes, and the tokens of its two sides.

    `weights`, `scores`, `mask`, `query` and `key` are numbers of nodes; None, if none was found. The
    node of the key has a column for each key. `hides` is the boolean of the mask that hides a key.
    `kind` is "self-attention", "cross-attention" and so on; "" if it is not known.
    """
    data = []
    for attention in attentions(graph):
        if attention.scores is None:
            continue
        query, key = (e.source for e in graph.arguments(attention.scores))
        node = graph[attention.weights]
        place = _place(graph, node)
        data.append(
            {
                "weights": attention.weights, "scores": attention.scores, "mask": attention.mask,
                "hides": attention.hides, "query": query, "key": key, "place": place,
                "tokens": _tokens(node, place, tokens), "kind": kind_of(graph, attention, place),
            }
        )  # fmt: skip
    return data


FOUND: weakref.WeakKeyDictionary[GraphData, list[Attention]] = weakref.WeakKeyDictionary()


def attentions(graph: GraphData) -> list[Attention]:
    """Every attention of `graph`, in order. Each graph is searched once."""
    if graph not in FOUND:
        FOUND[graph] = list(_search(graph))
    return FOUND[graph]


def _search(graph: GraphData) -> Iterator[Attention]:
    weighing = {
        e.source for e in graph.edges if e.position == 0 and graph[e.target].function is np.matmul
    }
    for node in graph.nodes:
        is_product = node.number in weighing and node.kind == "operation" and len(node.shape) > 1
        by_name = is_product and (_is_weighting(graph, node) or _from_softmax(graph, node))
        if by_name and _sums_to_one(node):
            yield _attention_of(graph, node)


def kind_of(graph: GraphData, attention: Attention, place: str) -> str:
    """The kind of an attention, such as "masked self-attention".

    In cross-attention, keys and queries are made of different inputs of the module. Outside a module
    the inputs are not known: then it is "".
    """
    if graph[attention.weights].module is None or attention.scores is None:
        return ""
    query, key = (_made_of(graph, e.source, place) for e in graph.arguments(attention.scores))
    if not query & key:
        return "cross-attention"
    masked = mask_kind(graph, attention) == "causal mask"
    return "masked self-attention" if masked else "self-attention"


def _made_of(graph: GraphData, number: int, place: str) -> set[int]:
    """The nodes from outside the module at `place` that a node is made of, without parameters."""
    waiting, enters, seen = [number], set(), {number}
    while waiting:
        node = graph[waiting.pop()]
        inside = place in ("", node.module) or (node.module or "").startswith(f"{place}.")
        if node.kind != "operation" or not inside:
            enters |= {node.number} if node.kind != "parameter" else set()
            continue
        new = {e.source for e in graph.arguments(node.number)} - seen
        seen |= new
        waiting += new
    return enters


def mask_kind(graph: GraphData, attention: Attention) -> str:
    """The name of an attention's mask in `switches.MASKS`, by the keys that it hides from each query."""
    shape = graph[attention.weights].shape
    value = graph[attention.mask].value if attention.mask is not None else None
    if value is None:
        return "mask"
    hidden = np.broadcast_to(value == attention.hides, shape).reshape(-1, *shape[-2:])  # (., T, S)
    T, S = shape[-2:]
    if not hidden.any():
        return "mask that hides nothing"
    if (hidden == hidden[:, :1]).all():
        return "padding mask"
    later = np.triu(np.ones((T, S), bool), 1)
    causal = T == S and hidden[:, later].all() and not hidden[:, range(T), range(T)].all()
    return "causal mask" if causal else "mask"


def _sums_to_one(node: GraphNode) -> bool:
    if node.value is None or not node.value.size or node.value.dtype.kind != "f":
        return False
    total = np.sum(node.value, axis=-1)
    near = (np.abs(total - 1) < 1e-3) | (total == 0)  # a query that may attend to nothing
    return bool(np.all(near) and np.all(node.value >= 0))


def _attention_of(graph: GraphData, weights: GraphNode) -> Attention:
    """The attention with these weights: go back to the scores, and note the mask on the way."""
    mask, hides, masked, scores = None, False, None, None
    seen, waiting = {weights.number}, [weights.number]
    while waiting and scores is None:
        n = waiting.pop(0)
        for e in graph.arguments(n):
            source = graph[e.source]
            if mask is None and source.dtype == bool:
                mask, at = source.number, _masked_at(graph, graph[n])
                hides = at == 2  # np.where(mask, -inf, x) hides the keys at which the mask is True
                unmasked = graph[n].arguments[at] if at is not None else None
                masked = (n, unmasked.number) if isinstance(unmasked, Ref) else None
            if source.number in seen or source.shape != weights.shape:
                continue
            seen.add(source.number)
            if source.function is np.matmul:
                scores = source.number
                break
            waiting.append(source.number)
    return Attention(weights.number, scores, mask, hides, masked)


def _masked_at(graph: GraphData, node: GraphNode) -> int | None:
    """The place of the masked argument of np.where(mask, x, y), 1 or 2; None for other operations.

    Scores are computed, and what stands in their place is not: so the higher rank is masked.
    """
    if node.function is not np.where or len(node.arguments) < 3:
        return None

    def rank(argument: object) -> int:
        """0 for a number, 1 for a leaf, 2 for a result."""
        if not isinstance(argument, Ref):
            return 0
        return 2 if graph[argument.number].kind == "operation" else 1

    return 2 if rank(node.arguments[2]) > rank(node.arguments[1]) else 1


def _is_weighting(graph: GraphData, node: GraphNode) -> bool:
    """Tell whether the node comes from a function that is registered for weights."""
    names = (node.operation, *[box.name for box in graph.outward(node.box)])
    return any(name in weighting.NAMES for name in names)


def _from_softmax(graph: GraphData, node: GraphNode) -> bool:
    """Tell whether it is e / sum(e): a softmax written out."""
    return node.function is np.divide and all(
        graph[e.source].operation in ("np.exp", "np.sum", "np.add")
        for e in graph.arguments(node.number)
    )


def _place(graph: GraphData, node: GraphNode) -> str:
    """The path of the module of a node, else of its box."""
    if node.module is not None:
        return node.module
    return graph.box(node.box).path if node.box is not None else ""


def _tokens(node: GraphNode, place: str, tokens: Tokens) -> Any:
    """The tokens of the queries and of the keys, of the longest path with which `place` begins."""
    for path in sorted(tokens, key=len, reverse=True):
        within = not path or place == path or place.startswith((f"{path}.", f"{path}/"))
        rows, columns = tokens[path]
        if within and (len(rows), len(columns)) == node.shape[-2:]:
            return [list(map(str, rows)), list(map(str, columns))]
    return None
