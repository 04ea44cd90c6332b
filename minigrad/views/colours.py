"""The colours of every picture and page: a pair for values, a pair for gradients, four for lines.

Contrast at least 3 : 1 on white and on black, and black ink can be read on each. The two of a pair are
far apart for every kind of colour vision; who confuses the pairs still sees what is above zero.
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
