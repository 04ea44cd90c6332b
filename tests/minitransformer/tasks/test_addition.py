"""The sums are right, and no two numbers are both held out and trained on, in either order."""

import re
from collections import Counter

import pytest

from minigrad.errors import ConfigError
from minitransformer.tasks import addition


def right(source: str, target: str) -> bool:
    """Adding on paper: digit by digit from the right, with a carry. It refuses leading zeros."""
    numbers = source.split("+")
    if len(numbers) != 2 or any(re.fullmatch("0|[1-9][0-9]*", n) is None for n in numbers):
        return False
    width = max(map(len, numbers)) + 1
    carry, digits = 0, []
    for column in zip(*(reversed(number.zfill(width)) for number in numbers), strict=True):
        carry, digit = divmod(sum("0123456789".index(d) for d in column) + carry, 10)
        digits.append("0123456789"[digit])
    return target == ("".join(reversed(digits)).lstrip("0") or "0")


def operands(source: str) -> frozenset[str]:
    return frozenset(source.split("+"))


@pytest.fixture(scope="module", params=[1, 2, 3, 4])
def digits(request):
    return request.param


@pytest.fixture(scope="module")
def task(digits):
    return addition.task(seed=1, digits=digits)


@pytest.fixture(scope="module")
def trained(task):
    return [pair for step in range(100) for pair in task.batch(step, 128)]


@pytest.mark.slow
def test_every_sum_is_right(task, trained):
    assert all(right(*pair) for pair in task.held_out(task.held_out_count) + trained)


def test_two_numbers_are_held_out_in_both_orders(task, trained):
    """45+123, trained on, would tell what the held-out 123+45 is."""
    hidden = {operands(source) for source, _ in task.held_out(task.held_out_count)}
    assert hidden
    assert not hidden & {operands(source) for source, _ in trained}


@pytest.mark.slow
def test_one_digit_leaves_no_other_pair_out():
    """Of 100 sums, those never drawn are those held out, and some are."""
    task = addition.task(seed=1, digits=1)
    drawn = {source for step in range(200) for source, _ in task.batch(step, 128)}
    every = {f"{a}+{b}" for a in range(10) for b in range(10)}
    assert every - drawn == {source for source, _ in task.held_out(task.held_out_count)}
    assert 0 < task.held_out_count < 30


def test_there_are_enough_to_test_three_digits():
    task = addition.task()
    assert task.held_out_count == 1000
    lengths = Counter(len(n) for source, _ in task.held_out(1000) for n in source.split("+"))
    assert lengths[3] > 900 > lengths[2] > lengths[1] > 250  # of 2000 operands


def test_lengths_are_as_told(task, digits, trained):
    assert {len(n) for source, _ in trained for n in operands(source)} == set(range(1, digits + 1))
    assert max(len(source) for source, _ in trained) == task.longest_source == 2 * digits + 1
    assert max(len(target) for _, target in trained) == task.longest_target == digits + 1


def test_the_examples_in_the_docstring_are_true():
    examples = re.findall(r"^    (\S+) +->  (\S+)$", addition.__doc__ or "", re.MULTILINE)
    assert len(examples) == 3
    assert all(right(*example) for example in examples)


def test_the_most_digits():
    """Python refuses to write whole numbers that are much longer."""
    task = addition.task(digits=addition.MOST_DIGITS)
    assert all(right(*pair) for pair in task.batch(0, 64))


@pytest.mark.parametrize("digits", [0, -1, 2.0, "3", 1001, 5000])
def test_digits_that_are_none(digits):
    with pytest.raises(ConfigError, match=f"digits.*{digits}"):
        addition.task(0, digits)
