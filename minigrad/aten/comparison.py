"""The distances of our numbers from PyTorch's, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from ..ran.words import plural

if TYPE_CHECKING:
    from .distances import Distance

HOW = ": call backward() on what was computed inside the block"
NOT_FINITE = (
    "PyTorch's loss or a gradient is not finite, and numbers that overflow may differ: "
    "mg.diagnose(watched) {} where that begins"
)
# Calls that PyTorch makes by itself, whose results are no part of a loss: clipping and optimizers
# compute with gradients, distributions test what they are given, and tensors get other memory.
UNASKED = ("_foreach_", "_is_all_true", "_is_any_true", "set_.")


class Comparison(NamedTuple):
    """The distances of our numbers from PyTorch's.

    Attributes:
        values: the distance of each result of each call.
        gradients: the distance of each gradient, of all calls of `backward()`.
        half: whether numbers of 16 bits were computed with 32 here.
        unread: how many calls had no row, by name; their results are constants.
        own: sentences on differences that are expected: each `autograd.Function` whose `backward()` is
            not the derivative of its `forward()`, and numbers that are not finite.
        reasons: sentences that may explain why a gradient differs.
        walked: whether PyTorch walked back from a result of the block.
    """

    values: list[Distance]
    gradients: list[Distance]
    half: bool
    unread: dict[str, int]
    own: list[str]
    reasons: list[str]
    walked: bool

    @property
    def first(self) -> Distance | None:
        """The first distance that is more than rounding, or None."""
        beyond = (d for d in (*self.values, *self.gradients) if not d.is_rounding)
        return next(beyond, None)

    def explained(self, distance: Distance) -> str:
        """Say of a distance that is more than rounding how large it is, and what may explain it."""
        why = "its row in minigrad.aten.rows may be wrong, or code changed numbers unseen"
        if distance in self.gradients:
            why = "; ".join(self.reasons) or (
                "the rule of a row may be wrong, code changed numbers that PyTorch had saved, or "
                "a hook (Tensor.register_hook) changed a gradient on the way"
            )
        how = (
            f"{distance.size:.2g} of {distance.unit:.3g} + its size, and up to "
            f"{distance.allowed:.2g} is rounding"
            if math.isfinite(distance.size)
            else "numbers that are not finite, and which are finite there"
        )
        return (
            f"{distance.of}{distance.at} differs from PyTorch's by {how}: {why}. "
            f"print(watched.compare()) says more"
        )

    def __str__(self) -> str:
        lines = [self._largest("value", self.values), self._largest("gradient", self.gradients)]
        if self.half:
            lines.append(
                "numbers of 16 bits were computed with 32, and compared by their tensors' sizes"
            )
        unread = [item for item in sorted(self.unread.items()) if not item[0].startswith(UNASKED)]
        if unread:
            names = ", ".join(f"aten.{name} ({n})" for name, n in unread)
            lines.append(f"constants, because no row computes them: {names}")
        lines += self.own
        if self.first is not None:
            first = f"{self.first.of}{self.first.at}"
            lines += [f"the first that differs by more than rounding is {first}"]
            lines += self.reasons
        return "\n".join(lines)

    def _largest(self, kind: str, distances: list[Distance]) -> str:
        """Say how many values or gradients were compared, and how large the largest distance is."""
        if not distances:
            how = HOW if kind == "gradient" and not self.walked else ""
            return f"no {kind}s were compared{how}"
        finite = [d for d in distances if d.size < math.inf]
        most = max(finite or distances, key=lambda d: d.size)
        at = most.at if kind == "value" else ""
        many = "" if len(finite) == len(distances) else "finite "
        differ = f"{most.size:.2g}, of {most.of}{at}" if finite else "none"
        return (
            f"{plural(len(distances), kind)} compared with PyTorch's: the largest {many}difference is "
            f"{differ}"
        )
