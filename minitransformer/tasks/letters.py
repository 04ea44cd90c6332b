"""One to ten small letters -> the same letters, in the same order or in another.

    copy:     attention  ->  attention
    reverse:  attention  ->  noitnetta
    sort:     attention  ->  aeinnottt

To copy and to reverse, a model has to know the place of each letter; to sort, it has to know the other
letters. So the right attention map is known in advance, like the right answer.
"""

import random
import string
from collections.abc import Callable

from minigrad.settings import whole

from ..training.vocabulary import Vocabulary
from .drawn import Drawn

ALPHABET = string.ascii_lowercase
LONGEST = 10
MOST_LETTERS = 1000  # letters

ANSWERS: dict[str, Callable[[str], str]] = {
    "copy": lambda text: text,
    "reverse": lambda text: text[::-1],
    "sort": lambda text: "".join(sorted(text)),
}


def task(name: str, seed: int = 0, longest: int = LONGEST) -> Drawn:
    """Make one of the three tasks. All lengths from 1 to `longest` are equally likely, and so are all
    letters; but letters often repeat in a text, so that the model can learn to sort "eebee".

    Texts with the same answer are held out together: when sorting, all orders of the same letters.

    Raises:
        ConfigError: `longest` is not a whole number from 1 up to `MOST_LETTERS`.
    """
    longest = whole("longest", longest, least=1, most=MOST_LETTERS)

    def draw(generator: random.Random) -> str:
        letters = generator.choices(ALPHABET, k=longest)  # a letter may be there more than once
        return "".join(generator.choices(letters, k=generator.randint(1, longest)))

    return Drawn(
        name=name,
        seed=seed,
        source=Vocabulary.of_characters(ALPHABET),
        target=Vocabulary.of_characters(ALPHABET),
        longest_source=longest,
        longest_target=longest,
        draw=draw,
        answer=ANSWERS[name],
        kin=ANSWERS[name],
    )
