"""One function, marked: is it right, and if not, which mistake is it?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..exercise import Case, Exercise
from ..learner_side.callee import Callee
from ..shared_files import wrapped
from ..values_as_text import call_text
from .explanation import mark_of_wrong
from .mark import (
    BORROWED,
    BROKEN_RULE,
    CHANGED_ARGUMENT,
    CHANGED_NUMPY,
    NO_FUNCTION,
    NOT_BEGUN,
    RIGHT,
    WRONG,
    Mark,
    error_kind,
)
from .outcome import Outcome
from .properties import broken_rules
from .remote_function import RemoteFunction
from .trial import Trial

INTERRUPTS = "It raises KeyboardInterrupt, as Ctrl-C does; an exercise returns its answer."


def mark_function(trial: Trial, function: Callable) -> Mark:
    """Mark a function that runs here and now: what never ends, or ends the process, is for `sandbox`."""
    one = wrapped(function, trial.exercise.through)
    return mark(trial, RemoteFunction(Callee(one, trial.exercise.without)))


def mark(trial: Trial, function: RemoteFunction) -> Mark:
    """Ask a function for its answers, and find out what is wrong with them.

    Raises:
        StoppedError: by what asks it.
    """
    exercise = trial.exercise
    about = function.about()
    if about.numpy:
        return _numpy(about.numpy)
    if not about.callable:
        says = f"{exercise.name} is no function, or what defines it fails."
        return Mark(WRONG, says, kind=NO_FUNCTION)
    outcomes: list[Outcome] = []
    for case in trial.cases:
        outcomes.append(function.outcome(exercise, case))
        if early := _known_at_once(exercise, case, outcomes[-1]):
            return early
    wrong = len(trial.wrong(outcomes))
    if wrong:
        result = mark_of_wrong(trial, function, outcomes, about)
    else:
        result = _changed_argument(trial, outcomes) or _of_properties(trial, function)
    if result.state != WRONG:
        return result
    inputs = len(outcomes)
    return replace(result, share=1 - wrong / inputs, right_for=f"{inputs - wrong} of {inputs}")


def _known_at_once(exercise: Exercise, case: Case, outcome: Outcome) -> Mark | None:
    """The mark that one call decides; None if it takes the others, too."""
    if outcome.numpy:
        return _numpy(outcome.numpy)
    if outcome.borrowed:
        fault = "It leaves the work to what is there already"
        return Mark(BORROWED, f"{fault}, in {outcome.borrowed}.", fault=f"{fault}.")
    if outcome.error is not None:
        if outcome.error.own and outcome.error.kind == "builtins.NotImplementedError":
            return Mark(NOT_BEGUN)
        if outcome.error.kind == "builtins.KeyboardInterrupt":
            shows = (call_text(exercise, case),)
            return Mark(WRONG, INTERRUPTS, shows, kind=error_kind(outcome.error.kind))
    return None


def _numpy(name: str) -> Mark:
    """The mark of a file that changes NumPy."""
    says = (
        f"The file changes NumPy itself: np.{name} is no longer NumPy's, for anybody. Give what is "
        f"yours a name of its own."
    )
    return Mark(WRONG, says, kind=CHANGED_NUMPY)


def _changed_argument(trial: Trial, outcomes: Sequence[Outcome]) -> Mark | None:
    """The mark of right answers whose function changes what it is given; None if it does not."""
    for case, outcome in zip(trial.cases, outcomes):
        if outcome.changed is not None:
            says = (
                f"The answers are right, but it changes what it was given, in argument "
                f"{outcome.changed + 1}: work on a copy."
            )
            shows = (call_text(trial.exercise, case),)
            return Mark(WRONG, says, shows, kind=CHANGED_ARGUMENT)
    return None


def _of_properties(trial: Trial, function: RemoteFunction) -> Mark:
    """The mark of right answers: that they are right, if the function has all properties too."""
    for case in trial.cases:
        if says := broken_rules(trial.exercise, function, case):
            return Mark(WRONG, says, (call_text(trial.exercise, case),), kind=BROKEN_RULE)
    return Mark(RIGHT)
