"""Patches of functions of PyTorch's, so that they tell of their calls: `backward()`, `grad()`,
`register_hook()`, `tolist()` and `numpy()`.

The patches stay when the blocks are closed, for `backward()` is usually called after its block.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from .. import errors
from .backward_passes import BackwardPasses
from .functorch import is_wrapped, refuse_transforms

INSIDE = (
    "{}(create_graph=True) inside mg.pytorch(): gradients of gradients are not watched. Call it after "
    "the block; or write the function with minigrad, and take mg.grad(mg.grad(f))"
)

# One for each block that there is: they are told of calls.
BLOCKS: weakref.WeakSet[BackwardPasses] = weakref.WeakSet()


def watch_backward(passes: BackwardPasses) -> None:
    """Have PyTorch tell `passes` of each backward pass, and of each hook, from now on."""
    BLOCKS.add(passes)
    if not hasattr(torch.autograd.backward, "tells"):
        torch.autograd.backward = _backward(torch.autograd.backward)
        torch.autograd.grad = _grad(torch.autograd.grad)
        torch.Tensor.register_hook = _register_hook(torch.Tensor.register_hook)  # type: ignore[method-assign]
        torch.Tensor.tolist = _taking(torch.Tensor.tolist)  # type: ignore[method-assign]
        torch.Tensor.numpy = _taking(torch.Tensor.numpy)  # type: ignore[method-assign]


def _backward(original: Callable) -> Callable:
    @functools.wraps(original)
    def backward(
        tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None,
        inputs=None,
    ):  # fmt: skip
        roots, seeds = _roots(tensors, grad_tensors)
        with _disable_current_modes():
            blocks = _knowing(roots, "backward" if create_graph else "")
            before = [passes.copy_gradients() for passes in blocks]
        kwargs = {"grad_variables": grad_variables} if grad_variables is not None else {}
        try:
            original(tensors, grad_tensors, retain_graph, create_graph, inputs=inputs, **kwargs)
        except Exception as problem:  # of PyTorch's, which goes on to the caller
            for passes in blocks:
                passes.raised = f"{type(problem).__name__}: {str(problem).partition('. ')[0]}"
            raise
        with _disable_current_modes():
            only = None if inputs is None else {id(t) for t in _listed(inputs)}
            for passes, gradients in zip(blocks, before):
                passes.raised = ""
                passes.compare_backward(roots, seeds, gradients, only)

    backward.tells = True  # type: ignore[attr-defined]
    return backward


def _grad(original: Callable) -> Callable:
    @functools.wraps(original)
    def grad(
        outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, *args, **kwargs
    ):
        roots, seeds = _roots(outputs, grad_outputs)
        with _disable_current_modes():
            blocks = _knowing(roots, "torch.autograd.grad" if create_graph else "")
        gradients = original(
            outputs, inputs, grad_outputs, retain_graph, create_graph, *args, **kwargs
        )
        if not kwargs.get("is_grads_batched"):
            with _disable_current_modes():
                for passes in blocks:
                    passes.compare_grad(roots, seeds, _listed(inputs), gradients)
        return gradients

    return grad


def _register_hook(original: Callable) -> Callable:
    @functools.wraps(original)
    def register_hook(tensor, hook):
        with _disable_current_modes():
            for passes in _knowing([tensor]):
                passes.note_hook(tensor)
        return original(tensor, hook)

    return register_hook


def _taking(original: Callable) -> Callable:
    @functools.wraps(original)
    def taking(tensor, *args, **kwargs):
        with _disable_current_modes():
            for passes in [] if is_wrapped(tensor) else BLOCKS:  # a block need not know the tensor
                if passes.is_open:
                    passes.calls.note_taken(tensor)
        return original(tensor, *args, **kwargs)

    return taking


def _listed(tensors: Any) -> list:
    return [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)


def _roots(tensors: Any, seeds: Any) -> tuple[list, list]:
    """The tensors that a walk starts from, and the gradient that each starts with, or None."""
    roots = [getattr(t, "node", t) for t in _listed(tensors)]
    given = [None] * len(roots) if seeds is None else _listed(seeds)
    return roots, given


def _knowing(roots: list, refused: str = "") -> list[BackwardPasses]:
    """The blocks that have seen one of the roots.

    Args:
        refused: the name of a call that is not allowed inside a block; "" for a call that is allowed.

    Raises:
        UnsupportedError: for such a call inside a block.
    """
    tensors = [t for t in roots if isinstance(t, torch.Tensor)]
    if any(passes.is_open for passes in BLOCKS):
        refuse_transforms(tensors)
    if any(map(is_wrapped, tensors)):
        return []
    blocks = [passes for passes in BLOCKS if any(map(passes.calls.values.knows, tensors))]
    if refused and any(passes.is_open for passes in blocks):
        raise errors.UnsupportedError(INSIDE.format(refused))
    return blocks
