"""A call of NumPy's on a tape: written with the few functions of `views/page/kernels.js`.

Shapes and dtypes never change, so they are found here, once: a call that only moves elements becomes
strides, a reduction three sizes, a product of arrays a nest of loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.strides import address, contiguous
from ..engine import table
from ..engine.errors import Options
from ..engine.names import name_of
from .page_functions import ELEMENTWISE, EXPANDED, FILLED, MOVING, REDUCING, name_in_page
from .symbols import REFUSALS, Number, Symbol, alias, body_of, plain, same

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .tape import Tape


DEPTH = 3  # times that a function is traced inside itself


class Unwritten(Exception):  # noqa: N818
    """A call that the interpreter cannot run; the message says why."""


def _missing(function: Callable) -> Unwritten:
    return Unwritten(f"{name_of(function)} is not among the functions that a page can run")


def slot_of_call(
    tape: Tape, value: ArrayLike, function: Callable, args: tuple, kwargs: Options
) -> int:
    """The slot of what a call gives, once the calls that it is made of are on the tape.

    Raises:
        Unwritten: if the interpreter cannot run it.
    """
    if function is alias:
        return tape.slot(args[0])
    name = name_in_page(function)
    kwargs = {k: v for k, v in kwargs.items() if v is not None}
    if name in ELEMENTWISE:
        return _elementwise(tape, name, value, args)
    if name in FILLED:
        return tape.constant(np.asarray(value))
    if name in EXPANDED:
        return _expanded(tape, EXPANDED[name], value, args, kwargs)
    if name in REDUCING and not kwargs.keys() - {"axis", "keepdims", "dtype", "kind"}:
        axis = args[1] if len(args) > 1 else kwargs.get("axis", -1 if name == "argsort" else None)
        return _reduced(tape, name, value, args[0], axis)
    if name in MOVING:
        return _moved(tape, value, function, args, kwargs)
    if name in SPECIAL:
        return SPECIAL[name](tape, value, *args, **kwargs)
    definition = isinstance(table.TABLE.get(function), table.Definition)
    if name_of(function).startswith("np.") and not definition:
        raise _missing(function)
    return _expanded(tape, body_of(function), value, args, kwargs)


def _expanded(
    tape: Tape, function: Callable, value: ArrayLike, args: tuple, kwargs: Options
) -> int:
    """The slot of what a function gives that is written in others, if it can be traced."""
    if tape.tracing.count(function) == DEPTH:
        raise Unwritten(f"{function.__name__} is written with itself")
    try:
        found = function(*args, **kwargs)
    except REFUSALS:
        found = None
    if not isinstance(found, Symbol) or not same(np.asarray(found.value), np.asarray(value)):
        name = getattr(function, "__name__", "a function").replace("<lambda>", "a function")
        raise Unwritten(f"{name} cannot be followed: a page has no Python")
    tape.tracing.append(function)
    try:
        return tape.slot(found)
    finally:
        tape.tracing.pop()


def _elementwise(tape: Tape, name: str, value: ArrayLike, args: tuple) -> int:
    numbers = args[1:] if name == "where" else args
    dtype = np.result_type(*[np.asarray(v) if np.ndim(v) else v for v in map(plain, numbers)])
    reads = []
    for i, a in enumerate(args):
        weak = isinstance(a, (Number, int, float)) and not isinstance(a, bool)
        if not weak or (name == "where" and not i):
            reads.append(tape.slot(a))
        elif isinstance(a, Number):  # it takes the dtype of the arrays
            reads.append(tape.call("same", np.asarray(a.value, dtype), [tape.slot(a)]))
        else:
            reads.append(tape.constant(np.asarray(a, dtype)))
    return tape.call(name, value, reads)


def _reduced(
    tape: Tape, name: str, value: ArrayLike, a: Any, axis: int | Sequence[int] | None
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
    return tape.call(name, value, [tape.slot(a)], sizes)


def _moved(tape: Tape, value: ArrayLike, function: Callable, args: tuple, kwargs: Options) -> int:
    """A call that only moves elements, seen from where it moves the numbers of their places."""
    read, name = tape.slot(args[0]), name_in_page(function)
    shape = tape.arrays[read].shape
    if name in ("copy", "positive", "astype"):
        return tape.call("same", value, [read])
    fill = 0
    if name == "pad":
        fill, kwargs = kwargs.get("constant_values", 0), {**kwargs, "constant_values": 0}
        if isinstance(fill, Symbol):
            raise Unwritten("the value of a border cannot change")
    places = np.arange(1, math.prod(shape) + 1).reshape(shape)
    return _view(tape, value, read, places, function(places, *args[1:], **kwargs), fill)


def _view(
    tape: Tape,
    value: ArrayLike,
    read: int,
    places: np.ndarray,
    moved: np.ndarray,
    fill: ArrayLike = 0,
) -> int:
    if not moved.size:
        return tape.constant(np.asarray(value))
    where = _strides(places, moved)
    if where is None:
        border = tape.constant(np.asarray(fill, np.asarray(value).dtype))
        return tape.call("pick", value, [read, border], (moved.ravel() - 1).tolist())
    if where == (0, contiguous(moved.shape)) and moved.size == places.size:
        return tape.call("same", value, [read])
    return tape.call("view", value, [read], *where)


# --- indices --------------------------------------------------------------------------------------


def _taken(tape: Tape, value: ArrayLike, x: Any, index: object) -> int:
    if isinstance(plain(x), (tuple, list)):
        raise _missing(x.call.function)
    read, places = tape.slot(x), np.arange(1, x.size + 1).reshape(x.shape)
    basic, arrays, axes, at = _index(tape, index, x.ndim)
    moved = places[basic]
    if not arrays:
        return _view(tape, value, read, places, moved)
    read = _view(tape, plain(x)[basic], read, places, moved)
    return tape.call("take", value, [read, *arrays], axes, at)


def _scattered(
    tape: Tape, value: np.ndarray, values: Any, index: object, shape: tuple[int, ...]
) -> int:
    places = np.arange(1, math.prod(shape) + 1).reshape(shape)
    basic, arrays, axes, at = _index(tape, index, len(shape))
    moved = places[basic]
    read = tape.slot(values)
    if arrays:
        read = tape.call("put", value[basic], [read, *arrays], axes, at)
    where = _strides(places, moved)
    if not moved.size:
        return tape.constant(np.asarray(value))
    assert where is not None
    if where == (0, contiguous(moved.shape)) and moved.size == places.size:
        return tape.call("same", value, [read])
    return tape.call("unview", value, [read], *where)


def _index(tape: Tape, index: object, ndim: int) -> tuple[tuple, list[int], list[int], int]:
    """An index in two steps: slices alone, then arrays of integers.

    Of the arrays it gives the slots, the axes, and where the axes that they make stand in the result.
    """
    items: list[Any] = []
    for item in index if isinstance(index, tuple) else (index,):
        item = np.asarray(item) if isinstance(item, (list, bool, np.bool_)) else item
        if getattr(item, "dtype", None) == np.dtype(bool):
            if not item.ndim or (isinstance(item, Symbol) and tape.slot(item) not in tape.data):
                raise Unwritten("a mask picks as many elements as it has True, and may have more")
            if isinstance(item, Symbol):
                tape.pinned[tape.slot(item)] = "it picks elements, and a page cannot change shapes"
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
    arrays = [tape.slot(i) for c, i in zip(chosen, items) if c]
    axes = [k for k, c in enumerate(chosen) if c]
    apart = axes != list(range(axes[0], axes[-1] + 1))
    return basic, arrays, axes, 0 if apart else axes[0]


# --- products -------------------------------------------------------------------------------------


def _matmul(tape: Tape, value: ArrayLike, a: Any, b: Any) -> int:
    batch = "abcdefgh"[: max(np.ndim(plain(a)), np.ndim(plain(b)), 2) - 2]
    left, right = np.ndim(plain(a)) > 1, np.ndim(plain(b)) > 1
    term_a = batch[len(batch) - np.ndim(plain(a)) + 2 :] * left + "n" * left + "k"
    term_b = batch[len(batch) - np.ndim(plain(b)) + 2 :] * right + "k" + "m" * right
    return _contracted(tape, value, [a, b], [term_a, term_b], batch + "n" * left + "m" * right)


def _vecdot(tape: Tape, value: ArrayLike, a: Any, b: Any) -> int:
    batch = "abcdefgh"[: np.ndim(value)]
    terms = [batch[len(batch) - np.ndim(plain(x)) + 1 :] + "k" for x in (a, b)]
    return _contracted(tape, value, [a, b], terms, batch)


def _einsum(
    tape: Tape, value: ArrayLike, subscripts: str, *operands: Any, optimize: object = False
) -> int:
    inputs, result = subscripts.split("->")
    terms, some = inputs.split(","), list(operands)
    while len(some) > 2:  # two at a time, from the left
        later = set(result).union(*terms[2:])
        term = "".join(dict.fromkeys(c for c in terms[0] + terms[1] if c in later))
        first = np.einsum(f"{terms[0]},{terms[1]}->{term}", *some[:2])
        some[:2], terms[:2] = [first], [term]
    return _contracted(tape, value, some, terms, result)


def _contracted(
    tape: Tape, value: ArrayLike, operands: list[Any], terms: list[str], result: str
) -> int:
    """A sum of products as loops: for each its size, and the strides of the result and operands."""
    sizes: dict[str, int] = {}
    for a, term in zip(operands, terms):
        for c, n in zip(term, a.shape):
            sizes[c] = max(n, sizes.get(c, 1)) if n else 0
    strides: list[dict[str, int]] = []
    for shape, term in zip([np.shape(value), *(a.shape for a in operands)], [result, *terms]):
        found: dict[str, int] = {}
        for c, n, step in zip(term, shape, contiguous(shape)):
            found[c] = found.get(c, 0) + (step if n > 1 else 0)
        strides.append(found)
    free = [[sizes[c], *(s.get(c, 0) for s in strides)] for c in result]
    summed = [[n, *(s.get(c, 0) for s in strides[1:])] for c, n in sizes.items() if c not in result]
    tape.work += math.prod(sizes.values())
    return tape.call("contract", value, [tape.slot(a) for a in operands], free, summed)


def _convolved(tape: Tape, value: np.ndarray, a: Any, v: Any) -> int:
    """Each element of the result is a product of `v`, turned, with a piece of `a` between zeros."""
    reads = [tape.slot(np.pad(a, v.size - 1)), tape.slot(np.flip(v))]
    tape.work += value.size * v.size
    return tape.call("contract", value, reads, [[value.size, 1, 1, 0]], [[v.size, 1, 1]])


def _searched(
    tape: Tape, value: ArrayLike, a: Any, v: Any, side: str = "left", sorter: object = None
) -> int:
    if sorter is not None:
        raise _missing(np.searchsorted)
    return tape.call("searchsorted", value, [tape.slot(a), tape.slot(v)], side == "right")


def _joined(tape: Tape, value: ArrayLike, arrays: Any, axis: int | None = 0) -> int:
    if isinstance(arrays, Symbol):
        arrays = [arrays[i] for i in range(arrays.shape[0])]
    reads = [tape.slot(a) for a in arrays]
    shape = np.shape(value)
    place = 0 if axis is None else axis % len(shape)
    shapes = [tape.arrays[s].shape for s in reads]
    blocks = [math.prod(s if axis is None else s[place:]) for s in shapes]
    return tape.call("join", value, reads, blocks)


SPECIAL: dict[str, Callable[..., int]] = {  # of one function each, by its name in a page
    "getitem": _taken, "scatter_add": _scattered, "matmul": _matmul, "vecdot": _vecdot,
    "einsum": _einsum, "concatenate": _joined, "convolve": _convolved, "searchsorted": _searched,
}  # fmt: skip


def _strides(places: np.ndarray, moved: np.ndarray) -> tuple[int, tuple[int, ...]] | None:
    """The place where a view of `places` begins, and its strides; None for what is no view."""
    if not np.may_share_memory(places, moved):
        return None
    begin = (address(moved) - address(places)) // places.itemsize
    return begin, tuple([step // places.itemsize for step in moved.strides])
