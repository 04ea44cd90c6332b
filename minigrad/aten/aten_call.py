"""One call of an ATen function: its row, and its arguments as ours."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ..engine.tensor import Tensor
from .rows import ROWS

# Options that change the place or the layout of a result, and none of its numbers. (`row_results`
# converts dtypes.)
OF_MEMORY = {
    "device", "dtype", "generator", "layout", "memory_format", "non_blocking", "out", "pin_memory",
}  # fmt: skip
# Arguments that a function writes into, although its schema does not say so.
WRITES = {"native_batch_norm": ["running_mean", "running_var"]}


class AtenCall:
    """One call of an ATen function.

    Attributes:
        arguments: the arguments of PyTorch's, by name.
        pairs: PyTorch's tensor and our Tensor, for each tensor among the arguments.
        row: the row; None if there is no row, or if the arguments cannot be taken.
        ours: the arguments as the row takes them, by position and by name.
        reason: why a result is a constant; "" if it is none, or if it has to be one.
        rough: how far rounding may have moved the arguments.
        outputs: PyTorch's results, in one list, once it has run.
    """

    def __init__(self, func: Any, args: tuple, kwargs: dict):
        self.schema = func._schema
        self.packet = func._overloadpacket.__name__
        overload = self.schema.overload_name
        self.name = f"{self.packet}.{overload}" if overload else self.packet
        self.draws = torch.Tag.nondeterministic_seeded in func.tags
        parameters = self.schema.arguments
        self.arguments = {p.name: a for p, a in zip(parameters, args)} | kwargs
        self.pairs: list[tuple[torch.Tensor, Tensor]] = []
        plain = self.packet.removesuffix("_").removesuffix("_copy")
        self.row: Callable | None = ROWS.get(self.name) or ROWS.get(self.packet) or ROWS.get(plain)
        self.ours: tuple[list, dict] = ([], {})
        self.reason = ""
        self.rough = 0.0
        self.outputs: list[Any] = []

    @property
    def makes_constants(self) -> bool:
        """Tell whether the call reads no numbers: it draws random ones, or makes ones or zeros."""
        like = self.packet.endswith("_like") or self.packet.startswith("new_")
        return self.draws or like or not self.tensors()

    def take(self, value: Callable[[torch.Tensor], Tensor]) -> None:
        """Take the arguments as ours: `value` gives our Tensor for each tensor."""

        def paired(theirs: torch.Tensor) -> Tensor:
            self.pairs.append((theirs, value(theirs)))
            return self.pairs[-1][1]

        self.ours = self.as_ours(paired)

    def as_ours(self, value: Callable[[torch.Tensor], Tensor]) -> tuple[list, dict]:
        """The arguments as a row takes them; at the end, arguments with their defaults are left out."""
        by_position: list[Any] = []
        by_name: dict[str, Any] = {}
        needed = 0
        for p in self.schema.arguments:
            default = p.default_value if p.has_default_value() else inspect.Parameter.empty
            argument = self.arguments.get(p.name, default)
            is_default = argument is default or (
                type(argument) in (bool, int, float, list, str) and argument == default
            )
            if p.kwarg_only:
                if not is_default and p.name not in OF_MEMORY:
                    by_name[p.name] = _mapped(argument, value)
                continue
            by_position.append(_mapped(argument, value))
            needed = needed if is_default or p.name in OF_MEMORY else len(by_position)
        return by_position[:needed], by_name

    def tensors(self) -> list[torch.Tensor]:
        return list(tensors_in(self.arguments.values()))

    def written(self) -> list[torch.Tensor]:
        """The tensors that the call writes into."""
        names = [p.name for p in self.schema.arguments if p.alias_info and p.alias_info.is_write]
        if self.packet in WRITES and self.arguments["training"]:
            names += WRITES[self.packet]
        return list(tensors_in([self.arguments.get(name) for name in names]))

    def written_results(self) -> Iterator[bool]:
        """Tell for each result whether it is an argument that was written into."""
        for r in self.schema.returns:
            yield bool(r.alias_info and r.alias_info.is_write)
        while True:
            yield False


def _mapped(argument: Any, value: Callable[[torch.Tensor], Tensor]) -> Any:
    """An argument, or a list of them, with a value for each tensor."""
    if isinstance(argument, torch.Tensor):
        return value(argument)
    if isinstance(argument, (list, tuple)):
        return [_mapped(a, value) for a in argument]
    return argument


def tensors_in(values: Any) -> Iterator[torch.Tensor]:
    """The tensors among `values`, and in the lists among them."""
    for v in values:
        if isinstance(v, torch.Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from tensors_in(v)


def outputs_of(theirs: Any) -> list:
    """All results in one list; lists among them are opened."""
    if not isinstance(theirs, (list, tuple)):
        return [theirs]
    return [o for one in theirs for o in (one if isinstance(one, (list, tuple)) else [one])]
