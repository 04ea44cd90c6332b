"""The outcome of a call of a learner's function, and the outcomes that are the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..exercise import Case, Exercise
from ..learner_side.raised_error import RaisedError
from ..likeness import alike, holder_of
from ..values_as_text import shown


@dataclass(frozen=True)
class Outcome:
    """The result of a call, or the error that it raised.

    Attributes:
        value: the answer.
        key: what of it is compared, by `Exercise.key`.
        error: None if there is an answer.
        changed: the first argument that the call changed.
        borrowed: the line that leaves the work to what may not do it.
        numpy: the name in NumPy that has been changed.
    """

    value: Any = None
    key: Any = None
    error: RaisedError | None = None
    changed: int | None = None
    borrowed: str = ""
    numpy: str = ""


def outcome_of(exercise: Exercise, case: Case, value: object, **about: Any) -> Outcome:
    """The outcome of a call that gave this value."""
    if exercise.key is None:
        return Outcome(value, value, **about)
    try:
        key: Any = holder_of(value), exercise.key(value, *case.inputs())
    except Exception:  # an answer of the wrong kind has none
        key = "no answer", shown(value)
    return Outcome(value, key, **about)


def same(exercise: Exercise, one: Outcome, other: Outcome, rough: float = 0.0) -> bool:
    """Tell whether two outcomes are alike: the same answer, or errors of one kind.

    Args:
        rough: how far numbers may be off, relatively, if that is more than the exercise allows.
    """
    if one.error is not None or other.error is not None:
        return getattr(one.error, "kind", None) == getattr(other.error, "kind", None)
    return alike(one.key, other.key, max(exercise.rtol, rough), max(exercise.atol, rough))
