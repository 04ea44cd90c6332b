"""Writes, which give new arrays here: some numbers of an array, or all, in the place of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.rules import scatter_add, selects_each_once
from ...engine.table import rule
from ...engine.tensor import Tensor


def put(x: Any, index: tuple, values: Any) -> Any:
    """`x` with `values`, which are broadcast, at an index of NumPy's; of two at one place the last."""
    index = tuple(map(plain_index, index))
    places = np.arange(x.size).reshape(x.shape)[index]
    if not places.size:
        return x
    there = np.zeros(x.shape, bool)
    there[index] = True
    if not np.ndim(values):
        return np.where(there, values, x)
    if np.shape(values) != places.shape:
        values = np.broadcast_to(values, places.shape)
    if selects_each_once(index):
        return np.where(there, scatter_add(values, index, x.shape), x)
    source = np.full(x.shape, -1)
    source[index] = np.arange(places.size).reshape(places.shape)
    return np.where(there, np.reshape(values, (-1,))[np.maximum(source, 0)], x)


def _written_over(old: Any, new: Any) -> Any:
    """`new`, in the place of `old`, which gets no gradient of it."""
    return np.array(new)


def _written_unseen(old: Any, new: Any) -> Any:
    """`new`, in the place of `old`, which gets its gradient."""
    return np.array(new)


written_over = rule(_written_over, lambda g, _y, _old, _new: np.zeros_like(g), None)
written_unseen = rule(_written_unseen, lambda g, _y, _old, _new: g, None)


def plain_index(index: Any) -> Any:
    """An index without Tensors, or a part of one."""
    return np.asarray(index) if isinstance(index, Tensor) else index
