"""Steps of training, as a diagnosis reads them: losses, gradients, and what became of parameters.

`SeenTraining` is of PyTorch's loops and of ours. Of ours a `Loop` sees it, inside `record()`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays.blocks import squares
from ..engine.source import SourceLine
from ..engine.tensor import Tensor
from ..optim import Optimizer


class Update(NamedTuple):
    """The change of a parameter by a step of training: its numbers, and the gradient before it."""

    before: np.ndarray
    after: np.ndarray
    gradient: np.ndarray


class OptimizerStep(NamedTuple):
    """A step that an optimizer took.

    Attributes:
        optimizer: the optimizer.
        line: of the code that asked for the step.
        came: the length of the gradient when backward() left it.
        found: the length of the gradient that the step takes: 0 if there is none.
        rates: the learning rate of each of its groups.
    """

    optimizer: Any
    line: SourceLine | None
    came: float
    found: float
    rates: tuple[float, ...]


class SeenParameter(NamedTuple):
    """A parameter, and what became of it in the block.

    Attributes:
        name: of the parameter, after the module that was called.
        key: of the parameter, in `SeenTraining.versions`.
        versions: its arrays, a new one each time that it was changed.
        reached: how often `backward()` gave it a gradient.
        outer: the module that was called, in which it is, by identity; None for none.
        in_list: `Net.layers`, if it is in a list there, which a module does not look into.
    """

    name: str
    key: Any
    versions: list[np.ndarray]
    reached: int
    outer: int | None
    in_list: str = ""

    @property
    def changes(self) -> int:
        """The count of the steps that changed its numbers."""
        return sum(not np.array_equal(a, b) for a, b in itertools.pairwise(self.versions))


@dataclass(frozen=True)
class SeenTraining:
    """Steps of training. Parameters are known by keys.

    Attributes:
        losses: the result that each `backward()` walked back from; None where it is not known.
        steps: those that optimizers took.
        versions: the arrays of each parameter, a new one each time that it was changed.
        reached: how often `backward()` gave each parameter a gradient.
        kept: of each gradient that was not cleared: the name of the parameter, and how many times in a
            row that has changed meanwhile.
        is_doubtful: tells whether a gradient up to a place may be wrong; then steps are not judged.
        key_of: gives the key of a parameter that an optimizer has.
        updates: gives the changes of parameters after the `backward()` at a place.
        parameters: gives all parameters.
        optimizers: gives those that took a step, and others that have one of the parameters.
        unused: gives the names of parameters that an optimizer has, and that nothing used.
    """

    losses: list[Tensor | None]
    steps: list[OptimizerStep]
    versions: dict[Any, list[np.ndarray]]
    reached: dict[Any, int]
    kept: list[tuple[str, int]]
    is_doubtful: Callable[[int], bool]
    key_of: Callable[[Any], Any]
    updates: Callable[[int], list[Update]]
    parameters: Callable[[], list[SeenParameter]]
    optimizers: Callable[[], list[Any]]
    unused: Callable[[], list[str]]

    def by_optimizer(self) -> list[list[OptimizerStep]]:
        """The steps of each optimizer."""
        found: dict[int, list[OptimizerStep]] = {}
        for step in self.steps:
            found.setdefault(id(step.optimizer), []).append(step)
        return [*found.values()]

    def keys_of(self, optimizer: Any) -> list[Any]:
        """The keys of the parameters that an optimizer has."""
        return [*map(self.key_of, parameters_of(optimizer))]

    def moved_by(self, optimizer: Any) -> list[float]:
        """The length of each step of an optimizer that was seen, as a part of that of its parameters."""
        known = [self.versions[key] for key in self.keys_of(optimizer) if key in self.versions]
        most = max(map(len, known), default=0)
        arrays = [[array.astype(np.float64) for array in v] for v in known if len(v) == most]
        sizes = [length(a[k] for a in arrays) or 1.0 for k in range(most)]
        return [length(a[k + 1] - a[k] for a in arrays) / sizes[k] for k in range(most - 1)]

    def optimized(self) -> set[Any]:
        """The keys of the parameters that optimizers have."""
        return {key for o in self.optimizers() for key in self.keys_of(o)} & self.versions.keys()

    def replaced(self) -> list[tuple[int, ...]]:
        """The shapes of the parameters that optimizers have, and that nothing in the block used."""
        held = {self.key_of(p): p for o in self.optimizers() for p in parameters_of(o)}
        return [tuple(p.shape) for key, p in held.items() if key not in self.versions]


def parameters_of(optimizer: Any) -> list[Any]:
    """The parameters of an optimizer of ours, or of all groups of one of PyTorch's."""
    if isinstance(optimizer, Optimizer):
        return optimizer.parameters
    groups = getattr(optimizer, "param_groups", ())  # none before it is complete
    return [p for group in groups for p in group["params"]]


def length(arrays: Iterable[np.ndarray]) -> float:
    """The length of arrays as one vector."""
    return math.sqrt(sum(map(squares, arrays)))
