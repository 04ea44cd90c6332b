"""A model with its vocabularies: it learns from examples, and turns lines of text into lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from minigrad import errors
from minigrad.engine.errors import described
from minigrad.engine.kinds import checked
from minigrad.settings import whole

from ..model.decoder_only import DecoderOnly
from ..model.sizes import Sizes
from ..model.transformer import Transformer
from .decoding import greedy, likelihood
from .task import Task, TextTask
from .vocabulary import BOS, Vocabulary, several

Way = Callable[..., np.ndarray]
Pair = tuple[str, str]  # a source and its target
E = TypeVar("E")  # an example
R = TypeVar("R", bound="LineReader")


@dataclass(frozen=True)
class LineReader(ABC, Generic[E]):
    """A model with its vocabularies. The methods are those of an encoder-decoder; other kinds replace
    some of them.

    A reader is made for a task (`of`, `sizes_for`). It learns: each kind defines its examples, and the
    symbols that the model has to predict (`inputs_and_targets`, `check`, `length`, `to_write`,
    `examined`). And it reads: `read` is `encode`, `write` and `decode`, one after the other.

    Attributes:
        longest_source, longest_target: in symbols; a longer source is refused.

    Raises:
        ConfigError: if the model's embeddings are one matrix and its vocabularies are not, or if it has
            fewer positions than reading and writing take.
    """

    model: Any  # a Transformer or a DecoderOnly
    source: Vocabulary
    target: Vocabulary
    longest_source: int
    longest_target: int

    architecture: ClassVar[type] = Transformer  # the class of the model
    sizes: ClassVar[type] = Sizes  # the class of the model's sizes

    def __post_init__(self) -> None:
        if not isinstance(self.model, (Transformer, DecoderOnly)):
            raise errors.ConfigError(
                f"model is a Transformer or a DecoderOnly, not {described(self.model)}"
            )
        sizes = self.model.sizes
        if isinstance(sizes, Sizes) and sizes.tied == "all" and self.source != self.target:
            raise errors.ConfigError(
                "tied='all' makes one matrix of both embeddings, and the source has other symbols "
                "than the target: choose tied='target', or tied='none'"
            )
        needed = max(self.widest)
        if sizes.positions == "learned" and sizes.longest < needed:
            raise errors.ConfigError(
                f"an example may take {needed} positions, and the model learns {sizes.longest}: make "
                f"it with longest={needed}, or leave out long examples"
            )

    @classmethod
    def of(cls: type[R], task: Task | TextTask, sizes: object) -> R:
        """A reader for a task, its model not trained."""
        return cls(cls.architecture(sizes), *cls.sides(task))

    @classmethod
    def sizes_for(cls, task: object) -> dict[str, int]:
        """The part of the sizes that the task decides: its symbols, and positions for its longest."""
        source, target, *longest = cls.sides(task)
        return {
            **cls.symbols(source, target),
            "longest": max(Sizes.longest, *cls.widths(*longest)),
        }

    @staticmethod
    def sides(task: Any) -> tuple[Vocabulary, Vocabulary, int, int]:
        """The vocabularies of what is read and what is written, and the longest of each, in symbols."""
        return task.source, task.target, task.longest_source, task.longest_target

    @staticmethod
    def widths(longest_source: int, longest_target: int) -> tuple[int, ...]:
        """The most columns of each array that the model reads, start symbols included."""
        return longest_source, longest_target + 1

    @staticmethod
    def symbols(source: Vocabulary, target: Vocabulary) -> dict[str, int]:
        """The part of the sizes that the vocabularies decide."""
        return {"source_symbols": len(source), "target_symbols": len(target)}

    @property
    def widest(self) -> tuple[int, ...]:
        """`widths` of the longest that this reader takes."""
        return self.widths(self.longest_source, self.longest_target)

    @property
    def writes(self) -> Vocabulary:
        """The symbols that the model chooses from."""
        return self.target

    @abstractmethod
    def inputs_and_targets(self, examples: Sequence[E]) -> tuple[list[np.ndarray], np.ndarray]:
        """Teacher forcing: the ids that the model reads, and the ids that it has to predict.

        Returns:
            The inputs of the model, such as a source (B, S) and the symbols before each (B, T); and the
            symbols to predict (B, T), PAD where there is none.
        """

    @abstractmethod
    def check(self, examples: Sequence[E]) -> None:
        """Check that examples are of the right kind, with an error that says what they are."""

    @abstractmethod
    def length(self, example: E) -> int:
        """Count the symbols of one example, on all its sides: the cost of learning from it."""

    @abstractmethod
    def to_write(self, examples: Sequence[E]) -> int:
        """Count the symbols that the model must predict in `examples`, ends of sequences included."""

    @abstractmethod
    def examined(self, examples: Sequence[E]) -> tuple[list[str], float]:
        """Return what the model writes for each example, and the share that it does right."""

    @checked
    def read(self, lines: Sequence[str], batch: int = 64, how: Way = greedy) -> list[str]:
        """Return the text that the model writes for each line.

        Args:
            batch: how many lines are read at once.
            how: as for `write`.

        Raises:
            VocabularyError: for an empty line, or symbols that the model has never seen.
            LengthError: for a line longer than the model reads.
        """
        several(lines)
        written: list[str] = []
        for i in range(0, len(lines), whole("batch", batch, least=1)):
            written += map(self.decode, self.write(self.encode(lines[i : i + batch]), how))
        return written

    @checked
    def encode(self, lines: Sequence[str]) -> np.ndarray:
        """The ids of `lines`: (B, S).

        Raises:
            VocabularyError, LengthError: as `read`.
        """
        for line in several(lines):  # each by itself, before all are filled up to the longest
            n = len(self.source.encode(line))
            if n > self.longest_source:
                raise errors.LengthError(
                    f"{line[:40]!r}{'...' * (len(line) > 40)} has {n} {self.source.level}s, and "
                    f"the model reads at most {self.longest_source}: shorten it"
                )
        return self.source.batch(lines)

    @checked
    def write(self, source: np.ndarray, how: Way = greedy) -> np.ndarray:
        """The ids (B, T) that the model writes for ids (B, S).

        Args:
            how: a way to write, called with the model, the ids, and the largest number of symbols to
                write: `greedy`, or another one with its options, such as `sample`. A `TextReader` also
                gives it `window` and `ends`.
        """
        written = how(self.model.eval(), source, self.longest_target)
        if not isinstance(written, np.ndarray):
            raise errors.ConfigError(f"how gives ids (B, T), and this gave {described(written)}")
        return written

    def probabilities(self, source: np.ndarray, written: np.ndarray) -> np.ndarray:
        """The probability (B,) that the model gives to each row of the ids (B, T) that it wrote."""
        return likelihood(self.model.eval(), source, written)

    def beginning(self, source: np.ndarray, written: np.ndarray) -> np.ndarray:
        """The part of the written ids (B, T) that the model reads at once, after its source.

        Raises:
            LengthError: if that is nothing.
        """
        return written

    def inputs(self, source: np.ndarray, written: np.ndarray) -> list[np.ndarray]:
        """The ids that the model reads to give each written symbol its score, all at once: a source
        (B, S), if it has one, and the symbols before each (B, T).

        Args:
            source: ids (B, S), from `encode`.
            written: ids (B, T), from `write`.
        """
        start = np.full((len(written), 1), BOS)
        return [source, np.concatenate([start, written[:, :-1]], axis=1)]  # (B, S), (B, T)

    @checked
    def decode(self, ids: np.ndarray) -> str:
        """The line that written ids (T,) stand for."""
        return self.writes.decode(ids)

    def accuracy(self, examples: Sequence[Any]) -> float:
        """The share that the model does right: see `examined`."""
        return self.examined(examples)[1]
