"""The warning for a float32 model that computes in float64: it says what made its input so wide."""

from __future__ import annotations

import warnings

from .engine.source import level_outside
from .engine.tensor import Array, Tensor


def warn_of_float64(x: Array) -> None:
    """Warn that a model computes in float64 from `x` on, at the line of the user's that calls it."""
    warnings.warn(
        f"a float32 model computes in float64 from here on, since {_widened(x)}, or "
        f"model.astype(np.float64)",
        stacklevel=level_outside(),
    )


def _widened(x: Array) -> str:
    """Say what made x so wide, which may be far before it, and what to write."""
    node = x.node if isinstance(x, Tensor) else None
    wide = node
    while wide is not None:  # back to where no argument with a gradient is as wide
        node, wide = wide, next((e.to for e in wide.edges if e.to.dtype == wide.dtype), None)
    if node is not None and node.operation is None and node is not x.node:  # type: ignore[union-attr]
        return (
            f"a leaf {node.shape} is {node.dtype}: make it of an array of float32, as of "
            f"np.ones(n, np.float32)"
        )
    if node is None or node.operation is None or not node.edges:
        return f"its input is {x.dtype}: write x.astype(np.float32)"
    return (
        f"{node.operation.name} was given a {node.dtype} beside float32: write float(n) for a number "
        f"such as np.sqrt(3), x.astype(np.float32) for an array"
    )
