"""The graph as data, made of what the engine holds.

What the roots were computed from is found by going from each node to its arguments (`reached`), and
given the names that a reader knows it by: of variables, of the attributes of modules (`naming`).
"""

from __future__ import annotations

import contextlib
import functools
import gc
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays.identity import equal, frozen_view, owner_of
from ..definitions.elementwise import clamp
from ..engine import table
from ..engine.errors import FailedCall, GraphError, MinigradError
from ..engine.node import Node, Outline, edges_to
from ..engine.saving import read_by
from ..engine.tensor import Tensor
from ..engine.walk import copied_axes
from ..nn import Module
from .constants import Constants
from .data import G, GraphEdge, GraphNode, Passed, Ref
from .naming import Boxes, Names
from .reached import Reached, supplies
from .recording import Note
from .variables import line_of

NOT_MADE = Outline((), np.dtype(np.float32))  # the result of an operation that failed
BROADCASTING = (np.where, np.broadcast_to, clamp)  # beside ufuncs


def of_tensors(kind: type[G], roots: Sequence[Tensor]) -> G:
    """The computation of `roots`."""
    with _no_collection():
        return _Capture(roots).graph(kind)


def of_error(kind: type[G], error: MinigradError) -> G:
    """The computation that an error came up in, as far as it got, with what failed marked.

    Raises:
        GraphError: if it came up outside any computation.
    """
    culprit = error.culprit
    if culprit is None:
        raise GraphError(f"this {type(error).__name__} came up outside any computation: {error}")
    with _no_collection():
        failed = culprit if isinstance(culprit, Node) else _failed(culprit, error)
        capture = _Capture([error.root or failed], error)
        graph = capture.graph(kind, type(error).__name__)
        graph[capture.number[failed]].error = str(error).split("\n  at ")[0]
        return graph


def captured(kind: type[G], *roots: Tensor) -> tuple[G, _Capture]:
    """The computation of `roots`, and what is known of its nodes."""
    with _no_collection():
        capture = _Capture(roots)
        return capture.graph(kind), capture


def _failed(call: FailedCall, error: MinigradError) -> Node:
    """The call that failed, as the node that it would have become."""
    args = (*call.args, *call.kwargs.values())
    function = call.owner
    if not callable(function) or isinstance(function, Module):
        function = functools.partial(tuple)
        name = call.owner if isinstance(call.owner, str) else type(call.owner).__name__
        function.__name__ = name  # type: ignore[attr-defined]
    edges = edges_to(args, itertools.repeat(True))  # whichever of them has a rule
    y = call.y if hasattr(call.y, "shape") else NOT_MADE
    node = Node(y, table.Operation(function, ()), (y, *args), {}, edges)
    node.note = Note(y, line=line_of(error))
    node.box = call.box
    return node


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


