"""The results of the three models' `encode` and `decode`, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from minigrad import Tensor

from .weights import Weights


class Memory(NamedTuple):
    """A source as an encoder has read it, each position with what stands around it.

    Attributes:
        vectors: (B, S, D).
        mask: booleans (B, 1, 1, S), or what broadcasts to that; True = may be attended to.
        weights: of each layer (B, H, S, S).
    """

    vectors: Tensor
    mask: np.ndarray
    weights: list[Tensor]

    def select(self, rows: np.ndarray | list[int]) -> Memory:
        """Return the memory of these rows of the batch, given by number or as booleans, without the
        weights, which no decoder reads."""
        each = self.mask.ndim == 4 and len(self.mask) > 1
        return Memory(self.vectors[rows], self.mask[rows] if each else self.mask, [])


class Decoded(NamedTuple):
    """A text as a decoder has read it, each position with what stands before it.

    Attributes:
        vectors: (B, T, D).
        weights: of each layer's attention to the text itself (B, H, T, T); with a cache
            (B, H, T, offset + T).
        cross: of each layer's attention to the source (B, H, T, S); none without a source.
    """

    vectors: Tensor
    weights: list[Tensor]
    cross: list[Tensor]


class AllWeights(NamedTuple):
    """The attention weights of every layer, each (1, H, rows, columns), rows = queries.

    encoder: source over source; decoder: target over target; cross: target over source. A model without
    one of these parts has an empty list for it.
    """

    encoder: list[Weights]
    decoder: list[Weights]
    cross: list[Weights]


def labelled(
    weights: Sequence[Tensor], queries: Sequence[str], keys: Sequence[str]
) -> list[Weights]:
    """Give each layer's weights the tokens of its rows and its columns."""
    return [Weights(layer, queries, keys) for layer in weights]
