"""The Tensor itself: made from anything that NumPy takes, and no more trouble than an array."""

import collections
import copy
import fractions
import functools
import operator
import pickle
import threading
from collections.abc import Sequence

import numpy as np
import pytest
from leaves import leaf
from limits import SECONDS

import minigrad as mg
from minigrad import Tensor, errors


@pytest.fixture
def double():
    """float64 as the default dtype, for one test."""
    mg.set_default_dtype(np.float64)
    yield
    mg.set_default_dtype(np.float32)


double_leaf = functools.partial(leaf, dtype=np.float64)

# --- what it is made from -------------------------------------------------------------------------

F32, F64, I64, BOOL = map(np.dtype, (np.float32, np.float64, np.int64, bool))


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (2.5, F32, ()),
        (3, I64, ()),
        (True, BOOL, ()),
        ([1.0, 2.0], F32, (2,)),
        ([1, 2], I64, (2,)),
        ([True, False], BOOL, (2,)),
        ([1, 2.5], F32, (2,)),  # ints and floats mixed, in every order and depth
        ([2.5, 1], F32, (2,)),
        ([True, 2.5], F32, (2,)),
        ([[1, 2], [3, 4.0]], F32, (2, 2)),
        (((1, 2), (3, 4)), I64, (2, 2)),
        ([(1.0, 2.0), [3, 4]], F32, (2, 2)),
        ([True, 2], I64, (2,)),
        ([], F32, (0,)),
        ([[], []], F32, (2, 0)),
        (range(3), I64, (3,)),
        (np.float64(2), F64, ()),  # what NumPy made keeps its dtype
        (np.float32(2), F32, ()),
        (np.int8(2), np.dtype(np.int8), ()),
        (np.True_, BOOL, ()),
        ([np.float64(2), 1.0], F64, (2,)),
        ([1.0, np.float64(2)], F64, (2,)),
        ([[1.0], [np.float64(2)]], F64, (2, 1)),
        ([np.float32(1), np.float32(2)], F32, (2,)),
        ([np.ones(2), [1.0, 2.0]], F64, (2, 2)),
        (np.zeros((2, 0, 3)), F64, (2, 0, 3)),
        (np.array(1.0), F64, ()),
        (memoryview(np.ones(3)), F64, (3,)),
    ],
)
def test_dtype_and_shape(value, dtype, shape):
    x = Tensor(value)
    assert (x.dtype, x.shape, x.ndim, x.size) == (dtype, shape, len(shape), np.prod(shape))
    assert type(x._array) is np.ndarray
    np.testing.assert_array_equal(x.data, np.asarray(value))


@pytest.mark.parametrize("dtype", list("efdgbhilBHIL?"))
def test_arrays_keep_their_dtype(dtype):
    array = np.array([[0, 1], [1, 0]], dtype)
    x = Tensor(array)
    assert x.dtype == array.dtype
    np.testing.assert_array_equal(x.data, array)


def test_the_default_dtype_is_that_of_python_floats(double):
    assert mg.get_default_dtype() == F64
    assert Tensor([1, 2.5]).dtype == F64
    assert Tensor([]).dtype == F64
    assert Tensor(np.float32(1)).dtype == F32
    assert Tensor(1).dtype == I64
    assert Tensor([0.1]).item() == 0.1
    with pytest.raises(errors.DTypeError, match=r"is a floating one, .* not int64"):
        mg.set_default_dtype(int)


def test_a_dtype_that_is_asked_for():
    assert Tensor([1, 2], dtype=np.float32).dtype == F32
    assert Tensor([1.5, 2], dtype="float64").dtype == F64
    assert Tensor(np.ones(2), dtype=np.float16).dtype == np.float16
    assert Tensor([1, 2], dtype=float, requires_grad=True).requires_grad
    np.testing.assert_array_equal(Tensor([1.5, -2.5], dtype=int).data, [1, -2])


