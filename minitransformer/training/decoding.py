"""Writing symbol by symbol: what a trained model does when no target is given.

Each function writes for a whole batch, from a `Transformer` and the sources to be read, or from a
`DecoderOnly` model and the prompts to be continued. What the model has computed for the symbols so
far is remembered (not with `cached=False`); this changes only the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad import errors

from ..model import masks
from ..model.cache import Cache
from ..model.decoder_only import DecoderOnly
from ..model.transformer import Transformer
from .vocabulary import BOS, EOS, PAD

Model = Transformer | DecoderOnly
Choose = Callable[[np.ndarray], np.ndarray]  # scores (B, N) -> one symbol a row (B,)


def greedy(model: Model, given: np.ndarray, longest: int, *, cached: bool = True) -> np.ndarray:
    """Write the most likely symbol at each step (Phuong & Hutter, 2022, algorithms 14 and 15 with a
    temperature towards 0).

    Args:
        model: in evaluation mode, or dropout takes part.
        given: ids (B, S), padded with PAD: sources, or prompts that begin with BOS.
        longest: how many symbols to write at most, the end of sequence not counted.
        cached: whether to remember what was computed for earlier symbols.

    Returns:
        ids (B, T), T <= longest + 1, without the prompt. Each row ends with EOS, if it came in time,
        and then PAD.
    """
    return _write(model, given, longest, lambda scores: np.argmax(scores, axis=-1), cached)


def sample(
    model: Model,
    given: np.ndarray,
    longest: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    rng: np.random.Generator | None = None,
    cached: bool = True,
) -> np.ndarray:
    """Draw each symbol from the model's distribution (Phuong & Hutter, 2022, algorithms 14 and 15).

    Args:
        model, given, longest, cached: as for `greedy`.
        temperature: what the scores are divided by: below 1 the likely becomes likelier; 0 is greedy.
        top_k: draw only from the k likeliest (Fan et al., 2018).
        top_p: draw only from the likeliest that together have at least this probability
            (Holtzman et al., 2020).
        rng: the random generator for the draws (default: the common generator).

    Returns:
        ids, as `greedy` does.

    Raises:
        ConfigError: for a temperature below 0, a top_k below 1, or a top_p not above 0 up to 1.
    """
    few = top_k is not None and top_k < 1
    if temperature < 0 or few or not (top_p is None or 0 < top_p <= 1):
        raise errors.ConfigError(
            f"temperature is from 0, top_k from 1, and top_p above 0 up to 1; "
            f"got {temperature}, {top_k}, {top_p}"
        )
    if temperature == 0:
        return greedy(model, given, longest, cached=cached)
    rng = rng or mg.generator()

    def choose(scores: np.ndarray) -> np.ndarray:
        p = distribution(scores, temperature, top_k, top_p)  # (B, N)
        below = np.cumsum(p, axis=-1)
        drawn = rng.random((len(p), 1)) * below[:, -1:]  # the sum is 1 but for rounding
        return np.argmax(below > drawn, axis=-1)

    return _write(model, given, longest, choose, cached)


def distribution(
    scores: np.ndarray,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> np.ndarray:
    """The probabilities (B, N) that `sample` draws from, given scores (B, N)."""
    scores = scores / temperature
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    by_rank = np.argsort(-p, axis=-1, kind="stable")
    ranked = np.take_along_axis(p, by_rank, axis=-1)
    kept = np.full(p.shape, True)  # by rank
    if top_k is not None:
        kept[:, top_k:] = False
    if top_p is not None:
        kept &= np.cumsum(ranked, axis=-1) - ranked < top_p  # the likelier ones do not reach it yet
    np.put_along_axis(p, by_rank, np.where(kept, ranked, 0), axis=-1)
    return p / p.sum(axis=-1, keepdims=True)


def beam_search(
    model: Model,
    given: np.ndarray,
    longest: int,
    *,
    beams: int = 4,
    length_penalty: float = 0.0,
    cached: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Keep the best `beams` beginnings at each step, and write the best that came to an end.

    A finished hypothesis keeps its place in the beam until a better one takes it. Hypotheses are ranked
    by log p / ((5 + length) / 6)^length_penalty, the end of sequence counted in the length (Wu et
    al., 2016, equation 14), so a penalty above 0 favours longer ones. One beam is greedy.

    Args:
        model, given, longest, cached: as for `greedy`; prompts must all be equally long.
        beams: how many hypotheses to keep.
        length_penalty: the exponent above.

    Returns:
        ids (B, beams, T), the best hypothesis of each row first, as `greedy` lays them out; and their
        scores (B, beams): minus infinity for a place that no hypothesis took.

    Raises:
        ConfigError: for fewer than one beam, or prompts of unequal lengths.
    """
    if beams < 1:
        raise errors.ConfigError(f"a beam search keeps at least one hypothesis, not {beams}")
    B, K = len(given), beams
    writing, prompt = Writing.begin(model, given, cached)
    if (prompt == PAD).any():
        raise errors.ConfigError(
            "a beam search continues prompts of equal lengths: search one by one"
        )
    new = np.repeat(prompt, K, axis=0)  # (B K, n)
    with mg.no_grad():
        writing = writing.select(np.repeat(np.arange(B), K))
        written = np.full((B, K, 0), PAD)
        log_p = np.where(np.arange(K) == 0, 0.0, -np.inf) + np.zeros(
            (B, 1)
        )  # (B, K): one is enough
        ended = np.full((B, K), False)
        length = np.zeros((B, K))
        while written.shape[2] <= longest and not ended.all():
            step = _log_softmax(writing.scores(new)).reshape(B, K, -1)  # (B, K, N)
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


