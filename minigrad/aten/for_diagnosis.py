"""Facts of a watched computation for `mg.diagnose`: of its steps of training, and its parameters."""

from __future__ import annotations

import functools
import itertools

import numpy as np

from ..arrays.identity import memory_of
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..ran.training import SeenTraining, Update
from ..transforms import gradients
from .learned import learned, names, optimizers, outermost, unused
from .watched import Watched

DEAD = 3  # backward passes in a row that give zeros to what was given others before


def first_to_look_at(watched: Watched) -> int | None:
    """The place of the `backward()` that a diagnosis is about; None if there was none.

    It is the first with a number of PyTorch's that is not finite, or with a gradient that is another
    one here; or else one that 16 bits rounded to 0; or the last.
    """
    backwards = watched.backwards
    places = range(len(backwards))
    bad = [i for i in places if not backwards[i].finite or backwards[i].others.wrong]
    others = [i for i in places if backwards[i].others]
    return next(iter([*bad, *others, *reversed(places)]), None)


def training_of(watched: Watched) -> SeenTraining:
    """The steps of training in the block."""
    backwards, passes = watched.backwards, watched.passes
    leaves, called = watched.calls.values.leaves, names(watched)
    times_kept = {i: h.times_kept for i, h in passes.histories.items() if h.times_kept}
    return SeenTraining(
        losses=[next((root for root, _ in b.roots), None) for b in backwards],
        steps=watched.calls.observed.updates,
        versions={i: [leaf._array for leaf in every] for i, (_, every) in leaves.items()},
        reached={i: h.others for i, h in passes.histories.items() if h.others},
        kept=[(called(leaves[i][0]), times) for i, times in times_kept.items()],
        is_doubtful=lambda place: (
            any(b.others.wrong for b in backwards[: place + 1]) or bool(passes.wrong_functions())
        ),
        key_of=id,
        updates=functools.partial(_updates, watched),
        parameters=functools.partial(learned, watched),
        optimizers=functools.partial(optimizers, watched),
        unused=functools.partial(unused, watched),
    )


def _updates(watched: Watched, place: int) -> list[Update]:
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
        arrived = gradients(
            [root for root, _ in roots], seeds, [leaf for leaf, _ in pairs], retain_graph=True
        )
    return [
        Update(leaf._array, later._array, g)
        for (leaf, later), g in zip(pairs, arrived)
        if g is not None
    ]


def without_gradient(watched: Watched) -> dict[str, list[Tensor]]:
    """The parameters for which PyTorch has no gradient and should, by name: the leaves that each was, a
    new one each time that it was changed.

    Those that were used, if PyTorch walked back; else those of a module that has all the others. Where
    optimizers are known, only those that one of them has.
    """
    leaves, passes = watched.calls.values.leaves, watched.passes
    outer, called = outermost(watched), names(watched)
    of_one = outer[0].parameters() if len(outer) == 1 else ()
    used = watched.calls.ends.used if watched.backwards else {id(p): p for p in of_one}
    given = passes.with_gradient()
    without = {i: p for i, p in used.items() if p.requires_grad and i not in given}
    optimized = training_of(watched).optimized() if without else set()
    return {
        called(p): leaves.get(i, (None, []))[1]
        for i, p in without.items()
        if not optimized or i in optimized
    }


def excused(watched: Watched) -> dict[str, set]:
    """The memory of leaves whose last gradient may well be "not computed", or "zero".

    Not computed: PyTorch gave one elsewhere in the block, as in other chunks of a long sequence; or
    optimizers are known, and none has it, as of a target network. Zero: one of the last was another.
    """
    histories, optimized = watched.passes.histories, training_of(watched).optimized()
    memories: dict[str, set] = {"not computed": set(), "zero": set()}
    for i, (_, leaves) in watched.calls.values.leaves.items():
        memory = {memory_of(leaf._array) for leaf in leaves}
        history = histories[i]
        if history.has_gradient or (optimized and i not in optimized):
            memories["not computed"] |= memory
        if history.others and history.zeros < DEAD:
            memories["zero"] |= memory
    return memories
