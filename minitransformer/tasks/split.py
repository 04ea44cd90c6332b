"""What is drawn and what is held out: decided by text, and the same in every process.

hash() of a text, or of a tuple that holds one, differs from process to process; these do not.
"""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

from minigrad.errors import ConfigError

T = TypeVar("T")


def seeded(*purpose: object) -> random.Random:
    """A generator of its own for each purpose, such as ("dates", seed, step)."""
    return random.Random(" ".join(map(str, purpose)))


def one_in_ten(*what: object) -> bool:
    """Whether this is among the tenth that is held out. It needs no list, so `what` may be endless."""
    digest = hashlib.blake2b(" ".join(map(str, what)).encode()).digest()
    return int.from_bytes(digest, "big") % 10 == 0


def first(items: Sequence[T], count: int, name: str) -> list[T]:
    """The first `count` of what is held out.

    Raises:
        ConfigError: `count` is below 0, or above what there is.
    """
    if not 0 <= count <= len(items):
        raise ConfigError(
            f"{count} held-out examples of {name!r} asked for; expected 0 to {len(items)}"
        )
    return list(items[:count])
