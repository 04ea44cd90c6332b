"""The diagnosis: each finder in its turn, most urgent first."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from ... import errors
from ...aten.for_diagnosis import first_to_look_at, without_gradient
from ...aten.watched import Watched
from ...engine.errors import described
from ...engine.tensor import Tensor
from ..graph import Graph, graph_with_gradients
from ..graph import graph as graph_of
from ..page import explore
from .finite import not_finite
from .long_steps import keeps_gradients, long_steps
from .mistakes import another_axis, pairs, softmax_twice
from .on_the_way import along_the_way
from .pytorchs import of_pytorchs
from .remedies import GENERAL
from .trouble import Trouble, Troubles
from .zero import Cuts, Ends, zero


def diagnose(loss: Tensor | Watched, page: str | os.PathLike | bool = False) -> Troubles:
    """Find what is wrong with the numbers of a computation, forward and back.

    Compute the loss inside `with mg.record():`, so that all values are known; or give what
    `mg.pytorch()` gave. If `backward()` was not called, the gradients are computed, and forgotten.

    Args:
        page: the path of a page to be written, as by `explore`, which opens at the step of the first
            trouble; True: it is shown at once.

    Raises:
        ArgumentError: if it is neither a Tensor nor watched.
        GraphError: if it was not recorded; or requires no gradient, and a page is wanted; or the loss
            was not computed in the block.
    """
    expected: dict[str, list[Tensor]] = {}
    cuts: Cuts = lambda value: None
    ends: Ends = dict
    walked = None  # the backward pass that is looked at
    shown = loss
    when = ""
    watched = loss if isinstance(loss, Watched) else None
    if watched is not None:
        loss = watched.loss
        expected, cuts, ends = (
            without_gradient(watched),
            watched.calls.ends.line_of_detach,
            watched.calls.ends.of_leaves,
        )
        first, calls = first_to_look_at(watched), len(watched.backwards)
        if not watched.backwards and loss.requires_grad and loss.size != 1:
            raise errors.GraphError(
                f"the last result in the block has the shape {loss.shape}, and is no loss: compute the "
                f"loss inside the block{watched.problem}"
            )
        walked = None if first is None else watched.backwards[first]
        if first is not None and first < calls - 1:  # the way there, not what became of it
            shown = loss = watched.at(first)
            when = f", in backward() number {first + 1} of {calls}"
    if not isinstance(loss, Tensor):
        raise errors.ArgumentError(
            f"diagnose() takes a loss, or what mg.pytorch() gave, not {described(loss)}"
        )
    with np.errstate(all="ignore"):
        unknown = "" if walked is None else walked.problem
        learns = loss.requires_grad and not unknown
        graph = graph_with_gradients(loss) if learns else graph_of(loss)
        if not graph.recorded:
            raise errors.GraphError(
                "its values were not kept: compute it inside `with mg.record():`"
            )
        found = [*not_finite(graph, gradients=walked is None or not walked.finite)]
        if unknown and not found:
            root = graph[graph.roots[0]]
            found = [
                Trouble(
                    "not computed", unknown, root.line, (), GENERAL["not computed"], root.number
                )
            ]
        elif not found:
            theirs = [] if watched is None else [*of_pytorchs(graph, watched, first)]
            told = {t.line for t in theirs}
            stopped = zero(graph, expected, loss.requires_grad, cuts, ends)
            way = () if any(t.kind == "underflows" for t in theirs) else along_the_way(graph)
            late = (*way, *softmax_twice(graph), *another_axis(graph), *pairs(graph))
            found = [*theirs, *(t for t in stopped if t.line not in told), *late]
    found = [replace(t, what=t.what + when, module=_module(graph, t)) for t in found]
    kept = () if watched is None else keeps_gradients(graph, watched)
    if kept:
        found = [*kept, *found]
    elif watched is not None and first is not None:
        at = 1 if found and found[0].kind in ("not finite", "data") else 0
        found[at:at] = [*long_steps(graph, watched, first)]
    if any(t.kind == "another gradient" for t in found):
        shown = loss  # with our gradients: a page of what was watched has PyTorch's
    if page:
        step = _step(graph, found[0]) if found else 0
        with np.errstate(all="ignore"):
            explore(shown, None if page is True else page, step=step)
    troubles = Troubles(found)
    troubles.notes = () if watched is None else (*watched.calls.values.counterparts.not_run,)
    return troubles


def _module(graph: Graph, trouble: Trouble) -> str:
    """The path of the innermost module in which a trouble happens; of the result's none is told."""
    number = None if trouble.node == graph.roots[0] else graph[trouble.node].box
    while number is not None and graph.box(number).kind != "module":
        number = graph.box(number).parent
    return "" if number is None else graph.box(number).path


def _step(graph: Graph, trouble: Trouble) -> int:
    """The step of a page at which a trouble happens; of a leaf, that of the first that uses it."""
    computed = [n.number for n in graph.nodes if n.kind == "operation"]
    if trouble.back:
        back = [n.number for n, _ in graph.way_back]
        return len(computed) + back.index(trouble.node) + 1 if trouble.node in back else 0
    at = trouble.node if trouble.node in computed else min(graph.users(trouble.node), default=-1)
    return computed.index(at) + 1 if at in computed else 0
