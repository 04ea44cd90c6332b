"""Constants that Python or NumPy may have made of numbers that were read before."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as F


def written(x):
    positive = x > 0
    return np.where(positive, x * 3, 0.5) / 4 - x[1:2]


def written_elsewhere(x):
    n = int(np.count_nonzero(x > 2))
    return x * n + 2


def written_in_a_comment(x):
    n = int(np.count_nonzero(x > 2))
    return x * n  # which is 1


def spread_over_lines(x):
    largest = np.max(x).item()
    return np.clip(
        x * 3,
        -1,
        largest,
    )


def of_the_library(x):
    """The constants of these definitions are made of shapes, or stand in the lines of their code."""
    largest = np.max(x).item()
    y = F.softmax(x) + F.standardize(x)
    return F.gelu(y) * np.mean(y) + largest


def of_a_detached_tensor(x):
    return np.exp(x.detach().numpy()) * x


@pytest.mark.parametrize(
    ("function", "operations"),
    [
        (written, []),
        (written_elsewhere, ["np.multiply"]),
        (written_in_a_comment, ["np.multiply"]),
        (spread_over_lines, ["clamp"]),
        (of_the_library, ["np.add"]),
        (of_a_detached_tensor, []),
        (lambda x: x[int(np.argmin(x))], ["getitem"]),
        (lambda x: np.where(~(x > 0), x, 0), []),
        (lambda x: np.where(np.asarray(x > 0), x, 0), []),
        (lambda x: np.where(np.array([(x > 0)[0], True, False]), x, 0), ["data"]),
        (lambda x: np.where(np.isnan(x), 0, x) * np.nanmean(x), []),
        (lambda x: np.nansum(x) * np.nanmax(x), []),
        (lambda x: x[np.nonzero(x)], ["data"]),
        (lambda x: np.quantile(x, [0.5, 0.7], axis=0), []),
        (lambda x: F.cross_entropy(x, np.array(1)) * np.sum(F.relu(x)), []),
    ],
)
def test_what_is_not_written_and_comes_after_a_read(function, operations):
    x = mg.Tensor([1.0, 4.0, -1.0], requires_grad=True)
    with mg.record():
        loss = np.sum(function(x))
    marked = [n for n in mg.graph(loss).nodes if n.may_be_of]
    assert sorted(n.operation or n.kind for n in marked) == operations


def test_a_number_behind_many_residual_connections_is_followed_back_at_once():
    """There are 2^80 ways to the leaf."""
    x = mg.Tensor([0.1, 0.2], requires_grad=True)
    with mg.record():
        other = x * 1
        for _ in range(80):
            other = other + np.tanh(other)
        factor = np.sum(other).item()
        loss = np.sum(x * factor)
    leaf = mg.graph(loss).nodes[0]
    assert any(of == leaf.number for of, _ in mg.graph(loss).taken_out)