@pytest.mark.parametrize(
    "array",
    [
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(12.0).reshape(4, 3)[::-2, ::-1],
        np.broadcast_to(np.arange(3.0), (2, 3)),
        np.arange(6.0).reshape(3, 2).T,
        np.arange(6, dtype=">f8").reshape(2, 3),
        np.ma.masked_array(np.arange(6.0).reshape(2, 3)).data,
    ],
    ids=[
        "fortran",
        "negative strides",
        "read-only, no strides",
        "transposed",
        "big-endian",
        "base",
    ],
)
def test_every_layout_of_memory(array):
    x = Tensor(array, requires_grad=True)
    np.testing.assert_array_equal(x.data, array)
    assert x.dtype == F64
    assert x.dtype.isnative
    np.sum(x * x).backward()
    np.testing.assert_array_equal(x.grad.data, 2 * np.asarray(array))
    assert x.grad.dtype.isnative
    mg.optim.SGD([x], lr=0.5).step()
    np.testing.assert_array_equal(x.data, 0)


def test_the_array_is_its_own():
    array = np.ones(3)
    for x in (Tensor(array), Tensor(array, dtype=F64), Tensor(Tensor(array)), Tensor(array[:])):
        array[0] = 5
        assert x.data[0] == 1
        assert not np.shares_memory(x.data, array)
        array[0] = 1


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([[1, 2], [3]], errors.ShapeError, r"cannot make an array of \[\[1, 2\], \[3\]\]"),
        ([1.0, [2.0]], errors.ShapeError, "cannot make an array"),
        ([np.ones(2), np.ones(3)], errors.ShapeError, "cannot make an array"),
        ("abc", errors.DTypeError, r"real numbers, not <U3: 'abc'"),
        (["1", "2"], errors.DTypeError, "real numbers, not <U1"),
        (b"ab", errors.DTypeError, "real numbers"),
        (1j, errors.DTypeError, "real numbers, not complex128"),
        ([1.0, 2j], errors.DTypeError, "real numbers, not complex128"),
        (np.ones(2, np.complex64), errors.DTypeError, "real numbers, not complex64"),
        (None, errors.DTypeError, "real numbers, not object: None"),
        ([1.0, None], errors.DTypeError, "real numbers, not object"),
        ({1.0, 2.0}, errors.DTypeError, "real numbers, not object"),
        ({"a": 1.0}, errors.DTypeError, "real numbers, not object"),
        ((i for i in range(3)), errors.DTypeError, "real numbers, not object"),
        ([fractions.Fraction(1, 2)], errors.DTypeError, "real numbers, not object"),
        (
            np.array(["2020-01-01"], "datetime64[D]"),
            errors.DTypeError,
            "real numbers, not datetime",
        ),
        (np.zeros(2, [("a", "f4")]), errors.DTypeError, "real numbers"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), errors.DTypeError, "no hidden elements"),
        ([double_leaf(1.0), double_leaf(2.0)], errors.DetachError, r"np\.stack"),
        ([1.0, double_leaf(2.0)], errors.DetachError, r"np\.stack"),
        ([[double_leaf(1.0)], [2.0]], errors.DetachError, r"np\.stack"),
        ([Tensor(1.0), Tensor(2.0)], errors.DetachError, r"np\.stack"),
        (double_leaf([1.0]), errors.DetachError, r"^write x\.detach\(\): Tensor\(x\) would"),
        (double_leaf([1.0]) * 2, errors.DetachError, r"Tensor\(x\) would lose"),
    ],
)
def test_what_it_is_not_made_from(value, error, message):
    with pytest.raises(error, match=message):
        Tensor(value)


@pytest.mark.parametrize("dtype", [complex, object, str, "datetime64[D]"])
def test_dtypes_that_are_no_real_numbers(dtype):
    with pytest.raises(errors.DTypeError, match="real numbers"):
        Tensor([1.0, 2.0], dtype=dtype)
    with pytest.raises(errors.DTypeError, match="real numbers"):
        Tensor([1.0, 2.0]).astype(dtype)
    with pytest.raises(errors.DTypeError, match="real numbers"):
        double_leaf([1.0]).copy_([1.0], dtype=dtype)


def test_nothing_complex_comes_of_it():
    x = double_leaf([1.0, 2.0])
    for f in (lambda: x + 1j, lambda: np.ones(2, complex) * x, lambda: x * [1j, 2]):
        with pytest.raises(errors.DTypeError, match="real numbers"):
            f()


# --- and back -------------------------------------------------------------------------------------


def test_data_is_a_read_only_view():
    x = double_leaf([1.0, 2.0])
    assert np.shares_memory(x.data, x.data)
    with pytest.raises(ValueError, match="read-only"):
        x.data[0] = 5
    with pytest.raises(ValueError, match="WRITEABLE"):
        x.data.flags.writeable = True


