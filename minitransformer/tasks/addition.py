"""A sum of two whole numbers -> its value.

    123+45   ->  168
    7+0      ->  7
    999+999  ->  1998

The digits are written as people read them, the highest first. But a carry comes from the other end: to
write the first digit, a model has to know the rest already.
"""

import random

from minigrad.settings import whole

from ..training.vocabulary import Vocabulary
from .drawn import Drawn

DIGITS = "0123456789"
MOST_DIGITS = 1000  # digits; Python writes no whole number of more than 4300


def task(seed: int = 0, digits: int = 3) -> Drawn:
    """The task, with operands of up to `digits` digits.

    An operand of n digits is n times as likely as one of one digit, for there are more to learn.

    a+b and b+a are held out together.

    Raises:
        ConfigError: `digits` is not a whole number from 1 up to `MOST_DIGITS`.
    """
    digits = whole("digits", digits, least=1, most=MOST_DIGITS)
    counts = range(1, digits + 1)

    def draw(generator: random.Random) -> str:
        a, b = (generator.randrange(10**n) for n in generator.choices(counts, counts, k=2))
        return f"{a}+{b}"

    return Drawn(
        name="addition",
        seed=seed,
        source=Vocabulary.of_characters(DIGITS + "+"),
        target=Vocabulary.of_characters(DIGITS),
        longest_source=2 * digits + 1,
        longest_target=digits + 1,
        draw=draw,
        answer=lambda text: str(sum(map(int, text.split("+")))),
        kin=lambda text: "+".join(sorted(text.split("+"))),
    )
