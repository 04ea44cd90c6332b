"""Notes beside the troubles: facts that may be meant, and parts that were not looked at."""

from __future__ import annotations

from collections.abc import Iterator

from ...arrays.identity import memory_of
from ...aten.watched import Watched
from ...engine.tensor import Tensor
from ...engine.walk import order
from ...ran.data import GraphNode
from ...ran.reached import Reached
from ...ran.training import SeenTraining
from ..graph import Graph
from .attention import transposed_mask
from .pytorchs import reverses
from .reading import RECURRENT, TOTALS, has_any, module_of, sources, verb
from .wording import called, listed

MANY = 3  # calls of backward() after which a step may be missed


def notes_on_block(graph: Graph, watched: Watched, loss: Tensor) -> Iterator[str]:
    """The notes on a block of PyTorch's, a sentence each; `loss` is looked at, and `graph` is of it."""
    values, passes = watched.calls.values, watched.passes
    yield from values.counterparts.not_run
    yield from dict.fromkeys(_cut_before_a_layer(graph, watched))
    nodes = {*order([loss.node])}
    elsewhere = [sentence for node, sentence in values.elsewhere.items() if node in nodes]
    for sentence in dict.fromkeys(elsewhere):
        yield f"not looked at: {sentence}"
    for name in dict.fromkeys(f.name for f in passes.wrong_functions() if reverses(f)):
        yield f"{name}.backward reverses the gradient of what its forward gives as it came"
    evaluating = values.counterparts.evaluating
    if evaluating and watched.backwards:
        names = " and ".join(sorted(evaluating))
        yield f"{names}: in evaluation mode, with gradients; train() of the model turns that off"


def _cut_before_a_layer(graph: Graph, watched: Watched) -> Iterator[str]:
    """Numbers that were detached, or drawn, before a layer, of what has a gradient by other ways."""
    computed = {
        memory_of(n.value): n.number for n in graph.nodes if n.operation and has_any(n.gradient)
    }
    for node in graph.nodes:
        arguments = sources(graph, node) if verb(node) == "matmul" else []
        fixed = [s for s in arguments if not s.operation and s.state == "needs none"]
        cuts = [watched.calls.ends.cut_of(s.value) for s in fixed if s.value is not None]
        if len(arguments) == len(fixed) or not any(cuts):
            continue
        made_of = Reached(cuts[0].sources).values.values()
        numbers = {computed[memory_of(a)] for a in made_of if memory_of(a) in computed}
        newest = [n for n in numbers if numbers.isdisjoint(graph.users(n))]
        if newest:
            yield (
                f"no gradient goes back from {called(fixed[0])} to "
                f"{listed([called(graph[n]) for n in sorted(newest)])}, cut off at {cuts[0].lines[0]}: "
                f"if it is not meant, leave out what detaches it, or take rsample() for sample()"
            )


def notes_on_graph(graph: Graph) -> Iterator[str]:
    """The notes on a graph alone: what looks ahead in attention, and recurrences along the batch."""
    yield from transposed_mask(graph)
    yield from dict.fromkeys(_without_batch_first(graph))


def notes_on_steps(training: SeenTraining) -> Iterator[str]:
    """The notes on steps of training: those that are missing, and parameters that nothing used."""
    still = all(len(versions) == 1 for versions in training.versions.values())
    many = max(training.reached.values(), default=0)
    if many >= MANY and still and not training.steps and training.optimizers():
        yield f"{many} calls of backward(), and no step() of the optimizer, which changes the parameters"
    unused = training.unused() if training.losses else []
    if unused:
        yield f"nothing in the block used {listed(unused)}, which an optimizer has"


def _without_batch_first(graph: Graph) -> Iterator[str]:
    """Recurrent modules that ran along the first axis, and of whose results one place along the second
    is taken, or the mean, as of what has time there."""
    for node in graph.nodes:
        arguments = sources(graph, node)
        module = (
            module_of(graph, arguments[0]) if arguments and len(arguments[0].shape) == 3 else None
        )
        if module is None or module is module_of(graph, node):
            continue
        kind, result = module.type.split(" ")[0], arguments[0]
        if kind in RECURRENT and "batch_first=True" not in module.type and _takes_one(node):
            yield (
                f"{kind} ran along the first axis of {result.shape}, and {called(node)} leaves the "
                f"second out, at {node.line}: inputs of (batch, time, features) need batch_first=True"
            )


def _takes_one(node: GraphNode) -> bool:
    """Tell whether a node takes one place along the second axis, or a mean, sum or largest."""
    if verb(node) in TOTALS | {"max"}:
        return node.arguments[1:] in ((1,), (-2,))
    index = node.arguments[1] if verb(node) == "getitem" else None
    if not isinstance(index, tuple) or len(index) < 2:
        return False
    return index[0] == slice(None) and isinstance(index[1], int)
