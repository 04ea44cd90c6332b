"""Measures of a model on examples that it never learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .loop import Training


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
