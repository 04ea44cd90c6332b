"""A kernel gives what the definition beside it gives, for every class of input that it accepts.

`KERNELS` says how each is called; the tests below go through the classes: the shapes, the orders in
memory of what is given and of the gradients that come back, the sizes of the numbers, NaN and
infinities, masks, dtypes, lists, and nothing at all. Under `mg.record()` the definition runs.
"""

import functools
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from layouts import ARRIVING, LAYOUTS, laid_out, tensor

import minigrad as mg
from minigrad import functional as F

SIZES = {"T": 3, "S": 4, "K": 5, "D": 4, "E": 6, "H": 2, "V": 3, "N": 4}
SOME = np.array([[True, False, True, True], [False] * 4, [True] * 4])  # (T, S)


class Kernel(NamedTuple):
    """A way to call a function that has a kernel.

    Attributes:
        function: the function.
        call: the call, of tensors or arrays.
        shapes: of its arguments, a letter of `SIZES` an axis; the dots are any leading axes.
    """

    function: Callable
    call: Callable
    shapes: tuple[str, ...]

    def arrays(self, lead: tuple[int, ...] = (2,), **sizes: int) -> list[np.ndarray]:
        """Random numbers for the arguments, the same ones every time."""
        rng = np.random.default_rng(7)
        sizes = SIZES | sizes
        sizes |= {"J": sizes["H"] * sizes["V"], "P": sizes["H"] * sizes["K"]}
        shapes = [(*lead * ("..." in s), *(sizes[c] for c in s.strip("."))) for s in self.shapes]
        return [rng.standard_normal(shape) for shape in shapes]


def targets(x: Any) -> np.ndarray:
    """A class for each row of scores, and some -1, which count for nothing."""
    shape, N = x.shape[:-1], x.shape[-1]
    return np.arange(np.prod(shape, dtype=int)).reshape(shape) % (N + 1) - 1


def classes(x: Any) -> np.ndarray:
    return np.maximum(targets(x), 0)


