"""The backward passes of PyTorch's, each followed by ours, and the distance of every gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from .. import errors
from ..engine.backward import backward
from ..engine.followed import bare
from ..engine.node import Node
from ..engine.source import source_line
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..ran.recording import memory_of, names_here
from ..transforms import gradients as gradients_of
from .calls import HOOKED, Calls
from .functions import OwnBackward
from .numbers import (
    LAST_BITS,
    ROUNDINGS,
    Distance,
    array_of,
    distance,
    distance_from_none,
    how_it_differs,
    is_another,
    length,
    rounded_otherwise,
    underflown,
    unit_of,
)  # fmt: skip

ADDED = {"add", "subtract", "sum", "mean"}  # operations that may leave little of large terms
MOVED = {"reshape", "transpose", "squeeze", "expand_dims", "broadcast_to", "getitem", "negative"}
SMALL = 2.0**-60  # with which a walk starts whose numbers become too large on the way
Gradients = list[tuple[str, list[Tensor], Any]]  # the name of each, our leaves, PyTorch's


class OtherGradients(NamedTuple):
    """The gradients of a backward pass of PyTorch's that are others than ours.

    Attributes:
        overflows: those that are finite here alone, a sentence for each.
        underflows: the same of those that are 0 there, in whole or in large part, in 16 bits.
        wrong: the name of each that is another than ours, our leaves, and how it differs, in words.
    """

    overflows: list[str]
    underflows: list[str]
    wrong: list[tuple[str, list[Tensor], str]]


class Backward(NamedTuple):
    """A call of PyTorch's `backward()` or `grad()`, which ours has followed.

    Attributes:
        roots: (our Tensor, the gradient that it started with, or None for 1) for each.
        distances: of each gradient of ours from PyTorch's.
        finite: whether all numbers of PyTorch's roots and gradients are finite.
        others: the gradients that are others than ours.
        broken: those that have a NaN or an infinity here or there alone, a sentence for each.
        problem: why ours could not follow; "" where it did.
    """

    roots: list[tuple[Tensor, np.ndarray | None]]
    distances: list[Distance]
    finite: bool
    others: OtherGradients
    broken: list[str]
    problem: str = ""


class BackwardPasses:
    """The backward passes of what a block computed.

    Args:
        calls: what it computed.
        done: takes each that was followed.

    Attributes:
        own: what is said of functions with a backward of their own.
        raised: what the last call of PyTorch's `backward()` raised; "" if it ended well.
        stale: what is said of gradients that were not finite before, by the identity of the leaf.
        given: the identities of the leaves that PyTorch gave a gradient.
        kept: for each leaf its name, of how many changes a backward pass has been, and how many of them
            in a row came with no new gradient: with the one before, to which the next was added.
    """

    def __init__(self, calls: Calls, done: list[Backward]):
        self.calls, self.done = calls, done
        self.own: dict[Any, str] = {}
        self.raised = ""
        self.stale: dict[int, str] = {}
        self.given: set[int] = set()
        self.kept: dict[int, tuple[str, int, int]] = {}

    def copy_gradients(self) -> list[Any]:
        """Copies of the gradients that PyTorch's leaves have."""
        gradients = [theirs.grad for theirs, _ in self.calls.values.leaves.values()]
        return [None if g is None else g.detach().clone() for g in gradients]

    def note_hook(self, theirs: Any) -> None:
        """Note that a hook is just given to a tensor, which may be gone when PyTorch walks back."""
        self.calls.hooked[id(theirs)] = HOOKED.format(self.names()(theirs)), source_line()

    def compare_backward(
        self, roots: list, seeds: list, before: list[Any], only: set[int] | None
    ) -> None:
        """Compare what a call of PyTorch's `backward()` added to the gradients, `only` to some."""
        gradients: Gradients = []
        called = self.names()
        for (theirs, ours), old in zip(self.calls.values.leaves.values(), before):
            if only is None or id(theirs) in only:
                new = theirs.grad
                if new is not None and (old is None or not torch.equal(new.detach(), old)):
                    self.given.add(id(theirs))
                self._note_kept(theirs, ours, old, called)
                if old is not None and not np.isfinite(array_of(old)).all():
                    self.stale[id(theirs)] = (
                        f"the gradient of {called(theirs)} was not finite before backward(), which adds "
                        f"to it: call optimizer.zero_grad() first"
                    )
                    continue
                added = new if new is None or old is None else new.detach() - old
                gradients.append((called(theirs), ours, added))
        self._follow(roots, seeds, gradients, called, whole=only is None)

    def compare_grad(
        self, roots: list, seeds: list, inputs: list, found: Any, is_open: bool
    ) -> None:
        """Compare what a call of `torch.autograd.grad()` gave: an open block may compute with it."""
        values = self.calls.values
        gradients: Gradients = []
        called = self.names()
        for theirs, gradient in zip(inputs, found):
            if gradient is not None:
                self.given.add(id(theirs))
            if values.knows(theirs):
                _, ours = values.leaves.get(id(theirs), (None, [values.of(theirs)]))
                gradients.append((called(theirs), ours, gradient))
            if is_open and gradient is not None and not gradient.is_sparse:
                values.take(gradient, values.constant(gradient, "a gradient, by PyTorch"))
        self._follow(roots, seeds, gradients, called)

    def _note_kept(
        self, theirs: Any, leaves: list[Tensor], old: Any, called: Callable[[Any], str]
    ) -> None:
        """Note whether a parameter has changed while its gradient stayed, to which more is added now."""
        name, changes, times = self.kept.get(id(theirs), ("", len(leaves), 0))
        if old is None or not array_of(old).any():
            times = 0
        elif len(leaves) > changes:
            name, times = called(theirs), times + 1
        self.kept[id(theirs)] = name, len(leaves), times

    def _follow(
        self, roots: list, seeds: list, gradients: Gradients, called: Callable[[Any], str],
        whole: bool = False,
    ) -> None:  # fmt: skip
        """Walk back as PyTorch did, and compare each gradient; `whole`: PyTorch computed all.

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
        leaves = [leaf for _, ours, _ in gradients for leaf in ours]
        finite = lambda t: t is None or bool(np.isfinite(array_of(t)).all())
        broken = not all(finite(t) for _, _, t in gradients)
        good = not broken and all(map(finite, roots))
        try:
            self._with_own_backwards(whole)
            self._walk(known, leaves)
        except errors.MinigradError as problem:  # the program that is watched goes on
            self._forget(known, leaves)
            said = f"the gradients could not be computed again: {problem}"
            self.done.append(Backward(known, [], good, OtherGradients([], [], []), [], said))
            return
        unlike = _unlike(gradients, [root for root, _ in known])
        found, others = self._distances(
            gradients, broken, functools.partial(_walked_again, known, leaves)
        )
        self.done.append(Backward(known, found, good, others, unlike))

    def _walk(self, roots: list[tuple[Tensor, np.ndarray | None]], leaves: list[Tensor]) -> None:
        """Walk back from these roots; what came before is no part of this call."""
        before = self.done[-1].roots if self.done else []
        self._forget([*before, *roots], leaves)
        with np.errstate(all="ignore"):
            for root, gradient in roots:
                if root.requires_grad:
                    backward(root, gradient, retain_graph=True)

    def _forget(self, roots: list[tuple[Tensor, np.ndarray | None]], leaves: list[Tensor]) -> None:
        """Forget the gradients of all that these were computed from."""
        nodes = order([root.node for root, _ in roots])
        for node in (*nodes, *(leaf.node for leaf in leaves)):
            node.grad = None
            if node.note is not None:
                node.note.contributions = []

    def _distances(
        self, gradients: Gradients, broken: bool, again: Callable[..., dict[Tensor, np.ndarray]]
    ) -> tuple[list[Distance], OtherGradients]:
        """The distances of gradients; `broken`: of the finite numbers in them alone.

        `again` is `_walked_again` from the same roots. It tells what another rounding on the way would
        change: much, in a model that has diverged.
        """
        rough = max((d.allowed for d in self.calls.distances), default=0.0)
        unit = unit_of([array_of(t) for _, _, t in gradients if t is not None])
        found, others = [], OtherGradients([], [], [])
        arrived = {y: y.grad._array for _, ours, _ in gradients for y in ours if y.grad is not None}
        mine = [_sum_of(arrived, ours) for _, ours, _ in gradients]
        again = functools.cache(again)
        largest = max((float(np.abs(a).max(initial=0)) for a in mine), default=0.0)
        longest = max(map(length, mine), default=0.0)
        for (name, ours, theirs), here in zip(gradients, mine):
            of = f"the gradient of {name}"
            if theirs is None:
                found.append(distance_from_none([here], of))
                there = np.zeros_like(here)
            else:
                there = array_of(theirs)
                if np.isfinite(there).all() and not np.isfinite(here).all():
                    here = _sum_of(again(scale=SMALL), ours).astype(np.float64) / SMALL
                found.append(distance(here, theirs, of, allowed=rough, of_finite=broken, unit=unit))
            differs = is_another(here, there, found[-1].allowed, longest)
            if (
                theirs is not None
                and not broken
                and (differs or found[-1].size > found[-1].allowed)
            ):
                other = _sum_of(again(rounding=LAST_BITS), ours)
                moved = distance(other, torch.tensor(here), of, unit=unit).size
                differs = differs and length(here - there) > ROUNDINGS * length(here - other)
                if found[-1].size <= ROUNDINGS * moved:
                    found[-1] = found[-1]._replace(allowed=ROUNDINGS * moved)
            if np.isfinite(here).all() and not np.isfinite(there).all():
                others.overflows.append(f"{of} is not finite in PyTorch, and is here")
            elif self.calls.half and (lost := underflown(here, there, largest)) > here.size / 10:
                others.underflows.append(
                    f"{of} is 0 in PyTorch in {lost:,} of {here.size:,} elements, which are up to "
                    f"{np.abs(here[there == 0]).max():.2g} here, in 32 bits"
                )
            elif differs:
                how = "there is none" if theirs is None else how_it_differs(here, there)
                how = how.partition(";")[0]
                others.wrong.append((name, ours, how))
        return found, others

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
        found = [f for f in self.own if isinstance(f, OwnBackward) and f.is_wrong]
        return [*{(f.name, f.line): f for f in reversed(found)}.values()][::-1]

    def names(self) -> Callable[[Any], str]:
        """The function that names a tensor of PyTorch's: as of a module, or after a variable."""
        paths: dict[int, str] = {}
        for module, _ in self.calls.values.counterparts.known.values():
            for name, tensor in (*module.named_parameters(), *module.named_buffers()):
                if len(name) > len(paths.get(id(tensor), "")):
                    paths[id(tensor)] = name

        def called(theirs: Any) -> str:
            names = [name for _, name in names_here([theirs])]
            shape = f"a tensor of shape {tuple(theirs.shape)}"
            return paths.get(id(theirs)) or next(iter(names), shape)

        return called


