"""Activations, softmax and losses where numbers are extreme, rows empty or everything is masked.

What they do on ordinary numbers is in the table of `operations`.
"""

import contextlib
import math
import sys

import numpy as np
import pytest
from operations.inputs import MASK, TARGETS
from operations.row import written

import minigrad as mg
from minigrad import errors
from minigrad import functional as F
from minigrad.functional import activations

try:
    import torch
    from torch.nn import functional as tf
except ImportError:
    torch = None

inf = math.inf
EXTREMES = [[1e4, -1e4, 0.5], [1e30, -1e30, 1e30], [-1e30, 1.0, 2.0], [50.0, -50.0, 1e-30]]


def scaled(shape):
    """Fixed numbers for projections, all of them different."""
    return np.cos(np.arange(math.prod(shape)) * 1.3).reshape(shape)


def derived(call, x, dtype):
    """The value, the gradient of a projection of it, and the gradient of a projection of that."""
    leaf = mg.Tensor(x, dtype=dtype, requires_grad=True)
    y = call(leaf)
    (y * scaled(y.shape).astype(dtype)).sum().backward(create_graph=True)
    first, leaf.grad = leaf.grad, None
    if first.requires_grad:
        (first * scaled(first.shape).astype(dtype)).sum().backward()
    second = np.zeros_like(first.data) if leaf.grad is None else leaf.grad.data
    return y.data, first.data, second


def derived_by_pytorch(call, x):
    leaf = torch.tensor(x, requires_grad=True)
    y = call(leaf)
    weights = torch.tensor(scaled(tuple(y.shape)), dtype=y.dtype)
    (first,) = torch.autograd.grad((y * weights).sum(), leaf, create_graph=True)
    second = torch.zeros_like(leaf)
    if first.requires_grad:
        weights = torch.tensor(scaled(tuple(first.shape)), dtype=first.dtype)
        (second,) = torch.autograd.grad((first * weights).sum(), leaf, allow_unused=True)
        second = torch.zeros_like(leaf) if second is None else second
    return [t.detach().numpy() for t in (y, first, second)]


CALLS = [
    (F.relu, lambda x: torch.relu(x)),
    (F.leaky_relu, lambda x: tf.leaky_relu(x)),
    (lambda x: F.elu(x, 1.5), lambda x: tf.elu(x, 1.5)),
    (F.softplus, lambda x: tf.softplus(x)),
    (F.sigmoid, lambda x: torch.sigmoid(x)),
    (F.silu, lambda x: tf.silu(x)),
    (F.gelu, lambda x: tf.gelu(x)),
    (lambda x: F.gelu(x, approximate="tanh"), lambda x: tf.gelu(x, approximate="tanh")),
    (F.softmax, lambda x: torch.softmax(x, -1)),
    (lambda x: F.softmax(x, axis=0), lambda x: torch.softmax(x, 0)),
    (F.log_softmax, lambda x: torch.log_softmax(x, -1)),
    (lambda x: F.log_softmax(x, axis=0), lambda x: torch.log_softmax(x, 0)),
    # PyTorch's own gives a gradient of 1 for each of two numbers of 1e30, not of 1/2.
    (F.logsumexp,
     lambda x: (x - x.amax(-1, True).detach()).exp().sum(-1).log() + x.amax(-1).detach()),
    (lambda x: F.logsumexp(x, axis=None),
     lambda x: (x - x.max().detach()).exp().sum().log() + x.max().detach()),
    (lambda x: F.cross_entropy(x, np.array([0, 1, 2, 0])),
     lambda x: tf.cross_entropy(x, torch.tensor([0, 1, 2, 0]))),
    (lambda x: F.cross_entropy(x, np.array([0, 9, 2, 0]), ignore_index=9),
     lambda x: tf.cross_entropy(x, torch.tensor([0, 9, 2, 0]), ignore_index=9)),
    (lambda x: F.binary_cross_entropy_with_logits(x, np.ones(x.shape, x.dtype)),
     lambda x: tf.binary_cross_entropy_with_logits(x, torch.ones_like(x))),
    (lambda x: F.binary_cross_entropy_with_logits(x, np.full(x.shape, 0.25, x.dtype), reduction="sum"),
     lambda x: tf.binary_cross_entropy_with_logits(x, torch.full_like(x, 0.25), reduction="sum")),
]  # fmt: skip


