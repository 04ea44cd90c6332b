"""Products, and shapes: by these ATen's reshapes around a product fold back to what was written."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.tensor import tensor_of
from .elements import same, times
from .row_table import ROWS, row

# --- products ---------------------------------------------------------------------------------------


def _forms(x: Any) -> list:
    """`x`, and what it is a reshape of, nearest first.

    ATen's `matmul` reshapes its arguments to three axes, or two, and the product back. By this,
    `q @ k.mT` and `x @ w` are one product here too.
    """
    forms = [x]
    node = getattr(x, "_node", None)
    while node is not None and node.note is not None and node.operation is not None:
        if node.operation.function is not np.reshape:
            break
        (source, *_), (array, *_) = node.note.sources, node.note.args
        if source is None or source.requires_grad != node.requires_grad:
            break
        forms.append(tensor_of(array, source))
        node = source
    return forms


def reshaped(x: Any, size: Sequence[int]) -> Any:
    """Reshape; where that undoes an earlier reshape, give what stood before it."""
    sizes = list(size)
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.size // max(1, -math.prod(sizes))
    form = next((form for form in _forms(x) if form.shape == tuple(sizes)), None)
    return np.reshape(x, tuple(sizes)) if form is None else form


def _product(a: Any, b: Any) -> Any:
    """a @ b of two matrices, or two stacks of these, by their forms before ATen's reshapes."""
    pairs = [(rows, b) for rows in _forms(a)[1:] if rows.shape[-1:] == a.shape[-1:]]
    if a.ndim == 3:
        rows = [form for form in _forms(a)[1:] if form.shape[-2:] == a.shape[-2:]]
        columns = [form for form in _forms(b)[1:] if form.shape[-2:] == b.shape[-2:]]
        pairs = [(x, y) for x in rows for y in columns if x.shape[:-2] == y.shape[:-2]]
    pairs = [(x, y) for x, y in pairs if x.ndim > a.ndim]
    rows, columns = pairs[0] if pairs else (a, b)
    return reshaped(np.matmul(rows, columns), (*a.shape[:-1], b.shape[-1]))


def _plus(product: Any, other: Any, beta: float, alpha: float) -> Any:
    """beta other + alpha product."""
    forms = _forms(product)
    added = forms[1] if len(forms) > 1 and other.ndim <= 1 else product  # a bias, of the columns
    return reshaped(times(alpha, added) + times(beta, other), product.shape)


ROWS |= {
    "mm": lambda self, mat2: _product(self, mat2),
    "bmm": lambda self, mat2: _product(self, mat2),
    "mv": lambda self, vec: np.matmul(self, vec),
    "dot": lambda self, tensor: np.matmul(self, tensor),
    "vdot": lambda self, other: np.matmul(self, other),
    "addmm": lambda self, mat1, mat2, beta=1, alpha=1: _plus(
        _product(mat1, mat2), self, beta, alpha
    ),
    "baddbmm": lambda self, batch1, batch2, beta=1, alpha=1: _plus(
        _product(batch1, batch2), self, beta, alpha
    ),
    "addbmm": lambda self, batch1, batch2, beta=1, alpha=1: _plus(
        np.sum(np.matmul(batch1, batch2), axis=0), self, beta, alpha
    ),
    "addmv": lambda self, mat, vec, beta=1, alpha=1: (
        times(alpha, np.matmul(mat, vec)) + times(beta, self)
    ),
    "addr": lambda self, vec1, vec2, beta=1, alpha=1: (
        times(alpha, np.outer(vec1, vec2)) + times(beta, self)
    ),
}


# --- shapes: results that share PyTorch's memory, and others ----------------------------------------

