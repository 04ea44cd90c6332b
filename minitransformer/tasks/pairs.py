"""A source -> its target, from the lines of a file: source TAB target.

    go away !    ->  va-t'en !
    good night   ->  bonne nuit
    おはよう       ->  good morning

Any two languages, by characters or by words.
"""

import math
import os
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Literal

from minigrad.errors import DataError
from minigrad.settings import choice, whole
from minitransformer.tasks.files import Fault, check, read_lines
from minitransformer.tasks.split import first, seeded
from minitransformer.training.vocabulary import Vocabulary

HELD_OUT = 1000  # pairs, or a tenth of them if that is less

Pair = tuple[str, str]


class Pairs:
    """The task of a file, with its pairs split by `seed` into those to train on and those held out.

    A line is source, tab, target. White space around them is dropped; by words, what is left of it
    becomes single spaces. Faults are: an empty line; no tab, or more than one; a side that is empty
    or longer than `longest`; a source that an earlier line has; bytes that are not `encoding`.

    A pair is held out only if training still shows each of its symbols: one that was never trained
    on could not be read. So the vocabularies hold all symbols, for every seed. If every pair has a
    symbol that no other pair has, nothing can be held out; this is a fault, too.

    Args:
        file: the path.
        level: whether the model reads and writes characters or words.
        longest: how many of them a source or target may have. Memory grows with the square of it.
        skip_bad: use what can be used of a file with faults: the other lines; of equal sources the
            first; and for training, even if nothing can be held out.
        encoding: of the file, as Python names it.
        sha256: the hash that the contents must have (see `Pairs.sha256`), to continue a run.

    Attributes:
        faults: those that were skipped, by line.
        sha256: of the contents of the file.
        held_out_count: how many pairs are held out: a tenth, at most 1000.
        longest_source, longest_target: of all pairs that are used.

    Raises:
        DataError: the file cannot be read, or has faults and `skip_bad` is not given.
        ConfigError: `level`, `longest` or `encoding` is not valid.
    """

    name = "pairs"

    def __init__(
        self,
        seed: int,
        file: str | os.PathLike[str],
        *,
        level: Literal["character", "word"] = "character",
        longest: int = 100,
        skip_bad: bool = False,
        encoding: str = "utf-8",
        sha256: str | None = None,
    ) -> None:
        choice("level", level, ("character", "word"))
        longest = whole("longest", longest, least=1)
        lines = read_lines(file, encoding, sha256)
        pair_at, faults = _parse(lines.texts, level, longest)
        pairs = list(pair_at.values())
        self.faults = sorted(lines.faults + faults)
        check(file, self.faults, len(pairs), skip_bad)

        self.seed = seed
        self.sha256 = lines.sha256
        self._held_out, self._trained = _split(pairs, level, seed)
        if not (self._held_out or skip_bad):
            raise DataError(
                f"{file} line {min(pair_at)}: the only pair, so none is left to hold out; give "
                "more pairs, or train on it alone with skip_bad=True"
                if len(pairs) == 1
                else f"{file}: none of its {len(pairs)} pairs can be held out, for each has a "
                f"{level} that no other has; give more pairs, or train on all with skip_bad=True"
            )
        of = Vocabulary.of_characters if level == "character" else Vocabulary.of_words
        self.source = of([source for source, _ in self._trained])
        self.target = of([target for _, target in self._trained])
        self.longest_source, self.longest_target = (
            max(len(_symbols(pair[side], level)) for pair in pairs) for side in (0, 1)
        )

    @property
    def held_out_count(self) -> int:
        return len(self._held_out)

    def held_out(self, count: int) -> list[Pair]:
        """The first `count` of the held-out pairs.

        Raises:
            ConfigError: `count` is not between 0 and `held_out_count`.
        """
        return first(self._held_out, count, self.name)

    def batch(self, step: int, size: int) -> list[Pair]:
        """`size` pairs to train on, drawn with repetition."""
        return seeded(self.name, self.seed, step).choices(self._trained, k=size)


def _symbols(text: str, level: str) -> Sequence[str]:
    return text if level == "character" else text.split()


def _clean(text: str, level: str) -> str:
    return text.strip() if level == "character" else " ".join(text.split())


def _parse(lines: dict[int, str], level: str, longest: int) -> tuple[dict[int, Pair], list[Fault]]:
    """The pairs by line, no source twice, and the faults of the other lines."""
    pairs: dict[int, Pair] = {}
    faults: list[Fault] = []
    line_of: dict[str, int] = {}  # each source
    for number, line in lines.items():
        fields = [_clean(field, level) for field in line.split("\t")]
        what = _fault(fields, level, longest)
        if what is None and fields[0] in line_of:
            what = f"the source of line {line_of[fields[0]]} again"
        if what is None:
            source, target = fields
            line_of[source] = number
            pairs[number] = source, target
        else:
            faults.append(Fault(number, what))
    return pairs, faults


def _fault(fields: list[str], level: str, longest: int) -> str | None:
    """Return the fault in the fields of a line, or None if they are a source and a target."""
    if not any(fields):
        return "empty"
    if len(fields) != 2:
        return f"{len(fields) - 1 or 'no'} tab{'s' * (len(fields) > 2)}; expected one"
    for side, text in zip(("source", "target"), fields, strict=True):
        if not text:
            return f"no {side}"
        if (length := len(_symbols(text, level))) > longest:
            return f"a {side} of {length} {level}s; the model reads at most {longest}"
    return None


def _split(pairs: list[Pair], level: str, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Split into held-out and training pairs; the training pairs show each symbol of each side."""

    def symbols(pair: Pair, side: int) -> set[str]:
        return set(_symbols(pair[side], level))

    shown_by = [  # for each side, in how many pairs to train on a symbol is
        Counter(chain.from_iterable(symbols(pair, side) for pair in pairs)) for side in (0, 1)
    ]
    wanted = min(HELD_OUT, math.ceil(len(pairs) / 10))
    held_out: list[Pair] = []
    trained: list[Pair] = []
    for pair in seeded("pairs", seed, "split").sample(pairs, len(pairs)):
        if len(held_out) < wanted and all(
            shown_by[side][symbol] > 1 for side in (0, 1) for symbol in symbols(pair, side)
        ):
            held_out.append(pair)
            for side in (0, 1):
                shown_by[side].subtract(symbols(pair, side))
        else:
            trained.append(pair)
    return held_out, trained