def test_a_leaf_can_be_given_new_values():
    """It has a new array then; whoever held the old one keeps that."""
    x = double_leaf([1.0, 2.0])
    held, y = x.data, x * x
    x.data = [5.0, 6.0]
    np.testing.assert_array_equal(x.data, [5, 6])
    np.testing.assert_array_equal(held, [1, 2])
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, [2, 4])


def test_numpy_is_a_copy():
    x = Tensor([1.0, 2.0])
    array = x.numpy()
    array[0] = 5
    assert array.dtype == F32
    np.testing.assert_array_equal(x.data, [1, 2])


def test_as_an_array():
    x = Tensor([1.0, 2.0])
    seen = np.asarray(x)
    assert np.shares_memory(seen, x.data)
    assert not seen.flags.writeable
    assert np.asarray(x, dtype=np.float64).dtype == F64
    made = np.array(x)
    made[0] = 5
    assert x.data[0] == 1
    assert np.shares_memory(np.array(x, copy=False), x.data)
    with pytest.raises(ValueError, match="copy"):
        np.array(x, dtype=np.float64, copy=False)
    np.testing.assert_array_equal(np.array([x, x]), [[1, 2], [1, 2]])
    np.testing.assert_allclose(x, [1, 2])


def test_as_numbers():
    x = Tensor([[1.5, -2.0], [0.0, 4.0]])
    assert (x[0, 0].item(), type(x[0, 0].item())) == (1.5, float)
    assert type(Tensor([[3]]).item()) is int
    assert type(Tensor(True).item()) is bool
    assert double_leaf(2.5).item() == 2.5
    assert double_leaf([2.5, 3.5]).tolist() == [2.5, 3.5]
    assert Tensor(3).tolist() == 3
    assert (float(x[0, 0]), int(x[0, 1]), bool(x[1, 0]), bool(x[1, 1])) == (1.5, -2, False, True)
    assert float(Tensor([2.5])) == 2.5
    assert bool(double_leaf([[1.0]])) is True
    assert [10, 20, 30][Tensor(1)] == 20
    assert np.arange(5)[Tensor([1, 3])].tolist() == [1, 3]
    assert list(range(Tensor(2))) == [0, 1]


@pytest.mark.parametrize("convert", [float, int, bool, Tensor.item, "{:.2f}".format])
@pytest.mark.parametrize("shape", [(2,), (0,), (2, 1)])
def test_one_number_of_several(convert, shape):
    with pytest.raises(errors.ShapeError) as caught:
        convert(Tensor(np.ones(shape)))
    assert str(shape) in str(caught.value)


def test_only_one_integer_is_an_index():
    for x in (Tensor(1.0), Tensor([1])):
        with pytest.raises(TypeError):
            operator.index(x)


def test_length_iteration_and_membership():
    x = double_leaf([[1.0, 2.0], [3.0, 4.0]])
    assert len(x) == 2
    total = sum(row * i for i, row in enumerate(x))
    np.sum(total).backward()
    np.testing.assert_array_equal(x.grad.data, [[0, 0], [1, 1]])
    _, second = x
    np.testing.assert_array_equal(second.data, [3, 4])
    assert 3.0 in x
    assert 5.0 not in x
    assert double_leaf(4.0) in x
    assert next(reversed(x)).tolist() == [3, 4]
    assert np.iterable(x)
    assert not np.iterable(Tensor(1.0))
    for f in (len, iter, list):
        with pytest.raises(errors.UnsupportedError, match="0-d"):
            f(Tensor(1.0))