@pytest.mark.skipif(torch is None, reason="PyTorch is not installed")
@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("call", "theirs"), CALLS, ids=written)
def test_extreme_numbers_give_what_pytorch_gives(call, theirs, dtype, recorded):
    """To the second order; without a warning, which would fail the test.

    Float32 is held to PyTorch's float64: its own GELU gives NaN at 1e30.
    """
    x = np.array(EXTREMES, dtype)
    with mg.record() if recorded else mg.enable_grad():
        found = derived(call, x, dtype)
    rtol = {"float64": 1e-10, "float32": 1e-5}[dtype]
    for a, e in zip(found, derived_by_pytorch(theirs, x.astype(np.float64))):
        assert a.dtype == dtype
        np.testing.assert_allclose(a, e, rtol=rtol, atol=rtol)


# --- rows with nothing to choose from -------------------------------------------------------------

EMPTY_ROW = [[-inf, -inf, -inf], [1.0, -inf, 2.0]]


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(
    ("call", "first_row", "slope_there"),
    [
        (F.softmax, [0, 0, 0], [0, 0, 0]),
        (lambda x: F.masked_softmax(x, np.isfinite(x)), [0, 0, 0], [0, 0, 0]),
        (F.log_softmax, [-inf, -inf, -inf], [1, 1, 1]),
        (F.logsumexp, -inf, [0, 0, 0]),
        (lambda x: F.cross_entropy(x, [1, 0][-len(x) :], reduction="none"), inf, [0, -1, 0]),
        (lambda x: F.cross_entropy(x, [-1, 0][-len(x) :], ignore_index=-1, reduction="none"),
         0, [0, 0, 0]),
    ],
    ids=written,
)  # fmt: skip
def test_a_row_of_minus_infinity_has_a_value_and_finite_gradients(
    call, first_row, slope_there, recorded
):
    """And leaves the row beside it as it is alone."""
    x = mg.Tensor(EMPTY_ROW, requires_grad=True)
    alone = mg.Tensor(EMPTY_ROW[1:], requires_grad=True)
    with mg.record() if recorded else mg.enable_grad():
        y, z = call(x), call(alone)
    np.testing.assert_array_equal(y.data[0], first_row)
    np.testing.assert_allclose(y.data[1], z.data[0], rtol=1e-6)
    y.backward(np.ones(y.shape), create_graph=True)
    z.backward(np.ones(z.shape))
    np.testing.assert_array_equal(x.grad.data[0], slope_there)
    np.testing.assert_allclose(x.grad.data[1], alone.grad.data[0], rtol=1e-6, atol=1e-6)
    first, x.grad = x.grad, None
    first.sum().backward()
    assert x.grad is None or np.all(np.isfinite(x.grad.data))


def test_rows_far_apart_each_have_their_own_maximum():
    """One maximum for the whole array would turn the far row into 0 / 0."""
    y = F.softmax(mg.Tensor([[0.0, 1.0], [-1e6, 1.0 - 1e6]], dtype=np.float64))
    np.testing.assert_allclose(y.data[0], y.data[1], rtol=1e-9)


