"""A source -> its target, from the lines of a file: source TAB target.

    go away !    ->  va-t'en !
    good night   ->  bonne nuit
    おはよう       ->  good morning

Any two languages, by characters or by words.
"""

from __future__ import annotations

import csv
import math
import os
import random
from array import array
from collections.abc import Sequence
from typing import Literal

from minigrad.errors import DataError
from minigrad.settings import choice, flag, whole

from ..training.line_reader import Pair
from ..training.vocabulary import Vocabulary
from .files import (
    LONG,
    SHOWN,
    Fault,
    File,
    LineBlock,
    check,
    several,
    unchanged,
)
from .split import first, seeded
from .survey import HELD_OUT, Survey, symbols_of

DIVIDERS = {",": "comma", ";": "semicolon", "\t": "tab"}  # of the columns of a csv
ONE_TAB = "put one tab between source and target, or name a file with commas .csv"
HEADS = (  # known names of the columns, in a first line
    ("source", "src", "input", "question"),
    ("target", "tgt", "output", "answer"),
)


class Pairs:
    """The task of a file. `seed` splits its sources into sources to train on and held-out sources.

    A line is source, tab, target. In a file whose name ends in .csv, it has two columns, divided by a
    comma, a semicolon or a tab: by the divider that cuts most of the first lines in two. A first line
    with known names of columns (`HEADS`) is left out. If it has two other words, a note says that they
    are taken as a pair. White space around a text is dropped; for words, white space inside it becomes
    single spaces.

    Faults are: an empty line; no divider, or more than one; a side that is empty or longer than
    `longest`; a quote of a csv that goes on in the next line; bytes that are not `encoding`.

    The file is read once, to find its faults and symbols. Then it is read a line at a time, as pairs are
    drawn: it may be larger than memory.

    A hash of the seed and the source decides which sources are held out, with all their lines. A source
    is held out only if training still shows each of its symbols: the model could not read a symbol that
    it was never trained on. So the vocabularies hold all symbols, for every seed. If every pair has a
    symbol that no other pair has, nothing can be held out; this is a fault, too.

    Args:
        file: the path.
        level: whether the model reads and writes characters or words.
        longest: the most characters or words of a source or a target. Memory grows with its square.
        skip_bad: use the lines without faults, even if nothing can be held out.
        encoding: of the file, as Python names it.
        header: whether the first line names the columns: it is left out.
        sha256: the hash that the contents must have (see `Pairs.sha256`), to continue a run.

    Attributes:
        faults: the first faults that were skipped, by line.
        left_out: a note on a first line of names, and on the lines that were skipped; or "".
        remarks: lines about the pairs: the held-out ones, and the number of sources with more than one
            target, among at most 10,000.
        sha256: of the contents of the file.
        held_out_count: the number of held-out sources: a tenth of the pairs, at most 1000.
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
        header: bool = False,
        sha256: str | None = None,
    ) -> None:
        choice("level", level, ("character", "word"))
        longest = whole("longest", longest, least=1)
        self.seed, self._level, self._longest = seed, level, longest
        self._header = flag("header", header)
        self._file = File(file, encoding)
        self._usable = array("q", [0])  # lines that are used, before each block
        self._divider = ""  # of a csv; "" for a tab, without quotes
        self._head = ""  # a note on a first line that may name the columns
        survey = self._survey()
        unchanged(self._file, sha256)
        check(file, survey.faults, self._usable[-1], skip_bad)

        self.sha256 = self._file.sha256
        self.faults = survey.faults.first
        self.left_out = "; ".join(filter(None, (self._head, survey.faults.left_out())))
        self._held_out = self._held_out_pairs(survey, skip_bad)
        self._hidden = {source for source, _ in self._held_out}
        by_level = {"character": Vocabulary.of_characters, "word": Vocabulary.of_words}
        self.source, self.target = (by_level[level](side.seen) for side in survey.symbols)
        lines = self._held_out_lines(survey), survey.candidates.contradictions()
        self.remarks = [*filter(None, lines)]
        self.longest_source, self.longest_target = survey.lengths

    def _survey(self) -> Survey:
        """Read the file once, and count its faults, its pairs and their symbols."""
        survey = Survey(self.seed, self._level)
        is_csv = os.fsdecode(self._file.path).lower().endswith(".csv")
        for block in self._file.blocks():
            if is_csv and not self._divider:
                self._divider = _divider([*block.texts.values()])
            faults, usable = [*block.faults], self._usable[-1]
            for number in block.texts:
                pair = self._pair(block, number)
                if isinstance(pair, Fault):
                    faults.append(pair)
                elif pair is not None:
                    usable += 1
                    survey.add(pair, number)
            survey.faults.add(faults)
            self._usable.append(usable)
        return survey

    def _held_out_pairs(self, survey: Survey, skip_bad: bool) -> list[Pair]:
        """The held-out pairs, a tenth.

        Raises:
            DataError: if there are none, and faults are not to be skipped.
        """
        usable = self._usable[-1]
        count = min(HELD_OUT, math.ceil(usable / 10))
        held_out = survey.candidates.held_out(count, survey.symbols)
        if not (held_out or skip_bad):
            sources = [repr(source) for source in survey.candidates.targets]
            raise DataError(
                f"{self._file.path} line {survey.last}: the only pair, so none is left to hold out; "
                "give more pairs, or train on it alone with skip_bad=True"
                if usable == 1
                else f"{self._file.path}: all its {usable} pairs have {sources[0]} in the first column, "
                f"so none is left to hold out; give more pairs, or train on all with skip_bad=True"
                if len(sources) == 1
                else f"{self._file.path}: none of its {usable} pairs can be held out, for each has "
                f"a {self._level} that no other has; give more pairs, or train on all with "
                f"skip_bad=True"
            )
        return held_out

    def _held_out_lines(self, survey: Survey) -> str:
        """A sentence on the held-out lines: how many there are, and the numbers of the first."""
        held_out = [survey.candidates.targets[source] for source in self._hidden]
        count = sum(targets.count for targets in held_out)
        lines = sorted(targets.line for targets in held_out)[:SHOWN]
        if not count:
            return "no line is held out, so that nothing will tell how well others are read"
        more = f" and {count - len(lines):,} more" if count > len(lines) else ""
        return (
            f"{count:,} of {several(self._usable[-1], 'line')} held out, to test on and never to learn "
            f"from: line{'s' * (count > 1)} {', '.join(map(str, lines))}{more}"
        )

    def _pair(self, block: LineBlock, number: int) -> Pair | Fault | None:
        """The pair in a line, or the fault of the line; None of a line that is left out."""
        if block.inside and number == block.first:  # the rest of a line that is too long
            return None
        if block.goes_on and number == block.last:
            return Fault(number, f"longer than {LONG:,} bytes")
        columns = _columns(block.texts[number], self._divider)
        if columns is None:
            return Fault(number, "a quote that does not end in its line")
        fields = [_clean(field, self._level) for field in columns]
        if number == 1 and (
            self._header or (len(fields) == 2 and all(map(_is_head, fields, HEADS)))
        ):
            self._head = f"line 1 names the columns, {' and '.join(fields)}: it is no pair"
            return None
        if number == 1 and len(fields) == 2 and all(map(str.isidentifier, fields)):
            self._head = (
                f"line 1, {' -> '.join(fields)}, is taken as a pair; header=True leaves it out"
            )
        return self._fault(number, fields) or (fields[0], fields[1])

    def _fault(self, number: int, fields: Sequence[str]) -> Fault | None:
        """Return the fault in the fields of a line, or None if they are a source and a target."""
        if not any(fields):
            return Fault(number, "empty")
        if len(fields) != 2:
            divider = DIVIDERS.get(self._divider, "tab")
            what = f"{len(fields) - 1 or 'no'} {divider}{'s' * (len(fields) > 2)}; expected one"
            return Fault(number, what, ONE_TAB if (len(fields), divider) == (1, "tab") else "")
        for side, text in zip(("source", "target"), fields, strict=True):
            if not text:
                return Fault(number, f"no {side}")
            if (length := len(symbols_of(text, self._level))) > self._longest:
                what = (
                    f"a {side} of {length} {self._level}s; the model reads at most {self._longest}"
                )
                return Fault(number, what, length=length)
        return None

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
        """`size` pairs to train on, drawn with repetition from the lines that are used."""
        generator = seeded(self.name, self.seed, step)
        pairs: list[Pair] = []
        while len(pairs) < size:
            pair = self._used(generator)
            if pair[0] not in self._hidden:
                pairs.append(pair)
        return pairs

    def _used(self, generator: random.Random) -> Pair:
        """A random pair of the file: in a block with faults, lines are drawn until one has a pair."""
        place = generator.randrange(self._usable[-1])
        i = self._file.holding(place, self._usable)
        block, before, after = self._file.block(i), self._usable[i], self._usable[i + 1]
        numbers = list(block.texts)
        number = numbers[place - before]
        if after - before < len(numbers):
            number = generator.choice(numbers)
        while (pair := self._pair(block, number)) is None or isinstance(pair, Fault):
            number = generator.choice(numbers)
        return pair


def _is_head(text: str, names: Sequence[str]) -> bool:
    return text.lower() in names


def _clean(text: str, level: str) -> str:
    return text.strip() if level == "character" else " ".join(text.split())


def _divider(lines: Sequence[str]) -> str:
    """The divider that cuts most lines of a csv in two."""
    return max(DIVIDERS, key=lambda d: sum(len(_columns(line, d) or ()) == 2 for line in lines))


def _columns(line: str, divider: str) -> list[str] | None:
    """Return the columns of a line, or None if a quote does not end in it."""
    if not divider:
        return line.split("\t")
    try:
        return next(csv.reader([line], delimiter=divider, strict=True), [""])
    except csv.Error:
        return None
