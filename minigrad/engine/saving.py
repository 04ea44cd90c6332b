"""Saving for the backward pass: the arrays that the rules of a node read, and no others.

A rule marks an argument with an underscore if it reads at most the shape and dtype, as in
`lambda g, y, _x: g * y`. So the memory of a large array is free as soon as no rule needs it: a training
step takes two thirds of the memory.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .arguments import copied_option
from .base import AnyArray, BaseTensor
from .copies import copied_as_it_lies
from .followed import bare
from .names import code_of
from .node import Edge, outline
from .table import Operation

position_of = operator.itemgetter(0)  # of an edge


def to_save(
    operation: Operation, edges: list[Edge], args: tuple, arrays: list[AnyArray], y: AnyArray
) -> tuple:
    """The result and the arguments as the rules of these edges need them: arrays, or outlines.

    `arrays` are the arguments with the arrays that are in Tensors, which never change.
    """
    key = (len(args), *map(position_of, edges))
    read_result, read_args = operation.reads.get(key) or read_by(operation, key)
    saved = [y if read_result else outline(y.shape, y.dtype)]
    for a, array, is_read in zip(args, arrays, read_args):
        if isinstance(a, BaseTensor):
            saved.append(array if is_read else outline(array.shape, array.dtype))
        elif isinstance(a, (np.ndarray, list, tuple)):
            saved.append(unshared(a) if is_read else outlined(array))
        else:  # a number or another option
            saved.append(copied_option(a) if isinstance(a, dict) else a)
    return tuple(saved)


def read_by(operation: Operation, key: tuple[int, ...]) -> tuple[bool, list[bool]]:
    """Tell whether the rules at some positions read the result, and each of the arguments.

    `key` is the number of arguments, then these positions.
    """
    count, *positions = key
    read = [False] * (1 + count)
    for i in positions:
        code = code_of(operation.rules[i])
        names = code.co_varnames[1 : code.co_argcount]  # without g
        for k in range(1 + count):
            read[k] |= k >= len(names) or names[k][0] != "_"
    operation.reads[key] = read[0], read[1:]
    return operation.reads[key]


def unshared(a: object) -> Any:
    """An argument with arrays that no other code changes: copies, or those in Tensors."""
    if isinstance(a, np.ndarray):
        array = bare(a)
        return array.copy() if array.flags.c_contiguous else copied_as_it_lies(array)
    if hasattr(a, "__iter__") and not isinstance(a, (str, bytes, BaseTensor)):
        return (tuple if isinstance(a, tuple) else list)([unshared(b) for b in a])
    return a._array if isinstance(a, BaseTensor) else a


def outlined(a: Any) -> Any:
    """An argument with outlines in place of arrays."""
    if type(a) in (list, tuple):
        return type(a)([outlined(b) for b in a])
    return outline(a.shape, a.dtype) if hasattr(a, "dtype") and hasattr(a, "shape") else a
