"""Steps of training that are too long, or go uphill, or add up gradients."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from ...engine.node import Node
from ...ran.training import OptimizerStep, SeenTraining, Update, length
from ..graph import Graph
from .reading import short_name
from .remedies import GENERAL
from .trouble import Trouble
from .wording import listed

# Steps are too long that make the loss so many times as large, and move parameters by this part of them.
GROWS, LONG = 10, 0.1
RISES, MANY = 3, 4  # so many times where it rises in most of so many steps, of one optimizer
KEPT = 2  # steps in a row that keep the gradients of the one before
SHOWN = 6  # losses
TINY = 1e-30


def long_steps(graph: Graph, training: SeenTraining, place: int) -> Iterator[Trouble]:
    """Steps that make the loss grow, up to the `backward()` at a place: they are too long, or uphill.

    Where a gradient is wrong nothing is said of the steps.
    """
    losses = losses_of(training, place)
    optimizers = {id(step.optimizer): step for step in training.steps}
    grows = _grows([size for _, size in losses], several=len(optimizers) > 1)
    if not grows or training.is_doubtful(place):
        return
    looked_at = dict.fromkeys([losses[0], *losses[-4:-1]])
    steps = [step for k, _ in looked_at if (step := training.updates(k))]
    shares = [_moved(step) / max(length(c.before for c in step), TINY) for step in steps]
    shares = [share for share in shares if math.isfinite(share)]
    if max(shares, default=0) < LONG:
        return
    first, sizes, root = steps[0], [size for _, size in losses], graph[graph.roots[0]]
    uphill = sum(float(np.vdot(c.after - c.before, c.gradient)) for c in first) > 0
    why = "they go along the gradient, not against it" if uphill else "they are too long"
    what = (
        f"the loss grows from {sizes[0]:.4g} to {sizes[-1]:.4g} in {len(sizes) - 1} "
        f"step{'s' * (len(sizes) > 2)} of training, whose gradients are right: {why}"
    )
    scale = training.losses[losses[0][0]].item() / sizes[0]  # type: ignore[union-attr]
    numbers = (
        "the loss: " + ", ".join(f"{size:.4g}" for size in sizes[-SHOWN:]),
        f"a step changes the parameters by up to {max(shares):.2g} times their size",
        *([_rate_of(step) for step in optimizers.values()] or [_rates(first, scale)]),
    )
    kind = "uphill" if uphill else "steps"
    yield Trouble("steps", what, root.line, numbers, GENERAL[kind], root.number)


def _grows(losses: list[float], several: bool) -> bool:
    """Tell whether the last loss is far larger than the first: where one is below that, even farther.

    `several`: optimizers, of which one may well make the loss of another grow.
    """
    if len(losses) < 2:
        return False
    grows: float = GROWS if len(losses) > 2 else GROWS**3  # of one step alone: data differ too
    if len(losses) >= MANY and not several:
        rising = sum(a < b for a, b in itertools.pairwise(losses)) > len(losses) / 2
        if rising or max(losses) >= GROWS * losses[0]:
            grows = RISES
    if min(losses) < losses[0]:
        grows = math.inf if several else GROWS**2
    return 0 < grows * losses[0] <= losses[-1]


def _rate_of(step: OptimizerStep) -> str:
    """The learning rates of an optimizer's step."""
    rates = listed([f"{rate:g}" for rate in dict.fromkeys(step.rates)])
    return f"the learning rate of {type(step.optimizer).__name__} is {rates}"


def _rates(step: list[Update], scale: float) -> str:
    """The learning rates by which a step is as long as it is; `scale` is that of its gradients."""
    rate = _moved(step) * scale / max(length(c.gradient for c in step), TINY)
    farthest = max(float(np.abs(c.after - c.before).max(initial=0)) for c in step)
    return (
        f"the first is {rate:.3g} times as long as its gradient, which is the learning rate of plain "
        f"SGD, and moves numbers by up to {farthest:.3g}, which is that of Adam"
    )


def _moved(step: list[Update]) -> float:
    """The length of a step."""
    return length(c.after - c.before for c in step)


def keeps_gradients(graph: Graph, training: SeenTraining) -> list[Trouble]:
    """Gradients that were never set back, in several steps in a row, so that they add up."""
    kept = [(name, times) for name, times in training.kept if times >= KEPT]
    if not kept:
        return []
    most, root = max(times for _, times in kept), graph[graph.roots[0]]
    what = (
        f"backward() added to the gradient of {listed([name for name, _ in kept])} that the step before "
        f"had used, {most} times in a row"
    )
    return [Trouble("kept", what, root.line, (), GENERAL["kept"], root.number)]


def losses_of(training: SeenTraining, place: int) -> list[tuple[int, float]]:
    """The place and the size of each loss up to `place` that the same line of code computed.

    In a GAN, two lines take turns: the losses of the other line are left out. A size is without the
    factor that came last, such as that of a GradScaler.
    """
    losses, line = [], None
    for k in range(place, -1, -1):
        loss = training.losses[k]
        if loss is None or loss.shape or loss.node.operation is None or loss.node.note is None:
            continue
        root = loss.node
        while _is_scaled(root):
            ((_, _, root),) = root.edges
        line = line or root.note.line
        size = float(root.note.y)
        if root.note.line == line and not math.isnan(size):
            losses.append((k, size))
    return losses[::-1]


def _is_scaled(node: Node) -> bool:
    """Tell whether a node is a computed number times one that is given."""
    assert node.operation is not None
    if short_name(node.operation.name) != "multiply" or len(node.edges) != 1:
        return False
    ((_, _, before),) = node.edges
    return not before.shape and before.operation is not None
