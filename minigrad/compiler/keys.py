"""Keys: all that a plan depends on. Calls with equal keys run the same program."""

from __future__ import annotations

import enum
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..arrays.identity import memory_of
from ..engine.errors import described
from ..engine.tensor import Tensor
from ..errors import ArgumentError
from .places import VALUES
from .recorded import pytorchs


class Key(NamedTuple):
    """All that a plan depends on.

    Attributes:
        grad: whether gradients are recorded.
        dtype: the default dtype.
        signature: the types, shapes, strides and dtypes of the arguments, and the numbers among them.
        alike: which of the arrays are the same, and which stand outside too; see `alike`.
        outside: the marks of the objects that the function reads outside; see `Outside`.
    """

    grad: bool
    dtype: Any
    signature: Any
    alike: tuple
    outside: Any


def alike(arrays: list[Any], is_outside: Callable[[Any], bool]) -> tuple:
    """For each array the place of the first one in the same memory, and whether it stands outside."""
    first: dict[Any, int] = {}
    places = [first.setdefault(memory_of(bare_array(a)), i) for i, a in enumerate(arrays)]
    return (*places, *map(is_outside, arrays))


def bare_array(a: Any) -> Any:
    return a._array if isinstance(a, Tensor) else a


def signature_of(a: Any, arrays: list[Any], shapes: bool = True) -> Any:
    """Return the types, shapes and numbers that all arguments of one program have in common.

    The arrays and tensors among the arguments go into `arrays`.
    """
    if isinstance(a, Tensor):
        arrays.append(a)
        array = a._array
        signature = (array.shape, array.strides) if shapes else array.ndim
        return Tensor, signature, array.dtype, a.requires_grad
    if type(a) is np.ndarray and a.dtype.kind in "fiub":
        if not a.ndim:  # a number
            return a.dtype, a.tobytes()
        arrays.append(a)
        return (a.shape, a.dtype, a.strides) if shapes else (a.ndim, a.dtype)
    if type(a) in (list, tuple) or hasattr(a, "_fields"):
        return (type(a), *[signature_of(b, arrays, shapes) for b in a])
    if type(a) in (dict, OrderedDict):
        return (type(a), *[(k, signature_of(b, arrays, shapes)) for k, b in a.items()])
    if a is None or type(a) in VALUES or isinstance(a, enum.Enum):
        return type(a), repr(a)
    if isinstance(a, (np.dtype, slice)):
        return type(a), repr(a)
    if callable(a) and type(a).__hash__ is not None:
        return type(a), a  # not its id, which another one may have after it
    other = type(a).__name__ if isinstance(a, np.ndarray) and type(a) is not np.ndarray else ""
    raise ArgumentError(
        f"arguments of a compiled function are tensors, arrays of NumPy's own class, numbers and texts, "
        f"in lists, tuples and dicts, not {described(a)}{pytorchs(a)}"
        + (f" of the class {other}: give np.asarray(a), or the tensor itself" if other else "")
    )
