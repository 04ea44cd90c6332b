"""Training of a transformer on a task, with all that is needed to stop and go on."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from numbers import Real
from typing import Any

import numpy as np

import minigrad as mg
from minigrad import errors, optim
from minigrad.arrays import serialize
from minigrad.engine.errors import described
from minigrad.engine.kinds import checked
from minigrad.engine.tensor import tensor_of
from minigrad.random import drawing_from
from minigrad.settings import choice, whole
from minigrad.workers import Threads, Workers

from .line_reader import LineReader
from .parts import Part, ShareOfBatch, cut, large, mean_loss, summed_loss
from .readers import READERS
from .settings import SCHEDULES, Settings
from .threads import core
from .vocabulary import PAD


@dataclass
class Point:
    """A step, the loss of its batch, and the measures on held-out examples, if these were looked at."""

    step: int
    loss: float
    accuracy: float | None = None
    held_out_loss: float | None = None

    def __post_init__(self) -> None:
        numbers = [n for n in (self.loss, self.accuracy, self.held_out_loss) if n is not None]
        whole("step", self.step, least=1)
        if not all(isinstance(number, Real) for number in numbers):
            raise errors.ConfigError(f"a point of the curve has numbers, and not {numbers}")


def perplexity(loss: float) -> float:
    """exp(loss): among how many equally likely symbols a choice would have that loss, in nats a
    symbol. It is infinite where a float can hold it no more."""
    return math.inf if loss > 700 else math.exp(loss)


@checked
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
        made: further arguments of `tasks.make`, beside the name and the seed, to make the task again.
        workers: these compute the parts of a batch; the weights have the same bits with any of them.
        steps_done: how many steps were taken, and `curve`: a `Point` for each.
        reader: the model with its vocabularies, and `model`: the model alone.
        job: what a worker does with its part of a batch.
        optimizer, schedule: Adam, and the function that gives its learning rate at each step.
    """

    task: Any
    sizes: Any
    settings: Settings
    steps_done: int = 0
    curve: list[Point] = field(default_factory=list)
    kind: str = "encoder-decoder"
    made: dict[str, Any] = field(default_factory=dict)
    workers: Workers = field(default_factory=Threads)

    def __post_init__(self) -> None:
        kind = READERS[choice("kind", self.kind, READERS)]
        if not callable(getattr(self.task, "batch", None)):
            raise errors.ConfigError(
                f"a task is what tasks.make(...) gives, or has its methods; not {described(self.task)}"
            )
        self.steps_done = whole("steps_done", self.steps_done)
        if type(self.sizes) is not kind.sizes:
            raise errors.ConfigError(
                f"the sizes of a model of the kind {self.kind!r} are {kind.sizes.__name__}(...), "
                f"not {self.sizes!r}"
            )
        s = self.settings
        with drawing_from(np.random.default_rng(s.seed)):
            self.reader: LineReader = kind.of(self.task, self.sizes)
        self.model = self.reader.model
        self.job = ShareOfBatch(self.reader, s.seed, s.label_smoothing, s.pad)
        parameters = self.model.parameters()
        self.optimizer = optim.Adam(parameters, s.learning_rate, betas=(0.9, 0.98), eps=1e-9)
        self.schedule = SCHEDULES[s.schedule](s)

    @checked
    def fit(self, after_step: Callable[[Training], object] = lambda run: None) -> None:
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
            WorkersError: if the workers cannot compute it; the step is not taken then.
        """
        step = self.steps_done + 1
        loss, *gradients = self.workers.total(self.job, self.parts(step))
        for p, gradient in zip(self.job.parameters, gradients):
            p.grad = tensor_of(gradient)
        try:
            optim.clip_grad_norm(self.optimizer.parameters, self.settings.clip)
        except errors.AnomalyError:
            raise errors.AnomalyError(
                f"step {step} has a loss of {loss}, and a gradient that is not finite: "
                f"choose a learning rate below {self.settings.learning_rate}, or a longer warm-up"
            ) from None
        self.optimizer.lr = self.schedule(step)
        self.optimizer.step()
        self.steps_done = step
        self.curve.append(Point(step, float(loss)))
        return float(loss)

    @checked
    def batch(self, step: int) -> Sequence[Any]:
        """Return the examples of a step, the shortest first. They depend only on the step and the seed.

        Which examples come together is left to chance. Batches of like length, as in section 5.1 of
        the paper, have less padding, and were measured to teach less.
        """
        examples = self.task.batch(step, self.settings.batch)
        return sorted(examples, key=self.reader.length)

    def parts(self, step: int) -> list[Part]:
        """Cut the batch of a step into the parts whose gradients are added: see `parts.cut`."""
        examples = self.batch(step)
        slices = cut(self._lengths(examples), self._count_of_weights, self.settings.accumulate)
        symbols = self.reader.to_write(examples)
        return [Part(step, i, examples[part], symbols) for i, part in enumerate(slices)]

    def is_large(self) -> bool:
        """Tell whether a step is so much work that two workers take less time for it than one."""
        return large(self._lengths(self.batch(1)), self._count_of_weights)

    def _lengths(self, examples: Sequence[object]) -> list[int]:
        return [self.reader.length(example) for example in examples]

    @property
    def _count_of_weights(self) -> int:
        return sum(p.size for p in self.job.parameters)

    @checked
    def loss(self, examples: Sequence[Any]) -> mg.Tensor:
        """Compute the mean cross-entropy of the symbols to write."""
        self.reader.check(examples)
        return mean_loss(self.reader, examples, self.settings.label_smoothing)

    @checked
    def held_out_loss(self, examples: Sequence[Any]) -> float:
        """Compute the mean cross-entropy of `examples`, in nats a symbol: without dropout, and without
        label smoothing, so that it can be compared between runs."""
        self.reader.check(examples)
        if not len(examples):
            raise errors.ConfigError("a mean needs at least one example, and there are none")
        self.model.eval()
        size = self.settings.batch
        total, symbols = 0.0, 0
        with mg.no_grad():
            for i in range(0, len(examples), size):
                inputs, targets = self.reader.inputs_and_targets(examples[i : i + size])
                total += summed_loss(self.model, 0.0, inputs, targets).item()
                symbols += int((targets != PAD).sum())
        return total / symbols

    def save(self, path: str | os.PathLike) -> None:
        """Write a checkpoint: weights, optimiser, and the position in the data."""
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
            "core": core(),
            "curve": [asdict(point) for point in self.curve],
            "source": self.reader.source.to_dict(),
            "target": self.reader.target.to_dict(),
            "longest": [self.reader.longest_source, self.reader.longest_target],
        }
        serialize.save(path, arrays, about)