KERNELS = {
    "softmax": Kernel(F.softmax, lambda x: F.softmax(x), ("...N",)),
    "masked_softmax": Kernel(
        F.masked_softmax, lambda x: F.masked_softmax(x, SOME[: x.shape[-2]]), ("...TS",)
    ),
    "masked_softmax unmasked": Kernel(F.masked_softmax, lambda x: F.masked_softmax(x), ("...N",)),
    "layer_norm": Kernel(F.layer_norm, lambda x, a, b: F.layer_norm(x, a, b), ("...D", "D", "D")),
    "products": Kernel(F.products, lambda a, b: F.products(a, b), ("...TK", "...SK")),
    "products scaled": Kernel(F.products, lambda a, b: F.products(a, b, 0.3), ("...TK", "...SK")),
    "products with one matrix": Kernel(
        F.products, lambda a, b: F.products(a, b, 0.3), ("...TK", "SK")
    ),
    "dot_weights": Kernel(
        F.dot_weights, lambda q, k: F.dot_weights(q, k, None, 0.3), ("...TK", "...SK")
    ),
    "dot_weights masked": Kernel(
        F.dot_weights,
        lambda q, k: F.dot_weights(q, k, SOME[: q.shape[-2], : k.shape[-2]]),
        ("...TK", "...SK"),
    ),
    "linear": Kernel(F.linear, lambda x, w, b: F.linear(x, w, b), ("...D", "DE", "E")),
    "linear without a bias": Kernel(F.linear, lambda x, w: F.linear(x, w), ("...D", "DE")),
    "linear_to_heads": Kernel(
        F.linear_to_heads, lambda x, w, b: F.linear_to_heads(x, w, b, 2), ("...TD", "DP", "P")
    ),
    "linear_to_heads without a bias": Kernel(
        F.linear_to_heads, lambda x, w: F.linear_to_heads(x, w, None, 2), ("...TD", "DP")
    ),
    "linear_of_heads": Kernel(
        F.linear_of_heads, lambda x, w, b: F.linear_of_heads(x, w, b), ("...HTV", "JE", "E")
    ),
    "linear_of_heads without a bias": Kernel(
        F.linear_of_heads, lambda x, w: F.linear_of_heads(x, w, None), ("...HTV", "JE")
    ),
    "feed_forward": Kernel(
        F.feed_forward,
        lambda x, w, b, w2, b2: F.feed_forward(x, w, b, w2, b2),
        ("...D", "DE", "E", "EN", "N"),
    ),
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
each_kernel = pytest.mark.parametrize("name", KERNELS)
FIRST = [name for name in KERNELS if " " not in name]  # a call of each function
once_each = pytest.mark.parametrize("name", FIRST)


# --- what is compared -----------------------------------------------------------------------------


def projected(y, wave):
    """One number in which every element has a weight of its own."""
    return (y * wave(np.arange(y.size, dtype=y.dtype) + 0.5).reshape(y.shape)).sum()


def derivatives(f, inputs, *, defined, arriving="in C order", orders=2):
    """The value, the gradients, and the gradients of the gradients' projection on fixed numbers."""
    with mg.record(kernels=not defined):
        y = f(*inputs)
        found = [y]
        loss = projected(ARRIVING[arriving](y), np.cos)
        for _ in range(orders):
            loss.backward(create_graph=True)
            gradients = [x.grad for x in inputs]
            for x in inputs:
                x.grad = None
            found += gradients
            tied = [g for g in gradients if g is not None and g.requires_grad]
            if not tied:  # the gradients are constants
                break
            loss = sum(projected(g, np.sin) for g in tied)
    return [None if t is None else t.data for t in found]


def same(found, expected, tolerance=1e-11):
    """Of one shape and dtype, and equal, beside the largest number in each."""
    for a, b in zip(found, expected, strict=True):
        a, b = (np.zeros(1) if x is None else x for x in (a, b))  # of what nothing depends on
        scale = 1 + np.max(np.abs(b), where=np.isfinite(b), initial=0)
        np.testing.assert_allclose(a / scale, b / scale, rtol=tolerance, atol=tolerance)
        assert a.dtype == b.dtype


def check(call, arrays, tolerance=1e-11, orders=2):
    """The kernel against the definition on tensors in C order."""
    runs = [
        derivatives(call, [mg.Tensor(a, requires_grad=True) for a in arrays],
                    defined=defined, orders=orders)
        for defined in (False, True)
    ]  # fmt: skip
    same(*runs, tolerance)
    return runs[0]


def outcome(call, *args):
    """The value, or what is raised."""
    try:
        return np.asarray(getattr(y := call(*args), "data", y))
    except Exception as problem:
        return type(problem)


def with_argument(arrays, i, new):
    return [*arrays[:i], new, *arrays[i + 1 :]]


# --- shapes, and orders in memory -----------------------------------------------------------------

LEADS = [(), (2,), (3, 2), (2, 1, 3)]


@each_kernel
@pytest.mark.parametrize("lead", LEADS, ids=str)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-11), (np.float32, 2e-4)])
def test_in_every_number_of_dimensions(name, lead, dtype, tolerance):
    arrays = [a.astype(dtype) for a in KERNELS[name].arrays(lead)]
    for a in check(KERNELS[name].call, arrays, tolerance):
        assert a is None or (a.dtype == dtype and np.all(np.isfinite(a)))


@functools.cache
def expected(name, lead, arriving, constant=None, orders=2):
    """The definition, given arrays in C order."""
    arrays = KERNELS[name].arrays(lead)
    if constant is not None:
        arrays = [np.array(laid_out(a, constant), order="C") for a in arrays]
    return derivatives(KERNELS[name].call, list(map(tensor, arrays)), defined=True,
                       arriving=arriving, orders=orders)  # fmt: skip


def check_layout(name, lead, layout, arriving, orders=2):
    inputs = [tensor(a, layout) for a in KERNELS[name].arrays(lead)]
    found = derivatives(KERNELS[name].call, inputs, defined=False, arriving=arriving, orders=orders)
    constant = layout if layout.startswith("one") else None
    tolerance = 1e-9 if constant else 1e-11  # of equal numbers the deviation is next to nothing
    same(found, expected(name, lead, arriving, constant, orders), tolerance)


