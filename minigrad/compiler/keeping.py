"""The memory of a program, as a table and a picture: results kept for the way back, and until when."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..engine.source import SourceLine
from ..ran.data import GraphData, GraphNode
from ..script.symbols import Line
from ..views.plots.memory import bytes_in_use
from .lowered_script import LoweredScript
from .memory import MemoryPlan

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class KeptResult(NamedTuple):
    """A result that the way back reads.

    Attributes:
        module: the path of the module or definition that computed it, "" outside of any.
        line: the line of code that did.
        shape, nbytes: the shape and the bytes of the array.
        until: the path of the module or definition whose way back uses it last.
    """

    module: str
    line: SourceLine | None
    shape: tuple[int, ...]
    nbytes: int
    until: str


@dataclasses.dataclass(frozen=True, repr=False)
class MemoryUse:
    """The memory that a program keeps, and the size of all its buffers. Printed, it is a table.

    Attributes:
        kept: each result that is kept between the two ways, in the order of the way forward.
        peak: the bytes of all buffers: the most that results take at any time, for all runs.
        alone: the bytes that they would take without sharing.
        in_use: the bytes that are needed while each line runs, of the way forward and then of the way
            back.
        forward: the number of lines of the way forward.
    """

    kept: tuple[KeptResult, ...]
    peak: int
    alone: int
    in_use: tuple[int, ...]
    forward: int

    def draw(self, *, ax: Any = None) -> Figure:
        """Draw the bytes in use while each line runs, up to the way back and along it, on matplotlib.

        Args:
            ax: where to draw; default: a new figure.

        Raises:
            ImportError: without matplotlib.
        """
        return bytes_in_use(self, ax)

    def __str__(self) -> str:
        rows = [("module", "line", "shape", "bytes", "until back through")]
        rows += [
            (k.module, k.line.place if k.line else "", str(k.shape), f"{k.nbytes:,}", k.until)
            for k in self.kept
        ]
        rows.append(("all that is kept", "", "", f"{sum(k.nbytes for k in self.kept):,}", ""))
        rows.append(("all buffers", "", "", f"{self.peak:,}", ""))
        rows.append(("without sharing", "", "", f"{self.alone:,}", ""))
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join(
            "  ".join(
                text.rjust(w) if i == 3 else text.ljust(w)
                for i, (text, w) in enumerate(zip(row, widths))
            ).rstrip()
            for row in rows
        )

    __repr__ = __str__


def memory_use(script: LoweredScript, memory: MemoryPlan) -> MemoryUse:
    """Return the memory that a program keeps and uses, in bytes."""
    lines = script.lines
    alone = sum(_nbytes(line.value) for line in lines if not memory.is_view(line))
    peak = sum(dtype.itemsize * count for dtype, count in memory.buffers)
    kept = tuple(_kept(script, memory))
    return MemoryUse(kept, peak, alone, _in_use(len(lines), memory), script.forward)


def _in_use(count: int, memory: MemoryPlan) -> tuple[int, ...]:
    """The bytes of the results that are needed while each of `count` lines runs."""
    changes = np.zeros(count + 1, dtype=np.int64)
    for storage in {id(s): s for s in memory.storage.values()}.values():
        changes[storage.first] += storage.like.nbytes
        changes[min(storage.last + 1, count)] -= storage.like.nbytes
    return tuple(np.cumsum(changes[:-1]).tolist())


def _kept(script: LoweredScript, memory: MemoryPlan) -> Iterator[KeptResult]:
    """The results of the way forward that the way back reads."""
    graph, lines, forward = script.graph, script.lines, script.forward
    for line in lines[:forward]:
        last = memory.last[id(line)]
        if not memory.is_view(line) and forward <= last < len(lines):
            node = _node(graph, line)
            yield KeptResult(
                module=_path(graph, node),
                line=node.line if node is not None else None,
                shape=getattr(line.value, "shape", ()),
                nbytes=_nbytes(line.value),
                until=_path(graph, _node(graph, lines[last])),
            )


def _nbytes(value: Any) -> int:
    """The bytes of a result: an array, or the factors of a matrix."""
    return sum(map(_nbytes, value)) if isinstance(value, tuple) else np.asarray(value).nbytes


def _node(graph: GraphData, line: Line) -> GraphNode | None:
    """The node whose function or rule a line is of."""
    number = line.role.maker if line.role is not None else None
    return None if number is None else graph[number]


def _path(graph: GraphData, node: GraphNode | None) -> str:
    """The path of the box that a node is in; "" outside of all boxes."""
    if node is None or node.box is None:
        return ""
    box = graph.box(node.box)
    return box.path or box.title
