"""Functions with a backward pass of their own: PyTorch's `autograd.Function`.

Its `forward()` is watched like any other computation. But its own `backward()` may give another gradient
than the derivative of `forward()`, as a straight-through estimate does. Or `forward()` leaves PyTorch.
Then the call becomes one operation, whose rules give the gradients that PyTorch's `backward()` gave.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ..engine.node import Edge, Node
from ..engine.source import SourceLine, source_line
from ..engine.table import lookup, rule
from ..engine.tensor import Tensor
from ..ran.recording import Note
from ..transforms import gradients
from .aten_call import tensors_in
from .distances import distance, length
from .gradients import how_it_differs, is_another
from .numbers import array_of
from .values import Values

UNCHECKED = "could not be checked: its forward leaves PyTorch"


class WalkedBack(NamedTuple):
    """The gradients that came to the results of a call, and the gradients that its `backward()` gave."""

    for_outputs: list[Any]  # arrays, or None where there was none
    for_inputs: list[Any]


class OwnBackward:
    """One call of an `autograd.Function`.

    Attributes:
        name: of the class.
        line: of the call.
        inputs, outputs: our Tensors; None for an argument that is no tensor of floats.
        walks: the gradients of each walk back of PyTorch's.
        differs: how `backward()` differs from the derivative of `forward()`, in words; or "".
        is_wrong: whether the difference may be a mistake. It is none if the derivative is not known, or
            if it is zero: then `backward()` is a straight-through estimate.
    """

    def __init__(
        self, cls: type, args: Sequence[Any], results: Sequence, context: Any, values: Values
    ):
        self.name = cls.__name__
        self.line: SourceLine | None = source_line()
        floating = lambda t: isinstance(t, torch.Tensor) and t.is_floating_point()
        self.inputs = [values.of(t) if floating(t) else None for t in tensors_in(args)]
        nodes = [x.node for x in self.inputs if x is not None]
        self.outputs: list[Tensor | None] = []
        for t in results:
            y: Any = values.of(t) if floating(t) else None
            if y is not None and y.node in nodes:  # it was returned as it came
                y = np.positive(y)
                values.take(t, y)
            elif y is not None and not y.requires_grad:  # PyTorch will have its gradient
                y = values.sever(Tensor(y._array, requires_grad=True), y)
                values.take(t, y)
            self.outputs.append(y)
        self.walks: list[WalkedBack] = []
        self.differs, self.is_wrong = "", False
        context.register_hook(self._saw)

    def _saw(self, for_inputs: Sequence, for_outputs: Sequence) -> None:
        """Keep the gradients of a walk back: PyTorch calls this hook with the given ones first."""
        arrays = lambda gs: [None if g is None else array_of(g).copy() for g in gs]
        self.walks.append(WalkedBack(arrays(for_outputs), arrays(for_inputs)))

    def compare(self, severed: dict[Node, str], whole: bool) -> None:
        """Compare the gradients of `backward()` with the derivative of `forward()`.

        `whole`: PyTorch wanted all gradients, so a missing gradient counts as zero.
        """
        arriving, passed = self.walks[-1]
        roots = [(y, g) for y, g in zip(self.outputs, arriving) if y is not None]
        if any(y.node in severed for y, _ in roots):
            self.differs = UNCHECKED
            return
        roots = [(y, g) for y, g in roots if g is not None and y.requires_grad]
        compared = [
            (k, x) for k, x in enumerate(self.inputs)
            if x is not None and (passed[k] is not None or (whole and x.requires_grad))
        ]  # fmt: skip
        derivatives = gradients(
            [y for y, _ in roots],
            [g for _, g in roots],
            [x for _, x in compared],
            retain_graph=True,
        )
        largest = max((length(g) for _, g in roots), default=0.0)
        differences = []
        for ours, (k, x) in zip(derivatives, compared):
            missing = passed[k] is None
            ours = np.zeros(x.shape, x.dtype) if ours is None else ours
            theirs = np.zeros_like(ours) if missing else passed[k]
            apart = distance(ours, torch.from_numpy(theirs), self.name)
            if not apart.is_rounding or is_another(ours, theirs, apart.allowed, largest):
                what = "there is none, and should be" if missing else how_it_differs(ours, theirs)
                differences.append(f"for its tensor number {k + 1}, of shape {x.shape}, {what}")
                self.is_wrong |= bool(ours.any())
        self.differs = "; ".join(differences)

    @property
    def difference(self) -> str:
        """The difference as a sentence."""
        if self.differs == UNCHECKED:
            return f"{self.name}.backward {UNCHECKED}"
        how = f"{self.name}.backward gives another gradient than the derivative of its forward"
        return f"{how}, {self.differs}"

    def substitute(self, severed: dict[Node, str]) -> None:
        """Make the call one operation, with the gradients that its own `backward()` gave.

        The gradients for all results go back from one result: the first to which a gradient came.
        """
        first = next((k for k, g in enumerate(self.walks[-1].for_outputs) if g is not None), 0)
        for k, y in enumerate(self.outputs):
            if y is not None and y.node.requires_grad:
                self._take_over(y, passes_on=k == first)
                severed.pop(y.node, None)

    def _take_over(self, y: Tensor, passes_on: bool) -> None:
        """Make the node of a result the node of this call.

        The node is changed in place: later nodes have edges to it, along which the walk back comes here.
        If `Twice.forward` computes x + x, and `Twice.backward` gives 5 g:

                        before                  after
            operation   np.add                  Twice, whose rule gives PyTorch's 5 g
            saved       x + x, x, x             x + x, x
            edges       to x, to x              to x
        """
        places = [k for k, x in enumerate(self.inputs) if x is not None]
        inputs = [x for x in self.inputs if x is not None]
        arrays, nodes = tuple([x._array for x in inputs]), tuple([x.node for x in inputs])
        node, call = y.node, rule(_giving(y._array, self.name), *map(self._rule, places))
        node.operation = lookup(call)  # type: ignore[assignment]
        node.saved, node.kwargs, node.keeps_grad = (y._array, *arrays), {}, True
        node.edges = [
            Edge(position, None, x)
            for position, x in enumerate(nodes)
            if passes_on and x.requires_grad and x is not node
        ]
        names = [] if node.note is None else node.note.names
        node.note = Note(y._array, arrays, nodes, self.line, names)

    def _rule(self, place: int) -> Callable:
        """The rule for an input: the gradient that PyTorch's `backward()` gave it for this g.

        If PyTorch walked back twice, first with [1, 1] and then with [0, 2], then a g of [0, 1.9999] is
        the second one, but for rounding. So the walk whose gradient is nearest to g is taken.
        """
        shape = self.inputs[place].shape  # type: ignore[union-attr]
        came = np.stack([next(g for g in walk.for_outputs if g is not None) for walk in self.walks])
        gave = [walk.for_inputs[place] for walk in self.walks]
        passed = np.stack([np.zeros(shape, came.dtype) if g is None else g for g in gave])

        def own_gradient(g: Any) -> Any:
            nearest = np.argmin([np.sum(np.abs(c - g)) for c in came])
            return np.array(passed[nearest])

        own_gradient.__name__ = own_gradient.__qualname__ = f"{self.name}_backward"
        gradient = rule(own_gradient, None)
        return lambda g, _y, *_inputs: gradient(g)


def _giving(result: np.ndarray, name: str) -> Callable:
    """A function of this name that always returns the result."""

    def call(*arrays: Any) -> Any:
        again = np.empty_like(result)  # several statements: a script is not to look inside
        again[...] = result
        return again

    call.__name__ = call.__qualname__ = name
    return call
