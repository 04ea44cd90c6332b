"""A recorded computation as lowered lines: forward, and perhaps back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..ran.data import GraphData
from ..script.arrays import stand_in
from ..script.script import Script
from ..script.symbols import Line, Shape, Symbol
from .emptying import empty_all, ids, own_lines, walk_back
from .layouts import laid_out
from .lowering import lowered, once
from .rewritings import rewrite


class LoweredScript(NamedTuple):
    """Lowered lines, with their inputs and outputs.

    Attributes:
        graph: the graph that they compute.
        lines: the calls; the first `forward` of them compute the result.
        forward: the number of these lines.
        inputs: the symbols of the arguments, tensors and draws that each run is given.
        start: the gradient that the way back starts from; None without a way back.
        ends: the result, and then the gradients of the parents.
        parents: the places of the parents in `inputs`.
        notes: the comment on a line, by its id.
    """

    graph: GraphData
    lines: list[Line]
    forward: int
    inputs: list[Symbol]
    start: Symbol | None
    ends: list[Symbol]
    parents: list[int]
    notes: Mapping[int, str]


def lowered_script(
    graph: GraphData, numbers: Sequence[int], grad: bool, exact: bool
) -> LoweredScript:
    """Write the lines that compute the root of `graph`, and lower and rewrite them.

    Args:
        numbers: the numbers of the nodes that each run is given.
        grad: whether to write the way back.
        exact: whether the bits are to be those of the function itself, but for the sign of a zero.
    """
    (root,) = graph.roots
    script = Script(graph)
    inputs = [script.values[n] for n in numbers]
    start, ends, parents = None, [script.values[root]], []
    if grad and graph[root].state != "needs none":
        walk_back(script, root, inputs)
        start = script.back.gradients[root]
        parents = [i for i, n in enumerate(numbers) if n in script.back.gradients]
        ends += [script.back.gradients[numbers[i]] for i in parents]
    varying = inputs if start is None else [*inputs, start]
    empty_all(own_lines(script.lines, ids(varying)))
    lines, ends = lowered(script.lines, ends, varying)
    empty_all(own_lines(lines, ids(varying)))
    lines, ends, notes = rewrite(lines, ends, exact)
    lines, ends = once(lines, ends, varying)
    if not exact:
        lines, ends = laid_out(lines, ends)
    forward = max([k + 1 for k, line in enumerate(lines) if line is ends[0]], default=0)
    return LoweredScript(graph, lines, forward, inputs, start, ends, parents, notes)


def without_arrays(script: LoweredScript) -> None:
    """Forget the arrays of a script whose program is written: only shapes and dtypes are needed now."""
    for symbol in (*script.lines, *script.inputs):
        if isinstance(symbol.value, np.ndarray):
            symbol.value = stand_in(symbol.value.shape, symbol.value.dtype)
        if isinstance(symbol, Line):
            symbol.call = symbol.call._replace(args=_without_symbols(symbol.call.args))
    for node in script.graph.nodes:
        node.value = None


def _without_symbols(args: tuple) -> tuple:
    """Arguments with plain tuples in place of a `Shape`, which keeps its symbol alive."""
    return tuple([tuple(a) if isinstance(a, Shape) else a for a in args])
