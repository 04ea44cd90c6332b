"""Elements at chosen places: read, and written."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import functional as F
from ...engine.rules import scatter_add
from ...engine.tensor import Tensor
from .elements import times
from .row_table import ROWS, row
from .shapes import along
from .writes import plain_index, put

ROWS |= {
    "index_select": lambda self, dim, index: (
        self[along(dim, index, self.ndim)] if self.ndim else self
    ),
    "gather": lambda self, dim, index, sparse_grad=False: (
        np.take_along_axis(self, index, dim)
        if self.ndim and self.ndim == index.ndim and _covers(self, index, dim)
        else _gathered(self, dim, index)
    ),
    "index": lambda self, indices: self[tuple([slice(None) if i is None else i for i in indices])],
    "masked_select": lambda self, mask: np.broadcast_arrays(self, mask)[0][_whole(self, mask)],
}


def _covers(self, index, dim):
    """Tell whether both have the same sizes, except along `dim`."""
    return all(
        n == m for k, (n, m) in enumerate(zip(self.shape, index.shape)) if k != dim % self.ndim
    )


def _whole(self, mask):
    """A mask of the shape that both are broadcast to."""
    return np.broadcast_to(np.asarray(mask), np.broadcast_shapes(self.shape, mask.shape))


def _gathered(self, dim, index):
    if not self.ndim:
        return np.broadcast_to(self, index.shape)
    return self[_grid(index, dim)]


@row("embedding")
def _embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    if scale_grad_by_freq:
        raise NotImplementedError("scale_grad_by_freq=True")
    if padding_idx >= 0:  # this row does not learn
        still = np.equal(np.arange(weight.shape[0]), padding_idx)[:, None]
        weight = np.where(still, weight.detach(), weight)
    return F.embedding(weight, indices)


def _grid(index: Any, dim: int) -> tuple:
    """ATen's index along one axis, for `scatter` and the like, as NumPy's."""
    grid = list(np.indices(index.shape, sparse=True))
    grid[dim] = index
    return tuple(grid)


def _first(values: Any, shape: tuple[int, ...]) -> Any:
    """The part of `values` that `scatter` reads; of a number, as many."""
    if not hasattr(values, "shape"):
        return np.full(shape, values)
    return values[tuple(map(slice, shape))] if values.shape != shape else values


def _added(x: Any, index: tuple, values: Any) -> Any:
    values = values if isinstance(values, Tensor) else np.asarray(values, x.dtype)
    return x + scatter_add(values, tuple(map(plain_index, index)), x.shape)


@row("index_put", "_unsafe_index_put")
def _index_put(self, indices, values, accumulate=False):
    index = tuple([slice(None) if i is None else plain_index(i) for i in indices])
    if not accumulate:
        return put(self, index, values)
    shape = np.empty(self.shape, bool)[index].shape
    return _added(self, index, np.broadcast_to(values, shape))


@row("masked_scatter")
def _masked_scatter(self, mask, source):
    mask = _whole(self, mask)
    x = np.broadcast_to(self, mask.shape)
    places = np.cumsum(mask.ravel()).reshape(mask.shape) - 1
    return np.where(mask, np.reshape(source, (-1,))[np.maximum(places, 0)], x)


ROWS |= {
    "take": lambda self, index: np.reshape(self, (-1,))[index],
    "put": lambda self, index, source, accumulate=False: np.reshape(
        _index_put(np.reshape(self, (-1,)), [index], source, accumulate), self.shape
    ),
    "zero": lambda self: np.zeros_like(self),
    "fill": lambda self, value: np.broadcast_to(value, self.shape) if isinstance(value, Tensor)
    else np.full_like(self, value),
    "scatter": lambda self, dim, index, src: put(self, _grid(index, dim), _first(src, index.shape)),
    "scatter_add": lambda self, dim, index, src: _added(
        self, _grid(index, dim), _first(src, index.shape)
    ),
    "index_add": lambda self, dim, index, source, alpha=1: _added(
        self, along(dim, index, self.ndim), times(alpha, source)
    ),
    "index_copy": lambda self, dim, index, source: put(
        self, along(dim, index, self.ndim), source
    ),
    "index_fill": lambda self, dim, index, value: put(self, along(dim, index, self.ndim), value),
    "select_scatter": lambda self, src, dim, index: put(self, along(dim, index, self.ndim), src),
    "slice_scatter": lambda self, src, dim=0, start=None, end=None, step=1: put(
        self, along(dim, slice(start, end, step), self.ndim), src
    ),
}  # fmt: skip


@row("scatter_reduce")
def _scatter_reduce(self, dim, index, src, reduce, include_self=True):
    grid, src = _grid(index, dim), _first(src, index.shape)
    return _combined(self, grid, src, reduce, include_self)


@row("index_reduce")
def _index_reduce(self, dim, index, source, reduce, include_self=True):
    at = along(dim, np.asarray(index), self.ndim)
    return _combined(self, at, source, reduce, include_self)


EXTREMES = {"amax": (np.maximum, -np.inf), "amin": (np.minimum, np.inf)}


def _combined(x: Any, index: tuple, values: Any, reduce: str, keeps: bool) -> Any:
    """`x` with values taken in at an index: their sum, mean, or greatest or smallest."""
    index = tuple(map(plain_index, index))
    ones = np.ones(values.shape, x.dtype)
    zeros = np.zeros(x.shape, x.dtype)
    got = np.asarray(_added(zeros, index, ones))  # how many each place gets
    start = x if keeps else np.where(got > 0, zeros, x)
    if reduce in ("sum", "mean"):
        counts = np.maximum(got + keeps, 1) if reduce == "mean" else 1
        return np.where(got > 0, _added(start, index, values) / counts, x)
    if reduce not in EXTREMES:
        raise NotImplementedError(f"reduce={reduce!r}")
    extreme, least = EXTREMES[reduce]
    mine, theirs = np.asarray(x.detach()), np.asarray(values.detach())
    most = mine.copy() if keeps else np.where(got > 0, least, mine).astype(x.dtype)
    extreme.at(most, index, theirs)
    wins = theirs == most[index]  # all that reach it share
    stays = (mine == most) & (keeps | (got == 0))
    ties = np.asarray(_added(zeros, index, wins.astype(x.dtype))) + stays
    total = _added(np.where(stays, x, zeros), index, np.where(wins, values, 0.0))
    return total / np.maximum(ties, 1)


@row("_pack_padded_sequence")
def _packed(input, lengths, batch_first=False):
    x = np.swapaxes(input, 0, 1) if batch_first else input
    counts = [int((np.asarray(lengths) > t).sum()) for t in range(int(np.asarray(lengths).max()))]
    times = np.repeat(np.arange(len(counts)), counts)
    return [x[times, np.concatenate([np.arange(n) for n in counts])], None]


PADDED = {"reflection": "reflect", "replication": "edge"}


def _padded(mode: str) -> Any:
    def pad(self, padding):
        index: list[Any] = [...]
        n = len(padding) // 2
        for k, pair in enumerate([*zip(padding[::2], padding[1::2])][::-1]):
            at = np.arange(self.shape[k - n])
            cut = at[max(0, -pair[0]) : len(at) - max(0, -pair[1])]
            at = np.pad(cut, [max(0, p) for p in pair], mode)  # type: ignore[call-overload]
            index.append(at.reshape((-1,) + (1,) * (n - k - 1)))
        return self[tuple(index)]

    return pad


for _name, _mode in PADDED.items():
    row(*(f"{_name}_pad{n}d" for n in (1, 2, 3)))(_padded(_mode))
