"""The calls that PyTorch tells of: `backward()`, `grad()`, `Function.apply()`, `register_hook()`,
`tolist()` and `numpy()`."""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd.function import FunctionMeta
from torch.utils._python_dispatch import _disable_current_modes

from .. import errors
from .aten_call import outputs_of, tensors_in

if TYPE_CHECKING:
    from .watched import Watched

INSIDE = (
    "{}(create_graph=True) inside mg.pytorch(): gradients of gradients are not watched. Call it after "
    "the block; or write the function with minigrad, and take mg.grad(mg.grad(f))"
)

OF_GRADIENTS = (torch._C._functorch.TransformType.Grad, torch._C._functorch.TransformType.Jvp)


def refuse_transforms(tensors: Any = ()) -> None:
    """Refuse torch.func.grad and the like.

    Raises:
        UnsupportedError: within one of them, or if one of the tensors comes from one.
    """
    running = torch._C._functorch.peek_interpreter_stack()
    wrapped = map(torch._C._functorch.is_functorch_wrapped_tensor, tensors)
    if (running is not None and running.key() in OF_GRADIENTS) or any(wrapped):
        raise errors.UnsupportedError(
            "torch.func.grad and the like compute gradients inside the block, and cannot be watched: "
            "write loss.backward() in their place, or call them outside of mg.pytorch()"
        )


TOLD: weakref.WeakSet[Watched] = weakref.WeakSet()


def watch_backward(watched: Watched) -> None:
    """Have PyTorch tell `watched` of each backward pass, and of each hook, from now on."""
    TOLD.add(watched)
    if not hasattr(torch.autograd.backward, "tells"):
        torch.autograd.backward = _backward(torch.autograd.backward)
        torch.autograd.grad = _grad(torch.autograd.grad)
        torch.Tensor.register_hook = _register_hook(torch.Tensor.register_hook)  # type: ignore[method-assign]
        torch.Tensor.tolist = _taking(torch.Tensor.tolist)  # type: ignore[method-assign]
        torch.Tensor.numpy = _taking(torch.Tensor.numpy)  # type: ignore[method-assign]


def _backward(original: Any) -> Any:
    @functools.wraps(original)
    def backward(
        tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None,
        inputs=None,
    ):  # fmt: skip
        roots, seeds = _roots(tensors, grad_tensors)
        with _disable_current_modes():
            watch = _knowing(roots, create_graph and "backward")
            before = [w.passes.copy_gradients() for w in watch]
        kwargs = {"grad_variables": grad_variables} if grad_variables is not None else {}
        try:
            original(tensors, grad_tensors, retain_graph, create_graph, inputs=inputs, **kwargs)
        except Exception as problem:
            for watched in watch:
                watched.passes.raised = (
                    f"{type(problem).__name__}: {str(problem).partition('. ')[0]}"
                )
            raise
        with _disable_current_modes():
            only = None if inputs is None else {id(t) for t in _listed(inputs)}
            for watched, old in zip(watch, before):
                watched.passes.raised = ""
                watched.passes.compare_backward(roots, seeds, old, only)

    backward.tells = True  # type: ignore[attr-defined]
    return backward


def _grad(original: Any) -> Any:
    @functools.wraps(original)
    def grad(
        outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, *args, **kwargs
    ):
        roots, seeds = _roots(outputs, grad_outputs)
        with _disable_current_modes():
            watch = _knowing(roots, create_graph and "torch.autograd.grad")
        found = original(outputs, inputs, grad_outputs, retain_graph, create_graph, *args, **kwargs)
        if not kwargs.get("is_grads_batched"):
            with _disable_current_modes():
                for watched in watch:
                    watched.passes.compare_grad(
                        roots, seeds, _listed(inputs), found, watched.is_open
                    )
        return found

    return grad


def _register_hook(original: Any) -> Any:
    @functools.wraps(original)
    def register_hook(tensor, hook):
        with _disable_current_modes():
            for watched in _knowing([tensor], False):
                watched.passes.note_hook(tensor)
        return original(tensor, hook)

    return register_hook


def _taking(original: Any) -> Any:
    @functools.wraps(original)
    def taking(tensor, *args, **kwargs):
        with _disable_current_modes():
            for watched in _knowing([tensor], False):
                if watched.is_open:
                    watched.calls.note_taken(tensor)
        return original(tensor, *args, **kwargs)

    return taking


