"""Observations of PyTorch's calls. The messages after the block are made of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ..engine.node import Node
from ..engine.source import SourceLine
from ..engine.tensor import Tensor
from ..ran.training import OptimizerStep
from .distances import Distance


class Taken(NamedTuple):
    """Numbers that Python got: their node, the line, and the count of nodes at that time."""

    node: Node
    line: SourceLine | None
    number: int


class GivenToLoss(NamedTuple):
    """A call of a loss function on a value that requires a gradient."""

    name: str
    args: list
    line: SourceLine | None


@dataclass(eq=False)
class Observations:
    """The observations of the calls of a block.

    Attributes:
        distances: of each result from PyTorch's.
        half: whether numbers of 16 bits were computed with 32.
        unread: how many calls had no row, by name.
        drawn: constants that PyTorch drew at random.
        taken: each time that Python got numbers.
        updates: the steps that optimizers took, in order.
        losses: the calls of loss functions.
    """

    distances: list[Distance] = field(default_factory=list)
    half: bool = False
    unread: dict[str, int] = field(default_factory=dict)
    drawn: list[Tensor] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    updates: list[OptimizerStep] = field(default_factory=list)
    losses: list[GivenToLoss] = field(default_factory=list)
