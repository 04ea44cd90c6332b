"""Training a transformer on a task, and everything that is needed to stop and go on."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

import minigrad as mg
from minigrad import errors, optim, serialize
from minigrad.functional import cross_entropy
from minigrad.random import drawing_from

from .readers import READERS, Reader
from .vocabulary import PAD

SCHEDULES: dict[str, Callable[[Settings], optim.Schedule]] = {
    "cosine": lambda s: optim.warmup_cosine(s.learning_rate, s.warmup, s.steps),
    "inverse_sqrt": lambda s: optim.warmup_inverse_sqrt(s.learning_rate, s.warmup),
    "constant": lambda s: lambda step: s.learning_rate * min(1.0, step / max(1, s.warmup)),
}

START = 500  # symbols that could be read in the time that one more part of a batch takes by itself


@dataclass(frozen=True)
class Settings:
    """Settings of a training run.

    Args:
        steps: how many batches.
        batch: B, pairs in each.
        learning_rate: the highest, reached at the end of the warm-up.
        warmup: steps over which the learning rate rises to it.
        schedule: the learning rate after that: it falls along a "cosine" or as "inverse_sqrt" of
            the step, or is "constant".
        label_smoothing: the share of each target spread over all symbols.
        clip: the largest norm that the gradient may have.
        accumulate: in how many parts a batch is read at least, one after the other, to need less
            memory; it changes no gradient.
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

    def __post_init__(self) -> None:
        lowest = {"steps": 0, "batch": 1, "warmup": 0, "seed": 0, "accumulate": 1}
        for name, least in lowest.items():
            value = getattr(self, name)
            if not (isinstance(value, int) and value >= least):
                raise errors.ConfigError(
                    f"{name} must be a whole number from {least}, not {value!r}"
                )
        if not (0 < self.learning_rate < math.inf and self.clip > 0):
            raise errors.ConfigError(
                f"learning_rate ({self.learning_rate}) and clip ({self.clip}) must be above 0, and "
                f"the learning rate finite"
            )
        if not 0 <= self.label_smoothing < 1:
            raise errors.ConfigError(
                f"label_smoothing is from 0 to below 1, not {self.label_smoothing}"
            )
        if self.schedule not in SCHEDULES:
            raise errors.ConfigError(
                f"schedule is one of {', '.join(SCHEDULES)}, not {self.schedule!r}"
            )


@dataclass
class Point:
    """A step, the loss of its batch, and what held-out examples gave if they were looked at then."""

    step: int
    loss: float
    accuracy: float | None = None
    held_out_loss: float | None = None


def perplexity(loss: float) -> float:
    """exp(loss): among how many equally likely symbols a choice would have that loss, in nats a
    symbol. It is infinite where a float can hold it no more."""
    return math.inf if loss > 700 else math.exp(loss)


