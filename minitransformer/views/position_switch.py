"""The switch of a page that takes the positions away: only a transformer has it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from minigrad.ran.data import GraphData
from minigrad.views.page.switches import Bypass, argument, boxes, members, switch, through


@switch("positions", "a model that sees its symbols as a set, in no order")
def positions(graph: GraphData) -> Iterator[Bypass]:
    """embedding + positions: the embedding; rotary(x): x."""
    looked_up = {n for box in boxes(graph, {"embedding"}) for n in members(graph, box)}
    for node in graph.nodes:
        if node.function is not np.add:
            continue
        x, table = argument(node, 0), argument(node, 1)
        if x is None or table is None:
            continue
        embedded = x in looked_up or any(e.source in looked_up for e in graph.arguments(x))
        if embedded and (graph[table].kind == "data" or table in looked_up):
            yield node.number, x
    yield from through(graph, {"rotary"})
