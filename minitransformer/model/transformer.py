"""The encoder-decoder transformer of "Attention Is All You Need" (Vaswani et al., 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from minigrad import Array
from minigrad.nn import Dropout, Module

from . import masks
from .cache import Cache
from .decoder import Decoder
from .embedding import embed, embedding, unembedding
from .encoder import Encoder
from .positions import POSITIONS
from .sizes import Sizes
from .weights import Weights


class Transformer(Module):
    """Read a source, and give the scores of each next target symbol.

    Phuong & Hutter, 2022, algorithm 8 (lesson 12). Default: post-norm, ReLU, sinusoidal positions;
    `sizes` can change these.
    """

    def __init__(self, sizes: Sizes):
        self.sizes = s = sizes
        self.source_embedding = embedding(s.source_symbols, s.width)
        self.target_embedding = (
            self.source_embedding if s.tied == "all" else embedding(s.target_symbols, s.width)
        )
        self.positions = POSITIONS[s.positions](s.width, s.longest)
        self.dropout = Dropout(s.dropout)
        self.encoder = Encoder(s.encoder_layers, **s.layer)
        self.decoder = Decoder(s.decoder_layers, **s.layer)
        self.unembedding = unembedding(self.target_embedding, s.tied != "none")

    def forward(self, source: np.ndarray, target: np.ndarray) -> Array:
        """The scores of the symbol that follows each target position, given those up to it.

        Args:
            source: ids (B, S), padded with 0.
            target: ids (B, T), beginning with the start symbol, padded with 0.

        Returns:
            logits (B, T, N).
        """
        source_mask = masks.padding(source)  # (B, 1, 1, S)
        logits, _ = self.decode(target, self.encode(source, source_mask), source_mask)
        return logits

    def encode(self, source: np.ndarray, source_mask: np.ndarray | None) -> Array:
        """Encode the source ids (B, S): return the memory (B, S, D)."""
        memory, _ = self._encode(source, source_mask)
        return memory

    def decode(
        self,
        target: np.ndarray,
        memory: Array,
        source_mask: np.ndarray | None,
        cache: Cache | None = None,
    ) -> tuple[Array, list[Array]]:
        """The scores of what follows each target position.

        Args:
            target: ids (B, T); with a cache, those that it has not read.
            memory: (B, S, D), from `encode`.
            source_mask: (B, 1, 1, S).
            cache: what is remembered of the target so far, and of the memory.

        Returns:
            logits (B, T, N), and each decoder layer's weights over the source (B, H, T, S).
        """
        x, _, cross = self._decode(target, memory, source_mask, cache)
        return self.unembedding(x), cross  # (B, T, N)

    def attention_weights(
        self,
        source: np.ndarray,
        target: np.ndarray,
        source_labels: Sequence[str],
        target_labels: Sequence[str],
    ) -> AllWeights:
        """All attention weights, with the masks of training, and with the tokens that they belong to.

        Args:
            source: ids (1, S).
            target: ids (1, T), as the decoder reads them, the start symbol first.
            source_labels, target_labels: S and T tokens.
        """
        source_mask = masks.padding(source)
        memory, encoder = self._encode(source, source_mask)
        _, decoder, cross = self._decode(target, memory, source_mask)
        return AllWeights(
            [Weights(w, source_labels, source_labels) for w in encoder],
            [Weights(w, target_labels, target_labels) for w in decoder],
            [Weights(w, target_labels, source_labels) for w in cross],
        )

    def _encode(
        self, source: np.ndarray, source_mask: np.ndarray | None
    ) -> tuple[Array, list[Array]]:
        x = self.dropout(embed(source, self.source_embedding, self.positions))  # (B, S, D)
        return self.encoder(x, source_mask)

    def _decode(
        self,
        target: np.ndarray,
        memory: Array,
        source_mask: np.ndarray | None,
        cache: Cache | None = None,
    ) -> tuple[Array, list[Array], list[Array]]:
        read, offset = target, 0
        if cache is not None:
            offset = cache.length()
            read = cache.read(target)  # (B, offset + T)
            memory = memory if offset == 0 else memory[:, :0]  # it is remembered, none of it new
        x = self.dropout(embed(target, self.target_embedding, self.positions, offset))  # (B, T, D)
        target_mask = masks.decoder(read, new=target.shape[-1])  # (B, 1, T, offset + T)
        return self.decoder(x, memory, target_mask, source_mask, cache)


class AllWeights(NamedTuple):
    """The attention weights of every layer, each (1, H, rows, columns), rows = queries.

    encoder: source over source; decoder: target over target; cross: target over source.
    """

    encoder: list[Weights]
    decoder: list[Weights]
    cross: list[Weights]
