"""Tensor: an array that remembers how it was made.

A Tensor answers NumPy's own protocols (`__array_ufunc__`, NEP 13, and `__array_function__`, NEP 18),
so `np.exp(x)`, `np.sum(x, axis=1)` and `np.concatenate([x, y])` work on Tensors as they stand. Each
call arrives at `apply`, which computes the result on the arrays inside and, where a gradient may be
asked for, ties it to its arguments by a `Node`.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import definitions
from ..views.show import extent, outline, values
from ..views.source import names_here, source_line
from . import errors, rules, table
from .modes import count, mode, scoped
from .node import Node, Note
from .table import Definition, Plain, Rule, spec

# --- the tensor -----------------------------------------------------------------------------------


def _operator(function: Callable) -> Callable[..., Any]:
    def method(self, other):
        return apply(function, (self, other), {})

    return method


def _reflected(function: Callable) -> Callable[..., Any]:
    def method(self, other):
        return apply(function, (other, self), {})

    return method


def _method(function: Callable) -> Callable[..., Any]:
    def method(self, *args, **kwargs):
        return apply(function, (self, *args), kwargs)

    method.__doc__ = f"As `{table.name_of(function)}`, with this tensor as its first argument."
    return method


class Tensor:
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

    __slots__ = (
        "__weakref__", "_array", "_grad", "_node", "_owner", "_requires_grad", "_version",
        "name", "number",
    )  # fmt: skip

    def __init__(self, value: Any, *, requires_grad=False, dtype=None, name: str | None = None):
        if isinstance(value, Tensor):
            value = value._leave("Tensor(x)")
        self._array = as_array(value, dtype, copy=True)
        self._node: Node | None = None
        self._grad: Tensor | None = None
        self._owner: Tensor | None = None  # the leaf in whose memory the array lies, if another's
        self._version = 0
        self._requires_grad = bool(requires_grad)
        self.name = name
        self.number = count()
        self.requires_grad = requires_grad

    # What it is

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def dtype(self) -> np.dtype:
        return self._array.dtype

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def size(self) -> int:
        return self._array.size

    @property
    def T(self) -> Tensor:  # noqa: N802
        return apply(np.transpose, (self,), {})

    @property
    def mT(self) -> Tensor:  # noqa: N802
        """The matrix transpose: the last two axes exchanged."""
        return apply(np.swapaxes, (self, -1, -2), {})

    @property
    def data(self) -> np.ndarray:
        """A read-only view of the array, outside the graph."""
        view = self._array.view() if isinstance(self._array, np.ndarray) else self._array
        if isinstance(view, np.ndarray):
            view.flags.writeable = False
        return view

    @data.setter
    def data(self, value: Any) -> None:
        raise errors.GraphError(
            "write x.copy_(value), so that a graph that still needs the old values will say so"
        )

    @property
    def requires_grad(self) -> bool:
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, required: bool) -> None:
        if self._node is not None and required != self._requires_grad:
            raise errors.GraphError(
                f"requires_grad follows from the arguments for the result of "
                f"{table.name_of(self._node.function)}; set it on leaves, or use detach()"
            )
        if required and not np.issubdtype(self.dtype, np.floating):
            raise errors.DTypeError(
                f"only floating tensors can require a gradient, not {self.dtype}; "
                f"convert it first, for instance with dtype=np.float32"
            )
        if required and not self._requires_grad:  # from now on it may be trained in place
            self._array = self._array.copy()
            self._owner = None
        self._requires_grad = bool(required)

    def requires_grad_(self, required: bool = True) -> Tensor:
        """Set `requires_grad` and return this tensor."""
        self.requires_grad = required
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no operation made it that a gradient could go on to."""
        return self._node is None or not self._requires_grad

    @property
    def grad(self) -> Tensor | None:
        """The gradient that `backward()` computed, or None where it computed none.

        Leaves have one; a result in between does after `retain_grad()` or under `record()`.
        """
        if self._node is not None and self._node.note is not None:
            return self._node.note.grad
        return self._grad

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
        if self._node is not None and self._node.note is not None:
            self._node.note.grad = gradient
        self._grad = gradient

    def retain_grad(self) -> Tensor:
        """Have `backward()` keep the gradient of this result too; returns this tensor.

        Raises:
            GraphError: if this tensor requires no gradient.
        """
        if not self._requires_grad:
            raise errors.GraphError(
                f"no gradient reaches this tensor, {outline(self)}, so there is none to retain"
            )
        if self._node is not None and self._node.note is None:
            self._node.note = Note(value=self._array)
        return self

    # Out of the graph

    def detach(self) -> Tensor:
        """A copy of the values outside the graph: no gradient flows through the result."""
        return _wrap(self._array.copy())

    def numpy(self) -> np.ndarray:
        """A copy of the values as a NumPy array, yours to change.

        Raises:
            DetachError: if this tensor requires a gradient, which would be lost.
        """
        return np.array(self._leave("x.numpy()"))

    def item(self) -> Any:
        """The value of a tensor with one element, as a Python number."""
        return self._one("x.item()", np.asarray(self._array))

    def tolist(self) -> Any:
        """The values as (nested lists of) Python numbers."""
        return np.asarray(self._array).tolist()

    def _leave(self, what: str) -> Any:
        """The array itself, on its way out of the graph."""
        if self._requires_grad:
            raise errors.DetachError(
                f"{what} would take the value of a tensor that requires a gradient out of the "
                f"graph, and the gradient would be lost. If that is meant, write "
                f"x.detach(), x.detach().numpy() or, for one number, x.item(); to join tensors, "
                f"np.stack."
            )
        return self._array

    def _one(self, what: str, array: Any) -> Any:
        if self.size != 1:
            raise errors.ShapeError(f"{what} needs one element, and the shape is {self.shape}")
        return np.asarray(array).item()

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        view = np.asarray(self._leave("np.asarray(x)")).view()
        view.flags.writeable = False
        return np.array(view, dtype=dtype, copy=copy)

    def __float__(self) -> float:
        return float(self._one("float(x)", self._leave("float(x)")))

    def __int__(self) -> int:
        return int(self._one("int(x)", self._leave("int(x)")))

    def __index__(self) -> int:
        return operator.index(np.asarray(self._leave("x as an index"))[()])

    def __bool__(self) -> bool:
        if self.size != 1:
            raise errors.ShapeError(
                f"a tensor of shape {self.shape} is not true or false as a whole; write x.any() or "
                f"x.all(), or compare its size"
            )
        return bool(self._array)

    # In place: only leaves, and counted

    def copy_(self, value: Any, dtype: Any = None) -> Tensor:
        """Give this leaf new values; a graph that still needs the old ones will say so.

        Raises:
            GraphError: if this tensor is the result of an operation.
            ShapeError: if the shapes differ.
            DTypeError: if `dtype` is not floating, and this tensor requires a gradient.
        """
        array = as_array(value, dtype or self.dtype, copy=True)
        if self._node is not None or self._owner is not None:
            raise errors.GraphError("only a leaf can be changed in place; use copy() for a new one")
        if array.shape != self.shape:
            raise errors.ShapeError(f"cannot copy shape {array.shape} into shape {self.shape}")
        if self._requires_grad and array.dtype.kind != "f":
            raise errors.DTypeError(
                f"{array.dtype} cannot require a gradient, and this tensor does"
            )
        self._version += 1
        self._array = array  # others may look at the old one
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        raise errors.UnsupportedError(
            "a Tensor does not change in place: write x = np.where(mask, new, x), or build it "
            "with np.concatenate or np.stack; to overwrite a whole leaf, x.copy_(values)"
        )

    def __copy__(self) -> Tensor:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict) -> Tensor:
        """The same place in the graph, with arrays of its own; it never walks the graph."""
        twin = object.__new__(type(self))
        for slot in Tensor.__slots__[1:]:
            setattr(twin, slot, getattr(self, slot))
        twin._array = self._array.copy()
        twin._grad = copy.deepcopy(self._grad, memo)
        twin._owner = None
        if self._node is None:
            twin.number = count()
        return twin

    def __reduce__(self) -> tuple:
        if self._node is not None:
            raise errors.GraphError("a tensor inside a graph cannot be pickled; detach() it first")
        return _restore, (type(self), np.asarray(self._array), self._requires_grad, self.name)

    # NumPy's protocols

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method == "__call__":
            return apply(ufunc, inputs, kwargs)
        return definitions.ufunc_method(ufunc, method)(*inputs, **kwargs)

    def __array_function__(self, function, types, args, kwargs):
        return apply(function, args, kwargs)

    # Operators

    __add__, __radd__ = _operator(np.add), _reflected(np.add)
    __sub__, __rsub__ = _operator(np.subtract), _reflected(np.subtract)
    __mul__, __rmul__ = _operator(np.multiply), _reflected(np.multiply)
    __truediv__, __rtruediv__ = _operator(np.divide), _reflected(np.divide)
    __floordiv__, __rfloordiv__ = _operator(np.floor_divide), _reflected(np.floor_divide)
    __mod__, __rmod__ = _operator(np.mod), _reflected(np.mod)
    __pow__, __rpow__ = _operator(np.power), _reflected(np.power)
    __matmul__, __rmatmul__ = _operator(np.matmul), _reflected(np.matmul)
    __eq__, __ne__ = _operator(np.equal), _operator(np.not_equal)  # type: ignore[assignment]
    __lt__, __le__ = _operator(np.less), _operator(np.less_equal)
    __gt__, __ge__ = _operator(np.greater), _operator(np.greater_equal)
    __and__, __rand__ = _operator(np.bitwise_and), _reflected(np.bitwise_and)
    __or__, __ror__ = _operator(np.bitwise_or), _reflected(np.bitwise_or)
    __xor__, __rxor__ = _operator(np.bitwise_xor), _reflected(np.bitwise_xor)
    __hash__ = object.__hash__

    def __neg__(self) -> Tensor:
        return apply(np.negative, (self,), {})

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return apply(np.absolute, (self,), {})

    def __invert__(self) -> Any:
        return apply(np.invert, (self,), {})

    def __getitem__(self, index: Any) -> Tensor:
        return apply(operator.getitem, (self, index), {})

    def __len__(self) -> int:
        if not self.shape:
            raise errors.UnsupportedError("a 0-d tensor has no length, and no elements to go over")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(np.equal(self, value)))

    # Methods: those of NumPy's arrays

    sum = _method(np.sum)
    prod = _method(np.prod)
    mean = _method(np.mean)
    var = _method(np.var)
    std = _method(np.std)
    max = _method(np.max)
    min = _method(np.min)
    cumsum = _method(np.cumsum)
    cumprod = _method(np.cumprod)
    argmax = _method(np.argmax)
    argmin = _method(np.argmin)
    argsort = _method(np.argsort)
    any = _method(np.any)
    all = _method(np.all)
    nonzero = _method(np.nonzero)
    round = _method(np.round)
    clip = _method(np.clip)
    dot = _method(np.dot)
    trace = _method(np.trace)
    diagonal = _method(np.diagonal)
    ravel = _method(np.ravel)
    flatten = _method(np.ravel)
    swapaxes = _method(np.swapaxes)
    squeeze = _method(np.squeeze)
    repeat = _method(np.repeat)
    take = _method(np.take)
    copy = _method(np.copy)

    def reshape(self, *shape: Any, order: str = "C") -> Tensor:
        """This tensor in another shape: `x.reshape(2, 3)` or `x.reshape((2, 3))`."""
        if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)):
            shape = tuple(shape[0])
        return apply(np.reshape, (self, shape), {"order": order} if order != "C" else {})

    def transpose(self, *axes: Any) -> Tensor:
        """This tensor with its axes permuted: `x.transpose(1, 0)`; all reversed without any."""
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return apply(np.transpose, (self, axes or None), {})

    def astype(self, dtype: Any) -> Tensor:
        """This tensor converted to `dtype`; the gradient comes back in the old one."""
        dtype = np.dtype(dtype)
        if dtype.kind != "f":
            return _wrap(as_array(self._array, dtype, copy=True))
        return apply(rules.astype, (self, dtype), {})

    def backward(self, gradient=None, *, retain_graph=False, create_graph=False) -> None:
        """Compute the gradient of this tensor with respect to every leaf that requires one.

        Gradients are added to the leaves' `.grad`. See `minigrad.steps` for the same walk step by
        step.

        Args:
            gradient: the gradient of the loss with respect to this tensor, of its shape. May be
                left out for a tensor with one element, whose gradient is then 1.
            retain_graph: keep what the graph holds, so that it can be walked again.
            create_graph: make the gradients tensors with a graph of their own, for higher
                derivatives. Implies `retain_graph`. A leaf then holds a gradient whose graph leads
                back to the leaf: a cycle, which only the garbage collector ends, or setting `.grad`
                to None. `minigrad.grad` returns gradients, and makes none.

        Raises:
            GraphError: if the tensor requires no gradient, if the graph has been freed, or if a
                leaf that it needs was changed since; no gradient is touched then.
            ShapeError: if `gradient` is left out and the tensor has more than one element, or does
                not have its shape.
        """
        from .walk import backward

        backward(self, gradient, retain_graph=retain_graph, create_graph=create_graph)

    def __repr__(self) -> str:
        kind = type(self).__name__
        if isinstance(self._array, np.ndarray):
            parts = [np.array2string(self._array, separator=", ", prefix=f"{kind}(")]
        else:
            parts = [repr(self._array)]  # an array that would have to be computed first
        if self.size > np.get_printoptions()["threshold"] or (not self.size and self.ndim > 1):
            parts.append(f"shape={self.shape}")
        if self.dtype != mode.dtype:
            parts.append(f"dtype={self.dtype}")
        if self.name is not None:
            parts.append(f"name={self.name!r}")
        if self._node is not None and self._requires_grad:
            parts.append(f"from {table.name_of(self._node.function)}")
        elif self._requires_grad:
            parts.append("requires_grad=True")
        return f"{kind}({', '.join(parts)})"

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        return format(self._one(f"the format {spec!r}", self._array), spec)


