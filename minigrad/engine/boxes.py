"""Calls of modules and definitions, each in a box: what runs inside of it knows that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import FailedCall, MinigradError, Options, error_of_call
from .kinds import UNCLEAR, error_of_arguments
from .modes import Box, current_box, mode


def call_in_box(owner: object, function: Callable, args: tuple, kwargs: Options) -> Any:
    """Call `function`, with what it computes inside a box.

    An error remembers the innermost box, and names the outermost definition, which the user called.
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
    return error