ROWS |= {
    "alias": same, "clone": same, "contiguous": same, "detach": same, "lift_fresh": same,
    "lift_fresh_copy": same, "_to_copy": same, "view": reshaped, "_unsafe_view": reshaped,
    "reshape": reshaped, "_reshape_alias": lambda self, size, stride: reshaped(self, size),
    "copy": lambda self, src: np.broadcast_to(src, self.shape) if src.shape != self.shape else src,
    "as_strided": lambda self, size, stride, storage_offset=None: None,  # is read from the storage
    "unfold": lambda self, dimension, size, step: None,
    "t": lambda self: np.transpose(self) if self.ndim > 1 else self,
    "transpose": lambda self, dim0, dim1: np.swapaxes(self, dim0, dim1) if self.ndim else self,
    "permute": lambda self, dims: np.transpose(self, dims),
    "unsqueeze": lambda self, dim: np.expand_dims(self, dim),
    "select": lambda self, dim, index: self[along(dim, index, self.ndim)],
    "slice": lambda self, dim=0, start=None, end=None, step=1: self[
        along(dim, as_written(start, end, step), self.ndim)
    ] if (start or 0, step) != (0, 1) or (end or 0) < self.shape[dim] else self,
    "unbind": lambda self, dim=0: [
        self[along(dim, i, self.ndim)] for i in range(self.shape[dim])
    ],
    "diagonal": lambda self, offset=0, dim1=0, dim2=1: np.diagonal(self, offset, dim1, dim2),
    "cat": lambda tensors, dim=0: np.concatenate(
        [a for a in tensors if a.shape != (0,)] or tensors, dim
    ),
    "trace": lambda self: np.trace(self),
    "rot90": lambda self, k=1, dims=(0, 1): np.rot90(self, k, tuple(dims)),
    "pixel_shuffle": lambda self, upscale_factor: _shuffled(self, upscale_factor),
    "pixel_unshuffle": lambda self, downscale_factor: _unshuffled(self, downscale_factor),
    "channel_shuffle": lambda self, groups: np.reshape(
        np.swapaxes(np.reshape(self, (len(self), groups, -1, *self.shape[2:])), 1, 2), self.shape
    ),
    "native_channel_shuffle": lambda self, groups: ROWS["channel_shuffle"](self, groups),
    "stack": lambda tensors, dim=0: np.stack(tensors, dim),
    "flip": lambda self, dims: np.flip(self, tuple(dims)),
    "roll": lambda self, shifts, dims=(): np.roll(self, tuple(shifts), tuple(dims) or None)
    if dims else np.reshape(np.roll(np.reshape(self, (-1,)), shifts[0]), self.shape),
    "repeat": lambda self, repeats: np.tile(self, tuple(repeats)),
    "tril": lambda self, diagonal=0: np.tril(self, diagonal),
    "triu": lambda self, diagonal=0: np.triu(self, diagonal),
}  # fmt: skip


def _shuffled(x: Any, r: int) -> Any:
    """(..., C r r, H, W) as (..., C, H r, W r)."""
    *batch, C, H, W = x.shape
    n = len(batch)
    parts = np.reshape(x, (*batch, C // (r * r), r, r, H, W))
    turned = np.transpose(parts, (*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    return np.reshape(turned, (*batch, C // (r * r), H * r, W * r))


def _unshuffled(x: Any, r: int) -> Any:
    """(..., C, H r, W r) as (..., C r r, H, W)."""
    *batch, C, H, W = x.shape
    n = len(batch)
    parts = np.reshape(x, (*batch, C, H // r, r, W // r, r))
    turned = np.transpose(parts, (*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    return np.reshape(turned, (*batch, C * r * r, H // r, W // r))


@row("diag_embed")
def _diag_embed(self, offset=0, dim1=-2, dim2=-1):
    n = self.shape[-1] + abs(offset)
    at = np.eye(n, n, offset, dtype=self.dtype)[max(0, -offset) :][: self.shape[-1]]  # (len, n)
    before = np.eye(n, dtype=self.dtype)[max(0, -offset) : max(0, -offset) + self.shape[-1]]
    y = np.matmul(np.swapaxes(before, 0, 1), np.expand_dims(self, -1) * at)  # (..., n, n)
    return np.moveaxis(y, (-2, -1), (dim1, dim2))


def as_written(start: int | None, end: int | None, step: int) -> slice:
    """A slice without what a person leaves out: `1:` reaches ATen as `1:9223372036854775807:1`."""
    return slice(start or None, None if end == sys.maxsize else end, None if step == 1 else step)


def along(axis: int, index: Any, ndim: int) -> tuple:
    """The index that is `index` along one axis, and everything along the others."""
    return (slice(None),) * (axis % ndim) + (index,)


@row("expand")
def _expand(self, size, implicit=False):
    missing = len(size) - self.ndim
    shape = tuple([self.shape[i - missing] if n == -1 else n for i, n in enumerate(size)])
    return self if shape == self.shape else np.broadcast_to(self, shape)


@row("squeeze")
def _squeeze(self, dim=None):
    axes = range(self.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    axes = tuple([d for d in axes if self.ndim and self.shape[d] == 1])
    return np.squeeze(self, axes) if axes else self


@row("split", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes")
def _split(self, sizes, dim=0):
    n = self.shape[dim]
    ends = (
        np.cumsum(sizes).tolist()
        if not isinstance(sizes, int)
        else [min(n, k + sizes) for k in range(0, max(n, 1), sizes or 1)]
    )
    return [self[along(dim, slice(a, b), self.ndim)] for a, b in zip([0, *ends], ends)]


@row("constant_pad_nd")
def _pad(self, pad, value=0):
    return constant_padded(self, [*zip(pad[::2], pad[1::2])][::-1], value)


def constant_padded(x: Any, pairs: Sequence[tuple[int, int]], value: float = 0) -> Any:
    """`x` with numbers before and after its last axes; less than none are cut off."""
    pairs = [(0, 0)] * (x.ndim - len(pairs)) + [*pairs]
    kept = tuple([slice(max(0, -a), n - max(0, -b)) for (a, b), n in zip(pairs, x.shape)])
    cut = x[kept] if any(n < 0 for pair in pairs for n in pair) else x
    wider = [(max(0, a), max(0, b)) for a, b in pairs]
    return np.pad(cut, wider, constant_values=value) if any(map(any, wider)) else cut
