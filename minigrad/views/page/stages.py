"""Stages of a model: parts that make the vectors of all symbols, add to them, or end with them.

A model says which of its modules are stages. Where their numbers are is found in the graph: what a
module gives is the last operation in its box, and its attention weights are those inside that box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...ran.data import GraphBox, GraphData
from . import attention, switches


class Stage(NamedTuple):
    """A module that makes the vector of each symbol, adds something to it, or ends with it.

    Attributes:
        path: of the module; one that runs for both sides is a stage of each, in this order.
        name: of its kind, such as "self-attention".
        about: what it is for, in words of the task.
        layer: the number of its layer, from 1; None for what is in none.
        side: whose vectors these are: "source" or "target".
        reads: for an attention, the side at which it looks; else None.
        cut: what there is to know of a cut of it, in sentences; None where it would say nothing.
    """

    path: str
    name: str
    about: str
    layer: int | None
    side: str
    reads: str | None
    cut: str | None = ""


def places(
    graph: GraphData, stages: Sequence[Stage], slots: Mapping[int, int]
) -> list[dict[str, Any]]:
    """Each stage as data, with the slots of its result, `out`, and of its attention `weights`, or None.

    A stage that the graph does not have is left out; so is an attention whose weights are not found.
    """
    runs: dict[str, list[GraphBox]] = {}  # of each module, in order
    for box in graph.boxes:
        if box.kind == "module":
            runs.setdefault(box.path, []).append(box)
    weights = [one.weights for one in attention.attentions(graph)]
    data = []
    for stage in stages:
        boxes = runs.get(stage.path)
        inside = switches.members(graph, boxes.pop(0)) if boxes else set()
        own = next((n for n in weights if n in inside), None)
        if not inside or (own is None and stage.reads is not None):
            continue
        out = slots[max(inside)]
        data.append(stage._asdict() | {"out": out, "weights": None if own is None else slots[own]})
    return data
