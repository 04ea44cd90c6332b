"""Every fused kernel is held equal to the composition beside it: values, gradients, their gradients."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as F
from minigrad.functional import masked_softmax

RNG = np.random.default_rng(7)
FORBIDDEN = np.array([[True, False, True, True], [False] * 4, [True] * 4])
TARGETS = np.array([2, -1, 0])


def normal(*shape):
    return RNG.standard_normal(shape)


# name: (function of tensors, the tensors' values)
CASES = {
    "softmax": (lambda x: F.softmax(x), [normal(2, 3, 4)]),
    "softmax of one row": (lambda x: F.softmax(x), [normal(5)]),
    "softmax of width one": (lambda x: F.softmax(x), [normal(3, 1)]),
    "softmax far apart": (lambda x: F.softmax(x), [normal(3, 4) * 300]),
    "softmax, one row far": (lambda x: F.softmax(x), [normal(3, 4) * [[1], [300], [1]]]),
    "softmax by its axis": (lambda x: F.softmax(x, axis=1), [normal(3, 4)]),
    "softmax transposed": (lambda x: F.softmax(x.T), [normal(3, 4)]),
    "masked_softmax": (lambda x: masked_softmax(x, FORBIDDEN), [normal(2, 3, 4)]),
    "masked_softmax, far apart": (
        lambda x: masked_softmax(x, FORBIDDEN),
        [normal(2, 3, 4) * 300],
    ),
    "masked_softmax unmasked": (lambda x: masked_softmax(x), [normal(2, 3, 4)]),
    "masked_softmax broadcast": (
        lambda x: masked_softmax(x, FORBIDDEN[:, None]),
        [normal(3, 2, 4)],
    ),
    "masked_softmax, a wider mask": (
        lambda x: masked_softmax(x, FORBIDDEN),
        [normal(1, 4)],
    ),
    "masked_softmax transposed": (lambda x: masked_softmax(x.T, FORBIDDEN), [normal(4, 3)]),
    "softmax of wide rows": (lambda x: F.softmax(x), [normal(2, 70)]),
    "layer_norm of wide rows": (
        lambda x, a, b: F.layer_norm(x, a, b),
        [normal(3, 70), normal(70), normal(70)],
    ),
    "layer_norm": (
        lambda x, a, b: F.layer_norm(x, a, b),
        [normal(2, 3, 4), normal(4), normal(4)],
    ),
    "layer_norm far from zero": (
        lambda x, a, b: F.layer_norm(x, a, b, 1e-3),
        [normal(3, 4) + 1e3, normal(4), normal(4)],
    ),
    "layer_norm of equal numbers": (
        lambda x, a, b: F.layer_norm(x, a, b),
        [np.full((2, 4), 3.0), normal(4), normal(4)],
    ),
    "layer_norm of one row": (lambda x, a, b: F.layer_norm(x, a, b), [normal(4)] * 3),
    "products": (lambda a, b: F.products(a, b), [normal(3, 4), normal(5, 4)]),
    "products scaled, in a batch": (
        lambda a, b: F.products(a, b, 0.3),
        [normal(2, 3, 4), normal(2, 5, 4)],
    ),
    "products broadcast": (lambda a, b: F.products(a, b, 2.0), [normal(2, 1, 3, 4), normal(5, 4)]),
    "dot_weights": (
        lambda q, k: F.dot_weights(q, k, FORBIDDEN, 0.3),
        [normal(2, 3, 5), normal(2, 4, 5)],
    ),
    "dot_weights, far apart": (
        lambda q, k: F.dot_weights(q, k, FORBIDDEN),
        [normal(3, 5) * 30, normal(4, 5) * 30],
    ),
    "dot_weights unmasked": (lambda q, k: F.dot_weights(q, k), [normal(1, 5), normal(1, 5)]),
    "dot_weights of one batch's keys": (
        lambda q, k: F.dot_weights(q, k, None, 0.5),
        [normal(2, 3, 5), normal(4, 5)],
    ),
    "linear_to_heads": (
        lambda x, w, b: F.linear_to_heads(x, w, b, 2),
        [normal(2, 3, 4), normal(4, 6), normal(6)],
    ),
    "linear_to_heads without a batch": (
        lambda x, w: F.linear_to_heads(x, w, None, 3),
        [normal(3, 4), normal(4, 6)],
    ),
    "linear_of_heads": (
        lambda x, w, b: F.linear_of_heads(x, w, b),
        [normal(2, 3, 4, 5), normal(15, 6), normal(6)],
    ),
    "linear_of_heads without a batch": (
        lambda x, w: F.linear_of_heads(x, w, None),
        [normal(2, 1, 4), normal(8, 3)],
    ),
    "linear": (lambda x, w, b: F.linear(x, w, b), [normal(2, 3, 4), normal(4, 5), normal(5)]),
    "linear without bias": (lambda x, w: F.linear(x, w), [normal(3, 4), normal(4, 5)]),
    "linear of one row": (lambda x, w, b: F.linear(x, w, b), [normal(4), normal(4, 5), normal(5)]),
    "linear, tied": (lambda x, w: F.linear(F.linear(x, w), w.T), [normal(3, 4), normal(4, 5)]),
    "feed_forward": (
        lambda x, w, b, w2, b2: F.feed_forward(x, w, b, w2, b2),
        [normal(2, 3, 4), normal(4, 5), normal(5), normal(5, 6), normal(6)],
    ),
    "feed_forward of one row": (
        lambda x, w, b: F.feed_forward(x, w, b, w.T, x),
        [normal(4), normal(4, 3), normal(3)],
    ),
    "cross_entropy": (lambda x: F.cross_entropy(x, [1, 0, 3]), [normal(3, 4)]),
    "cross_entropy in a batch": (
        lambda x: F.cross_entropy(x, [[1, 0, 3], [2, 2, 1]], label_smoothing=0.1),
        [normal(2, 3, 4)],
    ),
    "cross_entropy ignoring": (
        lambda x: F.cross_entropy(x, TARGETS, ignore_index=-1, label_smoothing=0.2),
        [normal(3, 4)],
    ),
    "cross_entropy summed": (lambda x: F.cross_entropy(x, [1, 0], reduction="sum"), [normal(2, 4)]),
    "cross_entropy apart": (
        lambda x: F.cross_entropy(x, TARGETS, ignore_index=-1, reduction="none"),
        [normal(3, 4)],
    ),
    "cross_entropy of nothing": (
        lambda x: F.cross_entropy(x, [-1, -1], ignore_index=-1),
        [normal(2, 4)],
    ),
    "cross_entropy far apart": (lambda x: F.cross_entropy(x, [1, 0]), [normal(2, 4) * 300]),
}


def projected(y, wave):
    """One number in which every element has a weight of its own."""
    return (y * wave(np.arange(y.size, dtype=y.dtype)).reshape(y.shape)).sum()


def derivatives(f, values, dtype, fused):
    """The value, the gradients, and the gradients of the gradients' projection on fixed numbers."""
    inputs = [mg.Tensor(v, dtype=dtype, requires_grad=True) for v in values]
    with mg.record() if not fused else mg.enable_grad():
        y = f(*inputs)
        projected(y, np.cos).backward(create_graph=True)
        first = [x.grad for x in inputs]
        for x in inputs:
            x.grad = None
        sum(projected(g, np.sin) for g in first).backward()
    return y, first, [x.grad for x in inputs]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-11), (np.float32, 2e-4)])
