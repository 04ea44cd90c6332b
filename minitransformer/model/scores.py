"""Scores that learn how to compare a query with a key; and all scores, by name.

An attention is given one:

    score = Additive(64)
    output, weights = attention(query, key, value, score=score)
"""

from __future__ import annotations

import numpy as np

from minigrad import Array, Tensor, errors
from minigrad.engine.kinds import checked
from minigrad.nn import Module, Parameter, xavier_uniform
from minigrad.settings import choice, whole

from .attention import Score, dot, scaled_dot


class General(Module):
    """q^T W k: a product of queries and keys that may differ in width
    (Luong et al., 2015, section 3.1, "general").

    Args:
        query_width: K.
        key_width: K' (default: K).
        heads: H, if each head has a separate W (default: one W for all heads).
    """

    @checked
    def __init__(self, query_width: int, key_width: int | None = None, heads: int | None = None):
        key_width = query_width if key_width is None else key_width
        self.weight = _weight(heads, query_width, key_width)  # (H, K, K')

    def forward(self, query: Array, key: Array) -> Tensor:
        _check_widths(query, key, *self.weight.shape[-2:])
        return dot(query @ self.weight, key)  # (..., T, S)


class Concat(Module):
    """v^T tanh(W [q ; k]), each query joined with each key
    (Luong et al., 2015, section 3.1, "concat").

    W is applied to all T S pairs. `Additive` computes the same from T + S products.

    Args:
        query_width: K.
        key_width: K' (default: K).
        heads: H, if each head has a separate W and v (default: the same for all heads).
        hidden: A, the width of W [q ; k] (default: K).
    """

    @checked
    def __init__(
        self,
        query_width: int,
        key_width: int | None = None,
        heads: int | None = None,
        hidden: int | None = None,
    ):
        self.widths = query_width, query_width if key_width is None else key_width
        hidden = query_width if hidden is None else hidden
        self.weight = _weight(heads, sum(self.widths), hidden)  # (H, K + K', A)
        self.vector = _weight(heads, hidden, 1)  # (H, A, 1)

    def forward(self, query: Array, key: Array) -> Tensor:
        _check_widths(query, key, *self.widths)
        (*lead, T, K), (*lead2, S, K2) = query.shape, key.shape
        pairs = (*np.broadcast_shapes(tuple(lead), tuple(lead2)), T, S)
        q = np.broadcast_to(query[..., :, None, :], (*pairs, K))
        k = np.broadcast_to(key[..., None, :, :], (*pairs, K2))
        joined = np.concatenate([q, k], axis=-1)  # (..., T, S, K + K')
        hidden = np.tanh(joined @ self.weight[..., None, :, :])  # (..., T, S, A)
        return (hidden @ self.vector[..., None, :, :])[..., 0]  # (..., T, S)


class Additive(Module):
    """v^T tanh(q W + k U): queries and keys brought into one space, and added there
    (Bahdanau et al., 2015, section A.1.2).

    Args:
        query_width: K.
        key_width: K' (default: K).
        heads: H, if each head has a separate W, U and v (default: the same for all heads).
        hidden: A, the width of that space (default: K).
    """

    @checked
    def __init__(
        self,
        query_width: int,
        key_width: int | None = None,
        heads: int | None = None,
        hidden: int | None = None,
    ):
        hidden = query_width if hidden is None else hidden
        self.query = _weight(heads, query_width, hidden)  # (H, K, A)
        key_width = query_width if key_width is None else key_width
        self.key = _weight(heads, key_width, hidden)  # (H, K', A)
        self.vector = _weight(heads, hidden, 1)  # (H, A, 1)

    def forward(self, query: Array, key: Array) -> Tensor:
        _check_widths(query, key, self.query.shape[-2], self.key.shape[-2])
        q = (query @ self.query)[..., :, None, :]  # (..., T, 1, A)
        k = (key @ self.key)[..., None, :, :]  # (..., 1, S, A)
        hidden = np.tanh(q + k)  # (..., T, S, A)
        return (hidden @ self.vector[..., None, :, :])[..., 0]  # (..., T, S)


SCORES: dict[str, Score | type[Module]] = {
    "dot": dot,
    "scaled_dot": scaled_dot,
    "general": General,
    "concat": Concat,
    "additive": Additive,
}


def score_named(name: str, width: int, heads: int | None = None) -> Score:
    """Return the score of that name for queries and keys of `width`; one that learns is created new.

    Raises:
        ConfigError: if there is none of that name.
    """
    score = SCORES[choice("score", name, SCORES)]
    return score(width, heads=heads) if isinstance(score, type) else score


def _weight(heads: int | None, inputs: int, outputs: int) -> Parameter:
    """A weight (inputs, outputs) for all heads, or one for each (H, inputs, outputs)."""
    shape = whole("width", inputs, least=1), whole("width", outputs, least=1)
    if heads is None:
        return Parameter(xavier_uniform(shape))
    return Parameter(
        np.stack([xavier_uniform(shape) for _ in range(whole("heads", heads, least=1))])
    )


def _check_widths(query: Array, key: Array, query_width: int, key_width: int) -> None:
    if (query.shape[-1], key.shape[-1]) != (query_width, key_width):
        raise errors.ShapeError(
            f"this score compares queries {query_width} wide with keys {key_width} wide; "
            f"given are queries {query.shape} and keys {key.shape}"
        )
