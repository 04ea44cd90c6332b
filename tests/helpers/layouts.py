"""The orders in which the elements of an array can lie in memory, for tests of all that computes.

Whatever is computed from an array must not depend on it: a reshape copies in some orders and not in
others, and new arrays take over the order of those that they are made from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg


class Layout(NamedTuple):
    """A way to lie in memory.

    Attributes:
        store: makes an array in C order of the elements of another one.
        view: the elements as they were, in what was stored: a function of arrays and of tensors.
    """

    store: Callable[[np.ndarray], np.ndarray]
    view: Callable[[Any, tuple[int, ...]], Any]


def swapped(i: int, j: int) -> Layout:
    """Two axes the other way round, where there are two."""
    swap = lambda a, *_: np.swapaxes(a, i, j) if np.ndim(a) > 1 else a
    return Layout(swap, swap)


def every_second(a: Any, *_: Any) -> Any:
    return a[(..., *[slice(None, None, 2)] * np.ndim(a))]  # the dots keep a number an array


def with_gaps(a: np.ndarray) -> np.ndarray:
    """Between the elements lies what would be noticed."""
    gap = np.nan if a.dtype.kind == "f" else True
    wide = np.full([2 * n for n in a.shape], gap, a.dtype)
    every_second(wide)[...] = a
    return wide


def read_only(a: Any, *_: Any) -> Any:
    """Of an array; a tensor keeps its own to itself."""
    if isinstance(a, np.ndarray):
        a = a.view()
        a.flags.writeable = False
    return a


ALIKE: dict[str, Layout] = {  # of the same elements
    "in C order": Layout(np.asarray, lambda a, _: a),
    "in Fortran order": Layout(np.transpose, lambda a, _: np.transpose(a)),
    "leading axes swapped": swapped(0, 1),
    "last axes swapped": swapped(-1, -2),
    "every second element": Layout(with_gaps, every_second),
    "reversed": Layout(np.flip, lambda a, _: np.flip(a)),
    "read-only": Layout(np.asarray, read_only),
}
LAYOUTS = (
    ALIKE
    | {  # and of one element for many
        "one row for all": Layout(lambda a: a[:1] if a.ndim else a, np.broadcast_to),
        "one column for all": Layout(lambda a: a[..., :1] if a.ndim else a, np.broadcast_to),
    }
)


def laid_out(a: np.ndarray, layout: str) -> np.ndarray:
    """The array in that layout."""
    store, view = LAYOUTS[layout]
    return view(np.array(store(a), order="C"), a.shape)


def tensor(a: np.ndarray, layout: str = "in C order") -> mg.Tensor:
    """A tensor of the array in that layout, which keeps the gradient that arrives."""
    store, view = LAYOUTS[layout]
    leaf = mg.Tensor(np.array(store(a), order="C"), requires_grad=True)
    seen = view(leaf, a.shape)
    return seen if seen is leaf else seen.retain_grad()


# Functions of a result, whose gradient then comes back in that order.
ARRIVING: dict[str, Callable[[Any], Any]] = {
    "in C order": lambda y: y,
    "in Fortran order": np.transpose,
    "leading axes swapped": lambda y: np.swapaxes(y, 0, 1) if y.ndim > 1 else y,
    "last axes swapped": lambda y: np.swapaxes(y, -1, -2) if y.ndim > 1 else y,
    "every second element": lambda y: np.stack([y, np.zeros(y.shape, y.dtype)], axis=-1),
    "reversed": np.flip,
    "one row for all": lambda y: np.sum(y, axis=0 if y.ndim else None),
    "one column for all": lambda y: np.sum(y, axis=-1 if y.ndim else None),
}
