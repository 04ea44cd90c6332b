"""The value of each PyTorch tensor, where several share one memory.

A PyTorch tensor is a region of a storage: an offset, sizes and strides. A view is another region of the
same storage, and a write to one region changes the numbers of other regions. Our values never change: a
storage keeps the values that are right now, and forgets the others. After a write to a region, each
region that shares numbers with it is read from the whole, which is put together when it is needed:

    x = torch.zeros(2, 3)       the region of x is all six numbers: its value is the whole
    row = x[1]                  its region is the last three: read as whole[1]
    row += 1                    row has a new value, and that of x, which shares numbers with it, is gone
    x.sum()                     the value of x: the whole as it was, with the new row put into it
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..arrays.strides import contiguous
from ..engine.node import Node
from ..engine.source import SourceLine, source_line
from ..ran.recording import flat
from .rows.writes import put


class Region(NamedTuple):
    """Numbers of one dtype in a storage; offset and strides count numbers."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: Any

    def numbers(self) -> np.ndarray:
        """The places of the numbers in the storage, in the shape of the tensor."""
        at = np.full(self.shape, self.offset)
        for axis, (n, stride) in enumerate(zip(self.shape, self.strides)):
            at += (np.arange(n) * stride).reshape((-1,) + (1,) * (len(self.shape) - axis - 1))
        return at

    def index_in(self, shape: tuple[int, ...]) -> tuple | None:
        """Return the index of the region in an array of `shape` that has the numbers of the storage.

        It is made of integers and slices; None if no such index exists. Each axis of the array takes its
        part of the offset. An axis of the region lies along the first axis of the array whose stride
        divides its own stride.
        """
        if 0 in shape:
            return None
        index: list[int | slice] = []
        axes, left = [*zip(self.shape, self.strides)], self.offset
        for n, stride in zip(shape, contiguous(shape)):
            begin, left = divmod(left, stride)
            size, own = axes[0] if axes else (0, 1)
            end = begin + (size - 1) * (own // stride) + 1
            if size and own >= stride and own % stride == 0 and end <= n:
                whole = (begin, end, own) == (0, n, stride)
                index.append(slice(None) if whole else slice(begin, end, own // stride))
                del axes[0]
            else:
                index.append(begin)
        while index and index[-1] == slice(None):
            del index[-1]
        return None if axes or left else tuple(index)

    def is_all_of(self, size: int) -> bool:
        """Tell whether the region is a whole storage of this size, in order."""
        is_in_order = size <= 1 or self.strides == contiguous(self.shape)
        return self.offset == 0 and math.prod(self.shape) == size and is_in_order


def _part(whole: Any, region: Region) -> Any:
    """The numbers of a region; `whole` has all numbers of the storage in order."""
    index, n = region.index_in(whole.shape), math.prod(region.shape)
    if index is not None:
        return whole[index] if index else whole
    if region.strides != contiguous(region.shape):
        return np.reshape(whole, (-1,))[region.numbers()]
    run = whole if n == whole.size else np.reshape(whole, (-1,))[region.offset : region.offset + n]
    return np.reshape(run, region.shape)


def _asked_at(line: SourceLine | None, node: Node, known: set[Node]) -> None:
    """Note the line that asked for an operation and for the operations before it, up to known nodes."""
    if line is not None and node not in known and node.operation is not None:
        node.note.line = line
        for source in flat(node.note.sources):
            if isinstance(source, Node):
                _asked_at(line, source, known)


class Write(NamedTuple):
    """A new value of a region, and the line that wrote it, if known."""

    region: Region
    value: Any
    line: SourceLine | None


class TorchStorage:
    """The values of some regions of one of PyTorch's storages.

    Attributes:
        reference: a weak reference to the storage.
        nbytes: its size in bytes.
        values: the value of each region that is known.
        before: the whole as it was before `writes`; None without writes.
        writes: the writes since a whole was last put together.
        rough: how far rounding may have moved the numbers from PyTorch's.
        tracked: values with a gradient that a value without one has replaced.
    """

    def __init__(self, reference: Any, nbytes: int):
        self.reference = reference
        self.nbytes = nbytes
        self.values: dict[Region, Any] = {}
        self.before: Any = None
        self.writes: list[Write] = []
        self.rough = 0.0
        self.tracked: dict[Region, Any] = {}

    def size(self, region: Region) -> int:
        """The size of the storage, in numbers of the dtype of a region."""
        return self.nbytes // region.dtype.itemsize

    def read(self, region: Region, outside: Callable[[Region], Any]) -> Any:
        """The value of a region, read from the whole if it is not known.

        `outside` makes a leaf of a region, if no value of the storage is known.
        """
        if not self.values:
            self.values[region] = outside(region)
        if region not in self.values:
            whole = self.whole(region, outside)
            if region not in self.values:
                self.values[region] = _part(whole, region)
        return self.values[region]

    def whole(self, region: Region, outside: Callable[[Region], Any]) -> Any:
        """All numbers of the storage in order, in any shape, with the dtype of a region."""
        known = None if self.writes else self._known_whole(region)
        if known is not None:
            return known
        if self.writes:
            whole, writes = self.before, self.writes
        else:
            parts = [(r, v) for r, v in self.values.items() if r.dtype == region.dtype]
            everything = Region(0, (self.size(region),), (1,), region.dtype)
            whole, writes = outside(everything), [Write(r, v, None) for r, v in parts]
        for written, value, line in writes:
            index = written.index_in(whole.shape)
            if index is None:
                whole, index = np.reshape(whole, (self.size(region),)), (written.numbers(),)
            before, whole = whole, put(whole, index, value)
            _asked_at(line, whole.node, {before.node, value.node})
        self.before, self.writes = None, []
        shape = whole.shape
        self.values[Region(0, shape, contiguous(shape), region.dtype)] = whole
        return whole

    def _known_whole(self, region: Region) -> Any:
        """The value of a known region that is the whole storage, with the dtype of a region; or None."""
        size, known = self.size(region), self.values.items()
        wholes = (v for r, v in known if r.dtype == region.dtype and r.is_all_of(size))
        return next(wholes, None)

    def learn(self, region: Region, value: Any) -> None:
        """Take the value of a region, unless one is known that has as much of a gradient."""
        known = self.values.get(region)
        if known is None or (value.requires_grad and not known.requires_grad):
            self.values[region] = value

    def forget(self) -> None:
        """Forget all values: the numbers have changed."""
        self.values, self.before, self.writes = {}, None, []

    def write(self, region: Region, value: Any, outside: Callable[[Region], Any]) -> None:
        """Take a new value of a region; forget the values of regions that share numbers with it."""
        size = self.size(region)
        self.tracked |= {r: v for r, v in self.values.items() if v.requires_grad}
        if region.is_all_of(size) or not self.values:
            self.forget()
            self.values[region] = value
            return
        if not self.writes:
            self.before = self.whole(region, outside)
        self.writes.append(Write(region, value, source_line()))
        written = np.zeros(size, bool)
        written[region.numbers()] = True
        apart = lambda r: r.dtype == region.dtype and not written[r.numbers()].any()
        self.values = {r: v for r, v in self.values.items() if apart(r)} | {region: value}
        if not value.requires_grad:  # gradients may be off just now
            self.whole(region, outside)
