"""What a learner has written takes its place, any part of it, and trains as the library does."""

import sys

import numpy as np
import pytest

import minigrad as mg
from minigrad.course.exercises.catalogue import sheets
from minigrad.course.exercises.shared_files import module_of
from minigrad.course.folders import EXERCISES
from minigrad.engine.table import TABLE

sys.path.insert(0, str(EXERCISES))  # `training` imports `places`
training = module_of(EXERCISES / "training.py")
sys.path.remove(str(EXERCISES))

EXERCISES = {e.name: e for sheet in sheets() for e in sheet.exercises.values()}
PLACED = list(dict.fromkeys(name for place in training.PLACES for name in place.exercises))
SOLUTIONS = {name: EXERCISES[name].solution for name in PLACED}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(
        training, "SIZES", {"width": 8, "heads": 2, "feed_forward": 8, "dropout": 0.1}
    )
    monkeypatch.setattr(training, "SETTINGS", {"batch": 3, "warmup": 5})
    monkeypatch.setattr(training, "EXAM", 2)


def train(functions, steps=10):
    return training.train(functions, steps)


@pytest.fixture(scope="module")
def of_the_library():
    """The library's losses and readings: nothing is in its place. Made once, of the small size."""
    kept = []

    def made():
        kept.extend([] if kept else [train({})])
        return kept[0]

    return made


def agrees(functions, library):
    result = train(functions)
    assert not result.problem
    assert len(result.losses) == 10
    np.testing.assert_allclose(result.losses, library.losses, rtol=1e-5)
    assert result.read == library.read
    assert all(result.profiler.calls[name] for name in functions), result.profiler.calls


def test_about_two_dozen_exercises_have_a_place():
    assert len(PLACED) == 25
    assert set(PLACED) < set(EXERCISES)


@pytest.mark.slow
def test_all_together_train_as_the_library(of_the_library):
    agrees(SOLUTIONS, of_the_library())


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACED)
def test_each_alone_trains_as_the_library(name, of_the_library):
    agrees({name: SOLUTIONS[name]}, of_the_library())


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_some_of_them_train_as_the_library(seed, of_the_library):
    chosen = np.random.default_rng(seed).permutation(PLACED)[: 2 + 6 * seed].tolist()
    agrees({name: SOLUTIONS[name] for name in chosen}, of_the_library())


class DeliberateError(Exception):
    pass


@pytest.mark.slow
@pytest.mark.parametrize(
    "others",
    [pytest.param({}, id="alone"), pytest.param(SOLUTIONS, id="among all")],
)
@pytest.mark.parametrize("name", PLACED)
def test_an_error_in_any_of_them_shows(name, others):
    def fails(*arguments):
        raise DeliberateError(name)

    result = train({**others, name: fails}, steps=1)
    assert f"DeliberateError: {name}" in result.problem


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("walk", "A gradient that arrives replaces"),
        ("scores", "There is no scaling"),
        ("padding_mask", "The polarity is reversed"),
        ("undo_broadcast", "It takes the mean"),
        ("index_rule", "Repeated indices are dropped"),
    ],
)
def test_a_mistake_changes_what_is_learned(name, says, of_the_library):
    (mistake,) = (one for one in EXERCISES[name].mistakes if one.says.startswith(says))
    result = train({name: mistake.function})
    assert not result.problem
    assert not np.allclose(result.losses, of_the_library().losses)


def test_a_rule_may_give_numbers_for_arrays():
    product_rule = lambda g, x, y: (float(g * y), float(g * x))
    x, y = (mg.Tensor(values, requires_grad=True) for values in (3.0, [[5.0, 7.0]]))
    with training.replacement(training.PLACES, {"product_rule": product_rule}):
        (x * x * (x * y).sum()).backward()
    np.testing.assert_allclose(x.grad, 3 * 9 * 12)
    np.testing.assert_allclose(y.grad, [[27.0, 27.0]])


def test_a_run_that_ends_before_its_first_step_is_drawn(recwarn):
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt

    result = train({"scores": lambda q, k: 1 / 0}, steps=1)
    assert result.losses == []
    plt.close(training.picture({"yours": result}, "a run"))
    assert not recwarn.list


def test_a_walk_may_add_in_place():
    """Rules hand on the very array that they were given, to two arguments."""

    def walk(graph, root):
        gradients = dict.fromkeys(graph, 0)
        gradients[root] = np.ones(())
        for node in reversed(graph):
            for argument, slope in graph[node]:
                new = gradients[node] * slope
                if isinstance(gradients[argument], int):
                    gradients[argument] = new
                else:
                    gradients[argument] += new
        return gradients

    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with training.replacement(training.PLACES, {"walk": walk}):
        y = x + x
        (y * y + y).sum().backward()
    np.testing.assert_array_equal(x.grad, [10.0, 18.0])