@pytest.mark.parametrize("index", [2, -3, (0, 2), [0, 2], np.array([5])])
def test_an_index_that_there_is_not_is_an_index_error_and_names_it(index):
    x = double_leaf([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(IndexError, match=r"float64\[2, 2\].*out of bounds") as caught:
        x[index]
    assert isinstance(caught.value, errors.ShapeError)


# --- how it looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (Tensor(2.5), "Tensor(2.5)"),
        (Tensor(3), "Tensor(3, dtype=int64)"),
        (Tensor([]), "Tensor([])"),
        (Tensor(np.zeros((0, 3))), "Tensor([], shape=(0, 3), dtype=float64)"),
        (Tensor([1.0, -2.5]), "Tensor([ 1. , -2.5])"),
        (Tensor([True, False]), "Tensor([ True, False], dtype=bool)"),
        (Tensor([1.0], requires_grad=True), "Tensor([1.], requires_grad=True)"),
        (Tensor([1.0], name="w"), "Tensor([1.], name='w')"),
        (double_leaf([1.0]) * 2, "Tensor([2.], dtype=float64, from np.multiply)"),
        (double_leaf([1.0])[0], "Tensor(1., dtype=float64, from getitem)"),
        (
            mg.Parameter([[1.0, 2.0], [3.0, 4.0]]),
            "Parameter([[1., 2.],\n           [3., 4.]], requires_grad=True)",
        ),
    ],
)
def test_repr(x, text):
    assert repr(x) == str(x) == f"{x}" == text


def test_a_large_tensor_is_shortened():
    text = repr(Tensor(np.arange(10_000.0).reshape(100, 100)))
    assert text.count("\n") < 15
    assert text.endswith("9.999e+03]], shape=(100, 100), dtype=float64)")


def test_an_array_that_is_still_to_be_computed_is_not_computed_to_be_shown():
    da = pytest.importorskip("dask.array")

    def forbidden(block):
        raise AssertionError("computed")

    x = Tensor(da.ones(4, chunks=2).map_blocks(forbidden, dtype=float, meta=np.ones(0)))
    assert repr(x).startswith("Tensor(dask.array<")


def test_formats_are_those_of_the_number():
    assert f"{double_leaf(2.5):.3f} {Tensor([[3]]):04d} {Tensor(0.5):.0%}" == "2.500 0003 50%"
    with pytest.raises(errors.ShapeError, match=r"the format '.2f' needs one element.*\(3,\)"):
        f"{Tensor([1.0, 2.0, 3.0]):.2f}"


# --- as a key, in comparisons, and copied ---------------------------------------------------------


def test_comparisons_are_arrays():
    x = double_leaf([1.0, 2.0, 3.0])
    for f in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        for other in (2, 2.0, np.float64(2), np.full(3, 2.0), [2, 2, 2], Tensor(2), x * 0 + 2):
            for found, expected in (
                (f(x, other), f(x.data, np.asarray(other, float) if not isinstance(other, Tensor)
                                else other.data)),
                (f(2.5, x), f(2.5, x.data)),
                (f(np.full(3, 2.0), x), f(np.full(3, 2.0), x.data)),
                (f([2, 2, 2], x), f(np.full(3, 2.0), x.data)),
            ):  # fmt: skip
                assert type(found) is np.ndarray
                assert found.dtype == bool
                np.testing.assert_array_equal(found, expected)


def test_a_tensor_hashes_by_identity():
    x, y = double_leaf([1.0]), double_leaf([1.0])
    assert {x: "x", y: "y"}[x] == "x"
    assert len({x, y, x}) == 2
    assert hash(x) == hash(x)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_of_a_leaf_have_arrays_of_their_own(duplicate):
    x = mg.Parameter([1.0, 2.0], name="w")
    np.sum(x * x).backward()
    twin = duplicate(x)
    assert type(twin) is mg.Parameter
    assert (twin.name, twin.requires_grad, twin.is_leaf, twin.dtype) == ("w", True, True, F32)
    assert twin._node.number > x._node.number  # it was made later
    np.testing.assert_array_equal(twin.grad.data, [2, 4])
    mg.optim.SGD([twin], lr=1.0).step()  # in place
    np.testing.assert_array_equal(twin.data, [-1, -2])
    twin.grad.copy_([0.0, 0.0])
    np.testing.assert_array_equal(x.data, [1, 2])
    np.testing.assert_array_equal(x.grad.data, [2, 4])
    np.sum(twin).backward()
    np.testing.assert_array_equal(x.grad.data, [2, 4])
    np.testing.assert_array_equal(twin.grad.data, [1, 1])


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_of_a_result_stand_at_its_place_in_the_graph(duplicate):
    x = double_leaf([1.0, 2.0])
    y = x * 3
    np.sum(duplicate(y) * y).backward()
    np.testing.assert_array_equal(x.grad.data, [18, 36])


