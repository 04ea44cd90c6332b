"""Bodies of definitions, called with plain arrays where no gradient is wanted: that takes less time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .base import BaseTensor
from .errors import UNCLEAR, MinigradError, Options
from .modes import mode


def run_on_arrays(body: Callable, args: tuple, kwargs: Options) -> Any:
    """Call the body of a definition with the arrays that are in Tensors; give Tensors of what it gives.

    So no operation in it has to be looked up. NotImplemented where a gradient may be wanted, or
    somebody watches, or it fails: then the call with Tensors says what is wrong.
    """
    now = mode.get()
    given = (*args, *kwargs.values()) if kwargs else args
    if now.watchers or (plain := _as_plain(given, now.grad)) is None:
        return NotImplemented
    arrays, tensors, held = plain
    count = len(args)
    try:
        y = body(*arrays[:count], **dict(zip(kwargs, arrays[count:])))
    except (MinigradError, *UNCLEAR):
        return NotImplemented
    if not tensors:
        return y
    if isinstance(y, tuple):
        return tuple([_wrapped(one, tensors, held) for one in y])
    return _wrapped(y, tensors, held)


def _as_plain(given: tuple, grad: bool) -> tuple[list[Any], list[Any], list[np.ndarray]] | None:
    """The arguments of a call with plain arrays in place of Tensors; the Tensors among them; the arrays.

    None if a body would compute something else of these.
    """
    arrays, tensors, held = [], [], []
    for a in given:
        if isinstance(a, BaseTensor):
            if a._is_symbol or (grad and a.requires_grad):
                return None
            if a._array.dtype.kind != "f":  # integers become floats in another way
                return None
            tensors.append(a)
            a = a._array
        elif type(a) is np.ndarray:  # its owner may write to it
            held.append(a)
        elif isinstance(a, (list, tuple)) or hasattr(a, "__array__"):  # which become other arrays
            return None
        arrays.append(a)
    return arrays, tensors, held


def _wrapped(y: Any, tensors: list[Any], held: list[np.ndarray]) -> Any:
    """A Tensor of what a body gave for arrays.

    It is that of `tensors` whose array `y` is, or a new one: of a copy, if `y` is in memory of `held`.
    """
    if not isinstance(y, (np.ndarray, np.generic)):
        return y
    for a in tensors:
        if a._array is y:
            return a
    shared = any(np.may_share_memory(a, y) for a in held)
    return tensors[0]._wrap(y.copy() if shared else y)
