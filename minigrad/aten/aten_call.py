"""One call of an ATen function: its arguments as ours, and what its row gives."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from ..engine.errors import PROBLEMS
from ..engine.followed import followed
from ..engine.modes import mode
from ..engine.tensor import Tensor
from .numbers import array_of
from .rows import ROWS

# Options that change where a result lies, or how, and none of its numbers; dtypes are converted.
OF_MEMORY = {
    "device", "dtype", "generator", "layout", "memory_format", "non_blocking", "out", "pin_memory",
}  # fmt: skip
WRITES = {"native_batch_norm": ["running_mean", "running_var"]}  # what no schema says


class AtenCall:
    """One call of an ATen function.

    Attributes:
        given: the arguments, by name.
        pairs: of each tensor among them, theirs and ours.
        row: None where there is none, or the arguments cannot be taken.
        ours: the arguments as the row takes them, by position and by name.
        reason: why a result is a constant; "" where it is none, or has to be one.
        rough: how far rounding may have moved the arguments.
    """

    def __init__(self, func: Any, args: tuple, kwargs: dict):
        self.schema = func._schema
        self.packet = func._overloadpacket.__name__
        overload = self.schema.overload_name
        self.name = f"{self.packet}.{overload}" if overload else self.packet
        self.draws = torch.Tag.nondeterministic_seeded in func.tags
        parameters = self.schema.arguments
        self.given = {p.name: a for p, a in zip(parameters, args)} | kwargs
        self.pairs: list[tuple[torch.Tensor, Tensor]] = []
        plain = self.packet.removesuffix("_").removesuffix("_copy")
        self.row: Callable | None = ROWS.get(self.name) or ROWS.get(self.packet) or ROWS.get(plain)
        self.ours: tuple[list, dict] = ([], {})
        self.reason = ""
        self.rough = 0.0

    @property
    def makes_constants(self) -> bool:
        """Tell whether it reads no numbers: it draws them, or makes ones, zeros and their like."""
        like = self.packet.endswith("_like") or self.packet.startswith("new_")
        return self.draws or like or not self.tensors()

    def as_ours(self, value: Callable[[torch.Tensor], Tensor]) -> tuple[list, dict]:
        """The arguments as a row takes them, without those at their defaults at the end."""
        by_position: list[Any] = []
        by_name: dict[str, Any] = {}
        needed = 0
        for p in self.schema.arguments:
            default = p.default_value if p.has_default_value() else inspect.Parameter.empty
            given = self.given.get(p.name, default)
            is_default = given is default or (
                type(given) in (bool, int, float, list, str) and given == default
            )
            if p.kwarg_only:
                if not is_default and p.name not in OF_MEMORY:
                    by_name[p.name] = self._as_ours(given, value)
                continue
            by_position.append(self._as_ours(given, value))
            needed = needed if is_default or p.name in OF_MEMORY else len(by_position)
        return by_position[:needed], by_name

    def _as_ours(self, given: Any, value: Callable[[torch.Tensor], Tensor]) -> Any:
        if isinstance(given, torch.Tensor):
            self.pairs.append((given, value(given)))
            return self.pairs[-1][1]
        if isinstance(given, (list, tuple)):
            return [self._as_ours(a, value) for a in given]
        return given

    def tensors(self) -> list[torch.Tensor]:
        return list(tensors_in(self.given.values()))

    def written(self) -> list[torch.Tensor]:
        """The tensors that it writes into."""
        names = [p.name for p in self.schema.arguments if p.alias_info and p.alias_info.is_write]
        if self.packet in WRITES and self.given["training"]:
            names += WRITES[self.packet]
        return list(tensors_in([self.given.get(name) for name in names]))

    def written_results(self) -> Iterator[bool]:
        """Tell for each result whether it is an argument that was written into."""
        for r in self.schema.returns:
            yield bool(r.alias_info and r.alias_info.is_write)
        while True:
            yield False


def results(row: Callable, ours: tuple[list, dict], outputs: list) -> list:
    """Call a row, and list what it gives, as many as PyTorch's results.

    What has no axes counts for PyTorch as having one, of length 1, where a call names an axis.
    """
    args, options = ours
    if "theirs" in _names(row):
        options = {**options, "theirs": [_given(o, args) for o in outputs]}
    try:
        values = row(*args, **options)
    except (*PROBLEMS, ZeroDivisionError):  # by 0, as in `dim % x.ndim`
        if not any(isinstance(a, Tensor) and not a.ndim for a in args):
            raise
        args = [np.reshape(a, (1,)) if isinstance(a, Tensor) and not a.ndim else a for a in args]
        if "theirs" in options:
            options["theirs"] = [np.reshape(a, a.shape or (1,)) for a in options["theirs"]]
        values = row(*args, **options)
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    return values + [None] * (len(outputs) - len(values))


def _given(output: Any, args: list) -> Any:
    """A result of PyTorch's as an array, of which views know that it is made of these arguments."""
    if not isinstance(output, torch.Tensor):
        return output
    array, watchers = array_of(output), mode.get().watchers
    for watcher in watchers:
        watcher.on_made(array, [a for a in args if isinstance(a, Tensor)])
    return followed(array, watchers)


@functools.cache
def _names(row: Callable) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(row).parameters)
    except ValueError:  # a ufunc
        return ()


def tensors_in(values: Any) -> Iterator[torch.Tensor]:
    """The tensors among `values`, and in the lists among them."""
    for v in values:
        if isinstance(v, torch.Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from tensors_in(v)


def outputs_of(theirs: Any) -> list:
    """The results in one list, those in lists among them."""
    if not isinstance(theirs, (list, tuple)):
        return [theirs]
    return [o for one in theirs for o in (one if isinstance(one, (list, tuple)) else [one])]
