"""A file with syntax errors: the parts of it that Python can read.

What holds an error is left out, from one function or import to the next, and the rest is read again.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from .values_as_text import cleaned

END = re.compile(r"\r\n|\r|\n")  # of a line, as Python counts them; str.splitlines counts more
BEGINS = re.compile(r"(?:(?:async )?def (\w+)|class |import |from |@)")  # a part of a file
NOT_UTF8 = re.compile(r"Non-UTF-8 code|'utf-8' codec")  # as versions of Python say it
DEFINITIONS = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.AugAssign,
)  # fmt: skip


class ReadableParts(NamedTuple):
    """The parts of a file that Python can read.

    Attributes:
        tree: of them.
        unread: for each function that Python cannot read, why.
        codes: of what defines something, statement by statement.
    """

    tree: ast.Module
    unread: Mapping[str, str]
    codes: Sequence[CodeType]


def readable_parts(path: Path, data: bytes, unread: Mapping[str, str] = {}) -> ReadableParts:
    """Read a file, without the functions and imports that hold a syntax error.

    Args:
        unread: the functions that were left out before, and why.

    Raises:
        SyntaxError: for one that is in no such part.
    """
    try:
        return _compiled(path, ast.parse(data, str(path)), unread)
    except SyntaxError as problem:
        lines = END.split(data.decode(errors="replace"))
        start, end = _part_with(problem, lines)
        begin = BEGINS.match(lines[start])
        names = [begin[1]] if begin and begin[1] else []
        why = dict.fromkeys(names, why_unreadable(path, problem))
        return readable_parts(path, _without(lines, start, end), {**unread, **why})


def _part_with(problem: SyntaxError, lines: Sequence[str]) -> tuple[int, int]:
    """Find the part that holds a syntax error: its first line, and the line after its last."""
    starts = [n for n, line in enumerate(lines) if BEGINS.match(line)]
    before = [n for n in starts if n < (problem.lineno or 0)][-2:]
    # Python may find the error only in the part after it: leave out what leads further.
    parts = [(n, min(end for end in [*starts, len(lines)] if end > n)) for n in before[::-1]]
    if not parts:
        raise problem
    return max(parts, key=lambda part: _reach(_without(lines, *part)))


def _compiled(path: Path, tree: ast.Module, unread: Mapping[str, str]) -> ReadableParts:
    """Leave out, too, the definitions that Python parses but cannot compile: a `break` in no loop."""
    codes = {statement: _code(path, statement) for statement in tree.body}
    refused = {s: code for s, code in codes.items() if isinstance(code, SyntaxError)}
    why = {getattr(s, "name", ""): why_unreadable(path, error) for s, error in refused.items()}
    return ReadableParts(
        ast.Module([statement for statement in tree.body if statement not in refused], []),
        {**unread, **why},
        [code for code in codes.values() if isinstance(code, CodeType)],
    )


def _code(path: Path, statement: ast.stmt) -> CodeType | SyntaxError | None:
    """Return the code of what defines something, or why Python cannot compile it."""
    try:
        if isinstance(statement, DEFINITIONS):
            return compile(ast.Module([statement], []), str(path), "exec")
    except SyntaxError as problem:
        return problem
    return None


def _without(lines: Sequence[str], start: int, end: int) -> bytes:
    """The lines, some of them blank."""
    return "\n".join([*lines[:start], *[""] * (end - start), *lines[end:]]).encode()


def _reach(data: bytes) -> float:
    """The line up to which Python can read."""
    try:
        ast.parse(data)
    except SyntaxError as problem:
        return problem.lineno or 0
    return math.inf


def why_unreadable(path: Path, problem: SyntaxError) -> str:
    """Say in a sentence why Python cannot read a file."""
    line = f", in line {problem.lineno}" if problem.lineno else ""
    text = f": {problem.text.strip()}" if problem.text and problem.text.strip() else ""
    why = (
        "it is not UTF-8 there; save the file as UTF-8"
        if NOT_UTF8.search(problem.msg)
        else problem.msg
    )
    return cleaned(f"Python cannot read {path.name}{line}: {why}{text}")
