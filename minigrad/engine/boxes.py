"""Calls of modules and definitions, each in a box: what runs inside of it knows that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import UNCLEAR, MinigradError, Options
from .failures import error_in_box
from .modes import Box, current_box, mode


def call_in_box(owner: object, function: Callable, args: tuple, kwargs: Options) -> Any:
    """Call `function` of `owner`, a module or the name of a definition, in a box.

    `error_in_box` makes the error if the call fails.
    """
    outer = current_box.get()
    box = Box(outer, owner, function)
    for watcher in mode.get().watchers:
        watcher.on_enter(box, args, kwargs)
    token = current_box.set(box)
    try:
        return function(*args, **kwargs)
    except (MinigradError, *UNCLEAR) as problem:
        raise error_in_box(owner, function, args, kwargs, outer, problem)  # noqa: B904 - it has its cause
    finally:
        current_box.reset(token)
