"""Sentences about an answer: what it is, what it should be, and how both are written down."""

from __future__ import annotations

import contextlib
import html
import itertools
import os
import re
import traceback
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from .exercise import Case, Exercise
from .likeness import kind, numbers_of, plain
from .messages import Other

LONG, CALL = 400, 1500  # characters of a value, and of a whole call, that are shown
FEW = 4  # elements that are not all numbers, whose kinds are told one by one


class Raised(NamedTuple):
    """An error that a function raised, as plain data.

    Attributes:
        kind: its type, with the module.
        told: the error as one line.
        line: the line of the learner's, as ", in line 2: return 1 / 0"; or "".
        within: the name of the function that raised it.
        own: whether that is the function that was called.
    """

    kind: str
    told: str
    line: str = ""
    within: str = ""
    own: bool = False


class UnreadableError(Exception):
    """The error of a call of a function that cannot be read."""


def unreadable(name: str, why: str) -> Callable:
    """A function that stands in for one of a learner's that Python cannot read."""

    def call(*arguments: object, **options: object) -> Any:
        raise UnreadableError(f"{name}, and {why}")

    return call


def guess(error: Raised | None, value: Any, truth: Any) -> str:
    """Describe, if possible, a wrong answer that is none of the known mistakes."""
    if error is not None:
        return _of_error(error)
    if value is None:
        return "It returns nothing: is there a return at its end?"
    given, right = kind(value), kind(truth)
    if given and right and given != right:
        return f"It returns {given}; asked for is {right}."
    if isinstance(value, (list, tuple)) and not value and len(truth):
        return f"It returns an empty {type(value).__name__}; {len(truth)} elements are expected."
    given, right = kind_of(value), kind_of(truth)
    if given != right:
        return f"It returns {given}; expected is {right}."
    return "It is wrong, in a way that is not on the list of known mistakes."


def _of_error(error: Raised) -> str:
    if error.kind == "builtins.RecursionError":
        return (
            "It calls itself without end, or some 1000 times deep, where Python gives up: a loop goes "
            "deeper."
        )
    if error.kind == "builtins.SystemExit":
        return "It ends the program; an exercise returns its answer."
    if error.kind == "builtins.EOFError":
        return "It asks for input, and nobody answers; an exercise gets all that it needs as arguments."
    if error.kind == "builtins.NotImplementedError" and error.within:
        return f"It calls {error.within}, which is not written yet."
    if error.kind.endswith(".UnreadableError"):
        return f"It calls {error.told.partition(': ')[2]}."
    return f"It raises {error.told}{error.line}."


def not_finite(value: object, truth: object) -> str:
    """Say that an answer has NaN or infinity in it, where the right one has only finite numbers."""
    bad = next((n for n in ("nan", "inf") if n in _odd(value) and not _odd(truth)), "")
    because = {
        "nan": "0 was divided by 0, or infinity by infinity, or one taken off the other",
        "inf": "a number was divided by 0, or is too large: exp(1000) is infinite",
    }
    return f" There is {bad} in the answer: {because[bad]}." if bad else ""


def _odd(value: object) -> set[str]:
    """Say which of NaN and infinity are in an answer."""
    if isinstance(value, dict):
        value = list(value.values())
    numbers = numbers_of(value)
    if numbers is None:
        parts = value if isinstance(value, (list, tuple)) else []
        return set().union(*map(_odd, parts))
    if numbers.dtype.kind != "f":
        return set()
    return {n for n, f in (("nan", np.isnan), ("inf", np.isinf)) if f(numbers).any()}


