"""Gradients of parts add up to the gradient of all, with the same bits whoever computes them."""

import contextlib
import hashlib
import sys
import threading

import numpy as np
import pytest
from limits import SECONDS
from worker_job import SIZES, job, parts

import minigrad as mg
from minigrad import errors, transforms
from minigrad.engine.modes import mode
from minigrad.workers import Gradients, Threads, tree


def digest(arrays):
    return hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest()


def alone(parts):
    with Threads(1) as workers:
        return workers.total(job(), parts)


# --- the tree -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (1, "a"),
        (2, "(ab)"),
        (3, "((ab)c)"),
        (4, "((ab)(cd))"),
        (5, "(((ab)(cd))e)"),
        (6, "(((ab)(cd))(ef))"),
        (7, "(((ab)(cd))((ef)g))"),
        (8, "(((ab)(cd))((ef)(gh)))"),
    ],
)
def test_the_order_of_additions_follows_from_the_number_of_parts(n, expected):
    assert tree("abcdefgh"[:n], lambda a, b: f"({a}{b})") == expected


def test_another_order_is_another_sum():
    """Or the tree would not have to be fixed."""
    x = np.float32([1, 1e8, -1e8, 1])
    assert tree(x, np.add) == 0  # (1 + 1e8) + (-1e8 + 1)
    assert sum(x) == 1  # ((1 + 1e8) - 1e8) + 1


def test_no_parts_are_refused():
    with pytest.raises(errors.ConfigError, match="no parts"):
        tree([], np.add)


def test_few_sums_wait():
    """The memory for a hundred parts is that for a few gradients."""
    living, most = set(), []

    def item(i):
        living.add(i)
        most.append(len(living))
        return i

    def add(a, b):
        living.discard(b)
        return a

    tree(map(item, range(128)), add)
    assert max(most) <= 8


# --- gradients ------------------------------------------------------------------------------------


def test_the_gradient_of_a_sum_is_the_sum_of_the_gradients():
    """Parts of different sizes, each divided by the rows of all."""
    work = job()
    loss, *slopes = alone(parts())
    together = lambda *_: sum(map(work.loss, parts()))
    expected = transforms.gradients([y := together()], [np.ones_like(y.data)], work.parameters)
    assert loss == pytest.approx(y.item(), rel=1e-6)
    for one, other in zip(slopes, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-7)
    assert all(p.grad is None for p in work.parameters)


def test_a_parameter_that_a_part_does_not_use_has_the_gradient_zero():
    x, y = (mg.Tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    use = {"x": lambda: (x * x).sum(), "y": lambda: y.sum()}
    with Threads(2) as workers:
        loss, gx, gy = workers.total(Gradients(lambda part: use[part](), [x, y]), ["x", "y", "x"])
    assert loss == 13
    np.testing.assert_array_equal(gx, [4, 8])
    np.testing.assert_array_equal(gy, [1, 1])


@pytest.mark.parametrize("count", [1, 2])
def test_a_loss_that_needs_no_gradient_is_an_error_and_not_zeros(count):
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with Threads(count) as workers:
        with pytest.raises(errors.GraphError, match="no gradient reaches this one"):
            workers.total(Gradients(lambda part: (x.detach() * part).sum(), [x]), [1.0, 2.0])
        with mg.no_grad(), pytest.raises(errors.GraphError, match=r"inside no_grad\(\)"):
            workers.total(Gradients(lambda part: (x * part).sum(), [x]), [1.0, 2.0])


# --- threads --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("number", [1, 2, 5, 7])
def test_threads_give_the_same_bits_as_one(count, number):
    expected = alone(parts()[:number])
    with Threads(count) as workers:
        for _ in range(3):
            assert digest(workers.total(job(), parts()[:number])) == digest(expected)


def test_parts_are_computed_at_the_same_time_and_in_the_modes_of_the_caller():
    meet, seen = threading.Barrier(3), []

    def loss(part):
        meet.wait(SECONDS)  # all three, or none
        seen.append((len(mode.get().watchers), np.geterr()["over"], threading.get_ident()))
        return (x * part).sum()

    x = mg.Tensor([1.0], requires_grad=True)
    with Threads(3) as workers, mg.detect_anomaly(), np.errstate(over="ignore"):
        workers.total(Gradients(loss, [x]), [1.0, 2.0, 3.0])
    assert {s[:2] for s in seen} == {(1, "ignore")}
    assert len({s[2] for s in seen}) == 3


def test_threads_compute_within_their_block_alone():
    workers = Threads(2)
    for _ in range(2):
        with pytest.raises(errors.WorkersError, match=r"with Threads\(2\) as workers"):
            workers.total(job(), parts())
        with workers:
            assert workers.total(job(), parts())[0] > 0


def test_a_part_that_fails_fails_the_total_when_all_have_ended():
    running = []

    @contextlib.contextmanager
    def counted():
        running.append(1)
        yield
        running.pop()

    def loss(part):
        with counted():
            if part == 0:
                running.pop()
                raise ZeroDivisionError("no")
            threading.Event().wait(0.05)
            return (x * part).sum()

    x = mg.Tensor([1.0], requires_grad=True)
    with Threads(2) as workers:
        with pytest.raises(ZeroDivisionError):
            workers.total(Gradients(loss, [x]), [0.0, 1.0, 2.0])
        assert not running
        assert workers.total(Gradients(loss, [x]), [1.0, 2.0])[0] == 3


def test_a_product_runs_in_one_thread_while_parts_are_computed():
    control = pytest.importorskip("threadpoolctl")

    def threads():
        return {p["num_threads"] for p in control.threadpool_info() if p["user_api"] == "blas"}

    with control.threadpool_limits(2, user_api="blas"):
        before = threads()
        with Threads(2):
            assert threads() == {1}
        assert threads() == before


@pytest.mark.parametrize("count", [0, -1, 1.5, "2"])
def test_numbers_of_workers_that_make_no_sense(count):
    with pytest.raises(errors.ConfigError, match="number of workers is a whole number from 1"):
        Threads(count)


def test_without_threadpoolctl_there_is_one_thread(monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with Threads(1) as workers:
        assert workers.total(job(), parts())[0] > 0
    with pytest.raises(errors.ConfigError, match="pip install threadpoolctl"):
        Threads(2)


assert len(set(SIZES)) == len(SIZES)  # unequal parts are what all of this is about


@pytest.mark.parametrize("parameters", [mg.Tensor([1.0, 2.0], requires_grad=True), None, [3.0]])
def test_parameters_that_are_no_list_of_leaves_are_refused(parameters):
    """The elements of a tensor are no leaves: their gradients would be zeros."""
    with pytest.raises(errors.ConfigError, match="parameter"):
        Gradients(lambda part: np.sum(part), parameters)
