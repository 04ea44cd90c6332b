"""The feed-forward layer: attention mixes positions, this works within each."""

from __future__ import annotations

import functools
from collections.abc import Callable

from minigrad import Array, Tensor, definition
from minigrad.functional import gelu, relu, silu
from minigrad.nn import Module
from minigrad.settings import function, whole

from .projection import projection


@definition(plain=True)
def feed_forward(
    x: Array, widen: Module, narrow: Module, activation: Callable[[Array], Array]
) -> Tensor:
    """activation(x W_1 + b_1) W_2 + b_2: (..., D) to (..., F), and back to (..., D)."""
    return narrow(activation(widen(x)))


class FeedForward(Module):
    """Work on each position alone with what attention brought there.

    activation(x W_1 + b_1) W_2 + b_2 (Vaswani et al., 2017, equation 2; lesson 11b).

    Args:
        width: D, of input and output.
        hidden: F, in between.
        activation: applied to each number in between.

    Raises:
        ConfigError: if a width is not a whole number from 1, or the activation is no function.
    """

    def __init__(self, width: int, hidden: int, activation: Callable[[Array], Array] = relu):
        width, hidden = whole("width", width, least=1), whole("hidden", hidden, least=1)
        self.widen = projection(width, hidden)
        self.narrow = projection(hidden, width)
        self.activation = function("activation", activation)

    def forward(self, x: Array) -> Tensor:
        return feed_forward(x, self.widen, self.narrow, self.activation)


class GatedFeedForward(FeedForward):
    """(activation(x W_1 + b_1) * (x W_g + b_g)) W_2 + b_2: a second product of the input says how
    much of each number in between goes on (Shazeer, 2020, equation 6, with biases).

    Args: as for `FeedForward`.
    """

    def __init__(self, width: int, hidden: int, activation: Callable[[Array], Array] = silu):
        super().__init__(width, hidden, activation)
        self.gate = projection(width, hidden)

    def forward(self, x: Array) -> Tensor:
        hidden = self.activation(self.widen(x)) * self.gate(x)  # (B, T, F)
        return self.narrow(hidden)  # (B, T, D)


# Each is made from D and F.
FEED_FORWARDS: dict[str, Callable[[int, int], FeedForward]] = {
    "relu": FeedForward,
    "gelu": functools.partial(FeedForward, activation=gelu),
    "silu": functools.partial(FeedForward, activation=silu),
    "gated": GatedFeedForward,
}
