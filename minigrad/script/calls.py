"""The calls of a tape: NumPy's, written with the few functions of `page/interpreter.js`.

Shapes and dtypes never change, so they are found here, once: a call that only moves elements becomes
strides, a reduction three sizes, a product of arrays a nest of loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import table
from ..engine.errors import Options
from ..ran.data import Passed
from .interpreter import ELEMENTWISE, EXPANDED, FILLED, MOVING, REDUCING, name_in_page
from .symbols import REFUSALS, Number, Symbol, alias, body_of, plain, same

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


DTYPES = {"f4", "f8", "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"}
DEPTH = 3  # times that a function is traced inside itself
EXACT = 1 << 53  # a page has no larger integers


class Unwritten(Exception):  # noqa: N818
    """A call that the interpreter cannot run; the message says why."""


def _missing(function: Callable) -> Unwritten:
    return Unwritten(f"{table.name_of(function)} is not among the functions that a page can run")


class Tape:
    """A list of calls, and the slots that they read and write.

    Args:
        for_page: refuse arrays that a page cannot hold.

    Attributes:
        values: for each slot the array that it held when the graph was computed.
        data: the slots that are not computed.
        calls: (function, the slot to write, the slots to read, what else the function must know). One
            that writes a slot of `data` is not run: it says how what is fixed came about.
        value, gradient: the slots of nodes, by number.
        numbers: the slots of Python numbers among a node's arguments, by its number and their position.
        passed: for each edge, by its place in the graph: the slots of what goes along it; `given` only
            where that was summed.
        plain: the slot of a contribution as it reads with the Python numbers that there are, where that
            is another one, by the place of its edge.
        gates: the slots of booleans that say whether a node is on, by its number.
        fixed: why a slot cannot change with what it was computed from.
        pinned: why the array of a slot can have no other numbers.
        work: how many products of two numbers the calls sum.
    """

    def __init__(self, for_page: bool = True) -> None:
        self.for_page = for_page
        self.values: list[np.ndarray] = []
        self.data: dict[int, None] = {}
        self.calls: list[tuple[str, int, list[int], list[Any]]] = []
        self.value: dict[int, int] = {}
        self.gradient: dict[int, int] = {}
        self.numbers: dict[int, dict[int, int]] = {}
        self.passed: dict[int, Passed] = {}
        self.plain: dict[int, int] = {}
        self.gates: dict[int, int] = {}
        self.fixed: dict[int, str] = {}
        self.pinned: dict[int, str] = {}
        self.work = 0
        self._of: dict[int, tuple[Symbol, int]] = {}  # the slot of each symbol, which is kept alive
        self._open: list[Callable] = []  # the functions that are being traced, one in another
        self._known: dict[tuple, int] = {}  # the slots of equal calls and constants

    def packed(self) -> dict[str, Any]:
        """The slots and calls as JSON can hold them; functions and kinds of arrays are written once.

        A call is a list, as there are many: the number of its function's name, the slot that it
        writes, the slots that it reads, and further arguments. `interpreter.js` unpacks it.
        """
        kinds: dict[tuple[str, tuple[int, ...]], int] = {}
        names: dict[str, int] = {}
        slots = [
            kinds.setdefault((a.dtype.str[1:], a.shape), len(kinds))
            for a in map(np.asarray, self.values)
        ]
        calls = [
            [names.setdefault(name, len(names)), slot, reads, *params]
            for name, slot, reads, params in self.calls
        ]
        return {
            "kinds": [{"dtype": dtype, "shape": list(shape)} for dtype, shape in kinds],
            "slots": slots, "names": list(names), "calls": calls,
        }  # fmt: skip

    # Slots

    def slot(self, a: Symbol | ArrayLike) -> int:
        """The slot of a symbol or an array; what computes it is put on the tape first."""
        if not isinstance(a, Symbol):
            return self._constant(np.asarray(a))
        if id(a) not in self._of:
            self._of[id(a)] = (
                a,
                self._held(np.asarray(a.value)) if a.call is None else self._computed(a),
            )
        return self._of[id(a)][1]

    def hold(self, symbol: Symbol) -> int:
        """The slot of a symbol, whose array is as it is: what computes it is not put on the tape."""
        if id(symbol) not in self._of:
            self._of[id(symbol)] = symbol, self._held(np.asarray(symbol.value))
        return self._of[id(symbol)][1]

    def _new(self, array: np.ndarray) -> int:
        dtype = array.dtype.str[1:]
        if self.for_page and dtype not in DTYPES:
            raise Unwritten(f"a page does not compute with {array.dtype}")
        large = self.for_page and dtype in ("i8", "u8") and array.size
        if large and np.abs(array.astype(float)).max() > EXACT:
            raise Unwritten("a page has no integers beyond 2 ** 53")
        self.values.append(array)
        return len(self.values) - 1

    def _held(self, array: np.ndarray, fixed: str = "") -> int:
        slot = self._new(array)
        self.data[slot] = None
        if fixed:
            self.fixed[slot] = fixed
        return slot

    def _constant(self, array: np.ndarray) -> int:
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self._known:
            self._known[key] = self._held(array)
        return self._known[key]

    def _call(self, name: str, value: ArrayLike, reads: Sequence[int], *params: object) -> int:
        """The slot of a call's result."""
        array = np.asarray(value)
        if name == "same" and (array.dtype, array.shape) == _kind(self.values[reads[0]]):
            return reads[0]
        key = name, tuple(reads), repr(params), array.dtype.str, array.shape
        if key not in self._known:
            reasons = [self.fixed[s] for s in reads if s in self.fixed]
            slot = self._held(array, reasons[0]) if reasons else self._new(array)
            self._known[key] = slot
            self.calls.append((name, slot, list(reads), list(params)))
        return self._known[key]

    # Calls

    def _computed(self, symbol: Symbol) -> int:
        """The slot of what a symbol's call gives; a fixed one, where the call cannot be run."""
        try:
            assert symbol.call is not None
            function, args, options, _ = symbol.call
            return self._run(symbol.value, function, args, options)
        except Unwritten as reason:
            if not isinstance(symbol.value, (np.ndarray, np.generic)):
                raise
            return self._held(np.asarray(symbol.value), str(reason))

    def _run(self, value: ArrayLike, function: Callable, args: tuple, kwargs: Options) -> int:
        if function is alias:
            return self.slot(args[0])
        name = name_in_page(function)
        kwargs = {k: v for k, v in kwargs.items() if v is not None}
        if name in ELEMENTWISE:
            return self._elementwise(name, value, args)
        if name in FILLED:
            return self._constant(np.asarray(value))
        if name in EXPANDED:
            return self._expanded(EXPANDED[name], value, args, kwargs)
        if name in REDUCING and not kwargs.keys() - {"axis", "keepdims", "dtype", "kind"}:
            axis = (
                args[1] if len(args) > 1 else kwargs.get("axis", -1 if name == "argsort" else None)
            )
            return self._reduced(name, value, args[0], axis)
        if name in MOVING:
            return self._moved(value, function, args, kwargs)
        special: Any = {
            "getitem": self._taken, "scatter_add": self._put, "matmul": self._matmul,
            "vecdot": self._vecdot, "einsum": self._einsum, "concatenate": self._joined,
            "convolve": self._convolved, "searchsorted": self._searched,
        }.get(name)  # fmt: skip
        if special:
            return special(value, *args, **kwargs)
        definition = isinstance(table.TABLE.get(function), table.Definition)
        if table.name_of(function).startswith("np.") and not definition:
            raise _missing(function)
        return self._expanded(body_of(function), value, args, kwargs)

    def _expanded(self, function: Callable, value: ArrayLike, args: tuple, kwargs: Options) -> int:
        """The slot of what a function gives that is written in others, if it can be traced."""
        if self._open.count(function) == DEPTH:
            raise Unwritten(f"{function.__name__} is written with itself")
        try:
            found = function(*args, **kwargs)
        except REFUSALS:
            found = None
        if not isinstance(found, Symbol) or not same(np.asarray(found.value), np.asarray(value)):
            name = getattr(function, "__name__", "a function").replace("<lambda>", "a function")
            raise Unwritten(f"{name} cannot be followed: a page has no Python")
        self._open.append(function)
        try:
            return self.slot(found)
        finally:
            self._open.pop()

    def _elementwise(self, name: str, value: ArrayLike, args: tuple) -> int:
        numbers = args[1:] if name == "where" else args
        dtype = np.result_type(*[np.asarray(v) if np.ndim(v) else v for v in map(plain, numbers)])
        reads = []
        for i, a in enumerate(args):
            weak = isinstance(a, (Number, int, float)) and not isinstance(a, bool)
            if not weak or (name == "where" and not i):
                reads.append(self.slot(a))
            elif isinstance(a, Number):  # it takes the dtype of the arrays
                reads.append(self._call("same", np.asarray(a.value, dtype), [self.slot(a)]))
            else:
                reads.append(self._constant(np.asarray(a, dtype)))
        return self._call(name, value, reads)

    def _reduced(
        self, name: str, value: ArrayLike, a: Any, axis: int | Sequence[int] | None
    ) -> int:
        """A reduction as three sizes: of what is before its axes, of these, and of what is after."""
        name = {"amax": "max", "amin": "min"}.get(name, name)
        shape = np.shape(plain(a))
        axes = range(len(shape)) if axis is None else np.atleast_1d(axis).tolist()
        axes = sorted({int(i) % max(len(shape), 1) for i in axes if shape})
        if axes and axes != list(range(axes[0], axes[-1] + 1)):
            a = np.moveaxis(a, axes, range(len(shape) - len(axes), len(shape)))
            shape = a.shape
            axes = list(range(len(shape) - len(axes), len(shape)))
        first, end = (axes[0], axes[-1] + 1) if axes else (len(shape), len(shape))
        sizes = [math.prod(part) for part in (shape[:first], shape[first:end], shape[end:])]
        return self._call(name, value, [self.slot(a)], sizes)

    def _moved(self, value: ArrayLike, function: Callable, args: tuple, kwargs: Options) -> int:
        """A call that only moves elements, seen from where it moves the numbers of their places."""
        read, name = self.slot(args[0]), name_in_page(function)
        shape = self.values[read].shape
        if name in ("copy", "positive", "astype"):
            return self._call("same", value, [read])
        fill = 0
        if name == "pad":
            fill, kwargs = kwargs.get("constant_values", 0), {**kwargs, "constant_values": 0}
            if isinstance(fill, Symbol):
                raise Unwritten("the value of a border cannot change")
        places = np.arange(1, math.prod(shape) + 1).reshape(shape)
        return self._view(value, read, places, function(places, *args[1:], **kwargs), fill)

    def _view(
        self,
        value: ArrayLike,
        read: int,
        places: np.ndarray,
        moved: np.ndarray,
        fill: ArrayLike = 0,
    ) -> int:
        if not moved.size:
            return self._constant(np.asarray(value))
        where = _strides(places, moved)
        if where is None:
            border = self._constant(np.asarray(fill, np.asarray(value).dtype))
            return self._call("pick", value, [read, border], (moved.ravel() - 1).tolist())
        if where == (0, _contiguous(moved.shape)) and moved.size == places.size:
            return self._call("same", value, [read])
        return self._call("view", value, [read], *where)

    # Indices

    def _taken(self, value: ArrayLike, x: Any, index: object) -> int:
        if isinstance(plain(x), (tuple, list)):
            raise _missing(x.call.function)
        read, places = self.slot(x), np.arange(1, x.size + 1).reshape(x.shape)
        basic, arrays, axes, at = self._index(index, x.ndim)
        moved = places[basic]
        if not arrays:
            return self._view(value, read, places, moved)
        read = self._view(plain(x)[basic], read, places, moved)
        return self._call("take", value, [read, *arrays], axes, at)

    def _put(self, value: np.ndarray, values: Any, index: object, shape: tuple[int, ...]) -> int:
        places = np.arange(1, math.prod(shape) + 1).reshape(shape)
        basic, arrays, axes, at = self._index(index, len(shape))
        moved = places[basic]
        read = self.slot(values)
        if arrays:
            read = self._call("put", value[basic], [read, *arrays], axes, at)
        where = _strides(places, moved)
        if not moved.size:
            return self._constant(np.asarray(value))
        assert where is not None
        if where == (0, _contiguous(moved.shape)) and moved.size == places.size:
            return self._call("same", value, [read])
        return self._call("unview", value, [read], *where)

    def _index(self, index: object, ndim: int) -> tuple[tuple, list[int], list[int], int]:
        """An index in two steps: slices alone; then arrays of integers, their axes, and where the
        axes that these make stand in the result."""
        items: list[Any] = []
        for item in index if isinstance(index, tuple) else (index,):
            item = np.asarray(item) if isinstance(item, (list, bool, np.bool_)) else item
            if getattr(item, "dtype", None) == np.dtype(bool):
                if not item.ndim or (isinstance(item, Symbol) and self.slot(item) not in self.data):
                    raise Unwritten(
                        "a mask picks as many elements as it has True, and may have more"
                    )
                if isinstance(item, Symbol):
                    self.pinned[self.slot(item)] = (
                        "it picks elements, and a page cannot change shapes"
                    )
                items += np.nonzero(plain(item))
            else:
                items.append(item)
        named = sum(i is not None and i is not Ellipsis for i in items)
        whole = [slice(None)] * (ndim - named)
        if any(i is Ellipsis for i in items):
            k = next(k for k, i in enumerate(items) if i is Ellipsis)
            items[k : k + 1] = whole
        else:
            items += whole
        chosen = [hasattr(i, "dtype") for i in items]
        if not any(chosen):
            return (*items, ...), [], [], 0  # a view, of one element too
        chosen = [c or isinstance(i, int) for c, i in zip(chosen, items)]
        basic = (*(slice(None) if c else i for c, i in zip(chosen, items)), ...)
        arrays = [self.slot(i) for c, i in zip(chosen, items) if c]
        axes = [k for k, c in enumerate(chosen) if c]
        apart = axes != list(range(axes[0], axes[-1] + 1))
        return basic, arrays, axes, 0 if apart else axes[0]

    # Products

    def _matmul(self, value: ArrayLike, a: Any, b: Any) -> int:
        batch = "abcdefgh"[: max(np.ndim(plain(a)), np.ndim(plain(b)), 2) - 2]
        left, right = np.ndim(plain(a)) > 1, np.ndim(plain(b)) > 1
        term_a = batch[len(batch) - np.ndim(plain(a)) + 2 :] * left + "n" * left + "k"
        term_b = batch[len(batch) - np.ndim(plain(b)) + 2 :] * right + "k" + "m" * right
        return self._contracted(value, [a, b], [term_a, term_b], batch + "n" * left + "m" * right)

    def _vecdot(self, value: ArrayLike, a: Any, b: Any) -> int:
        batch = "abcdefgh"[: np.ndim(value)]
        terms = [batch[len(batch) - np.ndim(plain(x)) + 1 :] + "k" for x in (a, b)]
        return self._contracted(value, [a, b], terms, batch)

    def _einsum(
        self, value: ArrayLike, subscripts: str, *operands: Any, optimize: object = False
    ) -> int:
        inputs, result = subscripts.split("->")
        terms, some = inputs.split(","), list(operands)
        while len(some) > 2:  # two at a time, from the left
            later = set(result).union(*terms[2:])
            term = "".join(dict.fromkeys(c for c in terms[0] + terms[1] if c in later))
            first = np.einsum(f"{terms[0]},{terms[1]}->{term}", *some[:2])
            some[:2], terms[:2] = [first], [term]
        return self._contracted(value, some, terms, result)

    def _contracted(
        self, value: ArrayLike, operands: list[Any], terms: list[str], result: str
    ) -> int:
        """A sum of products as loops: for each its size, and the strides of the result and operands."""
        sizes: dict[str, int] = {}
        for a, term in zip(operands, terms):
            for c, n in zip(term, a.shape):
                sizes[c] = max(n, sizes.get(c, 1)) if n else 0
        strides: list[dict[str, int]] = []
        for shape, term in zip([np.shape(value), *(a.shape for a in operands)], [result, *terms]):
            found: dict[str, int] = {}
            for c, n, step in zip(term, shape, _contiguous(shape)):
                found[c] = found.get(c, 0) + (step if n > 1 else 0)
            strides.append(found)
        free = [[sizes[c], *(s.get(c, 0) for s in strides)] for c in result]
        summed = [
            [n, *(s.get(c, 0) for s in strides[1:])] for c, n in sizes.items() if c not in result
        ]
        self.work += math.prod(sizes.values())
        return self._call("contract", value, [self.slot(a) for a in operands], free, summed)

    def _convolved(self, value: np.ndarray, a: Any, v: Any) -> int:
        """Each element of the result is a product of `v`, turned, with a piece of `a` between zeros."""
        reads = [self.slot(np.pad(a, v.size - 1)), self.slot(np.flip(v))]
        self.work += value.size * v.size
        return self._call("contract", value, reads, [[value.size, 1, 1, 0]], [[v.size, 1, 1]])

    def _searched(
        self, value: ArrayLike, a: Any, v: Any, side: str = "left", sorter: object = None
    ) -> int:
        if sorter is not None:
            raise _missing(np.searchsorted)
        return self._call("searchsorted", value, [self.slot(a), self.slot(v)], side == "right")

    def _joined(self, value: ArrayLike, arrays: Any, axis: int | None = 0) -> int:
        if isinstance(arrays, Symbol):
            arrays = [arrays[i] for i in range(arrays.shape[0])]
        reads = [self.slot(a) for a in arrays]
        shape = np.shape(value)
        place = 0 if axis is None else axis % len(shape)
        shapes = [self.values[s].shape for s in reads]
        blocks = [math.prod(s if axis is None else s[place:]) for s in shapes]
        return self._call("join", value, reads, blocks)


# --- shapes and strides ---------------------------------------------------------------------------


def _kind(array: np.ndarray) -> tuple[np.dtype, tuple[int, ...]]:
    return array.dtype, array.shape


def _contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of an array of `shape` whose rows lie one after the other."""
    return tuple([math.prod(shape[i + 1 :]) for i in range(len(shape))])


def _strides(places: np.ndarray, moved: np.ndarray) -> tuple[int, tuple[int, ...]] | None:
    """The place where a view of `places` begins, and its strides; None for what is no view."""
    if not np.may_share_memory(places, moved):
        return None
    address = lambda a: a.__array_interface__["data"][0]
    begin = (address(moved) - address(places)) // places.itemsize
    return begin, tuple([step // places.itemsize for step in moved.strides])
