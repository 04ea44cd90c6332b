"""What a task is: where the examples to learn from come from. Tasks by name are in `tasks`."""

from typing import Protocol

from .vocabulary import Vocabulary


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
