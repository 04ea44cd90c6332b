"""Functions of NumPy's without a rule: they give plain arrays, outside the graph."""

from __future__ import annotations

import numpy as np

from ..engine.table import rule

# fmt: off
for plain in (
    np.signbit, np.logical_xor, np.left_shift, np.right_shift, np.gcd, np.lcm, np.isclose,
    np.allclose, np.array_equal, np.array_equiv, np.isposinf, np.isneginf, np.iscomplexobj,
    np.isrealobj, np.isin, np.nanargmax, np.nanargmin, np.lexsort, np.argpartition, np.argwhere,
    np.nonzero, np.flatnonzero, np.count_nonzero, np.searchsorted, np.digitize, np.shape, np.ndim,
    np.size, np.result_type, np.can_cast, np.common_type, np.min_scalar_type, np.empty_like,
    np.array_repr, np.array_str, np.array2string, np.may_share_memory, np.shares_memory,
    np.linalg.matrix_rank, np.tril_indices_from, np.triu_indices_from, np.diag_indices_from,
):
    rule(plain)
# fmt: on
