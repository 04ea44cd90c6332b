"""A date as people write it -> ISO 8601.

    Tuesday the 3rd of March, 1998  ->  1998-03-03
    Thursday, February 29, 1996     ->  1996-02-29
    WED, 01 JAN 2025                ->  2025-01-01
    the 22nd of june 1941           ->  1941-06-22
    Jul. 20, 1969                   ->  1969-07-20
    09NOV1989                       ->  1989-11-09
    2038/1/19                       ->  2038-01-19
    28.vii.1914                     ->  1914-07-28
    3/4/1998                        ->  1998-04-03
    2023-02-29                      ->  2023-02-29

Numbers alone have the year first, then month and day; or the year last, and then the day first.
So 3/4/1998 is the 3rd of April, always, and 4/25/1998 is no date. The year has four digits.

To write the month, a model has to find a word, a numeral or digits; to write the day, it has to see
that 3, 3rd and 03 are one; and it has to learn that the weekday tells it nothing. It copies an
impossible date as it stands, such as the last of those above; `fault` says that there is none.
"""

import calendar
import random
import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from ..training.vocabulary import Vocabulary
from .split import first, seeded

# Each form tells its day for certain. "3 April 98" is no form: its century is not known.
FORMS = (
    "{weekday} the {nth} of {month}, {year}",  # Friday the 3rd of April, 1998
    "{weekday}, {month} {d}, {year}",  # Friday, April 3, 1998
    "{weekday}, {d} {month} {year}",  # Friday, 3 April 1998
    "{weekday} {nth} {month} {year}",  # Friday 3rd April 1998
    "{wkd}, {dd} {mon} {year}",  # Fri, 03 Apr 1998
    "{wkd} {mon} {d} {year}",  # Fri Apr 3 1998
    "{wkd} {year}-{mm}-{dd}",  # Fri 1998-04-03
    "{wkd} {d}/{m}/{year}",  # Fri 3/4/1998
    "{d} {month} {year} ({weekday})",  # 3 April 1998 (Friday)
    "the {nth} of {month} {year}",  # the 3rd of April 1998
    "{nth} of {month} {year}",  # 3rd of April 1998
    "{nth} {month} {year}",  # 3rd April 1998
    "{d} {month} {year}",  # 3 April 1998
    "{d} {mon} {year}",  # 3 Apr 1998
    "{dd}-{mon}-{year}",  # 03-Apr-1998
    "{dd}/{mon}/{year}",  # 03/Apr/1998
    "{dd}{mon}{year}",  # 03Apr1998
    "{d}.{roman}.{year}",  # 3.IV.1998
    "{month} {d}, {year}",  # April 3, 1998
    "{month} {d} {year}",  # April 3 1998
    "{month} the {nth}, {year}",  # April the 3rd, 1998
    "{mon} {nth} {year}",  # Apr 3rd 1998
    "{mon} {d}, {year}",  # Apr 3, 1998
    "{mon}. {d}, {year}",  # Apr. 3, 1998
    "{year} {month} {d}",  # 1998 April 3
    "{year}-{mon}-{dd}",  # 1998-Apr-03
    "{year}-{mm}-{dd}",  # 1998-04-03
    "{year}.{mm}.{dd}",  # 1998.04.03
    "{year}/{m}/{d}",  # 1998/4/3
    "{year}-{m}-{d}",  # 1998-4-3
    "{year} {mm} {dd}",  # 1998 04 03
    "{year}{mm}{dd}",  # 19980403
    "{d}/{m}/{year}",  # 3/4/1998
    "{dd}/{mm}/{year}",  # 03/04/1998
    "{d}.{m}.{year}",  # 3.4.1998
    "{dd}.{mm}.{year}",  # 03.04.1998
    "{d}-{m}-{year}",  # 3-4-1998
    "{dd}-{mm}-{year}",  # 03-04-1998
    "{dd} {mm} {year}",  # 03 04 1998
)
EXAMPLE = date(1998, 4, 3)  # beside each form
NUMERIC = [form for form in FORMS if not re.search("{(mon|roman)", form)]
CASES = (str, str.lower, str.upper)  # str leaves a text as it is

# Not the names of Python's `calendar`, which are in the language of the machine.
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
ENDINGS = {1: "st", 2: "nd", 3: "rd"}  # the others: "th"

FIRST, LAST = date(1900, 1, 1), date(2099, 12, 31)
HELD_OUT = 1000  # days, of the 73,049 from FIRST to LAST
# Shares of training examples: days from FIRST to LAST, other days, impossible days, incomplete days.
SHARES = (28, 1, 2, 1)
PARTS = {"year": r"{year}", "month": r"{(month|mon|roman|mm?)}", "day": r"{(nth|dd?)}"}


class Day(NamedTuple):
    """A day as three numbers, whether a calendar has it or not. It answers as a `date` does."""

    year: int
    month: int
    day: int

    def weekday(self) -> int:
        return sum(self) % 7  # any: a weekday tells nothing

    def isoformat(self) -> str:
        return f"{self.year:04}-{self.month:02}-{self.day:02}"


def write(day: date | Day, form: str) -> str:
    """Write `day` in `form`, one of FORMS. A form with a month's name needs a month from 1 to 12."""
    month, roman = MONTHS[(day.month - 1) % 12]
    weekday = WEEKDAYS[day.weekday()]
    teen = day.day // 10 == 1
    return form.format(
        year=day.year,
        month=month,
        mon=month[:3],
        roman=roman,
        m=day.month,
        mm=f"{day.month:02}",
        d=day.day,
        dd=f"{day.day:02}",
        nth=f"{day.day}{'th' if teen else ENDINGS.get(day.day % 10, 'th')}",
        weekday=weekday,
        wkd=weekday[:3],
    )


