"""Rows: what takes elements by an index."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from minigrad.engine import rules

from .in_pytorch import in_torch, torch
from .inputs import ALONG, COLUMNS, MASK, MATRIX, NONE, NUMBER, PLACES, C, T
from .row import Row, rows

# fmt: off

INDICES = [  # each of an array of shape (2, 3, 4)
    0,
    -1,
    (1, 2),
    (1, 2, -1),
    np.s_[:],
    np.s_[1:],
    np.s_[::2],
    np.s_[:, 1:3],
    (..., 0),
    (0, ..., 1),
    None,
    np.s_[:, None, 1],
    ...,
    (),
    np.s_[5:],
    np.int64(1),
    (..., None),
    np.s_[:, :, -2:],
    # arrays of places
    PLACES,
    [1, 0, 1],
    (PLACES, 0),
    np.s_[:, PLACES],
    (PLACES, PLACES),
    (..., PLACES),
    np.s_[PLACES, :, 0],
    PLACES[:0],
    (None, PLACES),
    np.s_[PLACES, 1:],
    np.s_[1:, PLACES],
    -PLACES,
    PLACES * 2 - 1,
    ([0], [1], [2]),
    # masks
    MASK,
    ~MASK,
    NONE,
    (MASK, 1),
    np.s_[MASK, ::2],
    np.s_[:, C],
    (0, C),
    [True, False],
    C[:2],
    np.s_[:, C, 1],
]


def indexing() -> Iterator[Row]:
    get, along = operator.getitem, np.take_along_axis
    for index in INDICES:
        yield from rows(get, ..., [T], then=(index,), name="index")
    for index in np.s_[::-1, :], np.s_[:, ::-2], np.s_[::-1, 2:0:-1]:
        yield from rows(get, None, [T], then=(index,))  # PyTorch has no negative steps
    for index in (), (..., None):
        yield from rows(get, ..., NUMBER, then=(index,))
    for index in (COLUMNS, PLACES), np.s_[:, COLUMNS], np.s_[PLACES, :, COLUMNS]:
        yield from rows(get, ..., [(3, 3, 4)], then=(index,))
    yield from rows(get, ..., [(3, 3)], then=((COLUMNS, PLACES),))
    yield from rows(get, None, [T], then=(np.s_[0, :, PLACES],))  # PyTorch puts the axis last
    yield from rows(get, ..., MATRIX, call=lambda x: x[x > 0])
    for index in (True, False):
        yield from rows(get, ..., [(2,)], then=(index,))
    for index in (np.array(1), np.array(True)):
        yield from rows(get, ..., MATRIX, then=(index,))
    yield from rows(rules.scatter_add, lambda x: x.new_zeros(3, 2).index_add(0, torch.tensor(PLACES), x),
                    [(4, 2)], then=(PLACES, (3, 2)))
    yield from rows(rules.scatter_add, None, [(1, 4)], then=((slice(0, 1), PLACES), (2, 3)))

    for places, axis in ((PLACES, 0), (PLACES, 1), (COLUMNS, -1), (1, 1), ([0, 0], 0), ((0, -1), 2)):
        where = (..., places) if axis in (-1, 2) else (slice(None),) * axis + (places,)
        theirs = lambda x, where=where: x[in_torch(where)]
        yield from rows(np.take, theirs, [T], then=(places,), axis=axis, also=["take"])
    yield from rows(np.take, lambda x: x[:, [1, 0, 1]], MATRIX, then=([True, False, True],), axis=1)
    yield from rows(np.take, "take", MATRIX, then=(ALONG,))
    yield from rows(np.take, lambda x: x.reshape(-1)[[0, 5, 5]], MATRIX, then=((0, 5, 5),))
    yield from rows(along, "take_along_dim", MATRIX, then=(ALONG, 1))
    for shape, places, axis in (((2, 3), ALONG, -1), ((3, 4), ALONG[:, :1], 0), ((1, 3), ALONG, 1)):
        theirs = lambda x, a=(places, axis): torch.take_along_dim(x, *in_torch(a))
        yield from rows(along, theirs, [shape], then=(places,), axis=axis)
    yield from rows(along, lambda x: x.reshape(-1)[PLACES], MATRIX, then=(PLACES,), axis=None)
