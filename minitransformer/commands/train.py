"""The command `train`: learn a task, and leave a checkpoint, the curve and a report."""

from __future__ import annotations

import argparse
import contextlib
import functools
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from minigrad import errors
from minigrad.settings import choice, real, whole
from minigrad.system import disk
from minigrad.system.terminal import complain
from minigrad.workers import Threads, Workers
from minigrad.workers.cluster import ANSWER, Cluster

from ..model.sizes import DecoderSizes, Sizes
from ..tasks import load_training, make
from ..training.examination import Result, examined
from ..training.loop import Settings, Training, perplexity
from ..training.progress import progress
from ..training.readers import READERS
from ..training.snapshots import Snapshots
from ..training.threads import one_thread
from ..views import report
from . import PROGRAM
from .folder import CHECKPOINT, CURVE, FILES, REPORT, SNAPSHOTS, claimed, ready, save_curve
from .machine import cores, interruptible, peak_memory
from .options import DATA, ENGINES, EVERY, MODELS, STEPS, WHO, flag


def train(options: argparse.Namespace) -> int:
    """Train, and leave the checkpoint, the curve and the report; when interrupted too."""
    started = time.perf_counter()
    given = vars(options)
    every = whole("every", given.get("every", EVERY), least=1)
    goal = real("stop_at", given["stop_at"], most=1) if "stop_at" in given else math.inf
    load, folder = resumed(given) if "resume" in given else begun(given)

    quiet = np.errstate(over="ignore", invalid="ignore")
    with (
        claimed(folder), contextlib.nullcontext(load()) as run, one_thread(),
        workers(given, run) as run.workers, interruptible() as interrupted, quiet,
    ):  # fmt: skip
        exam = run.task.held_out(min(1000, run.task.held_out_count))
        if isinstance(run.workers, Cluster) and run.workers.page:
            print(f"the workers can be watched at {run.workers.page}", flush=True)
        kept = snapshots(given, run, exam, folder / SNAPSHOTS)
        if kept:
            kept.after_step(run.reader, run.steps_done)
        if run.steps_done >= run.settings.steps:
            print("all its steps were taken before: only the report is written again", flush=True)
        learn(run, exam[:200], every, goal, folder / CHECKPOINT, interrupted, kept)
        if kept:
            kept.save(folder / SNAPSHOTS)
        stopped = interrupted()
        if stopped:
            print(
                f"interrupted after step {run.steps_done}, and saved: `python -m {PROGRAM} --resume "
                f"{folder}` goes on; a second Ctrl-C stops at once",
                flush=True,
            )
        result = examined(run, exam)
        run.save(folder / CHECKPOINT)
        save_curve(folder / CURVE, run)
        seconds = time.perf_counter() - started
        page, left_out = report.page(run, result, seconds, peak_memory())
        disk.write_whole(folder / REPORT, lambda file: file.write(page.encode()))

    if result:
        print(said(run, result))
    memory = peak_memory()
    print(
        f"{run.steps_done} steps and the report in {time.perf_counter() - started:.1f} s"
        + (f", peak memory {memory} MB" if memory else "")
    )
    print(f"in {folder}: {', '.join(FILES)}{f', {SNAPSHOTS}' if kept else ''}")
    if left_out:
        print(left_out)
    return 128 + stopped if stopped else 0


def snapshots(
    given: dict[str, Any], run: Training, exam: Sequence[Any], path: Path
) -> Snapshots | None:
    """The snapshots to be taken, as asked for or begun before; None, and no file, for none.

    Raises:
        ConfigError: if the task has no pairs of lines, of which one could be read.
    """
    if "resume" in given and path.exists():
        return Snapshots.load(path)
    path.unlink(missing_ok=True)
    if "snapshots" not in given:
        return None
    count = whole("snapshots", given["snapshots"], least=2, most=100)
    return Snapshots.planned(run.reader, exam[0] if exam else None, count, run.settings.steps)


def workers(given: dict[str, Any], run: Training) -> Workers:
    """Choose what computes the parts of a batch."""
    count = given.get("workers")
    if choice("engine", given.get("engine", ENGINES[0]), ENGINES) == "dask" or "scheduler" in given:
        say = functools.partial(complain, PROGRAM)
        address = given.get("scheduler")
        cluster = Cluster(address, cores() if count is None else count, say=say)
        if address is not None:
            print(
                f"looking for the scheduler at {address}, for {ANSWER} seconds at most", flush=True
            )
        return cluster
    if count is None and run.is_large() and cores() > 1:
        with contextlib.suppress(errors.ConfigError):  # without threadpoolctl
            return Threads(2)
    return Threads(1 if count is None else count)


