"""Writes to views of one memory: what PyTorch has then, values and gradients, whatever the order."""

import random

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")

VIEWS = [
    lambda x: x[:, 0:2], lambda x: x[:, 2:4], lambda x: x[1], lambda x: x[::2], lambda x: x.T[3],
    lambda x: x[:2, 1:3].T, lambda x: x.view(2, 8)[1], lambda x: x.diagonal(), lambda x: x,
]  # fmt: skip
WRITES = [  # that save nothing of what they write over: PyTorch would refuse the next
    lambda v, w: v.mul_(3.0), lambda v, w: v.copy_(w.sin()), lambda v, w: v.neg_(),
    lambda v, w: v.fill_(1.0), lambda v, w: v.add_(w), lambda v, w: v.sub_(v.detach() + w),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_any_writes_to_any_views(seed):
    rng = random.Random(seed)
    torch.manual_seed(seed)
    leaf, w = torch.randn(4, 4, requires_grad=True), torch.randn((), requires_grad=True)
    with mg.pytorch() as watched:
        x = leaf * 1
        read, held = [], []  # PyTorch refuses to tell much of a view that it would not let be used
        for _ in range(8):
            rng.choice(WRITES)(rng.choice(VIEWS)(x), w)
            if rng.random() < 0.3:
                with torch.no_grad() if rng.random() < 0.3 else torch.enable_grad():
                    held.append(rng.choice(VIEWS)(x))
                    read.append(held[-1] * 2)
        loss = sum((r**2).sum() for r in [*read, x]) + w
    loss.backward()
    watched.checked()
    assert len(watched.compare().gradients) == 2


def test_the_cell_of_an_lstm_reads_as_its_equations():
    """PyTorch writes each gate over its part of one product."""
    net, x = torch.nn.LSTM(3, 4), torch.randn(5, 2, 3)
    with mg.pytorch() as watched:
        loss = net(x)[0].sum()
    loss.backward()
    made = [n.operation for n in mg.graph(watched).nodes]
    assert "np.where" not in made
    assert (made.count("sigmoid"), made.count("np.tanh")) == (15, 10)
    assert made.count("getitem") <= 5 * 5 + 2  # of the inputs, and four gates; of two states


def test_a_write_is_two_operations_at_its_own_line():
    """As where keys are written into a cache: what is read later is asked for where it is written."""
    k, v = torch.randn(2, 5, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True)
    with mg.pytorch() as watched:
        cache = k * 1
        cache[:, 2] = v
        cache[:, 4] = v * 2
        loss = (cache[:, 1:3] ** 2).sum()
    loss.backward()
    nodes = [n for n in mg.graph(watched).nodes if n.function is not None]
    line = min(n.line.number for n in nodes)
    made = sorted([(n.line.number - line, n.operation) for n in nodes], key=lambda one: one[0])
    assert made == [
        (0, "np.multiply"), (1, "scatter_add"), (1, "np.where"),
        (2, "np.multiply"), (2, "scatter_add"), (2, "np.where"),
        (3, "getitem"), (3, "np.power"), (3, "np.sum"),
    ]  # fmt: skip


def test_a_slice_reads_as_it_was_written():
    """PyTorch fills in 0, the largest integer and 1."""
    x = torch.randn(3, 4, requires_grad=True)
    with mg.pytorch() as watched:
        loss = (x[:, 1:] * x[:, :3] * x[:2, ::2][:, -1:].sum()).sum()
    loss.backward()
    table = mg.graph(watched).table()
    assert all(
        text in table for text in ("#0[:, 1:] ", "#0[:, :3] ", "#0[:2] ", "[:, ::2] ", "[:, -1:] ")
    )


def test_a_leaf_that_is_a_part_of_another_array_gets_its_gradient():
    """Such as a parameter in one flat array of all."""
    flat = torch.arange(6.0, dtype=torch.float64)
    part = flat[2:5].requires_grad_()
    with mg.pytorch() as watched:
        loss = (part * part).sum()
    loss.backward()
    (gradient,) = watched.compare().gradients
    assert gradient.size == 0
    np.testing.assert_array_equal(part.grad.numpy(), 2 * np.arange(2.0, 5.0))


def test_what_is_no_method_of_it_is_a_function_that_takes_it():
    net = torch.nn.Linear(3, 1)
    with mg.pytorch() as watched:
        loss = net(torch.ones(2, 3)).mean()
    with pytest.raises(AttributeError, match=r"no attribute 'explore'.*mg\.explore\(watched\)"):
        watched.explore("page.html")
    assert [str(s) for s in mg.steps(watched)] == [str(s) for s in mg.steps(watched.of(loss))]
