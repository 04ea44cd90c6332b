"""The backward passes of PyTorch's, each followed by ours, and the distance of every gradient."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from .. import errors
from ..engine.backward import backward
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..ran.variables import names_here
from ..system.working import working
from .dispatch import Calls
from .distances import Distance
from .gradients import LeafGradient, OtherGradients, compare, is_finite, not_finite_elsewhere
from .modules import length_of
from .numbers import array_of
from .own_backward import OwnBackward
from .rounding import Roots


class Backward(NamedTuple):
    """A call of PyTorch's `backward()` or `grad()`, and what ours gave.

    Attributes:
        roots: what it started from.
        distances: of each gradient of ours from PyTorch's.
        finite: whether all numbers of PyTorch's roots and gradients are finite.
        others: the gradients that are others than ours.
        broken: those that have a NaN or an infinity here or there alone, a sentence for each.
        problem: why ours could not follow; "" where it did.
    """

    roots: Roots
    distances: list[Distance]
    finite: bool
    others: OtherGradients
    broken: list[str]
    problem: str = ""


class KeptGradient(NamedTuple):
    """The gradient of a parameter, as far as steps of training keep it, so that the next is added.

    Attributes:
        name: of the parameter.
        versions: how many leaves it had been, one for each change, when PyTorch last walked back.
        times: how many changes in a row came with no new gradient.
    """

    name: str
    versions: int
    times: int


class BackwardPasses:
    """The backward passes of what a block computed.

    Args:
        calls: what it computed.
        done: takes each, also those that ours could not follow.

    Attributes:
        own: what is said of functions with a backward of their own.
        raised: what the last call of PyTorch's `backward()` raised; "" if it ended well.
        stale: what is said of gradients that were not finite before, by the identity of the leaf.
        given: the identities of the leaves that PyTorch gave a gradient.
        kept: of each leaf, by its identity, how its gradient was kept from step to step.
        zeros: how often in a row each leaf, by its identity, was given zeros.
        moved: how often each was given other numbers than zeros.
        is_open: whether its block is open.
    """

    def __init__(self, calls: Calls, done: list[Backward]):
        self.calls, self.done = calls, done
        self.own: dict[OwnBackward, str] = {}
        self.raised = ""
        self.stale: dict[int, str] = {}
        self.given: set[int] = set()
        self.kept: dict[int, KeptGradient] = {}
        self.zeros: dict[int, int] = {}
        self.moved: dict[int, int] = {}
        self.is_open = False

    def copy_gradients(self) -> list[Any]:
        """Copies of the gradients that PyTorch's leaves have."""
        gradients = [theirs.grad for theirs, _ in self.calls.values.leaves.values()]
        return [None if g is None else g.detach().clone() for g in gradients]

    def note_hook(self, theirs: Any) -> None:
        """Note that a hook is just given to a tensor."""
        self.calls.hooks.note(theirs, self.names()(theirs))

    def compare_backward(
        self, roots: list, seeds: list, before: list[Any], only: set[int] | None
    ) -> None:
        """Compare what a call of PyTorch's `backward()` added to the gradients, `only` to some."""
        gradients, called = [], self.names()
        for (theirs, leaves), old in zip(self.calls.values.leaves.values(), before):
            if only is not None and id(theirs) not in only:
                continue
            new = theirs.grad
            if new is not None and (old is None or not torch.equal(new.detach(), old)):
                self.given.add(id(theirs))
            self._note_kept(theirs, leaves, old, called)
            self.calls.observed.lengths[id(theirs)] = length_of(new)
            if old is not None and not is_finite(array_of(old)):
                self.stale[id(theirs)] = (
                    f"the gradient of {called(theirs)} was not finite before backward(), which adds "
                    f"to it: call optimizer.zero_grad() first"
                )
                continue
            added = new if new is None or old is None else new.detach() - old
            self._note_zeros(theirs, added)
            gradients.append(LeafGradient(called(theirs), leaves, added))
        self._follow(roots, seeds, gradients, called, whole=only is None)

    def compare_grad(self, roots: list, seeds: list, inputs: list, found: Any) -> None:
        """Compare what a call of `torch.autograd.grad()` gave: an open block may compute with it."""
        values = self.calls.values
        gradients, called = [], self.names()
        for theirs, gradient in zip(inputs, found):
            if gradient is not None:
                self.given.add(id(theirs))
            if values.knows(theirs):
                _, leaves = values.leaves.get(id(theirs), (None, [values.of(theirs)]))
                gradients.append(LeafGradient(called(theirs), leaves, gradient))
            if self.is_open and gradient is not None and not gradient.is_sparse:
                values.take(gradient, values.constant(gradient, "a gradient, by PyTorch"))
        self._follow(roots, seeds, gradients, called)

    def _note_zeros(self, theirs: Any, added: Any) -> None:
        """Note whether a backward pass gave a leaf zeros alone."""
        if added is not None and array_of(added).any():
            self.zeros[id(theirs)] = 0
            self.moved[id(theirs)] = self.moved.get(id(theirs), 0) + 1
        elif added is not None:
            self.zeros[id(theirs)] = self.zeros.get(id(theirs), 0) + 1

    def _note_kept(
        self, theirs: Any, leaves: list[Tensor], old: Any, called: Callable[[Any], str]
    ) -> None:
        """Note whether a parameter has changed while its gradient stayed, to which more is added now."""
        name, versions, times = self.kept.get(id(theirs), KeptGradient("", len(leaves), 0))
        if old is None or not array_of(old).any():
            times = 0
        elif len(leaves) > versions:
            name, times = called(theirs), times + 1
        self.kept[id(theirs)] = KeptGradient(name, len(leaves), times)

    def _follow(
        self, roots: list, seeds: list, gradients: list[LeafGradient],
        called: Callable[[Any], str], whole: bool = False,
    ) -> None:  # fmt: skip
        """Walk back as PyTorch did, and compare each gradient; `whole`: PyTorch computed all."""
        work = contextlib.nullcontext() if self.is_open else working("comparing gradients")
        with work:
            starts = self._starts(roots, seeds)
            self.calls.values.take_names(roots)
            self._look_at_hooks(called)
            theirs = [*(g.theirs for g in gradients if g.theirs is not None), *roots]
            finite = all(is_finite(array_of(t)) for t in theirs)
            leaves = [leaf for gradient in gradients for leaf in gradient.leaves]
            try:
                self._with_own_backwards(whole)
                self._walk(starts, leaves)
            except errors.MinigradError as problem:  # the program that is watched goes on
                self._forget(starts, leaves)
                said = f"the gradients could not be computed again: {problem}"
                none = OtherGradients([], [], [])
                self.done.append(Backward(starts, [], finite, none, [], said))
                return
            broken = not_finite_elsewhere(gradients, [root for root, _ in starts])
            rough = max((d.allowed for d in self.calls.observed.distances), default=0.0)
            distances, others = compare(gradients, starts, rough, self.calls.observed.half)
            self.done.append(Backward(starts, distances, finite, others, broken))

    def _starts(self, roots: list, seeds: list) -> Roots:
        """Those of the roots that are known, as ours, each with the gradient that it starts with."""
        values = self.calls.values
        return [
            (values.of(t), None if seed is None else array_of(seed).copy())
            for t, seed in zip(roots, seeds)
            if values.knows(t)
        ]

    def _look_at_hooks(self, called: Callable[[Any], str]) -> None:
        """Note the hooks of all that was computed or used; `called` names a tensor."""
        values = self.calls.values
        leaves = [theirs for theirs, _ in values.leaves.values()]
        modules = values.counterparts.modules()
        self.calls.hooks.look_at([*self.calls.alive(), *leaves], modules, called)

    def _walk(self, roots: Roots, leaves: list[Tensor]) -> None:
        """Walk back from these roots; what came before is no part of this call."""
        before = self.done[-1].roots if self.done else []
        self._forget([*before, *roots], leaves)
        with np.errstate(all="ignore"):
            for root, gradient in roots:
                if root.requires_grad:
                    backward(root, gradient, retain_graph=True)

    def _forget(self, roots: Roots, leaves: list[Tensor]) -> None:
        """Forget the gradients of all that these were computed from."""
        nodes = order([root.node for root, _ in roots])
        for node in (*nodes, *(leaf.node for leaf in leaves)):
            node.grad = None
            if node.note is not None:
                node.note.contributions = []

    def _with_own_backwards(self, whole: bool) -> None:
        """Give functions whose own `backward()` differs from the derivative its gradients."""
        severed = self.calls.values.severed
        for function in self.calls.functions:
            if function in self.own:
                function.substitute(severed)  # there may be more to give
            elif function.seen:
                function.compare(severed, whole)
                if function.differs:
                    function.substitute(severed)
                    self.own[function] = (
                        f"{function.said}, at {function.line}: the graph has its own"
                    )

    def wrong_functions(self) -> list[OwnBackward]:
        """The functions whose own `backward()` may be a mistake: of each, the first call in a line."""
        found = [f for f in self.own if f.is_wrong]
        return [*{(f.name, f.line): f for f in reversed(found)}.values()][::-1]

    def names(self) -> Callable[[Any], str]:
        """The function that names a tensor of PyTorch's: as of a module, or after a variable."""
        paths: dict[int, str] = {}
        for module in self.calls.values.counterparts.modules():
            for name, tensor in (*module.named_parameters(), *module.named_buffers()):
                if len(name) > len(paths.get(id(tensor), "")):
                    paths[id(tensor)] = name

        def called(theirs: Any) -> str:
            names = [name for _, name in names_here([theirs])]
            shape = f"a tensor of shape {tuple(theirs.shape)}"
            return paths.get(id(theirs)) or next(iter(names), shape)

        return called
