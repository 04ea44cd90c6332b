"""Beam search: the best few beginnings are kept side by side, and the best one is written."""

from __future__ import annotations

from functools import partial

import numpy as np

import minigrad as mg
from minigrad.functional import log_softmax
from minigrad.settings import real, whole

from .vocabulary import EOS, PAD
from .writing import Model, Writing, most_symbols

BEAMS = 1000  # at most: each hypothesis has a memory of its own


def beam_search(
    model: Model,
    ids: np.ndarray,
    longest: int,
    *,
    beams: int = 4,
    length_penalty: float = 0.0,
    window: int | None = None,
    ends: bool = True,
    cached: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Keep the best `beams` beginnings at each step, until all have ended or have the `longest` length.

    A finished hypothesis keeps its place in the beam until a better one takes it. Hypotheses are ranked
    by log p / ((5 + length) / 6)^length_penalty, the end of sequence counted in the length (Wu et
    al., 2016, equation 14), so a penalty above 0 favours longer ones. One beam is greedy.

    Args:
        model, ids, longest, window, ends, cached: as for `greedy`; prompts of unequal lengths are
            searched one by one.
        beams: how many hypotheses to keep, up to `BEAMS`.
        length_penalty: the exponent above.

    Returns:
        ids (B, beams, T), the best hypothesis of each row first, as `greedy` lays them out; and their
        scores (B, beams): minus infinity for a place that no hypothesis took.

    Raises:
        ConfigError: if beams is no whole number from 1 up to `BEAMS`, or length_penalty no finite one
            from 0; else as `greedy`.
    """
    most = most_symbols(longest, ends)
    length_penalty = real("length_penalty", length_penalty)
    K = whole("beams", beams, least=1, most=BEAMS)
    writing, prompt = Writing.begin(model, ids, cached, window, ends)
    if not (prompt == PAD).any():
        return _search(writing, prompt, K, most, length_penalty)
    search = partial(beam_search, model, longest=longest, beams=K, length_penalty=length_penalty)
    alone = [row[row != PAD][None] for row in prompt]  # (1, P) each
    hypotheses = [search(ids=row, window=window, ends=ends, cached=cached) for row in alone]
    T = max(written.shape[2] for written, _ in hypotheses)
    fill = lambda a: np.pad(a, ((0, 0), (0, 0), (0, T - a.shape[2])), constant_values=PAD)
    return np.concatenate([fill(written) for written, _ in hypotheses]), np.concatenate(
        [s for _, s in hypotheses]
    )


def _search(
    writing: Writing, prompt: np.ndarray, K: int, most: int, length_penalty: float
) -> tuple[np.ndarray, np.ndarray]:
    """The K best hypotheses for prompts (B, P) of equal lengths, and their scores."""
    B = len(prompt)
    new = np.repeat(prompt, K, axis=0)  # (B K, n)
    with mg.no_grad():
        writing = writing.select(np.repeat(np.arange(B), K))
        written = np.full((B, K, 0), PAD)
        one = np.where(np.arange(K) == 0, 0.0, -np.inf)  # (K,): at first all are the same
        log_p = np.tile(one, (B, 1))  # (B, K)
        ended = np.full((B, K), False)
        length = np.zeros((B, K))
        while written.shape[2] < most and not ended.all():
            step = log_softmax(writing.scores(new)).reshape(B, K, -1)  # (B, K, N)
            N = step.shape[-1]
            only_pad = np.where(np.arange(N) == PAD, 0.0, -np.inf)
            total = log_p[..., None] + np.where(ended[..., None], only_pad, step)  # (B, K, N)
            lengths = length + ~ended  # (B, K)
            rank = total / _penalty(lengths, length_penalty)[..., None]
            best = np.argsort(-rank.reshape(B, K * N), axis=-1, kind="stable")[:, :K]  # (B, K)
            parent, symbol = np.divmod(best, N)  # (B, K) each
            rows = np.arange(B)[:, None]
            log_p = total[rows, parent, symbol]
            length = lengths[rows, parent]
            ended = ended[rows, parent] | (symbol == EOS) | np.isneginf(log_p)
            written = np.concatenate([written[rows, parent], symbol[..., None]], axis=-1)
            writing = writing.select((rows * K + parent).ravel())
            new = symbol.reshape(B * K, 1)
    return written, log_p / _penalty(np.maximum(length, 1), length_penalty)


def _penalty(length: np.ndarray, exponent: float) -> np.ndarray:
    return ((5 + length) / 6) ** exponent
