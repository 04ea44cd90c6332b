"""An error that a learner's function raised: as plain data, and as one line of text."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any, NamedTuple

from ....ran.variables import SourceLine, line_of
from ..values_as_text import LONG, cleaned
from .borrowing import code_of, is_known


class RaisedError(NamedTuple):
    """An error that a function raised, as plain data.

    Attributes:
        kind: its type, with the module.
        text: the error as one line.
        line: the line of the learner's, as ", in line 2: return 1 / 0"; or "".
        function: the name of the function that raised it.
        own: whether that is the function that was called.
    """

    kind: str
    text: str
    line: str = ""
    function: str = ""
    own: bool = False


def as_data(error: BaseException, function: Callable | None = None) -> RaisedError:
    """An error as plain data; `function` is the one that was called."""
    code = raised_in(error)
    line = _own_line(error) or line_of(error)
    home = getattr(code_of(function), "co_filename", "") if callable(function) else ""
    return RaisedError(
        f"{type(error).__module__}.{type(error).__qualname__}",
        one_line(error, [os.path.dirname(home), *sys.path]),
        f", in line {line.number}: {line.text}" if line is not None else "",
        code.co_name if code is not None else "",
        code is not None and function is not None and code is code_of(function),
    )


def _own_line(error: BaseException) -> SourceLine | None:
    """The innermost line of the learner's: not that of a library which it calls."""
    frames = traceback.walk_tb(error.__traceback__)
    own = [SourceLine(f.f_code.co_filename, n) for f, n in frames if not is_known(f)]
    return own[-1] if own else None


def raised_in(error: BaseException) -> CodeType | None:
    """The code of the function that raised an error."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    return codes[-1] if codes else None


def one_line(error: BaseException, folders: Iterable[str] = ()) -> str:
    """An error as one line.

    Args:
        folders: what a path is shown without: the line may be handed back by who runs it.
    """
    text = type(error).__name__
    with contextlib.suppress(Exception):  # what an error of the learner's says may fail, too
        says = " ".join(str(error).split())
        for folder in sorted({f"{one}{os.sep}" for one in folders if one}, key=len, reverse=True):
            says = says.replace(folder, "")
        text += ": " + cleaned(says[: LONG + 1])
    return text if len(text) <= LONG else f"{text[:LONG]}…"


class UnreadableError(Exception):
    """The error of a call of a function that cannot be read."""


def stand_in(name: str, why: str) -> Callable:
    """A function that stands in for one of a learner's that Python cannot read."""

    def call(*arguments: object, **options: object) -> Any:
        raise UnreadableError(f"{name}, and {why}")

    return call
