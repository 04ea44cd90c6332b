"""Facts from the user's code: the names of variables, and the line at which an error came up."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

from ..engine import source
from ..engine.source import SourceLine, cell_of, user_frames


def home(file: str) -> str:
    """The name of a file of code for a reader: its own, or `cell 3` in a notebook."""
    return cell_of(file) or os.path.basename(file)


def variables(error: BaseException | None = None) -> Iterator[tuple[str, object]]:
    """The variables of all functions that are running, innermost first, and then of their files.

    With an `error`, the variables of the functions that it came up through come first.
    """
    frames = [*_frames_of(error), *user_frames()]
    namespaces = [frame.f_locals for frame in frames]
    namespaces += {id(f.f_globals): f.f_globals for f in frames}.values()
    for namespace in namespaces:
        for name, value in list(namespace.items()):
            if not name.startswith("_"):
                yield name, value


def names_here(values: Iterable[Any]) -> list[tuple[Any, str]]:
    """List those of `values` that the user's innermost function has in a variable, with its name."""
    frame = next(user_frames(), None)
    by_id = {id(v): v for v in values}
    names: dict[int, str] = {}
    if frame is not None and by_id:
        for name, value in frame.f_locals.items():
            if id(value) in by_id and not name.startswith("_"):
                names.setdefault(id(value), name)
    return [(by_id[i], name) for i, name in names.items()]


def line_of(error: BaseException) -> SourceLine | None:
    """The innermost line of the user's that an error came up through."""
    frame = next(_frames_of(error), None)
    if frame is None:
        return None
    numbers = [n for f, n in traceback.walk_tb(error.__traceback__) if f is frame]
    return SourceLine(frame.f_code.co_filename, numbers[-1])


def _frames_of(error: BaseException | None) -> Iterator[FrameType]:
    """The user's functions that an error came up through, innermost first."""
    found = traceback.walk_tb(error.__traceback__ if error is not None else None)
    for frame, _ in reversed(list(found)):
        if not frame.f_code.co_filename.startswith(source.INSIDE):
            yield frame