# --- nothing at all -------------------------------------------------------------------------------


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0,), (2, 0, 3)])
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        *((f, np.zeros) for f in (F.softmax, F.log_softmax, F.relu, F.sigmoid, F.gelu, F.softplus)),
        (F.elu, np.zeros),
        (lambda x: F.masked_softmax(x, x > 0), np.zeros),
        (lambda x: F.masked_fill(x, x > 0, 1.0), np.zeros),
        (lambda x: F.dropout(x, 0.5), np.zeros),
        (F.logsumexp, lambda shape: np.full(shape[:-1], -inf)),
        (lambda x: F.mse_loss(x, x, reduction="none"), np.zeros),
        (lambda x: F.mse_loss(x, x), lambda shape: 0),
        (lambda x: F.binary_cross_entropy_with_logits(x, x), lambda shape: 0),
    ],
    ids=written,
)  # fmt: skip
def test_empty_batches(call, expected, shape, recorded):
    x = mg.Tensor(np.zeros(shape), requires_grad=True)
    with mg.record() if recorded else mg.enable_grad():
        y = call(x)
    y.sum().backward()
    assert x.grad.shape == shape
    np.testing.assert_array_equal(y.data, expected(shape))


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("loss", [F.cross_entropy, F.nll_loss])
@pytest.mark.parametrize(
    ("shape", "targets"),
    [((0, 3), np.zeros(0, int)), ((2, 3), [-1, -1]), ((2, 0, 3), np.zeros((2, 0), int))],
)
def test_the_mean_of_no_targets_is_zero(loss, shape, targets, recorded):
    x = mg.Tensor(-np.ones(shape), requires_grad=True)
    with mg.record() if recorded else mg.enable_grad():
        y = loss(x, targets, ignore_index=-1)
    y.backward()
    assert y.item() == 0
    np.testing.assert_array_equal(x.grad.data, np.zeros(shape))


# --- plain arrays ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        F.relu, F.leaky_relu, F.elu, F.softplus, F.sigmoid, F.silu, F.gelu, F.erf, F.softmax,
        F.log_softmax, F.logsumexp, F.standardize,
        lambda x: F.gelu(x, "tanh"),
        lambda x: F.softmax(x, 0),
        lambda x: F.masked_softmax(x, MASK),
        lambda x: F.masked_fill(x, MASK, 0.0),
        lambda x: F.cross_entropy(x, TARGETS),
        lambda x: F.nll_loss(-np.abs(x), TARGETS, reduction="none"),
        lambda x: F.mse_loss(x, np.ones((2, 3), x.dtype)),
        lambda x: F.binary_cross_entropy_with_logits(x, np.full((2, 3), 0.25, x.dtype)),
        lambda x: F.dropout(x, 0.5, rng=np.random.default_rng(0)),
        lambda x: F.embedding(x, TARGETS // 2),
        lambda x: F.linear(x, np.ones((3, 2), x.dtype)),
    ],
    ids=written,
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_plain_arrays_give_plain_arrays(call, dtype):
    x = np.random.default_rng(0).standard_normal((2, 3)).astype(dtype)
    before = x.copy()
    y, expected = call(x), call(mg.Tensor(x))
    assert isinstance(y, (np.ndarray, np.generic))
    assert y.dtype == dtype
    np.testing.assert_allclose(y, expected.data, rtol=1e-6)
    np.testing.assert_array_equal(x, before)


# --- one by one -----------------------------------------------------------------------------------


def test_sigmoid_is_right_to_the_last_digits_on_both_sides():
    """1 / (1 + exp(-x)) by way of tanh would be 0 below -20 in float32."""
    x = np.array([-80.0, -20.0, -1.0, 0.0, 1.0, 20.0, 80.0])
    expected = [1 / (1 + math.exp(-v)) for v in x]
    np.testing.assert_allclose(F.sigmoid(x), expected, rtol=1e-15)
    np.testing.assert_allclose(F.sigmoid(x.astype(np.float32)), expected, rtol=1e-6)


def test_dropout_zeroes_a_share_and_keeps_the_mean():
    x = mg.Tensor(np.full((200, 200), 3.0), requires_grad=True)
    y = F.dropout(x, 0.3, rng=np.random.default_rng(1))
    y.sum().backward()
    kept = y.data != 0
    assert abs(kept.mean() - 0.7) < 0.01
    np.testing.assert_allclose(y.data[kept], 3 / 0.7, rtol=1e-6)
    np.testing.assert_allclose(x.grad.data, y.data / 3, rtol=1e-12)  # the same elements
    assert F.dropout(x, 0.3, training=False) is x
    assert F.dropout(x, 0.0) is x


