"""A model's judgement of symbols that are given: how probable each is, and where it looks for it."""

from __future__ import annotations

import numpy as np

import minigrad as mg
from minigrad import errors
from minigrad.engine.kinds import checked

from ..model.tokens import check_tokens
from ..model.transformer import Transformer
from .vocabulary import BOS, PAD, padded
from .writing import Model, Writing


@checked
def cross_attention(model: Transformer, source: np.ndarray, target: np.ndarray) -> list[np.ndarray]:
    """Return each layer's attention weights (B, H, T, S): where the decoder looks as it writes.

    Args:
        source: ids (B, S).
        target: ids (B, T) as `greedy` returned them. Row t of the weights belongs to the step that
            wrote target symbol t: the decoder had read the symbols before it.
    """
    check_tokens(source)
    check_tokens(target)
    start = np.full((len(target), 1), BOS)
    read = np.concatenate([start, target[:, :-1]], axis=1)  # (B, T)
    with mg.no_grad():
        weights = model.decode(read, model.encode(source)).cross
    return [np.array(layer) for layer in weights]


def likelihood(model: Model, ids: np.ndarray, written: np.ndarray) -> np.ndarray:
    """The probability (B,) that the model gives to each written row: the product of the probabilities
    of its symbols, each given the symbols before it.

    Args:
        model, ids: as for `greedy`.
        written: ids (B, T), each row filled up on the right with PAD.

    Raises:
        ShapeError: if there are not as many rows of both; and as `greedy`.
    """
    writing, prompt = Writing.begin(model, ids)
    check_tokens(written)
    if len(written) != len(prompt):
        raise errors.ShapeError(f"{len(prompt)} rows were given, and {len(written)} are written")
    rows = [[*p[p != PAD], *w[w != PAD]] for p, w in zip(prompt, np.asarray(written))]
    text = padded(rows)  # (B, P + T)
    log_p = writing.log_probabilities(text)  # (B, P + T - 1): of the symbols after the first
    before = (prompt != PAD).sum(axis=1, keepdims=True) - 1  # (B, 1)
    asked = np.arange(log_p.shape[1]) >= before
    return np.exp(np.where(asked, log_p, 0.0).sum(axis=1))
