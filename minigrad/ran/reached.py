"""Everything that some tensors were computed from, as nodes numbered in order of creation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.node import Edge, Node, Outline
from ..engine.tensor import Tensor
from .data import UNKNOWN


class Reached:
    """Everything that some roots were computed from, as nodes numbered in order of creation.

    Arrays that are no nodes yet, as outside `record()`, become leaves here: each array one.

    Attributes:
        roots: the nodes of the roots.
        nodes: all of them, in order of creation; a constant comes just before its first use.
        number: the place of each in this order.
        calls: of each operation the arguments, nodes among them.
        values: the arrays of nodes, as far as they are still known.
        arrays: the arrays that became leaves here, each with its leaf, by their ids.
        early: the nodes that were made before they were used.
    """

    def __init__(self, roots: Sequence[Tensor | Node]):
        self.values: dict[Node, np.ndarray] = {}
        self.arrays: dict[int, tuple[object, Node]] = {}
        self.calls: dict[Node, tuple] = {}
        self.roots = [r if isinstance(r, Node) else self._of_tensor(r) for r in roots]
        order: dict[Node, tuple] = {}  # where each comes in the order of creation
        waiting = list(dict.fromkeys(self.roots))
        seen = set(waiting)
        while waiting:  # graphs are deeper than Python recurses
            node = waiting.pop()
            order[node] = min(order.get(node, (node.number, 1)), (node.number, 1))
            if node.operation is None:
                continue
            self.calls[node] = self._call(node)
            for k, (_, _, to) in enumerate(edges_of(self.calls[node])):
                if to.operation is None:
                    order[to] = min(order.get(to, (to.number, 1)), (node.number, 0, k))
                if to not in seen:
                    seen.add(to)
                    waiting.append(to)
        self.nodes = sorted(order, key=order.__getitem__)
        self.early = {n for n in self.nodes if order[n][1] == 1}
        self.number = {node: n for n, node in enumerate(self.nodes)}

    def _call(self, node: Node) -> tuple:
        """The arguments that an operation was called with, each array and tensor as a node."""
        made_by: dict[int, Any] = {}  # a node for each argument, or for each element of a list
        for position, item, to in node.edges:
            if item is None:
                made_by[position] = to
            else:
                made_by.setdefault(position, {})[item] = to
        saved = node.saved
        if saved is not None:
            know(self.values, node, saved[0])
        if node.note is not None:
            know(self.values, node, node.note.y)
            if node.note.sources:
                return tuple(map(self._recorded, node.note.args, node.note.sources))
        if saved is None:  # freed, and not recorded: only the edges are left
            n = max(len(node.operation.rules), *(p + 1 for p in made_by))  # type: ignore[union-attr]
            saved = (None, *(UNKNOWN,) * n)
        return tuple([self._argument(a, made_by.get(i)) for i, a in enumerate(saved[1:])])

    def _recorded(self, argument: Any, source: Any) -> Any:
        if isinstance(source, list):
            return type(argument)(map(self._recorded, argument, source))
        if source is None:
            return argument
        know(self.values, source, argument)
        return source

    def _argument(self, argument: Any, made_by: Any) -> Any:
        if isinstance(made_by, dict):
            argument = [UNKNOWN] * (max(made_by) + 1) if argument is UNKNOWN else argument
            return [self._argument(a, made_by.get(k)) for k, a in enumerate(argument)]
        if made_by is not None:
            know(self.values, made_by, getattr(argument, "_array", argument))
            return made_by
        if isinstance(argument, Tensor):
            return self._of_tensor(argument)
        if isinstance(argument, Outline):  # one can stand for many arrays
            return Node(argument) if argument.ndim else UNKNOWN
        if isinstance(argument, np.ndarray) and argument.ndim:
            return self._of_array(argument)
        if isinstance(argument, (list, tuple)) and any(isinstance(a, Tensor) for a in argument):
            return type(argument)([self._argument(a, None) for a in argument])
        return argument

    def _of_tensor(self, tensor: Tensor) -> Node:
        node = tensor._node or self._of_array(tensor._array)
        know(self.values, node, tensor._array)
        return node

    def _of_array(self, array: object) -> Node:
        if id(array) not in self.arrays:
            self.arrays[id(array)] = array, Node(array)
        node = self.arrays[id(array)][1]
        know(self.values, node, array)
        return node


def know(values: dict[Node, np.ndarray], node: Node, value: object) -> None:
    """Add the value of a node, if it is an array and none is known."""
    if isinstance(value, (np.ndarray, np.generic)):
        values.setdefault(node, np.asarray(value))


def edges_of(call: tuple) -> list[Edge]:
    """An edge to every node among the arguments of a call, whether or not a gradient goes there."""
    edges: list[Edge] = []
    for position, argument in enumerate(call):
        if isinstance(argument, Node):
            edges.append(Edge(position, None, argument))
        elif isinstance(argument, (list, tuple)):
            nodes = ((item, a) for item, a in enumerate(argument) if isinstance(a, Node))
            edges += [Edge(position, item, node) for item, node in nodes]
    return edges