class _Capture(Reached):
    """The nodes that the roots were computed from, and what is looked up on the way."""

    def __init__(self, roots: Sequence[Tensor | Node], error: MinigradError | None = None):
        super().__init__(roots)
        self.names = Names(self, error)
        self.boxes = Boxes(self, self.names)
        self.constants = Constants(self)
        ahead, behind = (  # of the walk back: to where a gradient is yet to come, and where it came
            {to for node in self.calls if _is_ahead(node) is yet for _, _, to in node.edges}
            for yet in (True, False)
        )
        self.left_over = ahead - behind  # of leaves, a `.grad` is of another computation

    def graph(self, kind: type[G], title: str = "") -> G:
        kept = self._kept()
        edges = [edge for node in self.nodes for edge in self._edges(node)]
        arrived = _arrived(edges) if all(map(_walked_once, self.calls)) else {}
        nodes = [
            self._node(node, kept.get(node, 0), arrived.get(self.number[node]))
            for node in self.nodes
        ]
        roots = tuple([self.number[r] for r in self.roots])
        return kind(
            nodes=tuple(nodes),
            edges=tuple(edges),
            boxes=tuple(self.boxes.boxes),
            roots=roots,
            recorded=all(node.note is not None for node in self.calls),
            title=title or ", ".join(nodes[r].label for r in roots),
            reads=tuple([(n, r.line) for r, numbers in self.constants.told() for n in numbers]),
        )

    def _kept(self) -> dict[Node, int]:
        """For each node, the bytes that it is the first to keep; what a tensor holds is the tensor's."""
        held = (v for n, v in self.values.items() if n.operation is None and n.note is None)
        seen = {id(owner_of(v)) for v in held if not v.flags.writeable}
        kept: dict[Node, int] = {}
        for node in self.nodes:
            for memory, size in self._saved(node):
                if memory not in seen:
                    seen.add(memory)
                    kept[node] = kept.get(node, 0) + size
        return kept

    def _saved(self, node: Node) -> Iterator[tuple[int, int]]:
        """The identity and the bytes of each array that a node saves, or saved before it was freed."""
        if node.saved is not None:
            for array in _arrays(node.saved):
                yield id(owner_of(array)), owner_of(array).nbytes
        elif node.edges:
            call = self.calls[node]
            key = (len(call), *[i for i, _, _ in node.edges])
            read_result, read_args = read_by(node.operation, key)  # type: ignore[arg-type]
            read = [read_result, *read_args]
            for saved in (n for i, _, n in supplies((node, *call)) if read[i]):
                known = self.values.get(saved)
                if known is not None:
                    yield id(owner_of(known)), owner_of(known).nbytes
                elif saved.operation is not None:
                    yield id(saved), math.prod(saved.shape) * saved.dtype.itemsize

    def _node(self, node: Node, kept: int, arrived: np.ndarray | None) -> GraphNode:
        gradient, state = gradient_of(node)
        if node.operation is None and arrived is not None:
            gradient, state = arrived, _known(arrived)  # `.grad` may be of another computation
        elif node.operation is None and node in self.left_over:
            gradient, state = None, "not computed"
        box = self.boxes.of.get(node)
        operation = node.operation
        return GraphNode(
            number=self.number[node],
            kind="operation" if operation is not None else self.names.kind(node),
            operation=operation.name if operation is not None else "",
            function=operation.function if operation is not None else None,
            arguments=tuple([self._refer(a) for a in self.calls.get(node, ())]),
            options=dict(node.kwargs),
            shape=node.shape,
            dtype=node.dtype,
            value=_shown(self.values.get(node)),
            gradient=gradient,
            state=state,
            name=self.names.name.get(self.names.key(node), ""),
            variable=self.names.variable.get(self.names.key(node), ""),
            line=node.note.line if node.note is not None else None,
            box=box,
            module=self.boxes.module_of(box),
            kept=kept,
            rules=operation.rules if operation is not None else (),
            may_be_of=self.constants.may_be_of(node),
            known_origin=self.constants.origin(node),
            draw=node.note.draw if node.note is not None else None,
        )

    def _refer(self, argument: Any) -> Any:
        if isinstance(argument, Node):
            return Ref(self.number[argument])
        if type(argument) in (list, tuple):
            return type(argument)(map(self._refer, argument))
        return argument

    def _edges(self, node: Node) -> Iterator[GraphEdge]:
        found = supplies(self.calls.get(node, ()))
        if not found:
            return
        facts = _facts(node.operation.function)  # type: ignore[union-attr]
        shapes = [source.shape for _, _, source in found]
        made = None if node.saved is not None and node.saved[0] is NOT_MADE else node.shape
        copied = facts.copied(made, shapes)
        passing = {(position, item) for position, item, _ in node.edges}
        passed = {} if node.note is None else _passed(node)
        for (position, item, source), axes in zip(found, copied):
            yield GraphEdge(
                source=self.number[source],
                target=self.number[node],
                position=position,
                item=item,
                argument=facts.parameters[position] if position < len(facts.parameters) else "",
                differentiable=(position, item) in passing,
                passed=passed.get((position, item)),
                copied=axes,
            )


# --- what the engine holds ------------------------------------------------------------------------


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


def _passed(node: Node) -> dict[tuple[int, int | None], Passed]:
    """Return what a node passed on in the last backward pass, by position and place in a list."""
    found = {}
    waiting = list(node.note.contributions)
    for position, item, to in node.edges:
        if waiting and (waiting[0].position, waiting[0].to) == (position, to):
            given, fitted, before, after = map(_shown, waiting.pop(0)[2:])
            if given is not None and fitted is not None and after is not None:
                found[position, item] = Passed(given, fitted, before, after)
    return found


def gradient_of(node: Node) -> tuple[np.ndarray | None, str]:
    """The gradient of a node, and the state that it is in."""
    if not node.requires_grad:
        return None, "needs none"
    if node.grad is None:
        freed = node.operation is not None and node.saved is None
        return None, "freed" if freed else "not computed"
    array = _shown(node.grad)
    return array, _known(array)


def _known(gradient: np.ndarray | None) -> str:
    return "known" if gradient is None or gradient.any() else "zero"


def _is_ahead(node: Node) -> bool:
    """Tell whether an operation is known to wait for its gradient, as it is recorded and has none."""
    return not (
        node.note is None or node.note.contributions or node.saved is None or node.grad is not None
    )


def _walked_once(node: Node) -> bool:
    """Tell whether what a node passed on is of its whole gradient, and not of the last walk alone."""
    if node.note is None or not node.note.contributions:
        return True
    last, whole = _shown(node.note.gradient), _shown(node.grad)
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


def _shown(value: object) -> np.ndarray | None:
    """The array in a value, for those who only look; None where it is yet to be computed, or lost."""
    array = value._array if isinstance(value, Tensor) else value
    return frozen_view(np.asarray(array)) if isinstance(array, (np.ndarray, np.generic)) else None


def _arrays(values: Sequence[object]) -> list[np.ndarray]:
    """The arrays among `values`, and in the lists among them."""
    found = []
    for v in values:
        if isinstance(v, np.ndarray):
            found.append(v)
        elif isinstance(v, (list, tuple)):
            found += _arrays(v)
    return found
