"""Losses of small computations, recorded: for tests of what shows them."""

import numpy as np

import minigrad as mg
from minigrad import functional as F
from minigrad import nn


class Net(nn.Module):
    def __init__(self):
        self.hidden = nn.Linear(2, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        h = np.tanh(self.hidden(x))  # (B, F)
        return self.out(h)  # (B, 1)


def mlp():
    """A loss with broadcasting (the biases) and a tensor used twice (the error)."""
    mg.manual_seed(1)
    model = Net()
    x = np.random.default_rng(0).standard_normal((5, 2)).astype(np.float32)
    target = np.array([[1.0], [0.0], [1.0], [0.0], [1.0]], dtype=np.float32)
    with mg.record():
        error = model(x) - target
        return np.mean(error * error)


def attention(names=("q", "k", "v")):
    """Masked attention with long lines of numbers, and a gradient that is zero."""
    T, K = 5, 4
    rng = np.random.default_rng(0)
    draw = lambda name: mg.Tensor(rng.standard_normal((T, K)), requires_grad=True, name=name)
    q, k, v = map(draw, names)
    dead = mg.Tensor([1.0, -2.0], requires_grad=True, name="dead")
    mask = np.tril(np.ones((T, T), dtype=bool))
    with mg.record():
        scores = q @ k.T / 2  # (T, T)
        weights = F.masked_softmax(scores, mask)
        out = weights @ v
        zero = np.sum(F.relu(dead * 0 - 1))
        x = np.sum(out * out)
        return x + zero + x


def chain(length):
    x = mg.Tensor(np.ones(3), requires_grad=True, name="x")
    with mg.record():
        y = x
        for _ in range(length):
            y = np.tanh(y)
        return np.sum(y)
