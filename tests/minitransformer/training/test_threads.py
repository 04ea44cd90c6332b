"""Matrix products take one thread while a model trains, and as many as before afterwards."""

import builtins

import numpy as np
import pytest

from minitransformer.training.threads import one_thread


def blas_threads():
    control = pytest.importorskip("threadpoolctl")
    np.ones((2, 2)) @ np.ones((2, 2))
    return [pool["num_threads"] for pool in control.threadpool_info() if pool["user_api"] == "blas"]


def test_one_thread_within_and_as_before_after():
    control = pytest.importorskip("threadpoolctl")
    with control.threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with one_thread():
            assert set(blas_threads()) <= {1}
        assert blas_threads() == before


def test_without_threadpoolctl_nothing_changes(monkeypatch):
    known = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "threadpoolctl":
            raise ImportError(name)
        return known(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with one_thread() as nothing:
        assert nothing is None
