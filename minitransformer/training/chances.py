"""The probabilities of the next symbol, made of the scores that a model gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import minigrad as mg
from minigrad import errors
from minigrad.engine.kinds import checked
from minigrad.settings import real, whole

from .vocabulary import BOS, PAD
from .writing import Model


@checked
def distribution(
    scores: np.ndarray,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> np.ndarray:
    """The probabilities (B, N) that `sample` draws from, given scores (B, N).

    Raises:
        ConfigError: as `sample`; a temperature of 0 has no distribution.
        AnomalyError: if a row of scores has NaN or plus infinity, or nothing else than minus infinity.
    """
    temperature = real("temperature", temperature, above=0)
    top_k, top_p = checked_limits(top_k, top_p)
    if np.ndim(scores) != 2 or not np.shape(scores)[1]:
        raise errors.ShapeError(
            f"scores are (B, N), one for each of N symbols, not {np.shape(scores)}"
            + (": write scores[None]" if np.ndim(scores) == 1 else "")
        )
    if not np.isfinite(np.max(scores, axis=-1)).all():
        raise errors.AnomalyError(
            "the highest score of each row is a finite number, and here it is not"
        )
    return of_scores(scores, temperature, top_k, top_p)


def chances(model: Model, inputs: Sequence[np.ndarray], count: int) -> np.ndarray:
    """The probabilities (T, N) of each symbol at the last `count` places of one row.

    As when the model writes: neither padding nor a start is ever written.

    Args:
        model: in evaluation mode, or dropout takes part.
        inputs: its inputs, such as ids (1, S) and (1, T).
    """
    with mg.no_grad():
        scores = model(*inputs).numpy()[0, -count:].astype(np.float64)  # (T, N)
    scores[:, [PAD, BOS]] = -np.inf
    return distribution(scores)


def checked_limits(top_k: int | None, top_p: float | None) -> tuple[int | None, float | None]:
    """Check how many symbols may be drawn, and up to which probability together."""
    top_k = None if top_k is None else whole("top_k", top_k, least=1)
    return top_k, None if top_p is None else real("top_p", top_p, above=0, most=1)


def of_scores(
    scores: np.ndarray, temperature: float, top_k: int | None, top_p: float | None
) -> np.ndarray:
    """`distribution`, for arguments that have been checked."""
    with np.errstate(over="ignore"):  # a temperature near 0: minus infinity, but for the highest
        p = np.exp((scores - scores.max(axis=-1, keepdims=True)) / temperature)
    p /= p.sum(axis=-1, keepdims=True)
    by_rank = np.argsort(-p, axis=-1, kind="stable")
    ranked = np.take_along_axis(p, by_rank, axis=-1)
    allowed = np.full(p.shape, True)  # by rank
    if top_k is not None:
        allowed[:, top_k:] = False
    if top_p is not None:
        likelier = np.cumsum(ranked, axis=-1) - ranked  # the probability of those before
        allowed &= likelier < top_p
    np.put_along_axis(p, by_rank, np.where(allowed, ranked, 0), axis=-1)
    return p / p.sum(axis=-1, keepdims=True)