@each_kernel
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_order_in_memory_does_not_matter(name, layout):
    """In four dimensions no two orders are alike."""
    check_layout(name, (3, 2), layout, "in C order")


@each_kernel
@pytest.mark.parametrize("arriving", ARRIVING)
def test_the_order_of_incoming_gradients_does_not_matter(name, arriving):
    check_layout(name, (3, 2), "in C order", arriving)


@pytest.mark.slow
@each_kernel
@pytest.mark.parametrize("lead", LEADS, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("arriving", ARRIVING)
def test_no_pair_of_orders_matters(name, lead, layout, arriving):
    check_layout(name, lead, layout, arriving)


@each_kernel
@pytest.mark.parametrize("layout", LAYOUTS)
def test_plain_arrays_in_any_order(name, layout):
    """They are not changed, and nothing of them is in the memory of the result."""
    kernel = KERNELS[name]
    arrays = [laid_out(a, layout) for a in kernel.arrays((3, 2))]
    before = [a.copy() for a in arrays]
    y = kernel.call(*arrays)
    with mg.record():
        same([y], [kernel.call(*before)])
    for a, b in zip(arrays, before):
        np.testing.assert_array_equal(a, b)
        assert not np.shares_memory(y, a)


@once_each
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_kernel_runs_in_every_order(name, layout):
    """What is compared above is not one definition with itself."""
    kernel = KERNELS[name]
    y = kernel.call(*(tensor(a, layout) for a in kernel.arrays((3, 2))))
    assert f"{name}(#" in str(mg.graph(y))
    with mg.record():
        y = kernel.call(*(tensor(a, layout) for a in kernel.arrays((3, 2))))
    assert f"{name}(#" not in str(mg.graph(y))


def test_every_kernel_is_in_the_table():
    fused = {f for f in vars(F).values() if getattr(f, "kernels", None)}
    assert fused  # the search finds them at all
    assert {kernel.function for kernel in KERNELS.values()} == fused


# --- the sizes of axes ----------------------------------------------------------------------------


@each_kernel
@pytest.mark.parametrize("letter", SIZES)
@pytest.mark.parametrize("size", [1, 2, 70])
def test_axes_of_other_sizes(name, letter, size):
    """Short rows are computed in another way than long ones; of width one all is constant."""
    kernel = KERNELS[name]
    if not any(letter in s for s in kernel.shapes) or (letter == "H" and "of" not in name):
        return
    if "mask" in name and size > SIZES[letter]:
        return
    try:
        check(kernel.call, kernel.arrays((2,), **{letter: size}), tolerance=1e-10)
    except mg.errors.ShapeError:
        assert "masked" in name  # the mask does not fit either of them


@each_kernel
@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
def test_empty_axes(name):
    """What cannot be is refused alike."""
    kernel = KERNELS[name]
    cases = [((0,), {}), ((2, 0), {}), *(((2,), {letter: 0}) for letter in SIZES)]
    for lead, sizes in cases:
        arrays = kernel.arrays(lead, **sizes)
        found = outcome(kernel.call, *map(mg.Tensor, arrays))
        with mg.record():
            defined = outcome(kernel.call, *map(mg.Tensor, arrays))
        if isinstance(defined, type):
            assert found is defined
        else:
            check(kernel.call, arrays)


# --- the numbers ----------------------------------------------------------------------------------

NUMBERS = {
    "far apart": lambda a: a * 300,
    "far from zero": lambda a: a + 1e3,
    "one row far": lambda a: a * np.linspace(1, 300, a.shape[0]).reshape(-1, *[1] * (a.ndim - 1)),
    "tiny": lambda a: a * 1e-30,
    "zeros": np.zeros_like,
    "equal": lambda a: np.full_like(a, 3.0),
}


@each_kernel
@pytest.mark.parametrize("numbers", NUMBERS)
def test_numbers_of_other_sizes(name, numbers):
    """Of the first argument, where the others are parameters; of all, where all are data."""
    kernel = KERNELS[name]
    arrays = [
        NUMBERS[numbers](a) if s.startswith("...") else a
        for a, s in zip(kernel.arrays(), kernel.shapes)
    ]
    check(kernel.call, arrays, tolerance=1e-7 if name == "layer_norm" else 1e-9)


@each_kernel
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lead", [(3,), (3, 2)], ids=str)
def test_numbers_far_apart_in_every_order(name, layout, lead):
    """Where each row needs a shift of its own."""
    kernel = KERNELS[name]
    arrays = [NUMBERS["far apart"](a) for a in kernel.arrays(lead)]
    y = kernel.call(*(laid_out(a, layout) for a in arrays))
    with mg.record():
        same([y], [kernel.call(*(np.array(laid_out(a, layout), order="C") for a in arrays))], 1e-9)


@each_kernel
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, 1e300, -1e300], ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_one_element_that_is_no_usual_number(name, special):
    """In each argument in turn: the value has it, or NaN, or neither, where the definition has."""
    kernel = KERNELS[name]
    for i in range(len(kernel.shapes)):
        arrays = kernel.arrays()
        arrays[i].flat[-2] = special
        y = kernel.call(*arrays)
        with mg.record():
            same([y], [kernel.call(*arrays)])


