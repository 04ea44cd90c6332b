"""Plain text to continue: in a window of it, each symbol is predicted from those before.

    window:  To be, or
    read:    To be, o
    write:   o be, or

For a decoder-only model, which reads and writes one text, and so has one vocabulary.
"""

import os

from minigrad.errors import DataError
from minigrad.settings import whole
from minitransformer.tasks.files import check, read_lines
from minitransformer.tasks.split import first, seeded
from minitransformer.training.vocabulary import Vocabulary


class Text:
    r"""The task of a file: windows into it. The last tenth of the text is held out.

    Lines end with \n, also if the file uses \r\n or \r; empty lines are text like any other. Faults are
    bytes that are not `encoding`; if they are skipped, their lines are left out.

    Held-out windows follow each other, so that each symbol is predicted once. One that has a
    character which training never shows is left out: the model cannot read it.

    Args:
        file: the path.
        window: how many symbols the model reads at once.
        skip_bad: use the other lines of a file with faults; and train, even if no window can be
            held out.
        encoding: of the file, as Python names it.
        sha256: the hash that the contents must have (see `Text.sha256`), to continue a run.

    Attributes:
        faults: those that were skipped, by line.
        sha256: of the contents of the file.
        held_out_count: how many windows are held out.

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
        lines = read_lines(file, encoding, sha256)
        self.faults = lines.faults
        check(file, self.faults, len(lines.texts), skip_bad)

        self.seed = seed
        self.sha256 = lines.sha256
        self.window = window
        text = "\n".join(lines.texts.values())
        end = len(text) - max(len(text) // 10, window + 1)  # of what is trained on
        if end < window + 1:
            raise DataError(
                f"{file} has {len(text)} characters, and windows of {window} need at least "
                f"{2 * (window + 1)}: give a longer text, or a smaller window"
            )
        self._trained = text[:end]
        self.vocabulary = Vocabulary.of_characters(self._trained)
        known = set(self.vocabulary.symbols)
        starts = range(end, len(text) - window, window)
        windows = [text[start : start + window + 1] for start in starts]
        self._held_out = [window for window in windows if known.issuperset(window)]
        if not (self._held_out or skip_bad):
            raise DataError(
                f"{file}: no window can be held out, for each in the last tenth has a character "
                "that the text before lacks; give a longer text, or train without with skip_bad=True"
            )

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
        starts = generator.choices(range(len(self._trained) - self.window), k=size)
        return [self._trained[start : start + self.window + 1] for start in starts]
