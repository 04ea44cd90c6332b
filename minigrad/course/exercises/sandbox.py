"""Each exercise in a separate process, with a limit to its time and memory.

An endless loop, deep recursion, `sys.exit`, or a crash costs that exercise only, and what it prints
or writes into its folder is thrown away. This keeps accidents apart, not attacks: the code runs
with all the rights of whoever runs the check. Mark the work of strangers in a container.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..places import ROOT
from .exercise import Exercise
from .marking import BORROWED, MISSING, NOT_BEGUN, RIGHT, STOPPED, WRONG, Mark, Trial, mark_function
from .sheets import HOME, Sheet, examples, sheet_of, written
from .wording import told, unreadable

SECONDS = 10.0  # for one exercise; a right one takes less than one
MEMORY = 4 << 30  # bytes that it may use, where the system can limit that
AFTER = 60  # seconds of a processor that it may use beyond its time, where nobody is left to end it


def check(
    folder: Path,
    wanted: Sequence[tuple[Sheet, list[Exercise]]],
    seed: int | None = None,
    seconds: float = SECONDS,
) -> Iterator[tuple[Sheet, Exercise, Mark]]:
    """Return the mark of each exercise in a learner's folder, in order; several run at a time.

    Args:
        seed: of the inputs; default: drawn afresh.
        seconds: how long one may take. If infinite, all run here and now, one after the other: for
            notebooks, and where there are no processes or threads.
    """
    seed = secrets.randbelow(1 << 32) if seed is None else seed
    jobs = [(sheet, exercise) for sheet, exercises in wanted for exercise in exercises]
    running: set[subprocess.Popen] = set()
    run = lambda job: mark_of(folder / job[0].file, job[0], job[1], seed, seconds, running)
    if seconds == math.inf:
        yield from ((*job, run(job)) for job in jobs)
        return
    pool = ThreadPoolExecutor(os.cpu_count() or 1)
    try:
        yield from ((*job, found) for job, found in zip(jobs, pool.map(run, jobs)))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # where the reader has had enough
        for process in list(running):
            process.kill()
        pool.shutdown()


def mark_of(
    path: Path,
    sheet: Sheet,
    exercise: Exercise,
    seed: int,
    seconds: float,
    running: set[subprocess.Popen] | None = None,
) -> Mark:
    """Return the mark of one exercise, in a file of a learner's: read first, and then run apart; in this
    process, if `seconds` is infinite.

    Args:
        running: is told of the process while it runs.
    """
    file = written(path)
    if file.problem:
        return Mark(MISSING if not path.exists() else WRONG, f"{file.problem}.")
    if exercise.name in file.unread:
        return Mark(WRONG, f"{file.unread[exercise.name]}.")
    if not file.has(exercise.name):
        return Mark(MISSING, f"There is no function {exercise.name} in {path.name}.")
    if file.is_stub(exercise.name):
        return Mark(NOT_BEGUN)
    package = file.foreign(exercise.name)
    if package:
        return Mark(BORROWED, f"It leaves the work to {package}: use NumPy and Python alone.")
    if seconds == math.inf:
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        with nowhere, contextlib.redirect_stdout(nowhere):  # what the function prints
            return _judged(path, sheet, exercise, seed, lambda call: None)
    return _apart(path, sheet, exercise, seed, seconds, set() if running is None else running)


def _apart(
    path: Path,
    sheet: Sheet,
    exercise: Exercise,
    seed: int,
    seconds: float,
    running: set[subprocess.Popen],
) -> Mark:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        result = Path(folder, "result")
        work = Path(folder, "work")
        work.mkdir()
        answers = HOME / "answers" / sheet.file
        started = subprocess.Popen(
            [
                sys.executable,
                "-m",
                __name__,
                path.resolve(),
                answers,
                exercise.name,
                str(seed),
                str(math.ceil(seconds) + AFTER),
                result,
            ],
            cwd=work,
            env=with_packages(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        running.add(started)
        try:
            status: int | None = started.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            ended(started)
            running.discard(started)
        reported = _lines(result)
    if reported and "mark" in reported[-1]:
        found = reported[-1]["mark"]
        picture = tuple(found["picture"]) if found["picture"] else None
        return Mark(**{**found, "shows": tuple(found["shows"]), "picture": picture})
    if status is None:
        says = (
            f"It had not come to an end after {seconds:g} seconds: is there a loop without an end?"
        )
    elif status < 0:
        names = {known.value: known.name for known in signal.Signals}  # not of all there are
        says = f"It crashed Python, by the signal {names.get(-status, -status)}."
    else:
        says = f"It ended the process itself, with the status {status}."
    return Mark(STOPPED, says, tuple(line["call"] for line in reported[-1:]))


def with_packages() -> dict[str, str]:
    """The environment of a process that finds both packages; its matrix products run in one thread."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}


