"""The warning for a softmax, or a sigmoid, before a loss that makes one itself."""

from __future__ import annotations

import operator
import warnings

import numpy as np

from ..engine.node import Node
from ..engine.rules import astype
from ..engine.source import level_outside
from ..engine.table import TABLE
from ..engine.tensor import Array, Tensor
from .activations import sigmoid
from .softmaxes import softmax

# They leave each number as it is, and the last axis the last.
MOVES = {operator.getitem, np.reshape, np.squeeze, np.ravel, np.expand_dims, astype}


def warn_of_probabilities(scores: Array, loss: str, makes: str) -> None:
    """Warn, at the line of the user's, if the `scores` given to a loss are what `makes` has made.

    Args:
        makes: "softmax", of the last axis, or "sigmoid"; before this, a softmax is as wrong.
    """
    node = scores._node if isinstance(scores, Tensor) else None
    while node is not None and node.operation is not None and node.operation.function in MOVES:
        node = node.edges[0].to if node.edges else None
    if node is None or node.operation is None:
        return
    made_by = _made_by(node)
    if made_by and (makes == "sigmoid" or (made_by == "softmax" and _rows_kept(node, scores))):
        warnings.warn(
            f"{loss} takes scores, of which it makes the {makes} itself, and is given what a {made_by} "
            f"has made: what is learned is not what is meant. Leave that {made_by} out before the loss; "
            f"where you need probabilities, write F.{made_by}(scores)",
            stacklevel=level_outside(),
        )


def _made_by(node: Node) -> str:
    """The name of the function whose result a node is, if it is one of the two; else ""."""
    if node.operation.function is sigmoid:  # type: ignore[union-attr]
        return "sigmoid"
    return "softmax" if node.box and node.box.function is TABLE[softmax].body else ""  # type: ignore[union-attr]


def _rows_kept(node: Node, scores: Array) -> bool:
    """Tell whether a softmax, by its last division, is of the last axis, which still is the last."""
    total = node.edges[-1].to if node.edges else node  # (..., 1)
    return total.shape == (*node.shape[:-1], 1) and node.shape[-1:] == scores.shape[-1:]
