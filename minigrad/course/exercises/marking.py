"""One function, judged: is it right, and if not, which mistake is it?"""

from __future__ import annotations

import contextlib
import dis
import gc
import inspect
import math
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ...engine.tensor import Tensor
from ...views.source import SourceLine, line_of
from .exercise import Case, Exercise

RIGHT, WRONG, NOT_BEGUN, MISSING = "right", "wrong", "not begun", "missing"
BORROWED, HARD_CODED, STOPPED = "borrowed", "hard-coded", "stopped"
KNOWN = frozenset(sys.stdlib_module_names) | {"numpy", "minigrad", "minitransformer", "__main__"}
ROUGH = 1e-3  # of a mistake that is nearly the one
LONG, CALL = 400, 1500  # characters of a value, and of a whole call, that are shown


@dataclass(frozen=True)
class Verdict:
    """The result of an exercise.

    Attributes:
        state: "right", "wrong", "not begun", "missing" (there is no such function), "borrowed" (the
            library did it), "hard-coded", or "stopped" (it took too long, or ended the process).
        says: why, in a sentence; "" where it is right.
        shows: the smallest input that shows it, and what comes of it; a line each.
        mistake: the number of the written-down mistake that it is, or None.
        picture: the text of a drawing, in DOT, and of the table that stands in for it; or None.
    """

    state: str
    says: str = ""
    shows: tuple[str, ...] = ()
    mistake: int | None = None
    picture: tuple[str, str] | None = None


@dataclass(frozen=True)
class Outcome:
    """The result of a call, and what of that is compared; or the error that it raised; and the
    arguments that it changed."""

    value: Any = None
    key: Any = None
    error: BaseException | None = None
    changed: int | None = None


