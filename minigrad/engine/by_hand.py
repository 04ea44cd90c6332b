"""Data: the array of a Tensor, for a user who trains by hand.

    w.data -= 0.1 * w.grad

Arrays in Tensors never change. So this computes a new array, and gives it to the leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ReadOnlyError
from .followed import Followed, check_writeable
from .modes import mode

if TYPE_CHECKING:
    from .tensor import Tensor


class Data(np.ndarray):
    """A read-only view of the array in a Tensor. `+=` and the like give the Tensor a new array."""

    tensor: Tensor | None = None  # whose array it is; None for parts and copies
    array: np.ndarray | None = None  # the array of the tensor at that time

    def __setitem__(self, index: Any, value: object) -> None:
        check_writeable(self)
        super().__setitem__(index, value)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "at" and isinstance(inputs[0], Data):  # which writes to read-only arrays, too
            check_writeable(inputs[0])
        if out := kwargs.get("out"):
            kwargs["out"] = tuple(map(_as_ndarray, out))
        return getattr(ufunc, method)(*map(_as_ndarray, inputs), **kwargs)

    def __array_wrap__(
        self, array: np.ndarray, context: object = None, return_scalar: bool = False
    ) -> Any:
        return array[()] if return_scalar else array

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


class FollowedData(Followed):
    """The same as `Data`, for a recording that follows plain arrays."""

    tensor: Tensor | None = None
    array: np.ndarray | None = None


def _as_ndarray(a: Any) -> Any:
    return a.view(np.ndarray) if isinstance(a, Data) else a


def _in_place(function: Callable) -> Callable:
    def operate(self: Data | FollowedData, other: object) -> Any:
        if self.tensor is not None:
            if self.tensor._array is not self.array:
                raise ReadOnlyError(
                    "the tensor has got other values since this array was taken from it, which would "
                    "be lost: write `x.data *= ...` with the x.data of now"
                )
            return self.tensor.copy_(function(np.ndarray.view(self, np.ndarray), other)).data
        check_writeable(self)
        return function(self, other, out=(self,))

    return operate


for name, function in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide,
    "floordiv": np.floor_divide, "mod": np.mod, "pow": np.power, "matmul": np.matmul,
}.items():  # fmt: skip
    for kind in (Data, FollowedData):
        setattr(kind, f"__i{name}__", _in_place(function))


def data_of(tensor: Tensor) -> np.ndarray:
    """Return a read-only view of the array; if that is another library's, the array itself."""
    array, watchers = tensor._array, mode.get().watchers
    if not isinstance(array, np.ndarray):
        return tensor._taken_out()
    data = np.ndarray.view(array, FollowedData if any(w.follows for w in watchers) else Data)
    data.tensor, data.array = tensor, array
    for watcher in watchers:
        watcher.on_same_numbers(data, tensor)
    return data
