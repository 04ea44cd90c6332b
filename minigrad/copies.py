"""Copies of tensors, by Python's modules `copy` and `pickle`."""

from __future__ import annotations

import copy
import functools

import numpy as np

from .engine.tensor import Tensor
from .errors import GraphError


def shallow(tensor: Tensor) -> Tensor:
    """A leaf of the same values and a copy of its gradient; a result of an operation is itself."""
    return deep(tensor, {})


def deep(tensor: Tensor, memo: dict) -> Tensor:
    """The same: a graph is never walked."""
    if tensor.node.operation is not None:
        return tensor
    made = type(tensor)(tensor._array, requires_grad=tensor.requires_grad, name=tensor.name)
    made.grad = copy.deepcopy(tensor.grad, memo)
    return made


def reduced(tensor: Tensor) -> tuple:
    """The contents of a leaf's pickle: values, name, and whether it requires a gradient.

    Raises:
        GraphError: for the result of an operation.
    """
    if tensor.node.operation is not None:
        raise GraphError("a tensor inside a graph cannot be pickled; detach() it first")
    make = functools.partial(type(tensor), requires_grad=tensor.requires_grad, name=tensor.name)
    return make, (np.asarray(tensor._array),)


Tensor.__copy__, Tensor.__deepcopy__, Tensor.__reduce__ = shallow, deep, reduced  # type: ignore
