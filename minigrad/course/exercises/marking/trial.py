"""An exercise tried on the inputs of a seed, and its known mistakes beside it.

A function makes a known mistake if it gives what the mistake's own function gives, on all inputs, or on
nearly all that can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..exercise import Exercise
from ..learner_side.callee import Callee
from ..shared_files import wrapped
from .outcome import Outcome, outcome_of, same
from .remote_function import RemoteFunction

# How far off an answer may be, relatively, to be that of a mistake with something else.
ROUGH = 1e-3
FEWEST, MOST_AGAINST = 3, 4  # inputs that name a mistake, and of how many one may speak against it


class MistakeMade(NamedTuple):
    """A known mistake, and the first input on which the function makes it."""

    number: int  # in `Exercise.mistakes`
    case: int  # in `Trial.cases`


class Trial:
    """An exercise with the inputs of a seed: what is right for them, and what each mistake gives.

    Args:
        examples: the arguments in the examples of the docstring, tried before those drawn.

    Attributes:
        cases: the inputs.
        truths: the right outcome for each of them.
    """

    def __init__(self, exercise: Exercise, seed: int, examples: Sequence[tuple] = ()):
        self.exercise = exercise
        self.cases = list(exercise.cases(seed, examples))
        self.truths = [
            outcome_of(exercise, case, exercise.truth(*case.inputs())) for case in self.cases
        ]
        self._of_mistakes: dict[tuple[int, int], Outcome] = {}

    def exact_mistake(self, outcomes: Sequence[Outcome]) -> MistakeMade | None:
        """The mistake that gives the same outcomes for all inputs."""
        first = self.wrong(outcomes)[0]
        for number in range(len(self.exercise.mistakes)):
            if all(
                same(self.exercise, one, self._of_mistake(number, k))
                for k, one in enumerate(outcomes)
            ):
                return MistakeMade(number, first)
        return None

    def likely_mistake(self, outcomes: Sequence[Outcome]) -> MistakeMade | None:
        """The mistake that gives the same for nearly all inputs that can tell.

        Those are the inputs for which the function is wrong, or the mistake. A guard against some of
        them, or something else that is wrong beside the mistake, then costs it no more than a few. An
        input for which it raises an error cannot tell; those are to be no more than name the mistake.
        An answer that is only true or false has one wrong value, and says nothing.
        """
        if isinstance(self.truths[0].value, (bool, np.bool_)):
            return None
        wrong, candidates = set(self.wrong(outcomes)), []
        raised = sum(one.error is not None for one in outcomes)
        for number, mistake in enumerate(self.exercise.mistakes):
            agreeing, against = self._votes(number, outcomes, wrong)
            if len(agreeing) >= max(FEWEST, raised, (MOST_AGAINST - 1) * against):
                share = len(agreeing) / (len(agreeing) + against)
                candidates.append((share, mistake.says, MistakeMade(number, agreeing[0])))
        best = max((share for share, *_ in candidates), default=0)
        fitting = [one for one in candidates if one[0] == best]
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
            elif given.error is None and (k in wrong or not same(self.exercise, of_mistake, truth)):
                against += 1
            if against * MOST_AGAINST > len(outcomes):
                break
        return agreeing, against

    def _of_mistake(self, number: int, k: int) -> Outcome:
        """Return what the function of a mistake gives for an input; it is called once."""
        if (number, k) not in self._of_mistakes:
            function = self.exercise.mistakes[number].function
            wrong = RemoteFunction(Callee(wrapped(function, self.exercise.through)))
            self._of_mistakes[number, k] = wrong.outcome(self.exercise, self.cases[k])
        return self._of_mistakes[number, k]
