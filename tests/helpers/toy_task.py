"""A task small enough to learn in seconds: a few letters -> the same, last first.

    acb -> bca
    d   -> d

Unlike dates, its targets differ in length, so batches of them are padded.
"""

import functools
import itertools
import random

from minitransformer import Settings, Sizes, Training
from minitransformer.training.vocabulary import Vocabulary

LETTERS = "abcd"
WORDS = ["".join(w) for n in (1, 2, 3) for w in itertools.product(LETTERS, repeat=n)]


class Toy:
    name = "toy"
    source = target = Vocabulary.of_characters(LETTERS)
    longest_source = longest_target = 3

    def __init__(self, seed=0):
        self.seed = seed
        words = random.Random(f"split {seed}").sample(WORDS, len(WORDS))
        self._held_out, self._words = words[:10], words[10:]

    def held_out(self, count):
        return [(w, w[::-1]) for w in self._held_out[:count]]

    def batch(self, step, size):
        lengths = [1 / 4 ** len(w) for w in self._words]  # so that each is as frequent
        words = random.Random(f"{self.seed} {step}").choices(self._words, lengths, k=size)
        return [(w, w[::-1]) for w in words]


@functools.cache
def trained():
    """A run that has learned the task, for all tests that only look at it."""
    sizes = Sizes(len(Toy.source), len(Toy.target), width=32, heads=4, feed_forward=64)
    settings = Settings(steps=150, batch=32, warmup=20, learning_rate=5e-3)
    run = Training(Toy(), sizes, settings)
    while run.steps_done < settings.steps:
        run.step()
    return run
