"""The three kinds of readers, and what each makes of an example.

Two of them are of one kind:

    PairReader     examples are pairs of texts, a source and its target
      Reader       an encoder-decoder: the encoder reads the source, the decoder writes the target
      Continuer    a decoder-only model: it goes on where the source ends
    TextReader     a decoder-only model on plain text
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

import minigrad as mg
from minigrad import errors
from minigrad.engine.kinds import checked

from ..model.decoder_only import DecoderOnly
from ..model.sizes import DecoderSizes
from .decoding import greedy
from .line_reader import LineReader, Pair, Way
from .vocabulary import BOS, PAD, Vocabulary, padded, several


@dataclass(frozen=True)
class PairReader(LineReader[Pair]):
    """A reader whose examples are pairs of texts: it reads a source, and writes a target."""

    @checked
    def check(self, examples: Sequence[Pair]) -> None:
        """Check that examples are pairs of texts, with an error that says what they are."""

    def length(self, example: Pair) -> int:
        source, target = example
        return self.source.count(source) + self.target.count(target)

    def to_write(self, pairs: Sequence[Pair]) -> int:
        return sum(len(self.target.encode(t, end=True)) for _, t in pairs)

    @checked
    def examined(self, pairs: Sequence[Pair]) -> tuple[list[str], float]:
        """Return what the model writes for each source, and the share of pairs written exactly."""
        written = self.read([source for source, _ in pairs])
        return written, sum(w == target for w, (_, target) in zip(written, pairs)) / len(pairs)


@checked
@dataclass(frozen=True)
class Reader(PairReader):
    """An encoder-decoder with the vocabularies of its task.

    Raises:
        ConfigError: as `LineReader`.
    """

    def inputs_and_targets(self, pairs: Sequence[Pair]) -> tuple[list[np.ndarray], np.ndarray]:
        source = self.source.batch([s for s, _ in pairs])  # (B, S)
        targets = self.target.batch([t for _, t in pairs], start=True, end=True)  # (B, T + 1)
        read, write = shifted(targets)
        return [source, read], write


@checked
@dataclass(frozen=True)
class Continuer(PairReader):
    """A decoder-only model on pairs: it reads `source <bos> target <eos>` as one text, and learns to
    predict what comes after the start symbol. Both sides share one vocabulary."""

    architecture: ClassVar[type] = DecoderOnly
    sizes: ClassVar[type] = DecoderSizes

    @staticmethod
    def symbols(source: Vocabulary, target: Vocabulary) -> dict[str, int]:
        return {"symbols": len(joint(source, target))}

    @staticmethod
    def widths(longest_source: int, longest_target: int) -> tuple[int, ...]:
        return (longest_source + 1 + longest_target,)

    @cached_property
    def writes(self) -> Vocabulary:  # type: ignore[override]
        return joint(self.source, self.target)

    def inputs_and_targets(self, pairs: Sequence[Pair]) -> tuple[list[np.ndarray], np.ndarray]:
        encode = self.writes.encode
        rows = [encode(s) + encode(t, start=True, end=True) for s, t in pairs]
        text = padded(rows)  # (B, S + 1 + T)
        before = np.array([len(encode(s)) for s, _ in pairs])[:, None]  # (B, 1)
        read, write = shifted(text)
        return [read], np.where(np.arange(read.shape[1]) < before, PAD, write)

    @checked
    def encode(self, lines: Sequence[str]) -> np.ndarray:
        """The prompts: the ids of `lines` and the start symbol, (B, S + 1)."""
        # For its errors: no lines, too long a one, or symbols that no source has.
        super().encode(lines)
        return padded([[*self.writes.encode(line), BOS] for line in lines])

    def inputs(self, source: np.ndarray, written: np.ndarray) -> list[np.ndarray]:
        return [_continued(source, written)]


@checked
@dataclass(frozen=True)
class TextReader(LineReader[str]):
    """A decoder-only model on plain text: it goes on with a line by `longest_target` symbols.

    It has learned from windows of `longest_source` symbols, and reads no more at once: the window slides
    over longer texts.
    """

    architecture: ClassVar[type] = DecoderOnly
    sizes: ClassVar[type] = DecoderSizes

    @staticmethod
    def sides(task: Any) -> tuple[Vocabulary, Vocabulary, int, int]:
        return task.vocabulary, task.vocabulary, task.window, task.window

    @staticmethod
    def widths(longest_source: int, longest_target: int) -> tuple[int, ...]:
        return (longest_source,)

    @staticmethod
    def symbols(source: Vocabulary, target: Vocabulary) -> dict[str, int]:
        return {"symbols": len(source)}

    @checked
    def encode(self, lines: Sequence[str]) -> np.ndarray:
        if "" in several(lines) and "\n" in self.source.symbols:
            raise errors.VocabularyError(
                "'' has no characters; to begin with nothing, give the end of a line: a newline, "
                "$'\\n' in the shell"
            )
        return self.source.batch(lines)

    def beginning(self, source: np.ndarray, written: np.ndarray) -> np.ndarray:
        room = self.longest_source + 1 - source.shape[1]
        if room < 1:
            raise errors.LengthError(
                f"the line has {source.shape[1]} symbols, and the model reads {self.longest_source} at "
                f"once: shorten it"
            )
        return written[:, :room]

    def inputs(self, source: np.ndarray, written: np.ndarray) -> list[np.ndarray]:
        return [_continued(source, written)]

    def write(self, source: np.ndarray, how: Way = greedy) -> np.ndarray:
        return how(
            self.model.eval(), source, self.longest_target, window=self.longest_source, ends=False
        )

    def inputs_and_targets(self, windows: Sequence[str]) -> tuple[list[np.ndarray], np.ndarray]:
        text = self.source.batch(windows)  # (B, T + 1)
        read, write = shifted(text)
        return [read], write

    @checked
    def check(self, examples: Sequence[str]) -> None:
        """Check that examples are texts, with an error that says what they are."""

    def length(self, example: str) -> int:
        return self.source.count(example)

    def to_write(self, windows: Sequence[str]) -> int:
        return sum(len(window) - 1 for window in windows)

    @checked
    def examined(self, windows: Sequence[str]) -> tuple[list[str], float]:
        """Return no text, and the share of symbols predicted right, but for the first of each window."""
        with mg.no_grad():
            self.model.eval()
            right = [
                np.argmax(self.model(*read), axis=-1) == write
                for read, write in (self.inputs_and_targets([window]) for window in windows)
            ]
        return [], float(np.mean(right))


READERS: dict[str, type[LineReader]] = {
    "encoder-decoder": Reader,
    "decoder": Continuer,
    "text": TextReader,
}


def shifted(text: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The input of a model (B, T), and its targets, one symbol ahead, (B, T): ids (B, T + 1)
    without their last column, and without their first."""
    return text[:, :-1], text[:, 1:]


def _continued(prompt: np.ndarray, written: np.ndarray) -> np.ndarray:
    """The ids that a decoder-only model has read when it writes its last symbol: (B, P) and (B, T) to
    (B, P + T - 1)."""
    return np.concatenate([prompt, written[:, :-1]], axis=1)


def joint(source: Vocabulary, target: Vocabulary) -> Vocabulary:
    """Make one vocabulary with the symbols of both."""
    return Vocabulary(tuple(sorted({*source.symbols, *target.symbols})), source.level)
