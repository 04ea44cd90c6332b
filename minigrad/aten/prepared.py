"""Data that were made inside the block: shown as data, without the many operations that made them."""

from __future__ import annotations

import numpy as np

from ..engine.node import Node
from ..engine.tensor import Tensor, tensor_of
from ..ran.module_paths import innermost_module
from ..ran.reached import Reached, edges_of

MOST = 50  # operations before the first that learns, or is a model's: as many are shown


def made_data(losses: list[Tensor]) -> tuple[list[Tensor], str]:
    """Have what many operations made, before any that learns, be leaves; return these, and a sentence.

    A loader makes a batch of its rows, one by one. That leads to no parameter, and a NaN has come from
    there only where one is left in what was made.
    """
    reached = Reached(losses)
    learns = [n for n in reached.calls if n.requires_grad or _in_module(n)]
    first = min((n.number for n in learns), default=0)
    early = {n for n in reached.calls if n.number < first}
    uses = [
        edge.to for n, call in reached.calls.items() if n not in early for edge in edges_of(call)
    ]
    results = [n for n in dict.fromkeys(uses) if n in early]
    finite = all(np.isfinite(reached.values[n]).all() for n in results if n in reached.values)
    if len(early) <= MOST or not finite or any(n.note is None for n in results):
        return [], ""
    for node in results:
        node.operation, node.saved, node.kwargs, node.keeps_grad = None, None, {}, True
        node.box, node.note.args, node.note.sources = None, (), ()
    names = {node: name for n in reached.calls for node, name in n.note.names}
    of = ", ".join(names.get(n, f"data of shape {n.shape}") for n in results)
    sentence = (
        f"{len(early):,} operations that made {of} are left out, as nothing learns there: make the data "
        f"before the block"
    )
    return [tensor_of(reached.values[n], n) for n in results if n in reached.values], sentence


def _in_module(node: Node) -> bool:
    """Tell whether an operation ran in the call of a module."""
    return innermost_module(node.box) is not None
