"""The job of a worker for each part of a batch, and the tree that adds the results of the parts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from .. import errors
from ..engine.backward import first_gradient
from ..engine.tensor import Tensor
from ..optim import parameter_list
from ..settings import function
from ..transforms import gradients

MOST_WORKERS = 1000  # workers that are started here
T = TypeVar("T")


class Workers(contextlib.AbstractContextManager, Protocol):
    """Workers that compute parts. The `with` block stands around all totals."""

    def total(self, job: Gradients, parts: Sequence[object]) -> list[np.ndarray]:
        """The sum of the results of `job` for all parts, in the order of `tree`."""
        ...


class Gradients:
    """A job: it computes the loss of a part and its gradient for each parameter, as new arrays.

    It touches no `.grad`, so that threads do not meet there.

    Args:
        loss: returns a Tensor with one element: the share of a part in the loss of the batch. If the
            loss is a mean, divide by the size of the batch, not of the part: parts may differ in size.
        parameters: the leaves, each once.

    Raises:
        ConfigError: if `loss` is no function, or the parameters are not leaves, in a list or the like.

    A call raises:
        GraphError: if the loss needs no gradient: inside `no_grad`, or taken out of the graph.
        ShapeError: if it has more than one element.
    """

    def __init__(self, loss: Callable[..., Tensor], parameters: Sequence[Tensor]):
        self.loss = function("the loss of a part", loss)
        self.parameters = parameter_list(parameters)

    def __call__(self, part: Any) -> list[np.ndarray]:
        loss = self.loss(part)
        slopes = gradients([loss], [first_gradient(loss, None, False)], self.parameters)
        arrays, ids = [np.asarray(loss.item())], set()
        for g, p in zip(slopes, self.parameters):
            if g is None:  # the loss does not use it
                g = np.zeros_like(p._array)
            elif not (g.flags.owndata and g.flags.writeable) or id(g) in ids:
                g = g.copy()  # two parameters can have one gradient
            arrays.append(g)
            ids.add(id(g))
        return arrays


def tree(items: Iterable[T], add: Callable[[T, T], T]) -> T:
    """Add items in pairs, and then pairs of sums, as the items come: ((a + b) + (c + d)) + e.

    The order depends only on the number of items. For n items, about log2(n) sums wait at a time.

    Raises:
        ConfigError: if there are no items.
    """
    waiting: list[tuple[int, T]] = []  # sums, each after the height of its tree
    for total in items:
        height = 0
        while waiting and waiting[-1][0] == height:
            total, height = add(waiting.pop()[1], total), height + 1
        waiting.append((height, total))
    if not waiting:
        raise errors.ConfigError("there are no parts to add: give at least one")
    while len(waiting) > 1:
        (_, last), (height, before) = waiting.pop(), waiting.pop()
        waiting.append((height, add(before, last)))
    return waiting[0][1]


def added(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The sums of arrays, one by one, in the memory of `a`."""
    return [np.add(x, y, out=x) for x, y in zip(a, b, strict=True)]
