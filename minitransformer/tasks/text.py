"""Plain text to continue: in a window of the text, each symbol is predicted from the symbols before it.

    window:  To be, or
    read:    To be, o
    write:   o be, or

It is for a decoder alone, which reads and writes the same text, and so has one vocabulary.
"""

import os
from array import array
from itertools import islice

from minigrad.errors import DataError
from minigrad.settings import whole

from ..training.vocabulary import Vocabulary
from .files import Faults, File, LineBlock, check, unchanged
from .split import first, seeded

HELD_OUT = 1000  # windows, or as many as the last tenth has


class Text:
    r"""The task of a file: windows into it. The last tenth of the text is held out.

    Lines end with \n, also if the file uses \r\n or \r; empty lines are text like any other. Faults are
    bytes that are not `encoding`; if they are skipped, their lines are left out.

    The file is read once, to find its faults and symbols, and then a window at a time: it may be larger
    than memory. Held-out windows follow each other, so that each symbol is predicted once. A window with
    a character that training never shows is left out: the model cannot read it.

    Args:
        file: the path.
        window: how many symbols the model reads at once.
        skip_bad: use the other lines of a file with faults; and train, even if no window can be
            held out.
        encoding: of the file, as Python names it.
        sha256: the hash that the contents must have (see `Text.sha256`), to continue a run.

    Attributes:
        faults: the first faults that were skipped, by line.
        left_out: a note on the count of skipped faults, and on the first; "" without faults.
        remarks: a line on the size of the held-out text.
        sha256: of the contents of the file.
        held_out_count: the number of held-out windows, at most 1000.

    Raises:
        DataError: the file cannot be read, has faults and `skip_bad` is not given, or is too short
            for one window to train on and one to hold out.
        ConfigError: `window` or `encoding` is not valid.
    """

    name = "text"

    def __init__(
        self,
        seed: int,
        file: str | os.PathLike[str],
        *,
        window: int = 64,
        skip_bad: bool = False,
        encoding: str = "utf-8",
        sha256: str | None = None,
    ) -> None:
        window = whole("window", window, least=1)
        self.seed, self.window = seed, window
        self._file = File(file, encoding)
        self._firsts = array("q", [0])  # the places of the blocks' first characters in the text
        faults, usable, first_at = self._survey()
        unchanged(self._file, sha256)
        check(file, faults, usable, skip_bad)

        self.sha256 = self._file.sha256
        self.faults, self.left_out = faults.first, faults.left_out()
        length = self._firsts[-1] - 1  # the end of the last line is not text
        end = self._end = length - max(length // 10, window + 1)  # of the text to train on
        if end < window + 1:
            raise DataError(
                f"{file} has {length} characters, and windows of {window} need at least "
                f"{2 * (window + 1)}: give a longer text, or a smaller window"
            )
        self.remarks = [
            f"the last {length - end:,} of {length:,} characters held out, to test on and never to "
            f"learn from"
        ]
        trained = {symbol for symbol, place in first_at.items() if place < end}
        self.vocabulary = Vocabulary.of_characters(trained)
        starts = range(end, length - window, window)
        windows = (self._window(start) for start in starts)
        self._held_out = list(islice((w for w in windows if trained.issuperset(w)), HELD_OUT))
        if not (self._held_out or skip_bad):
            raise DataError(
                f"{file}: no window can be held out, for each in the last tenth has a character "
                "that the text before lacks; give a longer text, or train without with skip_bad=True"
            )

    def _survey(self) -> tuple[Faults, int, dict[str, int]]:
        """Read the file once: its faults, the count of usable lines, and the first place of each
        character."""
        faults, usable = Faults(), 0
        first_at: dict[str, int] = {}
        for block in self._file.blocks():
            faults.add(block.faults)
            usable += len(block.texts)
            piece, start = _text(block), self._firsts[-1]
            for symbol in set(piece) - first_at.keys():
                first_at[symbol] = start + piece.index(symbol)
            self._firsts.append(start + len(piece))
        return faults, usable, first_at

    @property
    def held_out_count(self) -> int:
        return len(self._held_out)

    def held_out(self, count: int) -> list[str]:
        """The first `count` of the held-out windows.

        Raises:
            ConfigError: `count` is not between 0 and `held_out_count`.
        """
        return first(self._held_out, count, self.name)

    def batch(self, step: int, size: int) -> list[str]:
        """Draw `size` windows from anywhere in the training text, each of window + 1 symbols."""
        generator = seeded(self.name, self.seed, step)
        starts = generator.choices(range(self._end - self.window), k=size)
        return [self._window(start) for start in starts]

    def _window(self, start: int) -> str:
        """The `window` + 1 symbols from `start` on."""
        i = self._file.holding(start, self._firsts)
        start -= self._firsts[i]
        text = ""
        while len(text) < start + self.window + 1:
            text += _text(self._file.block(i))
            i = self._file.holding(self._firsts[i + 1], self._firsts)  # the next block with text
        return text[start : start + self.window + 1]


def _text(block: LineBlock) -> str:
    """The readable lines of a block, each with its end."""
    text = "".join(f"{line}\n" for line in block.texts.values())
    return text.removesuffix("\n") if block.goes_on and block.last in block.texts else text