def test_a_tensor_that_occurs_twice_is_copied_once():
    x = double_leaf([1.0])
    a, b = copy.deepcopy([x, x])
    assert a is b
    assert a is not x


def test_copying_the_end_of_a_long_chain_does_not_recurse():
    y = double_leaf(1.0)
    for _ in range(5000):
        y = y + 1
    assert copy.deepcopy(y).item() == y.item()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_of_leaves(protocol):
    for x in (
        double_leaf([[1.0, 2.0]], name="w"),
        Tensor(3),
        mg.Parameter([1.0]),
        Tensor([1.0]) * 2,
        Tensor(np.asfortranarray(np.ones((2, 3)))),
    ):
        y = pickle.loads(pickle.dumps(x, protocol))
        assert type(y) is type(x)
        assert (y.name, y.requires_grad, y.dtype, y.is_leaf) == (
            x.name, x.requires_grad, x.dtype, True,
        )  # fmt: skip
        np.testing.assert_array_equal(y.data, x.data)
        y.copy_(y.data + 1)
        if y.requires_grad:
            np.sum(y * y).backward()
            mg.optim.SGD([y], lr=0.5).step()
            np.testing.assert_array_equal(y.data, 0 * x.data)


def test_results_in_a_graph_are_not_pickled():
    with pytest.raises(errors.GraphError, match=r"detach\(\)"):
        pickle.dumps(double_leaf([1.0]) * 2)


# --- operators ------------------------------------------------------------------------------------


class Foreign:
    """An array that NumPy can read, but of which it makes one of the same kind, as of PyTorch's."""

    __array_priority__ = 1000

    def __init__(self, values):
        self.data = np.array(values, np.float32)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.data, dtype, copy=copy)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return Foreign(array)


BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow,
]  # fmt: skip
OTHERS = {
    "int": 2,
    "float": 2.5,
    "bool": True,
    "numpy float64": np.float64(2.5),
    "numpy float32": np.float32(2.5),
    "numpy int": np.int64(2),
    "0-d array": np.array(2.5),
    "array": np.array([1.5, 2.5, 3.5]),
    "float32 array": np.array([1.5, 2.5, 3.5], np.float32),
    "column": np.array([[1.5], [2.5]]),
    "list": [1.5, 2.5, 3.5],
    "list of ints": [1, 2, 3],
    "tuple": (1.5, 2.5, 3.5),
    "another sequence": collections.deque([1.5, 2.5, 3.5]),
    "an array of another library": Foreign([1.5, 2.5, 3.5]),
    "tensor": Tensor([1.5, 2.5, 3.5]),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("f", BINARY, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_operators_take_numbers_arrays_and_lists_on_both_sides(f, name, dtype):
    """The result and its dtype are NumPy's, where a list of floats is one of the default dtype."""
    other = OTHERS[name]
    there = other.data if isinstance(other, (Tensor, Foreign)) else other
    if isinstance(other, Sequence):
        there = np.array(other, np.float32 if isinstance(other[0], float) else np.int64)
    x = leaf([1.0, 2.0, 3.0], dtype=dtype)
    of = np.power if f is operator.pow else f  # NumPy 2.0's own ** forgets the dtype of np.int64(2)
    for found, expected in ((f(x, other), of(x.data, there)), (f(other, x), of(there, x.data))):
        assert type(found) is Tensor
        assert found.requires_grad
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.data, expected)
        np.sum(found).backward()
        assert x.grad.dtype == dtype
        assert x.grad.shape == (3,)


@pytest.mark.parametrize("b", [np.ones((3, 2)), np.ones(3), np.ones((4, 3, 2)), np.ones((3, 3))])
def test_matrix_products_with_arrays_on_both_sides(b):
    x = double_leaf(np.arange(9.0).reshape(3, 3))
    np.testing.assert_array_equal((x @ b).data, x.data @ b)
    np.testing.assert_array_equal((x @ b.tolist()).data, x.data @ b)
    a = b if b.ndim == 1 else np.swapaxes(b, -1, -2)
    np.testing.assert_array_equal((a @ x).data, a @ x.data)
    np.testing.assert_array_equal((a.tolist() @ x).data, a @ x.data)
    assert (a @ x).requires_grad


def test_tensors_in_a_list_are_stacked_by_operators():
    """Each of them gets the gradient of its own place, however the list is broadcast."""
    a, b, c = double_leaf(1.0), double_leaf(2.0), double_leaf(3.0)
    weights = np.arange(9.0).reshape(3, 3)
    y = Tensor(weights) * [a, b, c]
    np.testing.assert_array_equal(y.data, weights * [1, 2, 3])
    np.sum(y).backward()
    assert [t.grad.item() for t in (a, b, c)] == [9, 12, 15]

    y = [[a], [b], [2.0]] * Tensor(weights)
    np.testing.assert_array_equal(y.data, weights * [[1], [2], [2]])
    np.sum(y).backward()
    assert [t.grad.item() for t in (a, b)] == [9 + 3, 12 + 12]


def test_numbers_in_lists_become_the_default_dtype_everywhere():
    x = Tensor([1.0, 2.0])
    for y in (
        np.stack([x[0], 2.5]),
        np.kron(x, [1.0, 2.0]),
        np.concatenate([x, [3.5]]),
        np.concatenate(collections.deque([x, [3.5]])),
        x * [1, 2.5],
    ):
        assert y.dtype == F32


@pytest.mark.parametrize(
    "f",
    [lambda x: x * [0.1, 0.3], lambda x: [0.1, 0.3] @ x, lambda x: np.stack([x[0], 0.1]),
     lambda x: np.block([x, 0.1]), lambda x: np.quantile(x, [0.1, 0.3]),
     lambda x: np.percentile(x, q=[10.1, 30]), lambda x: np.average([0.1, 0.3], weights=x)],
)  # fmt: skip
def test_numbers_in_lists_are_not_rounded_beside_float64(f):
    x = double_leaf([0.7, 0.9])
    np.testing.assert_allclose(f(x).data, f(x.data.copy()), rtol=1e-15)


def test_tensors_in_a_list_where_no_rule_hands_out_parts():
    """The bounds of np.clip, for one: the gradient is one array, and no part of it is theirs."""
    x, a, b = double_leaf([[1.0, 2.0], [3.0, 4.0]]), double_leaf(2.0), double_leaf(2.0)
    with pytest.raises(
        errors.UnsupportedError,
        match=r"clamp takes no list of tensors: join them with np\.stack",
    ):
        np.sum(np.clip(x, [a, b], None)).backward()


@pytest.mark.parametrize(
    "use",
    [
        Tensor, lambda a: Tensor([a]), lambda a: leaf(np.eye(2)) * a, lambda a: leaf(np.eye(2)) @ a,
        lambda a: np.maximum(a, leaf(np.eye(2))), lambda a: np.clip(leaf(np.eye(2)), a, None),
        lambda a: np.add(leaf(np.eye(2)), [a, a]), lambda a: np.concatenate([leaf(np.eye(2)), a]),
        lambda a: np.stack([a, leaf(np.eye(2))]), lambda a: np.block([[leaf(np.eye(2)), a]]),
    ],
)  # fmt: skip
def test_matrices_and_masked_arrays_are_refused(use):
    """np.matrix overrides `*`: the rules would multiply by it as a matrix. A mask would be lost."""
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    for exotic in (matrix, np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], np.eye(2) == 1)):
        with pytest.raises(errors.DTypeError, match=r"no hidden elements, and is no np\.matrix"):
            use(exotic)


def test_operators_of_one_argument():
    x = double_leaf([1.5, -2.0])
    np.testing.assert_array_equal((-x).data, [-1.5, 2])
    assert +x is x
    np.testing.assert_array_equal(abs(x).data, [1.5, 2])
    np.testing.assert_array_equal(~Tensor([True, False]), [False, True])
    np.testing.assert_array_equal(Tensor([6, 5]) & 3, [2, 1])
    np.testing.assert_array_equal(3 | Tensor([4, 5]), [7, 7])
    np.testing.assert_array_equal(Tensor([True, False]) ^ Tensor([True, True]), [False, True])


def test_in_place_operators_rebind_the_name():
    before = double_leaf([1.0, 2.0])
    x = before + 0
    for f in (operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow):
        x = f(x, 2)
    x @= np.ones((2, 1))
    assert x is not before
    np.testing.assert_array_equal(before.data, [1, 2])
    np.sum(x).backward()
    np.testing.assert_allclose(before.grad.data, 2 * np.array([1.0, 2.0]))  # ((x + 2 - 2) 2 / 2)^2


