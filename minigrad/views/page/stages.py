"""Stages of a model: modules that make the vectors of all symbols, add to them, or use them at the end.

A model names its stages. Their numbers are found in the graph: the result of a module is the last
operation in its box, and its attention weights are inside that box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...ran.data import GraphBox, GraphData
from . import attention, switches


class Stage(NamedTuple):
    """A module that makes the vector of each symbol, adds to it, or uses it at the end.

    Attributes:
        path: of the module. A module that runs for both sides is a stage of each, in this order.
        name: of its kind, such as "self-attention".
        about: its purpose, in words of the task.
        layer: the number of its layer, from 1; None, if it is in no layer.
        side: the side of the vectors: "source" or "target".
        reads: for an attention, the side that it looks at; else None.
        cut: sentences on a cut of it; None, if it cannot be cut.
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

    A stage that is not in the graph is left out, and so is an attention without weights.
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
