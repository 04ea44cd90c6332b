"""The linear maps of a transformer, with the initial values that suit it."""

from __future__ import annotations

import numpy as np

from minigrad import Array, Tensor, definition
from minigrad.functional import linear
from minigrad.nn import Linear, xavier_uniform


def projection(inputs: int, outputs: int, bias: bool = True) -> Linear:
    """Make a linear map, (..., inputs) to (..., outputs), that begins as a transformer's should."""
    return initialized(Linear(inputs, outputs, bias))


def initialized(linear: Linear, maps: int = 1) -> Linear:
    """Give a map new initial values, and return it: its bias is zero, and its weight is drawn so that
    results vary as much as inputs do (Glorot & Bengio, 2010).

    Args:
        maps: draw the weight as one of so many of this size in one wide matrix, as PyTorch has the
            maps to queries, keys and values in one: the numbers are smaller then.
    """
    inputs, outputs = linear.weight.shape
    linear.weight.copy_(xavier_uniform((inputs, outputs), part_of=(inputs, maps * outputs)))
    if linear.bias is not None:
        linear.bias.copy_(np.zeros(linear.bias.shape))
    return linear


class ToHeads(Linear):
    """Make queries, keys or values of each position, one for each head.

    x W + b, cut into heads: (..., T, in) to (..., H, T, K), with `weight` (in, HK) (lesson 07).

    There are three of them, for queries, keys and values. Each is drawn as a third of one matrix
    (in, 3HK), as in PyTorch: where HK is the width of x, its numbers are those of a matrix by itself
    divided by the square root of 2.

    Args:
        inputs: the width of x.
        heads, width: H and K.
        bias: whether there is a bias (HK,).
    """

    def __init__(self, inputs: int, heads: int, width: int, bias: bool = True):
        super().__init__(inputs, heads * width, bias)
        self.heads = heads
        initialized(self, maps=3)

    def forward(self, x: Array) -> Tensor:
        return linear_to_heads(x, self.weight, self.bias, self.heads)  # (..., H, T, K)


class OfHeads(Linear):
    """Mix what all heads found into one vector for each position.

    Heads put beside each other, times W, plus b: (..., H, T, V) to (..., T, out), with `weight`
    (HV, out) (lesson 09).

    Args:
        heads, width: H and V.
        outputs: the width of the result.
        bias: whether there is a bias (out,).
    """

    def __init__(self, heads: int, width: int, outputs: int, bias: bool = True):
        super().__init__(heads * width, outputs, bias)
        initialized(self)

    def forward(self, heads: Array) -> Tensor:  # type: ignore[override]
        return linear_of_heads(heads, self.weight, self.bias)  # (..., T, out)


# --- heads ----------------------------------------------------------------------------------------


@definition(plain=True)
def split_heads(x: Array, heads: int) -> Array:
    """The last axis cut into heads, which are put before the positions: (..., T, H K) to
    (..., H, T, K)."""
    *lead, T, HK = x.shape
    return np.swapaxes(np.reshape(x, (*lead, T, heads, HK // heads)), -3, -2)


@definition(plain=True)
def join_heads(x: Array) -> Array:
    """The heads beside each other again: (..., H, T, K) to (..., T, H K), undoing `split_heads`."""
    *lead, H, T, K = x.shape
    return np.reshape(np.swapaxes(x, -3, -2), (*lead, T, H * K))


@definition(plain=True)
def linear_to_heads(x: Array, weight: Array, bias: Array | None, heads: int) -> Array:
    """`linear`, and then its result cut into heads: (..., T, in) to (..., H, T, out / H)."""
    return split_heads(linear(x, weight, bias), heads)


@definition(plain=True)
def linear_of_heads(heads: Array, weight: Array, bias: Array | None) -> Array:
    """Heads beside each other again, and then `linear`: (..., H, T, V) to (..., T, out)."""
    return linear(join_heads(heads), weight, bias)
