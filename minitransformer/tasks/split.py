"""Random draws and the choice of held-out examples: decided by text, the same in every process.

Python's hash() of a text, or of a tuple with one, differs between processes, so it is not used.
"""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

from minigrad.errors import ConfigError

T = TypeVar("T")


def seeded(*purpose: object) -> random.Random:
    """Make a separate generator for each purpose, such as ("dates", seed, step)."""
    return random.Random(" ".join(map(str, purpose)))


def one_in_ten(*what: object) -> bool:
    """Tell whether `what` is in the held-out tenth. No list is needed, only a hash of `what`."""
    digest = hashlib.blake2b(" ".join(map(str, what)).encode()).digest()
    return int.from_bytes(digest, "big") % 10 == 0


def rank(*what: object) -> int:
    """A number for `what` that looks random, and is the same in every process."""
    digest = hashlib.blake2b(" ".join(map(str, what)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def first(items: Sequence[T], count: int, name: str) -> list[T]:
    """Return the first `count` of the held-out items.

    Raises:
        ConfigError: `count` is below 0, or above the number of items.
    """
    if not 0 <= count <= len(items):
        raise ConfigError(
            f"{count} held-out examples of {name!r} asked for; expected 0 to {len(items)}"
        )
    return list(items[:count])
