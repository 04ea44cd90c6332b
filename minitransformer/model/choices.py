"""Parts that are chosen by name: a table of them, and one way to look into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from minigrad import errors

T = TypeVar("T")


def chosen(table: Mapping[str, T], name: str, what: str) -> T:
    """Return the entry of that name.

    Args:
        what: what the table holds, for the message.

    Raises:
        ConfigError: if there is none.
    """
    if name not in table:
        raise errors.ConfigError(f"{what} is one of {', '.join(map(repr, table))}, not {name!r}")
    return table[name]
