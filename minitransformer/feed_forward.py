"""The feed-forward layer: attention mixes positions, this works within each."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.functional import feed_forward, gelu, kernels_run, relu, silu
from minigrad.nn import Linear, Module

from .projection import projection


class FeedForward(Module):
    """activation(x W_1 + b_1) W_2 + b_2 (Vaswani et al., 2017, equation 2).

    Args:
        width: D, of input and output.
        hidden: F, in between.
        activation: applied to each number in between.
    """

    def __init__(self, width: int, hidden: int, activation: Callable[[Any], Any] = relu):
        self.widen = projection(width, hidden)
        self.narrow = projection(hidden, width)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        first, last = self.widen, self.narrow
        usual = self.activation is relu and type(first) is type(last) is Linear
        fits = usual and (*np.shape(x)[-1:], *last.weight.shape[:1]) == first.weight.shape
        if fits and kernels_run():
            return feed_forward(x, first.weight, first.bias, last.weight, last.bias)
        return last(self.activation(first(x)))  # (B, T, D) -> (B, T, F) -> (B, T, D)


class GatedFeedForward(FeedForward):
    """(activation(x W_1 + b_1) * (x W_g + b_g)) W_2 + b_2: a second product of the input says how
    much of each number in between goes on (Shazeer, 2020, equation 6, with biases).

    Args: as for `FeedForward`.
    """

    def __init__(self, width: int, hidden: int, activation: Callable[[Any], Any] = silu):
        super().__init__(width, hidden, activation)
        self.gate = projection(width, hidden)

    def forward(self, x: Any) -> Any:
        hidden = self.activation(self.widen(x)) * self.gate(x)  # (B, T, F)
        return self.narrow(hidden)  # (B, T, D)


# Each is made from D and F.
FEED_FORWARDS: dict[str, Callable[[int, int], FeedForward]] = {
    "relu": FeedForward,
    "gelu": functools.partial(FeedForward, activation=gelu),
    "silu": functools.partial(FeedForward, activation=silu),
    "gated": GatedFeedForward,
}
