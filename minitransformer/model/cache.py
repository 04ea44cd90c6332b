"""The cache of a model that writes token by token, so that no position is computed twice."""

from __future__ import annotations

import numpy as np

from minigrad import Tensor
from minigrad.nn import Module


class Cache:
    """The tokens read so far, and the keys and values that each attention made of its context.

    With a cache, a model only needs to be given the new tokens:

        cache = Cache()
        logits = model.next_scores(start, memory, cache)    # (B, 1, N)
        logits = model.next_scores(chosen, memory, cache)   # (B, 1, N), of the next ones

    The context of a self-attention grows with the tokens, and so do its keys and values (`grow`). The
    source stays the same: its keys and values are made in the first call, and `kept`. Only
    `MultiHeadAttention` calls `grow` and `kept`. `append` is called by `embed_next`, and by
    `training.writing` for a window, or without a cache.

    Attributes:
        tokens: (B, T), or None before any has been read.
    """

    def __init__(self) -> None:
        self.tokens: np.ndarray | None = None
        self._kept: dict[Module, tuple[Tensor, Tensor]] = {}

    def append(self, tokens: np.ndarray) -> np.ndarray:
        """Remember new tokens (B, n); returns all so far (B, T + n)."""
        if self.tokens is not None:
            tokens = np.concatenate([self.tokens, tokens], axis=-1)  # (B, T + n)
        self.tokens = tokens
        return tokens

    @property
    def offset(self) -> int:
        """The position of the next token: how many have been read."""
        return 0 if self.tokens is None else self.tokens.shape[-1]

    def length(self, attention: Module) -> int:
        """Return S, the number of positions whose keys and values `attention` made so far."""
        return self._kept[attention][0].shape[-2] if attention in self._kept else 0

    def kept(self, attention: Module) -> tuple[Tensor, Tensor]:
        """Return the keys (B, H, S, K) and values (B, H, S, V) that `attention` made so far."""
        return self._kept[attention]

    def grow(self, attention: Module, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Remember new keys (B, H, n, K) and values (B, H, n, V) of `attention`; returns all so far."""
        if attention in self._kept:
            keys, values = self._kept[attention]
            key = np.concatenate([keys, key], axis=-2)  # (B, H, S + n, K)
            value = np.concatenate([values, value], axis=-2)  # (B, H, S + n, V)
        self._kept[attention] = key, value
        return key, value

    def select(self, rows: np.ndarray | list[int]) -> Cache:
        """Return a cache of these rows of the batch, given by number or as booleans: for beam search,
        and to drop rows that are finished."""
        chosen = Cache()
        chosen.tokens = None if self.tokens is None else self.tokens[rows]
        chosen._kept = {a: (key[rows], value[rows]) for a, (key, value) in self._kept.items()}
        return chosen