def as_array(value: Any, dtype: Any = None, copy: bool = False) -> Any:
    """`value` as an array of real numbers; Python floats become the default dtype.

    Raises:
        DTypeError: if it holds anything but real numbers, integers or booleans.
        ShapeError: if it is a ragged list.
        DetachError: if it is a list that has Tensors in it.
    """
    array = value._array if isinstance(value, Tensor) else value
    if isinstance(value, (float, list, tuple)):
        types = _types_in(value)
        if any(issubclass(t, Tensor) for t in types):
            raise errors.DetachError("make one tensor of several with np.stack or np.concatenate")
        if dtype is None and types <= {float, int, bool} and (float in types or not types):
            dtype = mode.dtype
    if isinstance(value, np.ma.MaskedArray):
        raise errors.DTypeError(
            f"a Tensor has no hidden elements; fill them first: {_shortened(value)}"
        )
    foreign = hasattr(type(array), "__array_function__") and not isinstance(array, np.ndarray)
    if not foreign:
        try:
            array = np.asarray(array)
        except ValueError as problem:
            raise errors.ShapeError(
                f"cannot make an array of {_shortened(value)}: {problem}"
            ) from None
    wanted = array.dtype if dtype is None else np.dtype(dtype)
    for held in (array.dtype, wanted):
        if held.kind not in "fiub":
            raise errors.DTypeError(f"a Tensor holds real numbers, not {held}: {_shortened(value)}")
    if not wanted.isnative:
        wanted = wanted.newbyteorder("=")
    if foreign:  # Dask and its kind are immutable
        return array if array.dtype == wanted else array.astype(wanted)
    return np.array(array, dtype=wanted, copy=True if copy else None)


