"""The backward passes of PyTorch's, each followed by ours, and the distance of every gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..engine.backward import backward
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..recording import names_here
from .calls import Calls
from .numbers import Distance, array_of, distance, distance_from_none, unit_of

Gradients = list[tuple[str, list[Tensor], Any]]  # the name of each, our leaves, PyTorch's


class Backward(NamedTuple):
    """A call of PyTorch's `backward()` or `grad()`, which ours has followed.

    Attributes:
        roots: (our Tensor, the gradient that it started with, or None for 1) for each.
        distances: of each gradient of ours from PyTorch's.
        finite: whether all numbers of PyTorch's roots and gradients are finite.
    """

    roots: list[tuple[Tensor, np.ndarray | None]]
    distances: list[Distance]
    finite: bool


class BackwardPasses:
    """The backward passes of what a block computed.

    Args:
        calls: what it computed.
        done: takes each that was followed.

    Attributes:
        overflows: gradients that are finite here alone, a sentence for each.
        own: what is said of functions with a backward of their own, and of gradients that cannot be
            compared.
    """

    def __init__(self, calls: Calls, done: list[Backward]):
        self.calls, self.done = calls, done
        self.overflows: list[str] = []
        self.own: dict[Any, str] = {}

    def copy_gradients(self) -> list[Any]:
        """Copies of the gradients that PyTorch's leaves have."""
        gradients = [theirs.grad for theirs, _ in self.calls.values.leaves.values()]
        return [None if g is None else g.detach().clone() for g in gradients]

    def compare_backward(
        self, roots: list, seeds: list, before: list[Any], only: set[int] | None
    ) -> None:
        """Compare what a call of PyTorch's `backward()` added to the gradients, `only` to some."""
        gradients: Gradients = []
        called = self._names()
        for (theirs, ours), old in zip(self.calls.values.leaves.values(), before):
            if only is None or id(theirs) in only:
                new = theirs.grad
                if old is not None and not np.isfinite(array_of(old)).all():
                    self.own[id(theirs)] = (
                        f"the gradient of {called(theirs)} was not finite before backward(), which adds "
                        f"to it: call optimizer.zero_grad() first"
                    )
                    continue
                added = new if new is None or old is None else new.detach() - old
                gradients.append((called(theirs), ours, added))
        self._follow(roots, seeds, gradients, called)

    def compare_grad(
        self, roots: list, seeds: list, inputs: list, found: Any, is_open: bool
    ) -> None:
        """Compare what a call of `torch.autograd.grad()` gave: an open block may compute with it."""
        values = self.calls.values
        gradients: Gradients = []
        called = self._names()
        for theirs, gradient in zip(inputs, found):
            if values.knows(theirs):
                _, ours = values.leaves.get(id(theirs), (None, [values.of(theirs)]))
                gradients.append((called(theirs), ours, gradient))
            if is_open and gradient is not None and not gradient.is_sparse:
                values.take(gradient, values.constant(gradient, "a gradient, by PyTorch"))
        self._follow(roots, seeds, gradients, called)

    def _follow(
        self, roots: list, seeds: list, gradients: Gradients, called: Callable[[Any], str]
    ) -> None:
        """Walk back as PyTorch did, and compare each gradient.

        There are several leaves of ours for one of PyTorch's that was changed.
        """
        values = self.calls.values
        known = [
            (values.of(t), None if s is None else array_of(s).copy())
            for t, s in zip(roots, seeds)
            if values.knows(t)
        ]
        values.take_names(roots)
        self.calls.note_hooks(called)
        self._with_own_backwards()
        self._walk(known, [leaf for _, ours, _ in gradients for leaf in ours])
        finite = lambda t: t is None or bool(np.isfinite(array_of(t)).all())
        broken = not all(finite(t) for _, _, t in gradients)
        found = self._distances(gradients, broken)
        self.done.append(Backward(known, found, not broken and all(map(finite, roots))))

    def _walk(self, roots: list[tuple[Tensor, np.ndarray | None]], leaves: list[Tensor]) -> None:
        """Walk back from these roots; what came before is no part of this call."""
        before = [root for root, _ in self.done[-1].roots] if self.done else []
        nodes = order([t.node for t in (*before, *(root for root, _ in roots))])
        for node in (*nodes, *(leaf.node for leaf in leaves)):
            node.grad = None
            if node.note is not None:
                node.note.contributions = []
        with np.errstate(all="ignore"):
            for root, gradient in roots:
                if root.requires_grad:
                    backward(root, gradient, retain_graph=True)

    def _distances(self, gradients: Gradients, broken: bool) -> list[Distance]:
        """The distances of gradients; `broken`: of the finite numbers in them alone."""
        rough = max((d.allowed for d in self.calls.distances), default=0.0)
        unit = unit_of([array_of(t) for _, _, t in gradients if t is not None])
        found = []
        for name, ours, theirs in gradients:
            arrays = [leaf.grad._array for leaf in ours if leaf.grad is not None]
            of = f"the gradient of {name}"
            if theirs is None:
                found.append(distance_from_none(arrays, of))
                continue
            mine = sum(arrays[1:], arrays[0]) if arrays else np.zeros(ours[0].shape, np.float32)
            apart = distance(mine, theirs, of, allowed=rough, of_finite=broken, unit=unit)
            found.append(apart)
            here, there = (np.isfinite(a).all() for a in (mine, array_of(theirs)))
            if here and not there:
                self.overflows.append(f"{of} is not finite in PyTorch, and is here, in 32 bits")
        return found

    def _with_own_backwards(self) -> None:
        """Give functions whose own `backward()` differs from the derivative its gradients."""
        severed = self.calls.values.severed
        for function in self.calls.functions:
            if function in self.own:
                function.substitute(severed)  # there may be more to give
            elif function.seen:
                size = function.differs(severed)
                if size:
                    function.substitute(severed)
                    by = (
                        f"by up to {size:.2g} of 1 + its size"
                        if np.isfinite(size)
                        else "which has none"
                    )
                    self.own[function] = (
                        f"{function.name}.backward gives another gradient than the derivative of its "
                        f"forward, {by}, at {function.line}: the graph has its own"
                    )

    def _names(self) -> Callable[[Any], str]:
        """The function that names a tensor of PyTorch's: as a parameter, or after a variable."""
        paths: dict[int, str] = {}
        for module, _ in self.calls.values.counterparts.known.values():
            for name, parameter in module.named_parameters():
                if len(name) > len(paths.get(id(parameter), "")):
                    paths[id(parameter)] = name

        def called(theirs: Any) -> str:
            names = [name for _, name in names_here([theirs])]
            shape = f"a tensor of shape {tuple(theirs.shape)}"
            return paths.get(id(theirs)) or next(iter(names), shape)

        return called
