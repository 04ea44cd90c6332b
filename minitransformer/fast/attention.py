"""Attention by scaled products: scores, mask and softmax are one operation."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minigrad.engine.table import AnyArray
from minigrad.fast.common import Saved, are_arrays, kernel, operation, together
from minigrad.fast.softmax import softmax_slope, weights_in_place
from minigrad.functional.softmaxes import is_mask

from ..model.attention import Score, scaled_dot
from ..model.attention import attention as defined


@kernel(defined)
def attention(
    query: AnyArray,
    key: AnyArray,
    value: AnyArray,
    mask: AnyArray = None,
    *,
    score: Score = scaled_dot,
    phi: Callable[[AnyArray], AnyArray] = np.exp,
) -> AnyArray:
    """`attention` of the usual score, of queries, keys and values of one batch."""
    if score is not scaled_dot or phi is not np.exp or not are_arrays(query, key, value):
        return NotImplemented
    q, k, v = query.shape, key.shape, value.shape
    fits = (
        len(q) == len(k) == len(v) > 1
        and q[:-2] == k[:-2] == v[:-2]
        and (q[-1], k[-2]) == (k[-1], v[-2])
        and (mask is None or is_mask(mask, (*q[:-1], k[-2])))
    )
    if not fits:
        return NotImplemented
    weights = dot_weights(query, key, mask, 1 / math.sqrt(q[-1]), Saved())  # (..., T, S)
    return weights @ value, weights  # (..., T, V), (..., T, S)


def dot_weights(
    query: AnyArray, key: AnyArray, mask: AnyArray, factor: float, saved: Saved
) -> AnyArray:
    """softmax(factor Q K^T), with zeros where the mask is False: (..., T, K), (..., S, K) to
    (..., T, S)."""
    return weights_in_place((query * factor) @ key.swapaxes(-1, -2), mask)


def dot_weights_slopes(
    g: AnyArray,
    y: AnyArray,
    query: AnyArray,
    key: AnyArray,
    mask: AnyArray,
    factor: float,
    _saved: Saved,
) -> tuple[AnyArray, AnyArray]:
    """Through the softmax to the scores, and from these to queries and keys."""
    slope = softmax_slope(g, y, mask) * factor
    return slope @ key, np.swapaxes(slope, -1, -2) @ query


dot_weights = operation(dot_weights, *together(dot_weights_slopes, 2))
