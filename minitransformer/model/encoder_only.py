"""The encoder-only transformer: every position sees all others, and hidden tokens are filled in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigrad import Tensor, generator
from minigrad.engine.kinds import checked
from minigrad.functional import gelu
from minigrad.nn import Dropout, Module

from . import masks
from .attention_sizes import check_sizes
from .embedding import embed, embedding_table, unembedding
from .encoder import Encoder
from .layer_norm import LayerNorm
from .positions import POSITIONS
from .projection import projection
from .results import AllWeights, Memory, labelled
from .sizes import EncoderSizes


def hide(
    tokens: np.ndarray,
    mask_id: int,
    p: float = 0.15,
    pad: int = 0,
    rng: np.random.Generator | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Hide random tokens, to learn by guessing them: return what to read and what to guess
    (Phuong & Hutter, 2022, algorithm 12):

        read, guess = hide(tokens, mask_id)
        loss = cross_entropy(model(read), guess, ignore_index=0)

    Args:
        tokens: ids (B, T), padded.
        mask_id: the id that stands for a hidden token.
        p: the probability with which each token is hidden; padding never is.
        pad: the id of padding.
        rng: the random generator for the choice (default: the common generator).

    Returns:
        The tokens with some hidden (B, T), and the hidden ones, with padding elsewhere (B, T).
    """
    hidden = (generator(rng).random(tokens.shape) < p) & (tokens != pad)
    return np.where(hidden, mask_id, tokens), np.where(hidden, tokens, pad)


class EncoderOnly(Module):
    """Reads tokens of which some are hidden, and gives the scores of each position's token
    (Devlin et al., 2019; Phuong & Hutter, 2022, algorithm 9: post-norm, GELU, and a final linear map
    with GELU and norm)."""

    def __init__(self, sizes: EncoderSizes):
        self.sizes = s = check_sizes(sizes, EncoderSizes, exactly=True)
        self.embedding = embedding_table(s.symbols, s.width)
        self.positions = POSITIONS[s.positions](s.width, s.longest)
        self.dropout = Dropout(s.dropout)
        self.encoder = Encoder(s.layers, s)
        self.final = projection(s.width, s.width)
        self.norm = LayerNorm(s.width)
        self.unembedding = unembedding(self.embedding, s.tied != "none")

    def forward(self, tokens: np.ndarray) -> Tensor:
        """The scores of the symbol at each position, given all others.

        Args:
            tokens: ids (B, T), padded with 0; what is hidden has the id that stands for that.

        Returns:
            logits (B, T, N).
        """
        x = self.encode(tokens).vectors  # (B, T, D)
        x = self.norm(gelu(self.final(x)))  # (B, T, D)
        return self.unembedding(x)  # (B, T, N)

    @checked
    def encode(self, tokens: np.ndarray, mask: np.ndarray | None = None) -> Memory:
        """Read tokens, each position together with all others.

        Args:
            tokens: ids (B, T), padded with 0.
            mask: booleans (B, 1, 1, T), True = may be attended to (default: all but the padding).

        Returns:
            Vectors (B, T, D), the mask, and each layer's weights (B, H, T, T).

        Raises:
            DTypeError, ShapeError: for anything but an array of integers with two axes.
        """
        mask = masks.padding(tokens) if mask is None else mask  # (B, 1, 1, T)
        x = self.dropout(embed(tokens, self.embedding, self.positions))  # (B, T, D)
        x, weights = self.encoder(x, mask)  # (B, T, D), (B, H, T, T) of each layer
        return Memory(x, mask, weights)

    @checked
    def attention_weights(self, tokens: np.ndarray, labels: Sequence[str]) -> AllWeights:
        """Return each layer's weights (1, H, T, T) for ids (1, T), with the T tokens they belong to."""
        return AllWeights(labelled(self.encode(tokens).weights, labels, labels), [], [])
