"""Rows: samples of a function, and what is computed of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .in_pytorch import torch
from .inputs import KINKED, MATRIX, PAIRS, SHAPES, VECTOR
from .row import Row, rows

# fmt: off

def convolved(x: Any, y: Any, padding: int) -> Any:
    long, short = (x, y) if len(x) >= len(y) else (y, x)
    return torch.conv1d(long[None, None], short.flip(0)[None, None], padding=padding)[0, 0]


def samples() -> Iterator[Row]:
    yield from rows(np.sinc, "sinc", *SHAPES)
    yield from rows(np.sinc, None, [[0.0, 1e-9, 0.3, 0.318, 0.319, 4.0]])
    for name in ("fmax", "fmin"):
        yield from rows(getattr(np, name), name, *PAIRS, domain=KINKED)
        one, other = [math.nan, 1.0, 2.0, math.nan], [1.0, math.nan, 3.0, math.nan]
        yield from rows(getattr(np, name), None, [one, other], smooth=False)
    points = [[0.7, -1.2, 2.3, 3.4, -0.6], [0.0, 1.0, 3.0], [1.0, -2.0, 5.0]]
    for form in ({}, {"left": -4.0}, {"right": 7.0, "left": 0.25}, {"period": 2.5}, {"period": -3.7}):
        yield from rows(np.interp, None, points, **form)
    yield from rows(np.interp, None, [(2, 3), (3,)], domain="not zero",
                    call=lambda x, y: np.interp(x, np.array([0.0, 0.4, 2.5]), y, y[0] * 2))
    yield from rows(np.interp, lambda x, y: y.expand(2, 2) + 0 * x, [[[0.0, 1.0], [2.0, 3.0]], (1,)],
                    call=lambda x, y: np.interp(x, np.array([1.0]), y))
    for n, m in ((5, 3), (2, 4), (4, 4), (3, 1), (1, 1)):
        for mode, padding in (("full", min(n, m) - 1), ("same", None), ("valid", 0)):
            theirs = lambda x, y, padding=padding: convolved(x, y, padding)
            yield from rows(np.convolve, None if padding is None else theirs, [(n,), (m,)], then=(mode,),
                            also=[np.convolve] if mode == "full" else [])
    yield from rows(np.block, lambda x, y, z: torch.cat([torch.cat([x, y], 1), torch.cat([y.T, z], 1)]),
                    [(2, 2), (2, 3), (3, 3)], call=lambda x, y, z: np.block([[x, y], [y.T, z]]))
    yield from rows(np.block, lambda x, y: torch.cat([x, y[None]]), [(2,), ()],
                    call=lambda x, y: np.block([x, y]))
    yield from rows(np.block, lambda x, y: torch.cat([x, y])[None], [(2,), (2,)],
                    call=lambda x, y: np.block([[x, y]]))
    yield from rows(np.block, lambda x: 1 * x, MATRIX)
    for mode, places in (("wrap", [2, 0, 1, 0]), ("clip", [2, 0, 2, 0])):
        yield from rows(np.take, lambda x, places=places: x[:, places], MATRIX, then=([5, 0, 4, -3], 1),
                        mode=mode,
                        call=lambda x, places, axis, mode: np.take(x, places, axis, mode=mode),
                        also=[lambda x, mode=mode: x.take([5, 0, 4, -3], 1, mode=mode)])
    yield from rows(np.full_like, lambda x: x[0].expand(2, 2) + 0, VECTOR,
                    call=lambda x: np.full_like(x, x[0], shape=(2, 2)))
    yield from rows(np.full_like, lambda x: 1 * x, [(2,)], call=lambda x: np.full_like(x, x, shape=2))
    for order in (0.5, -0.5, -1, -2.0):
        for form in ({"axis": 1}, {"axis": 0, "keepdims": True}):
            yield from rows(np.linalg.norm, "norm", MATRIX, ord=order, **form, domain="not zero")
        yield from rows(np.linalg.norm, "norm", [[0.0, 2.0, -1.0]], ord=order, smooth=False)
    for theirs, ours, *shapes in (  # operands and lists of axes in turn
        ("ij,jk->ik", lambda x, y: np.einsum(x, [0, 1], y, [1, 2], [0, 2]), (4, 2), (2, 3)),
        ("ij,jk", lambda x, y: np.einsum(x, [0, 1], y, [1, 30]), (4, 2), (2, 3)),
        ("...i,ij->j", lambda x, y: np.einsum(x, [..., 3], y, [3, ...], [...]), (2,), (2, 3)),
        ("ii,ij->", lambda x, y: np.einsum(x, [0, 0], y, [0, 2], []), (2, 2), (2, 3)),
    ):
        yield from rows(np.einsum, lambda *xs, s=theirs: torch.einsum(s, *xs), shapes, call=ours,
                        name=f"einsum by lists {theirs!r}")
