"""A survey of a file of pairs: the results of one reading, and the sources that can be held out.

The file may be larger than memory: so a survey has a limited size.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence

from ..training.line_reader import Pair
from .files import Faults
from .split import rank

HELD_OUT = 1000  # sources, or a tenth of the pairs if that is less
CANDIDATES = 10 * HELD_OUT  # sources from which the held-out ones are chosen
# The most lines that are held out. A symbol that is in more lines is not counted any further.
MOST_LINES = 20 * HELD_OUT
FEW = 16  # targets of a source that are kept: if there are more, their symbols are counted


class Survey:
    """The results of one reading of a file.

    Attributes:
        faults: of its lines.
        symbols: of the sources and of the targets, with the count of lines that show each.
        lengths: of the longest source and of the longest target.
        candidates: the sources that may be held out.
        last: the number of the last line that is used.
    """

    def __init__(self, seed: int, level: str) -> None:
        self.level, self.last = level, 0
        self.faults, self.lengths = Faults(), [0, 0]
        self.symbols = Counts(), Counts()
        self.candidates = Candidates(seed, level)

    def add(self, pair: Pair, number: int) -> None:
        """Count a pair, which stands in line `number`."""
        self.last = number
        self.candidates.add(*pair, number)
        for side, text in enumerate(pair):
            these = symbols_of(text, self.level)
            self.lengths[side] = max(self.lengths[side], len(these))
            self.symbols[side].add(these)


class Counts:
    """The count of texts that show each symbol; a `frequent` symbol is in more than can be held out."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.frequent: set[str] = set()

    def add(self, symbols: Sequence[str]) -> None:
        for symbol in set(symbols) - self.frequent:
            self.seen[symbol] += 1
            if self.seen[symbol] > MOST_LINES:
                self.frequent.add(symbol)


class Targets:
    """The targets of a source: the first, and the first other one, with their lines.

    Also their count, and for each symbol the count of targets that show it. A few targets are kept as
    they are: this takes less memory than to count their symbols.
    """

    __slots__ = ("count", "counted", "few", "first", "level", "line", "other")

    def __init__(self, target: str, level: str, line: int) -> None:
        self.first, self.level, self.count, self.line = target, level, 1, line
        self.other: tuple[str, int] | None = None
        self.few: list[str] = [target]
        self.counted: Counter[str] | None = None

    def add(self, target: str, line: int) -> None:
        self.count += 1
        if target != self.first and self.other is None:
            self.other = target, line
        if self.count > MOST_LINES:  # then they are never held out
            self.few, self.counted = [], None
            return
        self.few.append(target)
        if len(self.few) > FEW:
            self.few, self.counted = [], self.symbols()

    def symbols(self) -> Counter[str]:
        counts = Counter(self.counted or ())
        for target in self.few:
            counts.update(set(symbols_of(target, self.level)))
        return counts


class Candidates:
    """The sources of lowest rank, with their targets, while a file is read line by line."""

    def __init__(self, seed: int, level: str) -> None:
        self.seed, self.level = seed, level
        self.ranks: list[tuple[int, str]] = []  # a heap, the highest rank first
        self.targets: dict[str, Targets] = {}

    def add(self, source: str, target: str, line: int) -> None:
        if source in self.targets:
            self.targets[source].add(target, line)
            return
        place = rank("pairs", self.seed, source)
        if len(self.ranks) < CANDIDATES or place < -self.ranks[0][0]:
            heapq.heappush(self.ranks, (-place, source))
            self.targets[source] = Targets(target, self.level, line)
            if len(self.ranks) > CANDIDATES:
                del self.targets[heapq.heappop(self.ranks)[1]]

    def contradictions(self) -> str:
        """A line on the sources with more than one target: their count, and the first; "" for none."""
        several_targets = {s: t for s, t in self.targets.items() if t.other is not None}
        if not several_targets:
            return ""
        source, targets = min(several_targets.items(), key=lambda item: item[1].line)
        other, line = targets.other  # type: ignore[misc]
        have = "sources has" if len(several_targets) == 1 else "sources have"
        return (
            f"{len(several_targets):,} of {len(self.ranks):,} {have} more than one target, and the "
            f"model can write only one: {cut(source)} is {cut(targets.first)} in line {targets.line}, "
            f"and {cut(other)} in line {line}"
        )

    def held_out(self, count: int, symbols: tuple[Counts, Counts]) -> list[Pair]:
        """The first `count` sources, by rank, whose symbols the lines that are left still show."""
        held_out: list[Pair] = []
        lines = 0
        for _, source in sorted(self.ranks, reverse=True):
            targets = self.targets[source]
            if len(held_out) == count:
                break
            if lines + targets.count > MOST_LINES:
                continue
            read = symbols_of(source, self.level)
            lost = Counter(dict.fromkeys(read, targets.count)), targets.symbols()
            if all(
                symbol in side.frequent or side.seen[symbol] > n
                for side, gone in zip(symbols, lost)
                for symbol, n in gone.items()
            ):
                held_out.append((source, targets.first))
                lines += targets.count
                for side, gone in zip(symbols, lost):
                    side.seen.subtract(gone)
        return held_out


def cut(text: str) -> str:
    """A text in quotes; a long text is cut."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def symbols_of(text: str, level: str) -> Sequence[str]:
    """The characters of a text, or its words."""
    return text if level == "character" else text.split()
