"""Bodies of definitions, called with plain arrays where no gradient is wanted: that takes less time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .base import BaseTensor
from .errors import UNCLEAR, MinigradError, Options
from .modes import mode


def run_on_arrays(body: Callable, args: tuple, kwargs: Options) -> Any:
    """Call the body of a definition with the arrays in Tensors, and return its results as Tensors.

    No operation in it has to be looked up then. The result is NotImplemented if a gradient may be asked
    for, if there are watchers, or if the body fails: then the call with Tensors says what is wrong.
    """
    now = mode.get()
    arguments = (*args, *kwargs.values()) if kwargs else args
    if now.watchers or (prepared := _as_arrays(arguments, now.grad)) is None:
        return NotImplemented
    arrays, tensors, of_caller = prepared
    count = len(args)
    try:
        y = body(*arrays[:count], **dict(zip(kwargs, arrays[count:])))
    except (MinigradError, *UNCLEAR):
        return NotImplemented
    if not tensors:
        return y
    if isinstance(y, tuple):
        return tuple([_as_tensor(one, tensors, of_caller) for one in y])
    return _as_tensor(y, tensors, of_caller)


def _as_arrays(
    arguments: tuple, grad: bool
) -> tuple[list[Any], list[Any], list[np.ndarray]] | None:
    """The arguments of a call, with plain arrays in place of Tensors; these Tensors; and the arrays that
    the caller itself gave. None if a body may compute something else with arrays.
    """
    arrays, tensors, of_caller = [], [], []
    for a in arguments:
        if isinstance(a, BaseTensor):
            if a._is_symbol or (grad and a.requires_grad):
                return None
            if a._array.dtype.kind != "f":  # integers become floats in another way
                return None
            tensors.append(a)
            a = a._array
        elif type(a) is np.ndarray:  # its owner may write to it
            of_caller.append(a)
        elif isinstance(a, (list, tuple)) or hasattr(a, "__array__"):  # which become other arrays
            return None
        arrays.append(a)
    return arrays, tensors, of_caller


def _as_tensor(y: Any, tensors: list[Any], of_caller: list[np.ndarray]) -> Any:
    """The result of a body as a Tensor.

    If `y` is the array of one of `tensors`, this Tensor is returned. Else a new one is: of a copy, if
    `y` is in memory of `of_caller`.
    """
    if not isinstance(y, (np.ndarray, np.generic)):
        return y
    for a in tensors:
        if a._array is y:
            return a
    shared = any(np.may_share_memory(a, y) for a in of_caller)
    return tensors[0]._wrap(y.copy() if shared else y)
