"""Symbols to ids and back: a model reads and writes whole numbers.

    >>> letters = Vocabulary.of_characters("abc")
    >>> letters.encode("cab", end=True)
    [5, 3, 4, 2]
    >>> letters.decode([5, 3, 4, 2, 0, 0])
    'cab'
    >>> letters.tokens([5, 3, 4, 2, 0, 0])
    ['c', 'a', 'b', '<eos>', '<pad>', '<pad>']

The first ids are special. They are no symbols, so no text can spell one: a text that contains the
five characters "<pad>" is five characters, in every vocabulary.
"""

import operator
import reprlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

from minigrad.engine.kinds import checked
from minigrad.errors import VocabularyError
from minigrad.settings import flag

PAD = 0  # fills up a row of a batch; never attended to, never counted in the loss
BOS = 1  # beginning of sequence: what the decoder is given before it has written anything
EOS = 2  # end of sequence
SPECIAL = ("<pad>", "<bos>", "<eos>")  # their names, for pictures

_repr = reprlib.Repr()
_repr.maxstring = 100
_short = _repr.repr  # repr, cut in the middle if it is long: a message stays one line


@dataclass(frozen=True, repr=False)
class Vocabulary:
    """An ordered set of symbols, each with an id: `symbols[i]` has the id `3 + i`.

    Made by `of_characters`, `of_words` or `from_dict`. Two vocabularies are equal if they give the
    same ids to the same symbols. `len(vocabulary)` is N, the special ids included.

    Raises:
        VocabularyError: no symbols, one that occurs twice, or one that is not a single character
            (or, at the level of words, a single word).
    """

    symbols: tuple[str, ...]
    level: Literal["character", "word"] = "character"

    def __post_init__(self) -> None:
        if not isinstance(self.level, str) or self.level not in ("character", "word"):
            raise VocabularyError(f"level is {_short(self.level)}; expected 'character' or 'word'")
        if not isinstance(self.symbols, (tuple, list)):
            raise VocabularyError(f"symbols are a tuple of texts, not {_short(self.symbols)}")
        if not self.symbols:
            raise VocabularyError(f"no {self.level}s: a vocabulary needs at least one")
        for symbol in self.symbols:
            # A symbol must be one that encode can find again in a text.
            if not isinstance(symbol, str) or list(self._split(symbol)) != [symbol]:
                raise VocabularyError(f"{_short(symbol)} is not a single {self.level}")
        if len(self._id_of) < len(self.symbols):
            twice = next(s for s in self.symbols if self.symbols.count(s) > 1)
            raise VocabularyError(
                f"the {self.level} {_short(twice)} occurs twice; give each one once"
            )

    @classmethod
    @checked
    def of_characters(cls, texts: Iterable[str]) -> "Vocabulary":
        """The characters of `texts`, sorted. One string will do: it is an alphabet."""
        return cls(tuple(sorted(set().union(*map(_line, texts)))))

    @classmethod
    @checked
    def of_words(cls, texts: Iterable[str]) -> "Vocabulary":
        """The words of `texts` (what white space separates), sorted."""
        return cls(
            tuple(sorted(set().union(*(_line(text).split() for text in several(texts))))), "word"
        )

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[int]:
        """The ids of the symbols of `text`, between BOS if `start` and EOS if `end`.

        Raises:
            VocabularyError: `text` has no symbols, or one that the vocabulary does not know.
        """
        start, end = flag("start", start), flag("end", end)
        id_of = self._id_of
        try:
            ids = [id_of[symbol] for symbol in self._split(text)]
        except KeyError as unknown:
            symbol = unknown.args[0]
            others = [s for s in (symbol.lower(), symbol.upper()) if s in id_of]
            remedy = f"write {_short(others[0])}" if others else "change the text"
            raise VocabularyError(
                f"unknown {self.level} {_short(symbol)} at position "
                f"{list(self._split(text)).index(symbol)} of {_short(text)}; known are "
                f"{_short(self._join(self.symbols))}: {remedy}, or train on texts that "
                "have it"
            ) from None
        if not ids:
            raise VocabularyError(f"{_short(text)} has no {self.level}s; give at least one")
        return [BOS] * start + ids + [EOS] * end

    def count(self, text: str) -> int:
        """Count the symbols of `text`, whether they are known or not."""
        return len(self._split(text))

    @checked
    def decode(self, ids: Iterable[SupportsIndex]) -> str:
        """The text that one row of ids, (S,), stands for: up to EOS, without PAD and BOS.

        Undoes `encode`, except that words come back with one space between them.

        Raises:
            VocabularyError: something among `ids` is not an id of this vocabulary.
        """
        row = self._checked(ids)
        if EOS in row:
            row = row[: row.index(EOS)]
        return self._join(self._names[i] for i in row if i not in (PAD, BOS))

    @checked
    def tokens(self, ids: Iterable[SupportsIndex]) -> list[str]:
        """A name for each id of one row, (S,), special or not: the labels of a picture.

        Raises:
            VocabularyError: something among `ids` is not an id of this vocabulary.
        """
        return [self._names[i] for i in self._checked(ids)]

    @checked
    def batch(
        self, texts: Iterable[str], *, start: bool = False, end: bool = False
    ) -> npt.NDArray[np.int64]:
        """Encode each text as a row, filled up on the right with PAD: int64, (B, S).

        Raises:
            VocabularyError: no texts, or one that cannot be encoded.
        """
        rows = [self.encode(text, start=start, end=end) for text in several(texts)]
        if not rows:
            raise VocabularyError("no texts: a batch needs at least one")
        return padded(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that JSON can store and `from_dict` can read."""
        return {"level": self.level, "symbols": list(self.symbols)}

    @classmethod
    def from_dict(cls, saved: object) -> "Vocabulary":
        """The vocabulary that `to_dict` described.

        Raises:
            VocabularyError: `saved` describes none.
        """
        match saved:
            case {"level": level, "symbols": [*symbols], **rest} if not rest:
                return cls(tuple(symbols), level)
        raise VocabularyError(
            f"{_short(saved)} is not a vocabulary; expected what to_dict returns: "
            "{'level': 'character' or 'word', 'symbols': [...]}"
        )

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        symbols = _short(self._join(self.symbols))
        return f"<Vocabulary of {len(self.symbols)} {self.level}s: {symbols}>"

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return SPECIAL + self.symbols

    @cached_property
    def _id_of(self) -> dict[str, int]:
        # The special names are left out, so that no text can spell one.
        return {symbol: i for i, symbol in enumerate(self.symbols, start=len(SPECIAL))}

    def _split(self, text: str) -> Sequence[str]:
        return _line(text) if self.level == "character" else _line(text).split()

    def _join(self, symbols: Iterable[str]) -> str:
        return ("" if self.level == "character" else " ").join(symbols)

    def _checked(self, ids: Iterable[SupportsIndex]) -> list[int]:
        row = []
        for position, i in enumerate(ids):
            try:
                number = operator.index(i)
            except TypeError:  # a float, or a whole row of a batch
                raise VocabularyError(
                    f"{type(i).__name__} at position {position} is not an id; "
                    "expected one row of integers"
                ) from None
            if not 0 <= number < len(self):  # a negative one would count from the end
                raise VocabularyError(
                    f"id {number} at position {position} names no symbol; "
                    f"this vocabulary has the ids 0 to {len(self) - 1}"
                )
            row.append(number)
        return row


def _line(text: str) -> str:
    """Return `text`; refuse anything but a text."""
    if not isinstance(text, str):
        raise VocabularyError(f"a line is a text, not {_short(text)}")
    return text


def padded(rows: Sequence[Sequence[SupportsIndex]]) -> npt.NDArray[np.int64]:
    """Rows of ids as one array, filled up on the right with PAD: int64, (B, T)."""
    ids = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)  # (B, T)
    for filled, row in zip(ids, rows, strict=True):
        filled[: len(row)] = row
    return ids


def several(texts: Iterable[str]) -> Iterable[str]:
    """Return `texts`; refuse a single text, which Python would take as a list of its characters."""
    if isinstance(texts, str):
        raise VocabularyError(f"expected a list of texts, got one text; write [{_short(texts)}]")
    return texts
