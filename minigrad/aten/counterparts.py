"""Counterparts: PyTorch's modules as ours, for the names of parameters and the boxes of a drawing."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from ..nn import Module, Parameter
from .numbers import has_numbers


class Counterpart(Module):
    """A module with the attributes of one of PyTorch's: its modules, parameters and buffers, as ours."""

    details = ""

    def describe(self) -> str:
        return self.details


@functools.cache
def kind(theirs: Any) -> type[Counterpart]:
    """A class of ours, with the name and the purpose of one of PyTorch's modules."""
    return type(theirs.__name__, (Counterpart,), {"__doc__": without_markup(theirs.__doc__ or "")})


def without_markup(docstring: str) -> str:
    """A docstring of PyTorch's without the call that it may begin with, and the roles of Sphinx."""
    docstring = re.sub(r"\A\s*__init__\(.*\)\s*", "", docstring)
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", docstring)


class Counterparts:
    """The counterparts of all modules that were called, and of those inside them.

    Args:
        tensor: gives our Tensor for a parameter or a buffer of PyTorch's.

    Attributes:
        known: each module with its counterpart, by the identity of the module, which is kept alive.
        evaluating: kinds of modules that ran in evaluation mode, with gradients.
        not_run: sentences on compiled code, which does not run in a block.
        homes: the counterparts that hold a tensor, and its name there, by its identity.
    """

    def __init__(self, tensor: Callable[[Any], Any]):
        self.tensor = tensor
        self.known: dict[int, tuple[Any, Counterpart]] = {}
        self.evaluating: set[str] = set()
        self.not_run: dict[str, None] = {}
        self.homes: dict[int, list[tuple[Counterpart, str]]] = {}

    def of(self, module: Any) -> Counterpart:
        """The counterpart of a module, always the same one."""
        if id(module) not in self.known:
            theirs: Any = type(module)
            counterpart = kind(theirs)()
            self.known[id(module)] = module, counterpart
            lines = module.extra_repr().splitlines()
            counterpart.details = lines[0] if len(lines) == 1 else ""
            self.fill(module)
            for name, child in module._modules.items():
                if child is not None and not hasattr(Counterpart, name):
                    setattr(counterpart, name, self.of(child))
        return self.known[id(module)][1]

    def modules(self) -> list[Any]:
        """PyTorch's modules, in the order in which they were met."""
        return [module for module, _ in self.known.values()]

    def fill(self, module: Any) -> None:
        """Take the parameters and buffers that a module has now: a lazy module has them after a call."""
        counterpart = self.known[id(module)][1]
        for name, tensor in (*module._parameters.items(), *module._buffers.items()):
            if tensor is None or hasattr(counterpart, name) or not has_numbers(tensor):
                continue
            self.homes.setdefault(id(tensor), []).append((counterpart, name))
            self.renew(tensor, self.tensor(tensor))

    def holds(self, theirs: Any) -> bool:
        """Tell whether a tensor belongs to a module that was called."""
        return id(theirs) in self.homes

    def renew(self, theirs: Any, ours: Any) -> None:
        """Put a new Tensor of ours into the counterparts that hold one of PyTorch's tensors."""
        if isinstance(ours, Parameter) or not ours.requires_grad:  # a computed one is no parameter
            for counterpart, name in self.homes.get(id(theirs), ()):
                setattr(counterpart, name, ours)
