"""Mode: what holds for the operations that run right now, and the box that they run in.

Both are context variables: they belong to the thread, or the task of asyncio, that set them.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .errors import DTypeError, Options, described

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from .node import Node
    from .tensor import Array, Tensor
    from .walk import Visit

count = itertools.count(1).__next__  # numbers nodes and boxes in their order of creation


class Box:
    """One call of a module or of a definition, inside another: a box in a drawing."""

    __slots__ = ("function", "note", "number", "outer", "owner")

    def __init__(self, outer: Box | None, owner: Any, function: Callable | None = None):
        self.outer = outer
        self.owner = owner  # the module, or the name of the definition
        self.function = function  # that was called: `forward`, or the body of the definition
        self.note: Any = None  # what a recording keeps of the call
        self.number = count()


def outward(box: Box | None) -> Iterator[Box]:
    """Yield a box and those around it, the innermost first; none for None."""
    while box is not None:
        yield box
        box = box.outer


class Watcher:
    """An observer: every operation on tensors is a node while something watches.

    Attributes:
        follows: whether plain results are to be `Followed`, so that it sees operations on them too.
    """

    follows = False

    def on_operation(self, node: Node, args: tuple, y: Array) -> None:
        """See an operation that was called with `args`, and gave the array `y`."""

    def on_enter(self, box: Box, args: tuple, kwargs: Options) -> None:
        """See a call of a module or a definition, before it runs."""

    def on_visit(self, visit: Visit) -> None:
        """See a visit of a walk back."""

    def on_draw(self, array: np.ndarray, draw: Callable[[], np.ndarray]) -> None:
        """See an array of random numbers, and the function that draws another one."""

    def on_made(self, array: np.ndarray, sources: list[Tensor]) -> None:
        """See an array that other code made of the numbers of these tensors."""

    def on_taken_out(self, a: Tensor | np.ndarray) -> None:
        """See numbers taken out of a tensor or a `Followed`, by `item()`, an `if` and their like."""

    def on_same_numbers(self, array: np.ndarray, other: Tensor | np.ndarray) -> None:
        """See an array that has the numbers of a `Followed`, or of a tensor that is detached."""

    def on_write(self, array: np.ndarray, node: Node | None) -> None:
        """See an array that was written to; `node`, if given, has its numbers now."""

    def on_backward(self, root: Any) -> None:
        """See a tensor from which a walk back is about to begin."""

    def on_step(self, optimizer: Any) -> None:
        """See an optimizer that is about to take a step."""

    def on_effect(self, action: str, node: Node | None = None) -> None:
        """See an action beside computing, such as "sets a gradient", on this node, or on all."""


class Mode(NamedTuple):
    """The settings that hold for operations.

    Attributes:
        grad: results remember how they were made, where a gradient may be asked for.
        watchers: who sees each operation: `record()`, `detect_anomaly()`, a call that is compiled.
        settings: the open `setting` blocks, oldest first, each a dict of fields; the other three
            attributes follow from them.
        rng: the generator of random numbers; None for the common one.
    """

    grad: bool = True
    watchers: tuple[Watcher, ...] = ()
    settings: tuple[Options, ...] = ()
    rng: np.random.Generator | None = None


mode: ContextVar[Mode] = ContextVar("mode", default=Mode())  # noqa: B039 - it never changes
current_box: ContextVar[Box | None] = ContextVar("current_box", default=None)  # the innermost


@contextlib.contextmanager
def setting(**fields: object) -> Iterator[None]:
    """Within it, fields of the mode have these values; watchers are added to the present ones.

    Blocks may be left in any order: each takes back its own fields alone.
    """
    try:  # Ctrl-C may come as soon as the mode is set
        mode.set(_mode_of((*mode.get().settings, fields)))
        yield
    finally:
        mode.set(_mode_of(tuple(s for s in mode.get().settings if s is not fields)))


def _mode_of(settings: tuple[Options, ...]) -> Mode:
    """The mode of these settings: where two differ, the later one counts."""
    fields = {name: value for s in settings for name, value in s.items()}
    fields["watchers"] = tuple(w for s in settings for w in s.get("watchers", ()))
    return Mode(**fields, settings=settings)


def effect(action: str, node: Node | None = None) -> None:
    """Tell the watchers of an action beside computing."""
    for watcher in mode.get().watchers:
        watcher.on_effect(action, node)


# --- of the whole process ---------------------------------------------------------------------------

_dtype = [np.dtype(np.float32)]


def get_default_dtype() -> np.dtype:
    """The dtype that Python floats, and lists of them, become."""
    return _dtype[0]


def set_default_dtype(dtype: DTypeLike) -> None:
    """Set the dtype that Python floats, and lists of them, become. It is float32 at first.

    Raises:
        DTypeError: for a dtype that is not floating.
    """
    _dtype[0] = floating("the default dtype", dtype)


def as_dtype(dtype: DTypeLike | None) -> np.dtype:
    """The dtype that `dtype` names.

    Raises:
        DTypeError: if it names none.
    """
    try:
        if dtype is None:  # for NumPy float64
            raise TypeError
        return np.dtype(dtype)
    except (TypeError, ValueError):
        raise DTypeError(
            f"a dtype is a type such as np.float32, or its name, not {described(dtype)}"
        ) from None


def floating(name: str, dtype: DTypeLike) -> np.dtype:
    """Return the dtype that `dtype` names, for `name`, which must be a floating one."""
    dtype = as_dtype(dtype)
    if dtype.kind != "f":
        raise DTypeError(f"{name} is a floating one, such as np.float32, not {dtype}")
    return dtype