def test_dropout_follows_the_seed():
    x = mg.Tensor(np.ones((5, 5)))
    mg.manual_seed(4)
    first, second = F.dropout(x, 0.5), F.dropout(x, 0.5)
    mg.manual_seed(4)
    np.testing.assert_array_equal(F.dropout(x, 0.5).data, first.data)
    assert not np.array_equal(first.data, second.data)


def test_one_hot_marks_each_class():
    y = F.one_hot([[0, 2], [1, 1]], 3)
    assert y.dtype == mg.get_default_dtype()
    np.testing.assert_array_equal(y, [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 1, 0]]])
    assert F.one_hot(np.zeros((0, 2), int), 4).shape == (0, 2, 4)
    assert F.one_hot(2, 3).shape == (3,)


def test_embedding_adds_up_where_a_row_is_used_twice():
    table = mg.Tensor(np.arange(6.0).reshape(3, 2), requires_grad=True)
    F.embedding(table, [[2, 0], [2, 2]]).sum().backward()
    np.testing.assert_array_equal(table.grad.data, [[1, 1], [0, 0], [3, 3]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("N", "n", "shape"),
    [(5, 40, (16,)), (5, 40, (4, 4)), (5, 40, (3,)), (200, 40, (16,)), (5, 0, (16,))],
)
def test_rows_named_many_times_are_added_up(N, n, shape, dtype):
    """Small tables by a product, others by elements: both as NumPy's own does it, and a row that is
    not finite reaches no other."""
    rng = np.random.default_rng(3)
    ids, g = rng.integers(-N, N, n), rng.standard_normal((n, *shape)).astype(dtype)
    for broken in (None, np.nan, np.inf):
        if broken is not None and n:
            g[7] = broken
        expected = np.zeros((N, *shape), dtype)
        np.add.at(expected, ids, g)
        table = mg.Tensor(np.zeros((N, *shape), dtype), requires_grad=True)
        table[ids].backward(g)
        assert table.grad.dtype == dtype
        np.testing.assert_allclose(table.grad.data, expected, rtol=1e-5, atol=1e-5)


def test_standardize_of_equal_numbers_is_zero_with_finite_slopes():
    x = mg.Tensor([[5.0, 5.0, 5.0], [1e4, 1e4, 1e4]], requires_grad=True)
    y = F.standardize(x)
    (y * [1.0, 2.0, 4.0]).sum().backward()
    np.testing.assert_array_equal(y.data, np.zeros((2, 3)))
    assert np.all(np.isfinite(x.grad.data))


def test_label_smoothing_mixes_with_the_even_distribution():
    """Written out: minus the sum over the classes of what is asked for times log p."""
    logits, targets = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]]), np.array([0, 2])
    asked = 0.9 * np.eye(3)[targets] + 0.1 / 3
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = -(asked * np.log(p)).sum(axis=1).mean()
    found = F.cross_entropy(mg.Tensor(logits), targets, label_smoothing=0.1)
    np.testing.assert_allclose(found.item(), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "piece"),
    [
        (lambda x: F.cross_entropy(x, np.array([0, 3])), errors.ShapeError, "from 0 to 2, not 3"),
        (lambda x: F.cross_entropy(x, np.array([0, -1])), errors.ShapeError, "from 0 to 2, not -1"),
        (
            lambda x: F.cross_entropy(x, np.array([1, 3])),
            errors.ShapeError,
            "begin at 1 write ids - 1",
        ),
        (lambda x: F.cross_entropy(x, np.array([0.0, 1.0])), errors.DTypeError, "not float64"),
        (lambda x: F.cross_entropy(x, np.array([True, False])), errors.DTypeError, "not bool"),
        (
            lambda x: F.cross_entropy(x, np.array([[0], [1]])),
            errors.ShapeError,
            "targets of shape (2,), not (2, 1); write targets[..., 0]",
        ),
        (
            lambda x: F.cross_entropy(x, np.array([0, 1]), reduction="avg"),
            errors.ConfigError,
            "'avg'",
        ),
        (
            lambda x: F.cross_entropy(x, np.array([0, 1]), label_smoothing=2),
            errors.ConfigError,
            "0 to 1, not 2",
        ),
        (lambda x: F.nll_loss(x, np.array([0, 3])), errors.ShapeError, "from 0 to 2, not 3"),
        (lambda x: F.nll_loss(x, np.array([0, 1]), reduction=None), errors.ConfigError, "None"),
        (lambda x: F.nll_loss(F.softmax(x), np.array([0, 1])), errors.ConfigError, "at most 0"),
        (lambda x: F.cross_entropy(x[:, 0], [0, 1]), errors.ShapeError, "_with_logits"),
        (lambda x: F.cross_entropy(x[:, :1], [[0], [1]]), errors.ShapeError, "_with_logits"),
        (lambda x: F.cross_entropy(x[:, :1], [0, 0]), errors.ShapeError, "_with_logits"),
        (
            lambda x: F.softmax(x, axis=2),
            errors.ShapeError,
            "softmax cannot take float64[2, 3], axis=2",
        ),
        (
            lambda x: F.log_softmax(x, 2),
            errors.ShapeError,
            "log_softmax cannot take float64[2, 3], 2",
        ),
        (lambda x: F.mse_loss(x, np.zeros(3)), errors.ShapeError, "(2, 3), not (3,)"),
        (lambda x: F.mse_loss(x, x, reduction="max"), errors.ConfigError, "'max'"),
        (
            lambda x: F.binary_cross_entropy_with_logits(x, x[0]),
            errors.ShapeError,
            "(2, 3), not (3,)",
        ),
        (
            lambda x: F.binary_cross_entropy_with_logits(x, x - 3),
            errors.ConfigError,
            "from 0 to 1, not -3.0",
        ),
        (lambda x: F.embedding(x, [2]), errors.ShapeError, "from 0 to 1, not 2"),
        (lambda x: F.embedding(x, [-1]), errors.ShapeError, "from 0 to 1, not -1"),
        (lambda x: F.embedding(x, [0.5]), errors.DTypeError, "not float32"),
        (lambda x: F.one_hot([3], 3), errors.ShapeError, "from 0 to 2, not 3"),
        (lambda x: F.one_hot([[True]], 3), errors.DTypeError, "not bool"),
        (lambda x: F.dropout(x, 1.0), errors.ConfigError, "below 1, not 1.0"),
        (lambda x: F.gelu(x, "erf"), errors.ConfigError, "'none' or 'tanh', not 'erf'"),
    ],
    ids=written,
)
@pytest.mark.parametrize("recorded", [False, True])
def test_wrong_arguments_are_named(call, error, piece, recorded):
    x = mg.Tensor(np.zeros((2, 3)), requires_grad=True)
    with pytest.raises(error) as caught, mg.record() if recorded else mg.enable_grad():
        call(x)
    assert piece in str(caught.value)


