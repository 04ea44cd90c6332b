"""The mistakes of a class: who made which, and what to repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..catalogue import Sheet
from ..exercise import Exercise
from ..marking.mark import MISSING, NOT_BEGUN, RIGHT, Mark
from ..sandbox import Marked

Students = Mapping[str, Sequence[Marked]]


class SharedMistake(NamedTuple):
    """A mistake, with those who made it, and the smallest input that shows it."""

    sheet: Sheet
    exercise: Exercise
    who: list[str]
    mark: Mark


def mistakes(students: Students) -> list[SharedMistake]:
    """The mistakes of a class that have a name, the most frequent first."""
    shared: dict[tuple[str, str], SharedMistake] = {}
    for student, marked in students.items():
        for sheet, exercise, mark in marked:
            if mark.mistake is None:
                continue
            key = exercise.name, mark.says
            mistake = shared.get(key) or SharedMistake(sheet, exercise, [], mark)
            shortest = min(mistake.mark, mark, key=lambda one: len("".join(one.shows)))
            mistake.who.append(student)
            shared[key] = mistake._replace(mark=shortest)
    return sorted(shared.values(), key=lambda mistake: -len(mistake.who))


class Unnamed(NamedTuple):
    """Functions of a lesson that are wrong in a way that has no name, with those who wrote them."""

    sheet: Sheet
    exercises: list[Exercise]
    who: list[str]
    mark: Mark  # of the first of them


def unnamed(students: Students) -> list[Unnamed]:
    """Faults that have no name, in groups of an exercise and a sentence, the largest first; what is said
    of the same students in several exercises of a lesson, as of a file that changes NumPy, is one."""
    groups: dict[tuple[str, str], Unnamed] = {}
    for student, marked in students.items():
        for sheet, exercise, mark in marked:
            if mark.state not in (RIGHT, NOT_BEGUN, MISSING) and mark.mistake is None:
                key = exercise.name, mark.fault or mark.says
                group = groups.setdefault(key, Unnamed(sheet, [exercise], [], mark))
                group.who.append(student)
    joined: dict[tuple[Sheet, str, tuple[str, ...]], Unnamed] = {}
    for (_, fault), group in groups.items():
        one = joined.setdefault((group.sheet, fault, (*group.who,)), group)
        one.exercises.extend(group.exercises if one is not group else ())
    return sorted(joined.values(), key=lambda group: -len(group.who))


def by_kind(faults: Iterable[Unnamed]) -> dict[str, list[Unnamed]]:
    """The faults by their kinds; that which most students have first."""
    kinds: dict[str, list[Unnamed]] = {}
    for fault in faults:
        kinds.setdefault(fault.mark.heading, []).append(fault)
    count = lambda of_a_kind: sum(len(fault.who) for fault in of_a_kind)
    return dict(sorted(kinds.items(), key=lambda kind: -count(kind[1])))


def to_repeat(students: Students) -> list[tuple[Sheet, float]]:
    """Each lesson whose exercises were begun, with the share of the points of these that was lost; the
    largest first."""
    lost: dict[Sheet, list[float]] = {}
    for marked in students.values():
        for sheet, exercise, mark in marked:
            if mark.state not in (NOT_BEGUN, MISSING):
                points = lost.setdefault(sheet, [0, 0])  # that were lost, and all
                points[0] += exercise.points * (mark.state != RIGHT)
                points[1] += exercise.points
    shares = [(sheet, missed / whole) for sheet, (missed, whole) in lost.items() if missed]
    return sorted(shares, key=lambda pair: -pair[1])


def wrong_of(students: Students, sheet: Sheet) -> list[tuple[Exercise, int, int]]:
    """The exercises of a lesson, with how many have them wrong, of how many who began; if any has."""
    counts: dict[Exercise, list[int]] = {}
    for marked in students.values():
        for its, exercise, mark in marked:
            if its is sheet and mark.state not in (NOT_BEGUN, MISSING):
                count = counts.setdefault(exercise, [0, 0])
                count[0] += mark.state != RIGHT
                count[1] += 1
    some_wrong = [(exercise, wrong, begun) for exercise, (wrong, begun) in counts.items() if wrong]
    return sorted(some_wrong, key=lambda row: -row[1])
