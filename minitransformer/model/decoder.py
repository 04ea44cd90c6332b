"""The decoder: layers in which each target position looks back, and at the whole source."""

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


class DecoderLayer(Module):
    """Look back at what was written, then at the source, and add what is found to what was there.

    Masked self-attention, attention to the source, then feed-forward, each inside a residual (Vaswani
    et al., 2017, section 3.1; Phuong & Hutter, 2022, algorithm 8; lesson 12).

    Args:
        sizes: of the layer.
    """

    @named
    def __init__(self, sizes: LayerSizes):
        s = check_sizes(sizes, LayerSizes)
        self.self_attention = MultiHeadAttention(s.self_attention)
        self.residual1 = Residual(s.width, s.norm, s.dropout)
        self.cross_attention = MultiHeadAttention(s.cross_attention)
        self.residual2 = Residual(s.width, s.norm, s.dropout)
        self.feed_forward = FEED_FORWARDS[s.activation](s.width, s.feed_forward)
        self.residual3 = Residual(s.width, s.norm, s.dropout)

    def forward(
        self,
        x: Array,
        memory: Array,
        self_mask: np.ndarray | None = None,
        cross_mask: np.ndarray | None = None,
        cache: Cache | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Run one layer.

        Args:
            x: the target so far (B, T, D); with a cache, what is new of it.
            memory: what the encoder made of the source (B, S, D).
            self_mask, cross_mask: booleans that broadcast to the weights of the two attentions.
            cache: the keys and values of positions read before, and of the memory.

        Returns:
            (B, T, D); the weights of the self-attention (B, H, T, T), or with a cache of `offset`
            positions (B, H, T, offset + T); and the weights of the attention to the source
            (B, H, T, S).

        Raises:
            ShapeError, DTypeError: as `MultiHeadAttention`.
        """
        y = self.residual1.before(x)
        attended, own = self.self_attention(y, y, self_mask, cache=cache)  # (B, T, D)
        x = self.residual1.after(x, attended)
        y = self.residual2.before(x)
        attended, cross = self.cross_attention(y, memory, cross_mask, cache=cache, stays=True)
        x = self.residual2.after(x, attended)  # (B, T, D)
        worked = self.feed_forward(self.residual3.before(x))  # (B, T, D)
        return self.residual3.after(x, worked), own, cross


class Decoder(Stack):
    """Find what comes next, from what was written so far and from the source (lesson 12)."""

    kind = DecoderLayer

    def forward(
        self,
        x: Array,
        memory: Array,
        self_mask: np.ndarray | None = None,
        cross_mask: np.ndarray | None = None,
        cache: Cache | None = None,
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """(B, T, D) to (B, T, D), and each layer's weights: of the self-attention (B, H, T, T), and
        of the attention to the source (B, H, T, S)."""
        own_maps, cross_maps = [], []
        for layer in self.layers:
            x, own, cross = layer(x, memory, self_mask, cross_mask, cache)
            own_maps.append(own)
            cross_maps.append(cross)
        return self.end(x), own_maps, cross_maps