def test_a_kernel_equals_its_definition(name, dtype, tolerance):
    f, values = CASES[name]
    if name == "layer_norm far from zero":
        tolerance *= 1e3  # numbers near 1,000 have lost three digits to begin with
    y, first, second = derivatives(f, values, dtype, fused=True)
    y_defined, first_defined, second_defined = derivatives(f, values, dtype, fused=False)
    assert y.dtype == dtype
    np.testing.assert_allclose(y.data, y_defined.data, rtol=tolerance, atol=tolerance)
    for a, b in zip(first + second, first_defined + second_defined, strict=True):
        a, b = (np.zeros(1, dtype) if g is None else g.data for g in (a, b))  # a constant slope
        assert a.dtype == dtype
        assert np.all(np.isfinite(a))
        scale = 1 + np.abs(b).max()
        np.testing.assert_allclose(a / scale, b / scale, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", CASES)
def test_the_gradients_are_the_same_with_a_graph_of_their_own(name):
    """Without one the rules use what the kernel kept, and compute it again where they must not."""
    f, values = CASES[name]
    _, first, _ = derivatives(f, values, np.float64, fused=True)
    inputs = [mg.Tensor(v, dtype=np.float64, requires_grad=True) for v in values]
    loss = projected(f(*inputs), np.cos)
    loss.backward(retain_graph=True)
    loss.backward()  # and what is kept is not used up
    for x, g in zip(inputs, first, strict=True):
        np.testing.assert_allclose(x.grad.data, 2 * g.data, rtol=1e-12, atol=1e-12)


def test_what_a_kernel_kept_is_freed_with_its_node():
    x = mg.Tensor(normal(3, 4), requires_grad=True)
    y = F.layer_norm(x, x[0], x[1])
    assert len(y._node.kept) == 2
    y.sum().backward()
    assert y._node.kept is None
    with mg.no_grad():
        assert F.layer_norm(x, x[0], x[1])._node is None


def test_every_kernel_has_a_case():
    fused = {f.__name__ for f in vars(F).values() if getattr(f, "kernels", None)}
    assert fused  # the search finds them at all
    assert {name.split()[0].rstrip(",") for name in CASES} >= fused


def test_a_kernel_runs_where_it_should():
    """The comparison above would pass as well if both sides ran the definition."""
    x = mg.Tensor(normal(3, 4), requires_grad=True)
    assert F.softmax(x)._node.function is F.softmax.kernels[0][1]
    with mg.record():
        assert F.softmax(x)._node.function is np.divide


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("hidden", [1e4, -1e4, np.inf, np.nan, 29.0])
def test_what_is_hidden_or_in_other_rows_changes_no_weight_in_its_last_bit(hidden, dtype):
    """The softmax takes a short way where all numbers are mild, and that must not show."""
    x = normal(3, 4).astype(dtype)
    weights, other = masked_softmax(x, FORBIDDEN), x.copy()
    other[~FORBIDDEN] = hidden
    np.testing.assert_array_equal(masked_softmax(other, FORBIDDEN), weights)
    other = x.copy()
    other[1] = hidden
    with np.errstate(invalid="ignore"):  # that row itself may have no softmax
        np.testing.assert_array_equal(F.softmax(other)[[0, 2]], F.softmax(x)[[0, 2]])


@pytest.mark.parametrize("wide", range(3))
@pytest.mark.parametrize(
    "f", [F.layer_norm, F.linear, lambda x, a, b: F.linear_to_heads(x, a, b, 2)],
    ids=["layer_norm", "linear", "linear_to_heads"],
)  # fmt: skip
def test_one_argument_of_a_wider_dtype_widens_the_result(f, wide):
    shapes = [(3, 4), (4,), (4,)] if f is F.layer_norm else [(3, 4), (4, 4), (4,)]
    arrays = [normal(*shape).astype(np.float32) for shape in shapes]
    arrays[wide] = arrays[wide].astype(np.float64)
    results = []
    for kernels in (True, False):
        inputs = [mg.Tensor(a, requires_grad=True) for a in arrays]
        with mg.record(kernels=kernels):
            y = f(*inputs)
        projected(y, np.cos).backward()
        results.append([y.detach(), *(x.grad for x in inputs)])
    assert results[0][0].dtype == np.float64
    for a, b in zip(*results, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a.data, b.data, rtol=1e-4, atol=1e-5)


def test_a_kernel_leaves_its_arguments_alone():
    x, mask = normal(3, 4), FORBIDDEN.copy()
    before = x.copy()
    masked_softmax(x, mask)
    F.layer_norm(x, x[0], x[1])
    F.linear_to_heads(x, x.T @ x, x[0], 2)
    F.cross_entropy(x, [0, 1, 2])
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(mask, FORBIDDEN)
