"""Layouts: a product is written in the order in which it is read. Else a copy would reorder it.

    y = np.matmul(w, v)                                      (B, H, T, K)
    z = np.reshape(np.swapaxes(y, 1, 2), (B, T, H * K))      a copy: y lies in another order
    z = np.reshape(np.swapaxes(y, 1, 2), (B, T, H * K))      a view, if y lies as (B, T, H, K)

BLAS writes rows of a matrix with gaps between them as fast as rows without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..script.symbols import Line, Symbol
from .passes import by_rows, calls, shares, through


def laid_out(lines: Sequence[Line], ends: Sequence[Symbol]) -> tuple[list[Line], list[Symbol]]:
    """The same lines, with products laid out so that copies of them become views."""
    uses = Counter(id(part) for line in lines for part in line.parts)
    uses.update(map(id, ends))
    arrays = dict(filter(None, (_product_copied(line, uses) for line in lines)))

    def change(line: Line) -> None:
        line.value = arrays.get(id(line), line.value)

    return through(lines, ends, change)


def _product_copied(line: Line, uses: Counter[int]) -> tuple[int, np.ndarray] | None:
    """If a line copies a product in another order: the id of the product, and an array in that order.

    None if the line is no such copy, if another line needs the product, or if the numbers of a row would
    not lie side by side.
    """
    if not calls(line, np.reshape) or not by_rows(line.call):
        return None
    x = line.call.args[0]
    if shares(x.value, line.value):
        return None
    array = np.empty(x.value.shape, x.dtype)
    while calls(x, np.swapaxes) and uses[id(x)] == 1:
        x, *axes = x.call.args
        array = array.swapaxes(*axes)
    if not calls(x, np.matmul) or uses[id(x)] != 1 or array.ndim < 2:
        return None
    return (id(x), array) if array.strides[-1] == array.itemsize else None
