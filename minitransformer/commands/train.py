"""The command `train`: learn a task, and leave a checkpoint, the curve and a report."""

from __future__ import annotations

import argparse
import contextlib
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minigrad import errors
from minigrad.settings import real, whole
from minigrad.system import disk
from minigrad.system.working import say
from minigrad.workers.cluster import Cluster

from ..training.examination import Result, examined, overfitting
from ..training.loop import Training, perplexity
from ..training.progress import progress
from ..training.snapshots import Snapshots
from ..training.threads import one_thread
from ..views import report
from . import PROGRAM, telling
from .asked import begun, resumed, snapshots, workers
from .folder import CHECKPOINT, CURVE, FILES, REPORT, SNAPSHOTS, claimed, save_curve
from .machine import interruptible, peak_memory
from .options import EVERY

EXAM = 1000  # held-out examples that are read in the end
LOOKED_AT = 200  # of them, that are read on the way


def train(options: argparse.Namespace) -> int:
    """Train, and leave the checkpoint, the curve and the report, even if it is interrupted."""
    started = time.perf_counter()
    settings = vars(options)
    every = whole("every", settings.get("every", EVERY), least=1)
    goal = real("stop_at", settings["stop_at"], most=1) if "stop_at" in settings else math.inf
    load, folder = resumed(settings) if "resume" in settings else begun(settings)

    quiet = np.errstate(over="ignore", invalid="ignore")
    with (
        claimed(folder), contextlib.nullcontext(load()) as run, one_thread(),
        workers(settings, run) as run.workers, interruptible() as interrupted, quiet,
    ):  # fmt: skip
        for line in getattr(run.task, "remarks", ()):
            say(line)
        exam = run.task.held_out(min(EXAM, run.task.held_out_count))
        if isinstance(run.workers, Cluster) and run.workers.page:
            print(f"the workers can be watched at {run.workers.page}", flush=True)
        snapshots_taken = snapshots(settings, run, exam, folder / SNAPSHOTS)
        looked_at = exam[:LOOKED_AT]
        say(telling.columns(run, looked_at, every))
        learn(run, looked_at, every, goal, folder, interrupted, snapshots_taken)
        stopped = interrupted()
        if stopped:
            print(
                f"interrupted after step {run.steps_done}, and saved: `python -m {PROGRAM} --resume "
                f"{folder}` goes on; a second Ctrl-C stops at once",
                flush=True,
            )
        result, left_out = leave(run, exam, folder, started)
        # The last point may be of more examples than the points before: then it is not compared.
        compared = run.curve if len(exam) == len(looked_at) else run.curve[:-1]

    if result:
        print(telling.result(run, result))
    if overfitted := overfitting(compared):
        print(overfitted)
    memory = peak_memory()
    print(
        f"{run.steps_done} steps and the report in {time.perf_counter() - started:.1f} s"
        + (f", peak memory {memory} MB" if memory else "")
    )
    print(f"in {folder}: {', '.join(FILES)}{f', {SNAPSHOTS}' if snapshots_taken else ''}")
    if left_out:
        print(left_out)
    return 128 + stopped if stopped else 0


def learn(
    run: Training,
    exam: Sequence[Any],
    every: int,
    goal: float,
    folder: Path,
    interrupted: Callable[[], int],
    snapshots_taken: Snapshots | None = None,
) -> None:
    """Take the steps that are left. Every `every` steps, test on `exam`, and save the checkpoint.

    Stop when the accuracy reaches `goal`. The snapshots to be `kept` are taken on the way.
    """
    last, checkpoint = run.settings.steps, folder / CHECKPOINT
    if snapshots_taken:
        snapshots_taken.after_step(run.reader, run.steps_done)
    if run.steps_done >= last:
        print("all its steps were taken before: only the report is written again", flush=True)
    with progress(last, run.steps_done) as bar:

        def after_step(run: Training) -> bool:
            point = run.curve[-1]
            if snapshots_taken:
                snapshots_taken.after_step(run.reader, run.steps_done)
            figures = {"loss": f"{point.loss:#.4g}"}
            if run.steps_done % every == 0 and run.steps_done < last:
                result = examined(run, exam)
                run.save(checkpoint)
                if result:
                    for (source, target), w in zip(exam[:3], result.written):
                        bar.say(telling.marked(source, target, w))
                    if (worse := overfitting(run.curve)) and not overfitting(run.curve[:-1]):
                        bar.say(worse)
                    if goal > 1 and (right := telling.all_right(run, len(exam))):
                        bar.say(right)
                    figures["held-out"] = f"{result.accuracy:.1%}"
                    figures["held-out loss"] = f"{result.loss:#.4g}"
                    figures["perplexity"] = f"{perplexity(result.loss):.4g}"
            bar.advance(**figures)
            if reached := point.accuracy is not None and point.accuracy >= goal:
                bar.say(telling.reached(run, point, goal, len(exam)))
            return bool(interrupted()) or reached

        try:
            run.fit(after_step)
        except (OSError, errors.WorkersError, errors.DataError):
            run.save(checkpoint)  # nobody reads the output, nobody computes, or the data changed
            raise
    run.save(checkpoint)
    if snapshots_taken:
        snapshots_taken.save(folder / SNAPSHOTS)


def leave(
    run: Training, exam: Sequence[Any], folder: Path, started: float
) -> tuple[Result | None, str]:
    """Examine the model, and write the checkpoint, the curve and the report.

    Returns:
        the result of the examination, and a line on pictures that the report leaves out ("" for none).
    """
    result = examined(run, exam)
    run.save(folder / CHECKPOINT)
    save_curve(folder / CURVE, run)
    seconds = time.perf_counter() - started
    page, left_out = report.page(run, result, seconds, peak_memory())
    disk.write_whole(folder / REPORT, lambda file: file.write(page.encode()))
    return result, left_out
