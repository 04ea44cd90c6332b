"""A graph as the finders read it: operations by what they do, arguments, leaves, and gradients."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from ...ran.data import GraphBox, GraphNode
from ..graph import Graph

# Operations by what they do, as `verb` names them.
TURNING = {"transpose", "swapaxes", "moveaxis"}
# They give the numbers of one argument, arranged otherwise.
VIEWS = TURNING | {"reshape", "squeeze", "expand_dims", "broadcast_to", "getitem"}
ADDING = {"add", "subtract"}  # which pass on what comes, added up where the argument was spread
SCALED = {"multiply", "divide"}  # which scale each number, as a dropout does
SQUARES = {"power", "square", "multiply"}
TOTALS = {"sum", "mean"}
SUMMING = ADDING | SCALED | SQUARES | TOTALS | {"reshape"}  # of which a loss is made at its end
BOUNDING = {"relu", "clamp", "clip", "maximum"}
FLAT = {"round", "sign", "floor", "ceil", "trunc", "rint"}  # whose slope is 0 everywhere
LAYERS = {"add", "matmul"}  # which a linear layer ends with
RECURRENT = {"GRU", "LSTM", "RNN"}  # modules of PyTorch's
SCORES = LAYERS | {"relu", "tanh"}  # after which a number above 0 is a score


def short_name(operation: str) -> str:
    """The name of an operation without what it is of: `log` for `np.log`."""
    name = operation.rpartition(".")[2]
    return {"true_divide": "divide"}.get(name, name)


def verb(node: GraphNode) -> str:
    """The short name of a node's operation, such as `log`; "" of a leaf."""
    return short_name(node.operation)


def sources(graph: Graph, node: GraphNode) -> list[GraphNode]:
    """The nodes that are arguments of a node, in their order."""
    return [graph[e.source] for e in graph.arguments(node.number)]


def behind(graph: Graph, node: GraphNode, operations: Set[str] = VIEWS) -> GraphNode:
    """The node that a node is made of by such operations alone, by their first arguments; or itself."""
    while verb(node) in operations:
        node = sources(graph, node)[0]
    return node


def boxes_of(graph: Graph, name: str) -> set[int]:
    """The numbers of the boxes with a name, such as `softmax`."""
    return {box.number for box in graph.boxes if box.name == name}


def leaves_of(graph: Graph) -> dict[int, int]:
    """The leaf that each node is, or is a view of."""
    leaves: dict[int, int] = {}
    for node in graph.nodes:
        arguments = [e.source for e in graph.arguments(node.number)]
        if not node.operation:
            leaves[node.number] = node.number
        elif verb(node) in VIEWS and arguments[0] in leaves:
            leaves[node.number] = leaves[arguments[0]]
    return leaves


def module_of(graph: Graph, node: GraphNode) -> GraphBox | None:
    """The innermost module in whose call a node was computed."""
    return next((box for box in graph.outward(node.box) if box.kind == "module"), None)


def has_any(gradient: np.ndarray | None) -> bool:
    """Tell whether a gradient is known, and is not 0 everywhere."""
    return gradient is not None and bool(gradient.any())


def is_bad(array: np.ndarray | None) -> bool:
    """Tell whether a number in an array is NaN or infinite."""
    return array is not None and array.dtype.kind == "f" and not np.isfinite(array).all()


def size_of(gradient: np.ndarray | None) -> float:
    """The root of the sum of squares."""
    if gradient is None:
        return 0.0
    return float(np.sqrt(np.sum(np.square(gradient, dtype=np.float64))))
