"""A call of NumPy's written on a tape, in the few functions of `views/page/kernels.js`.

Shapes and dtypes never change, so they are found here, once: a call that only moves elements becomes
strides, a reduction three sizes, a product of arrays a nest of loops. `tape_reading` reads these calls
backwards. The functions, and what each must know beside the slots that it reads:

    add, exp, where ...    of one element of each array, these broadcast: nothing
    sum, max, argsort ...  along axes: the sizes before these, of these, and after
    same                   the elements in another shape or dtype: nothing
    view, unview           elements by strides: where they begin, and the strides; `unview` puts them
                           back among zeros
    pick                   of an array and a border: the place of each element, -1 for the border
    take, put              by arrays of integers: the axes that these index, and where the axes that
                           they make stand in the result; `put` adds up what comes to one place
    join                   arrays side by side: how many elements of each make a row
    contract               a sum of products: for each axis of the result its size, and the strides of
                           the result and of the arrays; for each axis that is summed the same
    searchsorted           whether from the right
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
from .arrays import same
from .bodies import body_of
from .page_functions import ELEMENTWISE, EXPANDED, FILLED, MOVING, REDUCING, name_in_page
from .symbols import REFUSALS, Number, Symbol, alias, plain

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
        return _write_elementwise(tape, name, value, args)
    if name in FILLED:
        return tape.constant(np.asarray(value))
    if name in EXPANDED:
        return _write_expansion(tape, EXPANDED[name], value, args, kwargs)
    if name in REDUCING and not kwargs.keys() - {"axis", "keepdims", "dtype", "kind"}:
        axis = args[1] if len(args) > 1 else kwargs.get("axis", -1 if name == "argsort" else None)
        return _write_reduction(tape, name, value, args[0], axis)
    if name in MOVING:
        return _write_move(tape, value, function, args, kwargs)
    if name in SPECIAL:
        return SPECIAL[name](tape, value, *args, **kwargs)
    definition = isinstance(table.TABLE.get(function), table.Definition)
    if name_of(function).startswith("np.") and not definition:
        raise _missing(function)
    return _write_expansion(tape, body_of(function), value, args, kwargs)


def _write_expansion(
    tape: Tape, function: Callable, value: ArrayLike, args: tuple, kwargs: Options
) -> int:
    """Write a function by the calls that it makes on symbols, if it can be traced."""
    if tape.tracing.count(function) == DEPTH:
        raise Unwritten(f"{function.__name__} is written with itself")
    try:
        result = function(*args, **kwargs)
    except REFUSALS:
        result = None
    if not isinstance(result, Symbol) or not same(np.asarray(result.value), np.asarray(value)):
        name = getattr(function, "__name__", "a function").replace("<lambda>", "a function")
        raise Unwritten(f"{name} cannot be followed: a page has no Python")
    tape.tracing.append(function)
    try:
        return tape.slot(result)
    finally:
        tape.tracing.pop()


def _write_elementwise(tape: Tape, name: str, value: ArrayLike, args: tuple) -> int:
    """Write a function of single elements; Python's numbers become arrays of the others' dtype."""
    numbers = args[1:] if name == "where" else args
    dtype = np.result_type(*[np.asarray(v) if np.ndim(v) else v for v in map(plain, numbers)])
    reads = []
    for i, a in enumerate(args):
        weak = isinstance(a, (Number, int, float)) and not isinstance(a, bool)
        if not weak or (name == "where" and not i):
            reads.append(tape.slot(a))
        elif isinstance(a, Number):  # it takes the dtype of the arrays
            reads.append(tape.write("same", np.asarray(a.value, dtype), [tape.slot(a)]))
        else:
            reads.append(tape.constant(np.asarray(a, dtype)))
    return tape.write(name, value, reads)


def _write_reduction(
    tape: Tape, name: str, value: ArrayLike, a: Any, axis: int | Sequence[int] | None
) -> int:
    """Write a reduction as three sizes: of what is before its axes, of these, and of what is after."""
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
    return tape.write(name, value, [tape.slot(a)], sizes)


def _write_move(
    tape: Tape, value: ArrayLike, function: Callable, args: tuple, kwargs: Options
) -> int:
    """Write a call that only moves elements: where to is seen when the numbers of places are moved."""
    read, name = tape.slot(args[0]), name_in_page(function)
    shape = tape.arrays[read].shape
    if name in ("copy", "positive", "astype"):
        return tape.write("same", value, [read])
    fill = 0
    if name == "pad":
        fill, kwargs = kwargs.get("constant_values", 0), {**kwargs, "constant_values": 0}
        if isinstance(fill, Symbol):
            raise Unwritten("the value of a border cannot change")
    places = np.arange(1, math.prod(shape) + 1).reshape(shape)
    return _write_view(tape, value, read, places, function(places, *args[1:], **kwargs), fill)


def _write_view(
    tape: Tape,
    value: ArrayLike,
    read: int,
    places: np.ndarray,
    moved: np.ndarray,
    fill: ArrayLike = 0,
) -> int:
    """Write the array that has the elements of slot `read` where `moved` has their `places`.

    These count from 1; 0 is a border, of the number `fill`.
    """
    if not moved.size:
        return tape.constant(np.asarray(value))
    where = _as_strides(places, moved)
    if where is None:
        border = tape.constant(np.asarray(fill, np.asarray(value).dtype))
        return tape.write("pick", value, [read, border], (moved.ravel() - 1).tolist())
    if where == (0, contiguous(moved.shape)) and moved.size == places.size:
        return tape.write("same", value, [read])
    return tape.write("view", value, [read], *where)


def _as_strides(places: np.ndarray, moved: np.ndarray) -> tuple[int, tuple[int, ...]] | None:
    """The place where a view of `places` begins, and its strides; None for what is no view."""
    if not np.may_share_memory(places, moved):
        return None
    begin = (address(moved) - address(places)) // places.itemsize
    return begin, tuple([step // places.itemsize for step in moved.strides])


# --- indices --------------------------------------------------------------------------------------


def _write_index(tape: Tape, value: ArrayLike, x: Any, index: object) -> int:
    """Write `x[index]`."""
    if isinstance(plain(x), (tuple, list)):
        raise _missing(x.call.function)
    read, places = tape.slot(x), np.arange(1, x.size + 1).reshape(x.shape)
    basic, arrays, axes, at = _split_index(tape, index, x.ndim)
    moved = places[basic]
    if not arrays:
        return _write_view(tape, value, read, places, moved)
    read = _write_view(tape, plain(x)[basic], read, places, moved)
    return tape.write("take", value, [read, *arrays], axes, at)


def _write_scatter(
    tape: Tape, value: np.ndarray, values: Any, index: object, shape: tuple[int, ...]
) -> int:
    """Write zeros of a shape to which `values` are added at an index: the gradient of `x[index]`."""
    places = np.arange(1, math.prod(shape) + 1).reshape(shape)
    basic, arrays, axes, at = _split_index(tape, index, len(shape))
    moved = places[basic]
    read = tape.slot(values)
    if arrays:
        read = tape.write("put", value[basic], [read, *arrays], axes, at)
    where = _as_strides(places, moved)
    if not moved.size:
        return tape.constant(np.asarray(value))
    assert where is not None
    if where == (0, contiguous(moved.shape)) and moved.size == places.size:
        return tape.write("same", value, [read])
    return tape.write("unview", value, [read], *where)


def _split_index(tape: Tape, index: object, ndim: int) -> tuple[tuple, list[int], list[int], int]:
    """Split an index in two: slices and single numbers, and then arrays of integers.

    `x[1:, i, :, j]` is `x[1:, :, :, :]`, and of that `i` along axis 1 and `j` along axis 3.

    Returns:
        the first index; the slots of the arrays, the axes that they index, and where the axes that they
        make stand in the result.
    """
    items = _one_each(_without_masks(tape, index), ndim)
    by_array = [hasattr(i, "dtype") for i in items]
    if not any(by_array):
        return (*items, ...), [], [], 0  # a view, of one element too
    by_array = [is_array or isinstance(i, int) for is_array, i in zip(by_array, items)]
    basic = (*(slice(None) if is_array else i for is_array, i in zip(by_array, items)), ...)
    arrays = [tape.slot(i) for is_array, i in zip(by_array, items) if is_array]
    axes = [axis for axis, is_array in enumerate(by_array) if is_array]
    apart = axes != list(range(axes[0], axes[-1] + 1))
    return basic, arrays, axes, 0 if apart else axes[0]


def _without_masks(tape: Tape, index: object) -> list[Any]:
    """The items of an index, with arrays of integers in place of lists and masks."""
    items: list[Any] = []
    for item in index if isinstance(index, tuple) else (index,):
        item = np.asarray(item) if isinstance(item, (list, bool, np.bool_)) else item
        if getattr(item, "dtype", None) != np.dtype(bool):
            items.append(item)
            continue
        if not item.ndim or (isinstance(item, Symbol) and tape.slot(item) not in tape.held):
            raise Unwritten("a mask picks as many elements as it has True, and may have more")
        if isinstance(item, Symbol):
            tape.pinned[tape.slot(item)] = "it picks elements, and a page cannot change shapes"
        items += np.nonzero(plain(item))
    return items


def _one_each(items: list[Any], ndim: int) -> list[Any]:
    """The items of an index with a `:` for each axis that it leaves out, or that `...` stands for."""
    axes = sum(item is not None and item is not Ellipsis for item in items)
    left_out = [slice(None)] * (ndim - axes)
    for k, item in enumerate(items):
        if item is Ellipsis:
            return [*items[:k], *left_out, *items[k + 1 :]]
    return items + left_out


# --- products -------------------------------------------------------------------------------------


def _write_matmul(tape: Tape, value: ArrayLike, a: Any, b: Any) -> int:
    """Write `a @ b` as the einsum that it is, such as `ank,akm->anm`; a vector has no n or no m."""
    batch = "abcdefgh"[: max(np.ndim(plain(a)), np.ndim(plain(b)), 2) - 2]
    left, right = np.ndim(plain(a)) > 1, np.ndim(plain(b)) > 1
    term_a = batch[len(batch) - np.ndim(plain(a)) + 2 :] * left + "n" * left + "k"
    term_b = batch[len(batch) - np.ndim(plain(b)) + 2 :] * right + "k" + "m" * right
    return _write_contraction(
        tape, value, [a, b], [term_a, term_b], batch + "n" * left + "m" * right
    )


def _write_vecdot(tape: Tape, value: ArrayLike, a: Any, b: Any) -> int:
    """Write `np.vecdot(a, b)` as the einsum that it is, such as `ak,ak->a`."""
    batch = "abcdefgh"[: np.ndim(value)]
    terms = [batch[len(batch) - np.ndim(plain(x)) + 1 :] + "k" for x in (a, b)]
    return _write_contraction(tape, value, [a, b], terms, batch)


def _write_einsum(
    tape: Tape, value: ArrayLike, subscripts: str, *operands: Any, optimize: object = False
) -> int:
    """Write an einsum of two arrays at a time, from the left."""
    inputs, result = subscripts.split("->")
    terms, arrays = inputs.split(","), list(operands)
    while len(arrays) > 2:
        later = set(result).union(*terms[2:])
        term = "".join(dict.fromkeys(c for c in terms[0] + terms[1] if c in later))
        product = np.einsum(f"{terms[0]},{terms[1]}->{term}", *arrays[:2])
        arrays[:2], terms[:2] = [product], [term]
    return _write_contraction(tape, value, arrays, terms, result)


def _write_contraction(
    tape: Tape, value: ArrayLike, operands: list[Any], terms: list[str], result: str
) -> int:
    """Write a sum of products as loops: for each its size, and the strides of the result and operands.

    `terms` and `result` name the axes by letters, as `np.einsum` does.
    """
    sizes: dict[str, int] = {}
    for a, term in zip(operands, terms):
        for c, n in zip(term, a.shape):
            sizes[c] = max(n, sizes.get(c, 1)) if n else 0
    strides: list[dict[str, int]] = []
    for shape, term in zip([np.shape(value), *(a.shape for a in operands)], [result, *terms]):
        by_letter: dict[str, int] = {}
        for c, n, step in zip(term, shape, contiguous(shape)):
            by_letter[c] = by_letter.get(c, 0) + (step if n > 1 else 0)
        strides.append(by_letter)
    free = [[sizes[c], *(s.get(c, 0) for s in strides)] for c in result]
    summed = [[n, *(s.get(c, 0) for s in strides[1:])] for c, n in sizes.items() if c not in result]
    tape.work += math.prod(sizes.values())
    return tape.write("contract", value, [tape.slot(a) for a in operands], free, summed)


def _write_convolution(tape: Tape, value: np.ndarray, a: Any, v: Any) -> int:
    """Write `np.convolve`: each element is a product of `v`, turned, with a piece of `a` and zeros."""
    reads = [tape.slot(np.pad(a, v.size - 1)), tape.slot(np.flip(v))]
    tape.work += value.size * v.size
    return tape.write("contract", value, reads, [[value.size, 1, 1, 0]], [[v.size, 1, 1]])


def _write_search(
    tape: Tape, value: ArrayLike, a: Any, v: Any, side: str = "left", sorter: object = None
) -> int:
    """Write `np.searchsorted(a, v)`."""
    if sorter is not None:
        raise _missing(np.searchsorted)
    return tape.write("searchsorted", value, [tape.slot(a), tape.slot(v)], side == "right")


def _write_join(tape: Tape, value: ArrayLike, arrays: Any, axis: int | None = 0) -> int:
    """Write `np.concatenate(arrays, axis)`."""
    if isinstance(arrays, Symbol):
        arrays = [arrays[i] for i in range(arrays.shape[0])]
    reads = [tape.slot(a) for a in arrays]
    shape = np.shape(value)
    place = 0 if axis is None else axis % len(shape)
    shapes = [tape.arrays[s].shape for s in reads]
    blocks = [math.prod(s if axis is None else s[place:]) for s in shapes]
    return tape.write("join", value, reads, blocks)


SPECIAL: dict[str, Callable[..., int]] = {  # of one function each, by its name in a page
    "getitem": _write_index,
    "scatter_add": _write_scatter,
    "matmul": _write_matmul,
    "vecdot": _write_vecdot,
    "einsum": _write_einsum,
    "concatenate": _write_join,
    "convolve": _write_convolution,
    "searchsorted": _write_search,
}
