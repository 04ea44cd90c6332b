"""The arguments of operations: numbers, lists and arrays of every kind, as arrays.

Here lists with tensors in them become arrays; Dask arrays may stand inside a Tensor, and matrices and
masked arrays are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import errors
from .advice import our_name
from .base import AnyArray, BaseTensor
from .errors import Options, described
from .followed import Followed, bare
from .kinds import hint_for_texts
from .modes import as_dtype, get_default_dtype
from .table import INSTEAD, Definition, Entry, Operation

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

# The types of arguments that are taken as they are.
PLAIN = {np.ndarray, int, float, bool, str, slice, type(None), type(...), *np.sctypeDict.values()}


def as_array(
    value: Any, dtype: DTypeLike | None = None, copy: bool = False, floats: np.dtype | None = None
) -> AnyArray:
    """`value` as an array of real numbers; Python floats become `floats`, or the default dtype.

    Raises:
        DTypeError: if it holds anything but real numbers, integers or booleans; for a masked array and a
            `np.matrix`, in a list too.
        ShapeError: if it is a ragged list.
        DetachError: if it is a list that has Tensors in it.
    """
    array = value._array if isinstance(value, BaseTensor) else value
    types = _types_in(value)
    if not types <= PLAIN:
        _refuse_kinds(types, is_tensor=value is not array)
    if dtype is None and types <= {float, int, bool} and (float in types or not types):
        dtype = floats or get_default_dtype()
    foreign = hasattr(type(array), "__array_function__") and not isinstance(array, np.ndarray)
    if not foreign:
        try:
            array = np.asarray(array)
        except ValueError as why:
            raise errors.ShapeError(f"cannot make an array of {described(value)}: {why}") from None
    target = array.dtype if dtype is None else as_dtype(dtype)
    target = target if target.isnative else target.newbyteorder("=")
    for each in (array.dtype, target):
        if each.kind not in "fiub":
            raise errors.DTypeError(
                f"a Tensor holds real numbers, not {each}: {described(value)}"
                f"{hint_for_texts('np.array(x)', array)}"
            )
    if foreign:  # Dask and its kind are immutable
        return array if array.dtype == target else array.astype(target)
    return np.array(array, dtype=target, copy=True if copy else None)


def _refuse_kinds(types: set[type], is_tensor: bool) -> None:
    """Refuse lists with Tensors in them, masked arrays and matrices."""
    if BaseTensor in types and not is_tensor:
        raise errors.DetachError(
            "make one tensor of several with np.stack or np.concatenate; of the tuple that a module "
            "returns, take [0]"
        )
    if any(issubclass(kind, (np.ma.MaskedArray, np.matrix)) for kind in types):
        raise errors.DTypeError(
            "a Tensor has no hidden elements, and is no np.matrix: a.filled(0), or np.asarray(a)"
        )


def place_arguments(entry: Entry, args: tuple, kwargs: Options) -> tuple[tuple, Options]:
    """Put the arrays of a call at their positions, and refuse options that the entry does not know.

    Raises:
        UnsupportedError: for an option such as `out=` or `where=`, saying what to write instead.
    """
    if kwargs.get("casting") == "same_kind":  # as without it: np.row_stack gives it to np.vstack
        kwargs = {k: v for k, v in kwargs.items() if k != "casting"}
    names = entry.parameters
    name, usage = f"{entry.name} of a Tensor", f"it takes {', '.join(names)}"
    if len(args) > entry.most:
        raise errors.UnsupportedError(f"{name} takes no {len(args)} arguments; {usage}")
    for k, v in (*zip(names, args), *kwargs.items()):
        takes_it = k not in entry.refused and (k in entry.names or entry.takes_any_name)
        if v is not None and not takes_it:
            raise errors.UnsupportedError(
                f"{name} takes no {k}={our_name(k, entry.names, v) or '; ' + INSTEAD.get(k, usage)}"
            )
    kwargs = {k: v for k, v in kwargs.items() if v is not None or k not in INSTEAD}
    if isinstance(entry, Definition):
        return args, {k: ready(kwargs[k], 0, entry, (*args, *kwargs.values())) for k in kwargs}
    args = entry.by_position(args, kwargs)
    if not entry.rules:
        return args, {k: without_tensors(v) for k, v in kwargs.items()}
    for k, v in kwargs.items():
        if isinstance(v, (BaseTensor, np.ndarray)):
            raise errors.UnsupportedError(f"{entry.name}: {usage}; give {k}= by its position")
    return args, {k: copied_option(v) for k, v in kwargs.items()}


def prepare_call(
    entry: Entry, args: tuple, kwargs: Options
) -> tuple[tuple, list[AnyArray], Options]:
    """Prepare a call: put arguments at their positions, and make lists arrays.

    Returns the arguments, Tensors among them; the same with plain arrays in place of Tensors; and the
    options.

    Raises:
        UnsupportedError: for an option such as `out=` or `where=`, saying what to write instead.
    """
    if kwargs or len(args) > entry.safe_count:
        args, kwargs = place_arguments(entry, args, kwargs)
    arrays = []
    for a in args:
        if isinstance(a, BaseTensor):
            arrays.append(a._array)
        elif type(a) in PLAIN or not (hasattr(a, "__len__") or hasattr(a, "__array__")):
            arrays.append(a)
        else:  # a list, or another library's array
            args = all_ready(entry, args, kwargs)
            return args, [without_tensors(a) for a in args], kwargs
    return args, arrays, kwargs


def all_ready(entry: Entry, args: tuple, kwargs: Options) -> tuple:
    """The arguments by position, each `ready` beside those before it."""
    arguments = list(args)
    for i, a in enumerate(args):
        if type(a) not in PLAIN and not isinstance(a, BaseTensor):
            arguments[i] = ready(a, i, entry, (*arguments, *kwargs.values()))
    return tuple(arguments)


def ready(a: object, i: int, entry: Entry, args: tuple) -> Any:
    """Argument `i`, as the operation computes with it; Python floats get the dtype of `floats_beside`.

    np.add(x, series)                       another library's array that NumPy can read: NumPy's array
    np.transpose(x, [1, 0]), x[[0, 1]]      a list where there is no rule: the list as it is
    np.block([[x, y]])                      rows of blocks: as they are
    np.add(x, [1, y])                       a list for a ufunc: one array; with Tensors in it, one Tensor
    np.concatenate([x, [1, 2]])             a list with Tensors in it: a list of arrays and Tensors
    np.einsum("ij,j", x, [1.0, 2.0])        a list of floats, or one that has a rule: an array
    np.dot(x, [1, 2])                       a list of integers for a definition: the list as it is
    """
    if not isinstance(a, (list, tuple)):
        if not isinstance(a, Sequence) or isinstance(a, (str, bytes)):
            return _no_sequence(a)
        a = list(a)
    # Names in place of small functions: their calls took a tenth of the time of np.concatenate.
    has_rule = i < len(entry.rules) and entry.rules[i] is not None
    if entry.function is np.block or (entry.rules and not has_rule):  # rows; axes, an index
        return a
    floats = floats_beside((*args, *a))
    if isinstance(entry.function, np.ufunc) or entry.function is np.where:
        return _stacked(a, floats)
    if any(isinstance(b, BaseTensor) for b in a):
        return [b if isinstance(b, int) else _stacked(b, floats) for b in a]
    is_array = has_rule or {float, np.float64} & _types_in(a)
    return _stacked(a, floats) if is_array else a


def _no_sequence(a: object) -> Any:
    """An argument that is no list: as an array, if NumPy can read it as one."""
    done = isinstance(a, (BaseTensor, Followed)) or type(a) in PLAIN
    return a if done or not hasattr(type(a), "__array__") else as_array(a)


def floats_beside(values: list | tuple) -> np.dtype:
    """The dtype of Python floats beside these: the default one, or that of a wider array."""
    dtypes = (getattr(a, "dtype", None) for a in values if not isinstance(a, type))
    floats = (dtype for dtype in dtypes if dtype is not None and dtype.kind == "f")
    return np.result_type(get_default_dtype(), *floats)


def copied_option(a: Any) -> Any:
    """An option with copies of its lists, dicts and arrays, which the caller may change."""
    if isinstance(a, dict):
        return {k: copied_option(v) for k, v in a.items()}
    if type(a) in (list, tuple):
        return type(a)(map(copied_option, a))
    return a.copy() if isinstance(a, np.ndarray) else a


def without_tensors(a: object) -> Any:
    """An argument, or a list as one, with arrays in place of tensors."""
    if isinstance(a, BaseTensor):
        return a._array
    if type(a) is list or type(a) is tuple:
        return type(a)([b if type(b) in PLAIN else without_tensors(b) for b in a])
    return bare(a) if isinstance(a, Followed) else a


def as_result(y: object, operation: Operation, args: tuple) -> AnyArray:
    """The result of an operation as an array of real numbers, in memory that no other code writes to.

    Raises:
        UnsupportedError: if it is not one array.
        DTypeError: if it is not of real numbers.
    """
    if isinstance(y, (int, float, np.generic)):
        y = np.asarray(y)
    if not hasattr(y, "dtype"):
        raise errors.UnsupportedError(
            f"{operation.name} gives a {type(y).__name__}, and a rule is for a function that gives "
            f"one array; write one for each result, and a rule for each"
        )
    if y.dtype.kind not in "fiub":
        raise errors.DTypeError(f"{operation.name} gives {y.dtype}; a Tensor holds real numbers")
    if isinstance(y, np.ndarray) and (
        operation.is_wrapped
        or any(isinstance(a, np.ndarray) and np.may_share_memory(a, y) for a in args)
    ):
        y = y.copy(order="K")  # products round by how their arguments lie in memory
    return y


def _stacked(a: object, floats: np.dtype) -> AnyArray:
    """Numbers and tensors in nested lists, as one tensor; numbers alone, as one array."""
    if isinstance(a, (list, tuple)) and BaseTensor in _types_in(a):
        return np.stack([_stacked(b, floats) for b in a])
    return a if isinstance(a, BaseTensor) else as_array(a, floats=floats)


def _types_in(value: object) -> set[type]:
    """The types of the numbers in a nested list; `BaseTensor` for tensors."""
    if isinstance(value, (list, tuple)):
        types = set(map(type, value))
        nested = any(issubclass(kind, (list, tuple, BaseTensor)) for kind in types)
        return set().union(*map(_types_in, value)) if nested else types
    return {BaseTensor if isinstance(value, BaseTensor) else type(value)}
