"""The decoder-only transformer: one sequence, of which each position sees those before it.

Without a source there is nothing for a decoder layer's second attention to look at, and what is left
of it is an encoder layer with a causal mask.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigrad import Array
from minigrad.nn import Dropout, Module

from . import masks
from .cache import Cache
from .embedding import embed, embedding, unembedding
from .encoder import Encoder
from .positions import POSITIONS
from .sizes import DecoderSizes
from .weights import Weights


class DecoderOnly(Module):
    """Gives the scores of the symbol that follows each position, given those up to it
    (Radford et al., 2019; Phuong & Hutter, 2022, algorithm 10: pre-norm, GELU, final norm)."""

    def __init__(self, sizes: DecoderSizes):
        self.sizes = s = sizes
        self.embedding = embedding(s.symbols, s.width)
        self.positions = POSITIONS[s.positions](s.width, s.longest)
        self.dropout = Dropout(s.dropout)
        self.decoder = Encoder(s.layers, **s.layer)
        self.unembedding = unembedding(self.embedding, s.tied != "none")

    def forward(self, tokens: np.ndarray, cache: Cache | None = None) -> Array:
        """The scores of what follows each position.

        Args:
            tokens: ids (B, T), padded with 0 at the end; with a cache, those that it has not read.
            cache: what is remembered of the tokens so far.

        Returns:
            logits (B, T, N).
        """
        x, _ = self.decode(tokens, cache)  # (B, T, D)
        return self.unembedding(x)  # (B, T, N)

    def decode(self, tokens: np.ndarray, cache: Cache | None = None) -> tuple[Array, list[Array]]:
        """Return the output of the layers (B, T, D), and the weights of each layer (B, H, T, T)."""
        read, offset = tokens, 0
        if cache is not None:
            offset = cache.length()
            read = cache.read(tokens)  # (B, offset + T)
        x = self.dropout(embed(tokens, self.embedding, self.positions, offset))  # (B, T, D)
        mask = masks.decoder(read, new=tokens.shape[-1])  # (B, 1, T, offset + T)
        return self.decoder(x, mask, cache)

    def attention_weights(self, tokens: np.ndarray, labels: Sequence[str]) -> list[Weights]:
        """Each layer's weights (1, H, T, T) for ids (1, T), with the T tokens that they belong to."""
        return [Weights(w, labels, labels) for w in self.decode(tokens)[1]]
