"""Hooks that the user gave to tensors and modules: they may change a gradient on its way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from ..engine.source import SourceLine, source_line

HOOKED = "{} has a hook on its gradient"


class Hooks:
    """The hooks that were seen.

    Attributes:
        seen: a sentence on each hook, and its line if known, by the identity of the tensor or module.
    """

    def __init__(self) -> None:
        self.seen: dict[int, tuple[str, SourceLine | None]] = {}

    def note(self, theirs: torch.Tensor, name: str) -> None:
        """Note that a tensor gets a hook: the tensor may be gone when PyTorch walks back."""
        self.seen[id(theirs)] = HOOKED.format(name), source_line()

    def look_at(
        self, tensors: Iterable[Any], modules: Iterable[Any], called: Callable[[Any], str]
    ) -> None:
        """Note each tensor and each module that has hooks; `called` names a tensor."""
        for t in tensors:
            if t._backward_hooks or t._post_accumulate_grad_hooks:
                _, line = self.seen.get(id(t), ("", None))
                hooks = (*(t._backward_hooks or {}).values(),)
                self.seen[id(t)] = HOOKED.format(called(t)), line or _line_of(hooks)
        for module in modules:
            if module._backward_hooks or module._backward_pre_hooks:
                self.seen[id(module)] = f"a {type(module).__name__} has a backward hook", None


def _line_of(functions: Sequence[Any]) -> SourceLine | None:
    """The line where the first of these functions begins that is written in Python."""
    codes = (f.__code__ for f in functions if hasattr(f, "__code__"))
    return next((SourceLine(c.co_filename, c.co_firstlineno) for c in codes), None)
