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
                           the result and of the arrays; for each axis that is summed its size, and
                           the strides of the arrays
    searchsorted           whether from the right
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import table
from ..engine.errors import Options
from ..engine.names import is_numpys
from .arrays import same
from .bodies import body_of
from .page_functions import (
    ELEMENTWISE,
    EXPANDED,
    FILLED,
    MOVING,
    REDUCING,
    Unwritten,
    name_in_page,
    not_in_page,
)
from .symbols import REFUSALS, Number, Symbol, alias, plain
from .tape_moves import write_index, write_join, write_move, write_scatter
from .tape_products import write_convolution, write_einsum, write_matmul, write_vecdot

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .tape import Tape

DEPTH = 3  # times that a function is traced inside itself


def slot_of_call(
    tape: Tape, value: ArrayLike, function: Callable, args: tuple, kwargs: Options
) -> int:
    """The slot of a call's result; first, the calls that it is made of are put on the tape.

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
        return write_move(tape, value, function, args, kwargs)
    if name in SPECIAL:
        return SPECIAL[name](tape, value, *args, **kwargs)
    definition = isinstance(table.TABLE.get(function), table.Definition)
    if is_numpys(function) and not definition:
        raise not_in_page(function)
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
    """Write a reduction as three sizes: of the axes before its own, of its own, and of those after."""
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


def _write_search(
    tape: Tape, value: ArrayLike, a: Any, v: Any, side: str = "left", sorter: object = None
) -> int:
    """Write `np.searchsorted(a, v)`."""
    if sorter is not None:
        raise not_in_page(np.searchsorted)
    return tape.write("searchsorted", value, [tape.slot(a), tape.slot(v)], side == "right")


SPECIAL: dict[str, Callable[..., int]] = {  # of one function each, by its name in a page
    "getitem": write_index,
    "scatter_add": write_scatter,
    "matmul": write_matmul,
    "vecdot": write_vecdot,
    "einsum": write_einsum,
    "concatenate": write_join,
    "convolve": write_convolution,
    "searchsorted": _write_search,
}
