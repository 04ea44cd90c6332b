"""Patterns: relations of a wrong gradient to the right one, such as a factor or a sign."""

from __future__ import annotations

import numpy as np

from ..engine.base import AnyArray
from ..engine.tensor import Tensor


def pattern(analytic: np.ndarray, numeric: np.ndarray, counts: dict[int, str]) -> tuple[str, str]:
    """Describe how a wrong gradient relates to the right one: the kind of `Finding`, and a sentence.

    `counts`: numbers that may be a wrong factor, each with the things that it counts.
    """
    if analytic.shape != numeric.shape:
        what = f"the gradient has the shape {analytic.shape}, and its tensor {numeric.shape}"
        return "shape", what
    if not np.all(np.isfinite(analytic)):
        return "not finite", "the gradient has NaN or infinite elements"
    if not np.all(np.isfinite(numeric)):
        return "not finite", "the function is not defined on both sides of the point"
    off = unlike(analytic, numeric)
    where = "" if off.all() else f" in {int(off.sum())} of {off.size} elements"
    a, n = analytic[off], numeric[off]
    if not a.any():
        return "zero", f"it is zero{where}, and should not be"
    if agree(a, -n):
        return "sign", f"the sign is wrong{where}"
    c = float(a @ n / (n @ n)) if n.any() else 0.0
    if c and agree(a, c * n) and (a.size > 1 or off.size == 1):
        return "factor", f"it is {c:.6g} times what it should be{where}{_reason(c, counts)}"
    return "unknown", f"{int(off.sum())} of {off.size} elements are wrong, in no simple way"


def _reason(c: float, counts: dict[int, str]) -> str:
    for n, what in counts.items():
        if n > 1 and np.isclose(c, n, 1e-4):
            return f"; {n} is {what}: is it to be divided by?"
        if n > 1 and np.isclose(c * n, 1, 1e-4):
            return f"; {n} is {what}: is it to be multiplied by, or a sum in place of a mean?"
    return "; was one of two uses forgotten?" if np.isclose(c, 0.5, 1e-4) else ""


def agree(a: AnyArray, b: AnyArray) -> bool:
    """Tell whether two arrays are the same up to the error of finite differences."""
    a, b = as_float64(a), as_float64(b)
    return a.shape == b.shape and not unlike(a, b).any()


def unlike(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The elements in which two arrays of one shape differ by more than finite differences do."""
    size = max(1.0, float(np.max(np.abs(b), initial=0.0, where=np.isfinite(b))))
    return ~np.isclose(a, b, 1e-4, 1e-6 * size)


def proportional(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`a` times the number that brings it closest to `b`."""
    a = np.broadcast_to(a, b.shape)
    return a * (np.vdot(a, b) / np.vdot(a, a))


def as_float64(value: object) -> AnyArray:
    """A float64 copy of an array, or of the array in a Tensor; any other value itself."""
    value = value._array if isinstance(value, Tensor) else value
    if isinstance(value, (np.ndarray, np.generic)):
        return np.array(value, np.float64 if value.dtype.kind == "f" else None)
    return value
