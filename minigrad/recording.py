"""Recording of operations: all their arguments, as nodes, and the line that asked for them.

Arrays become leaves when they are first used. The results of operations without a derivative
(comparisons, argmax, ...) are arrays, and are known by their identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .engine.modes import Watcher, count, setting
from .engine.node import Node
from .engine.saving import unshared
from .engine.tensor import Tensor
from .engine.walk import Contribution, Visit
from .source import SourceLine, source_line, user_frames
from .switches import switch


class Note(Watcher):
    """The data of a node that `record()` keeps for the views.

    Attributes:
        y: the result; of a leaf that stands for an array, a copy of it.
        array: what the reader holds, where that is an array and may change: `y` is a copy of it then.
        args: the arguments, with all their arrays.
        sources: for each argument the node that it is, or None; for a list, a list of these.
        line: the line of code that asked for the operation.
        names: (node, name) for arguments that a variable held just then.
        contributions: what it passed on in the last backward pass.
        reads: the numbers that had left the graph by the end of the recording; see `Recording`.
    """

    reads: Sequence[Read] = ()

    def __init__(
        self, y: Any, args: tuple = (), sources: tuple = (), line=None, names=(), array=None
    ):
        self.y = y
        self.array = array
        self.args = args
        self.sources = sources
        self.line: SourceLine | None = line
        self.names: list[tuple[Node, str]] = list(names)
        self.contributions: list[Contribution] = []

    def visit(self, visit: Visit) -> None:
        self.contributions = visit.contributions


@switch
def record() -> Iterator[None]:
    """Within it, every value, gradient, contribution and source line is kept for the views."""
    with setting(watchers=(Recording(),)):
        yield


class Read(NamedTuple):
    """Numbers that left the graph: by `item()`, an `if` ..., or as the result of a comparison.

    What Python or NumPy makes of them afterwards is not recorded.

    Attributes:
        node: whose numbers they are.
        line: where.
        number: when, in the order of creation of nodes.
    """

    node: Node
    line: SourceLine | None
    number: int


class Recording(Watcher):
    """Gives each node a note."""

    def __init__(self) -> None:
        self.arrays: dict[int, tuple[Any, Node]] = {}  # those seen so far, by their identity
        self.reads: list[Read] = []

    def read(self, tensor: Tensor) -> None:
        self._leaves(self.source(tensor))

    def _leaves(self, node: Node) -> None:
        line = source_line()
        if not self.reads or self.reads[-1][:2] != (node, line):
            self.reads.append(Read(node, line, count()))

    def operation(self, node: Node, args: tuple, y: Any) -> None:
        sources = tuple([self.source(a) for a in args])
        held = [a for a in flat(args) if isinstance(a, (Tensor, np.ndarray))]
        names = [(self.source(a), name) for a, name in names_here(held)]
        node.note = Note(y, tuple(map(_held, args)), sources, source_line(), names)
        node.keeps_grad = node.requires_grad
        if not node.operation.rules:  # type: ignore[union-attr]
            node.note.y, node.note.array = unshared(y), y
            if node.box is None or not isinstance(node.box.owner, str):  # in no definition
                self._leaves(node)
        node.note.reads = self.reads
        self.arrays[id(y)] = y, node

    def source(self, a: Any) -> Any:
        """The node that an argument is; of a list, a list of these; None for what is no array."""
        if isinstance(a, Tensor):
            if a._node is None and self._seen(a._array):  # detached
                return self.arrays[id(a._array)][1]
            self.arrays.setdefault(id(a._array), (a._array, a.node))
            return a.node
        if isinstance(a, (list, tuple)):
            return [self.source(b) for b in a]
        held, node = self.arrays.get(id(a), (None, None))
        if held is not a or self._changed(node, a):
            node = None
            if isinstance(a, np.ndarray) and a.ndim:
                node = Node(a)
                node.note = Note(unshared(a), array=a)
                self.arrays[id(a)] = a, node
        return node

    def _seen(self, array: Any) -> bool:
        return self.arrays.get(id(array), (None,))[0] is array

    def _changed(self, node: Node | None, a: Any) -> bool:
        """Tell whether an array was changed in place since it was first seen."""
        return node is not None and node.note.y.tobytes() != a.tobytes()


def names_here(values: Iterable[Any]) -> list[tuple[Any, str]]:
    """List those of `values` that the user's innermost function has in a variable, with its name."""
    frame = next(user_frames(), None)
    wanted = {id(v): v for v in values}
    found: dict[int, str] = {}
    if frame is not None and wanted:
        for name, value in frame.f_locals.items():
            if id(value) in wanted and not name.startswith("_"):
                found.setdefault(id(value), name)
    return [(wanted[i], name) for i, name in found.items()]


def _held(a: Any) -> Any:
    """An argument with the arrays in Tensors, and copies of all others."""
    if isinstance(a, Tensor):
        return a._array
    return type(a)(map(_held, a)) if type(a) in (list, tuple) else unshared(a)


def flat(nested: Any) -> Iterator[Any]:
    """Everything in nested lists and tuples."""
    for one in nested:
        if isinstance(one, (list, tuple)):
            yield from flat(one)
        else:
            yield one
