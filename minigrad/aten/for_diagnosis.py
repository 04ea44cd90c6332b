"""Facts of a watched computation for `mg.diagnose`: of its steps of training, and its parameters."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from ..engine.tensor import Tensor
from ..engine.walk import order
from ..ran.variables import names_here
from ..transforms import gradients
from .watched import Watched


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

    Those of a module that has all the others; and those that were used, if PyTorch walked back.
    """
    leaves, passes = watched.calls.values.leaves, watched.passes
    outer, called = _outermost(watched), passes.names()
    of_one = outer[0].named_parameters() if len(outer) == 1 else ()
    found = {id(p): (name, p) for name, p in of_one if p.requires_grad}
    if watched.backwards:
        holders = {id(p): m for m in outer if len(outer) > 1 for p in m.parameters()}
        variables = {id(m): name for m, name in names_here(outer)}
        of = lambda m: "" if m is None else f"{variables.get(id(m), type(m).__name__)}."
        used = watched.calls.ends.used.items()
        found = {i: (of(holders.get(i)) + called(p), p) for i, p in used} | found
    return {
        name: leaves.get(i, (None, []))[1]
        for i, (name, _) in found.items()
        if i not in passes.given
    }


def _outermost(watched: Watched) -> list[Any]:
    """PyTorch's modules that were called, without those inside others."""
    known = watched.calls.values.counterparts.modules()
    inside = {id(m) for module in known for m in module.modules() if m is not module}
    return [module for module in known if id(module) not in inside]
