"""The report of `gradcheck`: each input, compared, and the likely mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Report:
    """The result of `gradcheck`; true if every gradient is right.

    Attributes:
        function: the name of the function that was checked.
        inputs: one `Checked` for each input and order.
        findings: the likely mistakes.
    """

    function: str
    inputs: tuple[Checked, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        return all(checked.ok for checked in self.inputs)

    def __bool__(self) -> bool:
        return self.ok

    @property
    def worst(self) -> Checked | None:
        """The input with the largest error; None if no input has an element."""
        return max(
            (c for c in self.inputs if c.numeric.size),
            key=lambda c: np.nan_to_num(c.error[c.worst], nan=np.inf),
            default=None,
        )

    def __str__(self) -> str:
        lines = [f"gradcheck of {self.function}: {'right' if self.ok else 'WRONG'}"]
        for order in sorted({c.order for c in self.inputs}):
            lines.append(f"  derivatives of order {order}")
            lines += [f"    {c}" for c in self.inputs if c.order == order]
        for finding in self.findings:
            lines += ["  it looks like this:"] if finding is self.findings[0] else []
            lines += ["    " + line for line in str(finding).splitlines()]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Checked:
    """One input, compared.

    Attributes:
        name: of f's parameter to which it was given, or the path of a module's parameter.
        position: of the argument of f that has it; None for a module's parameter.
        order: of the derivative: 1 for the gradient, 2 for the gradient of the gradient.
        analytic: the gradient that minigrad computed; zeros if none arrived.
        numeric: the finite differences.
        error: the difference of the two as a fraction of the tolerance: above 1 is wrong.
        reached: whether a gradient arrived.
    """

    name: str
    position: int | None
    order: int
    analytic: np.ndarray
    numeric: np.ndarray
    error: np.ndarray
    reached: bool

    @property
    def ok(self) -> bool:
        return not self.wrong

    @property
    def wrong(self) -> int:
        """The number of elements whose gradient is wrong."""
        return int(np.sum(~(self.error <= 1)))

    @property
    def worst(self) -> tuple[int, ...]:
        """The index of the element with the largest error."""
        flat = np.argmax(np.where(np.isnan(self.error), np.inf, self.error))
        return tuple(int(i) for i in np.unravel_index(flat, self.error.shape))

    def __str__(self) -> str:
        place = "" if self.position is None else f" (argument {self.position})"
        head = f"{self.name}{place}, {self.numeric.shape}"
        if self.numeric.size == 0:
            return f"{head}: no elements"
        head += "" if self.reached else ", which no gradient reaches (counted as zeros)"
        at = f" at {list(self.worst)}" if self.worst else ""
        times = f"{self.error[self.worst]:.2g} times what is tolerated"
        wrong = f"{self.wrong} of {self.numeric.size} wrong, worst" if self.wrong else "worst"
        return (
            f"{head}: {wrong}{at}: analytic {_at(self.analytic, self.worst):.9g}, "
            f"finite differences {_at(self.numeric, self.worst):.9g}, {times}"
        )


def _at(array: np.ndarray, index: tuple[int, ...]) -> Any:
    """An element; NaN, if the array has the wrong shape."""
    return array[index] if array.ndim == len(index) else np.nan


@dataclass(frozen=True)
class Finding:
    """A finding about a wrong gradient.

    Attributes:
        kind: one of "factor", "sign", "zero", "transpose", "missing sum", "missing
            keepdims", "wrong axis", "wrong argument", "repeated index", "power", "no g",
            "overwritten", "shape", "kink", "flat", "step", "not finite", "float32", "outside the graph",
            "unknown".
        what: a sentence on the mistake.
        place: the operation and the argument, the rule, and the line of code; "" for no operation.
    """

    kind: str
    what: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}" + (f"\n  {self.place}" if self.place else "")
