"""Mistakes of attention: another axis, masks inverted or of 0, heads made by reshape alone."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator

import numpy as np

from ...ran.data import GraphNode, Ref
from ..graph import Graph
from .reading import LAYERS, SCALED, TURNING, VIEWS, boxes_of, leaves_of, sources, verb
from .remedies import GENERAL
from .trouble import Trouble
from .wording import called, inputs_of

# PyTorch's softmax puts NaN where there is nothing to choose from.
PASSED = SCALED | TURNING | {"where"}
LEAST = 3  # positions: of fewer a pattern may be chance


def of_attention(graph: Graph) -> Iterator[Trouble]:
    """The mistakes of attention, each kind in its turn."""
    yield from another_axis(graph)
    yield from filter(None, [inverted_mask(graph)])
    yield from _masks_of_zero(graph)
    yield from itertools.islice(_masks_after(graph), 1)
    yield from _mixed_heads(graph)


def another_axis(graph: Graph) -> Iterator[Trouble]:
    """Each product that adds up what a softmax made of square scores along another axis than it sums to
    one. Where they are not square, as shares of few slots, or one matrix is transposed, as of a chain of
    states, it may be meant."""
    softmaxes = boxes_of(graph, "softmax")
    for node in graph.nodes:
        if verb(node) != "matmul":
            continue
        weights, is_turned = sources(graph, node)[0], False
        while weights.box not in softmaxes and verb(weights) in PASSED:
            is_turned ^= verb(weights) in TURNING
            arguments = sources(graph, weights)
            weights = arguments.pop(-1 if verb(weights) == "where" else 0)
            if any(b.state != "needs none" for b in arguments):  # unlike a dropout
                break
        a = weights.value
        if weights.box not in softmaxes or a is None or a.ndim < 2 + is_turned:
            continue
        if a.shape[-1] != a.shape[-2]:
            continue
        ones = [k for k in range(a.ndim) if _are_ones(np.nansum(a, k))]
        if ones and a.ndim - 1 - is_turned not in ones:
            whose = "the transpose of " * is_turned + called(weights)
            what = (
                f"{called(node)} adds up along the last axis of {whose}, which a softmax "
                f"made to sum to one along axis {ones[-1]} of {a.ndim}"
            )
            remedy = GENERAL["axis"]
            yield Trouble("axis", what, weights.line, inputs_of(graph, node), remedy, node.number)


def _are_ones(sums: np.ndarray) -> bool:
    """Tell whether sums are 1, or 0 where a mask left nothing to choose from."""
    return bool(sums.any() and np.all((sums == 0) | np.isclose(sums, 1, atol=1e-2)))


def inverted_mask(graph: Graph) -> Trouble | None:
    """The trouble of weights by which each position looks at those after it alone, and not at itself. It
    may be meant, and is not called certain."""
    node = _looks_ahead(graph, itself=False)
    if node is None:
        return None
    what = (
        f"each of the {node.shape[-1]} positions attends to those after it alone, and not to itself, in "
        f"{called(node)}: the mask may be the other way round"
    )
    return Trouble("mask", what, node.line, (), GENERAL["inverted"], node.number)


def transposed_mask(graph: Graph) -> Iterator[str]:
    """A note on weights by which each position looks at itself and those after it alone."""
    node = _looks_ahead(graph, itself=True)
    if node is not None:
        yield (
            f"each of the {node.shape[-1]} positions attends to itself and those after it alone, in "
            f"{called(node)}, at {node.line}: if it is not meant, transpose the mask"
        )


def _looks_ahead(graph: Graph, itself: bool) -> GraphNode | None:
    """The first weights by which no position looks at one before it, but each at some after it; the
    last has none after it, and its weights may be NaN. `itself`: whether each looks at itself, too."""
    boxes = {box.number for box in graph.boxes if "softmax" in box.name}
    for node in graph.nodes:
        a = node.value
        if node.box not in boxes or verb(node) != "divide" or a is None or a.ndim < 2:
            continue
        n = a.shape[-1]
        if n < LEAST or a.shape[-2] != n:
            continue
        seen = a[..., :-1, :] > 0
        before = seen & np.tri(n, k=-itself, dtype=bool)[:-1]
        at_itself = np.diagonal(seen, axis1=-2, axis2=-1)
        if not before.any() and np.triu(seen, 1).any(-1).all() and (at_itself == itself).all():
            return node
    return None


def _masks_of_zero(graph: Graph) -> Iterator[Trouble]:
    """The first scores that a mask made 0 before a softmax, by a product or a choice, so that what is
    hidden has a weight. Not told where the weights are 0 there after all, nor where the mask may be
    no mask: one that was drawn, or differs from row to row without being causal."""
    boxes = boxes_of(graph, "softmax")
    for edge in graph.edges:
        scores, taker = graph[edge.source], graph[edge.target]
        if taker.box not in boxes or scores.box in boxes or verb(taker) != "subtract":
            continue
        while verb(scores) in SCALED and len(sources(graph, scores)) == 1:  # by a number
            (scores,) = sources(graph, scores)
        hidden = _made_zero(graph, scores)
        if hidden is None or not _is_mask(hidden) or not _of_products(graph, scores):
            continue
        weights = graph[max(n.number for n in graph.nodes if n.box == taker.box)]
        after = [graph[n].value for n in graph.users(weights.number)]
        shown = [a for a in (weights.value, *after) if a is not None and a.shape == hidden.shape]
        if all(np.any(a[hidden]) for a in shown):
            how = "multiplies scores by a mask of 0 and 1"
            if verb(scores) == "where":
                how = "puts 0 in the place of the scores that a mask hides,"
            what = f"{called(scores)} {how} before a softmax: a score of 0 counts as any other"
            yield Trouble("mask", what, scores.line, (), GENERAL["made zero"], scores.number)
            return


def _masks_after(graph: Graph) -> Iterator[Trouble]:
    """Each mask that makes weights 0 after the softmax, so that rows no longer sum to one. Not told
    where the weights were 0 there before, nor where what takes them is no product of matrices."""
    softmaxes = boxes_of(graph, "softmax")
    for node in graph.nodes:
        if verb(node) not in ("multiply", "where"):
            continue
        weights = [s.value for s in sources(graph, node) if s.box in softmaxes]
        hidden = _made_zero(graph, node)
        users = {verb(graph[n]) for n in graph.users(node.number)}
        if hidden is None or users != {"matmul"} or not _is_mask(hidden):
            continue
        a = weights[0] if weights else None
        if (
            a is not None
            and a.shape == hidden.shape
            and _are_ones(np.sum(a, -1))
            and np.any(a[hidden])
        ):
            what = (
                f"{called(node)} makes weights 0 by a mask after the softmax: what is "
                f"hidden has taken its share, and the rest does not sum to one"
            )
            yield Trouble("mask", what, node.line, (), GENERAL["made zero"], node.number)


def _made_zero(graph: Graph, scores: GraphNode) -> np.ndarray | None:
    """The scores, as booleans of their shape, that a mask that is given makes 0; None without one."""
    name, arguments = verb(scores), sources(graph, scores)
    if name == "multiply":
        masks = [s.value for s in arguments if s.state == "needs none" and not _is_drawn(graph, s)]
        hidden = [a == 0 for a in masks if a is not None and np.isin(a, (0, 1)).all()]
    elif name == "where" and arguments[0].value is not None and not _is_drawn(graph, arguments[0]):
        chosen, mask = scores.arguments[1:3], arguments[0].value.astype(bool)
        hidden = [at for a, at in zip(chosen, (mask, ~mask)) if _is_zero(graph, a)]
    else:
        hidden = []
    return np.broadcast_to(hidden[0], scores.shape) if hidden else None


def _is_zero(graph: Graph, argument: object) -> bool:
    """Tell whether an argument is 0, or an array of it that is given."""
    if not isinstance(argument, Ref):
        return argument == 0
    node = graph[argument.number]
    return node.state == "needs none" and node.value is not None and not node.value.any()


def _is_drawn(graph: Graph, mask: GraphNode) -> bool:
    """Tell whether a mask was computed from random numbers, or from what learns."""
    made = [graph[n] for n in graph.made_from(mask.number)]
    return any(n.kind == "parameter" or n.label.startswith("drawn") for n in made)


def _is_mask(hidden: np.ndarray) -> bool:
    """Tell whether it hides some of a row, in one way for several rows or all, or what comes after."""
    varies = lambda axis: (hidden.any(axis) & ~hidden.all(axis)).any()
    if hidden.ndim < 2 or not varies(-1):
        return False
    several = (k for k, size in enumerate(hidden.shape[:-1]) if size > 1)
    after = np.tri(*hidden.shape[-2:]) == 0
    return not all(map(varies, several)) or bool((hidden == after).all())


def _of_products(graph: Graph, scores: GraphNode) -> bool:
    """Tell whether scores are products of two things that were both computed, scaled perhaps."""
    alike = [graph[n] for n in graph.made_from(scores.number) if graph[n].shape == scores.shape]
    leaves = leaves_of(graph)
    return any(
        verb(n) == "matmul" and all(s.number not in leaves for s in sources(graph, n))
        for n in alike
    )


def _mixed_heads(graph: Graph) -> Iterator[Trouble]:
    """The first reshape that makes heads (B, H, T, K) of (B, T, H K) without a transpose, or the
    reverse, so that positions are mixed."""
    for node in graph.nodes:
        if verb(node) != "reshape" or node.state == "needs none":
            continue
        before = sources(graph, node)[0]
        splits = _is_split(before.shape, node.shape) and _is_of_layer(graph, before)
        merges = _is_split(node.shape, before.shape)
        if not (splits or merges) or not _meets_product(graph, node):
            continue
        what = (
            f"{called(node)} makes {node.shape} of {before.shape} without a transpose: numbers of "
            f"different positions are mixed"
        )
        yield Trouble("mixed", what, node.line, (), GENERAL["mixed"], node.number)
        return


def _is_of_layer(graph: Graph, node: GraphNode) -> bool:
    """Tell whether a layer gave a node, or its last axis a part of it, as queries, keys or values."""
    while verb(node) == "getitem":
        whole = sources(graph, node)[0]
        if whole.shape[:-1] != node.shape[:-1]:
            return False
        node = whole
    return verb(node) in LAYERS


def _is_split(whole: tuple[int, ...], parts: tuple[int, ...]) -> bool:
    """Tell whether shapes are (B, T, H K) and (B, H, T, K), or such with an axis of queries, keys and
    values before T, as (3, B, H, T, K); and the numbers of a position do not stay together."""
    if len(whole) < 2 or math.prod(whole[:-1]) in itertools.accumulate(parts, operator.mul):
        return False
    stacked = [parts[:k] + parts[k + 1 :] for k in range(2) if parts[k : k + 1] in ((2,), (3,))]
    by_heads = (rest[:-3] + rest[-2:-1] for rest in (parts, *stacked) if rest[-3:-2] > (1,))
    return whole[-2] > 1 and whole[:-1] in [
        *by_heads,
        *(rest[: len(whole) - 1] for rest in stacked),
    ]


def _meets_product(graph: Graph, node: GraphNode) -> bool:
    """Tell whether a node is multiplied as a matrix, as it is or after other views."""
    users = [graph[n] for n in graph.users(node.number)]
    return any(
        verb(user) == "matmul" or (verb(user) in VIEWS and _meets_product(graph, user))
        for user in users
    )
