"""Attention weights that carry the tokens they belong to, so that no picture can swap its axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad import Array, Tensor, errors
from minigrad.engine.kinds import checked

from .grid import grid


@checked
@dataclass(frozen=True, eq=False)
class Weights:
    """Attention weights: how much each query attends to each key; printed as a grid of percentages.

    Indexing picks from the batch and the heads: `weights[0, 2]`.

    Args:
        values: (..., T, S), one row per query, one column per key.
        queries: the tokens of the T queries.
        keys: the tokens of the S keys.

    Raises:
        ShapeError: if there are not as many tokens as rows and columns.
    """

    values: Array
    queries: Sequence[str]
    keys: Sequence[str]

    def __post_init__(self) -> None:
        if self.values.shape[-2:] != (len(self.queries), len(self.keys)):
            raise errors.ShapeError(
                f"weights {self.values.shape} do not fit {len(self.queries)} queries (rows) and "
                f"{len(self.keys)} keys (columns)"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def numpy(self) -> np.ndarray:
        """A copy of the values as an array (..., T, S), outside the graph."""
        return np.array(self.values.data if isinstance(self.values, Tensor) else self.values)

    def __getitem__(self, index: Any) -> Weights:
        return Weights(self.values[index], self.queries, self.keys)

    def __str__(self) -> str:
        return grid(self.numpy(), self.queries, self.keys, lambda w: f"{100 * w:.0f}")
