"""The inputs of a function that is checked: leaves in float64."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from .. import errors
from ..arrays.trees import leaves, rebuilt
from ..engine.errors import described
from ..engine.tensor import Tensor


class Leaf(NamedTuple):
    """A tensor whose gradient is checked.

    Attributes:
        name: of f's parameter to which it was given, or the path of a module's parameter.
        position: of the argument of f that has it; None for a module's parameter.
        tensor: in float64.
    """

    name: str
    position: int | None
    tensor: Tensor


def float64_copies(f: Callable, inputs: tuple) -> tuple[list, list[Leaf]]:
    """The arguments to call f with, and the leaves among them that are checked."""
    arguments: list[Any] = []
    checked: list[Leaf] = []
    for position, (name, argument) in enumerate(zip(_names(f, inputs), inputs)):
        copies = []
        for path, value in leaves(argument):
            copy = _copy(value)
            copies.append(copy)
            if isinstance(copy, Tensor) and copy.requires_grad:
                path = f"{name}{path}" if path.startswith("[") or not path else f"{name}[{path!r}]"
                checked.append(Leaf(path, position, copy))
        arguments.append(rebuilt(argument, copies))
    return arguments, checked


def _copy(value: object) -> Any:
    """A float64 leaf for floats; it is checked, unless it is a Tensor that requires no gradient."""
    array = value._array if isinstance(value, Tensor) else value
    if not isinstance(array, (np.ndarray, np.generic, float)):
        return value
    if np.asarray(array).dtype.kind != "f":
        return Tensor(value) if isinstance(value, Tensor) else value
    required = value.requires_grad if isinstance(value, Tensor) else True
    return Tensor(array, requires_grad=required, dtype=np.float64)


def _names(f: Callable, inputs: tuple) -> list[str]:
    """List the names that f has for its arguments."""
    with contextlib.suppress(TypeError, ValueError):
        bound = inspect.signature(getattr(f, "forward", f)).bind(*inputs)
        names: list[str] = []
        for name, value in bound.arguments.items():
            kind = bound.signature.parameters[name].kind
            several = kind is inspect.Parameter.VAR_POSITIONAL
            names += [f"{name}[{i}]" for i in range(len(value))] if several else [name]
        return names
    return [f"input {i}" for i in range(len(inputs))]


@contextlib.contextmanager
def in_float64(parameters: Iterable[Tensor]) -> Iterator[None]:
    """Within it, the parameters hold float64 copies of their values."""
    before = [(p, p._array) for p in parameters]
    try:
        for p, array in before:
            p.copy_(array, dtype=np.float64)
        yield
    finally:
        for p, array in before:
            p.copy_(array, dtype=array.dtype)


def parameters_of(f: Callable, given: Mapping[str, Tensor] | None) -> Mapping[str, Tensor]:
    """The leaves that f uses beside its arguments: those given, or a module's own.

    Raises:
        ConfigError: if they are not leaves by name.
    """
    if given is None:
        return dict(f.named_parameters()) if hasattr(f, "named_parameters") else {}
    if isinstance(given, Mapping) and all(isinstance(p, Tensor) for p in given.values()):
        return given
    raise errors.ConfigError(
        f"parameters are leaves by name, as {{'w': w}}, not {described(given)}"
    )
