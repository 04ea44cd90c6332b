"""The settings of a training run: how many steps, of what, and how large."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from minigrad import optim
from minigrad.settings import Check, check, choice, real, whole

SCHEDULES: dict[str, Callable[[Settings], optim.Schedule]] = {
    "cosine": lambda s: optim.warmup_cosine(s.learning_rate, s.warmup, s.steps),
    "inverse_sqrt": lambda s: optim.warmup_inverse_sqrt(s.learning_rate, s.warmup),
    "constant": lambda s: lambda step: s.learning_rate * min(1.0, step / max(1, s.warmup)),
}
CHECKS: dict[str, Check] = {
    "steps": whole,
    "batch": partial(whole, least=1, most=1_000_000),
    "learning_rate": partial(real, above=0),
    "warmup": whole,
    "label_smoothing": partial(real, below=1),
    "clip": partial(real, above=0, infinite=True),
    "seed": whole,
    "schedule": partial(choice, names=SCHEDULES),
    "accumulate": partial(whole, least=1),
    "pad": partial(whole, least=1),
}


@dataclass(frozen=True)
class Settings:
    """Settings of a training run.

    Args:
        steps: how many batches.
        batch: B, pairs in each, up to a million: all of them are drawn before any is read.
        learning_rate: the highest, reached at the end of the warm-up.
        warmup: steps over which the learning rate rises to it. A shorter run ends while it rises.
        schedule: the learning rate after that: it falls along a "cosine" or as "inverse_sqrt" of
            the step, or is "constant".
        label_smoothing: the share of each target spread over all symbols.
        clip: the largest norm that the gradient may have.
        accumulate: a batch is read in about so many parts, or in more, to need less memory, or to be
            shared by workers. It changes no gradient, except for the numbers that dropout leaves out.
        pad: lengths are filled up to multiples of it, at most four, with masked symbols: so there are
            few shapes, as each needs a program. Another `pad` gives other last bits.
        seed: of the data, the initial weights and dropout. The same seed gives the same weights, to the
            bit, with the same NumPy on the same processor, inside `threads.one_thread`.

    Raises:
        ConfigError: for numbers that make no sense.
    """

    steps: int = 1500
    batch: int = 64
    learning_rate: float = 3e-3
    warmup: int = 100
    label_smoothing: float = 0.0
    clip: float = 1.0
    seed: int = 0
    schedule: str = "cosine"
    accumulate: int = 1
    pad: int = 4

    def __post_init__(self) -> None:
        check(self, CHECKS)