@pytest.mark.parametrize("other", [None, "a", object(), {}])
def test_what_cannot_be_added(other):
    with pytest.raises(errors.DTypeError, match=r"np\.add cannot take"):
        double_leaf([1.0, 2.0]) + other


@pytest.mark.parametrize(
    ("shape", "other", "says"),
    [
        (
            (2, 3),
            np.ones((4, 5)),
            r"row of the first has 3 numbers, and each column of the second 4",
        ),
        ((3,), np.ones(4), "row of the first has 3 numbers, and each column of the second 4"),
        ((2, 3), 3, r"takes no single number: multiply by one with \*"),
        ((), np.ones((2, 2)), r"takes no single number: multiply by one with \*"),
    ],
)
def test_a_product_of_matrices_that_do_not_fit_says_what_is_wrong(shape, other, says):
    with pytest.raises(errors.ShapeError, match=says):
        double_leaf(np.ones(shape)) @ other


# --- leaves and gradients -------------------------------------------------------------------------


def test_requires_grad_is_set_on_leaves_and_follows_elsewhere():
    x, c = double_leaf([1.0]), Tensor([1.0])
    y = x * c
    assert (x.requires_grad, c.requires_grad, y.requires_grad) == (True, False, True)
    assert (x.is_leaf, c.is_leaf, y.is_leaf, (c * 2).is_leaf) == (True, True, False, True)
    assert c.requires_grad_() is c
    assert c.requires_grad
    c.requires_grad = False
    assert not (c * 2).requires_grad
    y.requires_grad = True  # it does already
    with pytest.raises(errors.GraphError, match=r"the result of np\.multiply.*detach\(\)"):
        y.requires_grad = False
    for value in (3, [1, 2], [True]):
        with pytest.raises(errors.DTypeError, match="only floating tensors"):
            Tensor(value).requires_grad_()
        with pytest.raises(errors.DTypeError, match="only floating tensors"):
            Tensor(value, requires_grad=True)


def test_a_view_of_a_leaf_is_a_result():
    x = double_leaf([[1.0, 2.0], [3.0, 4.0]])
    for view in (x[0], x.T, x.reshape(-1), x[:]):
        assert not view.is_leaf
        assert view.requires_grad
        with pytest.raises(errors.GraphError, match="only a leaf can be given new values"):
            view.copy_(np.zeros(view.shape))


def test_detach_is_a_leaf_that_requires_nothing():
    x = double_leaf([1.0, 2.0])
    for y in (x, x * 2):
        d = y.detach()
        assert (d.requires_grad, d.is_leaf, d.grad) == (False, True, None)
        np.testing.assert_array_equal(d.data, y.data)
        assert not (d * 3).requires_grad


def test_a_gradient_that_is_set_takes_the_dtype_of_the_tensor():
    x = leaf([1.0, 2.0], dtype=np.float32)
    for given in ([1, 2], [1.0, 2.0], np.array([1.0, 2.0]), Tensor(np.array([1.0, 2.0])), (1, 2)):
        x.grad = given
        assert type(x.grad) is Tensor
        assert x.grad.dtype == F32
        np.testing.assert_array_equal(x.grad.data, [1, 2])
    array = np.array([1, 2], np.float32)
    x.grad = array
    array[0] = 5
    assert x.grad.data[0] == 1
    x.grad = None
    assert x.grad is None
    for given in (np.ones(3), 1.0, [[1.0, 2.0]]):
        with pytest.raises(errors.ShapeError, match=r"does not fit a tensor of \(2,\)"):
            x.grad = given
    assert x.grad is None


def test_retained_gradients_add_up_as_those_of_leaves_do():
    torch = pytest.importorskip("torch")
    x, t = (
        double_leaf([1.0, 2.0]),
        torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True),
    )
    y, u = x * x, t * t
    assert y.retain_grad() is y
    u.retain_grad()
    assert y.grad is None
    for loss in (np.sum(y * y), (u * u).sum()):
        loss.backward(retain_graph=True)
        loss.backward()
    np.testing.assert_array_equal(y.grad.data, u.grad.numpy())
    np.testing.assert_array_equal(x.grad.data, t.grad.numpy())
    y.grad = None
    assert y.grad is None
    assert x.retain_grad() is x
    with pytest.raises(errors.GraphError, match="none to keep"):
        Tensor([1.0]).retain_grad()