def fault(written: str) -> str | None:
    """Say why `written` is no date, or return None if it is one."""
    if not re.fullmatch(r"(?!0000)\d{4}-\d\d-\d\d", written):
        return "not a date"
    year, month, day = map(int, written.split("-"))
    if not 1 <= month <= 12:
        return f"no such date: {month} is no month (3/4/1998 has the day first)"
    days = calendar.monthrange(year, month)[1]
    if not 1 <= day <= days:
        return f"no such date: {MONTHS[month - 1][0]} {year} has {days} days"
    return None


def with_another_month(line: str) -> str | None:
    """The line with May in place of the month that it names, or June in place of May.

    None if it names no month in full.
    """
    names = "|".join(month for month, _ in MONTHS)
    month = re.search(rf"\b({names})\b", line, re.IGNORECASE)
    if month is None:
        return None
    other = "June" if month[0].lower() == "may" else "May"
    case = str.lower if month[0].islower() else str.upper if month[0].isupper() else str
    return line[: month.start()] + case(other) + line[month.end() :]


READS = (
    "a day from 1900 to 2099, in capitals or not, in one of the forms below. Numbers alone have the "
    "year first, then month and day; or the year last, and then the day first: 3/4/1998 is the 3rd of "
    "April, always."
)
EXAMPLES = [write(EXAMPLE, form) for form in FORMS]

# A leap year has every month, day of the month, weekday and digit, and its longest texts (a
# Wednesday late in September) are as long as any: what can occur at all, occurs here.
_YEAR = [date.fromordinal(date(2000, 1, 1).toordinal() + i) for i in range(366)]
_TEXTS = [write(day, form) for day in _YEAR for form in FORMS]


class Dates:
    """The task. `seed` splits its days into days to train on and days that are held out.

    A held-out day is never trained on in any form. The vocabularies and lengths are the same for every
    seed.

    Of 32 training examples, one has a day of another century, and two have a date that no calendar has:
    so the model learns to copy such a date, and does not write the nearest date that it knows. One is
    incomplete: its answer is a random day that fits, so the model learns how unsure it has to be.
    """

    name = "dates"
    source = Vocabulary.of_characters(case(text) for text in _TEXTS for case in CASES)
    target = Vocabulary.of_characters(day.isoformat() for day in _YEAR)
    longest_source = max(map(len, _TEXTS))
    longest_target = len("1998-03-03")

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        days = [date.fromordinal(i) for i in range(FIRST.toordinal(), LAST.toordinal() + 1)]
        generator = seeded(self.name, seed, "split")
        generator.shuffle(days)
        self._held_out = [_example(day, generator) for day in days[:HELD_OUT]]
        self._days = days[HELD_OUT:]
        self._trained = {day.isoformat() for day in self._days}

    @property
    def held_out_count(self) -> int:
        """The number of dates that are held out."""
        return HELD_OUT

    def held_out(self, count: int) -> list[tuple[str, str]]:
        """The first `count` of the 1000 held-out days, each in one form.

        Raises:
            ConfigError: `count` is not between 0 and 1000.
        """
        return first(self._held_out, count, self.name)

    def batch(self, step: int, size: int) -> list[tuple[str, str]]:
        """`size` dates to train on, drawn with repetition, each in one form."""
        generator = seeded(self.name, self.seed, step)
        kinds = self._near, _far, _impossible, self._incomplete
        return [kind(generator) for kind in generator.choices(kinds, SHARES, k=size)]

    def _near(self, generator: random.Random) -> tuple[str, str]:
        return _example(generator.choice(self._days), generator)

    def _incomplete(self, generator: random.Random) -> tuple[str, str]:
        """A date without its year, month or day, or several of these, and a day that fits it."""
        while True:
            written, other = generator.choices(self._days, k=2)
            missing = [part for part in PARTS if generator.random() < 0.5]
            parts = [getattr(other if part in missing else written, part) for part in PARTS]
            answer = Day(*parts).isoformat()
            form = generator.choice(FORMS)
            for part in missing:
                form = re.sub(PARTS[part], "", form)
            text = write(written, form).strip(" ,.-/()")
            if missing and text and answer in self._trained:
                return generator.choice(CASES)(text), answer


def _example(
    day: date | Day, generator: random.Random, forms: Sequence[str] = FORMS
) -> tuple[str, str]:
    """A day in one of the forms, and the right output."""
    form, case = generator.choice(forms), generator.choice(CASES)
    return case(write(day, form)), day.isoformat()


def _far(generator: random.Random) -> tuple[str, str]:
    """A day of another century, from 1000 to 2999."""
    first, last = date(1000, 1, 1).toordinal(), date(2999, 12, 31).toordinal()
    while True:
        day = date.fromordinal(generator.randint(first, last))
        if not FIRST <= day <= LAST:
            return _example(day, generator)


def _impossible(generator: random.Random) -> tuple[str, str]:
    """A date that no calendar has. Half of them are only a day or two after the end of a month."""
    named = generator.random() < 0.5
    while True:
        day = Day(
            generator.randint(FIRST.year, LAST.year),
            generator.randint(1, 12) if named else generator.randrange(100),
            generator.randint(29, 31) if generator.random() < 0.5 else generator.randrange(100),
        )
        if fault(day.isoformat()):
            return _example(day, generator, FORMS if 1 <= day.month <= 12 else NUMERIC)
