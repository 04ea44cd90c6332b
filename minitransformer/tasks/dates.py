"""A date as people write it -> ISO 8601.

    Tuesday the 3rd of March, 1998  ->  1998-03-03
    Thursday, February 29, 1996     ->  1996-02-29
    WED, 01 JAN 2025                ->  2025-01-01
    the 22nd of june 1941           ->  1941-06-22
    Jul. 20, 1969                   ->  1969-07-20
    09NOV1989                       ->  1989-11-09
    2038/1/19                       ->  2038-01-19
    28.vii.1914                     ->  1914-07-28

To write the month, a model has to find a word, a numeral or digits; to write the day, it has to see
that 3, 3rd and 03 are one; and it has to learn that the weekday tells it nothing.
"""

import random
from collections.abc import Callable, Sequence
from datetime import date

from minigrad.errors import ConfigError
from minitransformer.training.vocabulary import Vocabulary

# Each tells its day for certain. That leaves out 03/04/1998 (April or March?) and 3 March 98.
FORMS = (
    "{weekday} the {nth} of {month}, {year}",  # Tuesday the 3rd of March, 1998
    "{weekday}, {month} {d}, {year}",  # Tuesday, March 3, 1998
    "{weekday} {nth} {month} {year}",  # Tuesday 3rd March 1998
    "{wkd}, {dd} {mon} {year}",  # Tue, 03 Mar 1998
    "{wkd} {mon} {d} {year}",  # Tue Mar 3 1998
    "{wkd} {year}-{mm}-{dd}",  # Tue 1998-03-03
    "{d} {month} {year} ({weekday})",  # 3 March 1998 (Tuesday)
    "the {nth} of {month} {year}",  # the 3rd of March 1998
    "{nth} of {month} {year}",  # 3rd of March 1998
    "{d} {month} {year}",  # 3 March 1998
    "{d} {mon} {year}",  # 3 Mar 1998
    "{dd}-{mon}-{year}",  # 03-Mar-1998
    "{dd}/{mon}/{year}",  # 03/Mar/1998
    "{dd}{mon}{year}",  # 03Mar1998
    "{d}.{roman}.{year}",  # 3.III.1998
    "{month} {d}, {year}",  # March 3, 1998
    "{month} the {nth}, {year}",  # March the 3rd, 1998
    "{mon} {nth} {year}",  # Mar 3rd 1998
    "{mon}. {d}, {year}",  # Mar. 3, 1998
    "{year} {month} {d}",  # 1998 March 3
    "{year}-{mon}-{dd}",  # 1998-Mar-03
    "{year}-{mm}-{dd}",  # 1998-03-03
    "{year}.{mm}.{dd}",  # 1998.03.03
    "{year}/{m}/{d}",  # 1998/3/3
    "{year}{mm}{dd}",  # 19980303
)
CASES = (str, str.lower, str.upper)  # str leaves a text as it is

# Not calendar's names: those are in the language that the machine is set to.
MONTHS = (
    ("January", "I"),
    ("February", "II"),
    ("March", "III"),
    ("April", "IV"),
    ("May", "V"),
    ("June", "VI"),
    ("July", "VII"),
    ("August", "VIII"),
    ("September", "IX"),
    ("October", "X"),
    ("November", "XI"),
    ("December", "XII"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}  # the others: "th"

FIRST, LAST = date(1900, 1, 1), date(2099, 12, 31)
HELD_OUT = 1000  # days, of the 73,049 from FIRST to LAST


def write(day: date, form: str) -> str:
    """Write `day` in `form`, one of FORMS."""
    month, roman = MONTHS[day.month - 1]
    weekday = WEEKDAYS[day.weekday()]
    return form.format(
        year=day.year,
        month=month,
        mon=month[:3],
        roman=roman,
        m=day.month,
        mm=f"{day.month:02}",
        d=day.day,
        dd=f"{day.day:02}",
        nth=f"{day.day}{ENDINGS.get(day.day, 'th')}",
        weekday=weekday,
        wkd=weekday[:3],
    )


# A leap year has every month, day of the month, weekday and digit, and its longest texts (a
# Wednesday late in September) are as long as any: what can occur at all, occurs here.
_YEAR = [date.fromordinal(date(2000, 1, 1).toordinal() + i) for i in range(366)]
_TEXTS = [write(day, form) for day in _YEAR for form in FORMS]


class Dates:
    """The task, with its days split by `seed` into those to train on and those held out.

    A day that is held out is never trained on in any form. The vocabularies and lengths are the
    same for every seed.
    """

    name = "dates"
    forms: Sequence[str] = FORMS
    cases: Sequence[Callable[[str], str]] = CASES
    source = Vocabulary.of_characters(case(text) for text in _TEXTS for case in CASES)
    target = Vocabulary.of_characters(day.isoformat() for day in _YEAR)
    longest_source = max(map(len, _TEXTS))
    longest_target = len("1998-03-03")

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        days = [date.fromordinal(i) for i in range(FIRST.toordinal(), LAST.toordinal() + 1)]
        generator = self._generator("split")
        generator.shuffle(days)
        self._held_out = self._pairs(days[:HELD_OUT], generator)
        self._days = days[HELD_OUT:]

    @property
    def held_out_count(self) -> int:
        """The number of dates that are held out."""
        return HELD_OUT

    def held_out(self, count: int) -> list[tuple[str, str]]:
        """The first `count` of the 1000 held-out days, each in one form.

        Raises:
            ConfigError: `count` is not between 0 and 1000.
        """
        if not 0 <= count <= HELD_OUT:
            raise ConfigError(f"{count} held-out dates asked for; expected 0 to {HELD_OUT}")
        return self._held_out[:count]

    def batch(self, step: int, size: int) -> list[tuple[str, str]]:
        """`size` training days, drawn with repetition, each in one form."""
        generator = self._generator(step)
        return self._pairs(generator.choices(self._days, k=size), generator)

    def _generator(self, purpose: int | str) -> random.Random:
        # Seeded by text, which random turns into a number by itself: hash() of a text, or of a
        # tuple that holds one, differs from process to process.
        return random.Random(f"{self.name} {self.seed} {purpose}")

    def _pairs(self, days: Sequence[date], generator: random.Random) -> list[tuple[str, str]]:
        forms = generator.choices(self.forms, k=len(days))
        cases = generator.choices(self.cases, k=len(days))
        return [
            (case(write(day, form)), day.isoformat())
            for day, form, case in zip(days, forms, cases, strict=True)
        ]
