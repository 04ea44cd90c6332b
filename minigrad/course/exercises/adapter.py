"""Tensors of another engine as `exercises engine` asks for them: a class that speaks NumPy.

    class Tensor(Adapter):
        def __init__(self, array): ...          of an array, or of what `call` computes
        array, grad                             as arrays
        def call(self, function, args, kwargs)  a Tensor: np.add, np.matmul, operator.getitem ...

`examples/exercises/README.md` has one for engines of single numbers, and one for engines with a class
for each function.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

PLAIN = (np.max, np.equal, np.not_equal, np.greater, np.less, np.shape, np.ndim, np.argmax)


def _mean(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    total = np.sum(x, axis=axis, keepdims=keepdims)
    return total * (total.size / x.size)


def _maximum(a: Any, b: Any) -> Any:
    return np.where(_array(a) > _array(b), a, b)


def _take_along_axis(x: Any, indices: np.ndarray, axis: int) -> Any:
    at: list[Any] = list(np.indices(indices.shape, sparse=True))
    at[axis] = indices
    return x[tuple(at)]


def _array(a: Any) -> Any:
    return a.array if isinstance(a, Adapter) else a


WRITTEN: dict[Callable, Callable] = {  # in others, so that an engine needs no rule for them
    np.mean: _mean,
    np.maximum: _maximum,
    np.take_along_axis: _take_along_axis,
    np.sqrt: lambda x: np.exp(np.log(x) * 0.5),
}


def _reshape(x: Any, shape: Any) -> Any:
    return x.call(np.reshape, (x, np.reshape(x.array, shape).shape), {})  # without -1


def _sum(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    if axis is None:
        return _sum(_reshape(x, -1), 0, keepdims)
    y = x.call(np.sum, (x,), {"axis": axis % x.ndim, "keepdims": True})
    return y if keepdims else _reshape(y, np.sum(x.array, axis).shape)


def _swapaxes(x: Any, i: int, j: int) -> Any:
    order = list(range(x.ndim))
    order[i], order[j] = order[j], order[i]
    return x.call(np.transpose, (x, order), {})


def _where(condition: np.ndarray, a: Any, b: Any) -> Any:
    # 0 * -inf is NaN
    finite = lambda one: one if isinstance(one, Adapter) else np.maximum(one, -1e30)
    return finite(a) * np.where(condition, 1.0, 0.0) + finite(b) * np.where(condition, 0.0, 1.0)


def _getitem(x: Any, index: Any) -> Any:
    places = np.arange(x.size).reshape(x.shape)[index]
    return _reshape(np.eye(x.size)[places.ravel()] @ _reshape(x, (-1, 1)), places.shape)


MORE: dict[Callable, Callable] = {  # for engines whose sum keeps the axis, and that have no index
    np.reshape: _reshape,
    np.sum: _sum,
    np.swapaxes: _swapaxes,
    np.where: _where,
    operator.getitem: _getitem,
}


class Adapter(np.lib.mixins.NDArrayOperatorsMixin):
    """The base of an adapter: NumPy's functions are handed to `call`, with tensors as operands; those
    that pass no gradient on compute with arrays.

    Attributes:
        written: functions written in others: WRITTEN, or WRITTEN and MORE. Then `call` is asked for
            add, subtract, multiply, divide, negative, exp, log, matmul, for np.sum with an axis that
            stays, np.reshape and np.transpose; with WRITTEN alone for any np.sum, and for np.swapaxes,
            np.where and operator.getitem in place of np.transpose.
    """

    written: ClassVar[Mapping[Callable, Callable]] = WRITTEN
    array: np.ndarray
    shape = property(lambda self: np.shape(self.array))
    ndim = property(lambda self: np.ndim(self.array))
    size = property(lambda self: np.size(self.array))
    dtype = property(lambda self: np.asarray(self.array).dtype)
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, array: Any):
        raise NotImplementedError

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Compute a function of which at least one argument is a tensor."""
        raise NotImplementedError

    def __array_ufunc__(self, function: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        if method != "__call__":
            return NotImplemented
        operand = lambda a: a if isinstance(a, Adapter) else type(self)(np.asarray(a, float))
        return self._handed(function, [operand(a) for a in args], kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self._handed(function, args, kwargs)

    def __getitem__(self, index: Any) -> Any:
        return self._handed(operator.getitem, (self, index), {})

    def _handed(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if function in PLAIN:
            return function(*map(_array, args), **kwargs)
        written = self.written.get(function)
        return written(*args, **kwargs) if written else self.call(function, args, kwargs)
