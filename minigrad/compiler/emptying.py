"""Arrays emptied while a program is made: the program needs only their shapes, strides and views.

A script computes each of its lines, and keeps their arrays. The rules of the way back read these from
the newest to the oldest, as `backward()` does. The program that is made of the script needs no numbers
that differ from run to run. So an array is emptied as soon as no rule reads it any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..arrays.identity import owner_of
from ..engine.names import is_numpys
from ..script.operators import BY_FUNCTION
from ..script.script import Script
from ..script.symbols import Line, Symbol
from . import heap
from .lowering import varies

LARGE_BYTES = 1 << 16  # of an array that is emptied


def walk_back(script: Script, root: int, inputs: Sequence[Symbol]) -> None:
    """Write the way back from node `root`; empty the arrays that no rule of an older node reads.

    Args:
        inputs: the symbols of the arrays that each run is given.
    """
    vary = ids(inputs)
    forward = own_lines(script.lines, vary)
    nodes = _nodes(script.lines)
    count = len(script.lines)
    unread: list[Line] = []  # lines whose arrays no rule reads, but perhaps a view of them
    gradients: dict[int, np.ndarray] = {}  # the sums so far of nodes that are not yet walked
    for node, edges in script.back.walk({root: np.ones_like(script.values[root].value)}):
        vary.add(id(script.back.gradients[node.number]))
        unread += own_lines(script.lines[count:], vary)
        count = len(script.lines)
        while forward and nodes[id(forward[-1])] >= node.number:
            unread.append(forward.pop())
        gradients.pop(node.number, None)
        gradients.update((e.source, script.back.passed[e].after.value) for e in edges)
        read = {id(owner_of(array)) for array in gradients.values()}
        empty_all([line for line in unread if id(line.value) not in read])
        unread = [line for line in unread if id(line.value) in read]


def _nodes(lines: Sequence[Line]) -> dict[int, int]:
    """For each line, by its id, the number of the node whose value it computes, or a part of it."""
    nodes: dict[int, int] = {}
    number = -1  # of none
    for line in reversed(lines):  # the parts of a line stand before it
        if line.role is not None and line.role.node is not None:
            number = line.role.node
        nodes[id(line)] = number
    return nodes


def own_lines(lines: Sequence[Line], vary: set[int]) -> list[Line]:
    """The lines that differ from run to run, and whose arrays are large, of floats, and their own.

    `vary` has the ids of symbols that differ from run to run. The ids of lines that do are added to it.
    """
    own = []
    for line in lines:
        if varies(line, vary):
            vary.add(id(line))
            if _is_own(line):
                own.append(line)
    return own


def _is_own(line: Line) -> bool:
    """Tell whether a line made its array, and nobody else keeps it: NumPy's functions keep none."""
    array, call = line.value, line.call
    if not isinstance(array, np.ndarray) or array.nbytes < LARGE_BYTES or array.dtype.kind != "f":
        return False
    if not (is_numpys(call.function) or call.function in BY_FUNCTION):
        return False
    return array.base is None and all(array is not part.value for part in line.parts)


def empty_all(lines: Iterable[Line]) -> None:
    """Give back the memory of the arrays of lines."""
    for line in lines:
        heap.empty(line.value)


def ids(symbols: Iterable[Symbol]) -> set[int]:
    return {id(symbol) for symbol in symbols}
