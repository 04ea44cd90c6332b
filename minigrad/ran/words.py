"""Numbers, arrays and arguments as short text, the same in every view."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.names import name_of
from ..engine.node import Outline
from ..engine.tensor import Array


def number(x: Any) -> str:
    """A number to four significant digits: `0.1235`, `1.2e-07`, `nan`."""
    if isinstance(x, (bool, np.bool_)):
        return str(bool(x))
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    return f"{float(x) + 0.0:.4g}"  # + 0.0 makes the zero of -0.0 an ordinary one


def array(a: Array) -> str:
    """An array in one line: its elements where they are few, else what they are like."""
    a = np.asarray(a)
    return _nested(a) if 0 < a.size <= 4 and a.ndim <= 2 else _extent(a)


def array_lines(a: Array) -> list[str]:
    """An array as a few lines: a row of a matrix each where it is small, else what it is like."""
    a = np.asarray(a)
    if a.ndim == 2 and a.shape[0] <= 4 and 0 < a.shape[1] <= 4:
        return [_nested(row) for row in a]
    return [array(a)]


def _nested(a: np.ndarray) -> str:
    return number(a[()]) if a.ndim == 0 else f"[{', '.join(map(_nested, a))}]"


def _extent(a: np.ndarray) -> str:
    if a.size == 0:
        return "empty"
    if a.dtype == bool:
        return f"{np.count_nonzero(a)} of {a.size} True"
    with np.errstate(all="ignore"):
        finite = a if a.dtype.kind in "iu" else a[np.isfinite(a)]
        odd = [
            f"{np.count_nonzero(test(a))} {name}"
            for test, name in ((np.isnan, "nan"), (np.isinf, "inf"))
            if test(a).any()
        ]
        if finite.size:
            low, high = number(finite.min()), number(finite.max())
            odd.append(f"all {low}" if low == high else f"{low} to {high}")
    return ", ".join(odd)


def literal(value: object) -> str:
    """An argument that is no tensor, as code would have it: `1:`, `(0, 2)`, `float32`."""
    if isinstance(value, (bool, np.bool_, int, float, np.number)):
        return number(value)
    if isinstance(value, np.ndarray):
        return array(value) if value.ndim == 0 else f"{value.dtype}{list(value.shape)}"
    if isinstance(value, Outline):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, slice):
        parts = [value.start, value.stop, *([value.step] if value.step is not None else [])]
        return ":".join("" if p is None else literal(p) for p in parts)
    if value is Ellipsis:
        return "..."
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, (np.dtype, type)):
        return np.dtype(value).name if isinstance(value, np.dtype) else value.__name__
    return name_of(value) if callable(value) else repr(value)


def plural(n: int, one: str, many: str | None = None) -> str:
    """`1 edge`, `1,200 edges`."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def shape(s: Sequence[int]) -> str:
    """A shape as NumPy prints it."""
    return str(tuple(int(n) for n in s))


def role_of(dtype: np.dtype) -> str:
    """The purpose of an array that is no tensor: mask, index or constant."""
    return {"b": "mask", "i": "index", "u": "index"}.get(dtype.kind, "constant")


def visible(text: str) -> str:
    """`text` in one line, with characters that print nothing written as escapes."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def first_sentence(docstring: str | None) -> str:
    """The first sentence of a docstring, in one line, with no references to papers; "" for none."""
    about = " ".join(inspect.cleandoc(docstring or "").partition("\n\n")[0].split())
    about = re.sub(r"\s*\([^()]*\b(?:(?:19|20)\d\d|lesson \d\d[a-z]?)\b[^()]*\)", "", about)
    end = r"(?<=[.:;])\s(?![^(]*\))"  # not within parentheses
    return re.split(end, about, maxsplit=1)[0].rstrip(":;").replace("`", "")


def lesson_in(docstring: str | None) -> str:
    """The number of the lesson that a docstring names, as in `lesson 08`; "" for none."""
    found = re.search(r"\blesson (\d\d[a-z]?)\b", docstring or "")
    return found[1] if found else ""


def shortened(text: str, width: int) -> str:
    """`text` cut to `width` characters, the last of which says so."""
    return text if len(text) <= width else text[: width - 1] + "…"