def exact_softmax(x):
    """Right for numbers that are finite; a mask hides with -inf."""
    x = np.asarray(x)
    return 1 / np.exp(x[..., None, :] - x[..., :, None]).sum(axis=-1)


def test_the_function_that_first_gives_nan_is_named_and_not_those_after_it():
    result = train({**SOLUTIONS, "softmax": exact_softmax}, steps=2)
    assert result.problem.startswith("softmax was the first to give nan, in its call 1, ")
    assert "learning rate" not in result.problem
    result = train({**SOLUTIONS, "index_rule": lambda g, shape, index: np.full(shape, np.inf)}, 2)
    assert result.problem.startswith("index_rule was the first to give inf, in its call 1, ")


def test_nan_that_came_in_is_not_the_functions_own():
    profiler = training.Profiler()
    less = profiler.wrap("less", lambda x: np.where(np.isneginf(x), np.nan, x))
    less(np.array([1.0, np.nan]))
    less(np.array([1.0, np.inf]))
    assert profiler.odd == ""
    less(np.array([1.0, -np.inf]))  # which a mask puts in, and a function has to know
    assert profiler.odd.startswith("less was the first to give nan, in its call 3, ")
    assert "less([1.0, -inf])" in profiler.odd


def test_a_run_that_does_not_stop_says_what_is_running_and_how_often_it_was_called():
    profiler = training.Profiler()

    def slow(x):
        said.append(training.stuck(profiler, {"slow": 0}, 60.0))
        said.append(training.stuck(profiler, {"slow": 1}, 60.0))
        with profiler.running(""):
            return x

    said = []
    profiler.wrap("slow", slow)(1.0)
    assert "slow is running, and was called 1 times in 60 s" in said[0]
    assert "Call 1 of slow does not come back: is there a loop without an end?" in said[1]
    assert "slow" in said[0].partition("your function")[2]


@pytest.mark.slow
def test_what_the_model_hands_to_a_function_is_among_the_cases_of_its_check():
    """Each kind of argument, such as an array with -inf in it, that a run hands to a function."""
    handed = {name: set() for name in PLACED}

    def watched(name):
        def call(*arguments):
            handed[name].update(kinds(arguments))
            return SOLUTIONS[name](*arguments)

        return call

    assert not train({name: watched(name) for name in PLACED}, steps=2).problem
    drawn = {
        name: {kind for case in EXERCISES[name].cases(0) for kind in kinds(case.inputs())}
        for name in PLACED
    }
    lacking = {name: handed[name] - drawn[name] for name in PLACED if handed[name] - drawn[name]}
    assert not lacking


def kinds(arguments):
    """What of the arguments may need care: numbers that are not finite, and what is empty."""
    for k, one in enumerate(arguments):
        if isinstance(one, np.ndarray) and one.dtype.kind == "f":
            tests = {
                "-inf": np.isneginf(one).any(),
                "inf": np.isposinf(one).any(),
                "nan": np.isnan(one).any(),
                "empty": not one.size,
            }
            yield from ((k, name) for name, true in tests.items() if true)


def test_afterwards_everything_is_the_librarys():
    kept = {key: (entry, {**vars(entry)}) for key, entry in TABLE.items()}
    homes = [(place.home, place.key, place.home.get(place.key)) for place in training.PLACES]
    with training.replacement(training.PLACES, SOLUTIONS):
        assert any(home.get(key) is not before for home, key, before in homes)
    assert all(TABLE[key] is entry and vars(entry) == own for key, (entry, own) in kept.items())
    assert all(home.get(key) is before for home, key, before in homes)


def test_time_is_counted_without_what_a_function_calls():
    def greedy(scores, start, end, longest):
        for _ in range(longest):
            scores([start])
        return [end]

    result = train({"greedy": greedy}, steps=1)
    assert result.profiler.calls["greedy"] == 2
    assert result.profiler.seconds["greedy"] < result.profiler.seconds[""] / 5


@pytest.mark.slow
def test_what_is_told_lists_the_functions_that_ran():
    result = train({"softmax": SOLUTIONS["softmax"], "beam_search": lambda *_: ([2], 0.0)}, 2)
    said = training.told(result, {"softmax": None, "beam_search": None, "idle": None})
    assert "2 steps in" in said
    assert "softmax" in said
    assert "did not run: idle" in said
    assert "by beam search, number 1: " in said
