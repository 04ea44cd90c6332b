"""Links from the names in a program to the lines of both packages that define them."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

from ..folders import PACKAGES, ROOT


def uses(text: str) -> dict[str, tuple[str, int]]:
    """Find what a program takes from the two packages. Map each name there, such as `mt.attention`,
    to the file that defines it, from the root on, and the line."""
    tree = ast.parse(text)
    imported: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in PACKAGES:
                    imported[alias.asname or alias.name] = importlib.import_module(alias.name)
        elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in PACKAGES:
            for alias in node.names:
                home = importlib.import_module(str(node.module))
                imported[alias.asname or alias.name] = _part(home, alias.name)
    lines = {}
    for node in ast.walk(tree):
        dotted = _dotted(node)
        if dotted and dotted[0] in imported:
            thing = imported[dotted[0]]
            for name in dotted[1:]:
                thing = _part(thing, name)
            where = _defined(thing)
            if where is not None:
                lines[".".join(dotted)] = where
    return lines


def _part(home: object, name: str) -> Any:
    """An attribute, or a module of a package that was not imported yet."""
    if isinstance(home, ModuleType) and not hasattr(home, name) and hasattr(home, "__path__"):
        return importlib.import_module(f"{home.__name__}.{name}")
    return getattr(home, name, None)


def _dotted(node: ast.AST) -> list[str]:
    """["mt", "masks", "causal"] for mt.masks.causal; nothing for other expressions."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return [*before, node.attr] if before else []
    return []


def _defined(thing: Any) -> tuple[str, int] | None:
    """The file and line of a function or class of the two packages; None for anything else."""
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return None
    try:
        thing = inspect.unwrap(thing)
        file = Path(str(inspect.getsourcefile(thing))).resolve().relative_to(ROOT)
        _, line = inspect.getsourcelines(thing)
    except (TypeError, OSError, ValueError):
        return None
    return (file.as_posix(), line) if file.parts[0] in PACKAGES else None
