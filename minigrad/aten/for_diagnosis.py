"""Facts of a watched computation for `mg.diagnose`: of its steps of training, and its parameters."""

from __future__ import annotations

import gc
import itertools
from typing import Any, NamedTuple

import numpy as np

from ..arrays.identity import memory_of
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..ran.variables import names_here
from ..transforms import gradients
from .watched import Watched

DEAD = 3  # backward passes in a row that give zeros to what was given others before


class Update(NamedTuple):
    """The change of a parameter by a step of training: its numbers, and the gradient before it."""

    before: np.ndarray
    after: np.ndarray
    gradient: np.ndarray


def first_to_look_at(watched: Watched) -> int | None:
    """The place of the `backward()` that a diagnosis is about; None if there was none.

    It is the first with a number of PyTorch's that is not finite, or with a gradient that is another
    one here; or else one that 16 bits rounded to 0; or the last.
    """
    backwards = watched.backwards
    places = range(len(backwards))
    bad = [i for i in places if not backwards[i].finite or backwards[i].others.wrong]
    others = [i for i in places if any(backwards[i].others)]
    return next(iter([*bad, *others, *reversed(places)]), None)


def updates(watched: Watched, place: int) -> list[Update]:
    """The changes of parameters after the `backward()` at a place, if they were used again."""
    roots = watched.backwards[place].roots
    nodes = order([root.node for root, _ in roots])
    pairs = [
        pair
        for _, versions in watched.calls.values.leaves.values()
        for pair in itertools.pairwise(versions)
        if pair[0].node in nodes and pair[0].shape == pair[1].shape
    ]
    if not pairs:
        return []
    seeds = [np.ones_like(root._array) if g is None else g for root, g in roots]
    with np.errstate(all="ignore"):
        found = gradients(
            [root for root, _ in roots], seeds, [leaf for leaf, _ in pairs], retain_graph=True
        )
    return [
        Update(leaf._array, later._array, g)
        for (leaf, later), g in zip(pairs, found)
        if g is not None
    ]


def without_gradient(watched: Watched) -> dict[str, list[Tensor]]:
    """The parameters for which PyTorch has no gradient and should, by name: the leaves that each was, a
    new one each time that it was changed.

    Those that were used, if PyTorch walked back; else those of a module that has all the others. Where
    optimizers are known, only those that one of them has.
    """
    leaves, passes = watched.calls.values.leaves, watched.passes
    outer, called = _outermost(watched), passes.names()
    of_one = outer[0].named_parameters() if len(outer) == 1 else ()
    found = {id(p): (name, p) for name, p in of_one if p.requires_grad}
    learned = optimized(watched)
    if watched.backwards:
        holders = {id(p): m for m in outer if len(outer) > 1 for p in m.parameters()}
        variables = {id(m): name for m, name in names_here(outer)}
        of = lambda m: "" if m is None else f"{variables.get(id(m), type(m).__name__)}."
        used = watched.calls.ends.used.items()
        found = {i: found.get(i, (of(holders.get(i)) + called(p), p)) for i, p in used}
    return {
        name: leaves.get(i, (None, []))[1]
        for i, (name, _) in found.items()
        if i not in passes.given and (not learned or i in learned)
    }


def excused(watched: Watched) -> dict[str, set]:
    """The memory of leaves whose last gradient may well be "not computed", or "zero".

    Not computed: PyTorch gave one elsewhere in the block, as in other chunks of a long sequence; or
    optimizers are known, and none has it, as of a target network. Zero: one of the last was another.
    """
    passes, learned = watched.passes, optimized(watched)
    found: dict[str, set] = {"not computed": set(), "zero": set()}
    for i, (_, leaves) in watched.calls.values.leaves.items():
        memory = {memory_of(leaf._array) for leaf in leaves}
        if i in passes.given or (learned and i not in learned):
            found["not computed"] |= memory
        if i in passes.moved and passes.zeros[i] < DEAD:
            found["zero"] |= memory
    return found


def optimized(watched: Watched) -> set[int]:
    """The identities of the leaves that optimizers have: those that are known."""
    held = {id(p) for o in optimizers(watched) for p in parameters_of(o)}
    return held & watched.calls.values.leaves.keys()


def optimizers(watched: Watched) -> list[Any]:
    """The optimizers that took a step in the block, and others that there are and have a leaf of it."""
    from torch.optim import Optimizer

    stepped = {id(step.optimizer): step.optimizer for step in watched.calls.updates}
    # An object may lie about its class, and compute to do so: its type does not.
    alive = {id(o): o for o in gc.get_objects() if issubclass(type(o), Optimizer)}
    leaves = watched.calls.values.leaves
    return [
        o for i, o in (stepped | alive).items()
        if i in stepped or any(id(p) in leaves for p in parameters_of(o))
    ]  # fmt: skip


def parameters_of(optimizer: Any) -> list[Any]:
    """The parameters of all groups of an optimizer."""
    return [p for group in optimizer.param_groups for p in group["params"]]


def _outermost(watched: Watched) -> list[Any]:
    """PyTorch's modules that were called, without those inside others."""
    known = watched.calls.values.counterparts.modules()
    inside = {id(m) for module in known for m in module.modules() if m is not module}
    return [module for module in known if id(module) not in inside]
