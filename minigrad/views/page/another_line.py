"""The data with which a page reads another line: a tape of the forward pass alone.

The tape names arrays that the page has in any case, such as parameters, by their numbers. So another
line costs little more than the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...ran import capture
from ...ran.data import GraphData
from ...ran.loop import record
from ...ran.proof import number_of
from ...ran.recording import as_arguments
from ...script.page_functions import Unwritten
from ...script.script import Script
from ...script.tape import Tape
from .live import beginning, too_much
from .packing import Arrays
from .stages import Stage, places


class AnotherLine(NamedTuple):
    """Data with which a page lets a model read another line.

    Attributes:
        function: gives the results for the inputs, as Tensors: scores (1, T, N) first, then attention
            weights (1, H, T, S).
        inputs: arrays of ids, of the greatest lengths: (1, S), or (1, S) and (1, T).
        more: further keys, which `line_model.js` reads.
        stages: of the model, in order, for the picture from letters to a symbol.
    """

    function: Callable[..., Sequence[Any]]
    inputs: Sequence[np.ndarray]
    more: Mapping[str, Any]
    stages: Sequence[Stage] = ()


def another_line(another: AnotherLine, arrays: Arrays) -> dict[str, Any] | None:
    """The tape of `another` as data; None, if it is too much for a page.

    Raises:
        GraphError: if the graph cannot be computed again.
    """
    with record():
        results = list(another.function(*as_arguments(list(another.inputs))))
    graph, captured = capture.captured(GraphData, *results)
    tape = _forward_tape(graph)
    if tape is None or too_much(graph, tape):
        return None
    slots = tape.value_slots
    inputs = [number_of(ids, captured.number) for ids in another.inputs]
    return {
        **tape.packed(),
        **beginning(graph, tape, arrays),
        "inputs": [None if n is None else slots[n] for n in inputs],
        "results": [slots[number] for number in graph.roots],
        "stages": places(graph, another.stages, slots),
        **another.more,
    }


def _forward_tape(graph: GraphData) -> Tape | None:
    """The tape of a graph without a way back; None if a page cannot hold one of its arrays."""
    tape = Tape()
    try:
        with np.errstate(all="ignore"):
            script = Script(graph)
            for node in graph.nodes:
                tape.value_slots[node.number] = tape.slot(script.values[node.number])
    except Unwritten:
        return None
    return tape
