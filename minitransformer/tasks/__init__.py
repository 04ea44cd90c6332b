"""Tasks for training a model: to turn one line of text into another, or to continue a text.

    >>> task = make("dates", seed=0)
    >>> task.batch(step=1, size=2)
    [('1966 August 6', '1966-08-06'), ('mon jun 5 1916', '1916-06-05')]

There are two kinds of task; each is built in, or reads a file:

    Task      pairs of a source and a target      dates, copy, reverse, sort, addition; pairs FILE
    TextTask  windows into a text                 text FILE

A task knows of no model and no array. Of training it uses `Vocabulary` and `Pair` alone, the words in
which the two speak. `make` makes a task, and `load_training` again that of a checkpoint.

`dates`, `letters` and `addition` are built in, the last two by `drawn`; `pairs` and `text` read `files`,
the first of them after a `survey`; `split` holds examples out.
"""

import inspect
import os
from collections.abc import Callable
from functools import partial
from typing import Any

from minigrad.engine.kinds import checked
from minigrad.errors import ConfigError
from minigrad.settings import whole

from ..training.checkpoints import training_in
from ..training.loop import Training
from ..training.task import Task, TextTask
from . import addition, dates, letters
from .pairs import Pairs
from .text import Text

__all__ = [
    "FAULTS",
    "FILE_TASKS",
    "FORMS",
    "TASKS",
    "VARIATIONS",
    "Task",
    "TextTask",
    "load_training",
    "make",
]

# Each makes its task from a seed and its options.
TASKS: dict[str, Callable[..., Task]] = {
    "dates": dates.Dates,
    "copy": partial(letters.task, "copy"),
    "reverse": partial(letters.task, "reverse"),
    "sort": partial(letters.task, "sort"),
    "addition": addition.task,
}
# What people may write: told, and as examples. And what is wrong with a text that a model wrote.
FORMS: dict[str, tuple[str, list[str]]] = {"dates": (dates.READS, dates.EXAMPLES)}
FAULTS: dict[str, Callable[[str], str | None]] = {"dates": dates.fault}
# A line with a small change, whose effect is to be guessed; None where a line has none.
VARIATIONS: dict[str, Callable[[str], str | None]] = {"dates": dates.with_another_month}
# Each makes its task from a seed and the path of a file; the options are those of the class.
FILE_TASKS: dict[str, Callable[..., Task | TextTask]] = {
    "pairs": Pairs,
    "text": Text,
}


@checked
def make(
    name: str, seed: int = 0, file: str | os.PathLike[str] | None = None, **options: object
) -> Any:
    """Make the task of that name: a Task, or a TextTask if it is "text".

    The same arguments, and the same contents of `file`, always make the same task.

    Raises:
        ConfigError: there is no such task; or a file is missing, or given but not used; or an option
            is not valid, or none of this task.
        DataError: the file cannot be used, or has faults and `skip_bad` is not given.
    """
    if name not in TASKS | FILE_TASKS:
        names = ", ".join([*TASKS, *(f"{name} FILE" for name in FILE_TASKS)])
        file_given = (
            f"; to learn the pairs in that file: pairs {name}" if os.path.isfile(name) else ""
        )
        raise ConfigError(f"there is no task {name!r}; choose one of {names}{file_given}")
    if name in FILE_TASKS and file is None:
        raise ConfigError(f"the task {name!r} reads a file, and none is given: {name} FILE")
    if name in TASKS and file is not None:
        raise ConfigError(f"the task {name!r} reads no file; leave out {os.fspath(file)!r}")
    whole("seed", seed)
    task = (TASKS | FILE_TASKS)[name]
    taken = inspect.signature(task).parameters.keys() - {"seed", "file"}
    if unused := sorted(options.keys() - taken):
        raise ConfigError(
            f"the task {name!r} does not use {unused[0]}={options[unused[0]]!r}; leave it out"
        )
    return task(seed, **options) if file is None else task(seed, file, **options)


@checked
def load_training(path: str | os.PathLike[str], steps: int | None = None) -> Training:
    """Load a run as it was when its checkpoint was written, with its task, ready for its next step.

    Args:
        path: the checkpoint, or the folder of its run, such as "runs/dates".
        steps: how many there are in all, in place of as many as it was begun with. The schedule
            "cosine" goes on with the learning rate of a run that was begun with so many.

    Raises:
        CheckpointError: if the file is missing, truncated, or not of such a run.
        ConfigError: if it has taken more steps.
    """
    return training_in(path, make, steps)
