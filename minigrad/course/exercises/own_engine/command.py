"""`exercises engine`: a learner's engine, marked and compared in a room, and what is said of it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from .... import errors
from ...printing import say
from ..isolation.house import House
from ..isolation.room import JUDGE
from ..marking.mark import RIGHT, Mark
from ..marking.mark_function import mark
from ..marking.remote_function import LOADING, RemoteFunction
from ..marking.trial import Trial
from ..messages import StoppedError, packed
from .comparison import Compared, compare, engine_exercise
from .engine_file import request_for_engine


def command(options: Any) -> int:
    """Run an engine under a transformer, and show what is right and wrong; the status is 1 if anything
    is wrong."""
    result, compared = marked_and_compared(options.file, options.seconds)
    for line in compared.lines():
        say(line)
    print()
    say(f"{options.file}: {result.state}")
    for line in filter(None, (result.says, *result.shows)):
        say(f"    {line}")
    return 0 if result.state == RIGHT and compared.right else 1


def marked_and_compared(path: Path, seconds: float, seed: int = 0) -> tuple[Mark, Compared]:
    """Mark an engine in a file of a learner's, and compare it; both in a room.

    Raises:
        ConfigError: if the file cannot be read, or does not come to an end.
    """
    request = request_for_engine(path)
    with contextlib.closing(House()) as house, JUDGE:
        last = LOADING
        try:
            with contextlib.closing(house.room(seconds)) as room:
                engine = RemoteFunction(room.ask)
                room.send(packed(request))
                try:
                    return mark(Trial(engine_exercise(), seed), engine), compare(engine, seed)
                finally:
                    last = engine.last
        except StoppedError as problem:
            raise errors.ConfigError(f"{path}: {problem} ({last})") from None
