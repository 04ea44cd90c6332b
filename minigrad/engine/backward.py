"""`backward()`: a walk back that adds gradients to the `.grad` of the leaves."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from . import errors
from .arguments import as_array
from .base import AnyArray, BaseTensor
from .kinds import checked
from .modes import effect, mode, setting
from .node import Node
from .walk import error_of_freed, walk

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NOTHING = contextlib.nullcontext()


@checked
def backward(
    root: BaseTensor,
    gradient: ArrayLike | None = None,
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
) -> None:
    """Compute the gradient of this tensor with respect to every leaf that requires one.

    Gradients are added to the leaves' `.grad`. See `minigrad.steps` for the same walk step by step.

    Args:
        root: this tensor: `loss`, in `loss.backward()`.
        gradient: the gradient of the loss with respect to this tensor, of its shape. May be left
            out for a tensor with one element, whose gradient is then 1.
        retain_graph: keep the saved arrays of the graph, so that it can be walked again.
        create_graph: make the gradients tensors with their own graph, for higher derivatives.
            Implies `retain_graph`. A leaf then holds a gradient whose graph leads back to the leaf.
            This cycle lives until the garbage collector runs, or `.grad` is set to None.
            `minigrad.grad` returns gradients, and makes no cycle.

    Raises:
        GraphError: if the tensor requires no gradient, or if the graph has been freed, or another
            thread is just walking and freeing it; no gradient is touched then.
        ShapeError: if `gradient` is left out and the tensor has more than one element, or does not
            have its shape.
    """
    effect("calls backward()")
    seed = first_gradient(root, gradient, create_graph)
    start = root._node
    frees = not (retain_graph or create_graph)
    alone = Alone(start) if frees else NOTHING
    graph_of_gradients = setting(grad=True) if create_graph else NOTHING
    gradients = []
    for watcher in mode.get().watchers:
        watcher.on_backward(root)
    with alone, graph_of_gradients:
        for visit in walk({start: seed}, frees=frees):
            if visit.node.keeps_grad:
                gradients.append((visit.node, visit.gradient))
            if visit.node.note is not None:
                visit.node.note.on_visit(visit)
            del visit  # the next rule can have its memory
        with adding:
            for node, g in gradients:
                node.grad = added(node.grad, g, root)


def added(old: Any, g: AnyArray, root: BaseTensor) -> AnyArray:
    """The new `.grad`: `old`, which it was, and the gradient `g` of a walk from `root`."""
    if old is not None:
        g = old + g if isinstance(g, BaseTensor) else old._array + g
    return g if isinstance(g, BaseTensor) else root._wrap(g)


def first_gradient(root: BaseTensor, gradient: ArrayLike | None, create_graph: bool) -> AnyArray:
    """The gradient that a walk from `root` starts with: `gradient`, or 1; a Tensor if `create_graph`."""
    array, node = root._array, root._node
    if node is None or not node.requires_grad:
        raise errors.GraphError(
            f"backward() needs a tensor that was computed from one with requires_grad=True, and "
            f"no gradient reaches this one, {array.shape} {array.dtype}"
            + ("" if mode.get().grad else ": it is inside no_grad()")
        )
    if gradient is None and array.size != 1:
        raise errors.ShapeError(
            f"backward() starts from one number, and the shape is {array.shape}: reduce it first, "
            f"for instance with .sum(), or pass the gradient of the loss with respect to it"
        )
    seed = np.ones_like(array) if gradient is None else gradient
    if not hasattr(seed, "shape"):
        seed = as_array(seed, array.dtype)
    if np.shape(seed) != array.shape:
        raise errors.ShapeError(
            f"the gradient has the shape {np.shape(seed)}, and the tensor {array.shape}"
        )
    if create_graph:
        if not isinstance(seed, BaseTensor):
            return root._wrap(as_array(seed, array.dtype, copy=True))
        return seed if seed.dtype == array.dtype else seed.astype(array.dtype)  # type: ignore[attr-defined]
    return seed if gradient is None else as_array(seed, array.dtype, copy=True)


# --- several threads ----------------------------------------------------------------------------------

adding = threading.Lock()  # held while gradients are added: two graphs may lead to the same leaf
_walked: dict[Node, Alone] = {}  # from which node each walk that frees its graph has started


class Alone:
    """Within it, this thread alone walks back from `start`, and frees the graph.

    Raises:
        GraphError: if another thread does so already.
    """

    __slots__ = ("start",)

    def __init__(self, start: Node):
        self.start = start

    def __enter__(self) -> None:
        if _walked.setdefault(self.start, self) is not self:
            raise error_of_freed(self.start)

    def __exit__(self, *_: object) -> None:
        del _walked[self.start]
