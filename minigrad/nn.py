"""Layers: modules that hold parameters and other modules.

A module is an ordinary object whose attributes are parameters and modules. Calling it runs its
`forward`, inside a separate box in a drawing.

    class Net(nn.Module):
        def __init__(self):
            self.hidden = nn.Linear(2, 16)
            self.out = nn.Linear(16, 1)

        def forward(self, x):
            return self.out(np.tanh(self.hidden(x)))
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Protocol, TypeVar

import numpy as np

from . import errors
from . import functional as F
from .arrays.pytorchs import is_pytorchs
from .arrays.state import arrays_for
from .engine.arguments import as_array
from .engine.boxes import call_in_box
from .engine.kinds import checked, named, unknown_name
from .engine.modes import floating, get_default_dtype
from .engine.names import name_of
from .engine.tensor import Array, Tensor
from .missing import PUBLIC, AnswersOtherNames, missing
from .random import generator
from .settings import flag, real, whole
from .widening import warn_of_float64

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

__all__ = [
    "GELU",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Function",
    "Linear",
    "MSELoss",
    "Module",
    "ModuleList",
    "Parameter",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "uniform",
    "xavier_uniform",
]  # fmt: skip
PUBLIC[__name__] = __all__


def __dir__() -> list[str]:
    return __all__  # a tab shows what is for users


def __getattr__(name: str) -> Any:
    raise missing(__name__, name, "nn")


M = TypeVar("M", bound="Module")
P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class HasForward(Protocol[P, R]):
    """For type checkers: a call of a module takes and gives what its `forward` does."""

    def forward(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


class Parameter(Tensor):
    """A tensor that a module learns: it requires a gradient, and the module lists it."""

    __slots__ = ()

    @named
    def __init__(
        self, value: ArrayLike, *, requires_grad: bool = True, dtype: DTypeLike | None = None,
        name: str | None = None,
    ):  # fmt: skip
        super().__init__(value, requires_grad=requires_grad, dtype=dtype, name=name)


class Module(AnswersOtherNames):
    """The base of all layers. Subclasses set attributes in `__init__` and define `forward`.

    All that is to be learned must be found again. So methods that go over the attributes, `parameters()`
    first of all, refuse with a ModuleError what they would otherwise pass over: modules and parameters
    in a list, a dict, a dataclass or an array (use `ModuleList`), and leaves that require a gradient but
    are not `Parameter`s. A class that has one of these as an attribute of the class is refused, too.
    """

    training = True
    _home = "model"

    @staticmethod
    def _refusal(wrong: str) -> Exception:
        return errors.ModuleError(f"a {wrong}")

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        for name, value in vars(cls).items():
            if _is_overlooked([value]):
                raise errors.ModuleError(
                    f"{cls.__name__}.{name} is of the class, and would not be learned: write "
                    f"self.{name} = ... in __init__"
                )

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(vars(self).get(name), Parameter) and not isinstance(
            value, (Parameter, Module)
        ):
            raise errors.ModuleError(
                f"{type(self).__name__}.{name} is a Parameter, and would no longer be learned: write "
                f"`.{name}.data = ...` to give it new values, or nn.Parameter(...) for another one"
            )
        super().__setattr__(name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's result. Every module that is called defines this."""
        raise errors.ModuleError(
            f"{type(self).__name__} has no forward(): define forward(self, ...) in it, or call the "
            f"modules that it holds"
        )

    def __call__(self: HasForward[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        return call_in_box(self, self.forward, args, kwargs)

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly inside this one, with the names of the attributes."""
        for name, value in vars(self).items():
            if isinstance(value, Module):
                yield name, value
            elif _is_overlooked(value):
                raise errors.ModuleError(
                    f"{type(self).__name__}.{name} would not be listed, and so not be learned: use "
                    f"nn.ModuleList for modules in a row, an attribute for each parameter, and "
                    f"nn.Parameter(x) for a tensor to be learned, or x.detach() for one that is not"
                )

    @checked
    def named_modules(self, prefix: str = "", _outer: tuple = ()) -> Iterator[tuple[str, Module]]:
        """Go over this module and all inside it, by their paths, such as `encoder.layers.0`.

        Raises:
            ModuleError: if something would not be listed, or a module is inside itself.
        """
        if self in _outer:
            raise errors.ModuleError(f"{prefix} is a module that it is itself inside of")
        yield prefix, self
        for name, child in self.named_children():
            yield from child.named_modules(f"{prefix}.{name}" if prefix else name, (*_outer, self))

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """Go over the parameters with their paths; a shared one has its first path only."""
        seen: set[Parameter] = set()
        for name, parameter in self._all_parameters():
            if parameter not in seen:
                seen.add(parameter)
                yield name, parameter

    def _all_parameters(self) -> Iterator[tuple[str, Parameter]]:
        for path, module in self.named_modules():
            for name, value in vars(module).items():
                if isinstance(value, Parameter):
                    yield (f"{path}.{name}" if path else name), value

    def parameters(self) -> list[Parameter]:
        """List the parameters, each once."""
        return [parameter for _, parameter in self.named_parameters()]

    @named
    def zero_grad(self) -> None:
        """Forget all gradients: each is None again."""
        for parameter in self.parameters():
            parameter.grad = None

    @checked
    def train(self: M, training: bool = True) -> M:
        """Set this module and all inside it to training (dropout works) or not; returns it."""
        for _, module in self.named_modules():
            module.training = training
        return self

    def eval(self: M) -> M:
        """Set this module and all inside it to evaluation (dropout does nothing); returns it."""
        return self.train(False)

    def state_dict(self) -> dict[str, np.ndarray]:
        """A copy of every parameter's array, by its path; shared ones under each of theirs."""
        return {name: p.detach().numpy() for name, p in self._all_parameters()}

    @named
    def load_state_dict(self, state: Mapping[str, object]) -> None:
        """Give every parameter the values that `state` has for it.

        A state of PyTorch's tensors is taken as PyTorch lays it out: it keeps the weight of a `Linear`
        as (out, in). One of NumPy's arrays is taken as it is, (in, out): a square weight of PyTorch's
        that was made an array would be taken without an error, and has to be transposed first.

        Raises:
            StateDictError: if entries are missing, unexpected, of another shape or not of numbers,
                or differ for a parameter that is shared; it lists them, and changes no parameter.
        """
        parameters = dict(self._all_parameters())
        arrays = arrays_for(type(self).__name__, parameters, self._in_our_layout(state))
        first: dict[Parameter, str] = {}
        for name, parameter in parameters.items():
            twin = first.setdefault(parameter, name)
            if not np.array_equal(arrays[name], arrays[twin], equal_nan=True):
                raise errors.StateDictError(
                    f"{twin} and {name} are the same parameter of this {type(self).__name__}, and "
                    f"the state has different values for them"
                )
        for parameter, name in first.items():
            parameter.copy_(arrays[name])

    def _in_our_layout(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same state, the weights of a `Linear` transposed where they are tensors of PyTorch's."""
        if not isinstance(state, Mapping):
            return state
        weights = {
            f"{path}.weight".lstrip(".")
            for path, module in self.named_modules()
            if isinstance(module, Linear)
        }
        return {
            name: value.T if name in weights and is_pytorchs(value) else value
            for name, value in state.items()
        }

    def astype(self: M, dtype: DTypeLike) -> M:
        """Convert every parameter to another floating dtype, gradients forgotten; returns itself.

        Raises:
            DTypeError: if it is not a floating one; no parameter is changed.
        """
        dtype = floating("the dtype of parameters", dtype)
        for parameter in self.parameters():
            parameter.copy_(parameter, dtype=dtype)
            parameter.grad = None
        return self

    def describe(self) -> str:
        """Return what `repr` shows of this module beside its name and its children."""
        return ""

    def __repr__(self) -> str:
        children = [
            f"  {name}: {child!r}".replace("\n", "\n  ")
            for name, child in vars(self).items()
            if isinstance(child, Module)
        ]
        size = sum(parameter.size for parameter in set(_parameters_in(self)))
        count = f": {size:,} parameter{'' if size == 1 else 's'}" if size else ""
        return "\n".join([f"{type(self).__name__}({self.describe()}){count}", *children])


def _parameters_in(module: Module) -> Iterator[Parameter]:
    """Go over the parameters of a module, shared ones each time; it refuses no wrong attribute."""
    for value in vars(module).values():
        if isinstance(value, Parameter):
            yield value
        elif isinstance(value, Module):
            yield from _parameters_in(value)


def _is_overlooked(value: object) -> bool:
    """Tell whether an attribute holds something to be learned that `named_children` would not list."""
    if isinstance(value, Tensor):
        return value.requires_grad and value.is_leaf and not isinstance(value, Parameter)
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    elif isinstance(value, np.ndarray) and value.dtype.hasobject:
        value = value.ravel().tolist()
    elif dataclasses.is_dataclass(value):
        value = [getattr(value, field.name, None) for field in dataclasses.fields(value)]
    return isinstance(value, (list, tuple, set, frozenset, deque)) and any(
        isinstance(v, (Module, Parameter)) or _is_overlooked(v) for v in value
    )


class ModuleList(Module):
    """Modules in a row, named 0, 1, 2 ...: to loop over, to index, and to append to.

    Raises:
        ModuleError: for anything that is not a module.
    """

    @checked
    def __init__(self, modules: Iterable[Any] = ()):
        for module in modules:
            self.append(module)

    def append(self, module: Module) -> None:
        """Put one more module at the end."""
        if not isinstance(module, Module):
            kind, remedy = type(self).__name__, ""
            if isinstance(module, (list, tuple)):
                remedy = ": give them one by one, without the brackets"
            elif isinstance(module, str):
                remedy = f": write the function, such as F.{module}"
            elif isinstance(module, type) and issubclass(module, Module):
                remedy = f": that is a class, write {module.__name__}(...)"
            raise errors.ModuleError(f"{kind} holds modules, not {module!r}{remedy}")
        setattr(self, str(len(self)), module)

    def __iter__(self) -> Iterator[Module]:
        return (module for _, module in self.named_children())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, i: int) -> Module:
        return list(self)[i]


class Function(Module):
    """A function as a module: `Sequential(Linear(2, 16), np.tanh)` makes one of np.tanh."""

    @checked
    def __init__(self, function: Callable):
        self.function = function

    def forward(self, x: Array) -> Any:
        return self.function(x)

    def describe(self) -> str:
        return name_of(getattr(self.function, "func", self.function))


class Loss(Function):
    """A loss as a module, called with the prediction and the targets."""

    def forward(self, predicted: Array, targets: Array) -> Any:  # type: ignore[override]
        return self.function(predicted, targets)


class _AsInPyTorch(Function):
    """The base of functions as modules, as in PyTorch: `nn.GELU()` makes one, with options."""

    _function: ClassVar[Callable]

    def __init__(self, *inputs: Any, **options: Any):
        name, function = type(self).__name__, type(self)._function
        if inputs:
            raise errors.ArgumentError(
                f"{name} makes a module, which is called then: write nn.{name}()(...)"
            )
        if wrong := unknown_name(function, options):
            raise errors.ArgumentError(f"{name}: {wrong}")
        super().__init__(functools.partial(function, **options) if options else function)


class ReLU(_AsInPyTorch):
    """max(x, 0), of any shape, as a module: see `functional.relu`."""

    _function = F.relu


class GELU(_AsInPyTorch):
    """x (1 + erf(x / sqrt(2))) / 2, of any shape, as a module: see `functional.gelu`.

    Its option is that function's, as in `nn.GELU(approximate="tanh")`.
    """

    _function = F.gelu


class Sigmoid(_AsInPyTorch):
    """1 / (1 + exp(-x)), of any shape, as a module: see `functional.sigmoid`."""

    _function = F.sigmoid


class CrossEntropyLoss(_AsInPyTorch, Loss):
    """-log softmax(x)[target], of scores x (..., N) and integers (...), as a module.

    Its options are those of `functional.cross_entropy`, as in `nn.CrossEntropyLoss(ignore_index=0)`.
    """

    _function = F.cross_entropy


class MSELoss(_AsInPyTorch, Loss):
    """(predicted - targets)^2, of two arrays of one shape, averaged, as a module.

    Its options are those of `functional.mse_loss`, as in `nn.MSELoss(reduction="sum")`.
    """

    _function = F.mse_loss


class Sequential(ModuleList):
    """Modules in a row, each of which is given what the one before it returned.

    Functions may stand among them: `Sequential(Linear(2, 16), np.tanh, Linear(16, 1))`.

    Raises:
        ModuleError: for anything that is neither a module nor a function.
    """

    def __init__(self, *modules: Module | Callable):
        super().__init__(modules)

    def append(self, module: Any) -> None:
        is_function = callable(module) and not isinstance(module, (Module, type))
        super().append(Function(module) if is_function else module)

    def forward(self, x: Array) -> Tensor:
        for module in self:
            x = module(x)
        return x  # type: ignore[return-value]


class Linear(Module):
    """Weigh all inputs for each output: x W + b, with `weight` (in, out) and `bias` (out,).

    Both start uniform within 1 / sqrt(in), as PyTorch's do; PyTorch keeps the transposed weight.

    Args:
        inputs, outputs: the widths.
        bias: whether there is a bias.
        rng: where the initial values come from; default: the common generator.

    Raises:
        ConfigError: if a width is not a whole number from 0.
        ShapeError: when called with a last axis that is not `inputs` wide.
    """

    @named
    def __init__(self, inputs: int, outputs: int, bias: bool = True, *, rng=None):
        inputs, outputs = whole("inputs", inputs), whole("outputs", outputs)
        has_bias = flag("bias", bias)
        bound = 1 / math.sqrt(inputs) if inputs else 0.0
        self.weight = Parameter(uniform((inputs, outputs), bound, rng))
        self.bias = Parameter(uniform((outputs,), bound, rng)) if has_bias else None

    def forward(self, x: Array) -> Tensor:
        x = x if hasattr(x, "shape") and not is_pytorchs(x) else as_array(x)
        if x.shape[-1:] != self.weight.shape[:1]:
            remedy = ""
            if x.shape[-1:] == self.weight.shape[1:]:
                remedy = (
                    f"; its weight {self.weight.shape} is (in, out), and PyTorch's is (out, in): where "
                    f"it is an embedding's, write x @ embedding.weight.T"
                )
            raise errors.ShapeError(
                f"Linear takes a last axis of width {self.weight.shape[0]}, and the shape is "
                f"{x.shape}{remedy}"
            )
        dtype = np.result_type(x.dtype, self.weight.dtype)
        if dtype == np.float64 and self.weight.dtype == np.float32:
            warn_of_float64(x, self)
        return F.linear(x, self.weight, self.bias)  # type: ignore[return-value]  # (..., out)

    def describe(self) -> str:
        inputs, outputs = self.weight.shape
        return f"{inputs} -> {outputs}" + (", no bias" if self.bias is None else "")


class Embedding(Module):
    """Give each symbol a vector that is learned, by looking up a row of a table.

    A row of `weight` (N, D) for each of N symbols, normally distributed with `std` at first
    (lesson 05).

    Args:
        symbols: how many there are.
        width: the width of a row.
        std: the standard deviation of the initial values.
        rng: where they come from; default: the common generator.

    Raises:
        ConfigError: if a size is not a whole number from 0.
        DTypeError, ShapeError: when called with anything but integers from 0 to N - 1.
    """

    @named
    def __init__(self, symbols: int, width: int, std: float = 1.0, *, rng=None):
        shape = whole("symbols", symbols), whole("width", width)
        values = generator(rng).standard_normal(shape) * real("std", std)
        self.weight = Parameter(values, dtype=get_default_dtype())

    def forward(self, ids: Array) -> Tensor:
        return F.embedding(self.weight, ids)  # (..., D)

    def describe(self) -> str:
        return f"{self.weight.shape[0]} symbols -> {self.weight.shape[1]}"


class Dropout(Module):
    """Zero each element with probability `p` while training (see `functional.dropout`).

    Args:
        p: from 0 to below 1.
        rng: where the choice comes from; default: the common generator.

    Raises:
        ConfigError: for another p, or an rng that is no generator.
    """

    @named
    def __init__(self, p: float = 0.1, *, rng=None):
        self.p = real("p", p, below=1)
        self.rng = rng if rng is None else generator(rng)

    def forward(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.p, self.training, self.rng)

    def describe(self) -> str:
        return f"p={self.p}"


# --- initial values -------------------------------------------------------------------------------


@checked
def uniform(shape: tuple[int, ...], bound: float, rng=None) -> np.ndarray:
    """Numbers of `shape`, drawn evenly from -bound to bound, in the default dtype.

    Raises:
        ConfigError: for a bound below 0, or an rng that is no generator.
    """
    bound = real("bound", bound)
    return generator(rng).uniform(-bound, bound, shape).astype(get_default_dtype())


@checked
def xavier_uniform(
    shape: tuple[int, int], rng=None, *, part_of: tuple[int, int] | None = None
) -> np.ndarray:
    """Numbers whose size keeps variances alike forward and backward (Glorot & Bengio, 2010, eq. 16):
    drawn evenly from -b to b, with b = sqrt(6 / (in + out)).

    Args:
        shape: (in, out).
        part_of: the shape of the whole matrix, if these are only some of its columns.
    """
    return uniform(shape, math.sqrt(6 / sum(part_of or shape)), rng)
