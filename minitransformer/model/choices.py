"""Parts that are chosen by name: a table of them, and one way to look into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from minigrad.settings import choice

T = TypeVar("T")


def chosen(table: Mapping[str, T], name: str, what: str) -> T:
    """Return the entry of that name.

    Args:
        what: what the table holds, for the message.

    Raises:
        ConfigError: if there is none.
    """
    return table[choice(what, name, table)]
