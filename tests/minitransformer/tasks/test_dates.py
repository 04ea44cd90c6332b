"""Every text names its day and no other; no held-out day is ever trained on; a batch is a pure
function of seed, step and size."""

import calendar
import doctest
import inspect
import random
import re
from collections import Counter
from datetime import date

import pytest

from minigrad.errors import ConfigError
from minitransformer import tasks
from minitransformer.tasks import TASKS, Task, dates
from minitransformer.tasks.dates import CASES, FORMS, HELD_OUT, Dates, Day, fault, write

FIRST, LAST = date(1900, 1, 1), date(2099, 12, 31)
EVERY_DAY = [date.fromordinal(i) for i in range(FIRST.toordinal(), LAST.toordinal() + 1)]
# 97 shares no factor with 7: every weekday meets every month. One whole leap year, and the ends of
# February in the years whose hundreds make them leap (2000) or not (1900).
MANY_DAYS = EVERY_DAY[::97] + [
    day
    for day in EVERY_DAY
    if day.year == 2004 or (day.year in (1900, 2000) and day.month in (2, 3))
]


@pytest.fixture(scope="module")
def task() -> Task:
    return TASKS["dates"](0)


WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
MONTHS = {
    name: number
    for names in (
        "jan feb mar apr may jun jul aug sep oct nov dec",
        " ".join(calendar.month_name).lower(),
        "i ii iii iv v vi vii viii ix x xi xii",
    )
    for number, name in enumerate(names.split(), start=1)
}


def read(text: str) -> date:
    """The day that a text tells; it must be a day, and of that weekday if there is one."""
    year, month, day, weekday = parts(text)
    found = date(year, month, day)
    assert weekday in (None, found.weekday())
    return found


def parts(text: str) -> tuple[int, int, int, int | None]:
    """A reader of dates that shares nothing with the writer: it looks at what each word can be."""
    words = re.findall(r"\d+|[a-z]+", text.lower())
    weekday = month = None
    numbers: list[str] = []
    for word in words:
        if word.isdigit():
            numbers += [word[:4], word[4:6], word[6:]] if len(word) == 8 else [word]
        elif word in MONTHS:
            assert month is None
            month = MONTHS[word]
        elif word[:3] in WEEKDAYS:
            assert weekday is None
            weekday = WEEKDAYS.index(word[:3])
            assert word in (word[:3], calendar.day_name[weekday].lower())
        elif word in ("st", "nd", "rd", "th"):
            ones = {"1": "st", "2": "nd", "3": "rd"}.get(numbers[-1][-1], "th")
            assert word == ("th" if numbers[-1] in ("11", "12", "13") else ones)
        else:
            assert word in ("the", "of")
    if month is None:  # digits alone
        assert len(numbers) == 3
        year, month, day = map(int, numbers if len(numbers[0]) == 4 else reversed(numbers))
    else:
        day, year = sorted(map(int, numbers))
    assert year >= 1000
    return year, month, day, weekday


# --- the forms ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_every_text_is_read_back_as_its_day(form):
    """Fails for a wrong month, weekday, ending or order, in any case. As reading is a function of
    the text, it also shows that no two of these days share one."""
    for i, day in enumerate(MANY_DAYS):
        text = CASES[i % 3](write(day, form))
        assert read(text) == day, text


@pytest.mark.slow
def test_no_two_days_share_a_text():
    """In years made of the digits of days and months, as 1910-11-12 is, where texts could meet."""
    years = (1901, 1910, 1911, 1912, 1931, 2001, 2010, 2011, 2012, 2031)
    owner: dict[str, date] = {}
    for day in EVERY_DAY:
        if day.year in years:
            for form in FORMS:
                assert owner.setdefault(write(day, form).lower(), day) == day


