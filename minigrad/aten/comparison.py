"""The distances of numbers of ours from PyTorch's, and what is said of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .distances import Distance

HOW = ": call backward() on what was computed inside the block"
NOT_FINITE = (
    "PyTorch's loss or a gradient is not finite, and numbers that overflow may differ: "
    "mg.diagnose(watched) {} where that begins"
)


class Comparison(NamedTuple):
    """The distances of numbers of ours from PyTorch's.

    Attributes:
        values: the distance of each result of each call.
        gradients: that of each gradient, by all calls of `backward()`.
        half: whether numbers of 16 bits were computed with 32 here.
        unread: calls without a row, whose results are constants: how many, by name.
        own: what may differ, in sentences: each `autograd.Function` whose `backward()` is not the
            derivative of its `forward()`, and numbers that are not finite.
        reasons: what may explain a gradient that differs.
        walked: whether PyTorch walked back from what was computed.
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

    def __str__(self) -> str:
        lines = []
        for kind, some in (("values", self.values), ("gradients", self.gradients)):
            if not some:
                how = HOW if kind == "gradients" and not self.walked else ""
                lines.append(f"no {kind} were compared{how}")
                continue
            finite = [d for d in some if d.size < math.inf]
            most = max(finite or some, key=lambda d: d.size)
            at = f" at {most.line}" if most.line is not None and kind == "values" else ""
            many = "" if len(finite) == len(some) else "finite "
            differ = f"{most.size:.2g}, of {most.of}{at}" if finite else "none"
            lines.append(
                f"{len(some):,} {kind[: -1 if len(some) == 1 else None]} compared with PyTorch's: the "
                f"largest {many}difference is {differ}"
            )
        if self.half:
            lines.append(
                "numbers of 16 bits were computed with 32, and compared by their tensors' sizes"
            )
        if self.unread:
            names = ", ".join(f"aten.{name} ({n})" for name, n in sorted(self.unread.items()))
            lines.append(f"constants, because no row computes them: {names}")
        lines += self.own
        if self.first is not None:
            at = f" at {self.first.line}" if self.first.line is not None else ""
            lines += [f"the first that differs by more than rounding is {self.first.of}{at}"]
            lines += self.reasons
        return "\n".join(lines)
