"""Mode: what holds for the operations that run right now, and the box that they run in.

Both are context variables: they belong to the thread, or the task of asyncio, that set them.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from .errors import DTypeError

count = itertools.count(1).__next__  # numbers nodes and boxes in their order of creation


class Box:
    """One call of a module or of a definition, inside another: a box in a drawing."""

    __slots__ = ("number", "outer", "owner")

    def __init__(self, outer: Box | None, owner: Any):
        self.outer = outer
        self.owner = owner  # the module, or the name of the definition
        self.number = count()


class Watcher:
    """An observer: every operation on tensors is a node while something watches."""

    def operation(self, node: Any, args: tuple, y: Any) -> None:
        """See an operation that was called with `args`, and gave the array `y`."""

    def visit(self, visit: Any) -> None:
        """See a visit of a walk back."""

    def read(self, tensor: Any) -> None:
        """See the numbers of a tensor taken out, by `item()`, `numpy()`, an `if` and their like."""


class Mode(NamedTuple):
    """The settings that hold for operations.

    Attributes:
        grad: results remember how they were made, where a gradient may be asked for.
        watchers: who sees each operation: `record()`, `detect_anomaly()`.
        fast: kernels run in place of definitions.
        settings: the open `setting` blocks, oldest first, each a dict of fields; the other four
            attributes follow from them.
        rng: where random numbers come from, if not from the common generator.
    """

    grad: bool = True
    watchers: tuple[Watcher, ...] = ()
    fast: bool = False
    settings: tuple[dict[str, Any], ...] = ()
    rng: np.random.Generator | None = None


mode: ContextVar[Mode] = ContextVar("mode", default=Mode())  # noqa: B039 - it never changes
running: ContextVar[Box | None] = ContextVar("running", default=None)  # the innermost box


@contextlib.contextmanager
def setting(**fields: Any) -> Iterator[None]:
    """Within it, fields of the mode have these values; watchers are added to those that watch.

    Blocks may be left in any order: each takes back its own fields alone.
    """
    mode.set(_mode_of((*mode.get().settings, fields)))
    try:
        yield
    finally:
        mode.set(_mode_of(tuple(s for s in mode.get().settings if s is not fields)))


def _mode_of(settings: tuple[dict[str, Any], ...]) -> Mode:
    """The mode of these settings: where two differ, the later one counts."""
    fields = {name: value for s in settings for name, value in s.items()}
    fields["watchers"] = tuple(w for s in settings for w in s.get("watchers", ()))
    return Mode(**fields, settings=settings)


# --- of the whole process ---------------------------------------------------------------------------

_dtype = [np.dtype(np.float32)]


def get_default_dtype() -> np.dtype:
    """The dtype that Python floats, and lists of them, become."""
    return _dtype[0]


def set_default_dtype(dtype: Any) -> None:
    """Set the dtype that Python floats, and lists of them, become. It is float32 at first.

    Raises:
        DTypeError: for a dtype that is not floating.
    """
    dtype = np.dtype(dtype)
    if not np.issubdtype(dtype, np.floating):
        raise DTypeError(f"the default dtype must be a floating one, not {dtype}")
    _dtype[0] = dtype
