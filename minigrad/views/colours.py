"""The colours of every picture and page: a pair for values, a pair for gradients, four for lines.

Each colour has a contrast of at least 3 : 1 to white and to black, and black text can be read on it. The
two colours of a pair are far apart for every kind of colour vision. A reader who confuses the two pairs
still sees which numbers are above zero.
"""

from __future__ import annotations

from typing import NamedTuple

BLUE, ORANGE, GREEN, PURPLE = "#2f7fd8", "#d9700f", "#2c9460", "#8f5bd0"
GREY = "#7a7f87"


class Signs(NamedTuple):
    """The colours of numbers below and above zero."""

    minus: str
    plus: str


VALUES = Signs(minus=ORANGE, plus=BLUE)
GRADIENTS = Signs(minus=GREEN, plus=PURPLE)


def css() -> str:
    """The pairs as custom properties of a page: `--value-plus: 47, 127, 216` and so on."""
    lines = [
        f"  --{name}-{sign}: {', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))};"
        for name, pair in (("value", VALUES), ("grad", GRADIENTS))
        for sign, colour in pair._asdict().items()
    ]
    return "\n".join([":root {", *lines, "}", ""])
