"""Measures of a model on examples that it never learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .loop import Point, Training


@dataclass(frozen=True)
class Result:
    """The results on held-out examples.

    Attributes:
        examples: pairs, or windows of a text.
        written: what the model wrote for each source; nothing for windows.
        accuracy: the share of pairs written exactly, or of a text's symbols predicted.
        loss: the mean cross-entropy, in nats a symbol.
    """

    examples: Sequence[Any]
    written: Sequence[str]
    accuracy: float
    loss: float


def examined(run: Training, examples: Sequence[Any]) -> Result | None:
    """Let the model read held-out examples, and note the result at the last point of the curve; None if
    there are no examples."""
    if not examples:
        return None
    loss = run.held_out_loss(examples)
    result = Result(examples, *run.reader.examined(examples), loss)
    if run.curve:
        run.curve[-1].accuracy, run.curve[-1].held_out_loss = result.accuracy, loss
    return result


def overfitting(curve: Sequence[Point]) -> str:
    """Say in a line that the loss on held-out examples grows, while that of learning falls, and since
    when; "" if that is not sure.

    It is sure after two looks at held-out examples with a loss a tenth above the least, and with no more
    of them right, if the loss of the batches has fallen by a fifth since.
    """
    looks = [point for point in curve if point.held_out_loss is not None]
    if len(looks) < 3:
        return ""
    best, last = min(looks, key=_held_out_loss), looks[-1]
    now, then = (
        float(np.mean([point.loss for point in curve[: look.step][-25:]])) for look in (last, best)
    )
    risen = min(map(_held_out_loss, looks[-2:])) > 1.1 * _held_out_loss(best) + 0.01
    if not (risen and now < 0.8 * then and _accuracy(last) <= _accuracy(best) + 0.01):
        return ""
    was, is_now = (f"{p.held_out_loss:.3g} ({_accuracy(p):.1%} right)" for p in (best, last))
    return (
        f"the loss on held-out examples grows since step {best.step}: it was {was}, and is {is_now} at "
        f"step {last.step}, while that of learning fell from {then:.3g} to {now:.3g}, as when it learns "
        f"by heart: more examples, --dropout or fewer --steps may help"
    )


def _held_out_loss(point: Point) -> float:
    return point.held_out_loss or 0.0


def _accuracy(point: Point) -> float:
    return point.accuracy or 0.0
