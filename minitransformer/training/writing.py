"""A model in the middle of writing: what it has read so far, and the scores of what may come next.

To write two symbols, `greedy` calls

    Writing.begin(model, ids)     the encoder reads the source, once
    scores(BOS)                   the decoder reads BOS: the attentions of each layer make its keys and
                                  values, and those of the source, and the cache keeps them
    argmax                        the first symbol: that of the highest score
    scores(first)                 the decoder reads this symbol alone, at position 1: its query meets its
                                  own key, and from the cache the keys of BOS and of the source
    argmax                        the second symbol

and so on, until every row has ended, by EOS or by its length.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import minigrad as mg
from minigrad import errors
from minigrad.engine.errors import described
from minigrad.functional import log_softmax
from minigrad.settings import flag, whole

from ..model.cache import Cache
from ..model.decoder_only import DecoderOnly
from ..model.results import Memory
from ..model.tokens import check_tokens
from ..model.transformer import Transformer
from .vocabulary import BOS, EOS, PAD

Model = Transformer | DecoderOnly


@dataclass
class Writing:
    """A model, the source that it reads, if any, and its cache of the symbols so far.

    A model that has learned from windows of W symbols knows W positions, and no more. With `window`, it
    reads no more: whenever it has read W symbols, the window moves on by a quarter of itself. Then all
    symbols in it have other positions, and the cache is made again.

    Attributes:
        model: gives the scores of the next symbol.
        memory: the source, as the model's encoder has read it, or None without a source.
        cached: whether to remember what was computed for earlier symbols.
        window: W (default: no limit).
        ends: whether a row can end: a model of text has learned no end.
        begins: at which symbol of the text the window begins.
        cache: the tokens so far; keys and values of them, if `cached`.
    """

    model: Model
    memory: Memory | None = None
    cached: bool = True
    window: int | None = None
    ends: bool = True
    begins: int = 0
    cache: Cache = field(default_factory=Cache)

    @classmethod
    def begin(
        cls,
        model: Model,
        ids: np.ndarray,
        cached: bool = True,
        window: int | None = None,
        ends: bool = True,
    ) -> tuple[Writing, np.ndarray]:
        """Return the state before the first symbol, and the prompts (B, P): only BOS for a source.

        Raises:
            DTypeError, ShapeError, ConfigError: if what is given are no rows of ids, filled up with
                PAD on the right.
        """
        if not isinstance(model, (Transformer, DecoderOnly)):
            raise errors.ArgumentError(
                f"model is a Transformer or a DecoderOnly, which write, not {described(model)}"
            )
        flag("cached", cached), flag("ends", ends)
        check_rows(ids)
        ids = np.asarray(ids)
        window = None if window is None else whole("window", window, least=1)
        with mg.no_grad():
            memory = model.encode(ids)
        prompt = ids if memory is None else np.full((len(ids), 1), BOS)  # (B, P)
        return cls(model, memory, cached, window, ends), prompt

    def scores(self, new: np.ndarray) -> np.ndarray:
        """Read new symbols (B, n); return the scores (B, N) of the symbol after them, in float64.

        Padding and the start symbol must not be written: their scores are minus infinity.

        Raises:
            AnomalyError: if the scores are not finite.
        """
        new = self._within_window(new)
        if self.cached:
            logits = self.logits(new, self.cache)
        else:
            logits = self.logits(self.cache.append(new))
        return self._allowed(logits[:, -1])

    def logits(self, tokens: np.ndarray, cache: Cache | None = None) -> mg.Tensor:
        """The model's logits (B, n, N) for these tokens (B, n)."""
        model: Any = self.model
        with mg.no_grad():
            return model.next_scores(tokens, self.memory, cache)

    def log_probabilities(self, text: np.ndarray) -> np.ndarray:
        """The logarithms (B, T - 1) of the probability of each symbol of `text` (B, T) after those
        before it: 0 for padding."""
        log_p = log_softmax(self._allowed(self.logits(text[:, :-1])))  # (B, T - 1, N)
        of_each = np.take_along_axis(log_p, text[:, 1:, None], axis=-1)[..., 0]  # (B, T - 1)
        return np.where(text[:, 1:] == PAD, 0.0, of_each)

    def select(self, rows: np.ndarray) -> Writing:
        """Return the state of these rows of the batch, given by number; numbers may repeat."""
        return replace(
            self,
            memory=None if self.memory is None else self.memory.select(rows),
            cache=self.cache.select(rows),
        )

    def _within_window(self, new: np.ndarray) -> np.ndarray:
        """The symbols to read: `new` (B, n), or, if the window moves, all symbols in it."""
        length = self.begins + self.cache.offset + new.shape[1]  # of the text
        begins = 0 if self.window is None else window_start(length, self.window)
        if begins == self.begins:
            return new
        text = self.cache.append(new)[:, begins - self.begins :]
        self.begins, self.cache = begins, Cache()
        return text

    def _allowed(self, logits: mg.Tensor) -> np.ndarray:
        """Logits (..., N) as scores in float64: minus infinity for symbols that must not be written."""
        scores = logits.numpy().astype(np.float64)  # (..., N)
        if not np.isfinite(scores).all():
            parts = self.model.named_parameters()
            bad = [path for path, p in parts if not np.isfinite(p.data).all()]
            raise errors.AnomalyError(
                f"the model gives scores that are no finite numbers"
                f"{f', for {bad[0]} has some that are not' if bad else ''}: load other weights, or "
                f"train it again with a lower learning rate"
            )
        scores[..., [PAD, BOS] if self.ends else [PAD, BOS, EOS]] = -np.inf
        return scores


def most_symbols(longest: int, ends: bool) -> int:
    """The most symbols that are written, the end of sequence among them if there is one."""
    return whole("longest", longest, least=1) + flag("ends", ends)


def window_start(length: int, window: int) -> int:
    """The start of a window of that many symbols in a text so long: it moves by quarters of itself."""
    step = max(1, window // 4)
    return -(-max(0, length - window) // step) * step


def check_rows(ids: np.ndarray) -> None:
    """Check that these are rows of ids, each with a symbol at least, and padding only after its symbols.

    Raises:
        DTypeError, ShapeError, ConfigError: if not.
    """
    check_tokens(ids)
    symbols = ids != PAD  # (B, S)
    if not symbols.any(axis=1).all() or not len(ids):
        raise errors.ConfigError(
            "a row to read has at least one symbol, a prompt at least the start symbol, and there is "
            "at least one row"
        )
    inside = symbols[:, 1:] & ~symbols[:, :-1]
    if inside.any():
        row = int(inside.any(axis=1).argmax())
        raise errors.ConfigError(
            f"row {row} has padding ({PAD}) before a symbol: {ids[row].tolist()}; fill rows up on "
            f"the right only"
        )
