"""Recording of operations: all their arguments, as nodes, and the line that asked for them.

Arrays become leaves when they are first used. The results of operations without a derivative
(comparisons, argmax, ...) are arrays whose operations are recorded too (see `engine.followed`). An array
is known by its memory: a view of all of it, as `np.asarray` gives, has the same numbers.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays.identity import memory_of
from ..engine.arguments import without_tensors
from ..engine.followed import bare, followed
from ..engine.modes import Box, Watcher, count, mode, setting
from ..engine.node import Node
from ..engine.saving import unshared
from ..engine.source import SourceLine, by_definition, pass_over, source_line
from ..engine.tensor import Tensor
from ..engine.walk import Contribution, Visit
from .variables import names_here

pass_over(__file__)


@contextlib.contextmanager
def recording() -> Iterator[Recording]:
    """Within it, all that `record()` keeps of operations is noted; it gives what notes it."""
    noted = Recording()
    try:
        with setting(watchers=(noted,)):
            yield noted
    finally:  # after an error too: nodes know the recording, which would keep them
        noted.arrays.clear()
        noted.same_numbers.clear()


class Recording(Watcher):
    """A recording: it gives each node a note.

    Attributes:
        arrays: those seen so far, by their memory, each with its node.
        same_numbers: arrays that have the numbers of a node, by their identity, each with that node.
        taken_out: each time that numbers left the graph.
        arguments: the nodes of the arrays and tensors that the recorded function was called with.
    """

    follows = True

    def __init__(self) -> None:
        self.arrays: dict[Any, tuple[Any, Node]] = {}
        self.same_numbers: dict[int, tuple[Any, Node]] = {}
        self.taken_out: list[TakenOut] = []
        self.arguments: set[Node | None] = set()

    def on_taken_out(self, a: Any) -> None:
        self._note_taken_out(self.node_of(a), without_tensors(a))

    def on_same_numbers(self, array: Any, other: Any) -> None:
        known = array, self.node_of(other)
        self.same_numbers[id(array)] = known
        self.arrays.setdefault(memory_of(array), known)

    def on_write(self, array: Any, node: Node | None) -> None:
        """Forget all arrays in this memory; `node`, if given, has its numbers now."""
        shared = lambda a: isinstance(a, np.ndarray) and np.may_share_memory(a, array)
        for table in (self.same_numbers, self.arrays):
            for key in [key for key, (a, _) in table.items() if shared(a)]:
                a, before = table.pop(key)
                self._note_taken_out(before, without_tensors(a))
        if node is not None:
            node.note.array = array
            self.arrays[memory_of(array)] = array, node

    def on_enter(self, box: Box, args: tuple, kwargs: dict[str, Any]) -> None:
        if not by_definition():
            numbers = [a for a in flat((*args, *kwargs.values())) if is_plain(a)]
            box.note = BoxNote(source_line(), [a for a in numbers if not self._is_result(a)])

    def _is_result(self, a: Any) -> bool:
        """Tell whether an operation made a plain array, so that it is followed."""
        node = self._node_seen(a)
        return node is not None and node.operation is not None

    def _note_taken_out(self, node: Node | None, value: Any, unseen: bool = False) -> None:
        line = source_line()
        last = self.taken_out[-1] if self.taken_out else None
        if node is None or (last and (last.node, last.line, last.unseen) == (node, line, unseen)):
            return
        self.taken_out.append(TakenOut(node, line, count(), value, by_definition(), unseen))

    def on_draw(self, array: Any, draw: Callable[[], Any]) -> None:
        node = self.node_of(array)
        if node is not None:
            node.note.origin, node.note.draw = "draw", draw

    def on_made(self, array: Any, sources: list[Tensor]) -> None:
        node = self.node_of(array)
        if node is not None:
            node.note.made_of = [tensor.node for tensor in sources]

    def on_operation(self, node: Node, args: tuple, y: Any) -> None:
        sources = tuple([self.node_of(a) for a in args])
        arrays = [a for a in flat(args) if isinstance(a, (Tensor, np.ndarray))]
        names = [(self.node_of(a), name) for a, name in names_here(arrays)]
        copies = tuple(map(_copied, args))
        node.note = Note(y, copies, sources, source_line(), names, inside=by_definition())
        node.keeps_grad = node.requires_grad
        node.note.recording = self
        if not node.operation.rules:  # type: ignore[union-attr]
            node.note.y, node.note.array = unshared(without_tensors(y)), y
            self._note_taken_out(node, node.note.y, unseen=True)
        self.arrays.setdefault(memory_of(y), (y, node))

    def node_of(self, a: Any) -> Any:
        """The node of an argument; for a list, a list of nodes; None for anything but an array."""
        if isinstance(a, Tensor):
            return self._of_tensor(a)
        if isinstance(a, (list, tuple)):
            return [self.node_of(b) for b in a]
        return self._of_array(a)

    def _of_tensor(self, tensor: Tensor) -> Node:
        """The node of a tensor; of one made of another's numbers meanwhile, the node of these.

        What was detached before has the very array of another tensor, and may get another one.
        """
        array, leaf = tensor._array, tensor._node
        is_constant = leaf is None or (leaf.operation is None and not leaf.requires_grad)
        if is_constant and id(array) in self.same_numbers:
            source = self.same_numbers[id(array)][1]
            if leaf is not None and source.operation is not None and not source.operation.rules:
                source.name = source.name or leaf.name  # no other tensor has this node
            return source
        if leaf is None:
            known = self.arrays.get(memory_of(array))
            if known is not None and known[0] is not array:
                return known[1]
        self.arrays.setdefault(memory_of(array), (array, tensor.node))
        return tensor.node

    def _of_array(self, a: Any) -> Node | None:
        """The node of an array: a new leaf, if it was not seen before, or was written to since."""
        known = self._node_seen(a)
        if known is not None:
            if not _changed(known, a):
                return known
            self.on_write(a, None)
        if not isinstance(a, np.ndarray) or not a.ndim:
            return None
        leaf = Node(a)
        leaf.note = Note(unshared(bare(a)), array=a, inside=by_definition())
        self.arrays[memory_of(a)] = a, leaf
        return leaf

    def _node_seen(self, a: Any) -> Node | None:
        """The node of an array that was seen before."""
        _, node = self.arrays.get(memory_of(a), (None, None))
        return node


# --- notes ----------------------------------------------------------------------------------------


@dataclasses.dataclass(eq=False, slots=True)
class Note:
    """The data of a node that `record()` keeps for the views.

    Attributes:
        y: the result; of a leaf that stands for an array, a copy of it.
        array: the array that the user's code holds, and may change: `y` is a copy of it then.
        args: the arguments, with all their arrays.
        sources: for each argument its node, or None; for a list, a list of these.
        line: the line of code that asked for the operation.
        names: (node, name) for arguments that a variable held just then.
        gradient: the gradient of the node in the last backward pass.
        contributions: the gradients that the node passed on there.
        inside: whether a definition of minigrad's asked for it, and not the user's own code.
        recording: the recording that keeps it.
        origin: of a leaf, "draw" or "".
        draw: of a draw, a function that draws again.
        made_of: of a leaf that other code made of the numbers of tensors, their nodes.
    """

    y: Any
    args: tuple = ()
    sources: tuple = ()
    line: SourceLine | None = None
    names: list[tuple[Node, str]] = dataclasses.field(default_factory=list)
    array: Any = None
    inside: bool = False
    gradient: Any = None
    contributions: Sequence[Contribution] = ()
    recording: Recording | None = None
    origin: str = ""
    draw: Callable[[], Any] | None = None
    made_of: Sequence[Node] = ()

    def on_visit(self, visit: Visit) -> None:
        """Keep the gradient of the node and what it passed on; `backward()` calls this."""
        self.gradient, self.contributions = visit.gradient, visit.contributions


class BoxNote(NamedTuple):
    """The call of a definition as a recording keeps it: its line, and the numbers and arrays it got."""

    line: SourceLine | None
    numbers: list[Any]


class TakenOut(NamedTuple):
    """Numbers that left the graph: by `item()`, an `if` ...; or that may have left it unseen.

    What Python or NumPy makes of them afterwards is not recorded.

    Attributes:
        node: whose numbers they are.
        line: the line of code that took them out.
        number: the time, in the order of creation of nodes.
        value: the numbers.
        inside: whether a definition of minigrad's took them out, to make its constants of them.
        unseen: whether it is a plain result. NumPy may make an array of one unseen, by
            `np.array([n, m])`, or by `a[0] = n`.
    """

    node: Node
    line: SourceLine | None
    number: int
    value: Any
    inside: bool
    unseen: bool


# --- arguments ------------------------------------------------------------------------------------


def as_arguments(values: Any) -> Any:
    """The arguments for a call of a function inside `record()`: arrays, also in lists, are followed.

    The graph of its result knows these arrays, and the Tensors, as arguments.
    """
    return mapped(values, _as_argument)


def _as_argument(value: Any) -> Any:
    watchers = mode.get().watchers
    if type(value) is np.ndarray and value.ndim:
        value = followed(value, watchers)
    for watcher in watchers if isinstance(value, (Tensor, np.ndarray)) else ():
        if isinstance(watcher, Recording):
            watcher.arguments.add(watcher.node_of(value))
    return value


def mapped(values: Any, function: Callable[[Any], Any]) -> Any:
    """Return nested lists, tuples and dicts with `function` of each value in them."""
    if hasattr(values, "_fields"):  # a named tuple
        return values._make([mapped(value, function) for value in values])
    if type(values) in (list, tuple):
        return type(values)([mapped(value, function) for value in values])
    if type(values) in (dict, OrderedDict):
        return type(values)([(k, mapped(value, function)) for k, value in values.items()])
    return function(values)


def _changed(node: Node, a: Any) -> bool:
    """Tell whether an array was changed in place since it was first seen. One that nobody can write to
    is its own note."""
    if node.note is None or np.may_share_memory(node.note.y, a):
        return False
    return node.note.y.tobytes() != np.asarray(a).tobytes()


def _copied(a: Any) -> Any:
    """An argument with the arrays in Tensors, and copies of all others."""
    if isinstance(a, Tensor):
        return a._array
    return type(a)(map(_copied, a)) if type(a) in (list, tuple) else unshared(bare(a))


def is_plain(a: Any) -> bool:
    """Tell whether `a` is a number or an array of Python's or NumPy's."""
    return isinstance(a, (int, float, np.ndarray, np.generic)) and type(a) is not bool


def flat(nested: Any) -> Iterator[Any]:
    """Everything in nested lists and tuples."""
    for one in nested:
        if isinstance(one, (list, tuple)):
            yield from flat(one)
        else:
            yield one
