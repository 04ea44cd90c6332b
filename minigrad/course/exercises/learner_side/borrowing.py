"""A function that leaves its work to the library: seen while it runs, by what it calls.

Python tells a profiler of each call. A call is foreign if it is of what may not do the work, or of a
package other than NumPy; then the line of the learner's that led there is noted.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType

from ....missing import refuse_import
from ....ran.variables import SourceLine
from ..learner_file import KNOWN

MARKING = "minigrad.course.exercises"  # what asks the function is not called by it


def borrowing_noted(without: Sequence[str], function: Callable, lines: list[str]) -> Callable:
    """A profiler that notes the line of the function's file that calls what may not do the work."""
    home = getattr(code_of(function), "co_filename", None)
    # What was looked at before; the first is asked at every import of what is not there.
    innocent: set[CodeType] = {refuse_import.__code__}

    def hook(frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or lines or frame.f_code in innocent:
            return
        if not _foreign(frame, without):
            innocent.add(frame.f_code)
        elif line := _line_that_led_to(frame, home):
            lines.append(f"line {line.number}: {line.text}")

    return hook


def _line_that_led_to(frame: FrameType, home: str | None) -> SourceLine | None:
    """Find the line of the file `home` from which a call came; None if it came from elsewhere."""
    caller: FrameType | None = frame
    while caller is not None and caller.f_code.co_filename != home:
        if caller.f_code.co_filename.startswith("<frozen importlib") and not is_known(frame):
            return None  # a finder of another package, which sees every import
        caller = caller.f_back
    return None if caller is None else SourceLine(caller.f_code.co_filename, caller.f_lineno)


def _foreign(frame: FrameType, without: Sequence[str]) -> bool:
    """Tell whether a call is of what may not do the work, or of a package that nobody knows here."""
    module = frame.f_globals.get("__name__", "")
    if module.startswith(MARKING) or module.startswith("exercises_"):
        return False
    name = f"{module}.{frame.f_code.co_name}"
    banned = any(f"{name}.".startswith(f"{w}.") for w in without)
    return banned or (module.partition(".")[0] in sys.modules and not is_known(frame))


def is_known(frame: FrameType) -> bool:
    """Tell whether the code is of Python, NumPy or this library: no file of the learner's."""
    return frame.f_globals.get("__name__", "").partition(".")[0] in KNOWN


def code_of(function: Callable) -> CodeType | None:
    """The code of a function; None of one that is not written in Python."""
    return getattr(inspect.unwrap(function), "__code__", None)
