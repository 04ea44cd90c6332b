"""What every task promises: the same examples in every process, none of them held out and trained
on, all of them readable.

`pairs` and `text` are given files that are made here."""

import random
import re
from pathlib import Path

import pytest
from processes import printed

from minigrad.errors import ConfigError
from minitransformer.tasks import FILE_TASKS, TASKS, make
from minitransformer.training.vocabulary import Vocabulary

NAMES = [*TASKS, *FILE_TASKS]
PAIR_NAMES = [*TASKS, "pairs"]
STEPS = 300


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    numbers = random.Random(0).sample(range(10_000), 500)
    contents = {
        "pairs": "".join(f"{n}\t{n:x} {n:b}\n" for n in numbers),
        "text": "".join(f"{n:b} is {n}.\n" for n in numbers),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    return {name: folder / name for name in contents}


@pytest.fixture(scope="module")
def task_of(files):
    """A task by name and seed, each made once."""
    made: dict = {}

    def task(name: str, seed: int = 0):
        if (name, seed) not in made:
            made[name, seed] = make(name, seed, files.get(name))
        return made[name, seed]

    return task


def vocabularies(task) -> list[Vocabulary]:
    return [task.vocabulary] if task.name == "text" else [task.source, task.target]


# --- readable -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIR_NAMES)
def test_every_pair_can_be_read_and_written(task_of, name):
    """By the vocabularies, within the lengths; and both are as short as can be."""
    task = task_of(name)
    pairs = task.held_out(task.held_out_count) + [
        p for s in range(STEPS) for p in task.batch(s, 32)
    ]
    sides = zip(*pairs, strict=True)
    longest = task.longest_source, task.longest_target
    for texts, vocabulary, most in zip(sides, vocabularies(task), longest, strict=True):
        lengths = {len(vocabulary.encode(text)) for text in texts}
        assert max(lengths) == most
        assert {symbol for text in texts for symbol in text} == set(vocabulary.symbols)
        if vocabulary != task.target or name != "dates":
            assert len(lengths) > 1  # else padding and end of sequence teach nothing


@pytest.mark.parametrize("name", NAMES)
def test_vocabularies_and_lengths_are_the_same_for_every_seed(task_of, name):
    """Else a checkpoint trained with one seed could not be evaluated with another."""
    one, other = task_of(name), task_of(name, 1)
    assert vocabularies(one) == vocabularies(other)
    for length in ("longest_source", "longest_target", "window"):
        assert getattr(one, length, None) == getattr(other, length, None)


@pytest.mark.parametrize("name", NAMES)
def test_a_task_has_its_name(task_of, name):
    """A checkpoint keeps the name, and makes the task again by it."""
    assert task_of(name).name == name


# --- what is trained on, and what is not ----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIR_NAMES)
def test_no_source_is_both_held_out_and_trained_on(task_of, name):
    for seed in (0, 1):
        task = task_of(name, seed)
        hidden = {source for source, _ in task.held_out(task.held_out_count)}
        assert len(hidden) == task.held_out_count > 0  # none twice
        trained = {source for step in range(100) for source, _ in task.batch(step, 64)}
        assert not hidden & trained


@pytest.mark.parametrize("name", NAMES)
def test_fewer_held_out_examples_are_the_first_of_more(task_of, name):
    task = task_of(name)
    everything = task.held_out(task.held_out_count)
    assert task.held_out(3) == everything[:3] == task.held_out(3)
    assert task.held_out(0) == []
    task.held_out(task.held_out_count).clear()  # the caller's own list
    assert task.held_out(task.held_out_count) == everything


@pytest.mark.parametrize("name", NAMES)
def test_more_than_is_held_out(task_of, name):
    most = task_of(name).held_out_count
    for count in (-1, most + 1):
        with pytest.raises(ConfigError, match=f"{count} .* 0 to {most}"):
            task_of(name).held_out(count)


# --- the same run again ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_depends_on_nothing_but_seed_step_and_size(task_of, files, name):
    """A generator kept from step to step, or Python's own, would make a resumed run another."""
    task = task_of(name)
    first = task.batch(7, 64)
    task.batch(8, 64)
    random.seed(0)
    state = random.getstate()
    assert task.batch(7, 64) == first == make(name, 0, files.get(name)).batch(7, 64)
    assert random.getstate() == state
    assert len(first) == 64
    first.clear()
    assert len(task.batch(7, 64)) == 64


@pytest.mark.parametrize("name", NAMES)
def test_seeds_and_steps_differ(task_of, name):
    batches = [tuple(task_of(name, seed).batch(step, 16)) for seed in (0, 1) for step in (0, 1)]
    assert len(set(batches)) == len(batches)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIR_NAMES)
def test_seeds_split_differently(task_of, name):
    """What one seed holds out, another trains on, nine times in ten."""
    one, other = task_of(name, 0), task_of(name, 1)
    hidden = {source for source, _ in one.held_out(one.held_out_count)}
    trained = {source for step in range(STEPS) for source, _ in other.batch(step, 64)}
    assert hidden & trained


@pytest.mark.slow
def test_runs_do_not_depend_on_hash_randomisation(files):
    """Neither what is drawn, nor what is held out, nor the order of symbols."""
    program = (
        "import sys\n"
        "from minitransformer.tasks import FILE_TASKS, TASKS, make\n"
        "files = dict(zip(['pairs', 'text'], sys.argv[1:]))\n"
        "for name in [*TASKS, *FILE_TASKS]:\n"
        "    task = make(name, 3, files.get(name))\n"
        "    known = task.vocabulary if name == 'text' else (task.source, task.target)\n"
        "    print(name, task.batch(5, 64), task.held_out(10), known)\n"
    )
    told = printed(program, files["pairs"], files["text"])
    assert re.findall(r"^\w+", told, re.MULTILINE) == NAMES


# --- by name --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("shuffle",), "no task 'shuffle'.*dates, copy.*pairs FILE, text FILE"),
        ((__file__,), rf"to learn the pairs in that file: pairs {re.escape(__file__)}"),
        (("pairs",), "pairs FILE"),
        (("text", 1), "text FILE"),
        (("copy", 0, Path("some.tsv")), "no file.*some.tsv"),
    ],
)
def test_tasks_that_cannot_be_made(arguments, named):
    with pytest.raises(ConfigError, match=named):
        make(*arguments)


def test_options_are_passed_on(files):
    assert make("addition", 0, digits=5).longest_source == 11
    assert make("text", 0, files["text"], window=7).window == 7
