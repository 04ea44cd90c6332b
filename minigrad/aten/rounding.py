"""Numbers rounded otherwise: they show how far rounding alone can move a result.

A small difference of large numbers, as in a model that has diverged, may be all rounding. So this is
tried: the arguments are moved at random, by some times their last bit. If the result moves as far as it
is from PyTorch's, then that distance is due to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..arrays.identity import memory_of
from ..engine.node import Node
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..transforms import gradients

LAST_BITS, ROUNDINGS = 4.0, 10  # what so many last bits change, and that times so much, is rounding
DRAWS = range(4)  # by the first, a gradient of one number may stay as it is: its parts cancel
ADDED = {"add", "subtract", "sum", "mean"}  # operations that may leave little of large terms
MOVED = {"reshape", "transpose", "squeeze", "expand_dims", "broadcast_to", "getitem", "negative"}

# What a walk back starts from: our Tensors, each with its gradient, or None for 1.
Roots = list[tuple[Tensor, np.ndarray | None]]


def rounded_otherwise(
    last_bits: float, sizes: Mapping[Any, float] = MappingProxyType({}), draw: int = 0
) -> Callable[[Any], Any]:
    """A function that moves numbers at random by so many times their last bit, as rounding may.

    `sizes`: the sizes of the terms of arrays that are sums of larger numbers, by their memory.
    """
    draws = np.random.default_rng(draw)

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [*map(moved, value)]
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
            return value
        off = last_bits * np.finfo(value.dtype).eps * draws.standard_normal(value.shape)
        size = sizes.get(memory_of(value), 0.0)
        other = value * (1 + off).astype(value.dtype)
        return (other + size * off).astype(value.dtype) if size else other

    return moved


def walked_again(
    roots: Roots, leaves: list[Tensor], scale: float = 1.0, last_bits: float = 0.0, draw: int = 0
) -> dict[Tensor, np.ndarray]:
    """The gradients of these leaves in another walk: with scaled gradients, or with moved numbers.

    Args:
        scale: what the gradients of the roots are multiplied by.
        last_bits: how many times its last bit each number that was saved is moved, by chance.
        draw: which chance, one of `DRAWS`.
    """
    known = [(root, g) for root, g in roots if root.requires_grad]
    saved = {node: node.saved for node in order([root.node for root, _ in known])}
    otherwise = rounded_otherwise(last_bits, _sizes_of_terms([*saved]) if last_bits else {}, draw)
    seeds = [scale * (np.ones_like(root._array) if g is None else g) for root, g in known]
    try:
        for node, values in saved.items():
            node.saved = None if values is None else tuple(map(otherwise, values))
        with np.errstate(all="ignore"):
            found = gradients([root for root, _ in known], seeds, leaves, retain_graph=True)
    finally:
        for node, values in saved.items():
            node.saved = values
    return {leaf: g for leaf, g in zip(leaves, found) if g is not None}


def _sizes_of_terms(newest_first: list[Node]) -> dict[Any, float]:
    """The size of the terms of each sum among the results of these nodes, by its memory.

    A sum may be far smaller than its terms, such as the difference of a target and a prediction; but it
    is rounded like its terms.
    """
    sizes: dict[Any, float] = {}
    largest = lambda a: float(np.abs(a).max(initial=0, where=np.isfinite(a)))
    for node in reversed(newest_first):
        if node.note is None or node.operation is None:
            continue
        arrays = [a for a in node.note.args if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
        name = node.operation.name.rpartition(".")[2]
        size = 0.0
        if name in ADDED:
            size = max((max(sizes.get(memory_of(a), 0), largest(a)) for a in arrays), default=0.0)
        elif name in MOVED and arrays:
            size = sizes.get(memory_of(arrays[0]), 0.0)
        if size:
            sizes[memory_of(node.note.y)] = size
    return sizes