def test_astype_converts_and_the_gradient_comes_back():
    x = leaf([1.5, 2.5], dtype=np.float32)
    y = x.astype(np.float64)
    assert y.dtype == F64
    (y * np.array([0.1, 0.2])).sum().backward()
    assert x.grad.dtype == F32
    np.testing.assert_array_equal(x.grad.data, np.array([0.1, 0.2], np.float32))
    whole = x.astype(int)
    assert (whole.dtype, whole.requires_grad) == (I64, False)
    np.testing.assert_array_equal(whole.data, [1, 2])
    assert Tensor([1, 2]).astype("float32").dtype == F32
    assert not np.shares_memory(Tensor([1, 2]).astype(int).data, x.data)


def test_new_values_for_a_leaf():
    x = leaf([1.0, 2.0], dtype=np.float32)
    seen = x.data
    for given in ([3, 4], np.array([3.0, 4.0]), Tensor([3.0, 4.0]), double_leaf([3.0, 4.0]) * 1):
        x.copy_([0.0, 0.0])
        assert x.copy_(given) is x
        assert x.dtype == F32
        assert x.requires_grad
        np.testing.assert_array_equal(x.data, [3, 4])
    np.testing.assert_array_equal(seen, [1, 2])
    for given, error in (([1.0], errors.ShapeError), (["a", "b"], errors.DTypeError)):
        with pytest.raises(error):
            x.copy_(given)
    np.testing.assert_array_equal(x.data, [3, 4])


# --- modes ----------------------------------------------------------------------------------------


def tied():
    return (double_leaf([1.0]) * 2).requires_grad


def test_no_grad_and_enable_grad_nest_and_end_with_their_block():
    assert tied()
    with mg.no_grad():
        assert not tied()
        with mg.enable_grad():
            assert tied()
            with mg.no_grad():
                assert not tied()
            assert tied()
        assert not tied()
        with pytest.raises(ZeroDivisionError), mg.enable_grad():
            1 / 0
        assert not tied()
    assert tied()


def test_modes_as_decorators():
    @mg.no_grad()
    def without(n):
        assert not tied()
        return n if n == 0 else without(n - 1)

    @mg.no_grad()
    def failing():
        raise ZeroDivisionError

    @mg.enable_grad()
    def within():
        return tied()

    assert without(3) == 0
    assert tied()
    with pytest.raises(ZeroDivisionError):
        failing()
    assert tied()
    with mg.no_grad():
        assert within()
        assert not tied()


def test_leaves_made_without_grad_may_require_one():
    with mg.no_grad():
        x = double_leaf([1.0])
    assert x.requires_grad
    assert (x * 2).requires_grad


@pytest.mark.parametrize("watch", [mg.record, mg.detect_anomaly])
@pytest.mark.parametrize("f", [np.common_type, np.result_type, np.shape, np.array_str, np.any])
def test_what_is_no_tensor_is_what_it_was_while_something_watches(f, watch):
    with watch():
        assert f(double_leaf([1.0, 2.0])) == f(np.array([1.0, 2.0]))


def test_modes_of_one_thread_are_not_those_of_another():
    inside, checked, found = threading.Event(), threading.Event(), {}

    def other():
        with mg.no_grad(), mg.record():
            inside.set()
            found["waited"] = checked.wait(SECONDS)
            found["other"] = tied()
        found["after"] = tied()

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(SECONDS)
    here = double_leaf([1.0]) * 2
    assert here.requires_grad
    assert here._node.note is None
    with mg.no_grad():  # and the other way round
        checked.set()
        thread.join(SECONDS)
        assert found == {"waited": True, "other": False, "after": True}
        assert not tied()
    assert tied()


def test_backward_in_several_threads_at_once():
    """Each has a graph of its own; what they share is only read."""
    shared = double_leaf(np.arange(1.0, 5.0))
    shared.requires_grad = False
    found = {}

    def work(n):
        x = double_leaf(np.full(4, float(n)))
        for _ in range(50):
            x.grad = None
            np.sum(np.exp(x * 0.1) * shared).backward()
        found[n] = x.grad.data

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    for n in range(4):
        np.testing.assert_allclose(found[n], 0.1 * np.exp(0.1 * n) * np.arange(1.0, 5.0))
