"""Points: what a mark is worth, alone and in all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..exercise import Exercise
from ..marking.mark import MISSING, NOT_BEGUN, RIGHT, Mark
from ..sandbox import Marked


def points_of(exercise: Exercise, mark: Mark) -> float:
    """The points for an exercise: a whole number, unless its mark is one `in_parts`."""
    if mark.state == RIGHT:
        return exercise.points
    return round(exercise.points * mark.share, 2) or 0


def in_parts(mark: Mark, most: float) -> Mark:
    """The mark of which `points_of` makes a part, at most `most`, of the points of a wrong function."""
    return replace(mark, share=mark.share * most)


def part_told(exercise: Exercise, mark: Mark) -> str:
    """Say what a part of the points is for; "" if none or all are given."""
    part = mark.state != RIGHT and points_of(exercise, mark)
    return f"right for {mark.right_for} inputs" if part else ""


def uses_told(marked: Iterable[Marked]) -> str:
    """Say what functions use that a teacher may want to look at; "" if it is nothing."""
    uses = (f"{exercise.name} uses {mark.uses}" for _, exercise, mark in marked if mark.uses)
    return "; ".join(uses)


def total(marked: Iterable[Marked]) -> float:
    """The sum of the points for all exercises."""
    return round(sum(points_of(exercise, mark) for _, exercise, mark in marked), 2)


def begun(marked: Iterable[Marked]) -> bool:
    """Tell whether anything was written."""
    return any(mark.state not in (NOT_BEGUN, MISSING) for _, _, mark in marked)


def less_late(points: float, days: int, share: float) -> float:
    """The points that are left after so many days, each of which takes off a share of them."""
    return round(points * max(0.0, 1 - share * days), 2)