def ended(process: subprocess.Popen) -> None:
    """See that a process has ended, and those that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _lines(result: Path) -> list[dict[str, Any]]:
    """Read what the process has reported, as far as it got."""
    found = []
    with contextlib.suppress(OSError, ValueError):
        for line in result.read_text(encoding="utf-8").splitlines():
            found.append(json.loads(line))  # noqa: PERF401 - a line cut short ends it
    return found


# --- in the process -------------------------------------------------------------------------------


def main(path: str, answers: str, name: str, seed: str, seconds: str, result: str) -> None:
    """Judge one function, and tell the file `result` about it, a line of JSON at a time."""
    _limit(int(seconds))
    sheet = sheet_of(Path(answers))
    with open(result, "w", encoding="utf-8") as file:

        def tell(**line: object) -> None:
            file.write(json.dumps(line) + "\n")
            file.flush()

        calls = ["loading the file"]

        def say(call: str) -> None:
            calls[:] = [call]
            tell(call=call)

        say(*calls)
        try:
            mark = _judged(Path(path), sheet, sheet.exercises[name], int(seed), say)
        except KeyboardInterrupt:  # nobody else can interrupt this process from the keyboard
            says = "It raises KeyboardInterrupt, as Ctrl-C does; an exercise returns its answer."
            mark = Mark(WRONG, says, tuple(calls))
        except Exception as problem:
            says = f"The check itself failed while it ran it, by {told(problem)}."
            mark = Mark(STOPPED, says, tuple(calls))
        tell(mark=asdict(mark))
    os._exit(0)  # whatever threads the exercise has left running


def _judged(
    path: Path, sheet: Sheet, exercise: Exercise, seed: int, say: Callable[[str], object]
) -> Mark:
    """Judge one function, in this process."""
    file = written(path)
    trial = Trial(exercise, seed, examples(sheet, exercise))
    numpy = dict(vars(np))
    try:
        space = file.functions()
        for name, why in file.unread.items():
            space.setdefault(name, unreadable(name, why))
        function = space.get(exercise.name)
        if not callable(function):
            return Mark(WRONG, f"{exercise.name} is no function, or what defines it fails.")
        mark = Mark(RIGHT) if _changed(numpy) else mark_function(trial, function, say)
        changed = _changed(numpy)
    finally:
        vars(np).update(numpy)
    if changed:
        says = (
            f"The file changes NumPy itself: np.{changed} is no longer NumPy's, for anybody. Give "
            f"what is yours a name of its own."
        )
        return Mark(WRONG, says)
    return mark


def _changed(numpy: Mapping[str, object]) -> str:
    """The first name in NumPy that stands for something else than it did; "" if none does."""
    return next((name for name, thing in numpy.items() if vars(np).get(name) is not thing), "")


def _limit(seconds: int) -> None:
    """Limit what this process may use, as far as the system can."""
    if importlib.util.find_spec("resource") is not None:
        import resource

        for what, most in {"AS": MEMORY, "CORE": 0, "CPU": seconds}.items():
            with contextlib.suppress(OSError, ValueError):  # not every system has each of them
                resource.setrlimit(getattr(resource, f"RLIMIT_{what}"), (most, most))


if __name__ == "__main__":
    main(*sys.argv[1:])
