"""Rows: arrays of five axes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad import functional as F

from .inputs import PLACES, C
from .row import Row, rows

# fmt: off

FIVE, SIX = (2, 1, 2, 1, 3), (2, 1, 2, 3, 1)
OF_FIVE_AXES: dict[Callable, dict[str, Any]] = {
    np.sum: {"axis": (1, -1)}, np.mean: {"axis": (0, 2), "keepdims": True}, np.var: {"axis": (0, 4)},
    np.std: {"axis": -1}, np.prod: {"axis": (0, 4)}, np.cumsum: {"axis": 4}, np.cumprod: {"axis": -1},
    np.diff: {"axis": 2}, np.average: {"axis": (2, 4)}, np.trapezoid: {"axis": 0},
    np.linalg.norm: {"axis": -1}, np.ravel: {}, np.reshape: {"then": ((3, 2, 2),)},
    np.transpose: {"axes": (4, 2, 0, 1, 3)}, np.swapaxes: {"then": (0, 4)},
    np.moveaxis: {"then": ((0, 4), (4, 1))}, np.rollaxis: {"then": (4, 1)}, np.flip: {"axis": (0, 4)},
    np.roll: {"shift": (1, 2), "axis": (0, 4)}, np.rot90: {"axes": (2, 4)},
    np.squeeze: {"axis": (1, 3)}, np.expand_dims: {"axis": (0, 3)},
    np.broadcast_to: {"shape": (2, 4, 2, 2, 3)}, np.tril: {}, np.triu: {},
    np.diagonal: {"axis1": 2, "axis2": 4}, np.trace: {"axis1": 0, "axis2": 2},
    np.split: {"then": ([1],), "axis": 2}, np.tile: {"reps": (2, 1, 1, 2, 1)},
    np.repeat: {"repeats": 2, "axis": 3}, np.pad: {"pad_width": 1},
    np.take: {"then": (PLACES,), "axis": 2}, operator.getitem: {"then": ((0, ..., [0, 2]),)},
    F.softmax: {}, F.logsumexp: {"axis": (0, 4)}, F.standardize: {"axis": 4, "domain": "apart"},
    np.clip: {"then": (-0.05, 0.05), "domain": "between"}, np.max: {"axis": (0, 4), "domain": "apart"},
    np.min: {"axis": -1, "keepdims": True, "domain": "apart"}, np.sort: {"axis": 4, "domain": "apart"},
    np.ptp: {"axis": (2, 4), "domain": "apart"}, np.median: {"axis": 4, "domain": "apart"},
}


def five_axes() -> Iterator[Row]:
    """What takes arrays of any number of axes, with five."""
    for function, form in OF_FIVE_AXES.items():
        yield from rows(function, None, [FIVE], **form)
    yield from rows(np.concatenate, None, [FIVE], call=lambda x: np.concatenate([x, x * x], axis=3))
    yield from rows(np.stack, None, [FIVE], call=lambda x: np.stack([x, x * x], axis=-1))
    yield from rows(np.where, None, [FIVE], call=lambda x: np.where(C, x, 2 * x))
    yield from rows(np.matmul, None, [FIVE, SIX], call=operator.matmul)
    yield from rows(np.einsum, None, [FIVE, SIX], call=lambda x, y: np.einsum("...ij,...jk->...k", x, y))
    yield from rows(np.tensordot, None, [FIVE, SIX], then=(([4, 0], [3, 2]),))
    yield from rows(np.inner, None, [FIVE, (2, 3)])
    yield from rows(np.kron, None, [FIVE, (2, 2)])
    yield from rows(F.linear, None, [FIVE, (3, 2), (2,)])
    yield from rows(F.layer_norm, None, [FIVE, (3,), (3,)], then=(0.1,))
