"""Lists, tuples and dicts of values, nested in any way: what is in them, and the same with others.

list(leaves({"w": x, "layers": [y, z]}))       ("w", x), ("layers[0]", y), ("layers[1]", z)
rebuilt({"w": x, "layers": [y, z]}, [1, 2, 3])          {"w": 1, "layers": [2, 3]}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Tree = Any  # lists, tuples and dicts, nested in any way, of leaves of one kind; or one leaf


def leaves(tree: Tree, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in `tree` that is no list, tuple or dict, with the path that leads to it."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from leaves(value, f"{path}[{key!r}]" if path else str(key))
    elif isinstance(tree, (list, tuple)):
        for i, value in enumerate(tree):
            yield from leaves(value, f"{path}[{i}]")
    else:
        yield path, tree


def rebuilt(tree: Tree, values: Iterable[object]) -> Tree:
    """A tree of the shape of `tree`, with `values` for its leaves, in the order of `leaves`."""
    return _rebuilt(tree, iter(values))


def _rebuilt(tree: Tree, values: Iterator[object]) -> Tree:
    if isinstance(tree, Mapping):
        return {key: _rebuilt(value, values) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        items = [_rebuilt(item, values) for item in tree]
        if hasattr(tree, "_fields"):
            return type(tree)(*items)  # a named tuple
        return tuple(items) if isinstance(tree, tuple) else items
    return next(values)
