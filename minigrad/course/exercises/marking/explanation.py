"""The mark of a function that is wrong: the known mistake that it makes, or what is seen."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from ..exercise import Case, Exercise
from ..likeness import alike
from ..values_as_text import call_text, kind_of, shown
from .mark import HARD_CODED, RETURN_IN_LOOP, UNSTEADY, WRONG, Mark
from .outcome import Outcome, same
from .remote_function import About, RemoteFunction
from .trial import Trial
from .unknown_mistake import mark_of_unknown

CONSTANT = "It gives the same answer whatever it is given: compute it from the arguments."
ONE_ROUND = (
    "Its return stands in the loop, so the loop ends in its first round: move it out to the left."
)


def mark_of_wrong(
    trial: Trial, function: RemoteFunction, outcomes: Sequence[Outcome], about: About
) -> Mark:
    """Find out what is wrong with a function that is: a mistake that has a name, or what is seen."""
    wrong = trial.wrong(outcomes)
    lines = lambda k: _lines(trial.exercise, trial.cases[k], outcomes[k], trial.truths[k])
    picture = lambda k: _picture(trial.exercise, trial.cases[k], outcomes[k], trial.truths[k])
    if about.one_round and outcomes[wrong[0]].error is None:  # another mistake may give the same
        return Mark(WRONG, ONE_ROUND, lines(wrong[0]), kind=RETURN_IN_LOOP)
    mistake = trial.exact_mistake(outcomes)
    if mistake is None:
        if not about.reads and _hard_coded(trial, outcomes):
            return Mark(HARD_CODED, CONSTANT, lines(wrong[0]))
        if says := _unsteady(trial, function, outcomes):
            return Mark(WRONG, says, lines(wrong[0]), kind=UNSTEADY)
        mistake = trial.likely_mistake(outcomes)
    if mistake is None:
        what_is_seen = mark_of_unknown(trial, function, outcomes, wrong)
        return replace(what_is_seen, shows=lines(wrong[0]), picture=picture(wrong[0]))
    says, k = trial.exercise.mistakes[mistake.number].says, mistake.case
    return Mark(WRONG, says, lines(k), mistake.number, picture(k))


def _unsteady(trial: Trial, function: RemoteFunction, outcomes: Sequence[Outcome]) -> str:
    """Say why the same call gives another answer when it is made again; "" if it gives the same."""
    changed = function.changed()
    for k in trial.wrong(outcomes):
        if changed or outcomes[k].error is None:
            function.forget()
            again = function.outcome(trial.exercise, trial.cases[k])
            comparable = same(trial.exercise, again, again)  # not so for a generator
            if comparable and not same(trial.exercise, outcomes[k], again):
                if changed:
                    return f"It remembers the calls before: {changed}"
                return "It gives another answer each time it is called."
    return ""


def _hard_coded(trial: Trial, outcomes: Sequence[Outcome]) -> bool:
    """Tell whether a function gives one answer for all inputs."""
    constant = lambda answers: all(alike(answers[0].value, a.value, 1e-6, 1e-9) for a in answers)
    if any(outcome.error is not None for outcome in outcomes):
        return False
    fits = kind_of(outcomes[0].value) == kind_of(trial.truths[0].value)
    return fits and constant(outcomes) and not constant(trial.truths)


def _lines(exercise: Exercise, case: Case, outcome: Outcome, truth: Outcome) -> tuple[str, ...]:
    """The lines that show a wrong answer: the call, what it gives, what is expected."""
    error = outcome.error
    answer = shown(outcome.value) if error is None else error.text
    right = shown(truth.value)
    if error is None and answer == right:  # an array and a list, for instance
        answer, right = shown(outcome.value, True), shown(truth.value, True)
    if exercise.key is not None:
        right += " or another that is right"
    return call_text(exercise, case), f"gives     {answer}", f"expected  {right}"


def _picture(
    exercise: Exercise, case: Case, outcome: Outcome, truth: Outcome
) -> tuple[str, str] | None:
    """A drawing of a wrong answer, as `Mark.picture` has it; None if the exercise has none."""
    if exercise.picture is not None and outcome.error is None:
        with contextlib.suppress(Exception):  # of an answer of the wrong kind there is none
            graph = exercise.picture(case.inputs(), outcome.value, truth.value)
            if graph is not None:
                return graph.to_dot(), str(graph)
    return None