def test_weekdays_are_those_of_history():
    """The reader trusts datetime; these come from elsewhere."""
    form = "{weekday}"
    assert write(date(1969, 7, 20), form) == "Sunday"  # the landing on the Moon
    assert write(date(1929, 10, 29), form) == "Tuesday"  # Black Tuesday
    assert write(date(1939, 9, 1), form) == "Friday"
    assert write(date(2000, 1, 1), form) == "Saturday"


def test_forms_differ_from_one_another():
    assert len({write(date(1998, 3, 3), form) for form in FORMS}) == len(FORMS) >= 14


def test_the_comment_beside_each_form_is_what_it_writes():
    """Also what tells 03 from 3: the reader accepts both."""
    rows = re.findall(r'^    "(.*)",  # (.*)$', inspect.getsource(dates), re.MULTILINE)
    assert rows == [(form, write(date(1998, 4, 3), form)) for form in FORMS]
    assert [example for _, example in rows] == dates.EXAMPLES


def test_the_examples_in_the_docstrings_are_true():
    examples = re.findall(r"^    (.+?) +->  (.+)$", dates.__doc__ or "", re.MULTILINE)
    assert len(examples) >= 6
    for text, iso in examples:
        day = Day(*map(int, iso.split("-")))
        day = day if fault(iso) else date(*day)
        assert text in [case(write(day, form)) for form in FORMS for case in CASES]
    assert doctest.testmod(tasks).failed == 0


# --- vocabularies and lengths ---------------------------------------------------------------------


def test_the_vocabularies_hold_what_occurs_and_nothing_else(task):
    """They are derived from one year; a character that only another year has would be missing."""
    texts = [write(day, form) for day in MANY_DAYS for form in FORMS]
    cased = {character for text in texts for case in CASES for character in case(text)}
    assert cased == set(task.source.symbols)
    assert task.longest_source == max(map(len, texts)) <= 40
    assert {c for day in MANY_DAYS for c in day.isoformat()} == set(task.target.symbols)
    assert {len(day.isoformat()) for day in MANY_DAYS} == {task.longest_target}


def test_the_vocabularies_are_the_same_for_every_seed(task):
    """Else a checkpoint trained with one seed could not be evaluated with another."""
    other = Dates(seed=1)
    assert (other.source, other.target) == (task.source, task.target)
    assert (other.longest_source, other.longest_target) == (task.longest_source, 10)


# --- what is trained on, and what is not ----------------------------------------------------------


@pytest.mark.slow
def test_held_out_days_are_never_trained_on(task):
    held_out = task.held_out(HELD_OUT)
    hidden = {target for _, target in held_out}
    assert len(hidden) == HELD_OUT  # no day twice
    trained = {target for step in range(3000) for _, target in task.batch(step, 64)}
    assert not hidden & trained
    # 168,000 draws from 72,049 days leave 10 % of them undrawn; a split that lost days, more.
    trained &= {day.isoformat() for day in EVERY_DAY}
    assert len(trained) > 0.87 * (len(EVERY_DAY) - HELD_OUT)
    assert {int(target[:4]) for target in trained | hidden} == set(range(1900, 2100))
    assert all(read(text).isoformat() == target for text, target in held_out)


def test_fewer_held_out_pairs_are_the_first_of_more(task):
    assert task.held_out(10) == task.held_out(HELD_OUT)[:10] == task.held_out(10)
    assert task.held_out(0) == []


def test_a_caller_cannot_change_what_is_held_out(task):
    before = list(task.held_out(HELD_OUT))
    task.held_out(HELD_OUT).clear()
    assert task.held_out(HELD_OUT) == before


@pytest.mark.parametrize("count", [-1, HELD_OUT + 1])
def test_more_than_is_held_out(task, count):
    with pytest.raises(ConfigError, match=f"{count}.* 0 to {HELD_OUT}"):
        task.held_out(count)


@pytest.mark.slow
def test_batches_draw_every_form_in_every_case(task):
    """And draw them independently: a form that came only in capitals would be missed here."""
    drawn = set()
    for step in range(25):
        for text, target in task.batch(step, 64):
            day = Day(*map(int, target.split("-")))
            drawn |= {
                (form, case) for form in FORMS for case in CASES if case(write(day, form)) == text
            }
    assert drawn >= {(form, case) for form in FORMS if "w" not in form for case in CASES}


