"""The graph as data, made of the engine's nodes and arrays.

`reached` goes from each node to its arguments, and so finds all that the roots were computed from.
`naming` gives the nodes their names: of variables, and of attributes of modules.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..definitions.elementwise import clamp
from ..engine import table
from ..engine.errors import FailedCall, GraphError, MinigradError
from ..engine.node import Node, Outline, edges_to
from ..engine.tensor import Tensor
from ..engine.walk import copied_axes
from ..nn import Module
from .boxes_of_nodes import Boxes
from .constants import Constants
from .data import G, GraphEdge, GraphNode, Ref
from .module_paths import calls_around
from .naming import Names
from .reached import Reached, edges_of
from .recording import Note
from .saved_bytes import bytes_kept
from .variables import line_of
from .walked import Walked, array_in, passed_by

NOT_MADE = Outline((), np.dtype(np.float32))  # the result of an operation that failed
BROADCASTING = (np.where, np.broadcast_to, clamp)  # beside ufuncs


def of_tensors(kind: type[G], roots: Sequence[Tensor]) -> G:
    """The computation of `roots`."""
    with _no_collection():
        return Capture(roots).graph(kind)


def of_error(kind: type[G], error: MinigradError) -> G:
    """The computation that an error came up in, as far as it got, with the failed call marked.

    Raises:
        GraphError: if it came up outside any computation.
    """
    culprit = error.culprit
    if culprit is None:
        raise GraphError(f"this {type(error).__name__} came up outside any computation: {error}")
    with _no_collection():
        failed = culprit if isinstance(culprit, Node) else _failed(culprit, error)
        capture = Capture([error.root or failed], error)
        graph = capture.graph(kind, type(error).__name__)
        graph[capture.number[failed]].error = str(error).split("\n  at ")[0]
        return graph


def captured(kind: type[G], *roots: Tensor) -> tuple[G, Capture]:
    """The computation of `roots`, and the capture that knows more of its nodes."""
    with _no_collection():
        capture = Capture(roots)
        return capture.graph(kind), capture


def _failed(call: FailedCall, error: MinigradError) -> Node:
    """The call that failed, as the node that it would have become."""
    args = (*call.args, *call.kwargs.values())
    function = call.owner
    if isinstance(function, (str, Module)):
        function = _with_name(function if isinstance(function, str) else type(function).__name__)
    edges = edges_to(args, itertools.repeat(True))  # whichever of them has a rule
    y = call.y if hasattr(call.y, "shape") else NOT_MADE
    node = Node(y, table.Operation(function, ()), (y, *args), {}, edges)
    node.note = Note(y, line=line_of(error))
    node.box = call.box
    return node


def _with_name(name: str) -> Callable:
    """A function of which a view shows the name: a definition or a module that failed has no other."""

    def function() -> None: ...

    function.__name__ = name
    return function


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Spare the garbage collector many looks at a graph's new objects, none of which is garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Capture(Reached):
    """The nodes that the roots were computed from, with their names, boxes and constants."""

    def __init__(self, roots: Sequence[Tensor | Node], error: MinigradError | None = None):
        super().__init__(roots)
        calls = calls_around(self.calls)
        self.names = Names(self, calls, error)
        self.boxes = Boxes(self, calls, self.names)
        self.constants = Constants(self)

    def graph(self, kind: type[G], title: str = "") -> G:
        """The nodes and edges as data, in a graph of this class."""
        saved_bytes = bytes_kept(self)
        edges = [edge for node in self.nodes for edge in self._edges(node)]
        walked = Walked(self.calls, edges)
        nodes = [
            self._node(node, saved_bytes.get(node, 0), *walked.gradient(node, self.number[node]))
            for node in self.nodes
        ]
        roots = tuple([self.number[r] for r in self.roots])
        return kind(
            nodes=tuple(nodes),
            edges=tuple(edges),
            boxes=tuple(self.boxes.data),
            roots=roots,
            recorded=all(node.note is not None for node in self.calls),
            title=title or ", ".join(nodes[r].label for r in roots),
            taken_out=tuple([(n, t.line) for t, of in self.constants.taken_out_seen() for n in of]),
        )

    def _node(
        self, node: Node, saved_bytes: int, gradient: np.ndarray | None, state: str
    ) -> GraphNode:
        operation = node.operation
        return GraphNode(
            number=self.number[node],
            kind="operation" if operation is not None else self.names.kind(node),
            shape=node.shape,
            dtype=node.dtype,
            operation=operation.name if operation is not None else "",
            function=operation.function if operation is not None else None,
            arguments=tuple([self._refer(a) for a in self.calls.get(node, ())]),
            options=dict(node.kwargs),
            rules=operation.rules if operation is not None else (),
            value=array_in(self.values.get(node)),
            gradient=gradient,
            state=state,
            kept=saved_bytes,
            name=self.names.name(node),
            variable=self.names.variable(node),
            line=node.note.line if node.note is not None else None,
            box=self.boxes.box_of(node),
            module=self.boxes.module_of(node),
            known_origin=self.constants.origin(node),
            draw=node.note.draw if node.note is not None else None,
            may_be_of=self.constants.may_be_of(node),
        )

    def _refer(self, argument: Any) -> Any:
        if isinstance(argument, Node):
            return Ref(self.number[argument])
        if type(argument) in (list, tuple):
            return type(argument)(map(self._refer, argument))
        return argument

    def _edges(self, node: Node) -> Iterator[GraphEdge]:
        arguments = edges_of(self.calls.get(node, ()))
        if not arguments:
            return
        facts = _facts(node.operation.function)  # type: ignore[union-attr]
        shapes = [edge.to.shape for edge in arguments]
        made = None if node.saved is not None and node.saved[0] is NOT_MADE else node.shape
        copied = facts.copied(made, shapes)
        passing = {(edge.position, edge.item) for edge in node.edges}
        passed = {} if node.note is None else passed_by(node)
        for (position, item, to), axes in zip(arguments, copied):
            yield GraphEdge(
                source=self.number[to],
                target=self.number[node],
                position=position,
                item=item,
                argument=facts.parameters[position] if position < len(facts.parameters) else "",
                differentiable=(position, item) in passing,
                passed=passed.get((position, item)),
                copied=axes,
            )


# --- facts about a function -----------------------------------------------------------------------


class _Facts(NamedTuple):
    """Facts about a function that are the same for all arguments."""

    parameters: tuple[str, ...]
    spreads: str  # broadcasting: of "all" axes, of those before a "matrix", or ""

    def copied(self, shape: tuple[int, ...] | None, shapes: list[tuple[int, ...]]) -> list[tuple]:
        """For each argument, the axes of the result along which broadcasting copied it."""
        matrices = self.spreads == "matrix" and all(len(s) > 1 for s in shapes)
        if shape is None or not (matrices or self.spreads == "all"):
            return [()] * len(shapes)
        if matrices:
            shape, shapes = shape[:-2], [s[:-2] for s in shapes]
        return [() if s == shape else copied_axes(shape, s) for s in shapes]


@functools.lru_cache(maxsize=1024)
def _facts(function: Callable) -> _Facts:
    entry = table.TABLE.get(function)
    elementwise = isinstance(function, np.ufunc) and function.signature is None
    return _Facts(
        parameters=entry.parameters if isinstance(entry, table.Operation) else (),
        spreads="matrix" if function is np.matmul
        else "all" if elementwise or function in BROADCASTING else "",
    )  # fmt: skip