def _types_in(value: Any) -> set[type]:
    """The types of the numbers in a nested list."""
    if isinstance(value, (list, tuple)):
        return set().union(*map(_types_in, value))
    return {type(value)}


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _restore(kind: type, array: np.ndarray, requires_grad: bool, name: str | None) -> Tensor:
    tensor = _wrap(array)
    twin: Tensor = object.__new__(kind)
    for slot in Tensor.__slots__[1:]:
        setattr(twin, slot, getattr(tensor, slot))
    twin.name, twin.requires_grad = name, requires_grad
    return twin


def _wrap(array: Any, node: Node | None = None, owner: Tensor | None = None) -> Tensor:
    """A Tensor around an array that is nobody else's, or that of `owner`, a leaf."""
    tensor = object.__new__(Tensor)
    tensor._array = np.asarray(array) if isinstance(array, np.generic) else array
    tensor._node = node
    tensor._grad = None
    tensor._owner = owner
    tensor._version = 0
    tensor._requires_grad = node is not None
    tensor.name = None
    tensor.number = node.number if node is not None else count()
    return tensor


# --- every operation goes through here --------------------------------------------------------------

table.answers = Tensor
_ARRAYS = (Tensor, np.ndarray, list)
_PROBLEMS = (ValueError, TypeError, IndexError, NotImplementedError, np.linalg.LinAlgError)
_TO_BE_CHANGED = (list, tuple, np.matrix, np.ma.MaskedArray)


