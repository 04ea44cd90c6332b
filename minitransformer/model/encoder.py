"""The encoder: layers in which every position looks at all others, or at those that a mask allows."""

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


class EncoderLayer(Module):
    """Add what attention and feed-forward find to what was there, so that nothing is lost.

    Self-attention, then feed-forward, each added to its input and normalised
    (Vaswani et al., 2017, section 3.1; lesson 12).

    Args:
        width: D.
        heads: H.
        feed_forward: F.
        dropout: the probability, applied to each part's output before it is added.
        activation: of the feed-forward layer, a name in `FEED_FORWARDS`.
        score: of the attention, or its name in `SCORES`.
        rotary: whether the attention turns queries and keys by their positions.
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
        self.feed_forward = chosen(FEED_FORWARDS, activation, "activation")(width, feed_forward)
        self.norm2 = LayerNorm(width)
        self.dropout = Dropout(dropout)

    def forward(
        self, x: Array, mask: np.ndarray | None = None, cache: Cache | None = None
    ) -> tuple[Array, Array]:
        """One layer.

        Args:
            x: (B, S, D).
            mask: broadcasts to (B, H, S, S).
            cache: what the layer read before, for a mask that lets nothing see what comes after.

        Returns:
            (B, S, D), and the weights of the attention (B, H, S, S).
        """
        attended, weights = self.self_attention(x, x, mask, cache=cache)  # (B, S, D)
        x = self.norm1(x + self.dropout(attended))
        x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x, weights


class PreNormEncoderLayer(EncoderLayer):
    """The same parts, but each part's input is normalised and its sum is not: from one end of a stack
    to the other, x is only ever added to (Xiong et al., 2020, figure 1b)."""

    def forward(
        self, x: Array, mask: np.ndarray | None = None, cache: Cache | None = None
    ) -> tuple[Array, Array]:
        y = self.norm1(x)
        attended, weights = self.self_attention(y, y, mask, cache=cache)  # (B, S, D)
        x = x + self.dropout(attended)
        x = x + self.dropout(self.feed_forward(self.norm2(x)))
        return x, weights


ENCODER_LAYERS = {"post": EncoderLayer, "pre": PreNormEncoderLayer}


class Encoder(Stack):
    """Read the whole source, so that each position knows what stands around it (lesson 12)."""

    kinds = ENCODER_LAYERS

    def forward(
        self, x: Array, mask: np.ndarray | None = None, cache: Cache | None = None
    ) -> tuple[Array, list[Array]]:
        """(B, S, D) to (B, S, D), and each layer's weights (B, H, S, S)."""
        maps = []
        for layer in self.layers:
            x, weights = layer(x, mask, cache)
            maps.append(weights)
        return (x if self.norm is None else self.norm(x)), maps
