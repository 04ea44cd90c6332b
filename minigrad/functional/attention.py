"""How much of each key a query takes, where the two are compared by their product."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.table import together
from .composition import are_arrays, broadcasts, composition, is_number, kernel
from .linear_maps import products
from .softmaxes import masked_softmax, softmax_slope, weights_in_place


@composition
def dot_weights(query: Any, key: Any, mask: Any = None, factor: float = 1.0) -> Any:
    """The `masked_softmax` of the `products` of queries (..., T, K) and keys (..., S, K), times a
    factor: weights (..., T, S)."""
    return masked_softmax(products(query, key, factor), mask)


def dot_weights_slopes(g, y, query, key, mask=None, factor=1.0):
    slope = softmax_slope(g, y, mask)
    slope *= factor
    return slope @ key, np.swapaxes(slope, -1, -2) @ query


@kernel(
    dot_weights,
    lambda query, key, mask=None, factor=1.0: (
        are_arrays(query, key)
        and query.ndim > 1
        and is_number(factor)
        and query.shape[:-2] == key.shape[:-2]
        and (mask is None or broadcasts(np.shape(mask), (*query.shape[:-1], key.shape[-2])))
    ),
    *together(dot_weights_slopes, 2),
)
def _(query, key, mask=None, factor=1.0):
    return weights_in_place((query * factor) @ key.swapaxes(-1, -2), mask)