def apply(function: Callable, args: tuple, kwargs: dict) -> Any:
    """Call `function` on the arrays inside `args`, and tie the result to the tensors among them."""
    entry = table.TABLE.get(function) or table.lookup(function)
    if kwargs or len(args) > entry.most:
        args, kwargs = _checked(entry, args, kwargs)
    arrays: list[Any] = []
    try:
        for a in args:
            if isinstance(a, Tensor):
                a = a._array
            elif isinstance(a, _TO_BE_CHANGED):
                data = _as_data(a, len(arrays), entry)
                if data is not a:
                    args = (*args[: len(arrays)], data, *args[len(arrays) + 1 :])
                a = _arrays_in(data)
            arrays.append(a)
        if isinstance(entry, Definition):
            return scoped(entry.name, entry.body, args, kwargs)
        keep: dict[str, list] = {"kept": []} if entry.keeps and mode.grad else {}
        y = entry.call(*arrays, **kwargs, **keep)
    except _PROBLEMS as problem:
        raise errors.failed(entry.name, args, kwargs, problem) from problem
    if isinstance(entry, Plain) or (function is np.where and isinstance(y, tuple)):
        return y
    if mode.anomaly:
        _check_finite(entry, args, y)
    return _tie(entry, args, kwargs, y, keep.get("kept"))


