"""The lines that a run prints about itself: its columns, why it stopped, and its result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..training.examination import Result
from ..training.loop import Point, Training, perplexity


def columns(run: Training, exam: Sequence[Any], every: int) -> str:
    """Lines on the columns of the progress. The examples of `exam` are read after each `every` steps."""
    blind = math.log(len(run.reader.writes))
    loss = (
        f"loss: of the batch of a step, in nats a symbol; {blind:.2f} if each symbol is as likely"
    )
    if not exam:
        return loss
    share = "symbols predicted" if run.kind == "text" else "them read exactly"
    return (
        f"{loss}\nheld-out, held-out loss, perplexity: after each {every} steps, of {len(exam)} "
        f"held-out examples: the share of {share}, the loss, and exp(loss)"
    )


def reached(run: Training, point: Point, goal: float, count: int) -> str:
    """A line on a run that stopped early, at its `goal` for so many held-out examples."""
    return (
        f"stopped at step {point.step} of {run.settings.steps}: {point.accuracy:.1%} of the {count} "
        f"held-out examples looked at are right, and --stop-at asks for {goal:.1%}"
    )


def all_right(run: Training, count: int) -> str:
    """A line on how a run can end, the second time that all held-out examples are right; else ""."""
    looks = [point for point in run.curve if point.accuracy == 1]
    if len(looks) != 2 or looks[-1] is not run.curve[-1]:
        return ""
    return (
        f"all {count} held-out examples looked at are right at step {looks[0].step}, and again at "
        f"{looks[1].step} of {run.settings.steps}: --stop-at 1 would have stopped there; "
        f"Ctrl-C stops, and saves"
    )


def result(run: Training, result: Result) -> str:
    """The result of the run in a line."""
    loss = f"loss {result.loss:.3g} nats a symbol, perplexity {perplexity(result.loss):.4g}"
    count = len(result.examples)
    if run.kind == "text":
        return (
            f"of the symbols in {count} held-out windows, {result.accuracy:.1%} predicted; {loss}"
        )
    right = round(result.accuracy * count)
    exact = f"{right} of {count} held-out {run.task.name} read exactly: {result.accuracy:.1%}"
    return f"{exact}; {loss}"


def marked(source: str, target: str, written: str) -> str:
    """A reading in a line, right or wrong."""
    if written == target:
        return f"  right  {source} -> {written}"
    return f"  wrong  {source} -> {written or 'nothing'}, not {target}"
