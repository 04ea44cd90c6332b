"""Words of a diagnosis: how nodes, arrays and lists are called."""

from __future__ import annotations

import numpy as np

from ...ran.data import GraphNode, Ref
from ..graph import Graph
from .reading import sources

LISTED = 3  # names in a sentence


def called(node: GraphNode) -> str:
    """A node as sentences name it: `np.log #4 (loss)`."""
    made_by = node.operation or node.kind
    return f"{made_by} #{node.number}" + (f" ({node.label})" if node.label else "")


def listed(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    if len(names) <= LISTED + 1:
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"{', '.join(names[:LISTED])} and {len(names) - LISTED} more"


def inputs_of(graph: Graph, node: GraphNode) -> tuple[str, ...]:
    """The arguments, in words."""
    ranges = [
        f"{called(s)}: {range_of(s.value)}" for s in sources(graph, node) if s.value is not None
    ]
    numbers = [
        f"the number {a:g}"
        for a in node.arguments
        if isinstance(a, (int, float)) and not isinstance(a, (Ref, bool))
    ]
    return tuple(dict.fromkeys([*ranges, *numbers]))


def range_of(array: np.ndarray | None) -> str:
    """The least and the largest number, and the shape: `from -1 to 2, (3, 4)`."""
    if array is None or not array.size:
        return "no numbers"
    if array.size == 1:
        return f"{float(array.flat[0]):.4g}"
    return f"from {np.min(array):.4g} to {np.max(array):.4g}, {array.shape}"


def counted(array: np.ndarray | None) -> str:
    """The count of the numbers that are not finite: `1 NaN and 2 infinite of 12 numbers`."""
    if array is None:
        return "nothing"
    counts = {"NaN": int(np.isnan(array).sum()), "infinite": int(np.isinf(array).sum())}
    parts = " and ".join(f"{n:,} {name}" for name, n in counts.items() if n)
    return f"{parts} of {array.size:,} number{'s' if array.size > 1 else ''}"