def _as_data(a: Any, i: int, entry: table.Entry) -> Any:
    """A list given as argument `i`, as an array if it is one of numbers, not of axes or places."""
    if isinstance(a, np.ndarray):
        return as_array(a)  # a matrix would multiply as one, in the rules too
    rules = getattr(entry, "rules", None)
    derived = rules is not None and i < len(rules) and rules[i] is not None
    if rules is not None and not derived:
        return a
    if isinstance(entry.function, np.ufunc) or entry.function is np.where:
        return _stacked(a) if any(issubclass(t, Tensor) for t in _types_in(a)) else as_array(a)
    if any(isinstance(b, Tensor) for b in a):
        return [as_array(b) if isinstance(b, (float, list, tuple)) else b for b in a]
    return as_array(a) if derived or {float, np.float64} & _types_in(a) else a


def _stacked(a: Any) -> Any:
    """Numbers and tensors in nested lists, as one tensor."""
    if isinstance(a, (list, tuple)):
        return np.stack([_stacked(b) for b in a])
    return a if isinstance(a, Tensor) else as_array(a)


def _arrays_in(a: Any) -> Any:
    """An argument, or a list as one, with arrays in place of tensors."""
    if isinstance(a, Tensor):
        return a._array
    return type(a)([_arrays_in(b) for b in a]) if isinstance(a, (list, tuple)) else a


def _tie(entry: Rule, args: tuple, kwargs: dict, y: Any, by_kernel: list | None) -> Tensor:
    """The result `y` as a Tensor, with a Node where a gradient may be asked for."""
    y = np.asarray(y) if isinstance(y, (int, float)) else y
    if not hasattr(y, "dtype"):
        raise errors.UnsupportedError(
            f"{entry.name} gives a {type(y).__name__}, and a rule is for a function that gives one "
            f"array; write one for each result, and a rule for each"
        )
    dtype = y.dtype
    if dtype.kind not in "fiub":
        raise errors.DTypeError(f"{entry.name} gives {dtype}, and a Tensor holds real numbers")
    edges: list[tuple[int, Any]] = []
    positions: tuple[int, ...] = ()
    if mode.grad and dtype.kind == "f":
        for i, (a, r) in enumerate(zip(args, entry.rules)):
            if r is not None and (to := _target(a)) is not None:
                edges.append((i, to))
                positions += (i,)
    # A ufunc makes a new array; what other functions return may lie in the memory of a leaf.
    owner = None if entry.makes_new else _owner_of(y, args)
    recording = mode.recording
    if not edges and not recording:
        return _wrap(y, None, owner)
    if isinstance(y, np.generic):
        y = np.asarray(y)
    needs_y, needs = entry.needs(positions, len(args))
    versions: list[tuple[Tensor, int]] = []
    kept = [_kept(a, versions) if needed else _outline(a) for a, needed in zip(args, needs)]
    if needs_y and owner is not None:
        versions.append((owner, owner._version))
    node = Node(
        entry.function, entry.rules, tuple(kept), kwargs, edges,
        y if needs_y else spec(y.shape, dtype), versions, mode.scope, by_kernel,
    )  # fmt: skip
    result = _wrap(y, node, owner)
    if not edges:
        result._requires_grad = False
    if recording or mode.anomaly:
        node.note = Note(y, args, source_line(), names_here(_tensors_in(args)))
    return result


