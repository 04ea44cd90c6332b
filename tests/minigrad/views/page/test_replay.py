"""Gradients of a page are checked by finite differences."""

import numpy as np
import pytest
from losses import attention, mlp
from pages import written

import minigrad as mg
from minigrad import functional as F
from minigrad.script.script import Script
from minigrad.views.page import replay


@pytest.mark.parametrize("make", [mlp, attention])
def test_every_gradient_is_checked_and_right(make):
    loss = make()
    loss.backward()
    graph = mg.graph(loss)
    found = replay.checks(Script(graph))
    assert set(found) == {n.number for n in graph.nodes if n.state != "needs none"}
    assert all(check.ok for check in found.values()), found
    assert any(abs(check.predicted) > 0.01 for check in found.values())


@pytest.mark.parametrize("factor", [1.01, 2.0, -1.0])
def test_a_wrong_rule_is_found(factor):
    square = mg.rule(lambda x: x * x, lambda g, y, x: factor * 2 * g * x)
    x = mg.Tensor([0.5, -1.5, 2.0], requires_grad=True, name="x")
    with mg.record():
        y = np.tanh(x)
        loss = np.sum(square(y))
    loss.backward()
    found = {
        n.label: replay.checks(Script(mg.graph(loss)))[n.number].ok for n in mg.graph(loss).nodes
    }
    assert found == {"x": False, "y": False, "": True, "loss": True}


def test_a_kink_is_called_one():
    x = mg.Tensor([0.0], requires_grad=True)
    with mg.record():
        loss = np.sum(F.relu(x))
    loss.backward()
    first, *_ = replay.checks(Script(mg.graph(loss))).values()
    assert not first.ok
    assert first.kink


def test_an_empty_array_is_not_checked():
    x = mg.Tensor(np.ones((0, 2)), requires_grad=True)
    with mg.record():
        loss = np.sum(x * 2)
    loss.backward(retain_graph=True)
    assert [*replay.checks(Script(mg.graph(loss)))] == [mg.graph(loss).roots[0]]


def test_a_graph_that_cannot_be_replayed_is_not_checked(tmp_path):
    x = mg.Tensor([1.0], requires_grad=True)
    y = np.exp(x * 2)  # outside record(): its factor was not kept
    with mg.record():
        loss = np.sum(np.tanh(y))
    loss.backward()
    with pytest.warns(UserWarning, match="only in part"):
        assert '"checked":false' in written(loss, tmp_path)
