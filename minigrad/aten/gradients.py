"""The gradients of a backward pass, compared with PyTorch's: their distances, and the wrong ones."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch

from ..checking.patterns import pattern
from ..engine.followed import bare
from ..engine.tensor import Tensor
from ..engine.walk import order
from .distances import ROUGH, Distance, distance, distance_from_none, length, unit_of
from .numbers import array_of
from .rounding import DRAWS, LAST_BITS, ROUNDINGS, Roots, walked_again

OFF = 0.01  # of a gradient's own size: if it is off by more, it is another gradient, however small
NOISE = 1e-5  # of the largest gradient: a gradient that is smaller may be rounding alone
SMALL = 2.0**-60  # the gradient that a walk starts with if its numbers would become too large


class LeafGradient(NamedTuple):
    """A gradient of one of PyTorch's leaves, and the leaves of ours that stand for it.

    Attributes:
        name: of PyTorch's leaf.
        leaves: our leaves, a new one each time that the numbers changed.
        theirs: the gradient that PyTorch gave; None if it gave none.
    """

    name: str
    leaves: list[Tensor]
    theirs: torch.Tensor | None

    @property
    def of(self) -> str:
        return f"the gradient of {self.name}"

    def ours(self, arrived: dict[Tensor, np.ndarray]) -> np.ndarray:
        """Our gradient: the sum of the gradients that arrived at its leaves, or zeros."""
        arrays = [arrived[leaf] for leaf in self.leaves if leaf in arrived]
        return sum(arrays[1:], arrays[0]) if arrays else np.zeros(self.leaves[0].shape, np.float32)


class AnotherGradient(NamedTuple):
    """A gradient of PyTorch's that is another one: its name, our leaves, and how it differs."""

    name: str
    leaves: list[Tensor]
    how: str


@dataclass
class OtherGradients:
    """The gradients of a backward pass that differ from ours by more than rounding.

    Attributes:
        overflows: a sentence for each that is finite here, and not in PyTorch.
        underflows: a sentence for each that is 0 in PyTorch, at least in large part, because of 16 bits.
        wrong: the other ones.
    """

    overflows: list[str] = field(default_factory=list)
    underflows: list[str] = field(default_factory=list)
    wrong: list[AnotherGradient] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.overflows or self.underflows or self.wrong)

    def note(
        self, gradient: LeafGradient, here: np.ndarray, there: np.ndarray, lost: int, differs: bool
    ) -> None:
        """Note a gradient in one of the lists, if it differs.

        Args:
            here: our gradient.
            there: PyTorch's.
            lost: how many elements 16 bits made 0.
            differs: whether it is another gradient.
        """
        if is_finite(here) and not is_finite(there):
            self.overflows.append(f"{gradient.of} is not finite in PyTorch, and is here")
        elif lost > here.size / 10:
            self.underflows.append(
                f"{gradient.of} is 0 in PyTorch in {lost:,} of {here.size:,} elements, which are up to "
                f"{np.abs(here[there == 0]).max():.2g} here, in 32 bits"
            )
        elif differs:
            how = "there is none" if gradient.theirs is None else how_it_differs(here, there)
            how = how.partition(";")[0]
            self.wrong.append(AnotherGradient(gradient.name, gradient.leaves, how))


def is_finite(array: np.ndarray) -> bool:
    return bool(np.isfinite(array).all())


def compare(
    gradients: list[LeafGradient], roots: Roots, allowed: float, half: bool
) -> tuple[list[Distance], OtherGradients]:
    """Compare the gradients that our walk back from `roots` has left with PyTorch's.

    If one of PyTorch's gradients is not finite, only the finite numbers of all are compared.

    Args:
        allowed: the largest distance that rounding explains in the values of the forward pass.
        half: whether numbers of 16 bits were computed.
    """
    leaves = [leaf for gradient in gradients for leaf in gradient.leaves]
    again = functools.cache(functools.partial(walked_again, roots, leaves))
    arrived = _arrived(leaves)
    ours = [gradient.ours(arrived) for gradient in gradients]
    largest_element = max((float(np.abs(a).max(initial=0)) for a in ours), default=0.0)
    longest = max(map(length, ours), default=0.0)
    known = [array_of(gradient.theirs) for gradient in gradients if gradient.theirs is not None]
    broken, unit = not all(map(is_finite, known)), unit_of(known)
    distances, others = [], OtherGradients()
    for gradient, here in zip(gradients, ours):
        of, theirs = gradient.of, gradient.theirs
        if theirs is None:
            there, apart = np.zeros_like(here), distance_from_none(here, of)
        else:
            there = array_of(theirs)
            if is_finite(there) and not is_finite(here):
                here = gradient.ours(again(scale=SMALL)).astype(np.float64) / SMALL
            apart = distance(here, theirs, of, allowed=allowed, of_finite=broken, unit=unit)
        differs = is_another(here, there, apart.allowed, longest)
        if theirs is not None and not broken and (differs or not apart.is_rounding):
            moved = [gradient.ours(again(last_bits=LAST_BITS, draw=draw)) for draw in DRAWS]
            apart, differs = _but_for_rounding(apart, differs, here, there, moved)
        distances.append(apart)
        lost = _underflown(here, there, largest_element) if half else 0
        others.note(gradient, here, there, lost, differs)
    return distances, others


