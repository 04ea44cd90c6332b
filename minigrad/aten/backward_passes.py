"""The backward passes of PyTorch, each followed by ours, and the distance of every gradient."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
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
    """A call of PyTorch's `backward()` or `grad()`, and the result of our walk back.

    Attributes:
        roots: the Tensors that the walk started from.
        distances: of each gradient of ours from PyTorch's.
        finite: whether all numbers of PyTorch's roots and gradients are finite.
        others: the gradients that differ from ours.
        broken: a sentence on each gradient with a NaN or an infinity here or in PyTorch alone.
        problem: why ours could not walk back; "" if it did.
    """

    roots: Roots
    distances: list[Distance]
    finite: bool
    others: OtherGradients
    broken: list[str]
    problem: str = ""


@dataclass
class LeafHistory:
    """The gradients that backward passes gave one of PyTorch's leaves.

    Attributes:
        has_gradient: whether it was given one.
        length: of the gradient that the last backward pass left.
        stale: a sentence, if its gradient was not finite before `backward()`; else "".
        versions: how many leaves of ours it had then, one for each change.
        times_kept: how many times in a row it has changed while its gradient was not cleared.
        zeros: how many times in a row it was given zeros.
        others: how many times it was given other numbers than zeros.
    """

    has_gradient: bool = False
    length: float = 0.0
    stale: str = ""
    versions: int = 0
    times_kept: int = 0
    zeros: int = 0
    others: int = 0

    def note_before(self, gradient: Any, versions: int) -> None:
        """Note the gradient before a backward pass, and how many leaves of ours there are."""
        if gradient is None or not array_of(gradient).any():
            self.times_kept = 0
        elif versions > self.versions > 0:
            self.times_kept += 1
        self.versions = versions

    def note_added(self, added: Any) -> None:
        """Note what a backward pass added: whether nothing but zeros."""
        if added is not None and array_of(added).any():
            self.zeros = 0
            self.others += 1
        elif added is not None:
            self.zeros += 1


class BackwardPasses:
    """The backward passes of a block.

    Args:
        calls: the calls of the block.
        done: the list to which each backward pass is added.

    Attributes:
        own_backwards: a sentence on each function with a backward of its own.
        raised: the error of the last call of PyTorch's `backward()`; "" if it ended well.
        is_open: whether the block is open.
        histories: what each leaf was given, by its identity.
    """

    def __init__(self, calls: Calls, done: list[Backward]):
        self.calls, self.done = calls, done
        self.own_backwards: dict[OwnBackward, str] = {}
        self.raised = ""
        self.is_open = False
        self.histories: defaultdict[int, LeafHistory] = defaultdict(LeafHistory)

    def with_gradient(self) -> set[int]:
        """The identities of the leaves that PyTorch gave a gradient."""
        return {i for i, history in self.histories.items() if history.has_gradient}

    def copy_gradients(self) -> list[Any]:
        """Copies of the gradients that PyTorch's leaves have."""
        gradients = [theirs.grad for theirs, _ in self.calls.values.leaves.values()]
        return [None if g is None else g.detach().clone() for g in gradients]

    def note_hook(self, theirs: Any) -> None:
        """Note that a tensor gets a hook."""
        self.calls.hooks.note(theirs, self.names()(theirs))

    def compare_backward(
        self, roots: list, seeds: list, before: list[Any], only: set[int] | None
    ) -> None:
        """Compare the gradients that a call of PyTorch's `backward()` added.

        Args:
            before: the gradients of all leaves before the call.
            only: the identities of the leaves that the call was for; None for all.
        """
        gradients, called = [], self.names()
        for (theirs, leaves), old in zip(self.calls.values.leaves.values(), before):
            if only is not None and id(theirs) not in only:
                continue
            new, history = theirs.grad, self.histories[id(theirs)]
            if new is not None and (old is None or not torch.equal(new.detach(), old)):
                history.has_gradient = True
            history.note_before(old, len(leaves))
            history.length = length_of(new)
            if old is not None and not is_finite(array_of(old)):
                history.stale = (
                    f"the gradient of {called(theirs)} was not finite before backward(), which adds "
                    f"to it: call optimizer.zero_grad() first"
                )
                continue
            added = new if new is None or old is None else new.detach() - old
            history.note_added(added)
            gradients.append(LeafGradient(called(theirs), leaves, added))
        self._follow(roots, seeds, gradients, called, whole=only is None)

    def compare_grad(self, roots: list, seeds: list, inputs: list, computed: Any) -> None:
        """Compare the gradients of `torch.autograd.grad()`. An open block may compute with them."""
        values = self.calls.values
        gradients, called = [], self.names()
        for theirs, gradient in zip(inputs, computed):
            if gradient is not None:
                self.histories[id(theirs)].has_gradient = True
            if values.knows(theirs):
                _, leaves = values.leaves.get(id(theirs), (None, [values.of(theirs)]))
                gradients.append(LeafGradient(called(theirs), leaves, gradient))
            if self.is_open and gradient is not None and not gradient.is_sparse:
                values.take(gradient, values.constant(gradient, "a gradient, by PyTorch"))
        self._follow(roots, seeds, gradients, called)

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
                self.done.append(Backward(starts, [], finite, OtherGradients(), [], said))
                return
            broken = not_finite_elsewhere(gradients, [root for root, _ in starts])
            rough = max((d.allowed for d in self.calls.observed.distances), default=0.0)
            distances, others = compare(gradients, starts, rough, self.calls.observed.half)
            self.done.append(Backward(starts, distances, finite, others, broken))

    def _starts(self, roots: list, seeds: list) -> Roots:
        """Our Tensors for the roots that are known, each with the gradient that it starts with."""
        values = self.calls.values
        return [
            (values.of(t), None if seed is None else array_of(seed).copy())
            for t, seed in zip(roots, seeds)
            if values.knows(t)
        ]

    def _look_at_hooks(self, called: Callable[[Any], str]) -> None:
        """Note the hooks of all tensors and modules of the block; `called` names a tensor."""
        values = self.calls.values
        leaves = [theirs for theirs, _ in values.leaves.values()]
        modules = values.counterparts.modules()
        self.calls.hooks.look_at([*self.calls.alive(), *leaves], modules, called)

    def _walk(self, roots: Roots, leaves: list[Tensor]) -> None:
        """Walk back from these roots, once the gradients of the walk before are forgotten."""
        before = self.done[-1].roots if self.done else []
        self._forget([*before, *roots], leaves)
        with np.errstate(all="ignore"):
            for root, gradient in roots:
                if root.requires_grad:
                    backward(root, gradient, retain_graph=True)

    def _forget(self, roots: Roots, leaves: list[Tensor]) -> None:
        """Forget the gradients of these Tensors, and of all that they were computed from."""
        nodes = order([root.node for root, _ in roots])
        for node in (*nodes, *(leaf.node for leaf in leaves)):
            node.grad = None
            if node.note is not None:
                node.note.contributions = []

    def _with_own_backwards(self, whole: bool) -> None:
        """Make operations of the functions whose own `backward()` differs from the derivative."""
        severed = self.calls.values.severed
        for function in self.calls.functions:
            if function in self.own_backwards:
                function.substitute(severed)  # its rules need the gradients of this walk, too
            elif function.walks:
                function.compare(severed, whole)
                if function.differs:
                    function.substitute(severed)
                    self.own_backwards[function] = (
                        f"{function.difference}, at {function.line}: the graph has its own"
                    )

    def wrong_functions(self) -> list[OwnBackward]:
        """The functions whose own `backward()` may be a mistake; for each line, the first call."""
        wrong = [f for f in self.own_backwards if f.is_wrong]
        return [*{(f.name, f.line): f for f in reversed(wrong)}.values()][::-1]

    def names(self) -> Callable[[Any], str]:
        """A function that names a tensor of PyTorch's, by its module or by a variable that holds it."""
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