def _listed(tensors: Any) -> list:
    return [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)


def _roots(tensors: Any, seeds: Any) -> tuple[list, list]:
    """The tensors that a walk starts from, and the gradient that each starts with, or None."""
    roots = [getattr(t, "node", t) for t in _listed(tensors)]
    given = [None] * len(roots) if seeds is None else _listed(seeds)
    return roots, given


def _knowing(roots: list, refused: Any) -> list[Watched]:
    """Those who have seen one of the roots.

    Raises:
        UnsupportedError: if it is `refused` inside a block.
    """
    tensors = [t for t in roots if isinstance(t, torch.Tensor)]
    if any(w.is_open for w in TOLD):
        refuse_transforms(tensors)
    if any(map(torch._C._functorch.is_functorch_wrapped_tensor, tensors)):
        return []
    found = [w for w in TOLD if any(map(w.calls.values.knows, tensors))]
    if refused and any(w.is_open for w in found):
        raise errors.UnsupportedError(INSIDE.format(refused))
    return found


# --- functions with a backward pass of their own ------------------------------------------------------

NO_SETUP = torch.autograd.Function.setup_context  # of a class whose `forward` takes the context
SEEING: list[Any] = []  # what is called with each call, innermost last
RUNNING = threading.local()


@contextlib.contextmanager
def functions_seen(seen: Any) -> Iterator[None]:
    """Within it, `seen` is called with each call of a user's `autograd.Function`.

    It gets the class, the arguments, the results, and what made them. Code may hold `Function.apply`
    since long, and that may be no function of Python's: but each time it asks the class for `forward`.
    """
    SEEING.append(seen)
    FunctionMeta.__getattribute__ = _attribute
    try:
        yield
    finally:
        SEEING.remove(seen)
        if not SEEING:
            del FunctionMeta.__getattribute__


def in_function() -> bool:
    """Tell whether the `forward` of a function runs in this thread, without gradients of PyTorch's."""
    return bool(getattr(RUNNING, "depth", 0)) and not torch.is_grad_enabled()


@contextlib.contextmanager
def _running() -> Iterator[None]:
    RUNNING.depth = getattr(RUNNING, "depth", 0) + 1
    try:
        yield
    finally:
        RUNNING.depth -= 1


def _attribute(cls: type, name: str) -> Any:
    """An attribute of a class of functions; its `forward` and `setup_context` tell of a call."""
    get = functools.partial(type.__getattribute__, cls)  # as before the block
    found = get(name)
    if name not in ("forward", "setup_context"):
        return found
    takes_context = get("setup_context") is NO_SETUP
    is_torchs = get("__module__").startswith("torch.")

    @functools.wraps(found)
    def forward(*args: Any, **kwargs: Any) -> Any:
        if takes_context and not (args and type(args[0]) is get("_backward_cls")):
            return found(*args, **kwargs)  # called by another class's
        with _running():
            results = found(*args, **kwargs)
            if not is_torchs:
                results = _apart(args, results)
            if takes_context and not is_torchs:
                _report_call(cls, args[0], args[1:], results)
            return results

    @functools.wraps(found)
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        found(ctx, inputs, output)
        with _running():
            _report_call(cls, ctx, inputs, output)

    if name == "forward":
        return forward
    return found if takes_context or is_torchs else setup_context


def _apart(args: tuple, results: Any) -> Any:
    """The results; one that shares an argument's memory as a copy: the two have different gradients."""
    mine = {id(t) for t in tensors_in(args)}
    memory = {t.untyped_storage()._cdata for t in tensors_in(args) if not t.is_sparse}
    listed = outputs_of(results)
    for k, t in enumerate(listed):
        if isinstance(t, torch.Tensor) and not t.is_sparse and id(t) not in mine:
            listed[k] = t.clone() if t.untyped_storage()._cdata in memory else t
    return tuple(listed) if isinstance(results, tuple) else listed[0]


def _report_call(cls: type, context: Any, args: tuple, results: Any) -> None:
    """Call what `functions_seen` was given, with a call that ran."""
    made = [context] if context.next_functions else []  # else no gradient goes back
    with _disable_current_modes():
        for seen in SEEING:
            seen(cls, args, outputs_of(results), made)
