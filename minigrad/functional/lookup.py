"""Lookup by integers, which name the rows of a table, or classes."""

from __future__ import annotations

import numpy as np

from .. import errors
from ..definitions.axes import as_arrays
from ..engine.arguments import without_tensors
from ..engine.kinds import checked, hint_for_texts
from ..engine.modes import get_default_dtype
from ..engine.table import definition
from ..engine.tensor import A, Array
from ..settings import whole


@definition(plain=True)
def embedding(table: A, ids: Array) -> A:
    """The rows of `table` (N, D) named by integers `ids` (...): shape (..., D).

    Raises:
        DTypeError, ShapeError: if the ids are no integers, or not from 0 to N - 1.
    """
    (ids,) = as_arrays(ids)
    check_ids(ids, table.shape[0], "an id")
    return table[ids]


@checked
def one_hot(ids: Array, N: int) -> np.ndarray:
    """An array (..., N) of the default dtype: 1 where `ids` (...) says, 0 elsewhere.

    Raises:
        DTypeError, ShapeError: if the ids are no integers, or not from 0 to N - 1.
    """
    (ids,) = as_arrays(ids)
    check_ids(ids, whole("N", N), "a class")
    return np.equal(ids[..., None], np.arange(N)).astype(get_default_dtype())


def check_ids(ids: Array, N: int, noun: str) -> None:
    """Check that `ids` are integers from 0 to N - 1. The message calls one of them `noun`.

    Raises:
        DTypeError, ShapeError: if they are not.
    """
    if ids.dtype.kind not in "iu":
        hint = hint_for_texts("ids", ids, "int") or "; of whole numbers write ids.astype(int)"
        raise errors.DTypeError(f"{noun} is an integer from 0 to {N - 1}, not {ids.dtype}{hint}")
    ids = np.asarray(without_tensors(ids))
    if ids.size and not (ids.min() >= 0 and ids.max() < N):
        wrong = ids[(ids < 0) | (ids >= N)].ravel()[0]
        from_1 = (ids.min(), ids.max()) == (1, N)
        remedy = ": of numbers that begin at 1 write ids - 1" if from_1 else ""
        raise errors.ShapeError(f"{noun} is an integer from 0 to {N - 1}, not {wrong}{remedy}")
