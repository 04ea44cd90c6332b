"""Code of what made a node: `#0 @ #1`, `np.sum(#4, axis=1)`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...ran import words
from ...ran.data import GraphNode, Ref
from ...script.operators import BY_FUNCTION


def numbered(number: int) -> str:
    """A node by its number: `#4`."""
    return f"#{number}"


def expression(node: GraphNode, called: Callable[[int], str] = numbered) -> str:
    """Return what made a node, as code: `#0 @ #1`, `np.sum(#4, axis=1)`, with arguments as `called`."""
    if node.of is not None:
        return _step(node, called)
    if node.function is None:
        return node.kind
    if node.outside:
        return f"{node.operation}, outside"
    parts = [_argument(a, called) for a in node.arguments]
    row = BY_FUNCTION.get(node.function)
    if row is not None:
        return f"{row.sign}{parts[0]}" if row.unary else f"{parts[0]} {row.sign} {parts[1]}"
    if node.function is operator.getitem and len(parts) == 2:
        index = node.arguments[1]
        inside = (
            ", ".join(_argument(i, called) for i in index) if type(index) is tuple else parts[1]
        )
        return f"{parts[0]}[{inside or '()'}]"
    options = ((k, v) for k, v in node.options.items() if v is not None and v is not False)
    parts += [f"{name}={words.literal(value)}" for name, value in options]
    return f"{node.operation}({', '.join(parts)})"


def _step(node: GraphNode, called: Callable[[int], str]) -> str:
    """A node of a backward pass: `g * b with g = #0`, `#1 + #2`."""
    given = [called(a.number) for a in node.arguments]
    if node.operation == "sum":
        return " + ".join(given)
    return f"{node.operation} with g = {given[0]}" if given else "where it starts"


def _argument(argument: Any, called: Callable[[int], str]) -> str:
    if isinstance(argument, Ref):
        return called(argument.number)
    if isinstance(argument, (list, tuple)) and any(isinstance(a, Ref) for a in argument):
        listed = ", ".join(_argument(a, called) for a in argument)
        return f"[{listed}]" if isinstance(argument, list) else f"({listed})"
    return words.literal(argument)
