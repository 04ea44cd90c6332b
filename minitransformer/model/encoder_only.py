"""The encoder-only transformer: every position sees all others, and hidden tokens are filled in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import Array, generator
from minigrad.functional import gelu
from minigrad.nn import Dropout, Module

from . import masks
from .embedding import embed, embedding, unembedding
from .encoder import Encoder
from .layer_norm import LayerNorm
from .positions import POSITIONS
from .projection import projection
from .sizes import EncoderSizes
from .weights import Weights


def hide(
    tokens: np.ndarray, mask: int, p: float = 0.15, pad: int = 0, rng: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Hide random tokens, to learn by guessing them: return what to read and what to guess
    (Phuong & Hutter, 2022, algorithm 12):

        read, guess = hide(tokens, mask)
        loss = cross_entropy(model(read), guess, ignore_index=0)

    Args:
        tokens: ids (B, T), padded.
        mask: the id that stands for a hidden token.
        p: the probability with which each token is hidden; padding never is.
        pad: the id of padding.
        rng: the random generator for the choice (default: the common generator).

    Returns:
        The tokens with some hidden (B, T), and the hidden ones, with padding elsewhere (B, T).
    """
    hidden = (generator(rng).random(tokens.shape) < p) & (tokens != pad)
    return np.where(hidden, mask, tokens), np.where(hidden, tokens, pad)


class EncoderOnly(Module):
    """Reads tokens of which some are hidden, and gives the scores of each position's token
    (Devlin et al., 2019; Phuong & Hutter, 2022, algorithm 9: post-norm, GELU, and a final linear map
    with GELU and norm)."""

    def __init__(self, sizes: EncoderSizes):
        self.sizes = s = sizes
        self.embedding = embedding(s.symbols, s.width)
        self.positions = POSITIONS[s.positions](s.width, s.longest)
        self.dropout = Dropout(s.dropout)
        self.encoder = Encoder(s.layers, **s.layer)
        self.final = projection(s.width, s.width)
        self.norm = LayerNorm(s.width)
        self.unembedding = unembedding(self.embedding, s.tied != "none")

    def forward(self, tokens: np.ndarray) -> Array:
        """The scores of the symbol at each position, given all others.

        Args:
            tokens: ids (B, T), padded with 0; what is hidden has the id that stands for that.

        Returns:
            logits (B, T, N).
        """
        x, _ = self.encode(tokens)  # (B, T, D)
        x = self.norm(gelu(self.final(x)))
        return self.unembedding(x)  # (B, T, N)

    def encode(self, tokens: np.ndarray) -> tuple[Array, list[Array]]:
        """Return the output of the encoder (B, T, D), and each layer's weights (B, H, T, T)."""
        x = self.dropout(embed(tokens, self.embedding, self.positions))  # (B, T, D)
        return self.encoder(x, masks.padding(tokens))

    def attention_weights(self, tokens: np.ndarray, labels: Sequence[str]) -> list[Weights]:
        """Each layer's weights (1, H, T, T) for ids (1, T), with the T tokens that they belong to."""
        return [Weights(w, labels, labels) for w in self.encode(tokens)[1]]
