"""One function, marked: is it right, and if not, which mistake is it?"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .asking import Asked, Outcome, StoppedError, outcome_of
from .calls import Callee
from .exercise import Case, Exercise
from .likeness import alike, kind
from .relation import relation
from .sheets import asked
from .wording import call_text, guess, kind_of, not_finite, shown

RIGHT, WRONG, NOT_BEGUN, MISSING = "right", "wrong", "not begun", "missing"
BORROWED, HARD_CODED, STOPPED = "borrowed", "hard-coded", "stopped"
NOT_MARKED = "not marked"
# How far off an answer may be, relatively, to be that of a mistake with something else.
ROUGH = 1e-3
FEWEST, MOST_AGAINST = 3, 4  # inputs that name a mistake, and of how many one may speak against it


@dataclass(frozen=True)
class Mark:
    """The result of an exercise.

    Attributes:
        state: "right", "wrong", "not begun", "missing" (there is no such function), "borrowed" (the
            library did it), "hard-coded", "stopped" (it took too long, or ended the process), or
            "not marked" (it needs another file).
        says: why, in a sentence; "" where it is right.
        shows: the smallest input that shows it, and what comes of it; a line each.
        mistake: the number of the written-down mistake that it is, or None.
        picture: the text of a drawing, in DOT, and of the table that stands in for it; or None.
        share: of the inputs, those that a function which is wrong answers right.
        right_for: how many these are, of how many: "9 of 19".
    """

    state: str
    says: str = ""
    shows: tuple[str, ...] = ()
    mistake: int | None = None
    picture: tuple[str, str] | None = None
    share: float = 0.0
    right_for: str = ""


class Named(NamedTuple):
    """A known mistake, and the first input on which the function makes it."""

    mistake: int
    case: int


class Trial:
    """An exercise with the inputs of a seed: what is right for them, and what each mistake gives.

    Args:
        examples: the arguments in the examples of the docstring, tried before those drawn.
    """

    def __init__(self, exercise: Exercise, seed: int, examples: Sequence[tuple] = ()):
        self.exercise = exercise
        self.cases = list(exercise.cases(seed, examples))
        self.truths = [
            outcome_of(exercise, case, exercise.truth(*case.inputs())) for case in self.cases
        ]
        self._of_mistakes: dict[tuple[int, int], Outcome] = {}

    def same(self, outcomes: Sequence[Outcome]) -> Named | None:
        """The mistake that gives the same outcomes for all inputs."""
        first = self.wrong(outcomes)[0]
        for number in range(len(self.exercise.mistakes)):
            if all(
                same(self.exercise, one, self._of_mistake(number, k))
                for k, one in enumerate(outcomes)
            ):
                return Named(number, first)
        return None

    def likely(self, outcomes: Sequence[Outcome]) -> Named | None:
        """The mistake that gives the same for nearly all inputs that can tell.

        Those are the inputs for which the function is wrong, or the mistake. A guard against some of
        them, or something else that is wrong beside the mistake, then costs it no more than a few.
        An answer that is only true or false has one wrong value, and says nothing.
        """
        if isinstance(self.truths[0].value, (bool, np.bool_)):
            return None
        wrong, found = set(self.wrong(outcomes)), []
        for number, mistake in enumerate(self.exercise.mistakes):
            agreeing, against = self._votes(number, outcomes, wrong)
            if len(agreeing) >= max(FEWEST, (MOST_AGAINST - 1) * against):
                share = len(agreeing) / (len(agreeing) + against)
                found.append((share, mistake.says, Named(number, agreeing[0])))
        best = max((share for share, *_ in found), default=0)
        fitting = [one for one in found if one[0] == best]
        return fitting[0][2] if len({says for _, says, _ in fitting}) == 1 else None

    def wrong(self, outcomes: Sequence[Outcome]) -> list[int]:
        """The numbers of the inputs that are answered wrong."""
        pairs = enumerate(zip(outcomes, self.truths))
        return [k for k, pair in pairs if not same(self.exercise, *pair)]

    def _votes(
        self, number: int, outcomes: Sequence[Outcome], wrong: set[int]
    ) -> tuple[list[int], int]:
        """The inputs on which a mistake gives what the function gave, and how many speak against it."""
        agreeing, against = [], 0
        for k, given in enumerate(outcomes):
            of_mistake, truth = self._of_mistake(number, k), self.truths[k]
            if k in wrong and same(self.exercise, given, of_mistake, ROUGH):
                # Of errors, only the kinds are compared; and what is off by little may be right.
                if given.error is None and not same(self.exercise, of_mistake, truth, ROUGH):
                    agreeing.append(k)
            elif k in wrong or not same(self.exercise, of_mistake, truth):
                against += 1
            if against * MOST_AGAINST > len(outcomes):
                break
        return agreeing, against

    def _of_mistake(self, number: int, k: int) -> Outcome:
        if (number, k) not in self._of_mistakes:
            function = self.exercise.mistakes[number].function
            made = Asked(Callee(asked(function, self.exercise.through)))
            self._of_mistakes[number, k] = made.outcome(self.exercise, self.cases[k])
        return self._of_mistakes[number, k]


def mark_function(trial: Trial, function: Callable) -> Mark:
    """Mark a function that runs here and now: what never ends, or ends the process, is for `sandbox`."""
    one = asked(function, trial.exercise.through)
    return mark(trial, Asked(Callee(one, trial.exercise.without)))


def mark(trial: Trial, function: Asked) -> Mark:
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
        found = _explained(trial, function, outcomes, about.reads)
    else:
        found = _unchanged(trial, outcomes) or _properties(trial, function)
    if found.state != WRONG:
        return found
    of = len(outcomes)
    return replace(found, share=1 - wrong / of, right_for=f"{of - wrong} of {of}")


INTERRUPTS = "It raises KeyboardInterrupt, as Ctrl-C does; an exercise returns its answer."


def _numpy(name: str) -> Mark:
    says = (
        f"The file changes NumPy itself: np.{name} is no longer NumPy's, for anybody. Give what is "
        f"yours a name of its own."
    )
    return Mark(WRONG, says)


def _explained(trial: Trial, function: Asked, outcomes: Sequence[Outcome], reads: bool) -> Mark:
    """Find out what is wrong with a function that is: a mistake that has a name, or what is seen."""
    wrong = trial.wrong(outcomes)
    named, state, says = trial.same(outcomes), WRONG, ""
    if named is None and not reads and _hard_coded(trial, outcomes):
        state = HARD_CODED
        says = "It gives the same answer whatever it is given: compute it from the arguments."
    elif named is None:
        says = _unsteady(trial, function, outcomes)
        named = None if says else trial.likely(outcomes)
    first = named.case if named else wrong[0]
    shows, picture = _shown(
        trial.exercise, trial.cases[first], outcomes[first], trial.truths[first]
    )
    if named is not None:
        return Mark(
            WRONG, trial.exercise.mistakes[named.mistake].says, shows, named.mistake, picture
        )
    if says:
        return Mark(state, says, shows)
    return Mark(WRONG, _seen(trial, function, outcomes, wrong), shows, None, picture)


def _seen(trial: Trial, function: Asked, outcomes: Sequence[Outcome], wrong: Sequence[int]) -> str:
    """Say what is seen of a wrong answer, the first, and of all of them."""
    exercise, first = trial.exercise, wrong[0]
    given, right = outcomes[first], trial.truths[first]
    alike = given.error is None and kind(given.value) == kind(right.value)
    says = [
        guess(given.error, given.value, right.value),
        _docstring_alone(trial, given, wrong),
        not_finite(given.value, right.value),
    ]
    if alike and exercise.key is None:  # there is one right answer
        pairs = [(outcomes[k], trial.truths[k].value) for k in wrong]
        answered = [(one.value, y) for one, y in pairs if one.error is None]
        says.append(relation(answered, len(wrong) < len(outcomes)))
    if alike:
        says.append(_broken(exercise, function, trial.cases[first]))
        says.append(_how_far(trial, outcomes, wrong))
    return "".join(says)


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


def _unsteady(trial: Trial, function: Asked, outcomes: Sequence[Outcome]) -> str:
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


def same(exercise: Exercise, one: Outcome, other: Outcome, rough: float = 0.0) -> bool:
    """Tell whether two outcomes are alike: the same answer, or errors of one kind.

    Args:
        rough: how far numbers may be off, relatively, if that is more than the exercise allows.
    """
    if one.error is not None or other.error is not None:
        return getattr(one.error, "kind", None) == getattr(other.error, "kind", None)
    return alike(one.key, other.key, max(exercise.rtol, rough), max(exercise.atol, rough))


def _unchanged(trial: Trial, outcomes: Sequence[Outcome]) -> Mark | None:
    for case, outcome in zip(trial.cases, outcomes):
        if outcome.changed is not None:
            says = (
                f"The answers are right, but it changes what it was given, in argument "
                f"{outcome.changed + 1}: work on a copy."
            )
            return Mark(WRONG, says, (call_text(trial.exercise, case),))
    return None


def _properties(trial: Trial, function: Asked) -> Mark:
    for case in trial.cases:
        broken = _broken(trial.exercise, function, case)
        if broken:
            return Mark(WRONG, broken.strip(), (call_text(trial.exercise, case),))
    return Mark(RIGHT)


def _broken(exercise: Exercise, function: Asked, case: Case) -> str:
    """Name in sentences the properties that the function does not have in this case."""
    sentences = ""
    for text, holds in exercise.properties.items():
        try:
            with np.errstate(all="ignore"):
                held = holds(function, *case.inputs())
        except StoppedError:
            raise
        except Exception:  # an answer of the wrong kind has no properties
            held = False
        sentences += "" if held else f" It does not hold that {text}."
    return sentences


def _hard_coded(trial: Trial, outcomes: Sequence[Outcome]) -> bool:
    """Tell whether a function gives one answer for all inputs."""
    constant = lambda some: all(alike(some[0].value, one.value, 1e-6, 1e-9) for one in some)
    if any(outcome.error is not None for outcome in outcomes):
        return False
    fits = kind_of(outcomes[0].value) == kind_of(trial.truths[0].value)
    return fits and constant(outcomes) and not constant(trial.truths)


def _shown(
    exercise: Exercise, case: Case, outcome: Outcome, truth: Outcome
) -> tuple[tuple[str, ...], tuple[str, str] | None]:
    """The lines that show a wrong answer, and a picture of it."""
    error = outcome.error
    given = shown(outcome.value) if error is None else error.told
    right = shown(truth.value)
    if error is None and given == right:  # an array and a list, for instance
        given, right = shown(outcome.value, True), shown(truth.value, True)
    lines = (call_text(exercise, case), f"gives     {given}", f"expected  {right}")
    picture = None
    if exercise.picture is not None and error is None:
        with contextlib.suppress(Exception):  # of an answer of the wrong kind there is none
            graph = exercise.picture(case.inputs(), outcome.value, truth.value)
            if graph is not None:
                picture = graph.to_dot(), str(graph)
    return lines, picture
