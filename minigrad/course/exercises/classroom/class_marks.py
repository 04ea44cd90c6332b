"""The marks of a class: several students at a time, and of equal files only one is marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..catalogue import Selection
from ..isolation.house import House
from ..marking.mark import Mark
from ..sandbox import Conditions, Job, Marked, marks_of
from .students import Student
from .verdict_cache import VerdictCache


def marks_of_class(
    students: Sequence[Student],
    selection: Selection,
    cache: VerdictCache,
    seconds: float,
    house: House,
) -> Iterator[tuple[Student, list[Marked]]]:
    """Each student with the marks, in order; a verdict that the cache has is not found again."""
    every = [(sheet, exercise) for sheet, exercises in selection for exercise in exercises]
    keys = {
        (student.name, exercise): cache.key(student.folder, sheet, exercise)
        for student in students
        for sheet, exercise in every
    }
    jobs: dict[str, Job] = {}  # by their keys
    for student in students:
        for sheet, exercise in every:
            key = keys[student.name, exercise]
            if cache.get(key) is None:
                jobs.setdefault(key, Job(student.folder / sheet.file, sheet, exercise))
    new: dict[str, Mark] = {}  # a verdict that the cache does not keep is in it as well
    conditions = Conditions(cache.seed, seconds, house)
    marks = zip(jobs, marks_of(list(jobs.values()), conditions))
    for student in students:
        marked = []
        for sheet, exercise in every:
            key = keys[student.name, exercise]
            while (mark := cache.get(key) or new.get(key)) is None:
                done, verdict = next(marks)
                new[done] = verdict
                cache.add(done, verdict)
            marked.append((sheet, exercise, mark))
        yield student, marked
