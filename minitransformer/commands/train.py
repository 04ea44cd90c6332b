"""The command `train`: learn a task, and leave a checkpoint, the curve and a report."""

from __future__ import annotations

import argparse
import functools
import importlib.util
import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minigrad import errors, serialize
from minigrad.cluster import Cluster
from minigrad.terminal import complain
from minigrad.workers import Threads, Workers

from ..model.sizes import DecoderSizes, Sizes
from ..tasks import load_training, make
from ..training.examination import Result, examined
from ..training.loop import Settings, Training, perplexity
from ..training.progress import progress
from ..training.readers import READERS
from ..training.threads import one_thread
from ..views import report
from . import PROGRAM
from .folder import CHECKPOINT, CURVE, FILES, REPORT, claimed, ready, save_curve
from .machine import cores, interruptible, peak_memory
from .options import DATA, STEPS, WHO, chosen, training_options


def train(options: argparse.Namespace) -> int:
    """Train, and leave the checkpoint, the curve and the report; when interrupted too."""
    started = time.perf_counter()
    if options.every < 1:
        raise errors.ConfigError(f"every must be a whole number from 1, not {options.every}")
    run, folder = resumed(options) if hasattr(options, "resume") else begun(options)
    exam = run.task.held_out(min(1000, run.task.held_out_count))
    goal = getattr(options, "stop_at", math.inf)

    quiet = np.errstate(over="ignore", invalid="ignore")
    with (
        claimed(folder), one_thread(), workers(options, run) as run.workers,
        interruptible() as interrupted, quiet,
    ):  # fmt: skip
        learn(run, exam[:200], options.every, goal, folder / CHECKPOINT, interrupted)
        stopped = interrupted()
        if stopped:
            print(
                f"interrupted after step {run.steps_done}, and saved; a second Ctrl-C stops at once",
                flush=True,
            )
        result = examined(run, exam)
        run.save(folder / CHECKPOINT)
        save_curve(folder / CURVE, run)
        seconds = time.perf_counter() - started
        page, left_out = report.page(run, result, seconds, peak_memory())
        serialize.write_whole(folder / REPORT, lambda file: file.write(page.encode()))

    if result:
        print(said(run, result))
    memory = peak_memory()
    print(
        f"{run.steps_done} steps and the report in {time.perf_counter() - started:.1f} s"
        + (f", peak memory {memory} MB" if memory else "")
    )
    print(f"in {folder}: {', '.join(FILES)}")
    if left_out:
        print(left_out)
    return 128 + stopped if stopped else 0


def workers(options: argparse.Namespace, run: Training) -> Workers:
    """Who computes the parts of a batch."""
    count = getattr(options, "workers", None)
    if options.engine == "dask" or hasattr(options, "scheduler"):
        say = functools.partial(complain, PROGRAM)
        return Cluster(getattr(options, "scheduler", None), count or cores(), say=say)
    several = run.is_large() and cores() > 1 and importlib.util.find_spec("threadpoolctl")
    return Threads((2 if several else 1) if count is None else count)


def begun(options: argparse.Namespace) -> tuple[Training, Path]:
    """A new run as the options ask for it, and its folder."""
    steps = getattr(options, "steps", STEPS.get(options.task, Settings.steps))
    settings = chosen(Settings, options, steps=steps)
    made = {name: getattr(options, name) for name in DATA if hasattr(options, name)}
    if options.file is not None:
        made["file"] = os.path.abspath(options.file)
    if options.skip_bad:
        made["skip_bad"] = True
    task = make(options.task, settings.seed, **made)
    if "file" in made:
        made["sha256"] = task.sha256
        for fault in task.faults:
            complain(PROGRAM, f"left out: line {fault.line}: {fault.what}")
    kind = "text" if options.task == "text" else options.model
    reader = READERS[kind]
    others: dict[str, Any] = dict(reader.symbols(*reader.vocabularies(task)))
    others["longest"] = max(Sizes.longest, reader.positions(*reader.lengths(task)))
    if reader.sizes is DecoderSizes:
        others["layers"] = options.decoder_layers
    sizes = chosen(reader.sizes, options, **others)
    run = Training(task, sizes, settings, kind=kind, made=made)
    return run, ready(getattr(options, "out", Path("runs", task.name)), options.replace)


def resumed(options: argparse.Namespace) -> tuple[Training, Path]:
    """The run that the options name, as its last checkpoint left it, and its folder.

    Raises:
        ConfigError: if the options ask for other settings than it has.
    """
    defaults = training_options().parse_args([])
    others = [
        name
        for name, value in vars(options).items()
        if name not in ("every", "stop_at", "resume", "run", "task", *WHO)
        and value != getattr(defaults, name, None)
    ]
    if others or options.task != "dates":
        raise errors.ConfigError(
            f"--resume goes on with the run as it was begun: leave out "
            f"{', '.join('--' + name.replace('_', '-') for name in others) or options.task}"
        )
    checkpoint = options.resume / CHECKPOINT
    if not checkpoint.exists():
        raise errors.ConfigError(f"there is no run in {options.resume}: give the folder of one")
    return load_training(checkpoint), ready(options.resume, replace=True)


def learn(
    run: Training,
    exam: Sequence[Any],
    every: int,
    goal: float,
    checkpoint: Path,
    interrupted: Callable[[], int],
) -> None:
    """Take the steps that are left; every `every` steps, test on `exam` and save the checkpoint. Stop
    when the accuracy reaches `goal`."""
    last = run.settings.steps
    with progress(last, run.steps_done) as bar:

        def after_step(run: Training) -> bool:
            point = run.curve[-1]
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
            return bool(interrupted()) or (point.accuracy or 0) >= goal

        try:
            run.fit(after_step)
        except (
            OSError,
            errors.WorkersError,
        ):  # nobody reads the output any more, or nobody computes
            run.save(checkpoint)
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
