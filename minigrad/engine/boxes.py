"""Calls of modules and definitions, each in a box: what runs inside of it knows that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import FailedCall, MinigradError, Options, error_of_call
from .kinds import UNCLEAR, error_of_arguments
from .modes import Box, current_box, mode


def call_in_box(owner: object, function: Callable, args: tuple, kwargs: Options) -> Any:
    """Call `function`, with what it computes inside a box.

    An error remembers the innermost box, and names the outermost definition, which the user called, and
    the innermost module, where others are around it.
    """
    outer = current_box.get()
    box = Box(outer, owner, function)
    for watcher in mode.get().watchers:
        watcher.on_enter(box, args, kwargs)
    token = current_box.set(box)
    try:
        return function(*args, **kwargs)
    except (MinigradError, *UNCLEAR) as problem:
        raise _error_in_box(owner, function, args, kwargs, outer, problem)  # noqa: B904 - it has its cause
    finally:
        current_box.reset(token)


def _error_in_box(
    owner: object,
    function: Callable,
    args: tuple,
    kwargs: dict,
    outer: Box | None,
    problem: Exception,
) -> Exception:
    """Make the error for an exception in a box that `outer` is around.

    No variable of the frame that raises it may name it: the two would keep each other alive.
    """
    error = error_of_arguments(owner, function, args, kwargs, problem)
    if isinstance(error, MinigradError):
        call = FailedCall(owner, args, kwargs, outer)
        error.culprit = error.culprit or call
        if error.reason and isinstance(owner, str):
            return error_of_call(owner, call, error)
        if not isinstance(owner, str) and not error.place:
            error.place = _place_of(owner, outer)
            error.args = (f"{error}{error.place}",)
    return error


def _place_of(module: Any, outer: Box | None) -> str:
    """A line with the attributes that lead to a module, as in Net.layers[2]; "" if none is around it."""
    owners = [module]
    while outer is not None:
        owners += [] if isinstance(outer.owner, str) else [outer.owner]
        outer = outer.outer
    *inside, top = owners
    path = type(top).__name__
    for parent, child in zip(owners[:0:-1], inside[::-1]):
        name = next((n for n, value in vars(parent).items() if value is child), None)
        path += f" > {type(child).__name__}" if name is None else _item(name)
    details = module.describe() if hasattr(module, "describe") else ""
    return f"\n  in {path}: {type(module).__name__}({details})" if inside else ""


def _item(name: str) -> str:
    return f"[{name}]" if name.isdecimal() else f".{name}"
