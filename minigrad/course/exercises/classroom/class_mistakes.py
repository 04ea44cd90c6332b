"""The mistakes of a class: who made which, and what to repeat."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..catalogue import Sheet
from ..exercise import Exercise
from ..marking.mark import MISSING, NOT_BEGUN, RIGHT, Mark
from ..sandbox import Marked

Students = Mapping[str, Sequence[Marked]]
LINE = re.compile(r", in line \d+.*")  # of the learner's, which differs from one to the other
IN_COMMON = {  # what is said of an unnamed fault begins so, and has this in common with others
    r"It raises (\w+)": r"An error, \1",
    r"It returns": "An answer of another kind or shape",
    r"Its return stands in the loop": "A return in the loop",
    r"This must be true": "A rule that is broken",
    r"It is wrong, in a way": "Wrong numbers",
}


class SharedMistake(NamedTuple):
    """A mistake, with those who made it, and the smallest input that shows it."""

    sheet: Sheet
    exercise: Exercise
    says: str
    who: list[str]
    mark: Mark


def mistakes(students: Students) -> list[SharedMistake]:
    """The mistakes of a class that have a name, the most frequent first."""
    known: dict[tuple[str, str], SharedMistake] = {}
    for student, marked in students.items():
        for sheet, exercise, mark in marked:
            if mark.mistake is None:
                continue
            key = exercise.name, mark.says
            mistake = known.get(key) or SharedMistake(sheet, exercise, mark.says, [], mark)
            shortest = min(mistake.mark, mark, key=lambda one: len("".join(one.shows)))
            mistake.who.append(student)
            known[key] = mistake._replace(mark=shortest)
    return sorted(known.values(), key=lambda mistake: -len(mistake.who))


class Unnamed(NamedTuple):
    """Functions of a lesson that are wrong in a way that has no name, with those who wrote them."""

    sheet: Sheet
    exercises: list[Exercise]
    says: str
    who: list[str]


def unnamed(students: Students) -> list[Unnamed]:
    """Faults that have no name, in groups of an exercise and a sentence, the largest first; what is said
    of the same students in several exercises of a lesson, as of a file that changes NumPy, is one."""
    groups: dict[tuple[str, str], Unnamed] = {}
    for student, marked in students.items():
        for sheet, exercise, mark in marked:
            if mark.state not in (RIGHT, NOT_BEGUN, MISSING) and mark.mistake is None:
                key = exercise.name, LINE.sub("", mark.says)
                group = groups.setdefault(key, Unnamed(sheet, [exercise], mark.says, []))
                group.who.append(student)
    joined: dict[tuple[Sheet, str, tuple[str, ...]], Unnamed] = {}
    for group in groups.values():
        one = joined.setdefault((group.sheet, LINE.sub("", group.says), (*group.who,)), group)
        one.exercises.extend(group.exercises if one is not group else ())
    return sorted(joined.values(), key=lambda group: -len(group.who))


def in_common(faults: Iterable[Unnamed]) -> dict[str, list[Unnamed]]:
    """The faults by what they have in common; that which most students have first."""
    families: dict[str, list[Unnamed]] = {}
    for fault in faults:
        fits = (re.match(text, fault.says) for text in IN_COMMON)
        begins = next(((text, found) for text, found in zip(IN_COMMON, fits) if found), None)
        family = begins[1].expand(IN_COMMON[begins[0]]) if begins else fault.says.partition(":")[0]
        families.setdefault(family.rstrip("."), []).append(fault)
    count = lambda some: sum(len(one.who) for one in some)
    return dict(sorted(families.items(), key=lambda family: -count(family[1])))


def to_repeat(students: Students) -> list[tuple[Sheet, float]]:
    """Each lesson whose exercises were begun, with the share of the points of these that was lost; the
    largest first."""
    lost: dict[Sheet, list[float]] = {}
    for marked in students.values():
        for sheet, exercise, mark in marked:
            if mark.state not in (NOT_BEGUN, MISSING):
                of = lost.setdefault(sheet, [0, 0])
                of[0] += exercise.points * (mark.state != RIGHT)
                of[1] += exercise.points
    shares = [(sheet, missed / of) for sheet, (missed, of) in lost.items() if missed]
    return sorted(shares, key=lambda one: -one[1])


def wrong_of(students: Students, sheet: Sheet) -> list[tuple[Exercise, int, int]]:
    """The exercises of a lesson, with how many have them wrong, of how many who began; if any has."""
    counts: dict[Exercise, list[int]] = {}
    for marked in students.values():
        for its, exercise, mark in marked:
            if its is sheet and mark.state not in (NOT_BEGUN, MISSING):
                count = counts.setdefault(exercise, [0, 0])
                count[0] += mark.state != RIGHT
                count[1] += 1
    found = [(exercise, wrong, begun) for exercise, (wrong, begun) in counts.items() if wrong]
    return sorted(found, key=lambda one: -one[1])
