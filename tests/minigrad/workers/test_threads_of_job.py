"""Threads give the bits that one thread gives, and leave nothing behind."""

import contextlib
import sys
import threading

import numpy as np
import pytest
from limits import SECONDS
from worker_job import digest, job, parts

import minigrad as mg
from minigrad import errors
from minigrad.engine.modes import mode
from minigrad.workers import Gradients, Threads


def alone(parts):
    with Threads(1) as workers:
        return workers.total(job(), parts)


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
