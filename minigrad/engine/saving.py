"""Saving for the backward pass: the arrays that the rules of a node read, and no others.

A rule names what it does not read with an underscore, as in `lambda g, y, _x: g * y`. So the memory of
a large array is free as soon as no rule needs it: a training step takes two thirds of the memory.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from .node import Edge, outline
from .table import AnyArray, BaseTensor, Operation, code_of

position_of = operator.itemgetter(0)  # of an edge


def to_save(
    operation: Operation, edges: list[Edge], args: tuple, arrays: list[Any], y: AnyArray
) -> tuple:
    """The result and the arguments as the rules of these edges need them: arrays, or outlines.

    `arrays` are the arguments with the arrays that are in Tensors, which never change.
    """
    read = read_by(operation, tuple(map(position_of, edges)), len(args))
    saved = [y if read[0] else outline(y.shape, y.dtype)]
    for a, array, is_read in zip(args, arrays, read[1:]):
        if isinstance(a, BaseTensor):
            saved.append(array if is_read else outline(array.shape, array.dtype))
        elif isinstance(a, (np.ndarray, list, tuple)):
            saved.append(unshared(a) if is_read else outlined(array))
        else:  # a number or another option
            saved.append(a)
    return tuple(saved)


@functools.lru_cache(maxsize=1 << 12)
def read_by(operation: Operation, positions: tuple[int, ...], count: int) -> list[bool]:
    """Tell whether the rules at `positions` read the result, and each of the `count` arguments."""
    read = [False] * (1 + count)
    for i in positions:
        code = code_of(operation.rules[i])
        names = code.co_varnames[1 : code.co_argcount]  # without g
        for k in range(1 + count):
            read[k] |= k >= len(names) or names[k][0] != "_"
    return read


def unshared(a: Any) -> Any:
    """An argument with arrays that no other code changes: copies, or those in Tensors."""
    if isinstance(a, np.ndarray):
        if a.flags.c_contiguous:
            return a.copy()
        back = tuple([slice(None, None, -1 if n < 0 else 1) for n in a.strides])
        return a[back].copy(order="K")[back]  # products round by how their arguments lie in memory
    if hasattr(a, "__iter__") and not isinstance(a, (str, bytes, BaseTensor)):
        return (tuple if isinstance(a, tuple) else list)([unshared(b) for b in a])
    return a._array if isinstance(a, BaseTensor) else a  # type: ignore[attr-defined]


def outlined(a: Any) -> Any:
    """An argument with outlines in place of arrays."""
    if type(a) in (list, tuple):
        return type(a)([outlined(b) for b in a])
    return outline(a.shape, a.dtype) if hasattr(a, "dtype") and hasattr(a, "shape") else a
