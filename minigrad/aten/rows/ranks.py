"""Elements that are chosen by their size, and their places: among equal ones PyTorch's choice."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...engine.followed import bare
from .row_table import ROWS, row


def agreed(ours: Any, theirs: Any) -> Any:
    """Our places, which are others for other numbers, where PyTorch chose the same; else its own.

    Among equal numbers it may choose others.
    """
    return ours if np.array_equal(bare(ours), bare(theirs)) else theirs


def _at(self: Any, places: Any, dim: int, keepdim: bool) -> list:
    """The elements of each row at `places`, and these."""
    places = places if np.ndim(places) == self.ndim else np.expand_dims(places, dim)
    found = [np.take_along_axis(self, places, dim), places]
    return found if keepdim else [np.squeeze(a, dim) for a in found]


def _in_order(self: Any, dim: int, descending: bool) -> Any:
    places = np.argsort(self, axis=dim, kind="stable")
    return np.flip(places, dim) if descending else places


def _best(self, dim=-1, keepdim=False, *, theirs, places):
    ours = places(self, axis=dim)
    return _at(
        self, agreed(np.expand_dims(ours, dim) if keepdim else ours, theirs[1]), dim, keepdim
    )


@row("kthvalue")
def _kth(self, k, dim=-1, keepdim=False, *, theirs):
    ours = np.take(_in_order(self, dim, False), [k - 1], dim)
    return _at(self, agreed(ours if keepdim else np.squeeze(ours, dim), theirs[1]), dim, keepdim)


@row("median.dim")
def _median(self, dim=-1, keepdim=False, *, theirs):
    return _kth(self, (self.shape[dim] + 1) // 2, dim, keepdim, theirs=theirs)


@row("topk")
def _largest(self, k, dim=-1, largest=True, sorted=True, *, theirs):
    ours = np.take(_in_order(self, dim, largest), np.arange(k), dim)
    return _at(self, agreed(ours, theirs[1]), dim, True)


@row("sort")
def _sorted(self, dim=-1, descending=False, stable=None, *, theirs):
    return _at(self, agreed(_in_order(self, dim, descending), theirs[1]), dim, True)


@row("nanmedian.dim", "mode")
def _chosen(self, dim=-1, keepdim=False, *, theirs):
    return _at(self, theirs[1], dim, keepdim)


ROWS["max.dim"] = functools.partial(_best, places=np.argmax)
ROWS["min.dim"] = functools.partial(_best, places=np.argmin)
