"""The answers are right, every text of some length is drawn or held out, a tenth is held out."""

import re
from collections import Counter
from itertools import pairwise, product

import pytest

from minitransformer.tasks import letters
from minitransformer.tasks.letters import ALPHABET, ANSWERS, LONGEST


def right(name: str, source: str, target: str) -> bool:
    """Whether the target is the answer, said in another way."""
    if name == "sort":
        in_order = all(a <= b for a, b in pairwise(target))
        return in_order and Counter(source) == Counter(target)
    places = range(len(source)) if name == "copy" else range(len(source) - 1, -1, -1)
    return list(target) == [source[i] for i in places]


@pytest.fixture(scope="module", params=ANSWERS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def task(name):
    return letters.task(name, seed=2)


@pytest.fixture(scope="module")
def trained(task):
    return [pair for step in range(200) for pair in task.batch(step, 128)]


@pytest.mark.slow
def test_every_answer_is_right(task, trained):
    assert all(right(task.name, *pair) for pair in task.held_out(1000) + trained)


def test_lengths_and_letters_are_all_as_likely(trained):
    lengths = Counter(len(source) for source, _ in trained)
    assert sorted(lengths) == list(range(1, LONGEST + 1))
    # Fewer of a single letter, or more, if by chance those held out are not a tenth.
    assert all(0.7 < n * LONGEST / len(trained) < 1.3 for n in lengths.values())
    counts = Counter(letter for source, _ in trained for letter in source)
    assert sorted(counts) == list(ALPHABET)
    assert max(counts.values()) < 1.2 * min(counts.values())
    # Two letters drawn each for itself are equal once in 26 times.
    twice = Counter(source[0] == source[1] for source, _ in trained if len(source) > 1)
    assert 3 / 26 < twice[True] / sum(twice.values()) < 4 / 26


def test_a_tenth_is_held_out_and_all_else_is_drawn(name):
    """Of the texts of two letters: 10,000 draws leave none of them out that could be drawn.

    Held out by their answer: else ab, trained on, would tell how to sort the held-out ba."""
    task = letters.task(name, seed=2, longest=2)
    every = {"".join(two) for two in product(ALPHABET, repeat=2)}
    drawn = {source for step in range(160) for source, _ in task.batch(step, 128)}
    left = every - drawn
    assert 0.05 < len(left) / len(every) < 0.15
    hidden = {source for source, _ in task.held_out(task.held_out_count)}
    assert hidden & every == left
    answer = ANSWERS[name]
    assert not {answer(text) for text in left} & {answer(text) for text in drawn}


def test_held_out_texts_have_every_length(task):
    """And few are so short that each is easy."""
    lengths = Counter(len(source) for source, _ in task.held_out(1000))
    assert set(lengths) >= set(range(2, LONGEST + 1))
    assert sum(lengths[n] for n in range(LONGEST // 2, LONGEST + 1)) > 500


def test_the_examples_in_the_docstring_are_true():
    examples = re.findall(r"^    (\w+): +(\w+)  ->  (\w+)$", letters.__doc__ or "", re.MULTILINE)
    assert [name for name, _, _ in examples] == list(ANSWERS)
    assert all(right(*example) for example in examples)
    assert f"One to {['ten', 'eleven', 'twelve'][LONGEST - 10]} " in (letters.__doc__ or "")
