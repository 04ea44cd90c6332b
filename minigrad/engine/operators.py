"""Operators and methods: what makes a Tensor an array like NumPy's. Each is a call of a function.

    x + y           np.add(x, y)
    x[0]            operator.getitem(x, 0)
    x.sum(axis=1)   np.sum(x, axis=1)

The class that has an `apply`, Tensor or Followed, says what a call does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import errors
from .advice import instead
from .base import BaseTensor
from .modes import mode
from .names import name_of
from .rules import astype
from .source import source_text
from .table import TABLE

if TYPE_CHECKING:
    from .tensor import Tensor


def _reflected(function: Callable) -> Callable[..., Tensor]:
    return lambda self, other: self.apply(function, (other, self), {})


def _in_place(function: Callable) -> Callable[..., Tensor]:
    def operate(self, other):
        if not (self.requires_grad and self.is_leaf):
            return self.apply(function, (self, other), {})
        if mode.get().grad:
            raise errors.GraphError(
                "a leaf that requires a gradient does not change in place. For new values write `with "
                "minigrad.no_grad(): w -= ...`, or `w.data -= ...`, and then `w.grad = None`, since "
                "the next backward() adds to it; for one computed from w, take another name: v = w - ..."
            )
        return self.copy_(self.apply(function, (self, other), {}))

    return operate


def _method(function: Callable) -> Callable[..., Tensor]:
    def method(self, *args, **kwargs):
        return self.apply(function, (self, *args), kwargs)

    method.__doc__ = f"Call `{name_of(function)}` with this tensor as its first argument."
    return method


def _to_array(function: Callable) -> Callable[..., np.ndarray]:
    """Make a method of a function without rules: its result is a plain array."""
    return _method(function)  # type: ignore[return-value]


class Methods:
    """The methods that Tensors share with the plain arrays that a recording follows, `Followed`."""

    __slots__ = ()

    apply: Callable[..., Any]
    shape: tuple[int, ...]

    sum, prod, mean = _method(np.sum), _method(np.prod), _method(np.mean)
    var, std, max, min = _method(np.var), _method(np.std), _method(np.max), _method(np.min)
    cumsum, cumprod = _method(np.cumsum), _method(np.cumprod)
    argmax, argmin, argsort = _to_array(np.argmax), _to_array(np.argmin), _to_array(np.argsort)
    any, all, nonzero = _to_array(np.any), _to_array(np.all), _to_array(np.nonzero)
    dot, trace, diagonal = _method(np.dot), _method(np.trace), _method(np.diagonal)
    ravel, flatten, round = _method(np.ravel), _method(np.ravel), _method(np.round)
    swapaxes, squeeze, astype = _method(np.swapaxes), _method(np.squeeze), _method(astype)
    repeat, take, copy = _method(np.repeat), _method(np.take), _method(np.copy)

    @property
    def real(self) -> Tensor:
        """This tensor: its numbers are real."""
        return self  # type: ignore[return-value]

    @property
    def T(self) -> Tensor:  # noqa: N802
        """This tensor with its axes in reverse order."""
        return self.apply(np.transpose, (self,), {})

    @property
    def mT(self) -> Tensor:  # noqa: N802
        """Each matrix of this tensor (..., n, m) transposed: (..., m, n)."""
        return self.apply(np.swapaxes, (self, -1, -2), {})

    def clip(self, min: object = None, max: object = None) -> Tensor:  # noqa: A002
        """Set what is below `min` or above `max` to that; None is no bound."""
        return self.apply(np.clip, (self, min, max), {})

    def reshape(self, *shape: object, order: str = "C") -> Tensor:
        """Give this tensor another shape: `x.reshape(2, 3)` or `x.reshape((2, 3))`."""
        if len(shape) == 1 and np.iterable(shape[0]):
            shape = tuple(shape[0])
        return self.apply(
            np.reshape,
            (self, shape),
            {} if isinstance(order, str) and order == "C" else {"order": order},
        )

    def transpose(self, *axes: object) -> Tensor:
        """Permute the axes: `x.transpose(1, 0)`; all reversed without any.

        Raises:
            ShapeError: if not every axis is named, as in PyTorch's call that exchanges two.
        """
        if len(axes) == 2 != len(self.shape):
            raise errors.ShapeError(
                f"transpose takes all {len(self.shape)} axes; to exchange two, write "
                f"x.swapaxes({axes[0]}, {axes[1]})"
            )
        return self.apply(np.transpose, (self, axes[0] if len(axes) == 1 else axes or None), {})


class Operators(Methods, BaseTensor):
    """The operators of Tensors."""

    __slots__ = ()

    __add__, __radd__ = _method(np.add), _reflected(np.add)
    __sub__, __rsub__ = _method(np.subtract), _reflected(np.subtract)
    __mul__, __rmul__ = _method(np.multiply), _reflected(np.multiply)
    __truediv__, __rtruediv__ = _method(np.divide), _reflected(np.divide)
    __floordiv__, __rfloordiv__ = _method(np.floor_divide), _reflected(np.floor_divide)
    __mod__, __rmod__ = _method(np.mod), _reflected(np.mod)
    __pow__, __rpow__ = _method(np.power), _reflected(np.power)
    __matmul__, __rmatmul__ = _method(np.matmul), _reflected(np.matmul)
    __lt__, __le__ = _to_array(np.less), _to_array(np.less_equal)
    __gt__, __ge__ = _to_array(np.greater), _to_array(np.greater_equal)
    __and__, __rand__ = _to_array(np.bitwise_and), _reflected(np.bitwise_and)
    __or__, __ror__ = _to_array(np.bitwise_or), _reflected(np.bitwise_or)
    __xor__, __rxor__ = _to_array(np.bitwise_xor), _reflected(np.bitwise_xor)
    __iadd__, __isub__ = _in_place(np.add), _in_place(np.subtract)
    __imul__, __itruediv__ = _in_place(np.multiply), _in_place(np.divide)
    __ifloordiv__, __imod__ = _in_place(np.floor_divide), _in_place(np.mod)
    __ipow__, __imatmul__ = _in_place(np.power), _in_place(np.matmul)
    __neg__, __abs__, __invert__ = _method(np.negative), _method(np.absolute), _to_array(np.invert)
    __round__, __getitem__ = _method(np.round), _method(operator.getitem)
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> np.ndarray:  # type: ignore[override]
        return self.apply(np.equal, (self, other), {})

    def __ne__(self, other: object) -> np.ndarray:  # type: ignore[override]
        return self.apply(np.not_equal, (self, other), {})

    def __pos__(self) -> Tensor:
        return self  # type: ignore[return-value]

    __divmod__ = lambda self, other: (self // other, self % other)
    __rdivmod__ = lambda self, other: (other // self, other % self)

    def __len__(self) -> int:
        if not self.shape:
            raise errors.UnsupportedError("a 0-d tensor has no length, and no elements to go over")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(np.equal(self, value)))

    def __getattr__(self, name: str) -> Any:
        if remedy := instead(name, source_text, "x", "c", "w"):
            raise AttributeError(f"a Tensor has no attribute {name!r}{remedy}")
        remedies = dict.fromkeys(
            _call_of(f) for f in TABLE if name[0] != "_" and _is_called(f, name)
        )
        if hasattr(np.ndarray, name) and not remedies:
            remedies = {f"x.detach().numpy().{name}, outside the graph": None}
        raise AttributeError("; write ".join([f"a Tensor has no attribute {name!r}", *remedies]))


def _is_called(function: Callable, name: str) -> bool:
    return function is vars(np).get(name) or getattr(function, "__name__", "") == name


def _call_of(function: Callable) -> str:
    """A call of a function, as in an error: np.exp(x), or relu(x) of minigrad.functional."""
    name = name_of(function)
    home = getattr(function, "__module__", "numpy")  # which a ufunc has from NumPy 2.1 on
    return f"{name}(x)" if "." in name else f"{name}(x) of {home}"