class Trial:
    """An exercise with the inputs of a seed: what is right for them, and what each mistake gives.

    Args:
        examples: the arguments in the examples of the docstring, tried before those drawn.
    """

    def __init__(self, exercise: Exercise, seed: int, examples: Sequence[tuple] = ()):
        self.exercise = exercise
        self.cases = list(exercise.cases(seed, examples))
        self.truths = [_true(exercise, case) for case in self.cases]
        self._of_mistakes: dict[tuple[int, int], Outcome] = {}

    def is_mistake(self, number: int, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether a mistake gives the same outcomes for all inputs."""
        return all(
            same(self.exercise, outcome, self._of_mistake(number, k))
            for k, outcome in enumerate(outcomes)
        )

    def nearest(self, outcomes: Sequence[Outcome], wrong: Sequence[int]) -> str:
        """In a sentence, the mistake that gives the same for every input that is answered wrong.

        There must be three such inputs at least, answered otherwise than about right, and one such
        mistake.
        """
        about = [same(self.exercise, outcomes[k], self.truths[k], ROUGH) for k in wrong]
        if all(about):
            return (
                " It is off by little: is something rounded, or a small number added or left out?"
            )
        found = {
            mistake.says
            for number, mistake in enumerate(self.exercise.mistakes)
            if all(
                same(self.exercise, outcomes[k], self._of_mistake(number, k), ROUGH) for k in wrong
            )
        }
        if any(about) or len(wrong) < 3 or len(found) != 1:
            return ""
        return f" Where it is wrong, it gives what comes of this: {found.pop()}"

    def _of_mistake(self, number: int, k: int) -> Outcome:
        if (number, k) not in self._of_mistakes:
            function = self.exercise.mistakes[number].function
            self._of_mistakes[number, k] = _outcome(self.exercise, function, self.cases[k])
        return self._of_mistakes[number, k]


def judge(trial: Trial, function: Callable, say: Callable[[str], Any] | None = None) -> Verdict:
    """Try a function, and find out what is wrong with it.

    It runs here and now: what never ends, or ends the process, is for `sandbox`.

    Args:
        say: is told of each call before it is made, as text.
    """
    exercise, cases, truths = trial.exercise, trial.cases, trial.truths
    borrowed: list[str] = []
    hook = _watch(exercise, function, borrowed)
    outcomes: list[Outcome] = []
    for case in cases:
        if say is not None:
            say(_call(exercise, case))
        outcomes.append(_outcome(exercise, function, case, hook))
        if borrowed:
            says = f"It leaves the work to what is there already, in {borrowed[0]}."
            return Verdict(BORROWED, says)
        error = outcomes[-1].error
        if isinstance(error, NotImplementedError) and _raised_in(error) is _code(function):
            return Verdict(NOT_BEGUN)
    wrong = [k for k, pair in enumerate(zip(outcomes, truths)) if not same(exercise, *pair)]
    if not wrong:
        return _unchanged(trial, outcomes) or _properties(trial, function)
    first = wrong[0]
    shows, picture = _shown(exercise, cases[first], outcomes[first], truths[first])
    for number, mistake in enumerate(exercise.mistakes):
        if trial.is_mistake(number, outcomes):
            return Verdict(WRONG, mistake.says, shows, number, picture)
    given, right = outcomes[first], truths[first]
    if _hard_coded(trial, function, outcomes):
        says = "It gives the same answer whatever it is given: compute it from the arguments."
        return Verdict(HARD_CODED, says, shows)
    says = _guess(given, right)
    drawn = [k for k, case in enumerate(cases) if case.drawn]
    if given.error is None and wrong == drawn and len(drawn) < len(cases):
        says += " It is right for the example in its docstring alone."
    if given.error is None and _kind_of(given.value) == _kind_of(right.value):
        again = [_outcome(exercise, function, cases[k]) for k in wrong]
        if not all(same(exercise, outcomes[k], one) for k, one in zip(wrong, again)):
            return Verdict(WRONG, "It gives another answer each time it is called.", shows)
    if given.error is None and _kind(given.value) == _kind(right.value):
        says += _broken(exercise, function, cases[first]) + trial.nearest(outcomes, wrong)
    return Verdict(WRONG, says, shows, None, picture)


def _code(function: Callable) -> CodeType | None:
    return getattr(inspect.unwrap(function), "__code__", None)


def _raised_in(error: BaseException) -> CodeType | None:
    """The code of the function that raised an error."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    return codes[-1] if codes else None


# --- one call -------------------------------------------------------------------------------------


def _outcome(exercise: Exercise, function: Callable, case: Case, hook: Any = None) -> Outcome:
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


def _true(exercise: Exercise, case: Case) -> Outcome:
    return _answered(exercise, case, exercise.truth(*case.inputs()))


def _answered(exercise: Exercise, case: Case, value: Any, changed: int | None = None) -> Outcome:
    if exercise.key is None:
        return Outcome(value, value, changed=changed)
    try:
        key = _kind(value), exercise.key(value, *case.inputs())
    except Exception:  # an answer of the wrong kind has none
        key = "no answer", shown(value)
    return Outcome(value, key, changed=changed)


def _watch(exercise: Exercise, function: Callable, found: list[str]) -> Callable:
    """A profiler that notes the line of the function's file that calls what may not do the work."""
    home = getattr(_code(function), "co_filename", None)
    innocent: set[CodeType] = set()  # what was looked at before

    def hook(frame: FrameType, event: str, argument: Any) -> None:
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


def same(exercise: Exercise, one: Outcome, other: Outcome, rough: float = 0.0) -> bool:
    """Tell whether two outcomes are alike: the same answer, or errors of one kind.

    Args:
        rough: how far numbers may be off, relatively, if that is more than the exercise allows.
    """
    if one.error is not None or other.error is not None:
        return type(one.error) is type(other.error)
    return alike(one.key, other.key, max(exercise.rtol, rough), max(exercise.atol, rough))


def alike(a: Any, b: Any, rtol: float, atol: float) -> bool:
    """Tell whether two answers are alike: numbers up to rounding, kinds, shapes and lengths exactly."""
    if callable(a) and callable(b):
        return True
    if _kind(a) != _kind(b):
        return False
    if isinstance(a, dict) or isinstance(b, dict):
        both = isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys()
        return both and all(alike(a[k], b[k], rtol, atol) for k in a)
    if isinstance(a, (str, type(None))) or isinstance(b, (str, type(None))):
        return type(a) is type(b) and a == b
    if type(a) is type(b) and type(a) in (int, float):
        return a == b or abs(a - b) <= atol + rtol * abs(b) < math.inf or (a != a and b != b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(alike(x, y, rtol, atol) for x, y in zip(a, b))
    x, y = _numbers(a), _numbers(b)
    if x is None or y is None:
        return False
    kinds = x.dtype.kind == y.dtype.kind or "b" not in (x.dtype.kind, y.dtype.kind)
    return kinds and x.shape == y.shape and _close(x, y, rtol, atol)


def _kind(value: Any) -> str:
    """The name of the type that holds the numbers of an answer; "" for a single one, or for none."""
    value = _array(value)
    if isinstance(value, tuple):
        inner = [_kind(one) for one in value]
        return (
            f"a tuple of {' and '.join(k or 'a number' for k in inner)}"
            if any(inner)
            else "a tuple"
        )
    if isinstance(value, list):
        return "a list"
    return "an array of NumPy's" if isinstance(value, np.ndarray) and value.ndim else ""


def _numbers(value: Any) -> np.ndarray | None:
    """A value as an array of numbers or booleans; None if it is none."""
    try:
        array = np.asarray(_array(value))
    except Exception:  # lists of several lengths, or anything that is no array
        return None
    return array if array.dtype.kind in "biuf" else None


def _close(x: np.ndarray, y: np.ndarray, rtol: float, atol: float) -> bool:
    close = x == y
    if "f" in (x.dtype.kind, y.dtype.kind):
        with np.errstate(all="ignore"):  # infinity is close to itself alone, and so is NaN
            close = close | (np.isfinite(y) & (abs(x - y) <= atol + rtol * abs(y)))
            close = close | ((x != x) & (y != y))
    return bool(np.all(close))


def _array(value: Any) -> Any:
    return value.data if isinstance(value, Tensor) else value


# --- what to say ----------------------------------------------------------------------------------


def _unchanged(trial: Trial, outcomes: Sequence[Outcome]) -> Verdict | None:
    for case, outcome in zip(trial.cases, outcomes):
        if outcome.changed is not None:
            says = (
                f"The answers are right, but it changes what it was given, in argument "
                f"{outcome.changed + 1}: work on a copy."
            )
            return Verdict(WRONG, says, (_call(trial.exercise, case),))
    return None


def _properties(trial: Trial, function: Callable) -> Verdict:
    for case in trial.cases:
        broken = _broken(trial.exercise, function, case)
        if broken:
            return Verdict(WRONG, broken.strip(), (_call(trial.exercise, case),))
    return Verdict(RIGHT)


def _broken(exercise: Exercise, function: Callable, case: Case) -> str:
    """Name in sentences the properties that the function does not have in this case."""
    sentences = ""
    for text, holds in exercise.properties.items():
        try:
            with np.errstate(all="ignore"):
                held = holds(function, *case.inputs())
        except Exception:  # an answer of the wrong kind has no properties
            held = False
        sentences += "" if held else f" It does not hold that {text}."
    return sentences


def _hard_coded(trial: Trial, function: Callable, outcomes: Sequence[Outcome]) -> bool:
    """Tell whether a function gives one answer for all inputs, and does not read them."""
    constant = lambda some: all(alike(some[0].value, one.value, 1e-6, 1e-9) for one in some)
    if any(outcome.error is not None for outcome in outcomes) or _reads(function):
        return False
    fits = _kind_of(outcomes[0].value) == _kind_of(trial.truths[0].value)
    return fits and constant(outcomes) and not constant(trial.truths)


def _reads(function: Callable) -> bool:
    """Tell whether a function reads its arguments."""
    code = _code(function)
    if code is None:
        return True
    own = code.co_varnames[: code.co_argcount]
    steps = dis.get_instructions(code)
    loaded = {step.argval for step in steps if step.opname.startswith("LOAD_FAST")}
    names = {name for one in loaded for name in (one if isinstance(one, tuple) else (one,))}
    return bool({*own} & {*names, *code.co_cellvars})


class UnreadableError(Exception):
    """The error of a call of a function that cannot be read."""


def unreadable(name: str, why: str) -> Callable:
    """A function that stands in for one of a learner's that Python cannot read."""

    def call(*arguments: Any, **options: Any) -> Any:
        raise UnreadableError(f"{name}, and {why}")

    return call


def _guess(outcome: Outcome, truth: Outcome) -> str:
    """Describe, if possible, a wrong answer that is none of the known mistakes."""
    error = outcome.error
    if isinstance(error, RecursionError):
        return "It calls itself without end."
    if isinstance(error, SystemExit):
        return "It ends the program; an exercise returns its answer."
    if isinstance(error, NotImplementedError) and (code := _raised_in(error)) is not None:
        return f"It calls {code.co_name}, which is not written yet."
    if isinstance(error, UnreadableError):
        return f"It calls {error}."
    if error is not None:
        line = line_of(error)
        at = f", in line {line.number}: {line.text}" if line is not None else ""
        return f"It raises {_told(error)}{at}."
    if outcome.value is None:
        return "It returns nothing: is there a return at its end?"
    given, right = _kind(outcome.value), _kind(truth.value)
    if given and right and given != right:
        return f"It returns {given}; asked for is {right}."
    given, right = _kind_of(outcome.value), _kind_of(truth.value)
    if given != right:
        return f"It returns {given}; expected is {right}."
    return "It is wrong, in a way that is not on the list of known mistakes."


def _told(error: BaseException) -> str:
    """An error as one line."""
    text = type(error).__name__
    with contextlib.suppress(Exception):  # what an error of the learner's says may fail, too
        told = str(error).encode(errors="backslashreplace").decode()  # half a pair is no character
        text += ": " + " ".join(told.split())
    return text if len(text) <= LONG else f"{text[:LONG]}…"


def _kind_of(value: Any) -> str:
    """Describe what kind of thing an answer is."""
    if isinstance(value, (dict, str)):
        return f"a {type(value).__name__}"
    if isinstance(value, (tuple, list)) and any(np.ndim(_array(v)) for v in value):
        return f"({', '.join(map(_kind_of, value))})"
    array = _numbers(value)
    if array is None:
        return f"a {type(value).__name__}"
    kind = "boolean" if array.dtype.kind == "b" else "number"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)} {kind}{'s' * (len(value) != 1)}"
    return f"{kind}s of shape {array.shape}" if array.ndim else f"one {kind}"


