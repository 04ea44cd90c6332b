"""Attention: each query gets the mean of the values, weighted by how well their keys match it.

    output, weights = attention(query, key, value, mask)

A score compares a query with a key. `dot` and `scaled_dot` are here; the scores that learn are in
`scores`. All are called in the same way, with queries (..., T, K) and keys (..., S, K'), and return
(..., T, S): rows are queries, columns keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minigrad import Array, definition, errors
from minigrad.engine.kinds import checked
from minigrad.engine.tensor import A
from minigrad.functional import masked_softmax, not_zero
from minigrad.functional.masks import check_mask
from minigrad.functional.weighting import gives_weights
from minigrad.settings import function

Score = Callable[[Array, Array], Array]

# --- scores ---------------------------------------------------------------------------------------


@checked
def dot(query: A, key: Array) -> A:
    """Q K^T, every query's product with every key: (..., T, K), (..., S, K) -> (..., T, S).

    Raises:
        ShapeError: if queries and keys are not equally wide.
    """
    if query.shape[-1] != key.shape[-1]:
        raise errors.ShapeError(
            f"queries {query.shape} and keys {key.shape} must be equally wide: their last axes are "
            f"{query.shape[-1]} and {key.shape[-1]}. `General` and `Additive` compare other widths"
        )
    return query @ np.swapaxes(key, -1, -2)  # (..., T, S)


@checked
def scaled_dot(query: A, key: Array) -> A:
    """Q K^T / sqrt(K): over the square root of the width, the variance does not grow with it
    (Vaswani et al., 2017, section 3.2.1)."""
    return dot(query, key) / math.sqrt(query.shape[-1])  # (..., T, S)


# --- attention ------------------------------------------------------------------------------------


@gives_weights
@definition(plain=True)
def attention(
    query: A,
    key: Array,
    value: Array,
    mask: np.ndarray | None = None,
    *,
    score: Score = scaled_dot,
    phi: Callable[[Array], Array] = np.exp,
) -> tuple[A, A]:
    """Compare each query with all keys, and mix the values by how well they match.

    softmax(score(Q, K)) V (Vaswani et al., 2017, equation 1; Phuong & Hutter, 2022, algorithm 4;
    lesson 08).

    Args:
        query: (..., T, K).
        key: (..., S, K'); K' is K, unless the score compares different widths.
        value: (..., S, V), as many as the keys.
        mask: booleans that broadcast to (..., T, S); True = may be attended to. A query that may
            attend to nothing gets zero weights and a zero output.
        score: how queries and keys are compared.
        phi: what makes scores positive before each row is divided by its sum.

    Returns:
        The output (..., T, V), and the weights (..., T, S): one row per query, one column per key.

    Raises:
        ShapeError: if keys and values differ in number, if the leading axes do not broadcast, if the
            score cannot compare queries and keys of these widths, or if the mask does not fit.
        DTypeError: if the mask is not of booleans.
        ConfigError: if the score or phi is no function.
    """
    check_inputs(query, key, value, score, phi)
    weights = normalized(score(query, key), mask, phi)  # (..., T, S)
    return weights @ value, weights  # (..., T, V), (..., T, S)


@checked
def single_query(
    query: A,
    key: Array,
    value: Array,
    mask: np.ndarray | None = None,
    *,
    score: Score = scaled_dot,
    phi: Callable[[Array], Array] = np.exp,
) -> tuple[A, A]:
    """`attention` for one query (K,) over keys (S, K') and values (S, V)
    (Phuong & Hutter, 2022, algorithm 3).

    Args:
        mask: booleans (S,).

    Returns:
        The output (V,), and the weights (S,).
    """
    mask = None if mask is None else mask[None]  # (1, S)
    output, weights = attention(query[None], key, value, mask, score=score, phi=phi)
    return output[0], weights[0]


def normalized(
    scores: A, mask: np.ndarray | None = None, phi: Callable[[Array], Array] = np.exp
) -> A:
    """phi(scores), each row divided by its sum: weights (..., T, S) that are positive and sum to one.

    Keys that the mask hides get weight zero; a row with all keys hidden is zeros. With exp this is
    the softmax, computed so that it cannot overflow.

    Raises:
        ShapeError, DTypeError: if the mask does not fit the scores, or is not of booleans.
    """
    if mask is not None:
        # `masked_softmax` would also take a mask to which the scores broadcast.
        check_mask(mask, scores.shape)
    if phi is np.exp:
        return masked_softmax(scores, mask)
    positive = phi(scores)
    if mask is not None:
        positive = np.where(mask, positive, 0)
    total = np.sum(positive, axis=-1, keepdims=True)  # (..., T, 1)
    return positive / not_zero(total)


def check_inputs(query: Array, key: Array, value: Array, score: object, phi: object) -> None:
    """Check that there is a value for each key, that all have the same batch axes, and that score and
    phi can be called."""
    function("score", score)
    function("phi", phi)
    if min(len(query.shape), len(key.shape), len(value.shape)) < 2:
        raise errors.ShapeError(
            f"queries {query.shape}, keys {key.shape} and values {value.shape} are matrices at least, "
            f"a row for each; `single_query` takes one query"
        )
    (*lead_q, _, _), (*lead_k, S, _), (*lead_v, S2, _) = query.shape, key.shape, value.shape
    if S != S2:
        raise errors.ShapeError(
            f"keys {key.shape} and values {value.shape} must be equal in number: {S} and {S2} "
            f"(their last axis but one)"
        )
    if lead_q == lead_k == lead_v:
        return
    try:
        np.broadcast_shapes(*map(tuple, (lead_q, lead_k, lead_v)))
    except ValueError:
        raise errors.ShapeError(
            f"queries {query.shape}, keys {key.shape} and values {value.shape} are not of one batch: "
            f"all axes but the last two must be equal, or 1"
        ) from None
