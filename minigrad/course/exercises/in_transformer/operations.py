"""Operations on tensors, made of a learner's functions, which take and return arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from .... import transforms
from ....engine.modes import setting
from ....engine.table import Operation, dispatched
from ....engine.table import rule as enter
from ....engine.tensor import Array


def operation(
    name: str, function: Callable | None, library: Callable, rules: Sequence[Callable | bool]
) -> Callable:
    """An operation on tensors that a function of a learner's computes, or a rule.

    Args:
        name: of the exercise.
        function: theirs, on arrays; None if the library computes it.
        library: what computes in its place, on tensors.
        rules: for each argument theirs, (g, y, *arguments) -> gradient; or True for the library's,
            False for none.
    """
    compute = library if function is None else function

    def run(*arguments: object) -> Any:
        return np.asarray(compute(*arguments))

    run.__name__ = f"{name} ({'your rule' if function is None else 'yours'})"
    entries = (
        derivative(library, i) if rule is True else (rule or None) for i, rule in enumerate(rules)
    )
    return enter(dispatched(run), *entries)  # type: ignore[arg-type]


def derivative(function: Callable, i: int) -> Callable:
    """The library's derivative of a function by its argument `i`, as a rule on arrays."""

    def rule(g: Array, y: Array, *arguments: object) -> Any:
        along = lambda x: function(*arguments[:i], x, *arguments[i + 1 :])
        with setting(watchers=()):
            _, back = transforms.vjp(along, arguments[i])
            return back(g)[0].data

    return rule


def each(signature: str, function: Callable) -> Callable:
    """A function on matrices, for arrays with axes in front: it is called once for each matrix.

    Args:
        signature: the axes that it takes and gives, as in "(t,k),(s,k)->(t,s)".
    """
    return np.vectorize(function, signature=signature)


def with_rules(name: str, entry: Operation, *rules: Callable | None) -> Operation:
    """An operation of the table with other rules; None leaves the one that is there."""
    operation = Operation(
        entry.function, tuple(r or old for r, old in zip_longest(rules, entry.rules))
    )
    operation.name = f"{entry.name} ({name}: yours)"
    return operation
