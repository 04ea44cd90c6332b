"""Writing symbol by symbol: the work of a trained model when no target is given.

These functions write a whole batch: with a `Transformer`, for the sources that it reads; with a
`DecoderOnly` model, after the prompts that it continues. A cache has what the model has computed for
earlier symbols (not with `cached=False`); it changes only the time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import minigrad as mg
from minigrad.settings import real

from .beam import beam_search
from .chances import checked_limits, distribution, of_scores
from .judging import cross_attention, likelihood
from .vocabulary import EOS, PAD
from .writing import Model, Writing, most_symbols

__all__ = ["beam_search", "cross_attention", "distribution", "greedy", "likelihood", "sample"]

Choose = Callable[[np.ndarray], np.ndarray]  # scores (B, N) -> one symbol a row (B,)


def greedy(
    model: Model,
    ids: np.ndarray,
    longest: int,
    *,
    window: int | None = None,
    ends: bool = True,
    cached: bool = True,
) -> np.ndarray:
    """Write the most likely symbol at each step (Phuong & Hutter, 2022, algorithms 14 and 15 with a
    temperature towards 0).

    Args:
        model: in evaluation mode, or dropout takes part.
        ids: ids (B, S), padded with PAD: sources, or prompts that begin with BOS.
        longest: how many symbols to write at most before the end of sequence. A row that has so many
            and does not end takes one more symbol, in the place of the end, if `ends`.
        window: how many symbols a decoder-only model reads at once (default: all); it slides, as
            `Writing` says.
        ends: whether the end of sequence may be written.
        cached: whether to remember what was computed for earlier symbols.

    Returns:
        ids (B, T), T <= longest + 1, without the prompt. Each row ends with EOS, if it came in time,
        and then PAD.

    Raises:
        DTypeError, ShapeError, ConfigError: if `ids` are no rows of ids, filled up with PAD on the
            right; if `longest` or `window` is below 1.
        AnomalyError: if the model's scores are not finite, as with weights that are NaN.
    """
    likeliest = lambda scores: np.argmax(scores, axis=-1)
    return _write(model, ids, longest, likeliest, cached, window, ends)


def sample(
    model: Model,
    ids: np.ndarray,
    longest: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    rng: np.random.Generator | None = None,
    window: int | None = None,
    ends: bool = True,
    cached: bool = True,
) -> np.ndarray:
    """Draw each symbol from the model's distribution (Phuong & Hutter, 2022, algorithms 14 and 15).

    Args:
        model, ids, longest, window, ends, cached: as for `greedy`.
        temperature: what the scores are divided by: below 1 the likely becomes likelier; 0 is greedy.
        top_k: draw only from the k likeliest (Fan et al., 2018).
        top_p: draw only from the likeliest that together have at least this probability
            (Holtzman et al., 2020).
        rng: the random generator for the draws (default: the common generator).

    Returns:
        ids, as `greedy` does.

    Raises:
        ConfigError: for a temperature below 0 or not finite, a top_k that is no whole number from 1, or
            a top_p not above 0 up to 1; else as `greedy`.
    """
    temperature = real("temperature", temperature)
    top_k, top_p = checked_limits(top_k, top_p)
    if temperature == 0:
        return greedy(model, ids, longest, window=window, ends=ends, cached=cached)
    rng = mg.generator(rng)

    def choose(scores: np.ndarray) -> np.ndarray:
        p = of_scores(scores, temperature, top_k, top_p)  # (B, N)
        below = np.cumsum(p, axis=-1)
        drawn = rng.random((len(p), 1)) * below[:, -1:]  # the sum is 1 but for rounding
        return np.argmax(below > drawn, axis=-1)

    return _write(model, ids, longest, choose, cached, window, ends)


def _write(
    model: Model,
    ids: np.ndarray,
    longest: int,
    choose: Choose,
    cached: bool,
    window: int | None,
    ends: bool,
) -> np.ndarray:
    """Write until every row has ended. Shorter prompts go on while longer ones are still read.

    Where a source is read, each prompt is BOS alone: nothing is `in_prompt`, and `text` begins with BOS.

    Of the prompts [BOS a] and [BOS b c d], both begin with two symbols. Then column by column:

        t        2    3    4    5
        row 0    x    y    EOS  PAD    chosen; PAD once it has ended
        row 1    c    d    z    EOS    the rest of its prompt, then chosen

    Without the prompts these are [x y EOS] and [z EOS PAD].
    """
    most = most_symbols(longest, ends)
    writing, prompt = Writing.begin(model, ids, cached, window, ends)
    B, P = prompt.shape
    lengths = (prompt != PAD).sum(axis=1)  # (B,) of the prompts
    shortest = int(lengths.min())
    text = new = prompt[:, :shortest]  # (B, shortest)
    ended = np.full(B, False)
    while not ended.all():
        t = text.shape[1]  # the place of the next symbol
        chosen = choose(writing.scores(new))  # (B,)
        in_prompt = t < lengths  # (B,)
        given = prompt[:, t] if t < P else np.full(B, PAD)
        chosen = np.where(in_prompt, given, np.where(ended, PAD, chosen))
        ended |= ~in_prompt & ((chosen == EOS) | (t - lengths >= most - 1))
        new = chosen[:, None]  # (B, 1)
        text = np.concatenate([text, new], axis=1)  # (B, t + 1)
    text = np.pad(text, ((0, 0), (0, P - shortest)), constant_values=PAD)
    after_prompt = lengths[:, None] + np.arange(text.shape[1] - P)  # (B, T)
    written = np.take_along_axis(text, after_prompt, axis=1)
    return written[:, (written != PAD).any(axis=0)]
