"""Copies of tensors, by Python's modules `copy` and `pickle`."""

from __future__ import annotations

import copy
import functools

import numpy as np

from .engine.tensor import Tensor
from .errors import GraphError


def shallow(tensor: Tensor) -> Tensor:
    """Return a copy of a leaf. Return the result of an operation unchanged: its graph is not copied."""
    return deep(tensor, {})


def deep(tensor: Tensor, memo: dict) -> Tensor:
    """As `shallow`: of a leaf, the values and the gradient are copied in either."""
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