LISTS = [
    F.relu, F.leaky_relu, F.elu, F.gelu, F.silu, F.softplus, F.sigmoid, F.softmax, F.log_softmax,
    lambda x: F.gelu(x, "tanh"), lambda x: F.mse_loss(x, [1, 0]), lambda x: F.mse_loss([1, 0], x),
    lambda x: F.binary_cross_entropy_with_logits(x, [1, 0]), lambda x: F.cross_entropy(x, 1),
]  # fmt: skip


@pytest.mark.parametrize("f", LISTS, ids=written)
def test_a_list_means_the_array_of_its_numbers(f):
    for numbers in ([1, -2], [0.5, -0.25]):
        expected = f(mg.Tensor(numbers, dtype=np.float64))
        np.testing.assert_allclose(f(numbers), expected.data, rtol=1e-6)


HIDDEN = np.ma.array([0, 1, 2], mask=[False, True, False])
SCORES = np.arange(9.0).reshape(3, 3)
MASKED = {  # calls with an array that has hidden elements
    "cross_entropy": lambda x: F.cross_entropy(x, HIDDEN),
    "nll_loss": lambda x: F.nll_loss(x, HIDDEN),
    "one_hot": lambda x: F.one_hot(HIDDEN, 3),
    "embedding": lambda x: F.embedding(x, HIDDEN),
    "mse_loss": lambda x: F.mse_loss(x[0], HIDDEN),
    "binary_cross_entropy": lambda x: F.binary_cross_entropy_with_logits(x[0], HIDDEN * 1.0),
    "masked_fill": lambda x: F.masked_fill(x, HIDDEN > 0, 0.0),
    "masked_softmax": lambda x: F.masked_softmax(x, HIDDEN > 0),
    "linear": lambda x: F.linear(x, HIDDEN * 1.0),
    "layer_norm": lambda x: F.layer_norm(x, HIDDEN * 1.0, HIDDEN * 1.0),
    "where": lambda x: np.where(HIDDEN > 0, x, 0.0),
    "a product": lambda x: x * HIDDEN,
    "an index": lambda x: x[HIDDEN],
    "take": lambda x: np.take(x, HIDDEN),
    "a list": lambda x: np.stack([x[0], HIDDEN]),
    "a tensor": lambda x: mg.Tensor(HIDDEN),
}