def _arrived(leaves: list[Tensor]) -> dict[Tensor, np.ndarray]:
    """The gradients that the last walk back has left in the leaves that it reached."""
    return {leaf: leaf.grad._array for leaf in leaves if leaf.grad is not None}


def _but_for_rounding(
    apart: Distance, differs: bool, here: np.ndarray, there: np.ndarray, moved: list[np.ndarray]
) -> tuple[Distance, bool]:
    """The distance, allowed if rounding explains it; and whether `here` is still another gradient.

    `moved` are ours by numbers that were rounded otherwise.
    """
    changes = [distance(m, torch.tensor(here), apart.of, unit=apart.unit).size for m in moved]
    size = ROUNDINGS * max(changes)
    differs = differs and length(here - there) > ROUNDINGS * max(length(here - m) for m in moved)
    return apart._replace(allowed=size) if apart.size <= size else apart, differs


def is_another(ours: np.ndarray, theirs: np.ndarray, allowed: float, longest: float = 0.0) -> bool:
    """Tell whether a gradient differs from ours, measured by its own size, which may be far below 1.

    `longest` is the length of the longest gradient of the backward pass.
    """
    if not (is_finite(ours) and is_finite(theirs)):
        return False
    size = max(length(ours), length(theirs))
    noise = NOISE if allowed < ROUGH else allowed
    return size > noise * longest and length(ours - theirs) > max(OFF, 6 * allowed) * size


def how_it_differs(ours: np.ndarray, theirs: np.ndarray) -> str:
    """Say how a gradient of PyTorch's differs from ours: it is twice as large, its negative, zero."""
    size = max(float(np.abs(a).max(initial=0)) for a in (ours, theirs)) or 1.0
    return pattern(theirs / size, ours / size, {})[1]


def _underflown(ours: np.ndarray, theirs: np.ndarray, largest: float) -> int:
    """Count the elements that are 0 in PyTorch alone: here they are more than rounding."""
    return int(np.sum((theirs == 0) & (np.abs(ours) > NOISE * largest)))


def not_finite_elsewhere(gradients: list[LeafGradient], roots: list[Tensor]) -> list[str]:
    """A sentence on each gradient of ours with numbers that are not finite where PyTorch's are."""
    sentences, names = [], []
    for gradient in gradients:
        if gradient.theirs is None:
            continue
        ours = gradient.ours(_arrived(gradient.leaves))
        here, there = (~np.isfinite(a) for a in (ours, array_of(gradient.theirs)))
        if here.any() and not there.any():
            names.append(gradient.name)
        elif here.any() and (here != there).any():
            sentences.append(
                f"{gradient.of} has {there.sum():,} of {there.size:,} numbers that "
                f"are not finite in PyTorch, and {here.sum():,} here"
            )
    if names:
        more = f" and {len(names) - 1} more" if names[1:] else ""
        sentences.append(
            f"PyTorch's gradient of {names[0]}{more} is finite, and that of this graph is "
            f"not{_first_not_finite(roots)}"
        )
    return sentences


def _first_not_finite(roots: list[Tensor]) -> str:
    """The operation whose rule gave the first number that is not finite, in words."""
    for node in reversed(order([root.node for root in roots])):
        note = node.note
        if note is None or not is_finite(bare(note.gradient)):
            continue
        if not all(is_finite(bare(c.given)) for c in note.contributions):
            at = "" if note.line is None else f" at {note.line}"
            return f": {node.operation.name}{at} is the first that gives one"  # type: ignore
    return ""
