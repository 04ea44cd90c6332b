"""The calls of a user's `autograd.Function`: each is told of when its `forward()` has run.

A class of functions has one of two forms. PyTorch calls `forward(ctx, *args)`; or `forward(*args)`, and
then `setup_context(ctx, inputs, output)`. The one that gets the context tells of the call.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.autograd.function import FunctionMeta
from torch.utils._python_dispatch import _disable_current_modes

from .aten_call import outputs_of, tensors_in

# Called with the class, the arguments, the results, and PyTorch's node of the graph, which walks back.
Seen = Callable[[type, tuple, list, Any], None]

NO_SETUP = torch.autograd.Function.setup_context  # of a class whose `forward` takes the context
SEEING: list[Seen] = []  # functions that are told of each call, innermost block last
RUNNING = threading.local()


@contextlib.contextmanager
def functions_seen(seen: Seen) -> Iterator[None]:
    """Within it, `seen` is called with each call of a user's `autograd.Function` that has gradients.

    A program may have got `Function.apply` before the block, and PyTorch may have written it in C: so
    it cannot be replaced. But `apply` asks the class for `forward` at each call: this is where the block
    comes in.
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
    """The attribute of a class of functions. Its `forward` and `setup_context` are wrapped."""
    get = functools.partial(type.__getattribute__, cls)  # without this function
    function = get(name)
    if name not in ("forward", "setup_context"):
        return function
    takes_context = get("setup_context") is NO_SETUP
    tells = not get("__module__").startswith("torch.")
    if name == "setup_context":
        return _telling(cls, function) if tells and not takes_context else function
    if takes_context:
        return _with_context(cls, function, get("_backward_cls"), tells)
    return _without_context(function, tells)


def _with_context(cls: type, function: Callable, context: type, tells: bool) -> Callable:
    """A `forward(ctx, *args)` that tells of its call, unless it is PyTorch's."""

    @functools.wraps(function)
    def forward(*args: Any, **kwargs: Any) -> Any:
        if not (args and type(args[0]) is context):
            return function(*args, **kwargs)  # the `forward` of another class calls it
        with _running():
            results = function(*args, **kwargs)
            if tells:
                results = _apart(args, results)
                _tell(cls, args[0], args[1:], results)
            return results

    return forward


def _without_context(function: Callable, tells: bool) -> Callable:
    """A `forward(*args)` whose results share no memory with its arguments, unless it is PyTorch's."""

    @functools.wraps(function)
    def forward(*args: Any, **kwargs: Any) -> Any:
        with _running():
            results = function(*args, **kwargs)
            return _apart(args, results) if tells else results

    return forward


def _telling(cls: type, function: Callable) -> Callable:
    """A `setup_context` that tells of the call that it is given."""

    @functools.wraps(function)
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        function(ctx, inputs, output)
        with _running():
            _tell(cls, ctx, inputs, output)

    return setup_context


def _apart(args: tuple, results: Any) -> Any:
    """The results, with a copy of each that shares the memory of an argument: the gradients differ."""
    mine = {id(t) for t in tensors_in(args)}
    memory = {t.untyped_storage()._cdata for t in tensors_in(args) if not t.is_sparse}
    listed = outputs_of(results)
    for k, t in enumerate(listed):
        if isinstance(t, torch.Tensor) and not t.is_sparse and id(t) not in mine:
            listed[k] = t.clone() if t.untyped_storage()._cdata in memory else t
    return tuple(listed) if isinstance(results, tuple) else listed[0]


def _tell(cls: type, context: Any, args: tuple, results: Any) -> None:
    """Tell of a call that ran, if a gradient goes back from it. Its context is PyTorch's node."""
    if context.next_functions:
        with _disable_current_modes():
            for seen in SEEING:
                seen(cls, args, outputs_of(results), context)
