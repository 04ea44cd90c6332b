"""Numbers that stand in a line of code, by its syntax tree."""

from __future__ import annotations

import ast
import functools
import linecache
import math

from ..engine.source import SourceLine
from .rules_as_text import tree_of_text


@functools.lru_cache(1 << 12)
def numbers_in_line(line: SourceLine) -> frozenset[str]:
    """The numbers in a line, as `repr` writes them, and in those on which what begins there goes on.

    `np.inf` and `math.pi` are numbers too. There are none where the file cannot be read.
    """
    begun = _expressions(line.file)
    last = max((node.end_lineno or 0 for node in begun.get(line.number, ())), default=0)
    within = (node for n in range(line.number, last + 1) for node in begun.get(n, ()))
    numbers = (_number(node) for node in within)
    return frozenset(repr(number) for number in numbers if number is not None)


def _expressions(file: str) -> dict[int, list[ast.expr]]:
    return _by_line("".join(linecache.getlines(file)))


@functools.lru_cache(maxsize=16)
def _by_line(text: str) -> dict[int, list[ast.expr]]:
    """The expressions that begin in each line."""
    by_line: dict[int, list[ast.expr]] = {}
    tree = tree_of_text(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.expr):
            by_line.setdefault(node.lineno, []).append(node)
    return by_line


def _number(node: ast.expr) -> int | float | None:
    match node:
        case ast.Constant(value=int() | float() as value) if type(value) is not bool:
            return value
        case ast.Attribute(value=ast.Name(id="np" | "math"), attr="inf" | "nan" | "pi" | "e"):
            return getattr(math, node.attr)
    return None
