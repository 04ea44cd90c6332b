"""A loop of training inside `record()`: each `backward()`, and each step of an optimizer."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..arrays.identity import memory_of
from ..engine.modes import Watcher, setting
from ..engine.node import Node
from ..engine.source import source_line
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..errors import GraphError
from ..nn import Module
from ..optim import ALIVE, Optimizer
from ..with_blocks import with_block
from .capture import captured
from .data import GraphData
from .recording import flat, recording
from .training import OptimizerStep, SeenParameter, SeenTraining, Update, length


@with_block
def record() -> Iterator[Loop]:
    """Within it, every value and source line is kept for the views, and of `backward()` every gradient
    and contribution.

        with mg.record() as watched:  # a whole loop of training
            ...
        print(mg.diagnose(watched))
    """
    loop = Loop()
    with recording(), setting(watchers=(loop,)):
        try:
            yield loop
        finally:
            loop.end()


class Loop(Watcher):
    """All walks back and steps in a block of `record()`.

    Attributes:
        losses: the tensor that each `backward()` was called on.
        steps: those that optimizers took.
        versions: the arrays of each leaf that a gradient went back to: a new one for each change.
        reached: how often a gradient went back to each.
        kept: how many times in a row each had changed while its gradient stayed.
    """

    def __init__(self) -> None:
        self.losses: list[Tensor] = []
        self.steps: list[OptimizerStep] = []
        self.versions: dict[Node, list[np.ndarray]] = {}
        self.reached: dict[Node, int] = {}
        self.kept: dict[Node, int] = {}

    def __repr__(self) -> str:
        return f"a loop with {len(self.losses)} backward(), for mg.diagnose"

    def on_backward(self, root: Tensor) -> None:
        self.losses.append(root)
        for leaf, array in _leaves_of(root):
            versions = self.versions.setdefault(leaf, [])
            changed = _add(versions, array) and len(versions) > 1
            stays = leaf.grad is not None and bool(np.any(leaf.grad._array))
            self.kept[leaf] = self.kept.get(leaf, 0) + changed if stays else 0
            self.reached[leaf] = self.reached.get(leaf, 0) + 1

    def on_step(self, optimizer: Optimizer) -> None:
        gradients = [p.node.grad._array for p in optimizer.parameters if p.node.grad is not None]
        size = length(gradients)
        self.steps.append(OptimizerStep(optimizer, source_line(), size, size, (optimizer.lr,)))

    def end(self) -> None:
        """Take the arrays that the last steps gave."""
        for optimizer in self._stepped():
            for p in optimizer.parameters:
                if p.node in self.versions:
                    _add(self.versions[p.node], p._array)

    def _stepped(self) -> list[Optimizer]:
        return [*{id(step.optimizer): step.optimizer for step in self.steps}.values()]

    # --- for the diagnosis -------------------------------------------------------------------------

    def first_to_look_at(self) -> int:
        """The place of the `backward()` that a diagnosis is about.

        It is the first whose loss is not finite, or else the last; or the first of those before it that
        gave gradients that are not finite.

        Raises:
            GraphError: if there was none.
        """
        if not self.losses:
            raise GraphError(
                "no backward() was called in this block of mg.record(): call it there, or give the "
                "loss itself, mg.diagnose(loss)"
            )
        is_bad = lambda array: array is not None and not np.isfinite(array).all()
        places = range(len(self.losses))
        place = next((k for k in places if is_bad(self.losses[k]._array)), places[-1])
        gradients = lambda k: [n.gradient for n in captured(GraphData, self.losses[k])[0].nodes]
        while place and any(map(is_bad, gradients(place - 1))):
            place -= 1
        return place

    def training(self) -> SeenTraining:
        """The steps of the block, for the finders of a diagnosis."""
        graph, capture = captured(GraphData, self.losses[-1])
        labels = {n: graph[k].label for n, k in capture.number.items()}
        names = {n: labels.get(n) or f"a leaf of shape {n.shape}" for n in self.versions}
        outer = {id(p.node): id(m) for m in _outermost(capture.calls) for p in m.parameters()}
        return SeenTraining(
            losses=[*self.losses],
            steps=self.steps,
            versions=dict(self.versions),
            reached=self.reached,
            kept=[(names[n], times) for n, times in self.kept.items()],
            is_doubtful=lambda place: False,
            key_of=lambda parameter: parameter.node,
            updates=self._updates,
            parameters=lambda: [
                SeenParameter(names[n], n, versions, self.reached[n], outer.get(id(n)))
                for n, versions in self.versions.items()
            ],
            optimizers=self._optimizers,
            unused=self._unused,
        )

    def _updates(self, place: int) -> list[Update]:
        """The changes of leaves after the `backward()` at a place, if they were used again."""
        graph, _ = captured(GraphData, self.losses[place])
        pairs = (pair for v in self.versions.values() for pair in itertools.pairwise(v))
        later = {memory_of(old): new for old, new in pairs if old.shape == new.shape}
        return [
            Update(node.value, later[memory_of(node.value)], node.gradient)
            for node in graph.nodes
            if not node.operation and node.value is not None and node.gradient is not None
            and memory_of(node.value) in later
        ]  # fmt: skip

    def _optimizers(self) -> list[Any]:
        """The optimizers that took a step in the block, and others that have a leaf of it."""
        having = [o for o in ALIVE if any(p.node in self.versions for p in o.parameters)]
        return [*{id(o): o for o in (*self._stepped(), *having)}.values()]

    def _unused(self) -> list[str]:
        """The parameters that an optimizer has, and that no loss was computed from."""
        return [
            p.name or f"a parameter of shape {p.shape}"
            for o in self._stepped()
            for p in o.parameters
            if p.requires_grad and p.node not in self.versions
        ]


def _add(versions: list[np.ndarray], array: np.ndarray) -> bool:
    """Add an array, if it is another than the last; tell whether it is."""
    is_new = not versions or versions[-1] is not array
    if is_new:
        versions.append(array)
    return is_new


def _leaves_of(root: Tensor) -> list[tuple[Node, np.ndarray]]:
    """The leaves that a gradient goes back to, each with its array as it was used."""
    found: dict[Node, np.ndarray] = {}
    for node in order([root.node]):
        if node.note is not None:
            for source, array in zip(flat(node.note.sources), flat(node.note.args)):
                if isinstance(source, Node) and source.operation is None and source.requires_grad:
                    found.setdefault(source, array)
    return [*found.items()]


def _outermost(nodes: Iterable[Node]) -> Iterator[Module]:
    """The modules in whose calls these came into being, without those inside others."""
    for box in {node.box for node in nodes} - {None}:
        modules = []
        while box is not None:
            modules += [box.owner] if isinstance(box.owner, Module) else []
            box = box.outer
        yield from modules[-1:]
