"""A task whose examples are drawn at random, as many as training asks for."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ..training.vocabulary import Vocabulary
from .split import first, one_in_ten, seeded

HELD_OUT = 1000
DRAWS = 20_000  # a tenth of the draws is held out: more than HELD_OUT, unless the task is small


@dataclass
class Drawn:
    """A task: `draw` a source, and `answer` it.

    A tenth of all sources is held out, and never trained on. A hash of the seed and `kin` decides
    which: sources that `kin` maps to the same text are held out together, or not at all.
    """

    name: str
    seed: int
    source: Vocabulary
    target: Vocabulary
    longest_source: int
    longest_target: int
    draw: Callable[[random.Random], str]
    answer: Callable[[str], str]
    kin: Callable[[str], str]

    @property
    def held_out_count(self) -> int:
        """The number of pairs to test with: 1000, or fewer if the task is small."""
        return len(self._held_out)

    def held_out(self, count: int) -> list[tuple[str, str]]:
        """The first `count` of the held-out pairs, no two of them equal.

        Raises:
            ConfigError: `count` is not between 0 and `held_out_count`.
        """
        return first(self._held_out, count, self.name)

    def batch(self, step: int, size: int) -> list[tuple[str, str]]:
        """Draw `size` pairs, separately for each step."""
        generator = seeded(self.name, self.seed, step)
        pairs: list[tuple[str, str]] = []
        while len(pairs) < size:
            text = self.draw(generator)
            if not self._is_held_out(text):
                pairs.append((text, self.answer(text)))
        return pairs

    def _is_held_out(self, text: str) -> bool:
        return one_in_ten(self.name, self.seed, self.kin(text))

    @cached_property
    def _held_out(self) -> list[tuple[str, str]]:
        generator = seeded(self.name, self.seed, "held out")
        drawn = dict.fromkeys(self.draw(generator) for _ in range(DRAWS))  # each once, in order
        texts = [text for text in drawn if self._is_held_out(text)]
        return [(text, self.answer(text)) for text in texts[:HELD_OUT]]
