"""Advice of errors: what to write for a name of another library, by the table `minigrad.idioms`."""

from __future__ import annotations

import re
from collections.abc import Callable, Container

from ..idioms import APART, IDIOMS, WORDS


def instead(name: str, running: Callable[[], str], *homes: str) -> str:
    """Say what to write for a name of another library: "; for x.t() write x.T", or "" if unknown.

    Args:
        running: returns the line of code that is running. If several rows begin with this name, as for
            nn.init, the row is taken that has most in common with the line.
        homes: texts that may stand before the name in the first column, such as "torch" or "jax".
    """
    dotted = rf"\.({re.escape(name)}(?!\w)(?:\.\w+)*)"
    begins = re.compile(rf"(?:{'|'.join(homes)}){dotted}")
    rows = [(m[1], theirs, ours) for theirs, ours in IDIOMS if (m := begins.match(theirs))]
    if not rows:
        return ""
    written = re.search(dotted, running() if len(rows) > 1 else "")
    parts = written[1].split(".") if written else [name]
    shared = lambda row: sum(a == b for a, b in zip(row[0].split("."), parts))
    _, row, ours = max(rows, key=shared)  # the first of these
    return f"; for {row} write{chr(10) if chr(10) in ours else ' '}{as_printed(ours)}"


def as_printed(ours: str) -> str:
    """Write a row as an error prints it: it runs where minigrad is imported as mg."""
    return re.sub(r"\bF\.", "mg.functional.", ours)


def our_name(name: str, parameters: Container[str] | None = None, value: object = None) -> str:
    """Say how an argument is called here that another library calls `name`: "; write axis=1", or "".

    Args:
        parameters: the names that the function takes; None for any.
        value: what was given, which is written too if it is a number.
    """
    words = WORDS[name].split(" or ") if name in WORDS else []
    ours = next((word for word in words if parameters is None or word in parameters), "")
    number = repr(value) if isinstance(value, (bool, int, float)) else ""
    remedy = APART.get(name) or (f"write {ours}={number}" if ours else "")
    return f"; {remedy}" if remedy else ""