def test_most_of_what_is_trained_on_is_a_date_and_the_rest_teaches_what_is_none(task):
    """Impossible dates are copied, in every way to be one; to an incomplete text any day belongs that it
    can be, so that none is likelier than another."""
    kinds, wrong, open_to = Counter(), Counter(), {}
    for step in range(150):
        for text, target in task.batch(step, 64):
            try:
                found = parts(text)
            except (AssertionError, ValueError):
                kinds["incomplete"] += 1
                assert fault(target) is None
                assert len(text) < 35
                if text.isdigit() and len(text) == 4 and text[:2] in ("19", "20"):
                    open_to.setdefault(text == target[:4], set()).add(target[5:])
                continue
            assert "{}-{:02}-{:02}".format(*found[:3]) == target, text
            near = 1900 <= found[0] <= 2099
            kinds["impossible" if fault(target) else "possible" if near else "far"] += 1
            if fault(target):
                close = 1 <= found[1] <= 12 and 29 <= found[2] <= 31
                wrong["close" if close else "month" if not 1 <= found[1] <= 12 else "day"] += 1
    shares = {kind: n / kinds.total() for kind, n in kinds.items()}
    assert shares == pytest.approx(
        {"possible": 28 / 32, "far": 1 / 32, "impossible": 2 / 32, "incomplete": 1 / 32}, abs=0.01
    )
    assert min(wrong[kind] for kind in ("close", "month", "day")) > 60
    assert set(open_to) == {True}  # a year alone: the answer is in it
    assert len(open_to[True]) > 20


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("1998-04-03", None),
        ("2024-02-29", None),
        ("2000-02-29", None),
        ("2023-02-29", "February 2023 has 28 days"),
        ("1900-02-29", "February 1900 has 28 days"),
        ("1999-04-31", "April 1999 has 30 days"),
        ("1999-04-00", "April 1999 has 30 days"),
        ("1998-25-12", "25 is no month"),
        ("1998-00-12", "0 is no month"),
        ("0000-01-01", "not a date"),
        ("1998-4-3", "not a date"),
        ("", "not a date"),
        ("1998-04-03-", "not a date"),
    ],
)
def test_what_is_no_date_is_said_to_be_none(written, said):
    assert fault(written) is None if said is None else said in fault(written)


# --- the same run again ---------------------------------------------------------------------------


def test_a_batch_depends_on_nothing_but_seed_step_and_size(task):
    """A generator kept from step to step, or Python's own, would make a resumed run another."""
    first = task.batch(7, 64)
    task.batch(8, 64)
    random.seed(0)
    state = random.getstate()
    assert task.batch(7, 64) == first == Dates(seed=0).batch(7, 64)
    assert random.getstate() == state
    assert len(first) == 64


def test_seeds_and_steps_differ(task):
    other = Dates(seed=1)
    batches = [task.batch(0, 64), task.batch(1, 64), other.batch(0, 64), other.batch(1, 64)]
    # The texts alone say little: the days were split differently. With seed + step as the seed, the
    # second batch and the third would still have the same forms and cases in the same order.
    capitals = [tuple(text.isupper() for text, _ in batch) for batch in batches]
    assert len(set(capitals)) == len(batches)
    assert {t for _, t in task.held_out(1000)} != {t for _, t in other.held_out(1000)}


@pytest.mark.parametrize(
    ("line", "varied"),
    [
        ("3rd of march 1998", "3rd of may 1998"),
        ("MAY 5, 2001", "JUNE 5, 2001"),
        ("Friday, April 3, 1998", "Friday, May 3, 1998"),
        ("1998-04-03", None),
    ],
)
def test_a_line_with_another_month(line, varied):
    assert dates.with_another_month(line) == varied
