"""minigrad's kernels: `kernel_checks` says over which classes of input each is compared."""

import importlib.util
from typing import Any

import numpy as np
import pytest
from kernel_checks import SOME, Alike, Kernel, check, with_kernels
from layouts import LAYOUTS, laid_out

import minigrad as mg
from minigrad import functional as F

if importlib.util.find_spec("minigrad.fast") is None:
    pytest.skip("the folder of kernels was deleted", allow_module_level=True)

from minigrad.fast.common import Saved, together

IDS = np.array([[0, 2, 1, 0], [3, 1, 0, 0]])


def targets(x: Any) -> np.ndarray:
    """A class for each row of scores, and some -1, which count for nothing."""
    shape, N = x.shape[:-1], x.shape[-1]
    return np.arange(np.prod(shape, dtype=int)).reshape(shape) % (N + 1) - 1


def classes(x: Any) -> np.ndarray:
    return np.maximum(targets(x), 0)


def rows_of(table: Any) -> Any:
    """Each row, some more than once."""
    return F.embedding(table, IDS % max(len(table.data), 1))


KERNELS = {
    "relu": Kernel(F.relu, lambda x: F.relu(x), ("...N",)),
    "embedding": Kernel(F.embedding, rows_of, ("ND",)),
    "embedding of wide rows": Kernel(F.embedding, rows_of, ("NW",)),
    "softmax": Kernel(F.softmax, lambda x: F.softmax(x), ("...N",)),
    "masked_softmax": Kernel(
        F.masked_softmax, lambda x: F.masked_softmax(x, SOME[: x.shape[-2]]), ("...TS",)
    ),
    "masked_softmax unmasked": Kernel(F.masked_softmax, lambda x: F.masked_softmax(x), ("...N",)),
    "layer_norm": Kernel(F.layer_norm, lambda x, a, b: F.layer_norm(x, a, b), ("...D", "D", "D")),
    "linear": Kernel(F.linear, lambda x, w, b: F.linear(x, w, b), ("...D", "DE", "E")),
    "linear without a bias": Kernel(F.linear, lambda x, w: F.linear(x, w), ("...D", "DE")),
    "cross_entropy": Kernel(F.cross_entropy, lambda x: F.cross_entropy(x, classes(x)), ("...N",)),
    "cross_entropy smoothed and ignoring": Kernel(
        F.cross_entropy,
        lambda x: F.cross_entropy(x, targets(x), ignore_index=-1, label_smoothing=0.2),
        ("...N",),
    ),
    "cross_entropy summed": Kernel(
        F.cross_entropy, lambda x: F.cross_entropy(x, classes(x), reduction="sum"), ("...N",)
    ),
    "cross_entropy apart": Kernel(
        F.cross_entropy,
        lambda x: F.cross_entropy(x, targets(x), ignore_index=-1, reduction="none"),
        ("...N",),
    ),
    "cross_entropy of nothing that counts": Kernel(
        F.cross_entropy,
        lambda x: F.cross_entropy(x, np.full(x.shape[:-1], -1), ignore_index=-1),
        ("...N",),
    ),
}


class TestKernels(Alike):
    room = "minigrad.fast"
    kernels = KERNELS
    masked = {  # noqa: RUF012
        "softmax": Kernel(F.masked_softmax, lambda mask, x: F.masked_softmax(x, mask), ("...TS",))
    }
    broadcasting = [  # noqa: RUF012
        (F.linear, [(2, 3), (3, 1), (4,)]),
        (F.linear, [(2, 3), (3, 4), (1,)]),
        (F.layer_norm, [(2, 3), (1,), (3,)]),
        (F.layer_norm, [(2, 3), (2, 3), (1, 3)]),
        (F.layer_norm, [(2, 1), (3,), (3,)]),
        (lambda x: F.masked_softmax(x, SOME), [(1, 4)]),
    ]


# --- masks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("hidden", [1e4, -1e4, np.inf, -np.inf, np.nan, 29.0])
def test_what_is_hidden_or_in_other_rows_changes_no_weight_in_its_last_bit(hidden, dtype):
    """The softmax takes a short way where all numbers are mild, and that must not show."""
    x = KERNELS["masked_softmax"].arrays()[0][0].astype(dtype)
    weights, other = with_kernels(F.masked_softmax, x, SOME), x.copy()
    other[~SOME] = hidden
    np.testing.assert_array_equal(with_kernels(F.masked_softmax, other, SOME), weights)
    other = x.copy()
    other[1] = hidden
    with np.errstate(invalid="ignore"):  # that row itself may have no softmax
        np.testing.assert_array_equal(
            with_kernels(F.softmax, other)[[0, 2]], with_kernels(F.softmax, x)[[0, 2]]
        )


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_softmax_along_every_axis(axis):
    x = KERNELS["softmax"].arrays((2, 3))[0]
    check(lambda x: F.softmax(x, axis), [x])
    check(lambda x: F.masked_softmax(x, SOME, axis=axis), [x])


# --- numbers --------------------------------------------------------------------------------------

