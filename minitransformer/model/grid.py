"""Masks and weights as text: a row for each query, a column for each key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minigrad import errors
from minigrad.engine.kinds import checked


@checked
def grid(
    cells: np.ndarray,
    queries: Sequence[str] | None,
    keys: Sequence[str] | None,
    text: Callable[[float], str],
) -> str:
    """Lay out (..., T, S) as labelled rows and columns, one grid for each index of the other axes."""
    if cells.size and cells.size > cells.shape[-2] * cells.shape[-1]:
        return "\n\n".join(
            f"{list(i)}\n{grid(cells[i], queries, keys, text)}"
            for i in np.ndindex(cells.shape[:-2])
        )
    T, S = cells.shape[-2:]
    rows = [str(q) for q in (range(T) if queries is None else queries)]
    columns = [str(k) for k in (range(S) if keys is None else keys)]
    if (len(rows), len(columns)) != (T, S):
        raise errors.ShapeError(
            f"{len(rows)} queries and {len(columns)} keys do not fit {T} rows and {S} columns"
        )
    texts = [[text(cell) for cell in row] for row in np.reshape(cells, (T, S))]
    widths = [max(map(len, column)) for column in zip(columns, *texts)]
    left = max(map(len, rows), default=0)
    lines = [
        " ".join([label.rjust(left) + " ", *(t.rjust(w) for t, w in zip(row, widths))])
        for label, row in zip(["", *rows], [columns, *texts])
    ]
    return "\n".join(lines)
