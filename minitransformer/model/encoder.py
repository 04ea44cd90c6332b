"""The encoder: layers in which every position looks at all others, or at those that a mask allows."""

from __future__ import annotations

import numpy as np

from minigrad import Array, Tensor
from minigrad.engine.kinds import named
from minigrad.nn import Module

from .attention_sizes import check_sizes
from .cache import Cache
from .feed_forward import FEED_FORWARDS
from .multi_head import MultiHeadAttention
from .residual import Residual
from .sizes import LayerSizes
from .stack import Stack


class EncoderLayer(Module):
    """Look at the positions that the mask allows, work on each, and add what is found to what was there.

    Self-attention, then feed-forward, each inside a residual (Vaswani et al., 2017, section 3.1; Phuong
    & Hutter, 2022, algorithm 9; lesson 12).

    Args:
        sizes: of the layer.
    """

    @named
    def __init__(self, sizes: LayerSizes):
        s = check_sizes(sizes, LayerSizes)
        self.self_attention = MultiHeadAttention(s.self_attention)
        self.residual1 = Residual(s.width, s.norm, s.dropout)
        self.feed_forward = FEED_FORWARDS[s.activation](s.width, s.feed_forward)
        self.residual2 = Residual(s.width, s.norm, s.dropout)

    def forward(
        self, x: Array, mask: np.ndarray | None = None, cache: Cache | None = None
    ) -> tuple[Tensor, Tensor]:
        """Run one layer.

        Args:
            x: (B, S, D).
            mask: booleans that broadcast to the weights.
            cache: the keys and values of positions read before; the mask must then hide later ones.

        Returns:
            (B, S, D), and the weights of the attention (B, H, S, S); with a cache of `offset` positions
            (B, H, S, offset + S).

        Raises:
            ShapeError, DTypeError: as `MultiHeadAttention`.
        """
        y = self.residual1.before(x)
        attended, weights = self.self_attention(y, y, mask, cache=cache)  # (B, S, D)
        x = self.residual1.after(x, attended)
        worked = self.feed_forward(self.residual2.before(x))  # (B, S, D)
        return self.residual2.after(x, worked), weights


class Encoder(Stack):
    """Read all positions, so that each knows what stands where the mask lets it look (lesson 12)."""

    kind = EncoderLayer

    def forward(
        self, x: Array, mask: np.ndarray | None = None, cache: Cache | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        """(B, S, D) to (B, S, D), and each layer's weights, as `EncoderLayer` gives them."""
        maps = []
        for layer in self.layers:
            x, weights = layer(x, mask, cache)
            maps.append(weights)
        return self.end(x), maps
