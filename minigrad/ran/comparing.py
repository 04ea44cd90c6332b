"""Two runs of a function, compared: which constants are others, and whether the same operations ran."""

from __future__ import annotations

import numpy as np

from .data import GraphData, GraphNode, Ref


def differing(a: GraphData, b: GraphData) -> tuple[list[int], bool]:
    """The constants of `a`, by number, that are others in `b`, a second run; and whether the same ran.

    If other operations ran, the first of them, and the results, are named too.
    Arguments are no constants, and random numbers are no difference.
    """
    others: list[int] = []
    same_path = len(a) == len(b)
    for one, other in zip(a.nodes, b.nodes):
        if _path(a, one) != _path(b, other):
            same_path = False
            others.append(one.number)
            break
        if not one.known_origin and _constants(one) != _constants(other):
            others.append(one.number)
    if not same_path:
        others += a.roots
    return list(dict.fromkeys(others)), same_path


def _path(graph: GraphData, node: GraphNode) -> tuple:
    sources = [e.source for e in graph.arguments(node.number)]
    return node.kind, node.operation, node.shape, sources


def _constants(node: GraphNode) -> object:
    """Return what no operation made of a node: the numbers of a leaf, the settings of a call."""
    return constants_of(node) if node.kind == "operation" else bits(node.value)


def constants_of(node: GraphNode) -> list[object]:
    """The arguments and options of an operation, to be compared; other nodes are all alike in it."""
    options = ((name, bits(value)) for name, value in node.options.items())
    return [*map(bits, node.arguments), *options]


def bits(value: object) -> object:
    """Return what tells a value from another: of an array every bit, of a node nothing."""
    if isinstance(value, Ref):
        return Ref
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, (list, tuple)):
        return [bits(v) for v in value]
    return repr(value)
