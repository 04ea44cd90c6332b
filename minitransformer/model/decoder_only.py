"""The decoder-only transformer: one sequence, of which each position sees those before it.

Without a source there is nothing for a decoder layer's second attention to look at, and what is left
of it is an encoder layer with a causal mask.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigrad import Tensor
from minigrad.engine.kinds import checked
from minigrad.nn import Dropout, Module

from .attention_sizes import check_sizes
from .cache import Cache
from .embedding import embed_next, embedding_table, unembedding
from .encoder import Encoder
from .positions import POSITIONS
from .results import AllWeights, Decoded, Memory, labelled
from .sizes import DecoderSizes


class DecoderOnly(Module):
    """Gives the scores of the symbol that follows each position, given those up to it
    (Radford et al., 2019; Phuong & Hutter, 2022, algorithm 10: pre-norm, GELU, final norm)."""

    def __init__(self, sizes: DecoderSizes):
        self.sizes = s = check_sizes(sizes, DecoderSizes, exactly=True)
        self.embedding = embedding_table(s.symbols, s.width)
        self.positions = POSITIONS[s.positions](s.width, s.longest)
        self.dropout = Dropout(s.dropout)
        self.stack = Encoder(s.layers, s)
        self.unembedding = unembedding(self.embedding, s.tied != "none")

    def forward(self, tokens: np.ndarray) -> Tensor:
        """The scores of what follows each position.

        Args:
            tokens: ids (B, T), padded with 0 at the end.

        Returns:
            logits (B, T, N).
        """
        return self.next_scores(tokens)

    @checked
    def encode(self, source: np.ndarray) -> Memory | None:
        """Return None, which `decode` and `next_scores` take for a memory: there is no source."""
        return None

    @checked
    def decode(
        self, tokens: np.ndarray, memory: Memory | None = None, cache: Cache | None = None
    ) -> Decoded:
        """Read a text, each position together with those before it.

        Args:
            tokens: ids (B, T); with a cache, those that it has not read.
            memory: None: there is no source.
            cache: what is remembered of the tokens so far.

        Returns:
            Vectors (B, T, D), and the weights of each layer's attention.

        Raises:
            DTypeError, ShapeError: for anything but an array of integers with two axes.
        """
        x, mask = embed_next(tokens, self.embedding, self.positions, cache)
        x = self.dropout(x)  # (B, T, D)
        x, weights = self.stack(x, mask, cache)  # (B, T, D), (B, H, T, offset + T) of each layer
        return Decoded(x, weights, [])

    @checked
    def next_scores(
        self, tokens: np.ndarray, memory: Memory | None = None, cache: Cache | None = None
    ) -> Tensor:
        """The scores (B, T, N) of the symbol that follows each position. Args: as `decode`."""
        return self.unembedding(self.decode(tokens, memory, cache).vectors)  # (B, T, N)

    @checked
    def attention_weights(self, tokens: np.ndarray, labels: Sequence[str]) -> AllWeights:
        """Return each layer's weights (1, H, T, T) for ids (1, T), with the T tokens they belong to."""
        return AllWeights([], labelled(self.decode(tokens).weights, labels, labels), [])