NUMBERS_GIVEN = {
    "eps of layer_norm": lambda t, x: F.layer_norm(x, x[0], x[1], t),
    "label_smoothing": lambda t, x: F.cross_entropy(x, [0, 1, 2], label_smoothing=t),
}
each_number = pytest.mark.parametrize("call", NUMBERS_GIVEN.values(), ids=NUMBERS_GIVEN)


@each_number
def test_a_number_can_be_a_tensor_and_gets_its_gradient(call):
    x = KERNELS["layer_norm"].arrays((3,))[0]
    _, of_number, _ = check(call, [np.array(0.3), x], orders=1)
    assert np.all(of_number != 0)


@each_number
def test_a_number_of_numpys_widens_as_in_the_definition(call):
    x = KERNELS["layer_norm"].arrays((3,))[0]
    for dtype in (np.float32, np.float64):
        check(lambda x: call(np.float64(0.3), x), [x.astype(dtype)], 1e-5, orders=1)


# --- integers -------------------------------------------------------------------------------------

INTEGERS = ["int8", "uint8", "int32", "int64", "uint32", "uint64"]
each_integer = pytest.mark.parametrize(  # dtypes in the usual order, and orders of the usual dtype
    ("dtype", "layout"),
    [*((d, "in C order") for d in INTEGERS), *(("int64", layout) for layout in LAYOUTS)],
)


@each_integer
def test_targets_of_every_integer_dtype_and_order(dtype, layout):
    x = KERNELS["cross_entropy"].arrays((3, 2))[0]
    ids = laid_out(np.arange(6).reshape(3, 2) % 4, layout).astype(dtype)
    check(lambda x: F.cross_entropy(x, ids), [x])
    check(lambda x: F.cross_entropy(x, ids, ignore_index=1), [x])


@each_integer
@pytest.mark.parametrize("shape", [(4,), (4, 2), (4, 16), (4, 3, 6), (200, 16)], ids=str)
def test_ids_of_every_integer_dtype_and_order(dtype, layout, shape):
    table = np.random.default_rng(3).standard_normal(shape)
    ids = laid_out(IDS, layout).astype(dtype)
    for some in (ids, ids[0], ids[0, 0], ids[:0], ids.tolist(), mg.Tensor(ids)):
        check(lambda x: F.embedding(x, some), [table])


@pytest.mark.parametrize("special", [np.nan, np.inf])
def test_a_gradient_that_is_no_usual_number_reaches_the_rows_it_is_for(special):
    table = mg.Tensor(np.ones((4, 16)), requires_grad=True)
    factor = np.ones((2, 4, 16))
    factor[0, 1] = special
    (with_kernels(F.embedding, table, IDS) * factor).sum().backward()
    finite = np.isfinite(table.grad.data)
    np.testing.assert_array_equal(finite, np.arange(4)[:, None] != 2 + np.zeros(16))


@pytest.mark.parametrize("ids", [[4], [-1], [0.5], [True], [[0], [7]]])
def test_ids_that_name_nothing_are_refused_alike(ids):
    table, found = mg.Tensor(np.ones((4, 2)), requires_grad=True), []
    for call in (F.embedding, lambda *args: with_kernels(F.embedding, *args)):
        with pytest.raises(mg.errors.MinigradError) as caught:
            call(table, ids)
        found.append((type(caught.value), str(caught.value)))
    assert found[0] == found[1]


# --- the rest -------------------------------------------------------------------------------------


def test_one_tensor_in_several_places():
    x, w = KERNELS["linear without a bias"].arrays()
    check(lambda x, w: F.linear(F.linear(x, w), w.T), [x, w])
    check(lambda x: F.layer_norm(x, x[0], x[0]), [x])


def test_what_a_kernel_kept_is_freed_with_its_node():
    x = mg.Tensor(KERNELS["layer_norm"].arrays()[0], requires_grad=True)
    y = with_kernels(F.layer_norm, x, x[0], x[1])
    assert len(y._node.saved[-1].arrays) == 2
    y.sum().backward()
    assert y._node.saved is None
    with mg.no_grad():
        assert with_kernels(F.layer_norm, x, x[0], x[1])._node is None


def test_relu_outside_fast_is_one_node():
    x = mg.Tensor([1.0, -1.0], requires_grad=True)
    assert F.relu(x)._node.operation.name == "relu"
    assert with_kernels(F.relu, x)._node.operation.name == "relu_of_rows"


class Interrupted(Saved):
    """What an operation saved, just before whose gradients are read another thread does something."""

    meanwhile = staticmethod(lambda: None)

    @property
    def gradients(self):
        do, self.meanwhile = self.meanwhile, lambda: None
        do()
        return self.found

    @gradients.setter
    def gradients(self, found):
        self.found = found


def test_two_walks_over_one_graph_at_once_get_each_their_own_gradient():
    product = lambda g, y, a, b, saved: (g * b, g * a)
    of_a, of_b, _ = together(product, 2)
    g, other, a, b = np.array([[1.0, 2.0], [3.0, 5.0], [7.0, 11.0], [13.0, 17.0]])
    saved = Interrupted()
    np.testing.assert_array_equal(of_a(g, a * b, a, b, saved), g * b)
    saved.meanwhile = lambda: of_a(other, a * b, a, b, saved)
    np.testing.assert_array_equal(of_b(g, a * b, a, b, saved), g * a)
