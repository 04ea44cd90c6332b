"""Tensor: an array that remembers how it was made.

A Tensor answers NumPy's own protocols (`__array_ufunc__`, NEP 13, and `__array_function__`, NEP 18),
so `np.exp(x)`, `np.sum(x, axis=1)` and `np.concatenate([x, y])` work on Tensors. Each call arrives at
`apply`, which computes the result on the arrays inside and, where a gradient may be asked for, makes
a `Node` of it. The array in a Tensor never changes.
"""

from __future__ import annotations

import copy
import functools
import operator
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import errors
from .arguments import as_array, as_result, prepare_call
from .backward import backward
from .base import AnyArray
from .by_hand import data_of
from .errors import PROBLEMS, Options
from .failures import error_of_call, error_of_detaching
from .followed import SHAPE_ONLY, Followed, followed
from .kinds import named, not_of
from .modes import current_box, effect, get_default_dtype, mode
from .node import Node, edges_to
from .operators import Operators
from .saving import to_save
from .table import NUMPYS, Definition, Operation, lookup

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

T = TypeVar("T")


def attribute(name: str, kind: type[T], about: str) -> T:
    """Make a property that reads an attribute of the array, of a `kind` that type checkers know then."""
    return property(operator.attrgetter(f"_array.{name}"), doc=about)  # type: ignore[return-value]


