"""A tape read backwards: from one element of the result of a call to the elements that it is made of.

A call of a tape (see `tape_writing`) is of one of three kinds. It moves elements, so that each comes
from one other element. Or it adds many elements, or takes the greatest of them. Or it is a function of
one element of each array. A page reads its tape in the same way, in JavaScript (see `page/sources.js`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .tape import Tape

Index = tuple[int, ...]


class Element(NamedTuple):
    """An element of the array in a slot."""

    slot: int
    at: Index


class Terms(NamedTuple):
    """The terms that are added up, or of which one is taken: how many, and each as a product."""

    number: int
    products: Iterator[list[Element]]


class TapeReader:
    """Reads the calls of a tape backwards, one element at a time."""

    def __init__(self, tape: Tape):
        self.arrays = tape.arrays
        self.calls = {call.slot: call for call in tape.calls}

    def name(self, slot: int) -> str:
        """The name of the call that writes a slot; "" where none does."""
        return self.calls[slot].name if slot in self.calls else ""

    def number(self, element: Element) -> np.generic:
        """The number that an element is."""
        return self.arrays[element.slot][element.at]

    def operands(self, element: Element) -> list[Element]:
        """The element of each array that a function of single elements is given."""
        reads = self.calls[element.slot].reads
        return [Element(r, _narrowed(element.at, self.arrays[r].shape)) for r in reads]

    def moved(self, element: Element) -> Element | None:
        """The element that a call of `MOVES` puts there; None where it leaves 0.

        Moving the numbers of places, from 1 on, in place of the elements tells which.
        """
        name, _, reads, params = self.calls[element.slot]
        arrays = [self.arrays[r] for r in reads]
        moving = arrays[:1] if name == "take" else arrays
        ends = [*itertools.accumulate(a.size for a in moving)]
        places = [np.arange(end - a.size, end).reshape(a.shape) + 1 for a, end in zip(moving, ends)]
        shape = self.arrays[element.slot].shape
        place = MOVES[name](shape, [*places, *arrays[len(moving) :]], *params)[element.at] - 1
        for slot, a, end in zip(reads, moving, ends):
            if 0 <= place < end:
                return Element(slot, _unraveled(int(place) - end + a.size, a.shape))
        return None

    def terms(self, element: Element) -> Terms:
        """The terms of a call of `SUMS`."""
        name, _, reads, params = self.calls[element.slot]
        shape = self.arrays[element.slot].shape
        return SUMS[name](element.at, shape, reads, [self.arrays[r] for r in reads], *params)


# --- calls that move elements: from the shape of the result, and the arrays that are read ---------


def _view(shape: Index, arrays: list[np.ndarray], begin: int, strides: Index) -> np.ndarray:
    flat = np.ravel(arrays[0])[begin:]
    return as_strided(flat, shape, [step * flat.itemsize for step in strides])


def _unview(shape: Index, arrays: list[np.ndarray], begin: int, strides: Index) -> np.ndarray:
    result = np.zeros(shape, arrays[0].dtype)
    _view(arrays[0].shape, [result], begin, strides)[...] = arrays[0]
    return result


def _pick(shape: Index, arrays: list[np.ndarray], places: list[int]) -> np.ndarray:
    return np.append(*arrays)[places].reshape(shape)  # -1 is the border


def _join(shape: Index, arrays: list[np.ndarray], blocks: list[int]) -> np.ndarray:
    rows = [a.reshape(-1, n) for a, n in zip(arrays, blocks) if n]
    return np.concatenate(rows, axis=1).reshape(shape)


def _take(shape: Index, arrays: list[np.ndarray], axes: list[int], begin: int) -> np.ndarray:
    a, *indices = arrays
    index = dict(zip(axes, indices))  # `begin` is where NumPy puts the axes that these make
    return a[tuple([index.get(axis, slice(None)) for axis in range(a.ndim)])]


MOVES: dict[str, Callable[..., np.ndarray]] = {
    "same": lambda shape, arrays: arrays[0].reshape(shape),
    "view": _view,
    "unview": _unview,
    "pick": _pick,
    "join": _join,
    "take": _take,
}


# --- calls that add elements up, or take one of many: the terms of one element of the result -----


def _reduction_terms(
    at: Index, shape: Index, reads: list[int], arrays: list[np.ndarray], sizes: list[int]
) -> Terms:
    _, n, inner = sizes
    outer_place, inner_place = divmod(_raveled(at, shape), inner)
    first = outer_place * n * inner + inner_place
    places = range(first, first + n * inner, inner)
    return Terms(n, ([Element(reads[0], _unraveled(p, arrays[0].shape))] for p in places))


def _contraction_terms(
    at: Index,
    shape: Index,
    reads: list[int],
    arrays: list[np.ndarray],
    free: list[list[int]],
    summed: list[list[int]],
) -> Terms:
    """`free` and `summed` are loops: a size, and strides, as `tape_writing` writes them."""
    begins = [_along(at, [loop[i + 2] for loop in free]) for i in range(len(reads))]
    steps = [[loop[i + 1] for loop in summed] for i in range(len(reads))]
    sizes = [loop[0] for loop in summed]
    products = (
        [
            Element(slot, _unraveled(begin + _along(k, step), a.shape))
            for slot, a, begin, step in zip(reads, arrays, begins, steps)
        ]
        for k in itertools.product(*map(range, sizes))
    )
    return Terms(math.prod(sizes), products)


def _put_terms(
    at: Index, shape: Index, reads: list[int], arrays: list[np.ndarray], axes: list[int], begin: int
) -> Terms:
    values, *indices = arrays
    places = np.arange(math.prod(shape)).reshape(shape)
    to = _take(values.shape, [places, *indices], axes, begin)  # the place that each value comes to
    here = np.argwhere(to == _raveled(at, shape)).tolist()
    return Terms(len(here), ([Element(reads[0], tuple(k))] for k in here))


SUMS: dict[str, Callable[..., Terms]] = {
    **dict.fromkeys(("sum", "mean", "max", "min"), _reduction_terms),
    "contract": _contraction_terms,
    "put": _put_terms,
}


# --- indices --------------------------------------------------------------------------------------


def _raveled(index: Index, shape: Index) -> int:
    """The place of an index, one row after the other."""
    return int(np.ravel_multi_index(index, shape)) if shape else 0


def _unraveled(place: int, shape: Index) -> Index:
    """The index of a place."""
    return tuple([int(i) for i in np.unravel_index(place, shape)]) if shape else ()


def _narrowed(index: Index, shape: Index) -> Index:
    """The index of the element that broadcasting has copied there."""
    return tuple([i if n > 1 else 0 for i, n in zip(index[len(index) - len(shape) :], shape)])


def _along(index: Sequence[int], strides: list[int]) -> int:
    return sum(i * step for i, step in zip(index, strides))