def _unlike(gradients: Gradients, roots: list[Tensor]) -> list[str]:
    """A sentence on each gradient that is not finite in other places than PyTorch's."""
    said, unfit = [], []
    for name, leaves, theirs in gradients:
        if theirs is None:
            continue
        arrived = {leaf: leaf.grad._array for leaf in leaves if leaf.grad is not None}
        here, there = (~np.isfinite(a) for a in (_sum_of(arrived, leaves), array_of(theirs)))
        if here.any() and not there.any():
            unfit.append(name)
        elif here.any() and (here != there).any():
            said.append(
                f"the gradient of {name} has {there.sum():,} of {there.size:,} numbers that are not "
                f"finite in PyTorch, and {here.sum():,} here"
            )
    if unfit:
        said.append(
            f"PyTorch's gradient of {unfit[0]}{f' and {len(unfit) - 1} more' if unfit[1:] else ''} is "
            f"finite, and that of this graph is not{_first_not_finite(roots)}"
        )
    return said


def _first_not_finite(roots: list[Tensor]) -> str:
    """The operation whose rule gave the first number that is not finite, in words."""
    finite = lambda a: bool(np.isfinite(bare(a)).all())
    for node in reversed(order([root.node for root in roots])):
        note = node.note
        contributions = [] if note is None or not finite(note.gradient) else note.contributions
        if not all(finite(c.given) for c in contributions):
            at = "" if note.line is None else f" at {note.line}"
            return f": {node.operation.name}{at} is the first that gives one"  # type: ignore
    return ""


