"""From tokens to vectors, and from vectors to the scores of tokens."""

from __future__ import annotations

import math

import numpy as np

from minigrad import Array, Tensor
from minigrad.nn import Embedding, Linear, Module, Parameter

from . import masks
from .cache import Cache
from .positions import Positions
from .projection import projection
from .tokens import check_tokens


def embedding_table(symbols: int, width: int) -> Embedding:
    """A table (N, D) whose rows, times sqrt(D), have numbers of variance 1 at first
    (Phuong & Hutter, 2022, algorithm 1)."""
    return Embedding(symbols, width, std=width**-0.5)


def embed(ids: np.ndarray, embedding: Embedding, positions: Positions, offset: int = 0) -> Tensor:
    """Make the rows as large as the positions that are added to them.

    Rows of the embedding times sqrt(D), plus the positions (Vaswani et al., 2017, section 3.4).

    Args:
        ids: (B, T).
        positions: one of `POSITIONS`, as made for this model.
        offset: the position of the first id.

    Returns:
        (B, T, D).

    Raises:
        DTypeError, ShapeError: for anything but an array of integers with two axes.
    """
    check_tokens(ids)
    D = embedding.weight.shape[1]
    rows = embedding(ids)  # (B, T, D)
    return positions(rows * math.sqrt(D), offset)


def embed_next(
    ids: np.ndarray, embedding: Embedding, positions: Positions, cache: Cache | None = None
) -> tuple[Tensor, np.ndarray]:
    """Embed the next ids that a decoder reads, and make their mask.

    Args:
        ids: (B, T), without the ids that the cache has.
        embedding, positions: as for `embed`.
        cache: the ids read before; these are added to it. Without a cache, there are none.

    Returns:
        The vectors (B, T, D), and the mask (B, 1, T, offset + T), where `offset` ids were read before.

    Raises:
        DTypeError, ShapeError: as `embed`.
    """
    offset = 0 if cache is None else cache.offset
    read = ids if cache is None else cache.append(ids)  # (B, offset + T)
    x = embed(ids, embedding, positions, offset)  # (B, T, D)
    return x, masks.decoder(read, new=ids.shape[-1])


class Tied(Module):
    """The scores of tokens by the matrix that embeds them, transposed (Press & Wolf, 2017).

    Args:
        embedding: whose `weight` (N, D) it shares.
    """

    def __init__(self, embedding: Embedding):
        self.weight = embedding.weight  # (N, D)
        self.bias = Parameter([0.0] * embedding.weight.shape[0])  # (N,)

    def forward(self, x: Array) -> Tensor:
        return x @ np.swapaxes(self.weight, 0, 1) + self.bias  # (..., N)

    def describe(self) -> str:
        return f"{self.weight.shape[1]} -> {self.weight.shape[0]}, the embedding's weight"


def unembedding(embedding: Embedding, tied: bool) -> Tied | Linear:
    """Make the module that gives each token of the embedding a score: x W + b
    (Phuong & Hutter, 2022, algorithm 7, before its softmax)."""
    symbols, width = embedding.weight.shape
    return Tied(embedding) if tied else projection(width, symbols)