def cross_attention(model: Transformer, source: np.ndarray, target: np.ndarray) -> list[np.ndarray]:
    """Return each layer's weights (B, H, T, S): where the decoder looks in the source as it writes.

    Args:
        source: ids (B, S).
        target: ids (B, T) as `greedy` returned them. Row t of the weights belongs to the step that
            wrote target symbol t: the decoder had read the symbols before it.
    """
    start = np.full((len(target), 1), BOS)
    read = np.concatenate([start, target[:, :-1]], axis=1)  # (B, T)
    with mg.no_grad():
        source_mask = masks.padding(source)
        _, maps = model.decode(read, model.encode(source, source_mask), source_mask)
    return [weights.numpy() for weights in maps]


class Writing:
    """A model in the middle of writing: the source it reads, if any, and what it remembers."""

    def __init__(self, model: Model, memory: Any, source_mask: Any, cache: Cache, cached: bool):
        self.model = model
        self.memory = memory  # (B, S, D), or None without a source
        self.source_mask = source_mask
        self.cache = cache
        self.cached = cached

    @classmethod
    def begin(cls, model: Model, given: np.ndarray, cached: bool) -> tuple[Writing, np.ndarray]:
        """Return the state before the first symbol, and the prompts (B, P): only BOS for a source."""
        if isinstance(model, DecoderOnly):
            return cls(model, None, None, Cache(), cached), given
        with mg.no_grad():
            source_mask = masks.padding(given)  # (B, 1, 1, S)
            memory = model.encode(given, source_mask)  # (B, S, D)
        start = np.full((len(given), 1), BOS)
        return cls(model, memory, source_mask, Cache(), cached), start

    def scores(self, new: np.ndarray) -> np.ndarray:
        """Read new symbols (B, n); return the scores (B, N) of what follows them, in float64.

        Padding and the start symbol must not be written: their scores are minus infinity.
        """
        cache = self.cache if self.cached else None
        tokens = new if self.cached else self.cache.read(new)
        with mg.no_grad():
            if isinstance(self.model, DecoderOnly):
                logits = self.model(tokens, cache)  # (B, n, N)
            else:
                logits, _ = self.model.decode(tokens, self.memory, self.source_mask, cache)
        scores = logits[:, -1].numpy().astype(np.float64)  # (B, N)
        scores[:, [PAD, BOS]] = -np.inf
        return scores

    def select(self, rows: np.ndarray) -> Writing:
        """Return the state of these rows of the batch, given by number; numbers may repeat."""
        memory = None if self.memory is None else self.memory[rows]
        mask = None if self.source_mask is None else self.source_mask[rows]
        return Writing(self.model, memory, mask, self.cache.select(rows), self.cached)


def _write(
    model: Model, given: np.ndarray, longest: int, choose: Choose, cached: bool
) -> np.ndarray:
    """Write until every row has ended. Shorter prompts go on while longer ones are still read."""
    writing, prompt = Writing.begin(model, given, cached)
    B, P = prompt.shape
    lengths = (prompt != PAD).sum(axis=1)  # (B,) of the prompts
    if (lengths == 0).any():
        raise errors.ConfigError("a prompt has at least one symbol, the start symbol")
    n = int(lengths.min())
    text = prompt[:, :n]  # (B, n)
    ended = np.full(B, False)
    new = text
    while not ended.all():
        chosen = choose(writing.scores(new))  # (B,)
        reading = text.shape[1] < lengths  # (B,): the prompt has it already
        at = np.minimum(text.shape[1], P - 1)
        chosen = np.where(reading, prompt[:, at], np.where(ended, PAD, chosen))
        ended |= ~reading & ((chosen == EOS) | (text.shape[1] - lengths >= longest))
        new = chosen[:, None]  # (B, 1)
        text = np.concatenate([text, new], axis=1)  # (B, n)
    text = np.pad(text, ((0, 0), (0, P - n)), constant_values=PAD)
    after_prompt = lengths[:, None] + np.arange(text.shape[1] - P)  # (B, T)
    written = np.take_along_axis(text, after_prompt, axis=1)
    return written[:, (written != PAD).any(axis=0)]


def _log_softmax(scores: np.ndarray) -> np.ndarray:
    scores = scores - scores.max(axis=-1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))


def _penalty(length: np.ndarray, exponent: float) -> np.ndarray:
    return ((5 + length) / 6) ** exponent
