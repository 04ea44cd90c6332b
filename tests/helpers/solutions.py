"""Functions as learners write them, for the tests, and the marks on them."""

import copy
import types

import pytest

from minigrad.course.exercises.catalogue import sheets
from minigrad.course.exercises.marking.mark import WRONG
from minigrad.course.exercises.marking.mark_function import mark_function
from minigrad.course.exercises.marking.trial import Trial
from minigrad.course.exercises.stubs import examples

EXERCISES = {e.name: (sheet, e) for sheet in sheets() for e in sheet.exercises.values()}


def marks(functions, seed):
    """Pairs of each function and the mark on it; it stands in a file of its own."""
    names = {function.__name__ for function in functions}
    trials = {
        name: Trial(e, seed, examples(s, e)) for name, (s, e) in EXERCISES.items() if name in names
    }
    for function in functions:
        space = {**function.__globals__, "__name__": "exercises_of_a_learner"}
        defaults = copy.deepcopy(function.__defaults__)
        name = function.__name__
        own = types.FunctionType(function.__code__, space, name, defaults, function.__closure__)
        space[name] = own
        yield function, mark_function(trials[name], own)


class WrongSolutions(list):
    """Wrong solutions, each with a part of what the check says of it, and whether it is all."""

    def said(self, says, alone=False):
        """Say what the function below is to be told; `alone`: and that no rule is broken."""

        def add(function):
            self.append((function, says, alone))
            return function

        return add

    def check(self, seed):
        """See that each is wrong, that it is told so, and that what it is shown is not long."""
        told = marks([function for function, *_ in self], seed)
        assert not [
            (function.__name__, says, mark)
            for (function, mark), (_, says, alone) in zip(told, self)
            if mark.state != WRONG
            or says not in mark.says
            or (alone and "This must be true" in mark.says)
            or max(map(len, mark.shows), default=0) >= 2000
        ]


def seeds(quick, count):
    """Have a test run with `count` seeds, all but the first `quick` of them slow."""
    values = [pytest.param(k, marks=pytest.mark.slow) if k >= quick else k for k in range(count)]
    return pytest.mark.parametrize("seed", values)