def begun(given: dict[str, Any]) -> tuple[Callable[[], Training], Path]:
    """Make a function that returns a new run as the options ask; and return its folder."""
    name = given.get("task", "dates")
    settings = Settings(**{"steps": STEPS.get(name, Settings.steps)} | fields_of(Settings, given))
    made = {option: given[option] for option in DATA if option in given}
    if "file" in given:
        made["file"] = os.path.abspath(given["file"])
    task = make(name, settings.seed, **made)
    if "file" in made:
        made["sha256"] = task.sha256
        if task.left_out:
            complain(PROGRAM, task.left_out)
    kind = kind_of(name, given)
    run = Training(task, sizes_of(kind, task, given), settings, kind=kind, made=made)
    return lambda: run, ready(given.get("out", Path("runs", task.name)), "replace" in given)


def kind_of(task: str, given: dict[str, Any]) -> str:
    """The kind of model that the options ask for: a name in `READERS`.

    Raises:
        ConfigError: if the task is not for such a model.
    """
    kind = choice("model", given.get("model", "decoder" if task == "text" else MODELS[0]), MODELS)
    if task == "text" and kind != "decoder":
        raise errors.ConfigError(f"a text is learned by a decoder alone: leave out model={kind!r}")
    return "text" if task == "text" else kind


def sizes_of(kind: str, task: object, given: dict[str, object]) -> Any:
    """The sizes that the options ask for, large enough for the task.

    Raises:
        ConfigError: for sizes that make no sense, or that such a model does not have.
    """
    reader = READERS[kind]
    asked = fields_of(Sizes, given)
    if reader.sizes is DecoderSizes:
        if "encoder_layers" in asked:
            raise errors.ConfigError(
                f"a decoder alone has no encoder: leave out encoder_layers={asked['encoder_layers']}"
            )
        asked["layers"] = asked.pop("decoder_layers", DecoderSizes.layers)
    return reader.sizes(**asked | reader.sizes_for(task))


def fields_of(kind: type, given: dict[str, object]) -> dict[str, Any]:
    """The options that are fields of `kind`; those of the data are none."""
    return {f.name: given[f.name] for f in fields(kind) if f.name in given.keys() - set(DATA)}


def resumed(given: dict[str, Any]) -> tuple[Callable[[], Training], Path]:
    """Make a function that loads the named run, as its last checkpoint left it; and return its folder.

    Raises:
        ConfigError: if the options ask for other settings than it has.
    """
    may_be = ("run", "resume", "every", "stop_at", "steps", *WHO)
    others = [name for name in given if name not in may_be]
    if others:
        words = [given[name] if name in ("task", "file") else flag(name) for name in others]
        raise errors.ConfigError(
            f"--resume goes on with the run as it was begun: leave out {', '.join(words)}, "
            f"or begin another without --resume"
        )
    checkpoint = given["resume"] / CHECKPOINT
    if not checkpoint.exists():
        raise errors.ConfigError(f"there is no run in {given['resume']}: give the folder of one")
    return lambda: load_training(checkpoint, given.get("steps")), ready(
        given["resume"], replace=True
    )


def learn(
    run: Training,
    exam: Sequence[Any],
    every: int,
    goal: float,
    checkpoint: Path,
    interrupted: Callable[[], int],
    kept: Snapshots | None = None,
) -> None:
    """Take the steps that are left; every `every` steps, test on `exam` and save the checkpoint. Stop
    when the accuracy reaches `goal`."""
    last = run.settings.steps
    with progress(last, run.steps_done) as bar:

        def after_step(run: Training) -> bool:
            point = run.curve[-1]
            if kept:
                kept.after_step(run.reader, run.steps_done)
            figures = {"loss": f"{point.loss:.4f}"}
            if run.steps_done % every == 0 and run.steps_done < last:
                result = examined(run, exam)
                run.save(checkpoint)
                if result:
                    for (source, target), w in zip(exam[:3], result.written):
                        bar.say(_marked(source, target, w))
                    figures["held-out"] = f"{result.accuracy:.1%}"
                    figures["held-out loss"] = f"{result.loss:.4f}"
                    figures["perplexity"] = f"{perplexity(result.loss):.4g}"
            bar.advance(**figures)
            reached = point.accuracy is not None and point.accuracy >= goal
            return bool(interrupted()) or reached

        try:
            run.fit(after_step)
        except (OSError, errors.WorkersError, errors.DataError):
            run.save(checkpoint)  # nobody reads the output, nobody computes, or the data changed
            raise
    run.save(checkpoint)


def said(run: Training, result: Result) -> str:
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


def _marked(source: str, target: str, written: str) -> str:
    """A reading in a line, right or wrong."""
    if written == target:
        return f"  right  {source} -> {written}"
    return f"  wrong  {source} -> {written or 'nothing'}, not {target}"
