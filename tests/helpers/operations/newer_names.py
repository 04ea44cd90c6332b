"""Rows: NumPy's newer names, where this NumPy has them."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from .in_pytorch import tf, torch
from .inputs import T
from .row import Row, rows

# fmt: off

NEWER: list[tuple[str, Any, list, dict[str, Any]]] = [  # some came after NumPy 2.0
    ("linalg.matmul", "matmul", [(2, 3), (3, 4)], {}),
    ("linalg.outer", "outer", [(2,), (3,)], {}),
    ("linalg.cross", "cross", [(3, 2), (3, 2)], {"axis": 0}),
    ("linalg.trace", lambda x: torch.diagonal(x, 1, -2, -1).sum(-1), [T], {"offset": 1}),
    ("linalg.diagonal", lambda x: torch.diagonal(x, -1, -2, -1), [T], {"offset": -1}),
    ("linalg.tensordot", operator.matmul, [(2, 3), (3, 4)], {"axes": 1}),
    ("linalg.vecdot", lambda x, y: torch.linalg.vecdot(x, y, dim=0), [(3, 2), (3, 2)], {"axis": 0}),
    ("linalg.vector_norm", "norm", [(2, 3)], {}),
    ("linalg.vector_norm", "norm", [T], {"axis": (0, 2), "ord": 3}),
    ("linalg.vector_norm", "norm", [(2, 3)], {"axis": 1, "keepdims": True, "ord": 1}),
    (
        "linalg.matrix_norm",
        lambda x: torch.linalg.matrix_norm(x, keepdim=True),
        [T],
        {"keepdims": True},
    ),
    ("unstack", lambda x: torch.unbind(x, 1), [(2, 3)], {"axis": 1}),
    ("cumulative_sum", lambda x: torch.cumsum(x, 0), [(3,)], {}),
    (
        "cumulative_sum",
        lambda x: tf.pad(torch.cumsum(x, 1), (1, 0)),
        [(2, 3)],
        {"axis": -1, "include_initial": True},
    ),
    (
        "cumulative_prod",
        lambda x: torch.cat([0 * x[:1] + 1, torch.cumprod(x, 0)]),
        [(2, 3)],
        {"axis": 0, "include_initial": True},
    ),
    ("matvec", operator.matmul, [(5, 2, 3), (3,)], {}),
    ("matvec", lambda x, y: y @ x.T, [(2, 3), (4, 3)], {}),
    ("vecmat", operator.matmul, [(2,), (5, 2, 3)], {}),
    ("vecmat", operator.matmul, [(4, 2), (2, 3)], {}),
]


def newer_names() -> Iterator[Row]:
    for name, theirs, shapes, form in NEWER:
        home, name = (np.linalg, name[7:]) if name.startswith("linalg.") else (np, name)
        if hasattr(home, name):
            yield from rows(getattr(home, name), theirs, shapes, **form)
