"""`exercises run`: what a learner has written trains a transformer, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from .... import errors
from ....system.working import working
from ...folders import EXERCISES
from ...printing import say
from ..catalogue import exercises_named
from ..isolation.processes import end, with_packages
from ..marking.mark import MISSING, NOT_BEGUN, RIGHT
from ..sandbox import check
from ..shared_files import module_of
from .replacement import FAILED

GRACE = 60.0  # seconds that the process may take to read dates, once it is told to stop
LATEST = 10.0  # seconds after that in which it says what is running, and ends


def placed() -> list[str]:
    """The names of the exercises that have a place, or several."""
    places = module_of(EXERCISES / "places.py").PLACES
    return list(dict.fromkeys(name for place in places for name in place.exercises))


def run(folder: Path, steps: int, seconds: float, out: Path, even_if_wrong: bool) -> int:
    """Train with the functions in a learner's folder; all that is not written is the library's.

    Args:
        steps: how many to take.
        seconds: after which it stops, and reads dates with what it has learned.
        out: the folder for what it draws.
        even_if_wrong: train with wrong functions too, beside a run in which the library stands for
            them.

    Returns:
        The exit status: 1 if the run failed, or a function is wrong and did not run.

    Raises:
        ConfigError: if nothing is written that has a place, or `even_if_wrong` and nothing is wrong.
    """
    with working("checking what is written"):
        marked = list(check(folder, exercises_named(placed())))
    begun = [one for one in marked if one[2].state not in (NOT_BEGUN, MISSING)]
    right = [one for one in begun if one[2].state == RIGHT]
    wrong = [one for one in begun if one[2].state != RIGHT]
    if not begun:
        raise errors.ConfigError(
            f"nothing is written yet in {folder.resolve()} that has a place in the transformer; "
            f"begin with 01 product_rule"
        )
    if even_if_wrong and not wrong:
        raise errors.ConfigError("nothing is wrong: leave out --even-if-wrong")
    say(_sentence("In their places", [one.name for _, one, _ in right]))
    for sheet, exercise, mark in wrong:
        say(f"{sheet.number} {exercise.name} is {mark.state}: {mark.says}")
    if wrong and not even_if_wrong:
        say("The library stands for what is not right. --even-if-wrong shows what it does.")
    rest = [one.name for _, one, mark in marked if mark.state in (NOT_BEGUN, MISSING)]
    say(_sentence("Not written, so the library's", rest))
    order = {
        "folder": str(folder.resolve()),
        "right": [(sheet.file, one.name) for sheet, one, _ in right],
        "wrong": [(sheet.file, one.name) for sheet, one, _ in wrong] if even_if_wrong else [],
        "title": " ".join(mark.says for _, _, mark in wrong) if even_if_wrong else "",
        "steps": steps,
        "out": str(out.resolve()),
    }
    failed = _train(order, seconds)
    return int(failed or (bool(wrong) and not even_if_wrong))


def _sentence(what: str, names: Sequence[str]) -> str:
    return f"{what}: {', '.join(names) or 'nothing'}."


def _train(order: dict[str, object], seconds: float) -> bool:
    """Have the process train, until it ends, or a key or the limit stops it; tell whether it failed."""
    started = subprocess.Popen(
        [sys.executable, str(EXERCISES / "training.py"), json.dumps({**order, "grace": GRACE})],
        stdin=subprocess.PIPE,
        env=os.environ | with_packages(),
        start_new_session=True,
    )
    try:
        status = _wait(started, seconds)
    except subprocess.TimeoutExpired:
        raise errors.ConfigError(
            f"the run did not stop, and {GRACE:g} s later could not say what was running: is there a "
            f"call of NumPy with very large arrays?"
        ) from None
    finally:
        end(started)
    if status not in (0, FAILED):
        raise errors.ConfigError(f"the process of the run ended with the status {status}")
    return status == FAILED


def _wait(started: subprocess.Popen, seconds: float) -> int:
    """Wait for the process, and tell it to stop when a key or the limit says so; return its status.

    Raises:
        TimeoutExpired: if it does not stop.
    """
    stop = threading.Event()
    if sys.stdin is not None and sys.stdin.isatty():
        say("Enter stops it, and it reads dates with what it has learned so far.")
        _set_after(stop, sys.stdin.readline)
    _set_after(stop, started.wait)
    try:
        if not stop.wait(seconds):
            say(f"the limit of {seconds:g} s is reached: it stops")
    except KeyboardInterrupt:
        say("it stops; Ctrl-C once more ends it at once")
    assert started.stdin is not None
    started.stdin.close()  # which tells it to stop
    return started.wait(GRACE + LATEST)


def _set_after(event: threading.Event, wait: Callable[[], object]) -> None:
    """Set an event when something that has to be waited for is over."""

    def wait_and_set() -> None:
        wait()
        event.set()

    threading.Thread(target=wait_and_set, daemon=True).start()
