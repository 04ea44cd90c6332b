"""One to ten small letters -> the same letters, in the same order or in another.

    copy:     attention  ->  attention
    reverse:  attention  ->  noitnetta
    sort:     attention  ->  aeinnottt

To copy and to reverse, a model has to know where a letter stands; to sort, it has to know what
stands elsewhere. What is right is known beforehand, for the attention maps too.
"""

import random
import string
from collections.abc import Callable

from minitransformer.tasks.drawn import Drawn
from minitransformer.training.vocabulary import Vocabulary

ALPHABET = string.ascii_lowercase
LONGEST = 10

ANSWERS: dict[str, Callable[[str], str]] = {
    "copy": lambda text: text,
    "reverse": lambda text: text[::-1],
    "sort": lambda text: "".join(sorted(text)),
}


def task(name: str, seed: int = 0) -> Drawn:
    """One of the three tasks. Every length from 1 to 10 is as likely, and so is every letter; but
    one that is there is likely to be there again, or nobody could learn to sort "eebee".

    Texts with the same answer are held out together: when sorting, all orders of the same letters.
    """
    return Drawn(
        name=name,
        seed=seed,
        source=Vocabulary.of_characters(ALPHABET),
        target=Vocabulary.of_characters(ALPHABET),
        longest_source=LONGEST,
        longest_target=LONGEST,
        draw=_draw,
        answer=ANSWERS[name],
        kin=ANSWERS[name],
    )


def _draw(generator: random.Random) -> str:
    some = generator.choices(ALPHABET, k=LONGEST)  # some of them more than once
    return "".join(generator.choices(some, k=generator.randint(1, LONGEST)))
