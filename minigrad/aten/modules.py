"""PyTorch's modules and optimizers in a block: a call is a box, and a step makes new leaves."""

from __future__ import annotations

import contextlib
import math
import re
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch.optim import optimizer
from torch.utils._python_dispatch import _disable_current_modes

from ..engine import modes
from ..engine.source import source_line
from ..ran.training import OptimizerStep, parameters_of
from .dispatch import Calls, in_backward
from .distances import length
from .functorch import refuse_transforms
from .numbers import array_of

if TYPE_CHECKING:
    from .backward_passes import LeafHistory
    from .counterparts import Counterparts

NOT_RUN = "the compiled code was not run: a {} that torch.compile made ran as it was written"
MODAL = (torch.nn.modules.dropout._DropoutNd, torch.nn.modules.batchnorm._NormBase)
GLOBAL_HOOKS = "Using `torch.compile"  # "when there are global hooks", which are those set here


@contextlib.contextmanager
def boxes(counterparts: Counterparts) -> Iterator[None]:
    """Within it, each call of a module is a box."""
    thread = threading.get_ident()  # hooks are called in every thread

    def enter(module, args) -> None:
        refuse_transforms()
        if not in_backward() and threading.get_ident() == thread:
            with _disable_current_modes():
                counterpart = counterparts.of(module)
            if not module.training and torch.is_grad_enabled() and isinstance(module, MODAL):
                counterparts.evaluating.add(type(module).__name__)
            compiled = getattr(module, "_orig_mod", None) or module
            if compiled is not module or module._compiled_call_impl is not None:
                counterparts.not_run[NOT_RUN.format(type(compiled).__name__)] = None
            modes.current_box.set(modes.Box(modes.current_box.get(), counterpart))

    def leave(module, args, output) -> None:
        if threading.get_ident() == thread and id(module) in counterparts.known:
            _, counterpart = counterparts.known[id(module)]
            modes.current_box.set(_left(modes.current_box.get(), counterpart))
            with _disable_current_modes():
                counterparts.fill(module)

    hooks = torch.nn.modules.module
    with (
        _ignored(GLOBAL_HOOKS),
        hooks.register_module_forward_pre_hook(enter),
        hooks.register_module_forward_hook(leave, always_call=True),
    ):
        yield


def _left(box: modes.Box | None, owner: Any) -> modes.Box | None:
    """The open boxes without the box of `owner`. Another block may have opened boxes inside it."""
    if box is None or box.owner is owner:
        return None if box is None else box.outer
    outer = _left(box.outer, owner) if type(box.owner) is type(owner) else box.outer
    return box if outer is box.outer else modes.Box(outer, box.owner, box.function)


def _step_of(who: Any, histories: Mapping[int, LeafHistory]) -> OptimizerStep:
    """The step that begins."""
    parameters = parameters_of(who)
    left = math.hypot(*(histories[id(p)].length for p in parameters if id(p) in histories))
    now = math.hypot(*(length_of(p.grad) for p in parameters))
    rates = tuple([float(group.get("lr", 1.0)) for group in who.param_groups])
    return OptimizerStep(who, source_line(), left, now, rates)


def length_of(gradient: Any) -> float:
    """The length of a gradient; 0 for None."""
    return 0.0 if gradient is None else length(array_of(gradient))


@contextlib.contextmanager
def new_leaves(calls: Calls, histories: Mapping[int, LeafHistory]) -> Iterator[None]:
    """Within it, a step of an optimizer makes new leaves of its parameters.

    `histories`: what `backward()` left, by the identity of the leaf.
    """
    thread = threading.get_ident()

    def begin(who, args, kwargs) -> None:
        calls.steps += threading.get_ident() == thread
        closure = args[1] if len(args) > 1 else kwargs.get("closure")
        if closure is None:  # a closure computes the gradients only in the step
            with _disable_current_modes():  # a learning rate may be a tensor
                calls.observed.updates.append(_step_of(who, histories))

    def end(who, *_) -> None:
        calls.steps -= threading.get_ident() == thread
        for parameter in parameters_of(who):
            calls.values.storage(parameter).forget()

    with (
        optimizer.register_optimizer_step_pre_hook(begin),
        optimizer.register_optimizer_step_post_hook(end),
    ):
        yield


@contextlib.contextmanager
def _ignored(message: str) -> Iterator[None]:
    """Within it, one warning is not shown.

    `warnings.catch_warnings` does more: warnings of the user that are shown once are shown again, and
    filters that are set within it end with it.
    """
    filters, one = warnings.filters, ("ignore", re.compile(message), UserWarning, None, 0)
    filters.insert(0, one)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the user has removed them all
            filters.remove(one)  # type: ignore[attr-defined]
