"""The one table of operations: a row for each way to call each function that has a derivative.

A row is a function, inputs to call it with, what PyTorch calls the same, and other ways to write it.
`test_operations` runs every row on arrays, on tensors and through PyTorch, and compares; a rule that
no row reaches fails there.

    rows(np.sum, "sum", [(2, 3)], [(4,)], also=["sum"], axis=0)

makes two rows: `np.sum(x, axis=0)` on arrays of two shapes, which is `torch.sum(x, axis=0)` in
PyTorch, and `x.sum(axis=0)` as a method.

`row` says what a row is; the other files have the rows, by what the functions do.
"""

from __future__ import annotations

from .decompositions import decompositions
from .elementwise import elementwise, kinks
from .five_axes import five_axes
from .functional import functional
from .indexing import indexing
from .linear_algebra import linear_algebra
from .newer_names import newer_names
from .reductions import reducing
from .row import Row
from .samples import samples
from .shaping import shaping
from .statistics import statistics

ROWS: list[Row] = [
    *elementwise(),
    *kinks(),
    *reducing(),
    *linear_algebra(),
    *decompositions(),
    *statistics(),
    *samples(),
    *newer_names(),
    *shaping(),
    *indexing(),
    *functional(),
    *five_axes(),
]
