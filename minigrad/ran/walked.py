"""Gradients as the walks back have left them: of each node, and of each edge of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..arrays.identity import equal, frozen_view
from ..engine.node import Node
from ..engine.tensor import Tensor
from .data import GraphEdge, Passed


class Walked:
    """The gradients of the nodes of a graph, as far as the last walk back is known.

    The `.grad` of a leaf may be that of another computation, which uses the leaf too. Where this one was
    recorded, its own notes tell what arrived at the leaf.

    Args:
        operations: the operations of the graph.
        edges: of the graph, in order of their targets.

    Attributes:
        arrived: the gradient that the walk brought to a node, by the number of the node.
        waiting: the nodes that are used only by operations that the walk has not come to.
    """

    def __init__(self, operations: Iterable[Node], edges: Sequence[GraphEdge]):
        operations = [*operations]
        self.arrived = _arrived(edges) if all(map(_walked_once, operations)) else {}
        self.waiting = _arguments_of([node for node in operations if _is_ahead(node)])
        self.waiting -= _arguments_of([node for node in operations if not _is_ahead(node)])

    def gradient(self, node: Node, number: int) -> tuple[np.ndarray | None, str]:
        """The gradient of the node of this number, and its state, as `GraphNode` names it."""
        if node.operation is None:
            arrived = self.arrived.get(number)
            if arrived is not None:
                return arrived, _state(arrived)
            if node in self.waiting:
                return None, "not computed"
        return gradient_of(node)


def gradient_of(node: Node) -> tuple[np.ndarray | None, str]:
    """The gradient that a node holds, and its state, as `GraphNode` names it."""
    if not node.requires_grad:
        return None, "needs none"
    if node.grad is None:
        freed = node.operation is not None and node.saved is None
        return None, "freed" if freed else "not computed"
    array = array_in(node.grad)
    return array, _state(array)


def _state(gradient: np.ndarray | None) -> str:
    return "known" if gradient is None or gradient.any() else "zero"


def _arguments_of(operations: list[Node]) -> set[Node]:
    return {edge.to for node in operations for edge in node.edges}


def _is_ahead(node: Node) -> bool:
    """Tell whether an operation was recorded, and the walk has not come to it."""
    is_done = node.saved is None or node.grad is not None
    return node.note is not None and not node.note.contributions and not is_done


def _walked_once(node: Node) -> bool:
    """Tell whether the last walk brought a node its whole gradient, as far as that is known."""
    if node.note is None or not node.note.contributions:
        return True
    last, whole = array_in(node.note.gradient), array_in(node.grad)
    if last is None or whole is None:
        return False
    return equal(last, whole)


def _arrived(edges: Sequence[GraphEdge]) -> dict[int, np.ndarray]:
    """The gradient that the walk back brought to each node, by its number.

    The walk goes from the newest operation to the oldest. So the last edge along which a gradient came
    belongs to the oldest operation that uses the node, and has the sum of all.
    """
    last: dict[int, GraphEdge] = {}
    for edge in edges:
        if edge.passed is not None and edge.target == last.setdefault(edge.source, edge).target:
            last[edge.source] = edge
    return {number: edge.passed.after for number, edge in last.items()}  # type: ignore[union-attr]


def passed_by(node: Node) -> dict[tuple[int, int | None], Passed]:
    """The gradients that a node passed on in the last walk back, by position and place in a list."""
    passed = {}
    waiting = list(node.note.contributions)
    for position, item, to in node.edges:
        if waiting and (waiting[0].position, waiting[0].to) == (position, to):
            given, fitted, before, after = map(array_in, waiting.pop(0)[2:])
            if given is not None and fitted is not None and after is not None:
                passed[position, item] = Passed(given, fitted, before, after)
    return passed


def array_in(value: object) -> np.ndarray | None:
    """A read-only view of the array in a value; None where the value is no array, or has none yet."""
    array = value._array if isinstance(value, Tensor) else value
    return frozen_view(np.asarray(array)) if isinstance(array, (np.ndarray, np.generic)) else None
