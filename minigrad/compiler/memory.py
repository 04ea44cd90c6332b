"""Memory planned: for each line the array that its result is written to, for all runs of a program.

A result is needed from its line to its last use. Results that are not needed at the same time can share
a buffer. A call that works element by element can write over an operand that no later line uses. Views
of such arrays are made once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays.strides import address
from ..engine import rules
from ..script.bodies import body_of
from ..script.symbols import Line, Symbol, symbols_in
from .passes import by_rows, shares

COPIES = {  # calls that can fill a given array by copying
    np.where,
    np.reshape,
    np.copy,
    np.concatenate,
    *map(body_of, (rules.astype, rules.scatter_add)),
}


class Storage:
    """The memory of one or more results, each written over the one before.

    Attributes:
        like: an array of the shape, dtype and strides of the first.
        first, last: the numbers of the lines between which it is needed.
        buffer: the number of the buffer in which it lies. None for a result that leaves the program: its
            memory is new in each run.
    """

    __slots__ = ("buffer", "first", "last", "like")

    def __init__(self, like: np.ndarray, first: int):
        self.like = like
        self.first = self.last = first
        self.buffer: int | None = None


class MemoryPlan:
    """The plan of where the result of each line lies.

    Attributes:
        base: for a symbol that is a view, the symbol that it is a view of; by id.
        storage: the memory of each symbol that the program writes, and of its views; by id.
        copied: the ends that share their memory with something else: copies of them leave the program.
        buffers: the dtype and the number of elements of each buffer.
        last: the number of the last line that uses a symbol, by id.
    """

    def __init__(self, lines: Sequence[Line], ends: Sequence[Symbol]):
        self.lines = lines
        self.base: dict[int, Symbol] = {}
        self.storage: dict[int, Storage] = {}
        self.last: dict[int, int] = {}
        self.buffers: list[tuple[np.dtype, int]] = []
        self._find_views()
        self._find_uses(ends)
        for i, line in enumerate(lines):
            self._place(i, line)
        self.copied, self._leaving = self._leave(ends)
        self._share()

    def is_view(self, line: Symbol) -> bool:
        """Tell whether a line is in the memory of another symbol."""
        return id(line) in self.base

    def is_written(self, line: Line) -> bool:
        """Tell whether the result of a line is written into an array that is there before."""
        return id(line) in self.storage and id(line) not in self.base

    def is_static(self, symbol: Symbol) -> bool:
        """Tell whether a symbol is the same array in all runs."""
        storage = self.storage.get(id(symbol))
        return storage is not None and storage.buffer is not None

    def root(self, symbol: Symbol) -> Symbol:
        """Follow views from a symbol to the symbol that is no view."""
        while id(symbol) in self.base:
            symbol = self.base[id(symbol)]
        return symbol

    def _find_views(self) -> None:
        for line in self.lines:
            for part in line.parts:
                if shares(line.value, part.value):
                    self.base[id(line)] = part
                    break

    def _find_uses(self, ends: Sequence[Symbol]) -> None:
        for i, line in enumerate(self.lines):
            for part in line.parts:
                self.last[id(part)] = self.last[id(self.root(part))] = i
        for end in ends:
            self.last[id(end)] = self.last[id(self.root(end))] = len(self.lines)

    # Which results share memory by being written over each other

    def _place(self, i: int, line: Line) -> None:
        """Give line number `i` its storage, if it is written, or a view of what is written."""
        if id(line) in self.base:
            storage = self.storage.get(id(self.base[id(line)]))
        elif writes(line):
            storage = self._over(i, line) or Storage(line.value, i)
            storage.last = max(storage.last, self.last[id(line)])
        else:
            storage = None
        if storage is not None:
            self.storage[id(line)] = storage

    def _over(self, i: int, line: Line) -> Storage | None:
        """The memory of an operand that no later line uses, if the result can be written there."""
        parts = symbols_in(line.call.args)
        over = parts if works_by_elements(line.call.function) else []
        if line.call.function is np.where:  # the others are written over the last
            over = symbols_in(line.call.args[2:])
        for part in over:
            storage = self.storage.get(id(part))
            if storage is None or storage.last != i or not part.value.flags.writeable:
                continue  # what np.broadcast_to gives cannot be written to
            if not _alike(part.value, line.value):
                continue
            others = [p for p in parts if self.storage.get(id(p)) is storage and p is not part]
            if all(_same_place(p.value, part.value) for p in others):
                return storage
        return None

    # What leaves the program

    def _leave(self, ends: Sequence[Symbol]) -> tuple[set[int], set[int]]:
        """The ends that leave as copies, as they share memory, and the storages of all other ends.

        Both by their ids. These storages get new memory in each run.
        """
        copied: set[int] = set()
        leaving: set[int] = set()
        for end in ends:
            root = self.root(end)
            memory = self.storage.get(id(end), root)
            # With another end, or with an input.
            shared = id(memory) in leaving or not isinstance(root, Line)
            if shared or end.value.size != root.value.size:  # a part would keep the whole
                copied.add(id(end))
            leaving.add(id(memory))
        storages = (self.storage.get(id(end)) for end in ends if id(end) not in copied)
        return copied, {id(storage) for storage in storages if storage is not None}

    # Which buffers serve all

    def _share(self) -> None:
        """Give each storage a buffer: one that is free again, if there is one."""
        free: dict[np.dtype, list[int]] = {}
        ending: dict[int, list[Storage]] = {}
        settled = set(self._leaving)  # the storages that have a buffer, or need none
        for i, line in enumerate(self.lines):
            storage = self.storage.get(id(line))
            if storage is not None and id(storage) not in settled:
                settled.add(id(storage))
                of_dtype = free.setdefault(storage.like.dtype, [])
                storage.buffer = self._buffer(storage, of_dtype)
                ending.setdefault(storage.last, []).append(storage)
            for ended in ending.get(i, []):
                free[ended.like.dtype].append(ended.buffer)  # type: ignore[arg-type]

    def _buffer(self, storage: Storage, free: list[int]) -> int:
        """The smallest free buffer that is large enough, else the largest made larger, or a new one.

        Of several, the one that became free last: it is most likely still in the cache.
        """
        size, elements = storage.like.size, lambda b: self.buffers[b][1]
        fitting = [b for b in reversed(free) if elements(b) >= size]
        if fitting:
            number = min(fitting, key=elements)
        elif free:
            number = max(free, key=elements)
            self.buffers[number] = storage.like.dtype, size
        else:
            self.buffers.append((storage.like.dtype, size))
            return len(self.buffers) - 1
        free.remove(number)
        return number


def writes(line: Line) -> bool:
    """Tell whether the result of a line can be written into an array that is given."""
    function, value = line.call.function, line.value
    has_out = isinstance(function, np.ufunc) or _reduces(function) or function in COPIES
    if not has_out or not isinstance(value, (np.ndarray, np.generic)):
        return False
    if function is np.reshape and not by_rows(line.call):
        return False  # it goes through both in that order
    return value.size > 0 and order_of(np.asarray(value)) is not None


def works_by_elements(function: Any) -> bool:
    """Tell whether each element of a function's result is made of elements at the same place."""
    return isinstance(function, np.ufunc) and function.signature is None


