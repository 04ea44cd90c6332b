"""Rules as they are written: their source text and syntax trees."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import re
import types
from collections.abc import Callable

from ..engine.names import code_of
from ..engine.table import Operation


@functools.lru_cache(maxsize=1024)  # of each function once, however often it is asked for
def tree_of(function: Callable) -> ast.Lambda | ast.FunctionDef | None:
    """Return the syntax tree of a function, from its file; None where there is no source."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    text = "".join(linecache.getlines(code.co_filename))
    functions = [f for f in _functions_in(text) if _place(f) == (code.co_name, code.co_firstlineno)]
    if len(functions) > 1:  # lambdas on one line
        functions = [
            f for f in functions if _essence(code) == _essence(_compiled(f, text, code.co_freevars))
        ]
    return functions[0] if functions else None


@functools.lru_cache(maxsize=1024)
def source_of(rule: Callable) -> str:
    """Return the code of what a rule returns, from its file; the rule's name where there is no source.

    A lambda, or a function that only returns, is shown as one expression on one line; of a longer
    function all lines are shown. Arguments are shown without the underscores of those not read.
    """
    text, code = _source_of(inspect.unwrap(rule)), code_of(rule)
    unread = [n for n in code.co_varnames[: code.co_argcount] if n[0] == "_"]
    return (
        re.sub(rf"\b({'|'.join(unread)})\b", lambda n: n[0].lstrip("_"), text) if unread else text
    )


def _source_of(rule: Callable) -> str:
    tree, code = tree_of(rule), code_of(rule)
    if tree is None:
        return getattr(rule, "__name__", str(rule))
    body = tree.body
    if isinstance(body, list):
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]  # without the docstring
        if not (len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value):
            return "\n".join(map(ast.unparse, body))
        body = body[0].value
    if body.lineno != body.end_lineno:
        return ast.unparse(body)
    line = linecache.getline(code.co_filename, body.lineno).encode()
    return line[body.col_offset : body.end_col_offset].decode()


@functools.lru_cache(maxsize=16)
def tree_of_text(text: str) -> ast.Module | None:
    """Return the syntax tree of the text of a file; None if it is not Python's."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


@functools.lru_cache(maxsize=16)
def _functions_in(text: str) -> list[ast.Lambda | ast.FunctionDef]:
    tree = tree_of_text(text)
    nodes = ast.walk(tree) if tree is not None else ()
    return [node for node in nodes if isinstance(node, (ast.Lambda, ast.FunctionDef))]


@functools.lru_cache(maxsize=16)
def _imports_in(text: str) -> list[ast.stmt]:
    return [n for n in ast.parse(text).body if isinstance(n, (ast.Import, ast.ImportFrom))]


def argument_names(operation: Operation, count: int) -> list[str]:
    """List the names of the `count` arguments in the rules of an operation: `x`, or `args[0]`."""
    names = list(operation.parameters)[:count]
    return names + [f"args[{k}]" for k in range(count - len(names))]


def function_at(file: str, number: int) -> ast.FunctionDef | None:
    """Return the innermost function whose body has a line of a file, by its syntax tree, or None."""
    text = "".join(linecache.getlines(file))
    around = (f for f in _functions_in(text) if isinstance(f, ast.FunctionDef))
    return max(
        (f for f in around if f.lineno <= number <= (f.end_lineno or 0)),
        key=lambda f: f.lineno, default=None,
    )  # fmt: skip


def _place(node: ast.Lambda | ast.FunctionDef) -> tuple[str, int]:
    """A function's name and first line, as its code has them: decorators belong to it."""
    lines = [n.lineno for n in (node, *getattr(node, "decorator_list", ()))]
    return getattr(node, "name", "<lambda>"), min(lines)


def _compiled(node: object, text: str, free: tuple[str, ...]) -> types.CodeType:
    """The code of a lambda, compiled where what it uses is imported, or closed over, as in its file."""
    made = ast.parse(f"def f({', '.join(free)}): return 0")
    made.body[0].body[0].value = node  # type: ignore[attr-defined]
    made.body[:0] = _imports_in(text)
    outer = next(c for c in compile(made, "", "exec").co_consts if isinstance(c, types.CodeType))
    return next(c for c in outer.co_consts if isinstance(c, types.CodeType))


def _essence(code: types.CodeType) -> tuple:
    """Return what equal pieces of code have in common, at whatever place they are."""
    constants = (
        _essence(c) if isinstance(c, types.CodeType) else repr(c)
        for c in code.co_consts
        if "<locals>" not in str(c)  # Python 3.10 has the full names of inner functions there
    )
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, tuple(constants)
