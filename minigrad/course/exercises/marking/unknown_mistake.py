"""The mark of a wrong answer that is no known mistake: sentences on what is seen of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..learner_side.raised_error import RaisedError
from ..likeness import holder_of, numbers_of
from ..values_as_text import kind_of
from .mark import (
    BROKEN_RULE,
    CALLS_WRONG,
    NOT_READ,
    OTHER_KIND,
    WRONG,
    WRONG_NUMBERS,
    Mark,
    error_kind,
)
from .outcome import Outcome, same
from .properties import broken_rules
from .relation import relation
from .remote_function import RemoteFunction
from .trial import ROUGH, Trial

UNKNOWN = "It is wrong, in a way that is not on the list of known mistakes."
ERRORS = {  # what is said of an error with this name, in place of its text
    "builtins.RecursionError": "It calls itself without end, or some 1000 times deep, where Python "
    "gives up: a loop goes deeper.",
    "builtins.SystemExit": "It ends the program; an exercise returns its answer.",
    "builtins.EOFError": "It asks for input, and nobody answers; an exercise gets all that it needs as "
    "arguments.",
}


def mark_of_unknown(
    trial: Trial, function: RemoteFunction, outcomes: Sequence[Outcome], wrong: Sequence[int]
) -> Mark:
    """The mark that says what is seen of the first wrong answer, and of all of them."""
    exercise, first = trial.exercise, wrong[0]
    outcome, right = outcomes[first], trial.truths[first].value
    answer = outcome.value
    answered = outcome.error is None and answer is not None
    same_holder = answered and holder_of(answer) == holder_of(right)
    # Of several right answers, each may have its own length.
    fits = same_holder and (exercise.key is not None or kind_of(answer) == kind_of(right))
    fault = _of_error(outcome.error) if outcome.error else _of_answer(answer, right)
    at_all = (
        not_finite(answer, right),
        _relation(trial, outcomes, wrong) if same_holder else "",
        broken_rules(exercise, function, trial.cases[first]) if fits else "",
    )
    if fault.says == UNKNOWN and any(at_all):  # they say it better
        by_rule_alone = not any(at_all[:-1])
        fault = Mark(WRONG, kind=BROKEN_RULE if by_rule_alone else WRONG_NUMBERS)
    example_alone = _docstring_alone(trial, outcome, wrong)
    how_far = _how_far(trial, outcomes, wrong) if fits else ""
    sentences = fault.says, example_alone, *at_all, how_far
    return replace(fault, says=" ".join(filter(None, sentences)))


def _docstring_alone(trial: Trial, outcome: Outcome, wrong: Sequence[int]) -> str:
    drawn = [k for k, case in enumerate(trial.cases) if case.drawn]
    alone = outcome.error is None and wrong == drawn and len(drawn) < len(trial.cases)
    return "It is right for the example in its docstring alone." if alone else ""


def _relation(trial: Trial, outcomes: Sequence[Outcome], wrong: Sequence[int]) -> str:
    """Say how all wrong answers lie to the right ones; "" where there are several right answers."""
    if trial.exercise.key is not None:
        return ""
    answered = [k for k in wrong if outcomes[k].error is None]
    pairs = [(outcomes[k].value, trial.truths[k].value) for k in answered]
    return relation(pairs, len(wrong) < len(outcomes))


def _how_far(trial: Trial, outcomes: Sequence[Outcome], wrong: Sequence[int]) -> str:
    """Say whether it is off by little, or right for some inputs."""
    if all(same(trial.exercise, outcomes[k], trial.truths[k], ROUGH) for k in wrong):
        return "It is off by little: is something rounded, or a small number added or left out?"
    if len(wrong) < sum(case.drawn for case in trial.cases):
        right = len(outcomes) - len(wrong)
        return f"It is right for {right} of {len(outcomes)} inputs: what sets this one apart?"
    return ""


# --- by the answer, or the error -----------------------------------------------------------------


def _of_answer(answer: Any, right: Any) -> Mark:
    """The mark of an answer by what kind of thing it is; `UNKNOWN` if it is of the right kind."""
    other = lambda says: Mark(WRONG, says, kind=OTHER_KIND)
    if answer is None:
        return other("It returns nothing: is there a return at its end?")
    holders = holder_of(answer), holder_of(right)
    if all(holders) and holders[0] != holders[1]:
        return other("It returns {}; asked for is {}.".format(*holders))
    if isinstance(answer, (list, tuple)) and not answer and len(right):
        name = type(answer).__name__
        return other(f"It returns an empty {name}; {len(right)} elements are expected.")
    kinds = kind_of(answer), kind_of(right)
    if kinds[0] != kinds[1]:
        return other("It returns {}; expected is {}.".format(*kinds))
    return Mark(WRONG, UNKNOWN, kind=WRONG_NUMBERS)


def _of_error(error: RaisedError) -> Mark:
    if error.kind == "builtins.NotImplementedError" and error.function:
        says = f"It calls {error.function}, which is not written yet."
        return Mark(WRONG, says, kind=CALLS_WRONG)
    if error.kind.endswith(".UnreadableError"):
        return Mark(WRONG, f"It calls {error.text.partition(': ')[2]}.", kind=NOT_READ)
    if error.kind in ERRORS:
        return Mark(WRONG, ERRORS[error.kind], kind=error_kind(error.kind))
    fault = f"It raises {error.text}"
    return Mark(WRONG, f"{fault}{error.line}.", kind=error_kind(error.kind), fault=f"{fault}.")


def not_finite(answer: object, right: object) -> str:
    """Say that an answer has NaN or infinity in it, where the right one has only finite numbers, and no
    booleans."""
    numbers = numbers_of(right)
    if numbers is not None and numbers.dtype.kind == "b":
        return ""  # of a mask that is to be added
    bad = next((n for n in ("nan", "inf") if n in _odd(answer) and not _odd(right)), "")
    because = {
        "nan": "0 was divided by 0, or infinity by infinity, or one taken off the other",
        "inf": "a number was divided by 0, or is too large: exp(1000) is infinite",
    }
    return f"There is {bad} in the answer: {because[bad]}." if bad else ""


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