def raised_in(error: BaseException) -> CodeType | None:
    """The code of the function that raised an error."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    return codes[-1] if codes else None


def told(error: BaseException, folders: Iterable[str] = ()) -> str:
    """An error as one line.

    Args:
        folders: what a path is shown without: the line may be handed back by who runs it.
    """
    text = type(error).__name__
    with contextlib.suppress(Exception):  # what an error of the learner's says may fail, too
        says = " ".join(str(error).split())
        for folder in sorted({f"{one}{os.sep}" for one in folders if one}, key=len, reverse=True):
            says = says.replace(folder, "")
        text += ": " + cleaned(says[: LONG + 1])
    return text if len(text) <= LONG else f"{text[:LONG]}…"


def cleaned(text: str) -> str:
    """A text without signs that steer a terminal, turn the direction of writing, or are half a sign."""
    whole = text.encode(errors="backslashreplace").decode()
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in whole)


def as_html(says: str) -> str:
    """A sentence in HTML, with what stands in backticks as code and in stars as emphasis."""
    parts = re.split(r"`([^`]+)`", html.escape(says))  # every second one is code
    stars = re.compile(r"(?<![\w*])\*(\w+)\*(?![\w*])")
    plain = [stars.sub(r"<em>\1</em>", part) for part in parts[::2]]
    code = [f"<code>{part}</code>" for part in parts[1::2]]
    return "".join(itertools.chain(*itertools.zip_longest(plain, code, fillvalue="")))


def kind_of(value: object) -> str:
    """Describe what kind of thing an answer is."""
    if isinstance(value, Other):
        return cleaned(value.kind[:LONG])
    if isinstance(value, (dict, str)):
        return f"a {type(value).__name__}"
    first = value[:LONG] if isinstance(value, (tuple, list)) else value  # a million tell no more
    inside = lambda v: isinstance(v, (tuple, list)) or np.ndim(plain(v))
    if isinstance(first, (tuple, list)) and any(map(inside, first)):
        return f"({', '.join(map(kind_of, first))})"
    array = numbers_of(first)
    if array is None:
        parts = [*map(kind_of, first)] if isinstance(first, (tuple, list)) else []
        if len({*parts}) > 1 and len(parts) <= FEW:
            return f"({', '.join(parts)})"
        return f"a {type(value).__name__}"
    kind = "boolean" if array.dtype.kind == "b" else "number"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)} {kind}{'s' * (len(value) != 1)}"
    return f"{kind}s of shape {array.shape}" if array.ndim else f"one {kind}"


def call_text(exercise: Exercise, case: Case) -> str:
    text = f"{exercise.name}({', '.join(map(shown, case.inputs()))})"
    return text if len(text) <= CALL else f"{text[:CALL]}…"


def shown(value: object, arrays: bool = False) -> str:
    """A value as one line of Python, as far as a line has room.

    Args:
        arrays: told from lists.
    """
    text = ""
    try:
        for piece in _pieces(value, arrays):
            text += piece
            if len(text) > LONG:
                return f"{text[:LONG]}…"
    except Exception:  # an object of the learner's that cannot say what it is
        return f"a {type(value).__name__}"
    return text


def _pieces(value: object, arrays: bool) -> Iterator[str]:
    """The text of a value, bit by bit: what is not asked for is not written."""
    value = plain(value)
    if isinstance(value, Other):
        yield cleaned(value.text) + f", {kind_of(value)}" * arrays
        return
    if isinstance(value, (np.ndarray, np.generic)) and not value.ndim:
        value = value.item()
    if isinstance(value, float):
        text = f"{value:.6g}" if value != round(value, 1) else repr(value)
        yield text + ".0" * text.lstrip("-").isdecimal()  # nearly a whole number is a float, too
    elif arrays and isinstance(value, np.ndarray):
        yield from itertools.chain(["array("], _pieces(value.tolist(), arrays), [")"])
    elif isinstance(value, (list, tuple, np.ndarray)):
        yield "(" if isinstance(value, tuple) else "["
        for k, one in enumerate(value):
            yield ", " if k else ""
            yield from _pieces(one, arrays)
        yield ("," if len(value) == 1 else "") + ")" if isinstance(value, tuple) else "]"
    elif isinstance(value, dict):
        yield "{"
        for k, (name, one) in enumerate(value.items()):
            yield ", " if k else ""
            yield from itertools.chain(_pieces(name, arrays), [": "], _pieces(one, arrays))
        yield "}"
    else:
        yield repr(value)
