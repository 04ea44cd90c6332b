"""`backward()`: from which tensors it starts, what it adds to `.grad`, and several threads."""

import contextlib
import sys
import threading

import numpy as np
import pytest
from leaves import positive_leaf
from limits import SECONDS

import minigrad as mg
from minigrad import errors
from minigrad.engine.modes import Watcher, setting
from minigrad.engine.walk import order


def test_backward_from_several_numbers_says_how_to_make_one_of_them():
    x = positive_leaf(2, 3)
    message = (
        r"from one number, and the shape is \(2, 3\): reduce it first, for instance with \.sum\(\)"
    )
    with pytest.raises(errors.ShapeError, match=message):
        (x * 2).backward()
    assert x.grad is None
    np.sum(x * 2).backward()
    np.testing.assert_array_equal(x.grad, np.full((2, 3), 2.0))


# --- what is added to .grad -----------------------------------------------------------------------


def test_gradients_of_two_leaves_are_not_one_array_that_later_sums_change():
    x, y = positive_leaf(3), positive_leaf(3)
    np.sum(x + y).backward()
    np.sum(x * 2).backward()
    np.testing.assert_array_equal(x.grad.numpy(), 3)
    np.testing.assert_array_equal(y.grad.numpy(), 1)


def test_gradients_add_up_over_passes_and_none_is_not_zero():
    x, y = positive_leaf(3), positive_leaf(3)
    assert x.grad is None
    np.sum(x * 2).backward()
    first = x.grad
    np.sum(x * 3).backward()
    np.testing.assert_array_equal(x.grad.numpy(), 5)
    np.testing.assert_array_equal(first.numpy(), 2)  # the tensor of before is as it was
    assert y.grad is None


def test_a_leaf_is_its_own_gradient_of_one():
    x = positive_leaf()
    x.backward()
    x.backward()
    assert x.grad.item() == 2


# --- under create_graph ---------------------------------------------------------------------------


def test_the_backward_pass_is_a_graph_on_request():
    x = positive_leaf(3)
    np.sum(x**3).backward(create_graph=True)
    assert x.grad.requires_grad
    assert x._node in order([x.grad._node])
    assert [n.operation for n in mg.graph(x.grad).nodes if n.operation].count("np.power") == 1
    g = x.grad
    x.grad = None
    np.sum(g).backward()
    np.testing.assert_allclose(x.grad.numpy(), 6 * x.data)
    assert not x.grad.requires_grad


def test_a_gradient_with_a_graph_may_be_handed_in():
    x, v = positive_leaf(3), positive_leaf(3)
    (x**2).backward(v, create_graph=True)
    np.testing.assert_allclose(
        x.grad.numpy() if not x.grad.requires_grad else x.grad.data, 2 * x.data * v.data
    )
    g, x.grad = x.grad, None
    np.sum(g).backward()
    np.testing.assert_allclose(v.grad.numpy(), 2 * x.data)


def test_without_create_graph_a_gradient_handed_in_counts_as_numbers():
    x, v = positive_leaf(3), positive_leaf(3)
    (x**2).backward(v)
    assert not x.grad.requires_grad
    assert v.grad is None


def test_second_derivatives_add_up_in_grad_with_their_graph():
    x = positive_leaf(3)
    np.sum(x**3).backward(create_graph=True)
    np.sum(x**2).backward(create_graph=True)
    total, x.grad = x.grad, None
    np.sum(total).backward()
    np.testing.assert_allclose(x.grad.numpy(), 6 * x.data + 2)


def test_backward_leaves_its_mode_as_it_was_when_a_rule_fails():
    def failing(g, y, x):
        raise RuntimeError("no")

    f = mg.rule(lambda x: x * 1, failing)
    x = positive_leaf(3)
    y = np.sum(f(x))
    with mg.no_grad(), pytest.raises(RuntimeError, match="no"):
        y.backward(create_graph=True)
    assert (x * 2).requires_grad
    assert x.grad is None


# --- threads --------------------------------------------------------------------------------------


def in_threads(*functions):
    """What each returned or raised, run in threads of their own that switch as often as possible."""
    found, start = [None] * len(functions), threading.Barrier(len(functions))

    def run(i):
        start.wait(SECONDS)
        try:
            found[i] = functions[i]()
        except Exception as error:
            found[i] = error

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(i,)) for i in range(len(functions))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
    finally:
        sys.setswitchinterval(before)
    return found


class Waits(Watcher):
    """Lets each of two threads go on to its next visit only when the other is there, too."""

    def __init__(self):
        self.both = threading.Barrier(2)

    def on_visit(self, visit):
        with contextlib.suppress(threading.BrokenBarrierError):
            self.both.wait(1)


@pytest.mark.slow
def test_of_two_threads_that_walk_one_graph_one_is_refused():
    """Even if both take each step at the same time; and the gradient is counted once."""
    x = positive_leaf(3)
    y = np.exp(x).sum()

    def backward():
        with setting(watchers=(waits,)):
            y.backward()

    waits = Waits()
    found = in_threads(backward, backward)
    assert sorted(type(f).__name__ for f in found) == ["GraphError", "NoneType"]
    np.testing.assert_allclose(x.grad.data, np.exp(x.data))


def test_threads_whose_graphs_share_a_leaf_lose_no_gradient():
    x = positive_leaf(2)

    def work():
        for _ in range(200):
            (x * 1.0).sum().backward()

    in_threads(work, work, work)
    np.testing.assert_array_equal(x.grad.data, [600.0, 600.0])