@dataclass
class Training:
    """A run: the model, its optimiser, and how far they have come.

    `step()` takes one batch; `save` and `tasks.load_training` carry everything that the next step
    depends on. Nothing here knows what is inside the model: `reader` turns examples into scores.

    Attributes:
        task: where the examples come from.
        sizes: of the model, those that its kind takes.
        settings: how to train.
        kind: of the model, a name in `READERS`.
        made: what `tasks.make` needs beside the name and the seed to make the task again.
    """

    task: Any
    sizes: Any
    settings: Settings
    steps_done: int = 0
    curve: list[Point] = field(default_factory=list)
    kind: str = "encoder-decoder"
    made: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.settings.seed)
        with drawing_from(self.random):
            self.reader: Reader = READERS[self.kind].of(self.task, self.sizes)
        self.model = self.reader.model
        self.optimizer = optim.Adam(
            self.model.parameters(), self.settings.learning_rate, betas=(0.9, 0.98), eps=1e-9
        )
        self.schedule = SCHEDULES[self.settings.schedule](self.settings)

    def fit(self, after_step: Callable[[Training], Any] = lambda run: None) -> None:
        """Take the steps that are left, and call `after_step` after each; stop where it returns
        True."""
        while self.steps_done < self.settings.steps:
            self.step()
            if after_step(self):
                return

    def step(self) -> float:
        """Learn from the next batch; returns its loss.

        Raises:
            AnomalyError: if the gradient is not finite; no weight is changed then.
        """
        self.steps_done += 1
        examples = self.batch(self.steps_done)
        self.model.train()
        self.optimizer.zero_grad()
        parts = self.parts(examples)
        symbols = self.reader.to_write(examples) if len(parts) > 1 else None
        loss = 0.0
        with mg.fast():
            for part in parts:
                of_part = self.loss(part, symbols)
                of_part.backward()
                loss += of_part.item()
        try:
            optim.clip_grad_norm(self.optimizer.parameters, self.settings.clip)
        except errors.AnomalyError:
            raise errors.AnomalyError(
                f"step {self.steps_done} has a loss of {loss}, and a gradient that is not finite: "
                f"choose a learning rate below {self.settings.learning_rate}, or a longer warm-up"
            ) from None
        self.optimizer.lr = self.schedule(self.steps_done)
        self.optimizer.step()
        self.curve.append(Point(self.steps_done, loss))
        return loss

    def batch(self, step: int) -> Sequence[Any]:
        """Return the examples of a step, the shortest first. They depend only on the step and the seed.

        Which examples come together is left to chance. Batches of like length, as in section 5.1 of
        the paper, have less padding, and were measured to teach less.
        """
        examples = self.task.batch(step, self.settings.batch)
        return sorted(examples, key=self.reader.length)

    def parts(self, examples: Sequence[Any]) -> list[Sequence[Any]]:
        """Cut a batch into the parts that are read one after the other, each padded only to its own
        longest example: at least `accumulate`, and more where that saves time. No gradient changes.

        Args:
            examples: the shortest first.
        """
        lengths = [self.reader.length(example) for example in examples]

        def cut(parts: int) -> list[slice]:
            size = -(-len(examples) // parts)  # rounded up
            return [slice(i, i + size) for i in range(0, len(examples), size)]

        def cost(parts: int) -> int:
            rows = [lengths[part] for part in cut(parts)]
            return sum(START + len(row) * row[-1] for row in rows)

        least = self.settings.accumulate
        return [examples[part] for part in cut(min(range(least, least + 8), key=cost))]

    def loss(self, examples: Sequence[Any], symbols: int | None = None) -> mg.Tensor:
        """Compute the cross-entropy of the symbols to write: their sum, divided by `symbols`
        (default: their number; larger if the examples are only a part of a batch)."""
        total, count = self._loss(examples, self.settings.label_smoothing)
        return total / (symbols or count)

    def held_out_loss(self, examples: Sequence[Any]) -> float:
        """Compute the mean cross-entropy of `examples`, in nats a symbol: without dropout, and without
        label smoothing, so that it can be compared between runs."""
        self.model.eval()
        size = self.settings.batch
        with mg.no_grad(), mg.fast():
            parts = [
                self._loss(examples[i : i + size], smoothing=0.0)
                for i in range(0, len(examples), size)
            ]
        return sum(total.item() for total, _ in parts) / sum(count for _, count in parts)

    def _loss(self, examples: Sequence[Any], smoothing: float) -> tuple[mg.Tensor, int]:
        """The summed cross-entropy of the symbols to write, and their number."""
        with drawing_from(self.random):
            logits, write = self.reader.predictions(examples)  # (B, T, N), (B, T)
        total = cross_entropy(
            logits, write, ignore_index=PAD, label_smoothing=smoothing, reduction="sum"
        )
        return total, int((write != PAD).sum())

    def save(self, path: str | os.PathLike) -> None:
        """Write a checkpoint: weights, optimiser, random state, and the position in the data."""
        optimizer = self.optimizer.state_dict()
        arrays = {f"model.{name}": a for name, a in self.model.state_dict().items()}
        arrays |= {f"optimizer.{name}": np.asarray(a) for name, a in optimizer.items()}
        about = {
            "task": self.task.name,
            "made": self.made,
            "kind": self.kind,
            "sizes": asdict(self.sizes),
            "settings": asdict(self.settings),
            "steps_done": self.steps_done,
            "curve": [asdict(point) for point in self.curve],
            "random": self.random.bit_generator.state,
            "source": self.reader.source.to_dict(),
            "target": self.reader.target.to_dict(),
            "longest": [self.reader.longest_source, self.reader.longest_target],
        }
        serialize.save(path, arrays, about)
