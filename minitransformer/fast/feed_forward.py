"""The feed-forward layer as one operation: the array in between is made once, in place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad.engine.table import AnyArray
from minigrad.fast.common import Saved, column_sums, kernel, operation, reusing, rows, together
from minigrad.fast.linear import is_linear, is_map, one_product
from minigrad.functional import relu
from minigrad.nn import Linear, Module

from ..model.feed_forward import feed_forward as defined


@kernel(defined)
def feed_forward(
    x: AnyArray, widen: Module, narrow: Module, activation: Callable[[AnyArray], AnyArray]
) -> AnyArray:
    """`feed_forward` of two plain linear maps, with biases, and relu between."""
    if activation is not relu or type(widen) is not Linear or type(narrow) is not Linear:
        return NotImplemented
    fits = (
        widen.bias is not None
        and narrow.bias is not None
        and is_linear(x, widen.weight, widen.bias)
        and is_map(x, narrow.weight, narrow.bias)
        and widen.weight.shape[1] == narrow.weight.shape[0]
    )
    if not fits:
        return NotImplemented
    maps = widen.weight, widen.bias, narrow.weight, narrow.bias
    return feed_forward_of_rows(x, *maps, Saved())


def feed_forward_of_rows(
    x: AnyArray,
    weight1: AnyArray,
    bias1: AnyArray,
    weight2: AnyArray,
    bias2: AnyArray,
    saved: Saved,
) -> AnyArray:
    """max(0, x W1 + b1) W2 + b2, all rows of x as one matrix."""
    hidden = one_product(rows(x), weight1, bias1)
    np.maximum(hidden, np.zeros(hidden.shape[1], hidden.dtype), out=hidden)
    saved.arrays = (hidden,)
    return one_product(hidden, weight2, bias2).reshape(*x.shape[:-1], -1)


def feed_forward_slopes(
    g: AnyArray,
    _y: AnyArray,
    x: AnyArray,
    weight1: AnyArray,
    bias1: AnyArray,
    weight2: AnyArray,
    _bias2: AnyArray,
    saved: Saved,
) -> tuple[AnyArray, ...]:
    """Through the second map, where `hidden` is above 0, and through the first."""
    g, each = rows(g), rows(x)
    (hidden,) = saved.beside(g) or (relu(each @ weight1 + bias1),)
    slope = g @ weight2.T
    slope = reusing(np.multiply, slope, np.greater(hidden, 0).astype(slope.dtype))
    of_x = (slope @ weight1.T).reshape(x.shape)
    return of_x, each.T @ slope, column_sums(slope), hidden.T @ g, column_sums(g)


feed_forward_of_rows = operation(feed_forward_of_rows, *together(feed_forward_slopes, 5))