def _target(a: Any) -> Any:
    """Where the gradient of an argument goes: its node, itself if it is a leaf, or nowhere."""
    if isinstance(a, Tensor):
        return (a._node or a) if a._requires_grad else None
    if isinstance(a, (list, tuple)):
        targets = list(map(_target, a))
        return targets if any(to is not None for to in targets) else None
    return None


def _kept(a: Any, versions: list[tuple[Tensor, int]]) -> Any:
    """What a node keeps of an argument: nothing that anybody else can change unnoticed."""
    if isinstance(a, Tensor):
        owner = a if a._owner is None else a._owner
        if owner._node is None:
            versions.append((owner, owner._version))
        return a._array
    if isinstance(a, np.ndarray):
        return a.copy(order="K")  # products round by how their arguments lie in memory
    if isinstance(a, (list, tuple)):
        return type(a)([_kept(b, versions) for b in a])
    return a


def _outline(a: Any) -> Any:
    """What a node keeps of an argument of which no rule reads the values."""
    if isinstance(a, Tensor):
        a = a._array
    elif isinstance(a, (list, tuple)):
        return type(a)([_outline(b) for b in a])
    elif not isinstance(a, np.ndarray):
        return a
    return spec(a.shape, a.dtype)


def _tensors_in(args: Any) -> Iterator[Tensor]:
    for a in args:
        if isinstance(a, Tensor):
            yield a
        elif isinstance(a, (list, tuple)):
            yield from _tensors_in(a)


def _owner_of(y: Any, args: tuple) -> Tensor | None:
    """The leaf among `args`, or behind one of them, in whose memory `y` lies: it changes with it."""
    base = getattr(y, "base", None)
    memory = y if base is None else base
    for a in args:
        if isinstance(a, Tensor):
            owner = a if a._owner is None else a._owner
            if owner._node is None and (memory is owner._array or memory is a._array):
                return owner
    return None


def _check_finite(entry: Rule, args: tuple, y: Any) -> None:
    """Raise where `y` has a NaN, or an infinity that was not among the arguments already."""
    result = values(y)
    if result is None or result.dtype.kind != "f" or np.all(np.isfinite(result)):
        return
    given = [array for a in _numbers_in(args) if (array := values(a)) is not None]
    if np.any(np.isnan(result)) or not any(np.any(np.isinf(a)) for a in given):
        ranges = "; ".join(f"{outline(a)} {extent(a)}" for a in given)
        raise errors.AnomalyError(
            f"{entry.name} gives {outline(result)} {extent(result)}, from {ranges}"
            f"\n  at {source_line()}"
        )


def _numbers_in(args: Any) -> Iterator[Any]:
    for a in args:
        if isinstance(a, (list, tuple)):
            yield from _numbers_in(a)
        elif isinstance(a, float) or getattr(getattr(a, "dtype", None), "kind", "") == "f":
            yield a


def _checked(entry: table.Entry, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments of a call, with arrays that were given by keyword at their positions.

    Raises:
        UnsupportedError: for an option that the entry does not know, such as `out=` or `where=`.
    """
    if isinstance(entry, Plain):
        entry.check(args, kwargs)
        return args, {k: v._array if isinstance(v, Tensor) else v for k, v in kwargs.items()}
    if len(args) > entry.most or not entry.keywords.issuperset(kwargs):
        entry.check(args, kwargs)
        kwargs = {k: v for k, v in kwargs.items() if v is not None or k not in table.INSTEAD}
    if isinstance(entry, Definition):
        lists = {k: _as_data(v, 0, entry) for k, v in kwargs.items() if isinstance(v, list)}
        return args, kwargs | lists
    if not any(isinstance(v, _ARRAYS) for v in kwargs.values()):
        return args, kwargs
    kwargs, names = dict(kwargs), entry.parameters
    while len(args) < len(names) and names[len(args)] in kwargs:
        args = (*args, kwargs.pop(names[len(args)]))
    for k, v in kwargs.items():
        if isinstance(v, _ARRAYS):
            raise errors.UnsupportedError(
                f"{entry.name} of a Tensor takes {', '.join(names)}: give {k}= by its position"
            )
    return args, kwargs
