"""`mg.diagnose` of units that cannot learn, of gradients that are lost in a loop, and of their twins."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as MF

X = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)
Y = np.arange(32) % 3


def a_loss(activation, start, head=lambda layer: None):
    """The loss of a layer of 20 units that starts as told, and of what comes after it."""
    first, last = mg.nn.Linear(4, 20), mg.nn.Linear(20, 3)
    start(first)
    head(last)
    return MF.cross_entropy(last(activation(first(X))), Y)


def constant(layer):
    """Make the numbers of all units the same: their own, or those of the next layer for them."""
    apart = [1, 2, 3] if layer.weight.shape == (20, 3) else 1
    layer.weight.data = np.full_like(layer.weight.data, 0.1) * np.float32(apart)
    layer.bias.data = np.zeros_like(layer.bias.data)


def dying(units):
    def start(layer):
        layer.bias.data = np.where(np.arange(20) < units, -50, 1).astype(np.float32)

    return start


def scaled(by):
    def start(layer):
        layer.weight.data = layer.weight.data * np.float32(by)

    return start


def a_loop(scale, gate=False, steps=30):
    cell, head = mg.nn.Linear(8, 8), mg.nn.Linear(8, 3)
    cell.weight.data = cell.weight.data * np.float32(scale)
    h = mg.Tensor(np.ones((4, 8), np.float32))
    for _ in range(steps):
        h = MF.sigmoid(cell(h)) * h if gate else np.tanh(cell(h))
    return MF.cross_entropy(head(h), np.arange(4) % 3)


NEVER = lambda layer: None
PROGRAMS = [
    ("alike", lambda: a_loss(np.tanh, constant, constant), "the 20 units of np.matmul"),
    ("", lambda: a_loss(np.tanh, NEVER, constant), ""),  # a head may start so
    ("", lambda: a_loss(np.tanh, constant, NEVER), ""),  # and so may units that differ later
    ("dead", lambda: a_loss(MF.relu, dying(19)), "19 of the 20 units of relu"),
    ("", lambda: a_loss(MF.relu, dying(12)), ""),
    ("dead", lambda: a_loss(np.tanh, scaled(1e3)), "of its 640 numbers"),
    ("", lambda: a_loss(np.tanh, scaled(5)), ""),
    ("vanishes", lambda: a_loop(0.1), "on the way back through"),
    ("", lambda: a_loop(0.1, steps=4), ""),
    ("", lambda: a_loop(0.1, gate=True), ""),
]


@pytest.mark.parametrize(("kind", "program", "what"), PROGRAMS)
def test_units_and_loops_that_cannot_learn_are_told_and_their_twins_are_not(kind, program, what):
    mg.manual_seed(0)
    with mg.record():
        loss = program()
    found = mg.diagnose(loss)
    assert [t.kind for t in found] == [kind] * bool(kind), found
    assert all(what in t.what and t.line.file == __file__ for t in found), found