def _walked_again(
    roots: list[tuple[Tensor, np.ndarray | None]], leaves: list[Tensor], scale: float = 1.0,
    rounding: float = 0.0,
) -> dict[Tensor, np.ndarray]:  # fmt: skip
    """The gradients of these leaves in a walk that starts with others, or goes by other numbers.

    Args:
        scale: what the gradients of the roots are multiplied by.
        rounding: how many times its last bit each number that was saved is moved, by chance.
    """
    known = [(root, g) for root, g in roots if root.requires_grad]
    nodes = {node: node.saved for node in order([root.node for root, _ in known])}
    otherwise = rounded_otherwise(rounding, _sizes_of_terms([*nodes]) if rounding else {})
    try:
        for node, saved in nodes.items():
            node.saved = None if saved is None else tuple(map(otherwise, saved))
        seeds = [scale * (np.ones_like(root._array) if g is None else g) for root, g in known]
        with np.errstate(all="ignore"):
            found = gradients_of([root for root, _ in known], seeds, leaves, retain_graph=True)
    finally:
        for node, saved in nodes.items():
            node.saved = saved
    return {leaf: g for leaf, g in zip(leaves, found) if g is not None}


def _sizes_of_terms(nodes: list[Node]) -> dict[Any, float]:
    """The size of the terms that were added up to each of these results, by its memory: the result may
    be far smaller, as what is left of an answer and its prediction, and is rounded as they are."""
    sizes: dict[Any, float] = {}
    largest = lambda a: float(np.abs(a).max(initial=0, where=np.isfinite(a)))
    for node in reversed(nodes):  # what was computed first
        if node.note is None or node.operation is None:
            continue
        arrays = [a for a in node.note.args if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
        name = node.operation.name.rpartition(".")[2]
        size = 0.0
        if name in ADDED:
            size = max((max(sizes.get(memory_of(a), 0), largest(a)) for a in arrays), default=0.0)
        elif name in MOVED and arrays:
            size = sizes.get(memory_of(arrays[0]), 0.0)
        if size:
            sizes[memory_of(node.note.y)] = size
    return sizes


def _sum_of(found: dict[Tensor, np.ndarray], leaves: list[Tensor]) -> np.ndarray:
    """The gradient of one of PyTorch's leaves: the sum of those of ours, one for each change."""
    arrays = [found[leaf] for leaf in leaves if leaf in found]
    return sum(arrays[1:], arrays[0]) if arrays else np.zeros(leaves[0].shape, np.float32)