@each_kernel
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nan_stays_in_its_row_of_gradients_too(name):
    kernel = KERNELS[name]
    for i, shape in enumerate(kernel.shapes):
        if shape.startswith("..."):
            arrays = kernel.arrays()
            arrays[i].flat[-2] = np.nan
            check(kernel.call, arrays, orders=1)


# --- masks ----------------------------------------------------------------------------------------

T, S = SOME.shape
MASKS = {
    "hides nothing": np.ones((T, S), bool),
    "hides everything": np.zeros((T, S), bool),
    "hides some": SOME,
    "hides columns": SOME[0],
    "hides rows": SOME[:, 1:2],
    "one for each batch": np.stack([SOME, ~SOME, SOME])[:, None],
    "wider than the scores": np.stack([[SOME], [~SOME], [SOME]])[:, None],
    "a number": True,
    "the number that hides all": False,
    "a list": SOME.tolist(),
    "a tensor": mg.Tensor(SOME),
    "of ones and zeros": SOME.astype(int),
    "of floats": SOME * 0.5,
    **{f"{layout}, 4-d": laid_out(np.stack([[SOME, ~SOME]] * 3), layout) for layout in LAYOUTS},
}
SCORES = {
    "mild": lambda a: a,
    "far apart": NUMBERS["far apart"],
    "NaN and infinities": lambda a: np.where(np.arange(a.size).reshape(a.shape) % 3, a, np.nan),
}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("layout", ["in C order", "leading axes swapped", "every second element"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_masks(mask, scores, layout):
    hidden = MASKS[mask]
    orders = 1 if scores.startswith("NaN") else 2
    for name in ("masked_softmax", "dot_weights"):
        arrays = KERNELS[name].arrays((3, 2))
        arrays[-1] = SCORES[scores](arrays[-1])
        call = {
            "masked_softmax": lambda x: F.masked_softmax(x, hidden),
            "dot_weights": lambda q, k: F.dot_weights(q, k, hidden, 0.3),
        }[name]
        inputs = [[tensor(a, at) for a in arrays] for at in (layout, "in C order")]
        found = derivatives(call, inputs[0], defined=False, orders=orders)
        same(found, derivatives(call, inputs[1], defined=True, orders=orders), 1e-9)
        if "everything" in mask:
            np.testing.assert_array_equal(found[0], 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("hidden", [1e4, -1e4, np.inf, -np.inf, np.nan, 29.0])
def test_what_is_hidden_or_in_other_rows_changes_no_weight_in_its_last_bit(hidden, dtype):
    """The softmax takes a short way where all numbers are mild, and that must not show."""
    x = KERNELS["masked_softmax"].arrays()[0][0].astype(dtype)
    weights, other = F.masked_softmax(x, SOME), x.copy()
    other[~SOME] = hidden
    np.testing.assert_array_equal(F.masked_softmax(other, SOME), weights)
    other = x.copy()
    other[1] = hidden
    with np.errstate(invalid="ignore"):  # that row itself may have no softmax
        np.testing.assert_array_equal(F.softmax(other)[[0, 2]], F.softmax(x)[[0, 2]])


# --- other dtypes, and other kinds of argument ----------------------------------------------------


@each_kernel
def test_float32_and_float64_mixed(name):
    """The wider one decides, and each gradient has the dtype of its own argument."""
    kernel = KERNELS[name]
    arrays = kernel.arrays()
    for dtypes in itertools.product([np.float32, np.float64], repeat=len(arrays)):
        given = [a.astype(dtype) for a, dtype in zip(arrays, dtypes)]
        y, *gradients = check(kernel.call, given, tolerance=1e-4, orders=1)
        assert y.dtype == np.result_type(*dtypes)
        assert [g.dtype for g in gradients] == list(dtypes)


@each_kernel
@pytest.mark.parametrize("dtype", ["float16", "longdouble", "int64", "int8", ">f8", ">f4"])
def test_arrays_of_dtypes_that_no_kernel_is_made_for(name, dtype):
    """They are left to the definition, and what that gives is in the machine's byte order."""
    kernel = KERNELS[name]
    for i in range(len(kernel.shapes)):
        arrays = kernel.arrays()
        arrays[i] = arrays[i].astype(dtype)
        y = kernel.call(*arrays)
        with mg.record():
            same([y], [kernel.call(*arrays)], 1e-3 if y.dtype == np.float16 else 1e-6)


@each_kernel
def test_a_list_in_place_of_one_argument(name):
    """It is taken where the definition takes it, and gives the same."""
    kernel = KERNELS[name]
    arrays = kernel.arrays()
    for i in range(len(arrays)):
        tensors = [mg.Tensor(a, requires_grad=True) for a in arrays]
        given = with_argument(tensors, i, arrays[i].tolist())
        found = outcome(kernel.call, *given)
        with mg.record():
            defined = outcome(kernel.call, *given)
        if isinstance(defined, type):
            assert found is defined
        else:
            same([found], [defined])


NUMBERS_GIVEN = {
    "factor of products": lambda t, x: F.products(x, x, t),
    "factor of dot_weights": lambda t, x: F.dot_weights(x, x, None, t),
    "eps of layer_norm": lambda t, x: F.layer_norm(x, x[0], x[1], t),
    "label_smoothing": lambda t, x: F.cross_entropy(x, [0, 1, 2], label_smoothing=t),
}


@pytest.mark.parametrize("call", NUMBERS_GIVEN)
def test_a_number_can_be_a_tensor_and_gets_its_gradient(call):
    x = KERNELS["layer_norm"].arrays((3,))[0]
    _, of_number, _ = check(NUMBERS_GIVEN[call], [np.array(0.3), x], orders=1)
    assert np.all(of_number != 0)


@pytest.mark.parametrize("call", NUMBERS_GIVEN)
def test_a_number_of_numpys_widens_as_in_the_definition(call):
    x = KERNELS["layer_norm"].arrays((3,))[0]
    for dtype in (np.float32, np.float64):
        check(lambda x: NUMBERS_GIVEN[call](np.float64(0.3), x), [x.astype(dtype)], 1e-5, orders=1)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint32", "uint64"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_targets_of_every_integer_dtype_and_order(dtype, layout):
    x = KERNELS["cross_entropy"].arrays((3, 2))[0]
    ids = laid_out(np.arange(6).reshape(3, 2) % 4, layout).astype(dtype)
    check(lambda x: F.cross_entropy(x, ids), [x])
    check(lambda x: F.cross_entropy(x, ids, ignore_index=1), [x])


@pytest.mark.parametrize(
    ("call", "shapes"),
    [
        (F.linear, [(2, 3), (3, 1), (4,)]),
        (F.linear, [(2, 3), (3, 4), (1,)]),
        (F.feed_forward, [(2, 3), (3, 1), (4,), (4, 2), (1,)]),
        (F.feed_forward, [(2, 3), (3, 4), (4,), (4, 1), (5,)]),
        (F.linear_of_heads, [(2, 3, 2), (4, 1), (5,)]),
        (F.layer_norm, [(2, 3), (1,), (3,)]),
        (F.layer_norm, [(2, 3), (2, 3), (1, 3)]),
        (F.layer_norm, [(2, 1), (3,), (3,)]),
        (F.masked_softmax, [(1, 4)]),
        (F.dot_weights, [(2, 3, 5), (4, 5)]),
        (F.dot_weights, [(2, 1, 3, 5), (4, 3, 5)]),
        (F.products, [(2, 1, 3, 4), (5, 4)]),
        (F.products, [(3, 4), (2, 2, 5, 4)]),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_shapes_that_broadcast_do_so_as_in_the_definition(call, shapes):
    rng = np.random.default_rng(3)
    options = (SOME,) if call is F.masked_softmax else ()
    check(lambda *xs: call(*xs, *options), [rng.standard_normal(shape) for shape in shapes])


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_softmax_along_every_axis(axis):
    x = KERNELS["softmax"].arrays((2, 3))[0]
    check(lambda x: F.softmax(x, axis), [x])
    check(lambda x: F.masked_softmax(x, SOME, axis=axis), [x])


def test_one_tensor_in_several_places():
    x, w = KERNELS["linear without a bias"].arrays()
    check(lambda x, w: F.linear(F.linear(x, w), w.T), [x, w])
    check(lambda x: F.dot_weights(x, x), [x])
    check(lambda x, w: F.feed_forward(x[0], w, w[0], w.T, x[0]), [x, w])
    check(lambda x: F.layer_norm(x, x[0], x[0]), [x])


# --- the way back ---------------------------------------------------------------------------------

plain_back = mg.rule(
    lambda x: 1 * x, lambda g, y, x: np.cos(np.arange(1.0 * x.size)).reshape(x.shape)
)


@each_kernel
def test_a_gradient_that_is_a_plain_array_beside_arguments_that_are_tensors(name):
    """With a graph of their own gradients are tensors, but for those that depend on nothing."""
    kernel = KERNELS[name]
    arrays = kernel.arrays()
    for i, a in enumerate(arrays):
        call = lambda x: plain_back(kernel.call(*with_argument(arrays, i, x)))
        check(call, [a])
    check(lambda *xs: plain_back(kernel.call(*xs)), arrays)


@each_kernel
def test_a_hessian_times_a_vector_through_a_function_without_slope(name):
    kernel = KERNELS[name]
    arrays = kernel.arrays()
    for i, a in enumerate(arrays):
        call = lambda x: np.round(kernel.call(*with_argument(arrays, i, x))).sum()
        np.testing.assert_array_equal(mg.hvp(call, a, a), np.zeros_like(a))


@each_kernel
def test_the_gradients_are_the_same_with_a_graph_of_their_own(name):
    """Without one the rules use what the kernel kept, and compute it again where they must not."""
    kernel = KERNELS[name]
    for arriving in ARRIVING:
        inputs = [mg.Tensor(a, requires_grad=True) for a in kernel.arrays((3, 2))]
        loss = projected(ARRIVING[arriving](kernel.call(*inputs)), np.cos)
        loss.backward(retain_graph=True)
        loss.backward()  # and what is kept is not used up
        given = [x.grad.data / 2 for x in inputs]
        same(given, expected(name, (3, 2), arriving)[1 : 1 + len(inputs)])


@each_kernel
def test_it_does_not_matter_which_arguments_require_a_gradient(name):
    kernel = KERNELS[name]
    arrays = kernel.arrays((3, 2))
    gradients = expected(name, (3, 2), "in C order")[1:]
    for i, layout in itertools.product(range(len(arrays)), LAYOUTS):
        if layout.startswith("one"):
            continue
        leaf = tensor(arrays[i], layout)
        others = [laid_out(a, layout) for a in arrays]
        projected(kernel.call(*with_argument(others, i, leaf)), np.cos).backward()
        same([leaf.grad.data], [gradients[i]])


def test_what_a_kernel_kept_is_freed_with_its_node():
    x = mg.Tensor(KERNELS["layer_norm"].arrays()[0], requires_grad=True)
    y = F.layer_norm(x, x[0], x[1])
    assert len(y._node.kept) == 2
    y.sum().backward()
    assert y._node.kept is None
    with mg.no_grad():
        assert F.layer_norm(x, x[0], x[1])._node is None