def _shown(
    exercise: Exercise, case: Case, outcome: Outcome, truth: Outcome
) -> tuple[tuple[str, ...], tuple[str, str] | None]:
    """The lines that show a wrong answer, and a picture of it."""
    error = outcome.error
    given = shown(outcome.value) if error is None else _told(error)
    lines = (_call(exercise, case), f"gives     {given}", f"expected  {shown(truth.value)}")
    picture = None
    if exercise.picture is not None and error is None:
        with contextlib.suppress(Exception):  # of an answer of the wrong kind there is none
            graph = exercise.picture(case.inputs(), outcome.value, truth.value)
            if graph is not None:
                picture = graph.to_dot(), str(graph)
    return lines, picture


def _call(exercise: Exercise, case: Case) -> str:
    text = f"{exercise.name}({', '.join(map(shown, case.inputs()))})"
    return text if len(text) <= CALL else f"{text[:CALL]}…"


def shown(value: Any) -> str:
    """A value as one line of Python."""
    try:
        text = _text(value)
    except Exception:  # an object of the learner's that cannot say what it is
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONG else f"{text[:LONG]}…"


def _text(value: Any) -> str:
    value = _array(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return _text(value.tolist())
    if isinstance(value, float):
        return f"{value:.6g}" if value != round(value, 1) else repr(value)
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(_text, value))
        comma = "," if len(value) == 1 else ""
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{comma})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(k)}: {_text(v)}" for k, v in value.items()) + "}"
    return repr(value)
