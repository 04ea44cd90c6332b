"""Each exercise in a room of its own: a process that is asked in plain data, with a limit to its time.

An endless loop, deep recursion, `sys.exit`, or a crash costs that exercise only. The judge loads no file
of a learner's, unless `seconds` is infinite: truths, properties and the names of mistakes are computed
here, of the data that comes back. Where Linux gives namespaces, what runs in a room reaches no file but
Python's, no network and no other process; `House.problem` says where it does not. In any case a function
may forge what is said of itself: that it changed nothing that it was given, and that it left the work to
nobody.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import math
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...system.working import not_hearing
from ..printing import say
from .catalogue import Selection, Sheet
from .exercise import Exercise
from .isolation.house import House
from .isolation.limits import at_once
from .isolation.room import JUDGE
from .learner_file import LearnerFile, read_learner_file
from .learner_side.loading import load
from .learner_side.raised_error import one_line
from .marking.mark import (
    BORROWED,
    CALLS_WRONG,
    MISSING,
    NO_FILE,
    NOT_BEGUN,
    NOT_MARKED,
    NOT_READ,
    STOPPED,
    TOO_LONG,
    WRONG,
    Mark,
)
from .marking.mark_function import mark
from .marking.remote_function import LOADING, RemoteFunction
from .marking.trial import Trial
from .messages import StoppedError, packed
from .stubs import examples

Marked = tuple[Sheet, Exercise, Mark]
SECONDS = 10.0  # for one exercise; a right one takes less than one


class Job(NamedTuple):
    """An exercise that is to be marked in a learner's file."""

    path: Path
    sheet: Sheet
    exercise: Exercise


class Conditions(NamedTuple):
    """The conditions on which exercises are marked.

    Attributes:
        seed: of the inputs.
        seconds: how long one may take. If infinite, all run here and now, one after the other: for
            notebooks, and where there are no processes or threads.
        house: where they run; None: one is opened for them.
    """

    seed: int
    seconds: float = SECONDS
    house: House | None = None


def check(
    folder: Path,
    selection: Selection,
    seed: int | None = None,
    seconds: float = SECONDS,
    house: House | None = None,
) -> Iterator[Marked]:
    """Return the mark of each exercise in a learner's folder, in order; several run at a time.

    Args:
        seed, seconds, house: as in `Conditions`; without a seed, one is drawn.
    """
    seed = secrets.randbelow(1 << 32) if seed is None else seed
    jobs = [
        Job(folder / sheet.file, sheet, exercise)
        for sheet, exercises in selection
        for exercise in exercises
    ]
    for job, result in zip(jobs, marks_of(jobs, Conditions(seed, seconds, house))):
        yield job.sheet, job.exercise, result


def marks_of(jobs: Sequence[Job], conditions: Conditions) -> Iterator[Mark]:
    """Return the marks of exercises in files, in order; several run at a time."""
    if conditions.seconds == math.inf:
        yield from (mark_of(job, conditions) for job in jobs)
        return
    with contextlib.ExitStack() as until:
        if conditions.house is None:
            conditions = conditions._replace(house=until.enter_context(contextlib.closing(House())))
        pool = ThreadPoolExecutor(at_once())
        until.callback(pool.shutdown, wait=False, cancel_futures=True)  # the reader has had enough
        yield from pool.map(lambda job: mark_of(job, conditions), jobs)


def tell_of_time(marks: Mapping[str, Iterable[Mark]]) -> None:
    """Say to whoever gives the command how to give more time, if functions took too long.

    Args:
        marks: by the students whose functions they are; of "" nothing is said.
    """
    slow = [who for who, its in marks.items() if any(m.kind == TOO_LONG for m in its)]
    if slow:
        whose = f"; this was stopped: functions of {', '.join(slow)}" if any(slow) else ""
        say(f"`--seconds 60` behind the command gives each function more time{whose}")


def mark_of(job: Job, conditions: Conditions) -> Mark:
    """Return the mark of one exercise, in a file of a learner's.

    The file is read, once, and then the function runs in a room; in this process, if `seconds` is
    infinite. If it is wrong, and calls another exercise of the file that is wrong, the mark says so:
    nobody can tell then what is wrong with it.
    """
    with JUDGE:
        file = read_learner_file(job.path)
    result = _mark_by_itself(file, job.sheet, job.exercise, conditions)
    if result.state == WRONG:
        for other in _called(file, job.sheet, job.exercise):
            if _mark_by_itself(file, job.sheet, other, conditions).state == WRONG:
                says = f"It calls your {other.name}, which is wrong: mend that first."
                return replace(result, says=says, mistake=None, kind=CALLS_WRONG, fault="")
    return result


