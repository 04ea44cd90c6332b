"""A batch in parts: their gradients add up to the gradient of the batch, whoever computes them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
from minigrad.functional import cross_entropy
from minigrad.random import drawing_from
from minigrad.workers import Gradients

from .line_reader import LineReader
from .vocabulary import PAD

START = 500  # the fixed time that one more part of a batch costs, in symbols read
PLANS = 32  # programs at most: one for each shape that parts have
LARGE = 2e9  # products of a weight and a symbol in a batch: more are worth two parts at a time


class Part(NamedTuple):
    """A part of the batch of a step: its number, its examples, and the symbols to write in the batch."""

    step: int
    number: int
    examples: Sequence[Any]
    symbols: int


class ShareOfBatch(Gradients):
    """A part's share of the loss of its batch, and of the gradient.

    It depends on the weights, the seed and the part alone: dropout has a random stream for each part of
    each step. The loss is compiled, at once, so that the bits do not depend on the order of parts. Each
    shape needs a program: so that there are few shapes, lengths are filled up (`filled_up`).
    """

    def __init__(self, reader: LineReader, seed: int, label_smoothing: float, pad: int):
        super().__init__(self.share, reader.model.parameters())
        self.reader, self.seed, self.label_smoothing, self.pad = reader, seed, label_smoothing, pad
        loss = partial(summed_loss, reader.model, label_smoothing)
        self.summed_loss = mg.compile(loss, at_once=True, plans=PLANS)

    def __call__(self, part: Part) -> list[np.ndarray]:
        if not self.reader.model.training:
            self.reader.model.train()
        stream = np.random.default_rng([self.seed, part.step, part.number])
        with drawing_from(stream), np.errstate(over="ignore"):
            return super().__call__(part)

    def share(self, part: Part) -> mg.Tensor:
        """Compute the cross-entropy of the part's symbols, divided by the count of symbols in the batch:
        the sum over all parts is the mean over the batch, though parts differ in size."""
        inputs, targets = self.reader.inputs_and_targets(part.examples)
        widest = self.reader.widest
        inputs = [filled_up(a, self.pad, most) for a, most in zip(inputs, widest, strict=True)]
        targets = filled_up(targets, self.pad, widest[-1])
        return self.summed_loss(inputs, targets) / part.symbols

    def __reduce__(self) -> tuple:
        """The contents of its pickle: not the weights, which other processes are sent in each step."""
        r = self.reader
        sides = r.source, r.target, r.longest_source, r.longest_target
        return _untrained, (
            type(r), r.model.sizes, sides, self.seed, self.label_smoothing, self.pad,
        )  # fmt: skip


def _untrained(
    kind: type[LineReader], sizes: Any, sides: tuple, seed: int, label_smoothing: float, pad: int
) -> ShareOfBatch:
    """The same job in another process, with weights of its own at first."""
    with drawing_from(np.random.default_rng(seed)):
        reader = kind(kind.architecture(sizes), *sides)
    return ShareOfBatch(reader, seed, label_smoothing, pad)


def summed_loss(
    model: Any, label_smoothing: float, inputs: Sequence[np.ndarray], targets: np.ndarray
) -> mg.Tensor:
    """Compute the summed cross-entropy of the symbols that the model is to predict.

    Args:
        model: a Transformer or a DecoderOnly.
        inputs: its inputs, such as ids (B, S) and (B, T).
        targets: ids (B, T), PAD where nothing is to be predicted.
    """
    logits = model(*inputs)  # (B, T, N)
    return cross_entropy(
        logits, targets, ignore_index=PAD, label_smoothing=label_smoothing, reduction="sum"
    )


def mean_loss(reader: LineReader, examples: Sequence[Any], label_smoothing: float) -> mg.Tensor:
    """Compute the mean cross-entropy of the symbols that the model is to predict, uncompiled."""
    inputs, targets = reader.inputs_and_targets(examples)
    total = summed_loss(reader.model, label_smoothing, inputs, targets)
    return total / int((targets != PAD).sum())


def filled_up(ids: np.ndarray, pad: int, most: int) -> np.ndarray:
    """Ids (B, T) with columns of PAD added, so that there are four widths at most.

    Args:
        pad: widths are multiples of it, or `most`.
        most: the width of the longest that can come.
    """
    rows, columns = ids.shape
    step = pad * -(-most // (4 * pad))  # from one width to the next; both are rounded up
    width = min(-(-columns // step) * step, most)
    filled = np.full((rows, max(columns, width)), PAD)
    filled[:, :columns] = ids
    return filled


def large(lengths: Sequence[int], weights: int) -> bool:
    """Tell whether a batch is so much work that two workers take less time for it than one."""
    return sum(lengths) * weights > LARGE


def cut(lengths: Sequence[int], weights: int, least: int) -> list[slice]:
    """Choose where to cut a batch.

    It is cut into about `least` parts; fewer if it is small. More parts may save time: each is padded
    only to its own longest example, and two can be computed at a time. The choice depends on sizes,
    never on the machine.

    Args:
        lengths: of the examples, the shortest first.
        weights: the number of weights of the model.
        least: the least number of parts.
    """
    if large(lengths, weights):
        least = max(least, 2)

    def into(parts: int) -> list[slice]:
        size = -(-len(lengths) // parts)  # rounded up
        return [slice(i, i + size) for i in range(0, len(lengths), size)]

    def cost(parts: int) -> int:
        rows = [lengths[part] for part in into(parts)]
        return sum(START + len(row) * row[-1] for row in rows)

    return into(min((least, 2 * least, 4 * least, 8 * least), key=cost))  # few: see `filled_up`
