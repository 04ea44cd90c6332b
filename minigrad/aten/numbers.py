"""The numbers of PyTorch's tensors as arrays, and their distance from ours."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch

from .. import errors
from ..checking.causes import pattern
from ..engine.source import SourceLine
from ..ran.recording import memory_of

TOLERANCES = {torch.float64: 1e-9, torch.float32: 2e-4}  # for others `ROUGH`, as with 8 bits
ROUGH = 0.05
LAST_BITS, ROUNDINGS = 4.0, 10  # what so many last bits change, and that times so much, is rounding
OFF = 0.01  # a gradient that is off by so much of its size is another one, however small it is
NOISE = 1e-5  # of the largest gradient: one that is as small may be rounding


class Distance(NamedTuple):
    """The distance of a value of ours from PyTorch's.

    Attributes:
        size: the largest |ours - theirs| / (unit + |theirs|); where that is beyond rounding, by the size
            of the tensor's median if it is larger: a sum of large numbers may be small by chance.
        allowed: the size up to which it is due to rounding.
        of: ATen's function, or the name of a gradient.
        line: of the call.
        unit: 1, or more where all gradients are large, as of a loss that was scaled: one that is zero
            but for rounding is then as large as the rounding of the others.
    """

    size: float
    allowed: float
    of: str
    line: SourceLine | None = None
    unit: float = 1


def distance(
    ours: Any, theirs: torch.Tensor, of: str, line: SourceLine | None = None, allowed: float = 0,
    is_view: bool = False, of_finite: bool = False, unit: float = 1,
) -> Distance:  # fmt: skip
    """Compare an array of ours with a tensor of PyTorch's of the same shape.

    `allowed` is the tolerance if it is more than that of the dtype: some of what it was computed from
    may have fewer bits. With 16 bits, a difference is divided by the largest number of the tensor. Of a
    large view only two pieces are compared: the numbers themselves have been, where they were made.
    `of_finite` leaves out numbers of which one is not finite.
    """
    a, b = np.asarray(ours), array_of(theirs)
    if of_finite:
        both = np.isfinite(a) & np.isfinite(b)
        a, b = np.where(both, a, 0), np.where(both, b, 0)
    allowed = max(allowed, tolerance(theirs.dtype))
    rough = allowed >= ROUGH and b.dtype.kind == "f"
    scale = unit + float(np.abs(b).max(initial=0)) if rough else None
    rows = max(1, PIECE // max(1, b.size // len(b))) if b.ndim and len(b) else 1
    pieces = [*range(0, len(b), rows)] if b.size > PIECE else [None]
    pieces = pieces[:: max(1, len(pieces) - 1)] if is_view else pieces
    at = lambda x, i: x if i is None else x[i : i + rows]
    with np.errstate(all="ignore"):
        size = max((_largest(at(a, i), at(b, i), unit, scale) for i in pieces), default=0.0)
        if allowed < size < np.inf and b.dtype.kind == "f":
            typical = np.maximum(np.abs(b), np.nanmedian(np.abs(b)))
            size = min(size, float(np.nanmax(np.abs(a - b) / (unit + typical))))
    return Distance(size, allowed, of, line, unit)


PIECE = 1 << 20  # numbers that are compared at once


def _largest(a: np.ndarray, b: np.ndarray, unit: float, scale: float | None) -> float:
    """The largest distance of numbers, by `unit` + their size, or by `scale`."""
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


def is_another(ours: np.ndarray, theirs: np.ndarray, allowed: float, largest: float = 0.0) -> bool:
    """Tell whether a gradient is another one than ours by its own size, which may be far below 1.

    `largest` is the size of the largest gradient beside it.
    """
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return False
    size = max(length(ours), length(theirs))
    noise = NOISE if allowed < ROUGH else allowed
    return size > noise * largest and length(ours - theirs) > max(OFF, 6 * allowed) * size


def length(array: np.ndarray) -> float:
    """The root of the sum of squares."""
    return float(np.linalg.norm(np.ravel(array).astype(np.float64)))


def rounded_otherwise(
    last_bits: float, sizes: Mapping[Any, float] = MappingProxyType({})
) -> Callable[[Any], Any]:
    """A function that moves numbers by so many times their last bit, by chance, as rounding may.

    `sizes`: of arrays that were added up from larger numbers, by their memory: the size of these.
    """
    draws = np.random.default_rng(0)

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [*map(moved, value)]
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
            return value
        off = last_bits * np.finfo(value.dtype).eps * draws.standard_normal(value.shape)
        size = sizes.get(memory_of(value), 0.0)
        other = value * (1 + off).astype(value.dtype)
        return (other + size * off).astype(value.dtype) if size else other

    return moved


def how_it_differs(ours: np.ndarray, theirs: np.ndarray) -> str:
    """Say what a gradient of PyTorch's is to ours: twice it, its negative, zero."""
    size = max(float(np.abs(a).max(initial=0)) for a in (ours, theirs)) or 1.0
    return pattern(theirs / size, ours / size, {})[1]


def underflown(ours: np.ndarray, theirs: np.ndarray, largest: float) -> int:
    """Count the elements that are 0 in PyTorch, and here neither 0 nor rounding."""
    return int(np.sum((theirs == 0) & (np.abs(ours) > NOISE * largest)))


def distance_from_none(ours: list[np.ndarray], of: str) -> Distance:
    """Compare gradients of ours with none of PyTorch's: they are zero, or there are none."""
    return Distance(max((float(np.abs(a).max(initial=0)) for a in ours), default=0.0), 0.0, of)


def unit_of(gradients: list[np.ndarray]) -> float:
    """1, or the size that gradients typically have, if that is more."""
    sizes = [np.abs(a[np.isfinite(a)]).max(initial=0) for a in gradients if a.dtype.kind == "f"]
    return max(1.0, float(np.median(sizes))) if sizes else 1.0


def tolerance(dtype: torch.dtype) -> float:
    """The size up to which a distance is due to rounding."""
    return TOLERANCES.get(dtype, ROUGH) if dtype.is_floating_point else 0.0


def has_numbers(theirs: torch.Tensor) -> bool:
    """Tell whether it has numbers of its own: not before a lazy module's first call, nor in vmap."""
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor(theirs)
    return not wrapped and not hasattr(theirs, "materialize")


def array_of(theirs: torch.Tensor) -> np.ndarray:
    """The numbers of one of PyTorch's tensors; those with 16 bits as float32.

    Raises:
        UnsupportedError: if it has none, as on the device "meta".
    """
    if theirs.is_meta:
        raise errors.UnsupportedError(
            f"a tensor of shape {tuple(theirs.shape)} on the device 'meta' has no numbers: give it "
            f"some first, by model.to_empty(device='cpu') and weights"
        )
    plain = theirs.detach().resolve_conj().resolve_neg()
    if plain._is_zerotensor():  # PyTorch has no memory for it
        plain = plain.clone()
    if plain.is_floating_point() and plain.dtype != torch.float64:
        plain = plain.float()
    plain = plain.to_dense().cpu() if plain.is_sparse else plain.cpu()
    return np.from_dlpack(plain)  # .numpy() would forbid PyTorch to resize it


@functools.cache
def numpys(dtype: torch.dtype) -> np.dtype:
    """The dtype of `array_of`."""
    return array_of(torch.empty(0, dtype=dtype)).dtype
