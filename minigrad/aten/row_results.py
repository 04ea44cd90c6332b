"""The results of a row, called with our Tensors and compared with the results of PyTorch."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ..engine.base import AnyArray
from ..engine.errors import PROBLEMS
from ..engine.followed import followed
from ..engine.modes import mode
from ..engine.source import source_line
from ..engine.tensor import Tensor, tensor_of
from ..with_blocks import no_grad
from .aten_call import AtenCall
from .distances import Distance, distance
from .numbers import array_of, numpy_dtype
from .rounding import LAST_BITS, ROUNDINGS, rounded_otherwise

LARGEST_HALF = float(np.finfo(np.float16).max)


def results(row: Callable, ours: tuple[list, dict], outputs: list) -> list:
    """Call a row, and list its results: as many as PyTorch gave, None where the row gave none.

    Where a call names an axis, PyTorch treats a tensor without axes as one with an axis of length 1. So
    if the call fails, it is tried again with such arguments.
    """
    args, options = ours
    if "theirs" in _parameters(row):
        options = {**options, "theirs": [_array_for_row(o, args) for o in outputs]}
    try:
        values = row(*args, **options)
    except (*PROBLEMS, ZeroDivisionError):  # by 0, as in `dim % x.ndim`
        if not any(isinstance(a, Tensor) and not a.ndim for a in args):
            raise
        args = [np.reshape(a, (1,)) if isinstance(a, Tensor) and not a.ndim else a for a in args]
        if "theirs" in options:
            options["theirs"] = [np.reshape(a, a.shape or (1,)) for a in options["theirs"]]
        values = row(*args, **options)
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    return values + [None] * (len(outputs) - len(values))


def _array_for_row(output: Any, args: list) -> Any:
    """A result of PyTorch's as an array; recordings are told that it is made of these arguments."""
    if not isinstance(output, torch.Tensor):
        return output
    array, watchers = array_of(output), mode.get().watchers
    for watcher in watchers:
        watcher.on_made(array, [a for a in args if isinstance(a, Tensor)])
    return followed(array, watchers)


@functools.cache
def _parameters(row: Callable) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(row).parameters)
    except ValueError:  # a ufunc
        return ()


def converted(value: AnyArray, output: torch.Tensor) -> Tensor:
    """A value as a Tensor of the dtype and the shape of PyTorch's result."""
    expected, shape = numpy_dtype(output.dtype), tuple(output.shape)
    value = value if isinstance(value, Tensor) else tensor_of(np.asarray(value))
    if value.dtype != expected:
        value = value.astype(expected)
    if value.shape != shape:
        same = value.size == output.numel()  # an axis of length 1 more or less
        value = np.reshape(value, shape) if same else np.broadcast_to(value, shape)
    if output.dtype == torch.float16 and np.abs(value._array).max(initial=0) > LARGEST_HALF:
        # Numbers that are too large become infinite, as in PyTorch.
        value = value.astype(np.float16).astype(expected)
    return value


def distance_of(call: AtenCall, value: Tensor, output: torch.Tensor, rough: float) -> Distance:
    """The distance of a value from PyTorch's result; up to `rough` it is due to rounding."""
    allowed = rough if output.is_floating_point() else 0.0
    memory = output.untyped_storage()._cdata
    is_view = not call.written() and any(
        t.untyped_storage()._cdata == memory for t, _ in call.pairs
    )
    compared = functools.partial(
        distance, value._array, output, f"aten.{call.name}", source_line(), allowed, is_view
    )
    apart = compared()
    if apart.size == math.inf and not all(np.isfinite(y._array).all() for _, y in call.pairs):
        apart = compared(of_finite=True)  # a NaN or an infinity spreads in more than one way
    return apart


def but_for_rounding(apart: Distance, call: AtenCall, place: int) -> Distance:
    """The same distance, allowed if the rounding of earlier calls explains it.

    It does in two cases: the row gives PyTorch's result for PyTorch's arguments; or, for arguments that
    are rounded otherwise, its result changes by as much.

    Args:
        place: of the result among those of the call.
    """
    if call.written() or not math.isfinite(apart.size):
        return apart
    output = call.outputs[place]
    with no_grad():
        value, other = (
            converted(_with_pytorchs(call, n)[place], output)._array for n in (0.0, LAST_BITS)
        )
    here = distance(value, output, apart.of)
    moved = ROUNDINGS * distance(array_of(output) + (other - value), output, apart.of).size
    is_rounding = here.size <= max(here.allowed, moved)
    return apart._replace(allowed=2 * apart.size) if is_rounding else apart


def _with_pytorchs(call: AtenCall, last_bits: float) -> list:
    """The results of a row for PyTorch's arguments, moved by some times their last bits."""
    assert call.row is not None
    moved = rounded_otherwise(last_bits)
    given = call.as_ours(lambda theirs: tensor_of(moved(array_of(theirs))))
    return results(call.row, given, call.outputs)
