"""Followed: a plain array whose operations are seen while a recording runs.

    mask = x > 0                     np.greater has no rules: its result is a plain array
    np.where(mask & causal, x, 0)    a mask of a mask: np.bitwise_and, of plain arrays alone

Operations on Tensors are seen in any case. While `record()` is on, their plain results are `Followed`
arrays: an operation on one is a node too, and gives a `Followed` again. Such an array has the numbers,
the dtype and the memory that NumPy gave. After the recording, it is an array like any other.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np

from .errors import ReadOnlyError
from .modes import Watcher, mode
from .node import Node
from .operators import Methods
from .table import NUMPYS, Definition, Operation

SHAPE_ONLY = {  # functions that read shapes and dtypes, or give text
    np.shape, np.ndim, np.size, np.result_type, np.can_cast, np.common_type, np.min_scalar_type,
    np.iscomplexobj, np.isrealobj, np.may_share_memory, np.shares_memory, np.zeros_like, np.ones_like,
    np.empty_like, np.array_repr, np.array_str, np.array2string,
}  # fmt: skip
# Functions that write into their first argument.
WRITING = {np.copyto, np.put, np.putmask, np.place, np.put_along_axis, np.fill_diagonal}
TAKING_OUT = {  # methods that give Python the numbers
    "__bool__", "__int__", "__float__", "__index__", "__round__", "__contains__", "__reduce__",
    "__reduce_ex__",
}  # fmt: skip
# Methods that write into the array itself.
WRITING_METHODS = {"byteswap", "fill", "partition", "put", "resize", "setfield", "sort"}

operation_of = functools.lru_cache(1 << 10)(lambda function: Operation(function, ()))


class Followed(Methods, np.ndarray):  # type: ignore[misc]
    """A plain array whose operations are seen; see above. Its operators are ufuncs, as NumPy's are."""

    apply = staticmethod(lambda function, args, kwargs: follow(function, args, kwargs))

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if any(map(_is_foreign, (*inputs, *(out or ())))):
            return NotImplemented
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        if method == "at":
            return call_writing(function, inputs[:1], inputs, kwargs)
        if out is not None:
            return call_writing(function, out, inputs, {**kwargs, "out": out})
        return follow(function, inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        if not all(issubclass(t, np.ndarray) for t in types):
            return NotImplemented
        if function in WRITING:
            return call_writing(function, args[:1], args, kwargs)
        if kwargs.get("out") is not None:
            return call_writing(function, (kwargs["out"],), args, kwargs)
        return follow(function, args, kwargs)

    def __getitem__(self, index: Any) -> Any:
        return follow(operator.getitem, (self, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        call_writing(operator.setitem, (self,), (self, index, value), {})

    def __copy__(self) -> Any:
        return follow(np.copy, (self,), {})

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def copy(self, order: Any = "C") -> Any:
        return follow(np.copy, (self, order), {})

    def flatten(self, order: Any = "C") -> Any:
        return follow(np.copy, (follow(np.ravel, (self, order), {}),), {})

    def searchsorted(self, v: Any, side: Any = "left", sorter: Any = None) -> Any:
        return follow(np.searchsorted, (self, v, side, sorter), {})

    def _detached(self, use: str) -> Any:
        """The numbers, on their way out of the graph."""
        take_out(self)
        return bare(self)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self._detached("hash"))

    def __repr__(self) -> str:
        return repr(bare(self))

    def __str__(self) -> str:
        return str(bare(self))

    def __format__(self, spec: str) -> str:
        return format(bare(self), spec)


def _times(name: str) -> Callable:
    def multiply(self: FollowedNumber, other: Any) -> Any:
        if isinstance(other, (list, tuple, str, bytes)):  # so many of them
            return other * operator.index(self)
        return getattr(np.ndarray, name)(self, other)

    return multiply


class FollowedNumber(Followed):
    """A number of NumPy's, such as `np.sum(mask)`: an array without axes that does not change."""

    __mul__, __rmul__ = _times("__mul__"), _times("__rmul__")
    # As of any number, n += 1 makes a new one.
    __iadd__ = lambda self, other: self + other
    __isub__ = lambda self, other: self - other
    __imul__ = lambda self, other: self * other
    __itruediv__ = lambda self, other: self / other
    __ifloordiv__ = lambda self, other: self // other
    __imod__ = lambda self, other: self % other
    __ipow__ = lambda self, other: self**other
    __iand__ = lambda self, other: self & other
    __ior__ = lambda self, other: self | other
    __ixor__ = lambda self, other: self ^ other
    __ilshift__ = lambda self, other: self << other
    __irshift__ = lambda self, other: self >> other

    def __copy__(self) -> Any:
        return self

    def __complex__(self) -> complex:
        return complex(self._detached("complex"))

    def __getattr__(self, name: str) -> Any:
        """Return what a number has, and an array has not, such as `is_integer`."""
        if name[:2] == "__":
            raise AttributeError(f"a number has no attribute {name!r}")
        return getattr(self._detached(name), name)


Real.register(FollowedNumber)  # as NumPy's own numbers are


def followed(array: Any, watchers: Sequence[Watcher]) -> Any:
    """The same memory as a `Followed`, if that is numbers, and one of `watchers` follows them.

    A number of NumPy's becomes an array without axes.
    """
    if not _is_numbers(array) or not any(watcher.follows for watcher in watchers):
        return array
    if isinstance(array, np.generic):
        return np.ndarray.view(np.asarray(array), FollowedNumber)
    return np.ndarray.view(array, Followed)


def bare(a: Any) -> Any:
    """An argument, or lists, tuples, dicts of them, with plain arrays in place of the followed ones."""
    if isinstance(a, Followed):
        array = np.asarray(a)
        return array[()] if isinstance(a, FollowedNumber) else array
    if type(a) in (list, tuple):
        return type(a)(map(bare, a))
    if type(a) is slice:
        return slice(*[operator.index(i) if isinstance(i, Followed) else i for i in _bounds(a)])
    return {k: bare(v) for k, v in a.items()} if type(a) is dict else a


def follow(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call `function` on plain arrays. A result that is an array of numbers is followed.

    If the result is anything else, the watchers see that the numbers of the arguments were taken out
    of the graph.
    """
    y = function(*bare(args), **bare(kwargs))
    if function in SHAPE_ONLY or not _following():
        return y
    return _note_call(function, args, kwargs, y)[1]


def call_writing(function: Callable, targets: tuple, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call `function`, which writes into the arrays `targets`.

    After `mask &= other`, and other calls of a ufunc with `out=` alone, the new numbers have a node.
    After any other call they are followed no longer.
    """
    for target in targets:
        if isinstance(target, np.ndarray):
            check_writeable(target)
    node = None
    if _following() and isinstance(function, np.ufunc) and kwargs.keys() == {"out"}:
        with np.errstate(all="ignore"):
            y = function(*bare(args))
        if (y.shape, y.dtype) == (targets[0].shape, targets[0].dtype):
            node = _note_call(function, args, {}, y)[0]
    if node is None:
        take_out([args, kwargs])
    result = function(*bare(args), **bare(kwargs))
    for watcher in _following():
        for target in targets:
            watcher.on_write(target, node)
    if "out" in kwargs:
        return targets[0] if len(targets) == 1 else targets
    return result


def check_writeable(a: np.ndarray) -> None:
    """Check that an array can be written to: `np.add.at` does not.

    Raises:
        ReadOnlyError: if it cannot.
    """
    if not a.flags.writeable:
        raise ReadOnlyError(
            "the array is read-only, as that in a Tensor is. To change some numbers of a leaf: "
            "a = x.data.copy(); a[...] = ...; x.data = a"
        )


def take_out(a: object) -> None:
    """Tell the watchers that the followed arrays, in `a` or in its lists, are taken out of the graph."""
    for array in _followed_in(a):
        for watcher in _following():
            watcher.on_taken_out(array)


def _note_call(function: Callable, args: tuple, kwargs: dict[str, Any], y: Any) -> tuple[Any, Any]:
    """The node of a call, and what its caller gets; None and `y`, if `y` is no array of numbers."""
    if isinstance(y, (list, tuple)):
        parts = _followed_parts(function, args, kwargs, y)
        if parts is not None:
            return None, parts
    call = _by_position(function, args, kwargs)
    if call is None or not _is_numbers(y):
        take_out([args, kwargs])
        return None, y
    args, kwargs = call
    node = Node(np.asarray(y), operation_of(function), kwargs=bare(kwargs))
    watchers = _following()
    y = followed(y, watchers)
    for watcher in watchers:
        watcher.on_operation(node, args, y)
    return node, y


def _followed_parts(function: Callable, args: tuple, kwargs: dict[str, Any], y: Any) -> Any:
    """Several results, such as those of `np.split`, as followed arrays; None if no definition of the
    function gives the same."""
    entry = NUMPYS.get(function)
    if not isinstance(entry, Definition) or hasattr(np.linalg, function.__name__):
        return None  # the body of a decomposition calls the function itself
    parts = entry.body(*args, **kwargs)
    alike = lambda a, b: (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, bare(b).tobytes())
    if len(parts) != len(y) or not all(map(alike, y, parts)):
        return None
    watchers = _following()
    y = type(y)([followed(array, watchers) for array in y])
    for watcher in watchers:
        for array, part in zip(y, parts):
            watcher.on_same_numbers(array, part)
    return y


def _by_position(function: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple | None:
    """A call with its arrays at their positions; None where this cannot be said."""
    entry, kwargs = NUMPYS.get(function), dict(kwargs)
    if isinstance(entry, Operation):  # as of a call with a Tensor
        args = entry.by_position(args, kwargs)
    if not _has_followed(kwargs):
        return args, kwargs
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    if _has_followed(bound.kwargs):
        return None
    return bound.args, {k: v for k, v in bound.kwargs.items() if k in kwargs}


def _following() -> list[Watcher]:
    """The watchers that follow plain arrays."""
    return [watcher for watcher in mode.get().watchers if watcher.follows]


def _is_numbers(a: Any) -> bool:
    """Tell whether `a` is an array or a number of NumPy's, of real numbers or booleans."""
    return isinstance(a, (np.ndarray, np.generic)) and a.dtype.kind in "fiub"


def _is_foreign(a: Any) -> bool:
    """Tell whether `a` is a Tensor, or another library's array, and so answers NumPy itself."""
    return hasattr(type(a), "__array_ufunc__") and not isinstance(a, (np.ndarray, np.generic))


def _bounds(a: slice) -> tuple:
    return a.start, a.stop, a.step


def _has_followed(a: Any) -> bool:
    return next(_followed_in(a), None) is not None


def _followed_in(a: Any) -> Iterator[Followed]:
    if isinstance(a, Followed):
        yield a
    elif isinstance(a, (list, tuple)):
        for b in a:
            yield from _followed_in(b)
    elif isinstance(a, dict):
        yield from _followed_in(list(a.values()))


# --- the other methods of arrays ------------------------------------------------------------------


def _taking_out(name: str) -> Callable:
    """The method `name` of arrays, which takes numbers out of the graph, or changes them."""

    def method(self: Followed, *args: Any, **kwargs: Any) -> Any:
        if name in WRITING_METHODS and not isinstance(self, FollowedNumber):
            return call_writing(getattr(np.ndarray, name), (self,), (self, *args), kwargs)
        take_out([self, args, kwargs])
        return getattr(bare(self), name)(*bare(args), **bare(kwargs))

    return method


# All that NumPy has, of any version: none may pass unseen.
public = {name for name, value in vars(np.ndarray).items() if name[0] != "_" and callable(value)}
for name in (TAKING_OUT | public) - vars(Followed).keys() - vars(Methods).keys():
    setattr(Followed, name, _taking_out(name))
