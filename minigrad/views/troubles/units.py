"""Units of a layer that are all alike, dead, or saturated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...ran.data import GraphNode
from ..graph import Graph
from .reading import has_any, sources, verb
from .remedies import GENERAL
from .trouble import Trouble
from .wording import called

FEW = 3  # units: of fewer it may be chance that they are alike
UNITS, EXAMPLES = 16, 16  # of fewer it may be chance that most are dead
MOST = 0.9  # of the units, or the numbers
ROUNDING = 1e-5  # of the largest number: by so much numbers may differ that are the same
SLOPE = 1e-4  # a slope, to that of 1 at 0 of tanh, or of 1/4 of sigmoid


def lost_units(graph: Graph) -> Iterator[Trouble]:
    """The first layer whose units are alike, dead or saturated, of each of the three."""
    for finder in (_alike, _dead, _saturated):
        found = (finder(graph, node) for node in graph.nodes if node.operation)
        yield from [trouble for trouble in found if trouble is not None][:1]


def _alike(graph: Graph, node: GraphNode) -> Trouble | None:
    """The trouble of a layer whose units all gave the same numbers, and got the same gradient: they will
    change alike. Of one that is only added up, that is as it should be."""
    if verb(node) != "matmul" or not _is_layer(node, FEW, 2):
        return None
    learned = [s for s in sources(graph, node) if s.state != "needs none" and has_any(s.gradient)]
    if not learned or not has_any(node.gradient) or not _comes_to_product(graph, node):
        return None
    alike = lambda a: a is not None and np.ptp(a, axis=-1).max() <= ROUNDING * np.abs(a).max()
    if not (alike(node.value) and alike(node.gradient)):
        return None
    units = node.shape[-1]
    what = (
        f"the {units} units of {called(node)} give the same numbers and get the same gradient: steps of "
        f"training leave them alike"
    )
    return Trouble("alike", what, node.line, (), GENERAL["alike"], node.number)


def _dead(graph: Graph, node: GraphNode) -> Trouble | None:
    """The trouble of a layer most units of which are 0 for every example."""
    if node.operation != "relu" or not _is_layer(node, UNITS, EXAMPLES):
        return None
    dead = ~np.any(node.value, axis=tuple(range(node.value.ndim - 1)))  # type: ignore[union-attr]
    if not MOST <= dead.mean() < 1:  # of all, the gradient is zero, which is told
        return None
    what = (
        f"{dead.sum()} of the {dead.size} units of {called(node)} are 0 for each of the "
        f"{node.value.size // dead.size} examples: dead ReLUs"  # type: ignore[union-attr]
    )
    return Trouble("dead", what, node.line, (), GENERAL["dead"], node.number)


def _saturated(graph: Graph, node: GraphNode) -> Trouble | None:
    """The trouble of a layer most numbers of which are at the ends of a sigmoid or a tanh."""
    name = verb(node)
    if name not in ("sigmoid", "tanh") or not _is_layer(node, UNITS, EXAMPLES):
        return None
    y = node.value.astype(np.float64)  # type: ignore[union-attr]
    flat = (4 * y * (1 - y) if name == "sigmoid" else 1 - y * y) < SLOPE
    if flat.mean() < MOST or not _comes_to_product(graph, node):
        return None
    what = (
        f"{called(node)} is saturated in {flat.mean():.0%} of its {flat.size} numbers, where its slope "
        f"is below {SLOPE:g} of that at 0"
    )
    return Trouble("dead", what, node.line, (), GENERAL["saturated"], node.number)


def _is_layer(node: GraphNode, units: int, examples: int) -> bool:
    """Tell whether a node has gradients, and is of so many units at least, for so many examples."""
    if node.state == "needs none" or node.value is None or node.value.ndim < 2:
        return False
    return node.shape[-1] >= units and node.value.size >= examples * node.shape[-1]


def _comes_to_product(graph: Graph, node: GraphNode) -> bool:
    """Tell whether a product of matrices is computed from a node."""
    after = graph.made_into(node.number) - {node.number}
    return any(verb(graph[n]) == "matmul" for n in after)
