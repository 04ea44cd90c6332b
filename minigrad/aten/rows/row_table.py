"""The table: ATen's functions in minigrad's.

    ROWS["lerp"] = lambda self, end, weight: self + weight * (end - self)

A row has the names of ATen's arguments, in ATen's order, and gives what ATen's function gives: a
Tensor, or a list of them where that gives several, with None for one that has no gradient and is not
worth a row. It needs no argument that stays at its default, and no `dtype`: the result is converted to
PyTorch's. It has to take every other argument: one that it does not take is an error. A row that names
`theirs` is given PyTorch's own results, as arrays: it may take from these what has no gradient, such as
the places of maxima.

`foo` stands for all overloads of ATen's `foo`, unless `foo.overload` has a row; and for `foo_`, which
writes the result into its first argument.

The files beside this one fill the table when they are imported: rows of one expression by
`ROWS |= {...}`, functions by `row`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ROWS: dict[str, Callable[..., Any]] = {}


def row(*names: str) -> Callable[[Callable], Callable]:
    """Enter the decorated function into the table under some names of ATen's."""

    def enter(function: Callable) -> Callable:
        ROWS.update(dict.fromkeys(names, function))
        return function

    return enter
