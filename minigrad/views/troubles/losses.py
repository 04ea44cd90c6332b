"""Losses that are given something else than they take: probabilities, scores, or other targets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from ...arrays.identity import memory_of
from ...aten.watched import Watched
from ...engine.tensor import Tensor
from ...ran.data import GraphNode
from ..graph import Graph
from .reading import SCORES, VIEWS, behind, boxes_of, short_name, sources, verb
from .remedies import GENERAL
from .trouble import Trouble
from .wording import called, range_of

NEAR = 0.01  # to one, to be a sum of probabilities; above 0, to be no logarithm of one


def other_inputs(graph: Graph, watched: Watched | None) -> Iterator[Trouble]:
    """Each kind of mistake that a loss was called with, once, at its first line."""
    seen = set()
    finders = _of_calls(graph, watched), _of_divergences(graph), _of_boxes(graph), _of_views(graph)
    for trouble in itertools.chain(*finders):
        if (trouble.line, trouble.remedy) not in seen:
            seen.add((trouble.line, trouble.remedy))
            yield trouble


def _of_calls(graph: Graph, watched: Watched | None) -> Iterator[Trouble]:
    """The mistakes in calls of PyTorch's losses."""
    numbers = {memory_of(n.value): n.number for n in graph.nodes}
    for name, arguments, line in () if watched is None else watched.calls.observed.losses:
        for kind, what in CHECKS[name](*arguments[:2]) if name in CHECKS else ():
            node = numbers.get(memory_of(arguments[0]._array), graph.roots[0])
            yield Trouble("loss", what, line, (), GENERAL[kind], node)


def _of_log_probabilities(scores: Tensor, _targets: Tensor) -> Iterator[tuple[str, str]]:
    """The key of a remedy, and a sentence, if these are no logarithms of probabilities along axis 1."""
    a, axis = scores._array, min(1, scores.ndim - 1)
    if not a.size or not np.isfinite(a).all():
        return
    operation = scores.node.operation
    if _are_probabilities(a, axis):
        yield (
            "logarithms",
            f"nll_loss takes log-probabilities, and was given probabilities, {range_of(a)}",
        )
    elif a.max() > NEAR and operation is not None and short_name(operation.name) in SCORES:
        what = "nll_loss takes log-probabilities, which are at most 0, and was given numbers"
        yield "logarithms", f"{what} {range_of(a)}"
    elif not _are_probabilities(np.exp(a), axis):
        along = [k for k in range(a.ndim) if k != axis and _are_probabilities(np.exp(a), k)]
        if along:
            what = (
                f"nll_loss takes log-probabilities along axis {axis}, and was given such along axis "
                f"{along[0]} of {a.shape}"
            )
            yield "axis of classes", what


def _of_scores(scores: Tensor, targets: Tensor) -> Iterator[tuple[str, str]]:
    """The key of a remedy, and a sentence, if the scores are probabilities, or the targets none."""
    maker = scores.node
    while maker.operation is not None and short_name(maker.operation.name) in VIEWS and maker.edges:
        ((_, _, maker), *_) = maker.edges
    if maker.operation is not None and maker.operation.name == "sigmoid":
        yield "sigmoid twice", f"{LOGISTIC} takes scores, and was given what a sigmoid made"
    t = targets._array
    if t.size and (t.min() < 0 or t.max() > 1):
        yield "targets", f"{LOGISTIC} takes targets from 0 to 1, and was given some {range_of(t)}"


LOGISTIC = "binary_cross_entropy_with_logits"
CHECKS: dict[str, Callable[[Tensor, Tensor], Iterator[tuple[str, str]]]] = {
    "nll_loss_forward": _of_log_probabilities,
    "nll_loss2d_forward": _of_log_probabilities,
    LOGISTIC: _of_scores,
}


def _of_boxes(graph: Graph) -> Iterator[Trouble]:
    """Each of our losses of scores that is given what a sigmoid made."""
    losses = boxes_of(graph, LOGISTIC)
    for edge in graph.edges:
        argument, taker = graph[edge.source], graph[edge.target]
        if taker.box not in losses or argument.box in losses:
            continue
        argument = behind(graph, argument)
        if argument.operation == "sigmoid":
            what = f"{LOGISTIC} takes scores, and was given what a sigmoid made"
            yield Trouble("loss", what, taker.line, (), GENERAL["sigmoid twice"], argument.number)


def _of_views(graph: Graph) -> Iterator[Trouble]:
    """Each softmax along axis 1 of scores (B, C, T) that a reshape made of (B, T, C), as a layer gave
    them. Where T is C, nothing moves, and it is not told."""
    for node in graph.nodes:
        if verb(node) != "row_maximum" or node.arguments[1:2] not in ((1,), ((1,),)):
            continue
        scores = sources(graph, node)[0]
        origin = behind(graph, scores, {"reshape"})
        makers = [origin, *(sources(graph, origin) if verb(origin) == "add" else ())]
        if all(verb(n) != "matmul" for n in makers):
            continue
        classes, others = origin.shape[-1], scores.shape[2:]
        if scores.shape[1] == classes > 1 and math.prod(others) > 1 and classes not in others:
            what = (
                f"the softmax along axis 1 of {scores.shape} adds up numbers of different positions: "
                f"{called(scores)} was made of {origin.shape}, whose classes are the last axis"
            )
            yield Trouble("loss", what, scores.line, (), GENERAL["classes moved"], scores.number)


def _of_divergences(graph: Graph) -> Iterator[Trouble]:
    """Each divergence, as F.kl_div computes it, of probabilities in the place of their logarithms."""
    for node in graph.nodes:
        first = _given_to_divergence(graph, node)
        if first is None or first.value is None or first.state == "needs none":
            continue
        if any(_are_probabilities(first.value, k) for k in range(first.value.ndim)):
            what = (
                f"kl_div takes log-probabilities first, and was given probabilities, "
                f"{range_of(first.value)}"
            )
            yield Trouble("loss", what, node.line, (), GENERAL["logarithms"], first.number)


def _given_to_divergence(graph: Graph, node: GraphNode) -> GraphNode | None:
    """The first argument of a divergence of which a node is the difference: t log t - t * first, or
    exp(t) * (t - first)."""
    if verb(node) != "subtract" or len(sources(graph, node)) != 2:
        return None
    minuend, subtrahend = sources(graph, node)
    is_product = verb(subtrahend) == "multiply"
    if verb(minuend) == "where" and is_product:
        targets, *others = sources(graph, subtrahend)
        chosen = [s for s in sources(graph, minuend) if verb(s) == "multiply"]
        factors = [factor for product in chosen for factor in sources(graph, product)]
        has_log = any(verb(factor) == "log" for factor in factors)
        return others[0] if has_log and targets in factors and others else None
    for user in (graph[n] for n in graph.users(node.number)):
        factors = sources(graph, user)
        of_target = [f for f in factors if sources(graph, f) == [minuend]]
        has_exp = any(verb(f) == "exp" for f in of_target)
        if verb(user) == "multiply" and has_exp:
            return subtrahend
    return None


def _are_probabilities(a: np.ndarray, axis: int) -> bool:
    """Tell whether numbers are probabilities that sum to one along an axis."""
    several = a.ndim > 0 and a.shape[axis] > 1 and a.size > 0
    return bool(several and a.min() >= 0 and np.allclose(np.sum(a, axis), 1, atol=NEAR))
