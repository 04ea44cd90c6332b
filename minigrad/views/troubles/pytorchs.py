"""Gradients of PyTorch's that are others than those of what was computed, and a NaN beside the loss."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...arrays.identity import memory_of
from ...aten.watched import Watched
from ...engine.source import SourceLine
from ...engine.tensor import Tensor
from ...ran.data import GraphNode
from ..graph import Graph
from ..graph import graph as graph_of
from .finite import origin
from .remedies import GENERAL
from .trouble import Trouble
from .wording import called, inputs_of, listed

if TYPE_CHECKING:
    from ...aten.gradients import AnotherGradient
    from ...aten.own_backward import OwnBackward


TWICE = "backward through the graph a second time"


def of_pytorchs(graph: Graph, watched: Watched, place: int | None) -> Iterator[Trouble]:
    """The troubles in PyTorch alone: with gradients of the `backward()` at a place, or elsewhere."""
    others = None if place is None else watched.backwards[place].others
    if others and others.overflows:
        yield _overflow(graph, watched, others.overflows[0])
    root = graph[graph.roots[0]]
    if watched.passes.raised:
        what = f"the last backward() raised {watched.passes.raised}, and gave no gradient"
        remedy = GENERAL["carried" if TWICE in watched.passes.raised else "raised"]
        yield Trouble("cut off", what, root.line, (), remedy, root.number, back=True)
    stale = (history.stale for history in watched.passes.histories.values() if history.stale)
    for sentence in itertools.islice(stale, 1):
        yield Trouble(
            "not finite", sentence, root.line, (), GENERAL["stale"], root.number, back=True
        )
    for function in watched.passes.wrong_functions():
        if not reverses(function):
            yield _own_backward(graph, function)
    if others and others.wrong:
        yield _another_gradient(graph, watched, others.wrong)
    if others and others.underflows:
        more = len(others.underflows) - 1
        what = others.underflows[0] + (f"; and {more} more" if more else "")
        remedy = GENERAL["underflows"]
        yield Trouble("underflows", what, root.line, (), remedy, root.number, back=True)
    outside = (_outside(graph, watched, name, tensor) for name, tensor in watched.nan)
    yield from itertools.islice(filter(None, outside), 1)


def _hooks(watched: Watched) -> tuple[list[str], SourceLine | None]:
    """The hooks that may have changed a gradient, in words, and the line of the first that has one."""
    hooks = dict(watched.calls.hooks.seen.values())
    return [*hooks], next((line for line in hooks.values() if line is not None), None)


def _overflow(graph: Graph, watched: Watched, sentence: str) -> Trouble:
    """A gradient that is not finite in PyTorch, and is in the graph, as is said."""
    root, half, (hooks, line) = graph[graph.roots[0]], watched.calls.observed.half, _hooks(watched)
    remedies = [GENERAL["hook"]] * bool(hooks) + [GENERAL["overflows"]] * half
    return Trouble(
        "not finite", sentence + (", in 32 bits" if half else ""), line or root.line,
        tuple(hooks), "; or ".join(remedies) or GENERAL["another"], root.number, back=True,
    )  # fmt: skip


def reverses(function: OwnBackward) -> bool:
    """Tell whether a function gives what came in, and back the gradient times a number below 0. It is
    meant where two parts of a model learn against each other."""
    inputs = [(k, x) for k, x in enumerate(function.inputs) if x is not None]
    if len(inputs) != 1 or len(function.outputs) != 1:
        return False
    (place, x), y, walk = inputs[0], function.outputs[0], function.walks[-1]
    arrived, passed = walk.for_outputs[0], walk.for_inputs[place]
    if y is None or arrived is None or passed is None or not np.array_equal(x._array, y._array):
        return False
    factor = np.sum(passed * arrived) / np.sum(arrived * arrived)
    return bool(factor < 0 and np.allclose(passed, factor * arrived))


def _own_backward(graph: Graph, function: OwnBackward) -> Trouble:
    """A function whose own `backward()` may be a mistake."""
    root = graph[graph.roots[0]]
    made = next((n for n in graph.nodes if n.operation == function.name), root)
    return Trouble(
        "own backward", function.difference, function.line, inputs_of(graph, made),
        GENERAL["own backward"], made.number, back=True,
    )  # fmt: skip


def _another_gradient(graph: Graph, watched: Watched, wrong: list[AnotherGradient]) -> Trouble:
    """Gradients of PyTorch's that are others."""
    node = _where_it_turns(graph, [leaf for gradient in wrong for leaf in gradient.leaves])
    hooks, line = _hooks(watched)
    names, how = listed([gradient.name for gradient in wrong]), wrong[0].how
    what = f"PyTorch's gradient of {names} is another than that of what was computed: {how}"
    numbers = (*hooks, f"the last that may be right is that of {called(node)}")
    remedy = GENERAL["hook" if hooks else "another"]
    line = line or graph.line_of(node.number)
    return Trouble("another gradient", what, line, numbers, remedy, node.number, back=True)


def _outside(graph: Graph, watched: Watched, name: str, tensor: Tensor) -> Trouble | None:
    """A NaN that a tensor has at the end of the block, if the tensor is not in the graph."""
    if memory_of(tensor._array) in {memory_of(n.value) for n in graph.nodes}:
        return None
    outside = graph_of(tensor)
    first = origin(outside, outside[outside.roots[0]])
    reason = watched.calls.values.reasons.get(tensor, "")
    how = reason if first.kind == "data" else first.what
    what = f"{name} has a NaN at the end of the block, which did not reach the loss"
    numbers = (*filter(None, [how]), *first.numbers)
    return Trouble("outside", what, first.line, numbers, GENERAL["outside"], graph.roots[0])


def _where_it_turns(graph: Graph, wrong: list[Tensor]) -> GraphNode:
    """The newest node that all wrong gradients came through, and no right one; or a leaf.

    With `b = f(w, v)`, `loss = g(b, u)`, and wrong gradients at w and v alone, it is b.
    """
    there = {memory_of(leaf._array) for leaf in wrong}
    leaves: dict[int, set[int]] = {
        n.number: {n.number} for n in graph.nodes if not n.operation and n.state != "needs none"
    }
    bad = {n for n in leaves if memory_of(graph[n].value) in there}
    for edge in graph.edges:
        if edge.differentiable:
            leaves.setdefault(edge.target, set()).update(leaves.get(edge.source, ()))
    turns = [n for n, of in leaves.items() if of == bad]
    return graph[max(turns or bad or graph.roots)]