def _reduces(function: Any) -> bool:
    of_ufunc = isinstance(getattr(function, "__self__", None), np.ufunc)
    return of_ufunc and function.__name__ in ("reduce", "reduceat")


def order_of(array: np.ndarray) -> tuple[int, ...] | None:
    """The axes of an array as they lie in memory, the widest first; None if there are gaps in it."""
    axes = [k for k in range(array.ndim) if array.shape[k] != 1]
    order = sorted(axes, key=lambda k: -array.strides[k])
    steps = [
        array.itemsize * math.prod([array.shape[k] for k in order[n + 1 :]])
        for n in range(len(order))
    ]
    if [array.strides[k] for k in order] != steps:
        return None
    narrow = [k for k in range(array.ndim) if array.shape[k] == 1]
    return tuple(range(array.ndim)) if order == sorted(order) else (*order, *narrow)


def _alike(a: Any, b: Any) -> bool:
    """Tell whether an array could be in the place of another one."""
    one, other = np.asarray(a), np.asarray(b)
    order = order_of(one)
    same = (one.shape, one.dtype, order) == (other.shape, other.dtype, order_of(other))
    return same and order is not None


def _same_place(a: np.ndarray, b: np.ndarray) -> bool:
    return _alike(a, b) and address(a) == address(b)
