"""Tasks for training a model: to turn one line of text into another, or to continue a text.

    >>> task = make("dates", seed=0)
    >>> task.batch(step=1, size=2)
    [('1976-Sep-24', '1976-09-24'), ('THU JUL 19 1900', '1900-07-19')]

There are two kinds of task; each is built in, or reads a file:

    Task      pairs of a source and a target      dates, copy, reverse, sort, addition; pairs FILE
    TextTask  windows into a text                 text FILE

No task knows of models, arrays or training; `load_training` makes the task of a checkpoint again.
"""

import inspect
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from minigrad.errors import ConfigError
from minitransformer.tasks import addition, letters
from minitransformer.tasks.dates import Dates
from minitransformer.tasks.pairs import Pairs
from minitransformer.tasks.text import Text
from minitransformer.training.checkpoints import training_in
from minitransformer.training.loop import Training
from minitransformer.training.task import Task, TextTask

__all__ = ["FILE_TASKS", "TASKS", "Task", "TextTask", "load_training", "make"]

# Each makes its task from a seed; `addition` also takes `digits`.
TASKS: dict[str, Callable[..., Task]] = {
    "dates": Dates,
    "copy": partial(letters.task, "copy"),
    "reverse": partial(letters.task, "reverse"),
    "sort": partial(letters.task, "sort"),
    "addition": addition.task,
}
# Each makes its task from a seed and the path of a file; the options are those of the class.
FILE_TASKS: dict[str, Callable[..., Task | TextTask]] = {
    "pairs": Pairs,
    "text": Text,
}


def make(
    name: str, seed: int = 0, file: str | os.PathLike[str] | None = None, **options: Any
) -> Any:
    """Make the task of that name: a Task, or a TextTask if it is "text".

    The same arguments, and the same contents of `file`, always make the same task.

    Raises:
        ConfigError: there is no such task; or a file is missing, or given but not used; or an option
            is not valid, or none of this task.
        DataError: the file cannot be used, or has faults and `skip_bad` is not given.
    """
    if name in FILE_TASKS:
        if file is None:
            raise ConfigError(f"the task {name!r} reads a file, and none is given: {name} FILE")
        _check(name, FILE_TASKS[name], options)
        return FILE_TASKS[name](seed, file, **options)
    if name not in TASKS:
        known = ", ".join([*TASKS, *(f"{name} FILE" for name in FILE_TASKS)])
        raise ConfigError(f"there is no task {name!r}; choose one of {known}")
    if file is not None:
        raise ConfigError(f"the task {name!r} reads no file; leave out {os.fspath(file)!r}")
    _check(name, TASKS[name], options)
    return TASKS[name](seed, **options)


def _check(name: str, task: Callable[..., Any], options: Iterable[str]) -> None:
    known = list(inspect.signature(task).parameters)
    if unknown := [option for option in options if option not in known]:
        own = [option for option in known if option not in ("seed", "file", "sha256")]
        raise ConfigError(
            f"the task {name!r} has no option {unknown[0]!r}: "
            + (f"it has {', '.join(own)}" if own else "it has none")
        )


def load_training(path: str | os.PathLike[str]) -> Training:
    """Load a run as it was when its checkpoint was written, with its task, ready for its next step.

    Raises:
        CheckpointError: if the file is missing, truncated, or not of such a run.
    """
    return training_in(path, make)
