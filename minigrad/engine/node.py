"""Node: one operation that ran, and what it keeps for the backward pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..views.source import SourceLine
from . import table
from .modes import count
from .table import spec

if TYPE_CHECKING:
    from .tensor import Tensor


class Node:
    """One operation that ran: what it was, what it was called with, and what it keeps for later.

    Attributes:
        function: the NumPy function that was called, or one of the table's own.
        args, kwargs: what it was called with; arrays that no rule reads are `Spec`s. None once freed.
        edges: (position, parent) for each argument that requires a gradient. A parent is a `Node`,
            a leaf `Tensor`, or, where the argument is a list, a list of these with None for the rest.
        y: the array of the result, or its `Spec` where no rule reads it.
        versions: (leaf, version) for each leaf whose values are kept.
        number: the order of creation; it is greater than those of all parents.
        scope: the module or composition in which it ran.
        kept: what a kernel computed on the way that its rules need again, or None.
        note: what `record()` keeps for the views, or None.
    """

    __slots__ = (
        "args", "edges", "function", "kept", "kwargs", "note", "number", "rules", "scope", "versions",
        "y",
    )  # fmt: skip

    def __init__(self, function, rules, args, kwargs, edges, y, versions, scope, kept=None):
        self.function = function
        self.rules = rules
        self.args = args
        self.kwargs = kwargs
        self.edges = edges
        self.y = y
        self.versions: Sequence[tuple[Tensor, int]] = versions
        self.scope = scope
        self.kept = kept
        self.note: Note | None = None
        self.number = count()

    @property
    def shape(self) -> tuple[int, ...]:
        return self.y.shape

    @property
    def dtype(self) -> np.dtype:
        return self.y.dtype

    def parents(self) -> Iterator[Node | Tensor]:
        """The nodes and leaves that a gradient goes on to, one for each argument."""
        for _, parent in self.edges:
            if isinstance(parent, list):
                yield from (p for p in parent if p is not None)
            else:
                yield parent

    def free(self) -> None:
        """Let go of the arrays that were kept for the backward pass."""
        self.args = self.kept = None
        self.versions = ()
        self.y = spec(self.y.shape, self.y.dtype)

    def __repr__(self) -> str:
        return f"<{table.name_of(self.function)} #{self.number} {self.shape} {self.dtype}>"


class Note:
    """What is kept of a node for the views, under `record()` or by `retain_grad()`."""

    __slots__ = ("contributions", "grad", "inputs", "names", "value", "where")

    def __init__(self, value=None, inputs=(), where=None, names=()):
        self.value: np.ndarray | None = value
        self.inputs: tuple = inputs  # the arguments as they were given
        self.where: SourceLine | None = where
        self.names: Sequence[tuple[Tensor, str]] = names  # the variables they were in, just then
        self.grad: Tensor | None = None
        self.contributions: list = []  # (argument position, gradient) that it passed on
