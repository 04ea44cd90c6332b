"""Columns of a table as text, as wide as a terminal shows their cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from ...ran import words


def with_numbers(cells: Sequence[Sequence[str]]) -> list[str]:
    """Names to the left, numbers to the right."""
    first, *others = [max(map(width_of, c)) for c in zip(*cells)]
    return [
        "  ".join(
            [padded(words.visible(row[0]), first), *(f"{c:>{w}}" for c, w in zip(row[1:], others))]
        )
        for row in cells
    ]


def width_of(cell: str) -> int:
    """The columns that a terminal gives to `cell`."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in cell
    )


def padded(cell: str, width: int) -> str:
    """`cell` with spaces behind it, up to a width."""
    return cell + " " * (width - width_of(cell))
