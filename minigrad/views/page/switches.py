"""Switches: parts of a model that a page can turn off, each with the exact computation without it.

    @switch("norm", "nothing is brought to mean 0 and variance 1")
    def norm(graph):
        yield from through(graph, {"layer_norm"})

A switch finds places in a graph: a node, and an earlier node of the same shape, which stands in its
place when the switch is off. Nothing else is changed, and all gradients follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...ran.data import GraphBox, GraphData, GraphNode, Ref
from . import attention

Bypass = tuple[int, int]  # a node, and the one that stands in its place


class PartSwitch(NamedTuple):
    """A part of a model that can be off.

    Attributes:
        name: of the part.
        off: the effect of turning it off, in words.
        find: finds its places in a graph.
    """

    name: str
    off: str
    find: Callable[[GraphData], Iterator[Bypass]]


SWITCHES: dict[str, PartSwitch] = {}


def switch(name: str, off: str) -> Callable:
    """Register a switch: decorates the function that finds its places."""

    def register(find: Callable[[GraphData], Iterator[Bypass]]) -> Callable:
        SWITCHES[name] = PartSwitch(name, off, find)
        return find

    return register


def places(graph: GraphData) -> dict[str, list[Bypass]]:
    """The places of every switch in `graph`. A node that two switches find belongs to the first."""
    taken: set[int] = set()
    by_switch: dict[str, list[Bypass]] = {}
    for name, part in SWITCHES.items():
        for node, instead in part.find(graph):
            if node not in taken and instead < node and alike(graph[node], graph[instead]):
                taken.add(node)
                by_switch.setdefault(name, []).append((node, instead))
    return by_switch


def alike(a: GraphNode, b: GraphNode) -> bool:
    """Tell whether one node can stand in the place of the other: float32 and float64 can."""
    return a.shape == b.shape and (a.dtype == b.dtype or a.dtype.kind == b.dtype.kind == "f")


# --- where things are -----------------------------------------------------------------------------


def boxes(graph: GraphData, names: set[str]) -> Iterator[GraphBox]:
    """The calls of definitions of these names, but not those inside another such call."""
    for box in graph.boxes:
        nested = any(around.name in names for around in graph.outward(box.parent))
        if box.kind == "definition" and box.name in names and not nested:
            yield box


def members(graph: GraphData, box: GraphBox) -> set[int]:
    """The numbers of the operations inside a box."""
    inside = graph.boxes_within({box.number})
    return {n.number for n in graph.nodes if n.box in inside and n.kind == "operation"}


def through(graph: GraphData, names: set[str]) -> Iterator[Bypass]:
    """The result of each call of such a definition, and the first argument of its shape."""
    for box in boxes(graph, names):
        inside = members(graph, box)
        if not inside:
            continue
        result = graph[max(inside)]
        comes_in = [
            e.source
            for n in sorted(inside)
            for e in graph.arguments(n)
            if e.source not in inside and graph[e.source].kind != "parameter"
        ]
        for source in comes_in:
            if alike(graph[source], result):
                yield result.number, source
                break


def argument(node: GraphNode, position: int) -> int | None:
    """The number of the node at a place among the arguments; None, if no node is there."""
    a = node.arguments[position] if position < len(node.arguments) else None
    return a.number if isinstance(a, Ref) else None


def comes_from(graph: GraphData, number: int, source: int, function: Callable) -> bool:
    """Tell whether a node is computed from `source`, with a call of `function` on the way."""
    waiting, seen = [(number, False)], set()
    while waiting:
        n, met = waiting.pop()
        if n == source and met:
            return True
        if (n, met) in seen or n <= source:
            continue
        seen.add((n, met))
        met = met or graph[n].function is function
        waiting += [(e.source, met) for e in graph.arguments(n)]
    return False


# --- the switches ---------------------------------------------------------------------------------


MASKS = {  # kinds of masks, and the effect of turning one off
    "causal mask": "every position may look at those that come after it, too",
    "padding mask": "queries may look at padding, too",
    "mask that hides nothing": "nothing changes: there is no padding here that it could hide",
    "mask": "every query may look at every key",
}


def masks_of(kind: str) -> Callable[[GraphData], Iterator[Bypass]]:
    """A function that finds the masks of a kind. np.where(mask, scores, -inf): the scores."""
    return lambda graph: (
        one.masked
        for one in attention.attentions(graph)
        if one.masked is not None and attention.mask_kind(graph, one) == kind
    )


for _kind, _off in MASKS.items():
    switch(_kind, _off)(masks_of(_kind))


@switch("scaling", "scores are not divided by the square root of the width")
def scaling(graph: GraphData) -> Iterator[Bypass]:
    """scores / sqrt(K), of attention: the scores."""
    scores = {one.scores for one in attention.attentions(graph)}
    for node in graph.nodes:
        first = argument(node, 0)
        by_number = len(node.arguments) > 1 and isinstance(
            node.arguments[1], (int, float, np.generic)
        )
        scales = node.function in (np.divide, np.multiply) and by_number
        if scales and first is not None and first in scores:
            yield node.number, first


@switch("residual", "only what the part computes goes on, not its input with it")
def residual(graph: GraphData) -> Iterator[Bypass]:
    """x + f(x), where f has weights: f(x)."""
    for node in graph.nodes:
        if node.function is not np.add:
            continue
        a, b = argument(node, 0), argument(node, 1)
        if a is None or b is None or not graph[a].shape == graph[b].shape == node.shape:
            continue
        x, f = min(a, b), max(a, b)
        if graph[f].kind == "operation" and x != f and comes_from(graph, f, x, np.matmul):
            yield node.number, f


@switch("norm", "nothing is brought to mean 0 and variance 1")
def norm(graph: GraphData) -> Iterator[Bypass]:
    """layer_norm(x): x."""
    yield from through(graph, {"layer_norm", "standardize"})


@switch("dropout", "no number is left out")
def dropout(graph: GraphData) -> Iterator[Bypass]:
    """dropout(x): x."""
    yield from through(graph, {"dropout"})


BENDS = {"relu", "np.tanh", "sigmoid"}
CURVES = {"gelu", "silu", "leaky_relu", "elu", "softplus"}


@switch("activation", "a line in place of the curve, so that layers are one product of matrices")
def activation(graph: GraphData) -> Iterator[Bypass]:
    """relu(x), tanh(x), gelu(x) ...: x."""
    inside = {n for box in boxes(graph, CURVES) for n in members(graph, box)}
    yield from through(graph, CURVES)
    for node in graph.nodes:
        x = argument(node, 0) if node.operation in BENDS and node.number not in inside else None
        if x is not None:
            yield node.number, x
