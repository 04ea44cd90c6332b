"""Stages of a model: parts that each add something to the vectors of all symbols.

A model says which of its modules are stages. Where their numbers are is found in the graph: what a
module gives is the last operation in its box, and its attention weights are those inside that box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...ran.data import GraphData
from . import attention, switches


class Stage(NamedTuple):
    """A module that adds something to the vector of each symbol.

    Attributes:
        path: of the module.
        name: of its kind, such as "self-attention".
        about: what it is for, in words of the task.
        layer: the number of its layer, from 1.
        side: whose vectors it adds to: "source" or "target".
        reads: for an attention, the side at which it looks; else None.
    """

    path: str
    name: str
    about: str
    layer: int
    side: str
    reads: str | None


def places(
    graph: GraphData, stages: Sequence[Stage], slots: Mapping[int, int]
) -> list[dict[str, Any]]:
    """Each stage as data, with the slots of its result, `out`, and of its attention `weights`, or None.

    A stage that the graph does not have is left out; so is an attention whose weights are not found.
    """
    boxes = {box.path: box for box in graph.boxes if box.kind == "module"}
    weights = [found.weights for found in attention.attentions(graph)]
    made = []
    for stage in stages:
        inside = switches.members(graph, boxes[stage.path]) if stage.path in boxes else set()
        own = next((n for n in weights if n in inside), None)
        if not inside or (own is None and stage.reads is not None):
            continue
        out = slots[max(inside)]
        made.append(stage._asdict() | {"out": out, "weights": None if own is None else slots[own]})
    return made
