"""Sentences about a wrong answer that is no known mistake: what is seen of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..learner_side.raised_error import RaisedError
from ..likeness import kind, numbers_of
from ..values_as_text import kind_of
from .outcome import Outcome, same
from .properties import broken
from .relation import relation
from .remote_function import RemoteFunction
from .trial import ROUGH, Trial

UNKNOWN = "It is wrong, in a way that is not on the list of known mistakes."


def seen(
    trial: Trial, function: RemoteFunction, outcomes: Sequence[Outcome], wrong: Sequence[int]
) -> str:
    """Say what is seen of a wrong answer, the first, and of all of them."""
    exercise, first = trial.exercise, wrong[0]
    given, right = outcomes[first], trial.truths[first]
    alike = (
        given.error is None and given.value is not None and kind(given.value) == kind(right.value)
    )
    # Of several right answers, each may have its own length.
    fits = alike and (exercise.key is not None or kind_of(given.value) == kind_of(right.value))
    says = [
        guess(given.error, given.value, right.value),
        _docstring_alone(trial, given, wrong),
        not_finite(given.value, right.value),
    ]
    if alike and exercise.key is None:  # there is one right answer
        pairs = [(outcomes[k], trial.truths[k].value) for k in wrong]
        answered = [(one.value, y) for one, y in pairs if one.error is None]
        says.append(relation(answered, len(wrong) < len(outcomes)))
    if fits:
        says.append(broken(exercise, function, trial.cases[first]))
    if says[0] == UNKNOWN and any(says[2:]):
        says[0] = ""  # what is seen says it better
    if fits:
        says.append(_how_far(trial, outcomes, wrong))
    return "".join(says).strip()


def _docstring_alone(trial: Trial, given: Outcome, wrong: Sequence[int]) -> str:
    drawn = [k for k, case in enumerate(trial.cases) if case.drawn]
    alone = given.error is None and wrong == drawn and len(drawn) < len(trial.cases)
    return " It is right for the example in its docstring alone." if alone else ""


def _how_far(trial: Trial, outcomes: Sequence[Outcome], wrong: Sequence[int]) -> str:
    """Say whether it is off by little, or right for some inputs."""
    if all(same(trial.exercise, outcomes[k], trial.truths[k], ROUGH) for k in wrong):
        return " It is off by little: is something rounded, or a small number added or left out?"
    if len(wrong) < sum(case.drawn for case in trial.cases):
        right = len(outcomes) - len(wrong)
        return f" It is right for {right} of {len(outcomes)} inputs: what sets this one apart?"
    return ""


# --- by the answer, or the error -----------------------------------------------------------------


def guess(error: RaisedError | None, value: Any, truth: Any) -> str:
    """Describe, if possible, a wrong answer that is none of the known mistakes."""
    if error is not None:
        return _of_error(error)
    if value is None:
        return "It returns nothing: is there a return at its end?"
    given, right = kind(value), kind(truth)
    if given and right and given != right:
        return f"It returns {given}; asked for is {right}."
    if isinstance(value, (list, tuple)) and not value and len(truth):
        return f"It returns an empty {type(value).__name__}; {len(truth)} elements are expected."
    given, right = kind_of(value), kind_of(truth)
    if given != right:
        return f"It returns {given}; expected is {right}."
    return UNKNOWN


def _of_error(error: RaisedError) -> str:
    if error.kind == "builtins.RecursionError":
        return (
            "It calls itself without end, or some 1000 times deep, where Python gives up: a loop goes "
            "deeper."
        )
    if error.kind == "builtins.SystemExit":
        return "It ends the program; an exercise returns its answer."
    if error.kind == "builtins.EOFError":
        return "It asks for input, and nobody answers; an exercise gets all that it needs as arguments."
    if error.kind == "builtins.NotImplementedError" and error.function:
        return f"It calls {error.function}, which is not written yet."
    if error.kind.endswith(".UnreadableError"):
        return f"It calls {error.text.partition(': ')[2]}."
    return f"It raises {error.text}{error.line}."


def not_finite(value: object, truth: object) -> str:
    """Say that an answer has NaN or infinity in it, where the right one has only finite numbers, and no
    booleans."""
    right = numbers_of(truth)
    if right is not None and right.dtype.kind == "b":
        return ""  # of a mask that is to be added
    bad = next((n for n in ("nan", "inf") if n in _odd(value) and not _odd(truth)), "")
    because = {
        "nan": "0 was divided by 0, or infinity by infinity, or one taken off the other",
        "inf": "a number was divided by 0, or is too large: exp(1000) is infinite",
    }
    return f" There is {bad} in the answer: {because[bad]}." if bad else ""


def _odd(value: object) -> set[str]:
    """Say which of NaN and infinity are in an answer."""
    if isinstance(value, dict):
        value = list(value.values())
    numbers = numbers_of(value)
    if numbers is None:
        parts = value if isinstance(value, (list, tuple)) else []
        return set().union(*map(_odd, parts))
    if numbers.dtype.kind != "f":
        return set()
    return {n for n, f in (("nan", np.isnan), ("inf", np.isinf)) if f(numbers).any()}
