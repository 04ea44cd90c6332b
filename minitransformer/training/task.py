"""The interface of a task, which supplies the examples to learn from. Named tasks are in `tasks`."""

from typing import Protocol

from .vocabulary import Vocabulary


class Task(Protocol):
    """A task whose examples are pairs: (source text, target text)."""

    name: str
    source: Vocabulary
    target: Vocabulary
    longest_source: int  # in tokens, BOS and EOS not counted
    longest_target: int

    @property
    def held_out_count(self) -> int:
        """The number of pairs that no batch ever contains."""
        ...

    def held_out(self, count: int) -> list[tuple[str, str]]:
        """Return the first `count` of the pairs that no batch ever contains, in a fixed order.

        Raises:
            ConfigError: if fewer than `count` pairs are held out.
        """
        ...

    def batch(self, step: int, size: int) -> list[tuple[str, str]]:
        """Return the `size` pairs to train on at `step`: always the same, in every process.

        Nothing is remembered from one batch to the next, so a run that was stopped at any step
        goes on as if it had not been stopped.
        """
        ...


class TextTask(Protocol):
    """A task whose examples are windows: texts of `window` + 1 symbols each.

    A model reads a window without its last symbol, and writes it without its first:

        ids = task.vocabulary.batch(task.batch(step, size))  # (B, T + 1), T = task.window
        read, write = ids[:, :-1], ids[:, 1:]  # (B, T) each

    No window is padded, and none begins or ends a sequence: a text has no end to be learned.
    """

    name: str
    vocabulary: Vocabulary
    window: int

    @property
    def held_out_count(self) -> int:
        """The number of windows of which no batch contains a part."""
        ...

    def held_out(self, count: int) -> list[str]:
        """The first `count` of the windows of which no batch contains a part, as for `Task`."""
        ...

    def batch(self, step: int, size: int) -> list[str]:
        """The `size` windows to train on at `step`, as for `Task`."""
        ...
