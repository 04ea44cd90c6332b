"""A learner's function as the judge has it: it is asked in plain data, wherever it runs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ..exercise import Case, Exercise
from ..learner_side.raised_error import RaisedError
from ..messages import MessageError, StoppedError, packed, unpacked
from ..values_as_text import call_text, cleaned
from .outcome import Outcome, outcome_of

LOADING = "loading the file"  # before the first call
TEXT = 2000  # characters of what a learner's side says
UNREADABLE = (
    "What came back from its process is no answer: does it write to files that are open, or change what "
    "Python needs, such as a built-in function?"
)


class About(NamedTuple):
    """The facts of a function before a call: whether it is one, whether it reads its arguments, whether
    a `return` ends its loop in the first round; and the name in NumPy that its file has changed, or "".
    """

    callable: bool
    reads: bool
    one_round: bool
    numpy: str


class RemoteFunction:
    """A function that is asked for its answers; `learner_side.callee` lists the requests and replies.

    Nothing that comes back is trusted: it is data of the kinds expected, or the function is stopped.

    Args:
        ask: takes a request, as bytes, and returns the reply.
    """

    def __init__(self, ask: Callable[[bytes], bytes]):
        self.ask = ask
        self._last: tuple[Exercise, Case] | None = None

    def __call__(self, *arguments: object) -> Any:
        """The answer to these arguments.

        Raises:
            RefusedError: if the function raised an error.
        """
        reply = self._reply(packed({"value": arguments}))
        if "raised" in reply:
            raise RefusedError
        return reply.get("value")

    def outcome(self, exercise: Exercise, case: Case) -> Outcome:
        """Call it with the inputs of a case."""
        self._last = exercise, case
        reply = self._reply(request_of(case))
        changed = reply.get("changed")
        about: dict[str, Any] = {
            "changed": changed if type(changed) is int else None,
            "borrowed": _text(reply.get("borrowed")),
            "numpy": _text(reply.get("numpy")),
        }
        if "raised" not in reply:
            return outcome_of(exercise, case, reply.get("value"), **about)
        try:
            kind, text, line, name, own = reply["raised"]
        except (TypeError, ValueError):
            raise StoppedError(UNREADABLE) from None
        error = RaisedError(_text(kind), _text(text), _text(line), _text(name), own is True)
        return Outcome(error=error, **about)

    @property
    def last(self) -> str:
        """The last call that was made, as text."""
        return call_text(*self._last) if self._last else LOADING

    def about(self) -> About:
        """Return what there is to know of it before a call."""
        reply = self._reply(packed({"about": None}))
        numpy = _text(reply.get("numpy"))
        facts = {name: reply.get(name) is True for name in ("callable", "reads", "one_round")}
        return About(**facts, numpy=numpy)

    def changed(self) -> str:
        """Say which value outside it calls of the function have changed; "" if none has."""
        return _text(self._reply(packed({"changed": None})).get("value"))

    def forget(self) -> None:
        """Put what its calls have changed back as it was."""
        self._reply(packed({"forget": None}))

    def _reply(self, request: bytes) -> dict[str, Any]:
        try:
            reply = unpacked(self.ask(request))
        except MessageError:
            raise StoppedError(UNREADABLE) from None
        if not isinstance(reply, dict):
            raise StoppedError(UNREADABLE)
        return reply


class RefusedError(Exception):
    """The error of a call, within a property, in which the function raised one."""


@functools.lru_cache(maxsize=4096)
def request_of(case: Case) -> bytes:
    """The request to answer for a case, which is the same for all who are asked."""
    return packed({"call": case.inputs()})


def _text(value: object) -> str:
    return cleaned(value[:TEXT]) if isinstance(value, str) else ""
