"""The distance of an array of ours from a tensor of PyTorch's, and how much of it is due to rounding."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from ..engine.base import AnyArray
from ..engine.source import SourceLine
from .numbers import array_of

TOLERANCES = {torch.float64: 1e-9, torch.float32: 2e-4}  # `ROUGH` for dtypes with fewer bits
ROUGH = 0.05
PIECE = 1 << 20  # numbers that are compared at once


class Distance(NamedTuple):
    """The distance of a value of ours from PyTorch's.

    Attributes:
        size: the largest |ours - theirs| / (unit + |theirs|). If it is beyond rounding, |theirs| is at
            least the median of the tensor: a sum of large numbers may be small by chance.
        allowed: the size up to which the distance is due to rounding; twice `size`, if arguments that
            are rounded otherwise give a distance as large.
        of: ATen's function, or the name of a gradient.
        line: of the call.
        unit: 1; or more, if all gradients are large, as for a loss that was scaled: then a gradient of
            zeros has rounding errors as large as the rounding of the other gradients.
    """

    size: float
    allowed: float
    of: str
    line: SourceLine | None = None
    unit: float = 1

    @property
    def is_rounding(self) -> bool:
        """Tell whether the distance is due to rounding; a size of NaN is not."""
        return self.size <= self.allowed

    @property
    def at(self) -> str:
        """The line of the call, as in " at FILE:3"; "" if it is not known."""
        return "" if self.line is None else f" at {self.line}"


def tolerance(dtype: torch.dtype) -> float:
    """The size up to which a distance is due to rounding."""
    return TOLERANCES.get(dtype, ROUGH) if dtype.is_floating_point else 0.0


def distance(
    ours: AnyArray, theirs: torch.Tensor, of: str, line: SourceLine | None = None, allowed: float = 0,
    is_view: bool = False, of_finite: bool = False, unit: float = 1,
) -> Distance:  # fmt: skip
    """Compare an array of ours with a tensor of PyTorch's of the same shape.

    For floats of 16 bits, a difference is divided by the largest number of the tensor.

    Args:
        of, line, unit: as in a `Distance`.
        allowed: the tolerance, if it is larger than that of the dtype: an argument may have fewer bits.
        is_view: whether the numbers were compared when they were made. Then only the first and the last
            piece of a large array are compared again.
        of_finite: leave out each pair of numbers of which one is not finite.
    """
    a, b = np.asarray(ours), array_of(theirs)
    if of_finite:
        both = np.isfinite(a) & np.isfinite(b)
        a, b = np.where(both, a, 0), np.where(both, b, 0)
    allowed = max(allowed, tolerance(theirs.dtype))
    rough = allowed >= ROUGH and b.dtype.kind == "f"
    scale = unit + float(np.abs(b).max(initial=0)) if rough else None
    pieces = _pieces(b)
    if is_view:
        pieces = pieces[:: max(1, len(pieces) - 1)]
    with np.errstate(all="ignore"):
        size = max((_largest(a[p], b[p], unit, scale) for p in pieces), default=0.0)
        if allowed < size < np.inf and b.dtype.kind == "f":
            typical = np.maximum(np.abs(b), np.nanmedian(np.abs(b)))
            size = min(size, float(np.nanmax(np.abs(a - b) / (unit + typical))))
    return Distance(size, allowed, of, line, unit)


def _pieces(array: np.ndarray) -> list[Any]:
    """Indices that cut an array into pieces of some rows: of at most `PIECE` numbers, or of one row."""
    if array.size <= PIECE:
        return [...]
    rows = max(1, PIECE // max(1, array.size // len(array)))
    return [slice(i, i + rows) for i in range(0, len(array), rows)]


def _largest(a: np.ndarray, b: np.ndarray, unit: float, scale: float | None) -> float:
    """The largest distance of two numbers, divided by `unit` + the size of b's, or by `scale`."""
    if b.dtype.kind != "f":
        return float(np.abs(np.subtract(a, b, dtype=np.float64)).max(initial=0))
    apart = np.abs(a - b)
    size = float((apart / (unit + np.abs(b) if scale is None else scale)).max(initial=0))
    if np.isfinite(size):
        return size
    a, b = a.astype(np.float64), b.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    apart = np.where(same, 0, np.abs(a - b) / (unit + np.abs(b)))
    return float(np.where(np.isfinite(apart), apart, np.inf).max())


def distance_from_none(ours: np.ndarray, of: str) -> Distance:
    """The distance of a gradient of ours, where PyTorch has none: 0 if ours is zero."""
    return Distance(float(np.abs(ours).max(initial=0)), 0.0, of)


def unit_of(gradients: list[np.ndarray]) -> float:
    """The typical size of gradients, if it is more than 1; else 1."""
    sizes = [np.abs(a[np.isfinite(a)]).max(initial=0) for a in gradients if a.dtype.kind == "f"]
    return max(1.0, float(np.median(sizes))) if sizes else 1.0


def length(array: np.ndarray) -> float:
    """The root of the sum of squares."""
    return float(np.linalg.norm(np.ravel(array).astype(np.float64)))