@pytest.mark.parametrize("mode", [contextlib.nullcontext, mg.no_grad])
@pytest.mark.parametrize("name", MASKED)
def test_an_array_with_hidden_elements_is_refused(name, mode):
    """It would be taken for one without: what is hidden would count."""
    x = mg.Tensor(SCORES, requires_grad=True)
    with mode(), pytest.raises(errors.DTypeError, match="hidden elements"):
        MASKED[name](x)


def test_a_gradient_with_hidden_elements_is_refused():
    x = mg.Tensor(SCORES, requires_grad=True)
    with pytest.raises(errors.DTypeError, match="hidden elements"):
        x[0].backward(HIDDEN * 1.0)


@pytest.fixture
def erf_of(monkeypatch):
    """Chooses whose error function is called from now on."""

    def choose(whose):
        if whose == "SciPy":
            pytest.importorskip("scipy")
            monkeypatch.undo()
        else:
            monkeypatch.setitem(sys.modules, "scipy.special", None)
        activations._erf.cache_clear()

    yield choose
    monkeypatch.undo()
    activations._erf.cache_clear()


def density(v):
    """Of the standard normal distribution."""
    return math.exp(-v * v / 2) / math.sqrt(2 * math.pi)


def below(v):
    """The chance that a standard normal number is below `v`."""
    return math.erfc(-v / math.sqrt(2)) / 2


BY_ERF = {  # by Python's own functions: the value, and the slope
    F.erf: (math.erf, lambda v: 2 / math.sqrt(math.pi) * math.exp(-v * v)),
    F.gelu: (lambda v: v * below(v), lambda v: below(v) + v * density(v)),
}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, int, bool])
@pytest.mark.parametrize("whose", ["SciPy", "Python"])
@pytest.mark.parametrize("f", BY_ERF, ids=lambda f: f.__name__)
def test_erf_and_gelu_do_not_depend_on_scipy(f, whose, dtype, erf_of):
    """Their dtypes, shapes, values and gradients."""
    erf_of(whose)
    x = np.array([[-6, -2, -0.5, 0], [0.3, 1, 3, 40]]).astype(dtype)
    floats = np.result_type(dtype, 0.0)
    digits = max(8 * float(np.finfo(floats).eps), 1e-15)  # longdouble has those of float64

    def check(y, given, expected):
        assert (y.dtype, y.shape) == (floats, given.shape)
        expected = [expected(float(v)) for v in given.ravel()]
        np.testing.assert_allclose(y.ravel().astype(float), expected, rtol=digits, atol=digits)

    value, slope = BY_ERF[f]
    for given in (x, x.T, x[:0], x[0, 0]):
        leaf = mg.Tensor(given, requires_grad=floats == dtype)
        y = f(leaf)
        check(f(given), given, value)
        check(y.data, given, value)
        if floats == dtype:
            y.sum().backward()
            check(leaf.grad.data, given, slope)
