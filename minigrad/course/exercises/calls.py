"""One call of a function that is judged: the answer, or the error, and what it did beside."""

from __future__ import annotations

import copy
import gc
import inspect
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ...ran.variables import SourceLine
from .exercise import Case, Exercise
from .likeness import alike, kind
from .wording import shown

KNOWN = frozenset(sys.stdlib_module_names) | {"numpy", "minigrad", "minitransformer", "__main__"}


@dataclass(frozen=True)
class Outcome:
    """The result of a call, and what of that is compared; or the error that it raised; and the
    arguments that it changed."""

    value: Any = None
    key: Any = None
    error: BaseException | None = None
    changed: int | None = None


def outcome_of(exercise: Exercise, function: Callable, case: Case, hook: Any = None) -> Outcome:
    given, watching = case.inputs(), sys.getprofile()
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if hook is None:
                return _answered(exercise, case, function(*given))
            collecting = gc.isenabled()
            gc.disable()  # what libraries have it call is not called by the function
            sys.setprofile(hook)
            try:
                value = function(*given)
            finally:
                sys.setprofile(watching)
                if collecting:
                    gc.enable()
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # sys.exit too costs this exercise only
        return Outcome(error=problem)
    changed = (k for k, pair in enumerate(zip(given, case.inputs())) if not alike(*pair, 0, 0))
    return _answered(exercise, case, value, next(changed, None))


def true_outcome(exercise: Exercise, case: Case) -> Outcome:
    return _answered(exercise, case, exercise.truth(*case.inputs()))


def _answered(exercise: Exercise, case: Case, value: object, changed: int | None = None) -> Outcome:
    if type(value) in (list, dict):
        value = copy.copy(value)  # which a later call may change, if it is kept by accident
    if exercise.key is None:
        return Outcome(value, value, changed=changed)
    try:
        key: Any = kind(value), exercise.key(value, *case.inputs())
    except Exception:  # an answer of the wrong kind has none
        key = "no answer", shown(value)
    return Outcome(value, key, changed=changed)


def watcher(exercise: Exercise, function: Callable, found: list[str]) -> Callable:
    """A profiler that notes the line of the function's file that calls what may not do the work."""
    home = getattr(code_of(function), "co_filename", None)
    innocent: set[CodeType] = set()  # what was looked at before

    def hook(frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or found or frame.f_code in innocent:
            return
        if not _foreign(frame, exercise.without):
            innocent.add(frame.f_code)
        else:
            caller: FrameType | None = frame
            while caller is not None and caller.f_code.co_filename != home:
                if caller.f_code.co_filename.startswith("<frozen importlib") and not _known(frame):
                    return  # a finder of another package, which sees every import
                caller = caller.f_back
            if caller is not None:
                line = SourceLine(caller.f_code.co_filename, caller.f_lineno)
                found.append(f"line {line.number}: {line.text}")

    return hook


def _foreign(frame: FrameType, without: Sequence[str]) -> bool:
    module = frame.f_globals.get("__name__", "")
    if module.startswith(__package__) or module.startswith("exercises_"):
        return False
    name = f"{module}.{frame.f_code.co_name}"
    banned = any(f"{name}.".startswith(f"{w}.") for w in without)
    return banned or (module.partition(".")[0] in sys.modules and not _known(frame))


def _known(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__", "").partition(".")[0] in KNOWN


def code_of(function: Callable) -> CodeType | None:
    return getattr(inspect.unwrap(function), "__code__", None)
