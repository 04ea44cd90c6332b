"""Products of arrays, written on a tape: each is a sum of products, its axes named by letters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.strides import contiguous
from .symbols import plain

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .tape import Tape


def write_matmul(tape: Tape, value: ArrayLike, a: Any, b: Any) -> int:
    """Write `a @ b` as the einsum that it is, such as `ank,akm->anm`; a vector has no n or no m."""
    batch = "abcdefgh"[: max(np.ndim(plain(a)), np.ndim(plain(b)), 2) - 2]
    left, right = np.ndim(plain(a)) > 1, np.ndim(plain(b)) > 1
    term_a = batch[len(batch) - np.ndim(plain(a)) + 2 :] * left + "n" * left + "k"
    term_b = batch[len(batch) - np.ndim(plain(b)) + 2 :] * right + "k" + "m" * right
    return _write_contraction(
        tape, value, [a, b], [term_a, term_b], batch + "n" * left + "m" * right
    )


def write_vecdot(tape: Tape, value: ArrayLike, a: Any, b: Any) -> int:
    """Write `np.vecdot(a, b)` as the einsum that it is, such as `ak,ak->a`."""
    batch = "abcdefgh"[: np.ndim(value)]
    terms = [batch[len(batch) - np.ndim(plain(x)) + 1 :] + "k" for x in (a, b)]
    return _write_contraction(tape, value, [a, b], terms, batch)


def write_einsum(
    tape: Tape, value: ArrayLike, subscripts: str, *operands: Any, optimize: object = False
) -> int:
    """Write an einsum of two arrays at a time, from the left."""
    inputs, result = subscripts.split("->")
    terms, arrays = inputs.split(","), list(operands)
    while len(arrays) > 2:
        later = set(result).union(*terms[2:])
        term = "".join(dict.fromkeys(c for c in terms[0] + terms[1] if c in later))
        product = np.einsum(f"{terms[0]},{terms[1]}->{term}", *arrays[:2])
        arrays[:2], terms[:2] = [product], [term]
    return _write_contraction(tape, value, arrays, terms, result)


def _write_contraction(
    tape: Tape, value: ArrayLike, operands: list[Any], terms: list[str], result: str
) -> int:
    """Write a sum of products as loops: for each its size, and the strides of the result and operands.

    `terms` and `result` name the axes by letters, as `np.einsum` does.
    """
    sizes: dict[str, int] = {}
    for a, term in zip(operands, terms):
        for c, n in zip(term, a.shape):
            sizes[c] = max(n, sizes.get(c, 1)) if n else 0
    strides: list[dict[str, int]] = []
    for shape, term in zip([np.shape(value), *(a.shape for a in operands)], [result, *terms]):
        by_letter: dict[str, int] = {}
        for c, n, step in zip(term, shape, contiguous(shape)):
            by_letter[c] = by_letter.get(c, 0) + (step if n > 1 else 0)
        strides.append(by_letter)
    free = [[sizes[c], *(s.get(c, 0) for s in strides)] for c in result]
    summed = [[n, *(s.get(c, 0) for s in strides[1:])] for c, n in sizes.items() if c not in result]
    tape.work += math.prod(sizes.values())
    return tape.write("contract", value, [tape.slot(a) for a in operands], free, summed)


def write_convolution(tape: Tape, value: np.ndarray, a: Any, v: Any) -> int:
    """Write `np.convolve`: each element is a product of `v`, turned, with a piece of `a` and zeros."""
    reads = [tape.slot(np.pad(a, v.size - 1)), tape.slot(np.flip(v))]
    tape.work += value.size * v.size
    return tape.write("contract", value, reads, [[value.size, 1, 1, 0]], [[v.size, 1, 1]])
