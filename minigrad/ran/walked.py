"""Gradients as the walks back have left them: of each node, and of each edge of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..arrays.identity import equal, frozen_view
from ..engine.node import Node
from ..engine.tensor import Tensor
from .data import GraphEdge, Passed


class Walked:
    """The gradients of the nodes of a graph.

    A leaf may have its `.grad` of another computation, which shares it: then it is none of this one.

    Args:
        operations: the operations of the graph.
        edges: of the graph, in order of their targets.

    Attributes:
        arrived: the gradient that the last walk back is known to have brought to a node, by its number.
        waiting: the nodes that it is yet to reach, and has not reached on any way.
    """

    def __init__(self, operations: Iterable[Node], edges: Sequence[GraphEdge]):
        operations = [*operations]
        self.arrived = _arrived(edges) if all(map(_walked_once, operations)) else {}
        self.waiting = _arguments_of([node for node in operations if _is_ahead(node)])
        self.waiting -= _arguments_of([node for node in operations if not _is_ahead(node)])

    def gradient(self, node: Node, number: int) -> tuple[np.ndarray | None, str]:
        """The gradient of a node, which has this number, and the state that it is in."""
        if node.operation is None:
            arrived = self.arrived.get(number)
            if arrived is not None:
                return arrived, _known(arrived)
            if node in self.waiting:
                return None, "not computed"
        return gradient_of(node)


def gradient_of(node: Node) -> tuple[np.ndarray | None, str]:
    """The gradient of a node, and the state that it is in."""
    if not node.requires_grad:
        return None, "needs none"
    if node.grad is None:
        freed = node.operation is not None and node.saved is None
        return None, "freed" if freed else "not computed"
    array = shown(node.grad)
    return array, _known(array)


def _known(gradient: np.ndarray | None) -> str:
    return "known" if gradient is None or gradient.any() else "zero"


def _arguments_of(operations: list[Node]) -> set[Node]:
    return {edge.to for node in operations for edge in node.edges}


def _is_ahead(node: Node) -> bool:
    """Tell whether an operation is known to wait for its gradient, as it is recorded and has none."""
    return not (
        node.note is None or node.note.contributions or node.saved is None or node.grad is not None
    )


def _walked_once(node: Node) -> bool:
    """Tell whether the last walk brought a node its whole gradient, as far as that is known."""
    if node.note is None or not node.note.contributions:
        return True
    last, whole = shown(node.note.gradient), shown(node.grad)
    if last is None or whole is None:
        return False
    return equal(last, whole)


def _arrived(edges: Sequence[GraphEdge]) -> dict[int, np.ndarray]:
    """For each node, the sum of what the walk back is known to have brought: it goes from the newest."""
    last: dict[int, GraphEdge] = {}
    for edge in edges:
        if edge.passed is not None and edge.target == last.setdefault(edge.source, edge).target:
            last[edge.source] = edge
    return {number: edge.passed.after for number, edge in last.items()}  # type: ignore[union-attr]


def passed_by(node: Node) -> dict[tuple[int, int | None], Passed]:
    """The gradients that a node passed on in the last backward pass, by position and place in a list."""
    found = {}
    waiting = list(node.note.contributions)
    for position, item, to in node.edges:
        if waiting and (waiting[0].position, waiting[0].to) == (position, to):
            given, fitted, before, after = map(shown, waiting.pop(0)[2:])
            if given is not None and fitted is not None and after is not None:
                found[position, item] = Passed(given, fitted, before, after)
    return found


def shown(value: object) -> np.ndarray | None:
    """The array in a value, for those who only look; None where it is yet to be computed, or lost."""
    array = value._array if isinstance(value, Tensor) else value
    return frozen_view(np.asarray(array)) if isinstance(array, (np.ndarray, np.generic)) else None
