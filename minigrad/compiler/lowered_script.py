"""A recorded computation as lowered lines: forward, and the way back where one is wanted."""

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
        forward: how many these are.
        given: the symbols that each run is given: arguments, tensors, draws.
        start: the gradient that the way back starts from; None without one.
        ends: the result, and then the gradients.
        parents: the places in `given` of the parents, whose gradients these are.
        notes: the comment on a line, by the id of its symbol.
    """

    graph: GraphData
    lines: list[Line]
    forward: int
    given: list[Symbol]
    start: Symbol | None
    ends: list[Symbol]
    parents: list[int]
    notes: Mapping[int, str]


def lowered_script(
    graph: GraphData, numbers: Sequence[int], grad: bool, exact: bool
) -> LoweredScript:
    """Write the lines that compute the root of `graph`, and lower and rewrite them.

    Args:
        numbers: of the nodes that each run is given.
        grad: whether a way back is wanted.
        exact: whether the bits are to be those of the function itself, but for the sign of a zero.
    """
    (root,) = graph.roots
    script = Script(graph)
    given, start = [script.values[n] for n in numbers], None
    ends, parents = [script.values[root]], []
    if grad and graph[root].state != "needs none":
        walk_back(script, root, given)
        start = script.back.gradients[root]
        parents = [i for i, n in enumerate(numbers) if n in script.back.gradients]
        ends += [script.back.gradients[numbers[i]] for i in parents]
    varying = given if start is None else [*given, start]
    empty_all(own_lines(script.lines, ids(varying)))
    lines, ends = lowered(script.lines, ends, varying)
    empty_all(own_lines(lines, ids(varying)))
    lines, ends, notes = rewrite(lines, ends, exact)
    lines, ends = once(lines, ends, varying)
    if not exact:
        lines, ends = laid_out(lines, ends)
    forward = max([k + 1 for k, line in enumerate(lines) if line is ends[0]], default=0)
    return LoweredScript(graph, lines, forward, given, start, ends, parents, notes)


def without_arrays(script: LoweredScript) -> None:
    """Forget the arrays of a script whose program is written: only shapes and dtypes are needed now."""
    for symbol in (*script.lines, *script.given):
        if isinstance(symbol.value, np.ndarray):
            symbol.value = stand_in(symbol.value.shape, symbol.value.dtype)
        if isinstance(symbol, Line):
            symbol.call = symbol.call._replace(args=_without_symbols(symbol.call.args))
    for node in script.graph.nodes:
        node.value = None


def _without_symbols(args: tuple) -> tuple:
    """Arguments with plain tuples in place of a `Shape`, which keeps its symbol alive."""
    return tuple([tuple(a) if isinstance(a, Shape) else a for a in args])
