"""The bytes of the arrays that the nodes of a graph save for the backward pass."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..arrays.identity import owner_of
from ..engine.node import Node
from ..engine.saving import read_by
from .reached import Reached, edges_of


def bytes_kept(reached: Reached) -> dict[Node, int]:
    """For each node, the bytes that it is the first to keep; what a tensor holds is the tensor's."""
    held = (v for n, v in reached.values.items() if n.operation is None and n.note is None)
    seen = {id(owner_of(v)) for v in held if not v.flags.writeable}
    sizes: dict[Node, int] = {}
    for node in reached.nodes:
        for memory, size in _saved(reached, node):
            if memory not in seen:
                seen.add(memory)
                sizes[node] = sizes.get(node, 0) + size
    return sizes


def _saved(reached: Reached, node: Node) -> Iterator[tuple[int, int]]:
    """The identity and the bytes of each array that a node saves, or saved before it was freed."""
    if node.saved is not None:
        for array in _arrays(node.saved):
            yield id(owner_of(array)), owner_of(array).nbytes
    elif node.edges:
        call = reached.calls[node]
        key = (len(call), *[edge.position for edge in node.edges])
        read_result, read_args = read_by(node.operation, key)  # type: ignore[arg-type]
        read = [read_result, *read_args]
        for saved in (edge.to for edge in edges_of((node, *call)) if read[edge.position]):
            known = reached.values.get(saved)
            if known is not None:
                yield id(owner_of(known)), owner_of(known).nbytes
            elif saved.operation is not None:
                yield id(saved), math.prod(saved.shape) * saved.dtype.itemsize


def _arrays(values: Sequence[object]) -> list[np.ndarray]:
    """The arrays among `values`, and in the lists among them."""
    arrays = []
    for v in values:
        if isinstance(v, np.ndarray):
            arrays.append(v)
        elif isinstance(v, (list, tuple)):
            arrays += _arrays(v)
    return arrays
