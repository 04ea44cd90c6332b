"""The rows of a table, and the sum of the gradients of each row."""

from __future__ import annotations

import numpy as np

from .. import functional as F
from ..definitions.axes import as_arrays
from ..engine.rules import scatter_add
from ..engine.table import AnyArray
from ..functional.lookup import check_ids
from .common import are_arrays, kernel, operation


@kernel(F.embedding)
def embedding(table: AnyArray, ids: AnyArray) -> AnyArray:
    """`functional.embedding`, by integers."""
    ids = np.asarray(*as_arrays(ids))
    if not are_arrays(table) or table.ndim == 0 or ids.dtype.kind not in "iu":
        return NotImplemented
    check_ids(ids, table.shape[0], "an id")
    return rows_named(table, ids)


def rows_named(table: AnyArray, ids: AnyArray) -> AnyArray:
    """The rows of `table` that `ids` names."""
    if type(ids) is np.ndarray:
        ids = ids.astype(np.intp, copy=False)  # NumPy 2.0 takes no uint64
    return np.take(table, ids, axis=0)


rows_named = operation(
    rows_named, lambda g, _y, _table, ids: rows_added(g, ids, _table.shape), None
)


def rows_added(values: AnyArray, ids: np.ndarray, shape: tuple[int, ...]) -> AnyArray:
    """Zeros of `shape` with each row of `values` added to the row that `ids` names."""
    if type(values) is not np.ndarray:
        return scatter_add(values, ids, shape)
    if values.size == 0:
        return np.zeros(shape, values.dtype)
    ids = ids.reshape(-1)
    N, n, width = shape[0], ids.size, values.size // ids.size
    values = values.reshape(n, width)
    if N <= 128 and width >= 16 and N * n <= 1 << 20 and values.dtype.char in "fd":
        # The product with a matrix that has a 1 where a row is named takes half the time.
        named = np.zeros((N, n), values.dtype)
        named[ids, np.arange(n)] = 1
        with np.errstate(invalid="ignore"):
            sums = named @ values
        if np.isfinite(sums).all():  # 0 times infinity would reach the other rows
            return sums.reshape(shape)
    # Element by element: `np.add.at` is several times as slow with whole rows.
    out = np.zeros(N * width, values.dtype)
    places = ids[:, None] * width + np.arange(width)
    np.add.at(out, places.reshape(-1), values.reshape(-1))
    return out.reshape(shape)
