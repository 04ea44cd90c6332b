"""One function, marked: is it right, and if not, which mistake is it?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..learner_side.callee import Callee
from ..shared_files import wrapped
from ..values_as_text import call_text
from .explanation import explained
from .mark import BORROWED, NOT_BEGUN, RIGHT, WRONG, Mark
from .outcome import Outcome
from .properties import broken
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
        return Mark(WRONG, f"{exercise.name} is no function, or what defines it fails.")
    outcomes: list[Outcome] = []
    for case in trial.cases:
        outcomes.append(function.outcome(exercise, case))
        last = outcomes[-1]
        if last.numpy:
            return _numpy(last.numpy)
        if last.borrowed:
            return Mark(
                BORROWED, f"It leaves the work to what is there already, in {last.borrowed}."
            )
        if last.error is not None:
            if last.error.own and last.error.kind == "builtins.NotImplementedError":
                return Mark(NOT_BEGUN)
            if last.error.kind == "builtins.KeyboardInterrupt":
                return Mark(WRONG, INTERRUPTS, (call_text(exercise, case),))
    wrong = len(trial.wrong(outcomes))
    if wrong:
        found = explained(trial, function, outcomes, about.reads)
    else:
        found = _unchanged(trial, outcomes) or _properties(trial, function)
    if found.state != WRONG:
        return found
    of = len(outcomes)
    return replace(found, share=1 - wrong / of, right_for=f"{of - wrong} of {of}")


def _numpy(name: str) -> Mark:
    says = (
        f"The file changes NumPy itself: np.{name} is no longer NumPy's, for anybody. Give what is "
        f"yours a name of its own."
    )
    return Mark(WRONG, says)


def _unchanged(trial: Trial, outcomes: Sequence[Outcome]) -> Mark | None:
    for case, outcome in zip(trial.cases, outcomes):
        if outcome.changed is not None:
            says = (
                f"The answers are right, but it changes what it was given, in argument "
                f"{outcome.changed + 1}: work on a copy."
            )
            return Mark(WRONG, says, (call_text(trial.exercise, case),))
    return None


def _properties(trial: Trial, function: RemoteFunction) -> Mark:
    for case in trial.cases:
        says = broken(trial.exercise, function, case)
        if says:
            return Mark(WRONG, says.strip(), (call_text(trial.exercise, case),))
    return Mark(RIGHT)
