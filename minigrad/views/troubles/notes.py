"""Notes beside the troubles: facts that may be meant, and parts that were not looked at."""

from __future__ import annotations

from collections.abc import Iterator

from ...aten.learned import optimizers
from ...aten.watched import Watched
from ...engine.tensor import Tensor
from ...engine.walk import order
from .pytorchs import reverses

MANY = 3  # calls of backward() after which a step may be missed


def notes(watched: Watched, loss: Tensor) -> Iterator[str]:
    """The notes on a block, a sentence each; `loss` is what is looked at."""
    values, passes = watched.calls.values, watched.passes
    yield from values.counterparts.not_run
    nodes = {*order([loss.node])}
    for said in dict.fromkeys(said for node, said in values.elsewhere.items() if node in nodes):
        yield f"not looked at: {said}"
    for name in dict.fromkeys(f.name for f in passes.wrong_functions() if reverses(f)):
        yield f"{name}.backward reverses the gradient of what its forward gives as it came"
    evaluating = values.counterparts.evaluating
    if evaluating and watched.backwards:
        names = " and ".join(sorted(evaluating))
        yield f"{names}: in evaluation mode, with gradients; train() of the model turns that off"
    still = all(len(leaves) == 1 for _, leaves in values.leaves.values())
    many = max(passes.moved.values(), default=0)
    if many >= MANY and still and not watched.calls.observed.updates and optimizers(watched):
        yield f"{many} calls of backward(), and no step() of the optimizer, which changes the parameters"
