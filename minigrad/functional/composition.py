"""Functions made of others: boxes in a drawing, and where time goes, a kernel beside the definition.

    @composition
    def softmax(x): ...                     the definition, in functions of the table

    @kernel(softmax, in_rows, lambda g, y, x: ...)
    def _(x): ...                           the same on arrays, in as few passes as possible

A kernel runs unless the graph is recorded for the views, which then show the definition.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from ..engine import table
from ..engine.modes import mode, scoped
from ..engine.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


def composition(function: F) -> F:
    """Mark a function made of others, so that a drawing shows its operations in a box."""

    kernels: list[tuple[Callable, Callable]] = []

    @functools.wraps(function)
    def boxed(*args, **kwargs):
        if kernels and mode.kernels:
            for fits, fused in kernels:
                if fits(*args, **kwargs):
                    return fused(*args, **kwargs)
        return scoped(function.__name__, function, args, kwargs)

    boxed.kernels = kernels  # type: ignore[attr-defined]
    return cast(F, boxed)


def kernel(composed: Any, fits: Callable[..., bool], *rules: Callable | None) -> Callable:
    """Decorate the fast form of a composition: it is given arrays, and `rules` are its derivatives.

    It takes the place of the composition for those arguments of which `fits` is true, and returns an
    array in memory of its own. If it has a parameter `kept`, that is a list, or None, for what the
    rules would have to compute again; they have it as `kept`, too, and do without where it is empty.
    """

    def enter(fast: Callable) -> Callable:
        fused = table.dispatched(functools.wraps(composed, updated=())(fast))
        table.TABLE[fused] = table.Rule(fused, rules, makes_new=True)
        return shortcut(composed, fits)(fused)

    return enter


def shortcut(composed: Any, fits: Callable[..., bool]) -> Callable:
    """Decorate a way to compute a composition of Tensors in fewer operations.

    It takes the place of the composition as a kernel does, and is made of other compositions.
    """

    def enter(short: Callable) -> Callable:
        composed.kernels.append((fits, short))
        return short

    return enter


def kernels_run() -> bool:
    """Whether kernels and shortcuts are taken: not where a graph is recorded for the views."""
    return mode.kernels


def are_arrays(*values: Any) -> bool:
    """Whether all are NumPy arrays, or Tensors of one, of float32 or float64, and none is empty."""
    for x in values:
        array = x._array if isinstance(x, Tensor) else x
        if type(array) is not np.ndarray or array.size == 0:
            return False
        if array.dtype.char not in "fd" or not array.dtype.isnative:
            return False
    return True


def in_rows(x: Any, axis: int = -1) -> bool:
    """Whether `x` is such an array, in rows along `axis`."""
    return are_arrays(x) and x.ndim > 0 and (axis == -1 or axis == x.ndim - 1)


def is_number(value: Any) -> bool:
    """Whether `value` is Python's own number: NumPy's may widen a dtype, and a Tensor has a gradient."""
    return type(value) is float or type(value) is int


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether an array of `shape` fits beside one of the shape `to`, which stays as it is."""
    return len(shape) <= len(to) and all(m in (1, n) for m, n in zip(shape[::-1], to[::-1]))


# --- what kernels and their rules are written with -------------------------------------------------


def rows(x: Any) -> Any:
    """All rows of the last axis below each other, as one matrix."""
    return x.reshape(-1, x.shape[-1])


def with_rows(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A new array `x`, to be overwritten, and all its rows as one matrix, in one memory.

    Where the rows do not lie one after the other, `rows` copies them, and what is computed there
    never reaches `x`. So `x` is taken from the rows: to cut an axis copies nothing.
    """
    each = rows(x)
    return each.reshape(x.shape), each


def reusing(function: Callable, x: Any, y: Any) -> Any:
    """function(x, y), in the memory of `x`, which is the caller's own, if both are arrays of one dtype.

    In a rule for higher derivatives, some of what is given are Tensors and the rest arrays.
    """
    fits = type(x) is type(y) is np.ndarray and x.dtype is y.dtype
    return function(x, y, out=x) if fits else function(x, y)


def row_sums(x: Any) -> Any:
    """The sum of each row of a matrix (n, m), kept: (n, 1). As a product, as np.sum is slow on short
    rows."""
    return x @ ones((x.shape[1], 1), x.dtype)


@functools.lru_cache(maxsize=256)
def row_starts(n: int, m: int) -> np.ndarray:
    """Where in memory the rows of a matrix (n, m) begin: 0, m, 2m ...; read-only."""
    array = np.arange(0, n * m, m)
    array.flags.writeable = False
    return array


def row_products(x: Any, y: Any) -> Any:
    """The product of each row of x (n, m) with the same one of y, kept: (n, 1). On short rows a call
    for each would take longer than its work."""
    return row_sums(x * y) if x.shape[1] < 64 else np.vecdot(x, y)[:, None]


def column_sums(x: Any) -> Any:
    """The sums over all axes but the last."""
    x = rows(x)
    return ones((x.shape[0],), x.dtype) @ x


@functools.lru_cache(maxsize=256)
def ones(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of ones, read-only."""
    array = np.ones(shape, dtype)
    array.flags.writeable = False
    return array
