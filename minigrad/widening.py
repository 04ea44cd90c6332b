"""The warning for a float32 model that computes in float64: it says what made its input so wide."""

from __future__ import annotations

import warnings

from .engine.modes import outward
from .engine.node import Node
from .engine.source import level_outside
from .engine.tensor import Array, Tensor


def warn_of_float64(x: Array, layer: object) -> None:
    """Warn that a model computes in float64 from `x` on, at the line of the user's that calls it.

    There is no warning if another layer of the class of `layer` made x so wide: that one has warned.
    """
    node = _widest(x)
    box = node.box if node is not None and node.operation is not None else None
    if any(type(around.owner) is type(layer) for around in outward(box)):
        return
    warnings.warn(
        f"{_widened(x, node)}. This float32 model computes in float64 from here on; if that is meant, "
        f"write model.astype(np.float64)",
        stacklevel=level_outside(),
    )


def _widest(x: Array) -> Node | None:
    """The node that made x so wide, perhaps far before x: none of its arguments with a gradient is."""
    node = x.node if isinstance(x, Tensor) else None
    wide = node
    while wide is not None:
        node, wide = wide, next((e.to for e in wide.edges if e.to.dtype == wide.dtype), None)
    return node


def _widened(x: Array, node: Node | None) -> str:
    """Say what made x so wide, and what to write."""
    if node is not None and node.operation is None and node is not x.node:  # type: ignore[union-attr]
        return (
            f"a leaf {node.shape} is {node.dtype}: make it of an array of float32, as of "
            f"np.ones(n, np.float32)"
        )
    if node is None or node.operation is None or not node.edges:
        return f"your x is {x.dtype}: write x.astype(np.float32)"
    return (
        f"{node.operation.name} was given a {node.dtype} beside float32: write float(n) for a number "
        f"such as np.sqrt(3), x.astype(np.float32) for an array"
    )
