"""Observations of PyTorch's calls, of which all is made that is said of them afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..engine.node import Node
from ..engine.source import SourceLine
from ..engine.tensor import Tensor
from .distances import Distance


class Taken(NamedTuple):
    """Numbers that Python got: of which node, at which line, and when, in the order of nodes."""

    node: Node
    line: SourceLine | None
    number: int


class GivenToLoss(NamedTuple):
    """A call of a loss that is made of what learns: its name, our arguments, and the line."""

    name: str
    args: list
    line: SourceLine | None


@dataclass(eq=False)
class Observations:
    """All that is observed of the calls of a block.

    Attributes:
        distances: of each result from PyTorch's.
        half: whether numbers of 16 bits were computed with 32.
        unread: calls without a row, by name: how many.
        drawn: constants that PyTorch drew.
        taken: each time that Python got numbers.
        updates: the steps that optimizers took, each an `OptimizerStep`.
        lengths: those of the gradients that the last backward() left, by the identity of the leaf.
        losses: calls of losses that are made of what learns.
    """

    distances: list[Distance] = field(default_factory=list)
    half: bool = False
    unread: dict[str, int] = field(default_factory=dict)
    drawn: list[Tensor] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    updates: list[Any] = field(default_factory=list)
    lengths: dict[int, float] = field(default_factory=dict)
    losses: list[GivenToLoss] = field(default_factory=list)
