"""Node: one place of a graph. An operation that ran, or a leaf that no operation made.

A graph is made of nodes and arrays. A node knows the nodes of its arguments, and no node that uses it.
So a graph lives as long as its result does.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .base import AnyArray, BaseTensor
from .errors import Options, UnsupportedError
from .modes import count, current_box
from .table import Operation

if TYPE_CHECKING:
    from .tensor import Tensor


class Outline(np.lib.mixins.NDArrayOperatorsMixin):
    """The shape and dtype of an array whose values are not needed: a use of the values is an error."""

    __slots__ = ("dtype", "ndim", "shape", "size")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype):
        self.shape, self.dtype = shape, dtype
        self.ndim, self.size = len(shape), math.prod(shape)

    def __repr__(self) -> str:
        return f"Outline({self.shape}, {self.dtype})"

    def _has_no_values(self, *args: object, **kwargs: object) -> Any:
        raise UnsupportedError(
            "a rule reads the values of what it names with an underscore, for which only shape and "
            "dtype are kept: write that parameter without the underscore"
        )

    __array_ufunc__ = __array_function__ = __getitem__ = __bool__ = _has_no_values

    def __getattr__(self, name: str) -> Any:
        return object.__getattribute__(self, name) if name[0] == "_" else self._has_no_values()


outline = functools.lru_cache(maxsize=1 << 12)(Outline)  # one object for all arrays that are alike


class Edge(NamedTuple):
    """The way of a gradient from a node to the node of one of its arguments.

    Attributes:
        position: of the argument in the call.
        item: its place in the list, where the argument is a list; else None.
        to: the node that made it.
    """

    position: int
    item: int | None
    to: Node


new = tuple.__new__  # a NamedTuple's own constructor takes twice as long


class Node:
    """An operation that ran, and what it saves for the backward pass; or a leaf.

    Attributes:
        operation: the table's entry for the function that was called; None for a leaf.
        saved: what rules are called with after the gradient: the result and the arguments. Arrays
            that no rule reads are `Outline`s. None once the node is freed, and for a leaf.
        kwargs: the options that the function was called with.
        edges: one for each argument that a gradient goes on to.
        shape, dtype: of the result, or of the leaf.
        requires_grad: whether a gradient goes on to this node.
        grad: the gradient that `backward()` computed, a Tensor or None.
        keeps_grad: whether `backward()` leaves the gradient in `grad`, as it does for leaves.
        number: its place in the order of creation; greater than those of the nodes that its
            edges lead to.
        box: the module or definition in which it came into being, or None.
        name: what drawings call it, or None.
        note: what a recording keeps of it, or None; `backward()` shows it each visit.
    """

    __slots__ = (
        "__weakref__", "box", "dtype", "edges", "grad", "keeps_grad", "kwargs", "name", "note", "number",
        "operation", "requires_grad", "saved", "shape",
    )  # fmt: skip

    def __init__(
        self, array: AnyArray, operation: Operation | None = None, saved: tuple | None = None,
        kwargs: Options | None = None, edges: list[Edge] | None = None, name: str | None = None,
    ):  # fmt: skip
        self.shape: tuple[int, ...] = array.shape
        self.dtype: np.dtype = array.dtype
        self.operation = operation
        self.saved = saved
        self.kwargs = kwargs or {}
        self.edges = edges or []
        self.requires_grad = bool(edges)
        self.grad: Tensor | None = None
        self.keeps_grad = operation is None
        self.number = count()
        self.box = current_box.get()
        self.name = name
        self.note: Any = None

    def __repr__(self) -> str:
        name = "leaf" if self.operation is None else self.operation.name
        return f"<{name} #{self.number} {self.shape} {self.dtype}>"


def edges_to(args: Iterable, rules: Iterable) -> list[Edge]:
    """An edge for each argument, or element of a list, that has a rule and needs a gradient."""
    edges: list[Edge] = []
    for position, (a, rule) in enumerate(zip(args, rules)):
        if rule is None:
            continue
        if isinstance(a, BaseTensor):
            to = a._node
            if to is not None and to.requires_grad:
                edges.append(new(Edge, (position, None, to)))
        elif isinstance(a, (list, tuple)):
            nodes = ((item, getattr(b, "_node", None)) for item, b in enumerate(a))
            edges += [Edge(position, item, to) for item, to in nodes if to and to.requires_grad]
    return edges
