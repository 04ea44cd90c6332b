"""Tools of all kernels: how one is attached, what it fits, and sums and products of rows.

    @kernel(F.softmax)
    def softmax(x, axis=-1):
        return softmax_of_rows(x) if in_rows(x, axis) else NotImplemented

A kernel sees whether it fits its arguments, and calls operations of the table. An operation whose
gradients have work in common computes them together, and keeps them for the rules of the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.kinds import Function
from ..engine.table import TABLE, AnyArray, lookup, rule
from ..engine.tensor import Tensor


def kernel(function: Callable) -> Callable[[Function], Function]:
    """Decorate the fast form of a function of the table. It returns NotImplemented where it does not
    fit, and the function then runs as it is written."""

    def attach(fast: Function) -> Function:
        lookup(function)
        TABLE[function].kernel = fast
        return fast

    return attach


def operation(function: Callable, *rules: Callable | None) -> Callable:
    """Make an operation of the table, as `rule` does, of a function that returns an array in new memory:
    `apply` does not check whether it shares memory with an argument."""
    return rule(function, *rules, makes_new=True)


class Saved:
    """Results of an operation's work, kept for its rules: its last argument, freed with its node.

    It has no dtype, so a rule is given the object itself under a name with an underscore too
    (see `saving.outlined`).

    Attributes:
        arrays: what the forward pass leaves.
        gradients: the gradient of the result, and for that those of all arguments.
    """

    __slots__ = ("arrays", "gradients")

    def __init__(self) -> None:
        self.arrays: tuple[AnyArray, ...] | None = None
        self.gradients: tuple[Any, Any] = None, ()

    def beside(self, g: AnyArray) -> tuple[AnyArray, ...] | None:
        """The arrays, unless the gradient `g` is a Tensor: then they would have to be Tensors, too."""
        return self.arrays if type(g) is np.ndarray else None


def together(slopes: Callable, count: int) -> list[Callable | None]:
    """Make a rule for each of the first `count` arguments, and None for each of the others.

    The gradients are cheaper to compute all at once: the first rule that is called computes them, and
    the others take theirs from the `Saved` of the operation.

    Args:
        slopes: (g, y, *arguments) -> the gradients by the first `count` arguments. Each rule has its
            parameters, by `functools.wraps`: their underscores tell the table what it does not read.
    """

    def part(i: int) -> Callable:
        @functools.wraps(slopes)
        def rule(g: AnyArray, y: AnyArray, *args: Any) -> AnyArray:
            saved = args[-1]
            if type(g) is not np.ndarray:
                return slopes(g, y, *args)[i]
            of, gradients = saved.gradients
            if of is not g:
                gradients = slopes(g, y, *args)
                saved.gradients = g, gradients  # together: two threads may walk one graph
            return gradients[i]

        return rule

    others = slopes.__code__.co_argcount - 2 - count  # without g and y
    return [*map(part, range(count)), *[None] * others]


# --- what kernels fit -----------------------------------------------------------------------------


FLOATS = frozenset([np.dtype(np.float32), np.dtype(np.float64)])  # in the machine's byte order


def are_arrays(*values: object) -> bool:
    """Tell whether all are NumPy arrays, or Tensors of one, of float32 or float64, and none is empty."""
    for x in values:
        array = x._array if isinstance(x, Tensor) else x
        if type(array) is not np.ndarray or array.dtype not in FLOATS or not array.size:
            return False
    return True


def in_rows(x: AnyArray, axis: int = -1) -> bool:
    """Tell whether `x` is such an array, in rows along `axis`."""
    return are_arrays(x) and x.ndim > 0 and (axis == -1 or axis == x.ndim - 1)


def is_number(value: object) -> bool:
    """Tell whether `value` is a Python number: NumPy's may widen a dtype, a Tensor has a gradient."""
    return type(value) is float or type(value) is int


# --- rows and columns -----------------------------------------------------------------------------


def rows(x: AnyArray) -> AnyArray:
    """All rows of the last axis below each other, as one matrix."""
    return x.reshape(-1, x.shape[-1])


def row_sums(x: AnyArray) -> AnyArray:
    """The sum of each row of a matrix (n, m), kept: (n, 1). As a product, as np.sum is slow on short
    rows."""
    return x @ ones((x.shape[1], 1), x.dtype)


def row_products(x: AnyArray, y: AnyArray) -> AnyArray:
    """The product of each row of x (n, m) with the same one of y, kept: (n, 1). On short rows a call
    for each would take longer than its work."""
    return row_sums(x * y) if x.shape[1] < 64 else np.vecdot(x, y)[:, None]


def column_sums(x: AnyArray) -> AnyArray:
    """The sums over all axes but the last."""
    x = rows(x)
    return ones((x.shape[0],), x.dtype) @ x


@functools.lru_cache(maxsize=256)
def ones(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of ones, read-only."""
    array = np.ones(shape, dtype)
    array.flags.writeable = False
    return array


@functools.lru_cache(maxsize=256)
def row_starts(n: int, m: int) -> np.ndarray:
    """Return where in memory the rows of a matrix (n, m) begin: 0, m, 2m ...; read-only."""
    array = np.arange(0, n * m, m)
    array.flags.writeable = False
    return array


def reusing(function: Callable, x: AnyArray, y: AnyArray) -> AnyArray:
    """function(x, y), in the memory of `x`, which is the caller's own, if both are arrays of one dtype.

    In a rule for higher derivatives, some of what is given are Tensors and the rest arrays.
    """
    if type(x) is np.ndarray is type(y) and x.dtype is y.dtype:
        return function(x, y, out=x)
    return function(x, y)
