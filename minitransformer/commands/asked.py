"""The run that the options ask for: a new run, or one that goes on; its workers, and its snapshots."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from minigrad import errors
from minigrad.settings import choice, whole
from minigrad.system.terminal import complain
from minigrad.workers import Threads, Workers
from minigrad.workers.cluster import ANSWER, Cluster

from ..model.sizes import DecoderSizes, Sizes
from ..tasks import load_training, make
from ..training.loop import Training
from ..training.readers import READERS
from ..training.settings import Settings
from ..training.snapshots import Snapshots
from . import PROGRAM
from .folder import CHECKPOINT, ready
from .machine import cores
from .options import DATA, ENGINES, MODELS, STEPS, WHO, flag, spelled


def begun(options: dict[str, Any]) -> tuple[Callable[[], Training], Path]:
    """A function that returns the new run that the options ask for; and the folder of the run."""
    name = options.get("task", "dates")
    settings = Settings(**{"steps": STEPS.get(name, Settings.steps)} | fields_of(Settings, options))
    data = {option: options[option] for option in DATA if option in options}
    if "file" in options:
        data["file"] = os.path.abspath(options["file"])
    task = make(name, settings.seed, **data)
    if "file" in data:
        data["sha256"] = task.sha256
        if task.left_out:
            complain(PROGRAM, spelled(task.left_out))
    kind = kind_of(name, options)
    run = Training(task, sizes_of(kind, task, options), settings, kind=kind, made=data)
    return lambda: run, ready(options.get("out", Path("runs", task.name)), "replace" in options)


def kind_of(task: str, options: dict[str, Any]) -> str:
    """The kind of model that the options ask for: a name in `READERS`.

    Raises:
        ConfigError: if the task is not for such a model.
    """
    kind = choice("model", options.get("model", "decoder" if task == "text" else MODELS[0]), MODELS)
    if task == "text" and kind != "decoder":
        raise errors.ConfigError(f"a text is learned by a decoder alone: leave out model={kind!r}")
    return "text" if task == "text" else kind


def sizes_of(kind: str, task: object, options: dict[str, object]) -> Any:
    """The sizes that the options ask for, large enough for the task.

    Raises:
        ConfigError: for a size that makes no sense, or that such a model does not have.
    """
    reader = READERS[kind]
    sizes = fields_of(Sizes, options)
    if reader.sizes is DecoderSizes:
        if "encoder_layers" in sizes:
            raise errors.ConfigError(
                f"a decoder alone has no encoder: leave out encoder_layers={sizes['encoder_layers']}"
            )
        sizes["layers"] = sizes.pop("decoder_layers", DecoderSizes.layers)
    return reader.sizes(**sizes | reader.sizes_for(task))


def fields_of(kind: type, options: dict[str, object]) -> dict[str, Any]:
    """The options that are fields of `kind`, without options of the data."""
    return {f.name: options[f.name] for f in fields(kind) if f.name in options.keys() - set(DATA)}


def resumed(options: dict[str, Any]) -> tuple[Callable[[], Training], Path]:
    """A function that loads the named run from its last checkpoint; and the folder of the run.

    Raises:
        ConfigError: if the options ask for settings that differ from the run's.
    """
    may_be = ("run", "resume", "every", "stop_at", "steps", *WHO)
    others = [name for name in options if name not in may_be]
    if others:
        words = [options[name] if name in ("task", "file") else flag(name) for name in others]
        raise errors.ConfigError(
            f"--resume goes on with the run as it was begun: leave out {', '.join(words)}, "
            f"or begin another without --resume"
        )
    checkpoint = options["resume"] / CHECKPOINT
    if not checkpoint.exists():
        raise errors.ConfigError(f"there is no run in {options['resume']}: give the folder of one")
    return lambda: load_training(checkpoint, options.get("steps")), ready(
        options["resume"], replace=True
    )


def workers(options: dict[str, Any], run: Training) -> Workers:
    """The workers that compute the parts of a batch."""
    count = options.get("workers")
    if (
        choice("engine", options.get("engine", ENGINES[0]), ENGINES) == "dask"
        or "scheduler" in options
    ):
        say = functools.partial(complain, PROGRAM)
        address = options.get("scheduler")
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


def snapshots(
    options: dict[str, Any], run: Training, exam: Sequence[Any], path: Path
) -> Snapshots | None:
    """The snapshots to take: those of the run that goes on, or new ones. Without any, None, and the file
    is removed.

    Raises:
        ConfigError: if the task has no pairs of lines to read.
    """
    if "resume" in options and path.exists():
        return Snapshots.load(path)
    path.unlink(missing_ok=True)
    if "snapshots" not in options:
        return None
    count = whole("snapshots", options["snapshots"], least=2, most=100)
    return Snapshots.planned(run.reader, exam[0] if exam else None, count, run.settings.steps)