class Tensor(Operators):
    """An array, and how it was made.

    Args:
        value: an array of any shape, a number, a nested list of numbers, or a Tensor that requires
            no gradient. It is copied. Python floats become the default dtype (float32); everything
            else keeps its dtype.
        requires_grad: whether `backward()` is to compute the gradient with respect to it.
        dtype: the dtype to convert to.
        name: what drawings call it.

    Raises:
        DTypeError: if `value` is not of real numbers, or requires a gradient and is not floating.
        ShapeError: if it is a ragged list.
        DetachError: if it is a Tensor that requires a gradient, or a list that has Tensors in it.
    """

    __slots__ = ()

    @named
    def __init__(
        self, value: ArrayLike, *, requires_grad: bool = False, dtype: DTypeLike | None = None,
        name: str | None = None,
    ):  # fmt: skip
        if name is not None and (wrong := not_of(str, "name", name)) is not None:
            raise errors.ArgumentError(wrong)
        if isinstance(value, Followed) and not requires_grad:
            self._array = copy_of_followed(value, dtype)
        else:
            if isinstance(value, (Tensor, Followed)):
                value = value._detached("Tensor(x)")
            self._array = read_only(as_array(value, dtype, copy=True))
        self._node = Node(self._array, name=name)
        self.requires_grad = requires_grad

    # What it is

    shape = attribute("shape", tuple[int, ...], "The length of each axis.")
    dtype = attribute("dtype", np.dtype, "The type of its numbers, such as float32.")
    ndim = attribute("ndim", int, "The number of axes.")
    size = attribute("size", int, "The number of elements.")
    nbytes = attribute("nbytes", int, "The bytes that its numbers take.")

    @property
    def name(self) -> str | None:
        """The name that drawings have for it, or None."""
        return self.node.name

    @name.setter
    def name(self, name: str | None) -> None:
        self.node.name = name

    @property
    def node(self) -> Node:
        """Its place in a graph: the operation that made it, or a leaf.

        A result outside the graph gets its node when somebody asks for it: most never need one. So
        what needs no node reads `_node`, which may be None.
        """
        if self._node is None:
            self._node = Node(self._array)
        return self._node

    @property
    def requires_grad(self) -> bool:
        """True if a gradient goes back to this tensor.

        It is set on leaves, which must be floating. A result has it if one of its arguments does.
        """
        return self._node is not None and self._node.requires_grad

    @requires_grad.setter
    def requires_grad(self, required: bool) -> None:
        if (wrong := not_of(bool, "requires_grad", required)) is not None:
            raise errors.ArgumentError(wrong)
        made_by = self.node.operation
        if made_by is not None and required != self.node.requires_grad:
            raise errors.GraphError(
                f"the result of {made_by.name} is no leaf: set requires_grad on leaves, or use detach()"
            )
        if required and self.dtype.kind != "f":
            raise errors.DTypeError(
                f"only floating tensors can require a gradient, not {self.dtype}: use dtype=np.float32"
            )
        self.node.requires_grad = bool(required)

    def requires_grad_(self, required: bool = True) -> Tensor:
        """Set `requires_grad` and return this tensor."""
        self.requires_grad = required
        return self

    @property
    def is_leaf(self) -> bool:
        """True if the tensor needs no gradient, or if no operation made it."""
        return not self.requires_grad or self.node.operation is None

    @property
    def grad(self) -> Tensor | None:
        """The gradient that `backward()` computed, or None where it computed none.

        Leaves have one; a result in between does after `retain_grad()` or under `record()`. A warning
        says so where it is read of another result.
        """
        node = self.node
        if node.grad is None and node.requires_grad and not node.keeps_grad:
            warnings.warn(
                "only a leaf keeps its gradient, and this is the result of an operation: call "
                "retain_grad() before backward(). To train a leaf, write w.data -= ...",
                stacklevel=2,
            )
        return node.grad

    @grad.setter
    def grad(self, gradient: Tensor | None) -> None:
        if gradient is not None:
            if not isinstance(gradient, Tensor):
                gradient = Tensor(gradient, dtype=self.dtype)
            elif gradient.dtype != self.dtype:
                gradient = gradient.astype(self.dtype)
            if gradient.shape != self.shape:
                raise errors.ShapeError(
                    f"a gradient of shape {gradient.shape} does not fit a tensor of {self.shape}"
                )
        effect("sets a gradient", self.node)
        self.node.grad = gradient

    def retain_grad(self) -> Tensor:
        """Have `backward()` keep the gradient of this result too; returns this tensor.

        Raises:
            GraphError: if this tensor requires no gradient.
        """
        if not self.requires_grad:
            raise errors.GraphError(f"no gradient reaches this tensor, {self.shape}: none to keep")
        self.node.keeps_grad = True
        return self

    # Out of the graph

    def detach(self) -> Tensor:
        """The same values outside the graph: no gradient flows through the result."""
        array, watchers = self._array, mode.get().watchers
        if watchers:
            array = array[...]  # so that a recording can tell it from one that was detached before
        for watcher in watchers:
            watcher.on_same_numbers(array, self)
        return tensor_of(array)

    def numpy(self) -> np.ndarray:
        """A copy of the values as a NumPy array, yours to change.

        Raises:
            DetachError: if this tensor requires a gradient, which would be lost.
        """
        self._check_detached("x.numpy()")
        array, watchers = np.array(self._array), mode.get().watchers
        for watcher in watchers:
            watcher.on_same_numbers(array, self)
        return followed(array, watchers)

    def item(self) -> float | int | bool:
        """The value of a tensor with one element, as a Python number.

        Raises:
            ShapeError: if it has more elements, or none.
        """
        return self._only("x.item()", self._taken_out())

    def tolist(self) -> Any:
        """The values as (nested lists of) Python numbers."""
        return np.asarray(self._taken_out()).tolist()

    def _detached(self, use: str) -> AnyArray:
        """The array itself, on its way out of the graph."""
        self._check_detached(use)
        return self._taken_out()

    def _check_detached(self, use: str) -> None:
        if self.requires_grad:
            raise error_of_detaching(use)

    def _taken_out(self) -> AnyArray:
        """The array, on its way out of the graph: the watchers see it go."""
        for watcher in mode.get().watchers:
            watcher.on_taken_out(self)
        return self._array

    def _only(self, use: str, array: AnyArray) -> Any:
        """The only element of `array`, as a Python number."""
        if self.size != 1:
            raise errors.ShapeError(f"{use} needs one element, and the shape is {self.shape}")
        return np.asarray(array).item()

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(np.asarray(self._detached("np.asarray(x)")).view(), dtype=dtype, copy=copy)

    def __float__(self) -> float:
        return float(self._only("float(x)", self._detached("float(x)")))

    def __int__(self) -> int:
        return int(self._only("int(x)", self._detached("int(x)")))

    def __index__(self) -> int:
        return operator.index(np.asarray(self._detached("x as an index"))[()])

    def __bool__(self) -> bool:
        if self.size != 1:
            raise errors.ShapeError(
                f"a tensor of shape {self.shape} is neither true nor false: write x.any() or x.all()"
            )
        return bool(self._taken_out())

    # New values for a leaf

    def copy_(self, value: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
        """Give this leaf a new array; a graph that used the old one keeps that.

        Raises:
            GraphError: if this tensor is the result of an operation.
            ShapeError: if the shapes differ.
            DTypeError: if `dtype` is not floating, and this tensor requires a gradient.
        """
        array = as_array(value, self.dtype if dtype is None else dtype, copy=True)
        if self.node.operation is not None:
            raise errors.GraphError("only a leaf can be given new values; use copy() for a new one")
        if array.shape != self.shape:
            raise errors.ShapeError(f"cannot copy shape {array.shape} into shape {self.shape}")
        if self.requires_grad and array.dtype.kind != "f":
            raise errors.DTypeError(f"{array.dtype} cannot require a gradient, as this tensor does")
        effect("gives a leaf new values", self.node)
        self._array, self.node.dtype = read_only(array), array.dtype
        return self

    @property
    def data(self) -> np.ndarray:
        """A read-only view of the array, outside the graph; `x.data -= a` gives the leaf a new one."""
        return data_of(self)

    @data.setter
    def data(self, value: ArrayLike) -> None:
        self.copy_(value)

    def zero_(self) -> Tensor:
        """Give this leaf zeros, as in `w.grad.zero_()`; see `copy_`."""
        return self.copy_(np.zeros_like(self._array))

    def __setitem__(self, index: object, value: ArrayLike) -> None:
        raise errors.UnsupportedError(
            "a Tensor does not change in place: write x = np.where(mask, new, x), or build it "
            "with np.concatenate or np.stack; to overwrite a whole leaf, x.copy_(values)"
        )

    # Operations: each goes through `apply`, those of NumPy by its protocols

    @staticmethod
    def apply(function: Callable, args: tuple, kwargs: Options) -> Any:
        """Call `function`: prepare its arguments, run it, and remember it as a node.

        A definition gets no node: the operations that it is written in come here in their turn, and each
        gets one.
        """
        entry = NUMPYS.get(function) or lookup(function)
        try:
            args, arrays, kwargs = prepare_call(entry, args, kwargs)
            y = entry.run(args, arrays, kwargs)
        except PROBLEMS as problem:
            call = errors.FailedCall(function, args, kwargs, current_box.get())
            raise error_of_call(entry.name, call, problem)  # noqa: B904 - it has its cause
        if isinstance(entry, Definition):
            return y
        return remembered(entry, args, arrays, kwargs, y)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return self.apply(ufunc if method == "__call__" else getattr(ufunc, method), inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        return self.apply(function, args, kwargs)

    # Back to the leaves

    # Of the file `backward`; `checked` compares its arguments with the annotations first.
    backward = backward

    @staticmethod
    def _wrap(array: AnyArray, node: Node | None = None) -> Tensor:
        return tensor_of(array, node)

    # Copies, by Python's modules `copy` and `pickle`

    def __copy__(self) -> Tensor:
        """A copy of a leaf. The result of an operation is returned itself: no graph is copied."""
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict) -> Tensor:
        """Copy a leaf, as `__copy__` does: its values and its gradient are copied in either."""
        if self.node.operation is not None:
            return self
        leaf = type(self)(self._taken_out(), requires_grad=self.requires_grad, name=self.name)
        leaf.grad = copy.deepcopy(self.grad, memo)
        return leaf

    def __reduce__(self) -> tuple:
        """The contents of a leaf's pickle: values, name, and whether it requires a gradient.

        Raises:
            GraphError: for the result of an operation.
        """
        if self.node.operation is not None:
            raise errors.GraphError("a tensor inside a graph cannot be pickled; detach() it first")
        make = functools.partial(type(self), requires_grad=self.requires_grad, name=self.name)
        return make, (np.asarray(self._taken_out()),)

    # As text

    def __repr__(self) -> str:
        kind, array = type(self).__name__, self._array
        text = repr(array)  # of an array that would have to be computed first
        if isinstance(array, np.ndarray):
            text = np.array2string(array, separator=", ", prefix=f"{kind}(")
        parts = [text]
        if self.size > np.get_printoptions()["threshold"] or (not self.size and self.ndim > 1):
            parts.append(f"shape={self.shape}")
        if self.dtype != get_default_dtype():
            parts.append(f"dtype={self.dtype}")
        if self.name is not None:
            parts.append(f"name={self.name!r}")
        if self.requires_grad:
            made_by = self.node.operation
            parts.append("requires_grad=True" if made_by is None else f"from {made_by.name}")
        return f"{kind}({', '.join(parts)})"

    def __format__(self, spec: str) -> str:
        return format(self._only(f"the format {spec!r}", self._array), spec) if spec else str(self)


Array = Tensor | np.ndarray  # what the functions of the table take and give
A = TypeVar("A", bound=Array)  # of Tensors they give a Tensor, and of plain arrays a plain one


def tensor_of(array: AnyArray, node: Node | None = None) -> Tensor:
    """A Tensor around an array that nothing else will write to: it is made read-only, not copied."""
    if type(array) is np.ndarray:
        array.setflags(False)  # type: ignore[call-arg]  # of writing: by name it takes three times as long
    else:
        array = read_only(array)
    tensor: Tensor = object.__new__(Tensor)
    tensor._array, tensor._node = array, node
    return tensor


def read_only(array: AnyArray) -> AnyArray:
    """`array`, which can no longer be written to; a number of NumPy's as an array without axes."""
    if isinstance(array, np.generic):
        array = np.asarray(array)
    if isinstance(array, np.ndarray):
        array.flags.writeable = False
    return array


def copy_of_followed(a: AnyArray, dtype: DTypeLike | None) -> AnyArray:
    """A read-only copy of an array that a recording follows; the recording sees whose numbers it has."""
    a = a if dtype is None else a.astype(dtype)
    array = read_only(as_array(a, copy=True))
    for watcher in mode.get().watchers:
        watcher.on_same_numbers(array, a)
    return array


# --- the result of an operation ---------------------------------------------------------------------


def remembered(
    entry: Operation, args: tuple, arrays: list[AnyArray], kwargs: Options, y: Any
) -> Any:
    """Make a Tensor of the result of an operation; with a node, if a gradient may be asked for.

    The node has an edge for each argument that needs a gradient, and saves what the rules of these edges
    read.
    """
    now = mode.get()
    edges = edges_to(args, entry.rules) if now.grad else []
    # np.where(mask) alone returns a tuple of indices, which is no result to differentiate.
    if not edges and (not entry.rules or isinstance(y, tuple)):
        return outside_the_graph(entry, args, arrays, kwargs, y) if now.watchers else y
    if not (entry.makes_new and type(y) is np.ndarray and y.dtype.kind == "f"):
        y = as_result(y, entry, args)
        if edges and y.dtype.kind != "f":
            check_may_lose_gradient(entry, y)
            edges = []
    node = None
    if edges or now.watchers:
        node = Node(y, entry, to_save(entry, edges, args, arrays, y), kwargs, edges)
        for watcher in now.watchers:
            watcher.on_operation(node, args, y)
    return tensor_of(y, node)


def outside_the_graph(
    entry: Operation, args: tuple, arrays: list[AnyArray], kwargs: Options, y: Any
) -> Any:
    """Return the result of an operation without rules, after the watchers have seen it.

    For a recording, an array of numbers is a `Followed`. If the result is anything else, the watchers
    see that the numbers of the arguments were taken out of the graph.
    """
    watchers = mode.get().watchers
    if hasattr(y, "dtype") and not isinstance(y, type):
        node = Node(y, entry, to_save(entry, [], args, arrays, y), kwargs)
        y = followed(y, watchers)
        for watcher in watchers:
            watcher.on_operation(node, args, y)
    elif entry.function not in SHAPE_ONLY:
        for a in args:
            if isinstance(a, Tensor):
                a._taken_out()
    return y


def check_may_lose_gradient(operation: Operation, y: AnyArray) -> None:
    """Check that `operation` is meant to make integers or booleans, `y`, of numbers with a gradient.

    `astype`, and a user's own function, surely are.

    Raises:
        DTypeError: for a function that makes them because of its option `dtype`.
    """
    if "dtype" in operation.names and not operation.is_wrapped and operation.name != "np.astype":
        raise errors.DTypeError(
            f"{operation.name} with dtype={y.dtype} has no gradient, and one of its arguments needs "
            f"one: write x.astype({y.dtype.name!r}) or x.detach() for that argument first, if none is "
            f"wanted"
        )
