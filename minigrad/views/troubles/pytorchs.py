"""Gradients of PyTorch's that are others than those of what was computed, and a NaN beside the loss."""

from __future__ import annotations

from collections.abc import Iterator

from ...aten.watched import Watched
from ...engine.tensor import Tensor
from ...ran.data import GraphNode
from ...ran.recording import memory_of
from ..graph import Graph
from ..graph import graph as graph_of
from .finite import origin
from .remedies import GENERAL
from .trouble import Trouble
from .words import called, inputs_of, listed


def of_pytorchs(graph: Graph, watched: Watched, place: int | None) -> Iterator[Trouble]:
    """The troubles in PyTorch alone: with gradients of the `backward()` at a place, or elsewhere."""
    root = graph[graph.roots[0]]
    others = () if place is None else watched.backwards[place].others
    overflows, underflows, wrong = others or ((), (), ())
    hooks, half = dict(watched.calls.hooks.seen.values()), watched.calls.half
    hooked = next((line for line in hooks.values() if line is not None), None)
    if overflows:
        remedies = [GENERAL["hook"]] * bool(hooks) + [GENERAL["overflows"]] * half
        yield Trouble(
            "not finite", overflows[0] + (", in 32 bits" if half else ""), hooked or root.line,
            tuple(hooks), "; or ".join(remedies) or GENERAL["another"], root.number, back=True,
        )  # fmt: skip
    if watched.passes.raised:
        what = f"the last backward() raised {watched.passes.raised}, and gave no gradient"
        yield Trouble("cut off", what, root.line, (), GENERAL["raised"], root.number, back=True)
    for said in (*watched.passes.stale.values(),)[:1]:
        yield Trouble("not finite", said, root.line, (), GENERAL["stale"], root.number, back=True)
    for function in watched.passes.wrong_functions():
        made = next((n for n in graph.nodes if n.operation == function.name), root)
        yield Trouble(
            "own backward", function.said, function.line, inputs_of(graph, made),
            GENERAL["own backward"], made.number, back=True,
        )  # fmt: skip
    if wrong:
        node = _where_it_turns(graph, [leaf for _, leaves, _ in wrong for leaf in leaves])
        names = listed([name for name, _, _ in wrong])
        what = f"PyTorch's gradient of {names} is another than that of what was computed: {wrong[0][2]}"
        turns = f"the last that may be right is that of {called(node)}"
        numbers = (*hooks, turns)
        remedy = GENERAL["hook" if hooks else "another"]
        line = hooked or graph.line_of(node.number)
        yield Trouble("another gradient", what, line, numbers, remedy, node.number, back=True)
    if underflows:
        what = underflows[0] + (f"; and {len(underflows) - 1} more" if underflows[1:] else "")
        remedy = GENERAL["underflows"]
        yield Trouble("underflows", what, root.line, (), remedy, root.number, back=True)
    there = {memory_of(n.value) for n in graph.nodes}
    for name, tensor in watched.nan:
        if memory_of(tensor._array) not in there:
            outside = graph_of(tensor)
            first = origin(outside, outside[outside.roots[0]])
            how = (
                watched.calls.values.reasons.get(tensor, "") if first.kind == "data" else first.what
            )
            what = f"{name} has a NaN at the end of the block, which did not reach the loss"
            numbers = (*filter(None, [how]), *first.numbers)
            yield Trouble("outside", what, first.line, numbers, GENERAL["outside"], root.number)
            return


def _where_it_turns(graph: Graph, wrong: list[Tensor]) -> GraphNode:
    """The newest node whose gradient goes to leaves with a wrong one alone, and to all of these; or a
    leaf."""
    there = {memory_of(leaf._array) for leaf in wrong}
    leaves: dict[int, set[int]] = {
        n.number: {n.number} for n in graph.nodes if not n.operation and n.state != "needs none"
    }
    bad = {n for n in leaves if memory_of(graph[n].value) in there}
    for edge in sorted(graph.edges, key=lambda e: e.target):
        if edge.differentiable:
            leaves.setdefault(edge.target, set()).update(leaves.get(edge.source, ()))
    turns = [n for n, of in leaves.items() if of == bad]
    return graph[max(turns or bad or graph.roots)]
