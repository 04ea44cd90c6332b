"""The recording of a call that is compiled.

It also notes the tensors and the draws that later calls read anew, and refuses effects that a program
would leave out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.modes import Box, count
from ..engine.node import Node
from ..engine.source import SourceLine, by_definition, source_line
from ..engine.tensor import Array, Tensor
from ..errors import GraphError
from ..nn import Module
from ..ran.recording import Recording, TakenOut, flat
from ..random import Draw


class CallRecording(Recording):
    """A recording that also keeps what later calls need.

    Attributes:
        older_arrays: the arrays that were there before the call.
        start: the number of nodes that were there before the call.
        tensors: the tensors that it reads, by their nodes.
        draws: the nodes of random arrays, and how each is drawn, in order.
        modules: the modules that were called.
        used: the nodes that were arguments of an operation.
        taken_out_at: the first line of the user's that took numbers out of the graph.
    """

    def __init__(self, older_arrays: Iterable[Any]) -> None:
        super().__init__()
        self.older_arrays = [a for a in older_arrays if isinstance(a, np.ndarray)]
        self.start = count()
        self.tensors: dict[Node, Tensor] = {}
        self.draws: list[tuple[Node, Draw]] = []
        self.modules: dict[Module, None] = {}
        self.used: set[Node] = set()
        self.taken_out_at: SourceLine | None = None

    def node_of(self, a: Any) -> Any:
        node = super().node_of(a)
        if isinstance(a, Tensor) and (node.operation is None or node.number < self.start):
            self.tensors.setdefault(node, a)
            of_another = self.same_numbers.get(id(a._array), (None, node))[1] is not node
            if of_another:  # a leaf with the numbers of another tensor
                self.taken_out_at = self.taken_out_at or source_line()
        return node

    def on_enter(self, box: Box, args: tuple, kwargs: dict[str, Any]) -> None:
        super().on_enter(box, args, kwargs)
        if isinstance(box.owner, Module):
            self.modules[box.owner] = None

    def on_operation(self, node: Node, args: tuple, y: Array) -> None:
        super().on_operation(node, args, y)
        self.used.update(n for n in flat(node.note.sources) if isinstance(n, Node))
        if self.node_of(y) is not node:  # a view of all of an array
            self.used.add(node)

    def on_draw(self, array: np.ndarray, draw: Draw) -> None:
        if not np.ndim(array):
            raise GraphError(
                f"a compiled function draws a number, {array}, which would be that of its first call "
                f"forever: draw an array with one element, as in drawn(lambda rng: rng.random(1))"
            )
        super().on_draw(array, draw)
        self.draws.append((self.node_of(array), draw))

    def on_taken_out(self, a: Array) -> None:
        super().on_taken_out(a)
        if self.taken_out_at is None and not by_definition():
            self.taken_out_at = source_line()

    def on_write(self, array: Any, node: Node | None) -> None:
        super().on_write(array, node)
        if any(np.may_share_memory(array, a) for a in self.older_arrays):
            self.on_effect("writes into an array that was there before")

    def on_effect(self, action: str, node: Node | None = None) -> None:
        if node is not None and node.number > self.start:  # the call made it
            return
        raise GraphError(
            f"a compiled function {action}, at {source_line()}: its program computes the result alone, "
            f"and would leave that out. Do it outside of the function, or call it without mg.compile"
        )

    def unused(self, leaves: Iterable[Node]) -> list[TakenOut]:
        """The plain results that no operation was given.

        NumPy may have made an array of one, unseen. Only an array that is one of `leaves` counts.
        """
        arrays = (n for n in leaves if n.note is not None and n.note.array is not None)
        constants = (n.number for n in arrays if n not in self.arguments and not n.note.origin)
        last = max(constants, default=0)
        early = [t for t in self.taken_out if t.unseen and not t.inside and t.number < last]
        return [t for t in early if t.node not in self.used]

    def forget(self) -> None:
        """Forget all nodes: these lead to the recording, too, and would keep each other alive."""
        by_node: list[Any] = [self.tensors, self.draws, self.used, self.arguments]
        for table in (*by_node, self.arrays, self.same_numbers, self.taken_out, self.modules):
            table.clear()
