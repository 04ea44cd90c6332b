"""Values as text: an answer in one line, what kind of thing it is, a call with its arguments."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator

import numpy as np

from .exercise import Case, Exercise
from .likeness import data_of, numbers_of
from .messages import Other

LONG, CALL = 400, 1500  # characters of a value, and of a whole call, that are shown
MANY, SHOWN = 100, 5  # elements: of more, some are shown, and how many there are
FEW = 4  # elements that are not all numbers, whose kinds are told one by one


def call_text(exercise: Exercise, case: Case) -> str:
    """The call of a function with the inputs of a case, as one line."""
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
    value = data_of(value)
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
            if k == SHOWN and len(value) > MANY:
                yield f", … {len(value)} in all"
                break
        yield ("," if len(value) == 1 else "") + ")" if isinstance(value, tuple) else "]"
    elif isinstance(value, dict):
        yield "{"
        for k, (name, one) in enumerate(value.items()):
            yield ", " if k else ""
            yield from itertools.chain(_pieces(name, arrays), [": "], _pieces(one, arrays))
            if k == SHOWN and len(value) > MANY:
                yield f", … {len(value)} in all"
                break
        yield "}"
    else:
        yield repr(value)


def kind_of(value: object) -> str:
    """Describe what kind of thing an answer is."""
    if isinstance(value, Other):
        return cleaned(value.kind[:LONG])
    if isinstance(value, (dict, str)):
        return f"a {type(value).__name__}"
    first = value[:LONG] if isinstance(value, (tuple, list)) else value  # a million tell no more
    inside = lambda v: isinstance(v, (tuple, list)) or np.ndim(data_of(v))
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


def cleaned(text: str) -> str:
    """A text without signs that steer a terminal, turn the direction of writing, or are half a sign."""
    whole = text.encode(errors="backslashreplace").decode()
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in whole)


def as_html(says: str) -> str:
    """A sentence in HTML, with what stands in backticks as code and in stars as emphasis."""
    parts = re.split(r"`([^`]+)`", html.escape(says))  # every second one is code
    stars = re.compile(r"(?<![\w*])\*(\w+)\*(?![\w*])")
    texts = [stars.sub(r"<em>\1</em>", part) for part in parts[::2]]
    code = [f"<code>{part}</code>" for part in parts[1::2]]
    return "".join(itertools.chain(*itertools.zip_longest(texts, code, fillvalue="")))
