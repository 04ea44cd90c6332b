"""The body of a function, as its author wrote it: what is called with symbols, and put into programs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..engine import table
from ..ran.rules_as_text import tree_of


def body_of(function: Any) -> Callable:
    """The function that its author wrote, which takes symbols too: without a decorator of the engine's,
    which hands Tensors to the engine, and without a cache."""
    entry = table.TABLE.get(function)
    if isinstance(entry, table.Definition):
        return entry.body
    if hasattr(function, "cache_info"):  # functools.cache
        function = function.__wrapped__
    return getattr(function, "dispatched", function)


def is_expression(function: Callable) -> bool:
    """Tell whether a function only returns an expression."""
    tree = tree_of(function)
    if isinstance(tree, ast.FunctionDef):
        body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
        return len(body) == 1 and isinstance(body[0], ast.Return)
    return tree is not None
