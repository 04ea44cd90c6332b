"""The memory of a model that writes token by token, so that no position is computed twice."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import Array


class Cache:
    """The tokens read so far, and the keys and values that each attention made of its context.

    With a cache, a model only needs to be given the new tokens:

        cache = Cache()
        logits, _ = model.decode(start, memory, source_mask, cache)    # (B, 1)
        logits, _ = model.decode(chosen, memory, source_mask, cache)   # (B, 1), the next ones

    Attributes:
        tokens: (B, T), or None before any has been read.
    """

    def __init__(self) -> None:
        self.tokens: np.ndarray | None = None
        self._kept: dict[Any, tuple[Array, Array]] = {}

    def read(self, tokens: np.ndarray) -> np.ndarray:
        """Remember new tokens (B, n); returns all so far (B, T + n)."""
        self.tokens = read = _joined(self.tokens, tokens, axis=-1)
        return read

    def length(self, attention: Any = None) -> int:
        """Return the number of positions that `attention` remembers; without it, of tokens read."""
        if attention is None:
            return 0 if self.tokens is None else self.tokens.shape[-1]
        return self._kept[attention][0].shape[-2] if attention in self._kept else 0

    def grow(self, attention: Any, key: Array, value: Array) -> tuple[Array, Array]:
        """Remember new keys (B, H, n, K) and values (B, H, n, V) of `attention`; returns all so far."""
        before = self._kept.get(attention, (None, None))
        self._kept[attention] = _joined(before[0], key, -2), _joined(before[1], value, -2)
        return self._kept[attention]

    def select(self, rows: Any) -> Cache:
        """Return a cache of these rows of the batch, given by number or as booleans: for beam search,
        and to drop rows that are finished."""
        chosen = Cache()
        chosen.tokens = None if self.tokens is None else self.tokens[rows]
        chosen._kept = {a: (key[rows], value[rows]) for a, (key, value) in self._kept.items()}
        return chosen


def _joined(before: Any, new: Any, axis: int) -> Any:
    if before is None:
        return new
    return np.concatenate([before, new], axis=axis) if new.shape[axis] else before
