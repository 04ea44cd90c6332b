"""One to ten small letters -> the same letters, in the same order or in another.

    copy:     attention  ->  attention
    reverse:  attention  ->  noitnetta
    sort:     attention  ->  aeinnottt

To copy and to reverse, a model has to know where a letter stands; to sort, it has to know what
stands elsewhere. The right answer is known in advance, for the attention maps too.
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
    """Make one of the three tasks. All lengths from 1 to 10 are equally likely, and so are all letters;
    but letters often repeat in a text, so that the model can learn to sort "eebee".

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
