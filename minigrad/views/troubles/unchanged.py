"""Steps of training that change nothing, or next to nothing, and parameters that none changes."""

from __future__ import annotations

from collections.abc import Iterator

from ...arrays.identity import memory_of
from ...ran.training import SeenParameter, SeenTraining
from ..graph import Graph
from .reading import leaves_of
from .remedies import GENERAL
from .trouble import Trouble
from .wording import listed

TIMES = 2  # steps, or gradients, after which it is no chance
MANY = 3  # steps that are too short
SHORT = 1e-6  # of the size of the parameters: a step that is shorter changes next to nothing
LITTLE = 1e-7  # a learning rate below which nothing learns
CLIPPED = 1e-3  # of its length: what is left of a gradient that was clipped to next to nothing


def changes_nothing(graph: Graph, training: SeenTraining) -> Iterator[Trouble]:
    """Steps that found no gradient, or were too short, and parameters that no step changed."""
    found = [*_steps_without_gradients(graph, training), *_short_steps(graph, training)]
    yield from found or _never_changed(graph, training)


def _steps_without_gradients(graph: Graph, training: SeenTraining) -> Iterator[Trouble]:
    """Optimizers of which no step found a gradient."""
    for steps in training.by_optimizer():
        if len(steps) < TIMES or any(step.found for step in steps):
            continue
        reached = any(key in training.reached for key in training.keys_of(steps[0].optimizer))
        why = "though backward() gives some" if reached else "and no loss was computed from them"
        what = (
            f"step() found no gradient in any parameter of its optimizer, {len(steps)} times of "
            f"{len(steps)}, {why}"
        )
        remedy = GENERAL["no gradient" if reached else "made anew"]
        yield Trouble("unchanged", what, steps[0].line, (), remedy, graph.roots[0])


def _short_steps(graph: Graph, training: SeenTraining) -> Iterator[Trouble]:
    """Optimizers all of whose steps are too short, because of the learning rate, or of clipping."""
    for steps in training.by_optimizer():
        shares = training.moved_by(steps[0].optimizer)
        same = len({step.rates for step in steps}) == 1  # no warm-up
        if len(shares) < MANY or max(shares) > SHORT or not same or not all(s.found for s in steps):
            continue
        rate, left = max(steps[0].rates), max(s.found / s.came if s.came else 1.0 for s in steps)
        moves = f"a step moves the parameters by up to {max(shares):.2g} of their size"
        if rate <= LITTLE:
            what, remedy = f"the learning rate is {rate:g}: {moves}", GENERAL["little"]
        elif left <= CLIPPED:
            what = (
                f"from backward() to step() the gradient becomes {left:.2g} of its length: {moves}"
            )
            remedy = GENERAL["clipped"]
        else:
            continue
        yield Trouble("unchanged", what, steps[0].line, (), remedy, graph.roots[0])


def _never_changed(graph: Graph, training: SeenTraining) -> Iterator[Trouble]:
    """Parameters that have gradients, that no optimizer has, and that no step changed, while those were
    changed that come after them, or that are in the same module."""
    if all(len(versions) > 1 for versions in training.versions.values()):
        return
    everything = training.parameters()
    changed = [p for p in everything if p.changes >= TIMES]
    unmoved = [p for p in everything if p.reached > TIMES and not p.changes]
    if not changed or not unmoved:
        return
    optimized = training.optimized()
    unmoved = [p for p in unmoved if p.key not in optimized]
    outer, before = {p.outer for p in changed} - {None}, _before(graph, changed)
    unmoved = [p for p in unmoved if p.outer in outer or memory_of(p.versions[-1]) in before]
    line = next((step.line for step in training.steps), graph[graph.roots[0]].line)
    shapes = training.replaced()
    by_reason: dict[tuple[str, str], list[SeenParameter]] = {}
    for p in unmoved:
        by_reason.setdefault(_reason(p, shapes), []).append(p)
    for (kind, why), parameters in by_reason.items():
        what = (
            f"no step changed {listed([p.name for p in parameters])}, which had a gradient "
            f"{min(p.reached for p in parameters)} times, while {changed[0].name} was changed "
            f"{changed[0].changes} times: {why}"
        )
        yield Trouble("unchanged", what, line, (), GENERAL[kind], graph.roots[0])


def _reason(p: SeenParameter, shapes: list[tuple[int, ...]]) -> tuple[str, str]:
    """The reason why no step changed a parameter: the key of the remedy, and in words."""
    if p.in_list:
        return (
            "in a list",
            f"they are in the list {p.in_list}, into which parameters() does not look",
        )
    if p.versions[-1].shape in shapes:
        why = "they are in no optimizer, and one has others of these shapes, which nothing used"
        return "made anew", why
    return "not given", "they are in no optimizer"


def _before(graph: Graph, changed: list[SeenParameter]) -> set:
    """The memory of the leaves on the way before these parameters.

    In `w2 @ relu(w1 @ x)`, `relu(w1 @ x)` meets w2; so w1 and x are before w2.
    """
    memories = {memory_of(array) for p in changed for array in p.versions}
    leaf_of = leaves_of(graph)
    before: set[int] = set()
    for node in graph.nodes:
        arguments = [e.source for e in graph.arguments(node.number)]
        met = {memory_of(graph[leaf_of[n]].value) for n in arguments if n in leaf_of}
        if node.number not in leaf_of and met & memories:
            before.update(*(graph.made_from(n) for n in arguments if n not in leaf_of))
    return {memory_of(graph[n].value) for n in before if not graph[n].operation}
