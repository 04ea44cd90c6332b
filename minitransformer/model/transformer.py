"""The encoder-decoder transformer of "Attention Is All You Need" (Vaswani et al., 2017)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigrad import Tensor, errors
from minigrad.engine.kinds import checked
from minigrad.nn import Dropout, Module

from . import masks
from .attention_sizes import check_sizes
from .cache import Cache
from .decoder import Decoder
from .embedding import embed, embed_next, embedding_table, unembedding
from .encoder import Encoder
from .positions import POSITIONS
from .results import AllWeights, Decoded, Memory, labelled
from .sizes import Sizes


class Transformer(Module):
    """Read a source, and give the scores of each next target symbol.

    Phuong & Hutter, 2022, algorithm 8 (lesson 12). Default: post-norm, ReLU, sinusoidal positions;
    `sizes` can change these.
    """

    def __init__(self, sizes: Sizes):
        self.sizes = s = check_sizes(sizes, Sizes, exactly=True)
        self.source_embedding = embedding_table(s.source_symbols, s.width)
        self.target_embedding = (
            self.source_embedding if s.tied == "all" else embedding_table(s.target_symbols, s.width)
        )
        self.positions = POSITIONS[s.positions](s.width, s.longest)
        self.dropout = Dropout(s.dropout)
        self.encoder = Encoder(s.encoder_layers, s)
        self.decoder = Decoder(s.decoder_layers, s)
        self.unembedding = unembedding(self.target_embedding, s.tied != "none")

    def forward(self, source: np.ndarray, target: np.ndarray) -> Tensor:
        """The scores of the symbol that follows each target position, given those up to it.

        Args:
            source: ids (B, S), padded with 0.
            target: ids (B, T), beginning with the start symbol, padded with 0.

        Returns:
            logits (B, T, N).

        Raises:
            DTypeError, ShapeError: for anything but two arrays of integers with two axes, of one B.
        """
        memory = self.encode(source)
        if np.ndim(target) and len(target) != len(source):
            raise errors.ShapeError(
                f"{len(source)} sources {np.shape(source)} and {len(target)} targets "
                f"{np.shape(target)}: give a target for each source"
            )
        return self.next_scores(target, memory)

    @checked
    def encode(self, source: np.ndarray, mask: np.ndarray | None = None) -> Memory:
        """Read a source, each position together with all others.

        Args:
            source: ids (B, S), padded with 0.
            mask: booleans (B, 1, 1, S), True = may be attended to (default: all but the padding).

        Returns:
            The memory: vectors (B, S, D), for `decode` and `next_scores`.

        Raises:
            DTypeError, ShapeError: for anything but an array of integers with two axes.
        """
        mask = masks.padding(source) if mask is None else mask  # (B, 1, 1, S)
        x = self.dropout(embed(source, self.source_embedding, self.positions))  # (B, S, D)
        x, weights = self.encoder(x, mask)  # (B, S, D), (B, H, S, S) of each layer
        return Memory(x, mask, weights)

    @checked
    def decode(self, target: np.ndarray, memory: Memory, cache: Cache | None = None) -> Decoded:
        """Read a target, each position together with those before it and with the source.

        Args:
            target: ids (B, T); with a cache, without the ids that it has.
            memory: the source, as `encode` returned it.
            cache: the ids read before, and the keys and values of these and of the memory.

        Returns:
            Vectors (B, T, D), and the weights of both attentions of each layer.

        Raises:
            DTypeError, ShapeError: for anything but an array of integers with two axes.
        """
        x, mask = embed_next(target, self.target_embedding, self.positions, cache)
        x = self.dropout(x)  # (B, T, D)
        return Decoded(*self.decoder(x, memory.vectors, mask, memory.mask, cache))

    @checked
    def next_scores(self, target: np.ndarray, memory: Memory, cache: Cache | None = None) -> Tensor:
        """The scores (B, T, N) of the symbol that follows each target position. Args: as `decode`."""
        return self.unembedding(self.decode(target, memory, cache).vectors)  # (B, T, N)

    @checked
    def attention_weights(
        self,
        source: np.ndarray,
        target: np.ndarray,
        source_labels: Sequence[str],
        target_labels: Sequence[str],
    ) -> AllWeights:
        """Return all attention weights, with the masks of training, and with the tokens of each.

        Args:
            source: ids (1, S).
            target: ids (1, T), as the decoder reads them, the start symbol first.
            source_labels, target_labels: S and T tokens.
        """
        memory = self.encode(source)
        _, own, cross = self.decode(target, memory)
        return AllWeights(
            labelled(memory.weights, source_labels, source_labels),
            labelled(own, target_labels, target_labels),
            labelled(cross, target_labels, source_labels),
        )
