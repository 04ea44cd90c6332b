"""One operation of a graph, computed again with other arguments; and its rules, with other gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.trees import leaves, rebuilt
from ..engine.base import AnyArray
from ..engine.node import Node
from ..engine.walk import undo_broadcast
from ..ran.rules_as_text import argument_names, source_of
from .patterns import as_float64


class OperationAgain:
    """One operation of a graph, which ran under `record()`.

    Attributes:
        node: of the graph.
        function: the function of the operation; `rules`: its rules.
        args: the arguments, in float64.
        names: the names of the arguments.
        y: the result.
    """

    def __init__(self, node: Node):
        assert node.operation is not None
        self.node = node
        self.function, self.rules = node.operation.call, node.operation.rules
        self.args = [rebuilt(a, [as_float64(b) for _, b in leaves(a)]) for a in node.note.args]
        self.names = argument_names(node.operation, len(self.args))
        self.y = np.asarray(self.compute()[0])

    def compute(self) -> list[np.ndarray]:
        """Compute the result of `args` as they are now, in a list."""
        return [np.asarray(self.function(*self.args, **self.node.kwargs))]

    def rule(
        self, i: int, g: AnyArray, y: AnyArray = None, args: Sequence | None = None
    ) -> AnyArray:
        """The gradient by the rule of argument i for g, with other y and args if these are given."""
        y = self.y if y is None else y
        return self.rules[i](g, y, *(args or self.args), **self.node.kwargs)

    def place(self, i: int) -> str:
        """The rule of argument i, and the line that asked for the operation, in words."""
        rule = source_of(self.rules[i]).replace("\n", "\n  ")
        line = f"\n  {self.node.note.line}" if self.node.note.line else ""
        return f"in the rule of {self.node.operation.name} for {self.names[i]}: {rule}{line}"  # type: ignore

    def counts(self, i: int) -> dict[int, str]:
        """Numbers by which rule i may have forgotten to divide or to multiply, with their meaning."""
        counts = {n: f"the length of axis {k}" for k, n in enumerate(np.shape(self.args[i]))}
        x, y = np.size(self.args[i]), self.y.size
        return counts | ({x // y: "the number of elements that went into each result"} if y else {})


@dataclass(frozen=True)
class WrongGradient:
    """A gradient that a rule got wrong, of one argument of an operation.

    Attributes:
        operation: the operation.
        position: of the argument.
        item: the place in the argument, if that is a list.
        g: the gradient that the rule was given.
        from_rule: the gradient that the rule gave.
        analytic: the same with broadcasting undone.
        numeric: the gradient by finite differences.
    """

    operation: OperationAgain
    position: int
    item: int | None
    g: AnyArray
    from_rule: AnyArray
    analytic: np.ndarray
    numeric: np.ndarray

    @property
    def argument(self) -> Any:
        """The array whose gradient it is."""
        argument = self.operation.args[self.position]
        return argument if self.item is None else argument[self.item]

    def share(self, g: AnyArray, **changed: Any) -> AnyArray:
        """The gradient that the rule gives for g, and for `changed` y and args."""
        from_rule = self.operation.rule(self.position, g, **changed)
        return from_rule if self.item is None else from_rule[self.item]

    def gradient(self, g: AnyArray = None, **changed: Any) -> AnyArray:
        """The same with broadcasting undone."""
        return self.summed(self.share(self.g if g is None else g, **changed))

    def summed(self, share: AnyArray) -> AnyArray:
        return undo_broadcast(as_float64(share), self.numeric.shape)
