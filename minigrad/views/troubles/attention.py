"""Mistakes of attention: another axis, an inverted or multiplied mask, heads made by reshape alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...ran.data import GraphNode
from ..graph import Graph
from .reading import LAYERS, SCALED, TURNING, VIEWS, plain, sources
from .remedies import GENERAL
from .trouble import Trouble
from .wording import called, inputs_of

LEAST = 3  # positions: of fewer a pattern may be chance


def of_attention(graph: Graph) -> Iterator[Trouble]:
    """The mistakes of attention, each kind in its turn."""
    yield from another_axis(graph)
    yield from _inverted_masks(graph)
    yield from _multiplied_masks(graph)
    yield from _mixed_heads(graph)


def another_axis(graph: Graph) -> Iterator[Trouble]:
    """Each product that adds up what a softmax made of square scores along another axis than it sums to
    one. Where they are not square, as shares of few slots, or one matrix is transposed, as of a chain of
    states, it may be meant."""
    softmaxes = {box.number for box in graph.boxes if box.name == "softmax"}
    for node in graph.nodes:
        if plain(node.operation) != "matmul":
            continue
        weights, turned = sources(graph, node)[0], False
        while weights.box not in softmaxes and plain(weights.operation) in SCALED | TURNING:
            turned ^= plain(weights.operation) in TURNING
            weights, *by = sources(graph, weights)
            if any(b.state != "needs none" for b in by):  # unlike a dropout
                break
        a = weights.value
        if weights.box not in softmaxes or a is None or a.ndim < 2 + turned:
            continue
        if a.shape[-1] != a.shape[-2]:
            continue
        ones = [k for k in range(a.ndim) if np.allclose(np.sum(a, k), 1, atol=1e-2)]
        if ones and a.ndim - 1 - turned not in ones:
            of = "the transpose of " * turned + called(weights)
            what = (
                f"{called(node)} adds up along the last axis of {of}, which a softmax "
                f"made to sum to one along axis {ones[-1]} of {a.ndim}"
            )
            remedy = GENERAL["axis"]
            yield Trouble("axis", what, weights.line, inputs_of(graph, node), remedy, node.number)


def _inverted_masks(graph: Graph) -> Iterator[Trouble]:
    """The first weights by which each position looks at those after it alone, and not at itself."""
    boxes = {box.number for box in graph.boxes if "softmax" in box.name}
    for node in graph.nodes:
        a = node.value
        if node.box not in boxes or plain(node.operation) != "divide" or a is None or a.ndim < 2:
            continue
        n = a.shape[-1]
        if n < LEAST or a.shape[-2] != n:
            continue
        seen = a[..., :-1, :] > 0  # the last position has none after it
        if not (seen & np.tri(n, dtype=bool)[:-1]).any() and seen.any(-1).all():
            what = (
                f"each of the {n} positions attends to those after it alone, and not to itself, in "
                f"{called(node)}: the mask is inverted"
            )
            yield Trouble("mask", what, node.line, (), GENERAL["inverted"], node.number)
            return


def _multiplied_masks(graph: Graph) -> Iterator[Trouble]:
    """The first scores that were multiplied by a mask of 0 and 1 before a softmax."""
    boxes = {box.number for box in graph.boxes if box.name == "softmax"}
    for edge in graph.edges:
        scores, taken = graph[edge.source], graph[edge.target]
        if taken.box not in boxes or scores.box in boxes or plain(scores.operation) != "multiply":
            continue
        for mask in sources(graph, scores):
            a = mask.value
            if mask.state == "needs none" and a is not None and a.ndim > 1 and _is_mask(a):
                what = (
                    f"{called(scores)} multiplies scores by a mask of 0 and 1 before a softmax: a score "
                    f"of 0 counts as any other"
                )
                yield Trouble("mask", what, scores.line, (), GENERAL["multiplied"], scores.number)
                return


def _is_mask(a: np.ndarray) -> bool:
    """Tell whether an array is of 0 and 1, and some rows have both."""
    return bool(np.isin(a, (0, 1)).all() and (np.ptp(a.astype(np.float32), axis=-1) > 0).any())


def _mixed_heads(graph: Graph) -> Iterator[Trouble]:
    """The first reshape that makes heads (B, H, T, K) of (B, T, H K) without a transpose, or the
    reverse, so that positions are mixed."""
    for node in graph.nodes:
        if plain(node.operation) != "reshape" or node.state == "needs none":
            continue
        (given, *_) = sources(graph, node)
        made = given.shape, node.shape
        splits = _is_split(*made) and plain(given.operation) in LAYERS
        if not (splits or _is_split(*made[::-1])) or not _meets_product(graph, node):
            continue
        what = (
            f"{called(node)} makes {node.shape} of {given.shape} without a transpose: numbers of "
            f"different positions are mixed"
        )
        yield Trouble("mixed", what, node.line, (), GENERAL["mixed"], node.number)
        return


def _is_split(whole: tuple[int, ...], parts: tuple[int, ...]) -> bool:
    """Tell whether shapes are (B, T, H K) and (B, H, T, K), where T is not H."""
    if len(parts) < 4 or len(parts) != len(whole) + 1 or whole[:-2] != parts[:-3]:
        return False
    heads, positions, _ = parts[-3:]
    return whole[-2] == positions and heads > 1 and positions > 1 and heads != positions


def _meets_product(graph: Graph, node: GraphNode) -> bool:
    """Tell whether a node is multiplied as a matrix, as it is or after other views."""
    users = [graph[n] for n in graph.users(node.number)]
    return any(
        plain(user.operation) == "matmul"
        or (plain(user.operation) in VIEWS and _meets_product(graph, user))
        for user in users
    )
