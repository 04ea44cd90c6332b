"""Parameters of a watched block, and the optimizers that have them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from ..nn import Parameter
from ..ran.training import SeenParameter, parameters_of
from ..ran.variables import names_here
from .watched import Watched


def learned(watched: Watched) -> list[SeenParameter]:
    """The parameters of the block, each with what became of it."""
    histories, called = watched.passes.histories, names(watched)
    outer = {id(p): id(m) for m in outermost(watched) for p in m.parameters()}
    in_list = _in_lists(watched)
    return [
        SeenParameter(
            called(p), i, [leaf._array for leaf in leaves],
            histories[i].others, outer.get(i),
            in_list.get(i, ""),
        )
        for i, (p, leaves) in watched.calls.values.leaves.items()
        if isinstance(leaves[-1], Parameter)
    ]  # fmt: skip


def _in_lists(watched: Watched) -> dict[int, str]:
    """The parameters of modules that are in a list of another, by identity, and what it is called."""
    known = [m for m, _ in watched.calls.values.counterparts.known.values()]
    lists = {
        id(inner): f"{type(m).__name__}.{name}"
        for m in known
        for name, held in vars(m).items()
        if isinstance(held, (list, tuple, dict)) and not name.startswith("_")
        for inner in (held.values() if isinstance(held, dict) else held)
    }
    return {id(p): lists[id(m)] for m in known if id(m) in lists for p in m.parameters()}


def unused(watched: Watched) -> list[str]:
    """The names of the parameters that an optimizer has, and that nothing with gradients used.

    Optimizers that took no step are looked for only where a module that was called has such ones.
    """
    used = watched.calls.ends.used.keys() | watched.passes.with_gradient()
    still = lambda of: [p for p in of if p.requires_grad and id(p) not in used]
    has_unused = any(still(m.parameters()) for m in outermost(watched))
    holders = optimizers(watched) if has_unused else _stepped(watched)
    left = still(p for o in holders for p in parameters_of(o))
    return sorted(map(names(watched), left)) if left else []


def optimizers(watched: Watched) -> list[Any]:
    """The optimizers that took a step in the block, and others that there are and have a leaf of it.

    It looks through all objects that there are: ask it only of what seems wrong.
    """
    leaves = [theirs for theirs, _ in watched.calls.values.leaves.values()]
    return [*{id(o): o for o in (*_stepped(watched), *_holding(leaves))}.values()]


def _stepped(watched: Watched) -> list[Any]:
    """The optimizers that took a step in the block."""
    steps = watched.calls.observed.updates
    return [*{id(step.optimizer): step.optimizer for step in steps}.values()]


def _holding(parameters: list[Any]) -> list[Any]:
    """The optimizers that have some of these parameters: PyTorch keeps no list of them.

    What refers to a parameter is looked for, and not among all objects: to hold all of these, even for
    a moment, keeps some alive that are just being freed.
    """
    from torch.optim import Optimizer

    lists = [a for a in gc.get_referrers(*parameters) if type(a) is list]
    groups = [a for a in gc.get_referrers(*lists) if type(a) is dict and "params" in a]
    around = [a for a in gc.get_referrers(*groups) if type(a) is list]
    holders = gc.get_referrers(*around)  # an optimizer, or the dict of its attributes
    holders += gc.get_referrers(*[a for a in holders if type(a) is dict])
    # An object may lie about its class, and compute to do so: its type does not.
    return [o for o in holders if issubclass(type(o), Optimizer)]


def names(watched: Watched) -> Callable[[Any], str]:
    """The function that names a parameter of PyTorch's: with its module, where there are several."""
    outer, called = outermost(watched), watched.passes.names()
    holders = {id(p): m for m in outer if len(outer) > 1 for p in m.parameters()}
    variables = {id(m): name for m, name in names_here(outer)}
    of = lambda m: "" if m is None else f"{variables.get(id(m), type(m).__name__)}."
    return lambda p: of(holders.get(id(p))) + called(p)


def outermost(watched: Watched) -> list[Any]:
    """PyTorch's modules that were called, without those inside others."""
    known = [module for module, _ in watched.calls.values.counterparts.known.values()]
    inside = {id(m) for module in known for m in module.modules() if m is not module}
    return [module for module in known if id(module) not in inside]
