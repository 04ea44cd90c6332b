"""Functions with a backward pass of their own: PyTorch's `autograd.Function`.

What its `forward()` computes is seen as any other computation. Where its own `backward()` gives another
gradient than the derivative of that, as a straight-through estimate does, or where `forward()` left
PyTorch, the call becomes one operation, whose rules give what PyTorch's `backward()` gave.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ..engine.node import Node
from ..engine.source import SourceLine, source_line
from ..engine.table import lookup, rule
from ..engine.tensor import Tensor
from ..ran.recording import Note
from ..transforms import gradients
from .aten_call import tensors_in
from .numbers import array_of, distance, how_it_differs, is_another, length

UNCHECKED = "could not be checked: its forward leaves PyTorch"


class OwnBackward:
    """One call of an `autograd.Function`.

    Attributes:
        name: of the class.
        line: where it was called.
        inputs, outputs: our Tensors, or None for what is no tensor of floating numbers.
        seen: for each time that PyTorch walked back: the gradients that came, and those it gave.
        differs: how what it gave differs from the derivative of `forward()`, in words; "" where not.
        is_wrong: whether that may be a mistake. It is none where no derivative is known, nor where it
            is zero: a straight-through estimate stands in for it.
    """

    def __init__(
        self, cls: type, args: Sequence[Any], results: Sequence, made: Sequence, values: Any
    ):
        self.name = cls.__name__
        self.line: SourceLine | None = source_line()
        floating = lambda t: isinstance(t, torch.Tensor) and t.is_floating_point()
        self.inputs = [values.of(t) if floating(t) else None for t in tensors_in(args)]
        nodes = [x.node for x in self.inputs if x is not None]
        self.outputs: list[Tensor | None] = []
        for t in results:
            y = values.of(t) if floating(t) else None
            if y is not None and y.node in nodes:  # it was returned as it came
                y = np.positive(y)
                values.take(t, y)
            elif y is not None and made and not y.requires_grad:  # PyTorch will have its gradient
                y = values.sever(Tensor(y._array, requires_grad=True), y)
                values.take(t, y)
            self.outputs.append(y)
        self.seen: list[tuple[list, list]] = []
        self.differs, self.is_wrong = "", False
        for grad_fn in made[:1]:
            grad_fn.register_hook(self._saw)

    def _saw(self, given: Sequence, came: Sequence) -> None:
        arrays = lambda gs: [None if g is None else array_of(g).copy() for g in gs]
        self.seen.append((arrays(came), arrays(given)))

    def compare(self, severed: dict[Node, str], whole: bool) -> None:
        """Compare the gradients that it gave with those of the derivative of `forward()`.

        `whole`: PyTorch wanted all gradients, so that one which was not given is zero.
        """
        roots = [(y, g) for y, g in zip(self.outputs, self.seen[-1][0]) if y is not None]
        if any(y.node in severed for y, _ in roots):
            self.differs = UNCHECKED
            return
        roots = [(y, g) for y, g in roots if g is not None and y.requires_grad]
        given = self.seen[-1][1]
        wanted = [
            (k, x) for k, x in enumerate(self.inputs)
            if x is not None and (given[k] is not None or (whole and x.requires_grad))
        ]  # fmt: skip
        found = gradients(
            [y for y, _ in roots], [g for _, g in roots], [x for _, x in wanted], retain_graph=True
        )
        largest = max((length(g) for _, g in roots), default=0.0)
        said = []
        for ours, (k, x) in zip(found, wanted):
            ours = np.zeros(x.shape, x.dtype) if ours is None else ours
            theirs = np.zeros_like(ours) if given[k] is None else given[k]
            apart = distance(ours, torch.from_numpy(theirs), self.name)
            if apart.size > apart.allowed or is_another(ours, theirs, apart.allowed, largest):
                what = how_it_differs(ours, theirs)
                what = "there is none, and should be" if given[k] is None else what
                said.append(f"for its tensor number {k + 1}, of shape {x.shape}, {what}")
                self.is_wrong |= bool(ours.any())
        self.differs = "; ".join(said)

    @property
    def said(self) -> str:
        """A sentence on how its gradient differs."""
        if self.differs == UNCHECKED:
            return f"{self.name}.backward {UNCHECKED}"
        how = f"{self.name}.backward gives another gradient than the derivative of its forward"
        return f"{how}, {self.differs}"

    def substitute(self, severed: dict[Node, str]) -> None:
        """Make of the call one operation, with the gradients that its own `backward()` gave."""
        first = next((k for k, g in enumerate(self.seen[-1][0]) if g is not None), 0)
        for k, y in enumerate(self.outputs):
            if y is not None and y.node.requires_grad:
                self._replace(y, own=k == first)
                severed.pop(y.node, None)

    def _replace(self, y: Tensor, own: bool) -> None:
        inputs = [x for x in self.inputs if x is not None]
        places = [i for i, x in enumerate(self.inputs) if x is not None]
        result = y._array

        def call(*arrays: Any) -> Any:
            again = np.empty_like(result)  # several statements: a script is not to look inside
            again[...] = result
            return again

        call.__name__ = call.__qualname__ = self.name
        function = rule(call, *[_rule(self, i) for i in places])
        node, arrays = y.node, tuple([x._array for x in inputs])
        nodes = tuple([x.node for x in inputs])
        node.operation = lookup(function)  # type: ignore[assignment]
        node.saved, node.kwargs, node.keeps_grad = (result, *arrays), {}, True
        node.edges = [
            (i, None, x) for i, x in enumerate(nodes) if own and x.requires_grad and x is not node
        ]
        names = [] if node.note is None else node.note.names
        node.note = Note(result, arrays, nodes, self.line, names)


def _rule(call: OwnBackward, place: int) -> Callable:
    """The rule for an argument: what PyTorch's `backward()` gave when this gradient came."""
    seen = [(next(c for c in came if c is not None), given[place]) for came, given in call.seen]
    shape = call.inputs[place].shape  # type: ignore[union-attr]
    came = np.stack([c for c, _ in seen])
    passed = np.stack([np.zeros(shape, came.dtype) if p is None else p for _, p in seen])

    def own_gradient(g: Any) -> Any:
        nearest = np.argmin([np.sum(np.abs(c - g)) for c in came])
        return np.array(passed[nearest])

    own_gradient.__name__ = own_gradient.__qualname__ = f"{call.name}_backward"
    gradient = rule(own_gradient, None)
    return lambda g, _y, *_inputs: gradient(g)
