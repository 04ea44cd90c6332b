"""The decoder: layers in which each target position looks back, and at the whole source."""

from __future__ import annotations

import numpy as np

from minigrad import Array
from minigrad.nn import Dropout, Module

from .attention import Score, scaled_dot
from .cache import Cache
from .choices import chosen
from .feed_forward import FEED_FORWARDS
from .layer_norm import LayerNorm
from .multi_head import MultiHeadAttention
from .stack import Stack


class DecoderLayer(Module):
    """Look back at what was written, then at the source, and add what is found to what was there.

    Masked self-attention, attention to the source, then feed-forward, each added to its input
    and normalised (Vaswani et al., 2017, section 3.1; lesson 12).

    Args:
        width: D.
        heads: H.
        feed_forward: F.
        dropout: the probability, applied to each part's output before it is added.
        activation: of the feed-forward layer, a name in `FEED_FORWARDS`.
        score: of both attentions, or its name in `SCORES`.
        rotary: whether the self-attention turns queries and keys by their positions.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        feed_forward: int,
        dropout: float = 0.0,
        *,
        activation: str = "relu",
        score: Score | str = scaled_dot,
        rotary: bool = False,
    ):
        self.self_attention = MultiHeadAttention(width, heads, score=score, rotary=rotary)
        self.norm1 = LayerNorm(width)
        self.cross_attention = MultiHeadAttention(width, heads, score=score)
        self.norm2 = LayerNorm(width)
        self.feed_forward = chosen(FEED_FORWARDS, activation, "activation")(width, feed_forward)
        self.norm3 = LayerNorm(width)
        self.dropout = Dropout(dropout)

    def forward(
        self,
        x: Array,
        memory: Array,
        self_mask: np.ndarray | None = None,
        cross_mask: np.ndarray | None = None,
        cache: Cache | None = None,
    ) -> tuple[Array, Array, Array]:
        """One layer.

        Args:
            x: the target so far (B, T, D).
            memory: what the encoder made of the source (B, S, D).
            self_mask: broadcasts to (B, H, T, T).
            cross_mask: broadcasts to (B, H, T, S).
            cache: what the layer read before; x and memory hold only what is new then.

        Returns:
            (B, T, D), the weights of the self-attention (B, H, T, T), and those of the attention to
            the source (B, H, T, S).
        """
        attended, own = self.self_attention(x, x, self_mask, cache=cache)  # (B, T, D)
        x = self.norm1(x + self.dropout(attended))
        attended, cross = self.cross_attention(x, memory, cross_mask, cache=cache)  # (B, T, D)
        x = self.norm2(x + self.dropout(attended))
        x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x, own, cross


class PreNormDecoderLayer(DecoderLayer):
    """The same parts, but each part's input is normalised and its sum is not: from one end of a stack
    to the other, x is only ever added to (Xiong et al., 2020, figure 1b)."""

    def forward(
        self,
        x: Array,
        memory: Array,
        self_mask: np.ndarray | None = None,
        cross_mask: np.ndarray | None = None,
        cache: Cache | None = None,
    ) -> tuple[Array, Array, Array]:
        y = self.norm1(x)
        attended, own = self.self_attention(y, y, self_mask, cache=cache)  # (B, T, D)
        x = x + self.dropout(attended)
        y = self.norm2(x)
        attended, cross = self.cross_attention(y, memory, cross_mask, cache=cache)  # (B, T, D)
        x = x + self.dropout(attended)
        x = x + self.dropout(self.feed_forward(self.norm3(x)))
        return x, own, cross


DECODER_LAYERS = {"post": DecoderLayer, "pre": PreNormDecoderLayer}


class Decoder(Stack):
    """Find what comes next, from what was written so far and from the source (lesson 12)."""

    kinds = DECODER_LAYERS

    def forward(
        self,
        x: Array,
        memory: Array,
        self_mask: np.ndarray | None = None,
        cross_mask: np.ndarray | None = None,
        cache: Cache | None = None,
    ) -> tuple[Array, list[Array], list[Array]]:
        """(B, T, D) to (B, T, D), and each layer's weights: of the self-attention (B, H, T, T), and
        of the attention to the source (B, H, T, S)."""
        own_maps, cross_maps = [], []
        for layer in self.layers:
            x, own, cross = layer(x, memory, self_mask, cross_mask, cache)
            own_maps.append(own)
            cross_maps.append(cross)
        return (x if self.norm is None else self.norm(x)), own_maps, cross_maps
