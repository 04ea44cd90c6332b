"""The value of each PyTorch tensor, where several share one memory.

A PyTorch tensor is a region of a storage: an offset, sizes and strides. A view is another region of the
same storage, and a write to one changes what the others hold. Here values do not change: a storage has
the values of the regions that are right just now. After a write to a region, those that share numbers
with it are read from the whole, which is put together when one of them is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .rows.places import put


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

    def is_all_of(self, size: int) -> bool:
        """Tell whether these are all numbers of a storage of this size, in their order."""
        return (
            self.offset == 0
            and math.prod(self.shape) == size
            and self.strides in (_strides(self.shape), self.strides if size <= 1 else ())
        )


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([math.prod(shape[k + 1 :]) for k in range(len(shape))])


class TorchStorage:
    """The values of some regions of one of PyTorch's storages.

    Attributes:
        reference: a weak one to the storage.
        nbytes: the bytes that it has.
        values: the regions that are known.
        writes: the whole as it was, and the writes since, where no new whole has been put together.
        rough: how far rounding may have moved them.
        tracked: values with a gradient that were written over by others without one.
    """

    def __init__(self, reference: Any, nbytes: int):
        self.reference = reference
        self.nbytes = nbytes
        self.values: dict[Region, Any] = {}
        self.writes: list[tuple[Region, Any]] = []
        self.rough = 0.0
        self.tracked: dict[Region, Any] = {}

    def size(self, region: Region) -> int:
        return self.nbytes // region.dtype.itemsize

    def read(self, region: Region, outside: Callable[[Region], Any]) -> Any:
        """The value of a region, read from the whole if it is not known; `outside` makes a leaf."""
        if region not in self.values:
            if not self.values:
                self.values[region] = outside(region)
            else:
                at = region.numbers()
                whole = self.whole(region, outside)
                first = int(at.flat[0]) if at.size else 0
                if region.strides == _strides(region.shape):  # a run
                    run = whole if at.size == whole.size else whole[first : first + at.size]
                    self.values[region] = np.reshape(run, region.shape)
                else:
                    self.values[region] = whole[at]
        return self.values[region]

    def whole(self, region: Region, outside: Callable[[Region], Any]) -> Any:
        """All numbers of the storage, (N,), of the dtype of a region."""
        size = self.size(region)
        everything = Region(0, (size,), (1,), region.dtype)
        if everything not in self.values:
            parts = {r: v for r, v in self.values.items() if r.dtype == region.dtype}
            base = next((r for r in parts if r.is_all_of(size)), None)
            if self.writes:
                (_, whole), *writes = self.writes
            elif base is not None:
                whole, writes = parts[base], []
            else:
                whole, writes = outside(everything), [*parts.items()]
            whole = np.reshape(whole, (size,))
            for known, value in writes:
                whole = put(whole, known.numbers(), value)
            self.values[everything], self.writes = whole, []
        return self.values[everything]

    def learn(self, region: Region, value: Any) -> None:
        """Take the value of a region, unless it is known: a detached one has no gradient to offer."""
        known = self.values.get(region)
        if known is None or (value.requires_grad and not known.requires_grad):
            self.values[region] = value

    def forget(self) -> None:
        """Forget all values, as they changed unseen."""
        self.values, self.writes = {}, []

    def write(self, region: Region, value: Any, outside: Callable[[Region], Any]) -> None:
        """Take a new value of a region; the regions that share numbers with it follow from it."""
        size = self.size(region)
        self.tracked |= {r: v for r, v in self.values.items() if v.requires_grad}
        if region.is_all_of(size) or not self.values:
            self.forget()
            self.values[region] = value
            return
        if not self.writes:
            known = self.values.items()
            wholes = [(r, v) for r, v in known if r.dtype == region.dtype and r.is_all_of(size)]
            self.writes = wholes[:1] or [(region, self.whole(region, outside))]
        self.writes.append((region, value))
        written = np.zeros(size, bool)
        written[region.numbers()] = True
        apart = lambda r: r.dtype == region.dtype and not written[r.numbers()].any()
        self.values = {r: v for r, v in self.values.items() if apart(r)} | {region: value}
        if not value.requires_grad:  # gradients may be off just now
            self.whole(region, outside)
