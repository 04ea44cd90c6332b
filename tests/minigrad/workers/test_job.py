"""The gradients of parts add up to the gradient of all, in one tree."""

import numpy as np
import pytest
from worker_job import job, parts

import minigrad as mg
from minigrad import errors, transforms
from minigrad.workers import Gradients, Threads, tree
from minigrad.workers.job import added

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
    loss, *slopes = tree(map(work, parts()), added)
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


@pytest.mark.parametrize("parameters", [mg.Tensor([1.0, 2.0], requires_grad=True), None, [3.0]])
def test_parameters_that_are_no_list_of_leaves_are_refused(parameters):
    """The elements of a tensor are no leaves: their gradients would be zeros."""
    with pytest.raises(errors.ConfigError, match="parameter"):
        Gradients(lambda part: np.sum(part), parameters)