def _called(file: LearnerFile, sheet: Sheet, exercise: Exercise) -> Iterator[Exercise]:
    """The other exercises of the sheet that a learner's function names."""
    if definition := file.definition(exercise.name):
        names = {part.id for part in ast.walk(definition) if isinstance(part, ast.Name)}
        names -= {exercise.name, *file.unread}  # of what cannot be read, the mark says so already
        yield from (other for name, other in sheet.exercises.items() if name in names)


def _mark_by_itself(
    file: LearnerFile, sheet: Sheet, exercise: Exercise, conditions: Conditions
) -> Mark:
    with JUDGE:
        if mark := _without_a_run(file, exercise):
            return mark
        request = {
            "path": str(file.path),
            "data": np.frombuffer(file.data or b"", np.uint8),
            "name": exercise.name,
            "without": list(exercise.without),
            "through": exercise.through,
            "compiled": np.frombuffer(file.compiled, np.uint8),
        }
        trial = _trial(sheet, exercise, conditions.seed)
        here = conditions.seconds == math.inf
        result = _here(trial, request) if here else _in_a_room(trial, request, conditions)
        return replace(result, uses=", ".join(file.far_reaching(exercise.name)))


def _without_a_run(file: LearnerFile, exercise: Exercise) -> Mark | None:
    """The mark that reading the file gives; None if the function is to be run."""
    name, path = exercise.name, file.path
    if file.data is None:
        return Mark(MISSING, f"{file.problem}.", kind=NO_FILE)
    if not (file.problem or file.tree.body or file.unread):
        says = f"{path.name} has no code in it: was it saved, and is it the right file?"
        return Mark(MISSING, says)
    if why := file.problem or file.unread.get(name, ""):
        return Mark(WRONG, f"{why}.", kind=NOT_READ, fault=f"Python cannot read {path.name}.")
    if not file.has(name):
        near = f"; there is {one}" if (one := file.nearest(name)) else ""
        return Mark(MISSING, f"There is no function {name} in {path.name}{near}.")
    if file.is_stub(name):
        return Mark(NOT_BEGUN)
    package = file.foreign_package(name)
    if package and any((path.parent / one).exists() for one in (package, f"{package}.py")):
        says = f"Put what it uses of {package} into this file: one file is marked, by itself."
        return Mark(NOT_MARKED, says)
    if package:
        return Mark(BORROWED, f"It leaves the work to {package}: use NumPy and Python alone.")
    return None


@functools.lru_cache(maxsize=256)
def _trial(sheet: Sheet, exercise: Exercise, seed: int) -> Trial:
    return Trial(exercise, seed, examples(sheet, exercise))


def _here(trial: Trial, request: dict[str, Any]) -> Mark:
    numpy = dict(vars(np))
    nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        with nowhere, contextlib.redirect_stdout(nowhere), not_hearing():  # of what it prints
            return mark(trial, RemoteFunction(load(**request, alone=False)))
    finally:
        vars(np).update(numpy)


def _in_a_room(trial: Trial, request: dict[str, Any], conditions: Conditions) -> Mark:
    with contextlib.ExitStack() as until:
        house = conditions.house or until.enter_context(contextlib.closing(House()))
        try:
            room = until.enter_context(contextlib.closing(house.room(conditions.seconds)))
        except StoppedError as problem:
            return _stopped(problem, LOADING)
        function = RemoteFunction(room.ask)
        try:
            room.send(packed(request))
            return mark(trial, function)
        except Exception as problem:
            return _stopped(problem, function.last)


def _stopped(problem: Exception, last: str) -> Mark:
    """The mark of a function that cannot be asked, after its last call."""
    if isinstance(problem, StoppedError):
        return Mark(STOPPED, str(problem), (last,), kind=problem.kind)
    says = f"The check itself failed while it ran it, by {one_line(problem)}."
    return Mark(STOPPED, says, (last,))
