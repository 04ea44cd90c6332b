"""What a model can be trained to do: to turn one line of text into another, or to go on with one.

    >>> task = make("dates", seed=0)
    >>> task.batch(step=1, size=2)
    [('1976-Sep-24', '1976-09-24'), ('THU JUL 19 1900', '1900-07-19')]

Two kinds of task, and two ways to come by one:

    Task      pairs of a source and a target      dates, copy, reverse, sort, addition; pairs FILE
    TextTask  windows into a text                 text FILE

No task knows of models, arrays or training.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from minigrad.engine.errors import ConfigError
from minitransformer.tasks import addition, letters
from minitransformer.tasks.dates import Dates
from minitransformer.tasks.pairs import Pairs
from minitransformer.tasks.text import Text
from minitransformer.vocabulary import Vocabulary


class Task(Protocol):
    """What every task has whose examples are pairs: (source text, target text)."""

    name: str
    source: Vocabulary
    target: Vocabulary
    longest_source: int  # in tokens, BOS and EOS not counted
    longest_target: int

    @property
    def held_out_count(self) -> int:
        """How many pairs no batch ever contains."""
        ...

    def held_out(self, count: int) -> list[tuple[str, str]]:
        """The first `count` of the pairs that no batch ever contains, for every count the same.

        Raises:
            ConfigError: fewer than `count` pairs are held out.
        """
        ...

    def batch(self, step: int, size: int) -> list[tuple[str, str]]:
        """The `size` pairs to train on at `step`: the same whenever, and wherever, it is asked.

        Nothing is remembered from one batch to the next, so a run that was stopped at any step
        goes on as if it had not been.
        """
        ...


class TextTask(Protocol):
    """What every task has whose examples are windows: texts of `window` + 1 symbols each.

    A model reads all of a window but its last symbol, and writes all but the first:

        ids = task.vocabulary.batch(task.batch(step, size))  # (B, T + 1), T = task.window
        read, write = ids[:, :-1], ids[:, 1:]  # (B, T) each

    No window is padded, none begins or ends a sequence: a text has no end that could be learned.
    """

    name: str
    vocabulary: Vocabulary
    window: int

    @property
    def held_out_count(self) -> int:
        """How many windows no batch contains a part of."""
        ...

    def held_out(self, count: int) -> list[str]:
        """The first `count` of the windows of which no batch contains a part, as for `Task`."""
        ...

    def batch(self, step: int, size: int) -> list[str]:
        """The `size` windows to train on at `step`, as for `Task`."""
        ...


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
    """The task of that name: a Task, or a TextTask if it is "text".

    A task that was made again from the same arguments, and the same contents of `file`, is the
    same.

    Raises:
        ConfigError: there is no such task; or it needs a file, or has no use for one; or an option
            makes no sense.
        DataError: the file cannot be used, or not as it stands.
    """
    if name in FILE_TASKS:
        if file is None:
            raise ConfigError(f"the task {name!r} reads a file, and none is given: {name} FILE")
        return FILE_TASKS[name](seed, file, **options)
    if name not in TASKS:
        known = ", ".join([*TASKS, *(f"{name} FILE" for name in FILE_TASKS)])
        raise ConfigError(f"there is no task {name!r}; choose one of {known}")
    if file is not None:
        raise ConfigError(f"the task {name!r} reads no file; leave out {os.fspath(file)!r}")
    return TASKS[name](seed, **options)
