"""Plain arrays that a recording follows: they are as NumPy's own, and what is made of them is a node."""

import copy
import io
import operator
import pickle
import threading
from numbers import Real

import numpy as np
import pytest
from leaves import leaf

import minigrad as mg
from minigrad.engine.followed import Followed
from minigrad.ran.recording import as_arguments

MASK = np.array([[True, False, True], [True, True, False]])
IDS = np.array([[3, 0, 2], [1, 5, 0]])
FLOATS = np.array([[0.5, -1.5, 2.0], [np.nan, 0.0, 3.0]])
EMPTY = np.zeros((0, 3))
STRIDED = np.arange(24).reshape(4, 6)[::-2, ::3]
ARRAYS = {"mask": MASK, "ids": IDS, "floats": FLOATS, "empty": EMPTY, "strided": STRIDED}

CALLS = {
    "and": lambda a: (a > 0) & (a < 3),
    "or": lambda a: (a > 0) | (a < 3),
    "xor": lambda a: (a > 0) ^ True,
    "not": lambda a: ~(a > 1),
    "new axis": lambda a: (a != 0)[..., None, :],
    "rows": lambda a: a[1:],
    "a mask of itself": lambda a: a[a > 0],
    "places": lambda a: a[:, [0, -1]],
    "count": lambda a: np.sum(a != 0),
    "count along": lambda a: np.sum(a != 0, axis=-1, keepdims=True),
    "method": lambda a: (a > 0).sum(axis=0),
    "mean": lambda a: (a > 0).mean(axis=0) if a.size else a,
    "any, all": lambda a: (a > 0).any() | (a > 0).all(axis=0),
    "nonzero": lambda a: np.count_nonzero(a) + 1,
    "search": lambda a: np.searchsorted([0, 1, 2], a),
    "search, method": lambda a: np.sort(a, axis=None).searchsorted(1),
    "where": lambda a: np.where(a > 1, a, -a) if a.dtype != bool else a,
    "order": lambda a: np.argsort(a, axis=-1),
    "sum of others": lambda a: np.add(a, 1).cumsum(),
    "reduce": lambda a: np.logical_or.reduce(a > 0, axis=0),
    "outer": lambda a: np.equal.outer(a, a),
    "transposed": lambda a: a.T,
    "moved": lambda a: a.reshape(-1).reshape(1, -1).swapaxes(0, 1),
    "flat copy": lambda a: a.flatten(),
    "copy": lambda a: a.T.copy(),
    "type": lambda a: a.astype(np.float32),
    "joined": lambda a: np.concatenate([a, a > 0]),
    "in place": lambda a: operator.iadd(a + 1, 1),
    "number in place": lambda a: operator.iadd(np.sum(a), 1),
    "divided": lambda a: np.sum(a) / 3,
    "power": lambda a: np.sum(a > 0) ** 2,
    "clip": lambda a: a.clip(0, 1),
    "given by name": lambda a: np.take(a=a.ravel(), indices=np.flatnonzero(a > 0)),
    "list": lambda a: np.array(a.tolist(), a.dtype),
    "loop": lambda a: np.array([row.sum() for row in a]),
    "truth": lambda a: np.array(bool(np.all(a == a)) + int(np.sum(a > 0))),
    "index": lambda a: np.arange(5)[np.sum(a > 0) % 5],
    "in a list": lambda a: np.stack([np.sum(a > 0), np.sum(a)]),
    "view": lambda a: a.view(),
    "bytes": lambda a: np.frombuffer((a > 0).tobytes(), np.uint8),
    "split": lambda a: np.split(a, [1], axis=1)[1],
    "grid": lambda a: np.meshgrid(a.ravel(), [1.0, 2.0])[0],
    "two results": lambda a: np.divmod(np.sum(a > 0), 2)[0],
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("call", CALLS)
def test_numbers_dtypes_and_strides_are_those_of_numpy(name, call):
    plain = CALLS[call](ARRAYS[name].copy(order="K"))
    with mg.record():
        (a,) = as_arguments([ARRAYS[name].copy(order="K")])
        seen = CALLS[call](a)
    seen = np.asarray(seen)
    plain = np.asarray(plain)
    assert (seen.dtype, seen.shape) == (plain.dtype, plain.shape)
    assert seen.strides == plain.strides or not seen.size
    np.testing.assert_array_equal(seen, plain)


def operations(y):
    return [n.operation for n in mg.graph(y).nodes if n.kind == "operation"]


def test_what_numpy_makes_of_a_comparison_is_in_the_graph():
    x, y = leaf([1.0, -2.0, 3.0]), leaf([2.0, 1.0, -1.0])
    with mg.record():
        mask = (x > 0) & ~(y > 0)
        loss = np.sum(np.where(mask[None], x, y)) * np.sum(mask)
    assert operations(loss) == [
        "np.greater", "np.greater", "np.invert", "np.bitwise_and", "getitem", "np.where", "np.sum",
        "np.sum", "np.multiply",
    ]  # fmt: skip


def test_a_plain_view_of_it_is_the_same_node():
    x = leaf([1.0, -2.0])
    with mg.record():
        loss = np.sum(np.where(np.asarray(x > 0), x, 0))
    assert [n.kind for n in mg.graph(loss).nodes if n.dtype == bool] == ["operation"]


@pytest.mark.parametrize(("dtype", "made"), [(None, []), (np.float32, ["astype"])])
def test_a_tensor_of_it_has_its_numbers(dtype, made):
    x = leaf([1.0, -2.0])
    with mg.record():
        mask = mg.Tensor(x > 0, dtype=dtype)
        loss = np.sum(x * mask)
    assert operations(loss) == ["np.greater", *made, "np.multiply", "np.sum"]
    mask.copy_([1, 1])  # it is a leaf all the same
    mask = mg.Tensor(mask, dtype=np.float64)
    mask.requires_grad = True
    np.sum(mask * 2).backward()
    assert mask.grad.tolist() == [2, 2]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: mg.Tensor(x > 0, name="m"),
        lambda x: mg.Tensor(x > 0).requires_grad_(False),
        lambda x: mg.Tensor((x > 0).astype(np.float32), name="m"),
    ],
)
def test_neither_a_name_nor_a_node_of_its_own_hides_where_it_comes_from(make):
    @mg.compile
    def step(x):
        return np.sum(x * make(x))

    for numbers in ([1.0, -2.0], [-3.0, 4.0], [5.0, 6.0], [-7.0, -8.0]):
        x = leaf(numbers)
        step(x).backward()
        assert x.grad.tolist() == [float(n > 0) for n in numbers]
    with mg.record():
        loss = np.sum(x * make(x))
    assert operations(loss)[0] == "np.greater"


def test_a_drawing_shows_the_name_of_a_tensor_of_it():
    x = leaf([1.0, -2.0])
    with mg.record():
        loss = np.sum(x * mg.Tensor(x > 0, name="m"))
    assert [n.name for n in mg.graph(loss).nodes if n.operation == "np.greater"] == ["m"]
    assert not x.name


def test_a_tensor_of_it_that_learns_is_a_leaf():
    with mg.record():
        w = mg.Tensor(leaf([1.0, -2.0]) > 0, dtype=np.float32, requires_grad=True)
        later = mg.Tensor(leaf([1.0, -2.0]) > 0, dtype=np.float32)
        later.requires_grad = True
        loss = np.sum(w * later)
    loss.backward()
    assert w.grad.tolist() == later.grad.tolist() == [1, 0]
    assert [n.kind for n in mg.graph(loss).nodes][:2] == ["input", "input"]


def test_another_layout_of_its_memory_is_not():
    x = mg.Tensor(np.eye(2), requires_grad=True)
    with mg.record():
        loss = np.sum(np.where(np.asarray(x > 0)[::-1], x, 0))
    assert [n.kind for n in mg.graph(loss).nodes if n.dtype == bool] == ["data"]


# --- what writes ----------------------------------------------------------------------------------

WRITES = {
    "element": lambda mask, other: operator.setitem(mask, 0, True),
    "the same again": lambda mask, other: operator.setitem(mask, 0, mask.tolist()[0]),
    "fill": lambda mask, other: mask.fill(True),
    "sort": lambda mask, other: mask.sort(),
    "put": lambda mask, other: np.put(mask, [0], [True]),
    "copyto": lambda mask, other: np.copyto(mask, other),
    "at": lambda mask, other: np.logical_or.at(mask, [0], True),
    "where": lambda mask, other: np.logical_or(mask, other, out=mask, where=other),
    "a view": lambda mask, other: operator.setitem(mask[1:], 0, True),
    "a plain view": lambda mask, other: operator.setitem(np.asarray(mask), 1, ~np.asarray(mask)[1]),
}


@pytest.mark.parametrize("write", WRITES)
def test_what_was_written_to_is_a_leaf_and_may_be_of_what_it_was(write):
    def masked(x):
        mask, other = x > 0, x > 1
        WRITES[write](mask, other)
        return mask, np.sum(np.where(mask, x, 0))

    x = leaf([1.0, -2.0, 3.0])
    plain, _ = masked(x)
    with mg.record():
        mask, loss = masked(x)
    assert np.asarray(mask).tolist() == plain.tolist()
    (node,) = [n for n in mg.graph(loss).nodes if n.dtype == bool]
    assert node.kind == "data"
    assert node.may_be_of == (0,)
    assert node.origin == "made of an argument"


@pytest.mark.parametrize(
    "write",
    [
        lambda mask, other: operator.iand(mask, other),
        lambda mask, other: np.bitwise_and(mask, other, out=mask),
        lambda mask, other: np.bitwise_and(mask, other, mask),
    ],
)
def test_a_ufunc_that_writes_into_an_array_is_followed(write):
    x = leaf([1.0, 2.0, -3.0])
    with mg.record():
        mask, other = x > 0, x > 1
        view = mask[:]
        result = write(mask, other)
        loss = np.sum(np.where(view, x, 0))
    assert result is mask
    assert mask.tolist() == view.tolist() == [False, True, False]
    assert operations(loss) == ["np.greater", "np.greater", "np.bitwise_and", "np.where", "np.sum"]


def test_a_plain_array_that_followed_numbers_are_stored_in():
    x = leaf([1.0, 2.0])
    with mg.record():
        total = np.zeros(2)
        total += x > 1
        counts = np.zeros(2)
        counts[0] = np.sum(x > 0)
        loss = np.sum(x * total * counts)
    graph = mg.graph(loss)
    leaves = [n for n in graph.nodes if n.label == "counts"]
    assert [bool(n.may_be_of) for n in leaves] == [True]
    assert {"np.greater", "np.add"} <= {n.operation for n in graph.nodes}


def test_an_array_keeps_its_integers_when_it_is_divided_in_place():
    with mg.record():
        (ids,) = as_arguments([np.array([1, 2])])
        with pytest.raises(TypeError, match="Cannot cast ufunc 'divide' output"):
            ids /= 2


# --- numbers --------------------------------------------------------------------------------------


def counted():
    with mg.record():
        x = mg.Tensor([1.0, -2.0, 3.0])
        yield np.sum(x > 0)


@pytest.mark.parametrize(
    "use",
    [
        int, float, bool, complex, hash, str, repr, operator.index, range, "{:.2f}".format, np.zeros,
        lambda n: n.item(), lambda n: [1, 2, 3][n], lambda n: {n: 1}[2], lambda n: n in {2, 3},
        lambda n: n == 2, lambda n: n.bit_count(), lambda n: divmod(n, 2), lambda n: round(n),
        lambda n: -n // 2, lambda n: 2 ** n, lambda n: max(n, 1), lambda n: sum([n, n]),
        lambda n: pickle.loads(pickle.dumps(n)), lambda n: copy.deepcopy(n), lambda n: (1, 2) * n,
    ],
)  # fmt: skip
def test_a_count_is_used_like_a_number_of_numpys(use):
    (n,) = counted()
    assert isinstance(n, Followed)
    assert isinstance(n, Real)
    with mg.record():
        np.testing.assert_equal(use(n), use(np.int64(2)))
    np.testing.assert_equal(use(n), use(np.int64(2)))


def test_a_number_does_not_change_in_place():
    (n,) = counted()
    before = n
    n += 1
    assert (before, n) == (2, 3)
    with pytest.raises(TypeError):
        n[()] = 4


@pytest.mark.parametrize(
    "read",
    [
        lambda m: m.any().item(), lambda m: m.tolist(), lambda m: int(m.sum()), lambda m: m.tobytes(),
        lambda m: 1 if m.any() else 2, lambda m: True in m, lambda m: np.nonzero(m),
        lambda m: np.array_equal(m, m), lambda m: m.view(np.uint8), lambda m: range(m.sum()),
        lambda m: f"{float(m.mean())}",
    ],
)  # fmt: skip
def test_what_reads_numbers_names_its_line(read):
    x = leaf([1.0, 2.0, -3.0])
    with mg.record():
        mask = x > 0
        read(mask)
        k = 4.0
        loss = np.sum(x * k)
    lines = [line.text for _, line in mg.graph(loss).taken_out]
    assert lines
    assert all("lambda m: " in line for line in lines)


# --- where it ends --------------------------------------------------------------------------------


def test_after_the_recording_it_is_as_any_array():
    x = leaf([1.0, -2.0])
    with mg.record():
        mask = x > 0
    assert type(mask & mask) is np.ndarray
    assert type(np.sum(mask)) is np.int64
    assert type(mask[0]) is np.bool_
    assert np.where(mask, x, 0).tolist() == [1, 0]
    mask[1] = True
    assert mask.all()
    mask &= np.array([True, False])
    assert mask.tolist() == [True, False]


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_have_memory_of_their_own(how):
    with mg.record():
        mask = leaf([1.0, -2.0]) > 0
        other = how(mask)
        other[0] = False
    assert (mask.tolist(), other.tolist()) == ([True, False], [False, False])


def test_it_is_saved_as_an_array():
    file = io.BytesIO()
    with mg.record():
        np.save(file, leaf([1.0, -2.0]) > 0)
    file.seek(0)
    assert np.load(file).tolist() == [True, False]


def test_another_thread_records_nothing():
    results = []
    with mg.record():
        mask = leaf([1.0, -2.0]) > 0
        thread = threading.Thread(target=lambda: results.append(mask & mask))
        thread.start()
        thread.join()
    assert [type(a) for a in results] == [np.ndarray]


def test_recordings_inside_each_other_and_one_after_the_other():
    x = leaf([1.0, -2.0])
    with mg.record():
        outer = x > 0
        with mg.record():
            loss = np.sum(np.where(~outer, x, 0))
        both = np.sum(np.where(~outer, loss, x))
    with mg.record():
        later = np.sum(np.where(~outer, x, 0))
    assert operations(both)[:2] == ["np.greater", "np.invert"]
    assert operations(later) == ["np.invert", "np.where", "np.sum"]  # its mask is one of before


def test_arguments_are_the_callers_memory_and_known_as_arguments():
    ids, w = np.array([1, 0, 2]), leaf([1.0, 2.0, 3.0])
    with mg.record():
        a, b, n = as_arguments([ids, w, 3])
        loss = np.sum(np.where(a != 0, b, 0)) * n
        a[0] = 7
    assert ids.tolist() == [7, 0, 2]
    assert b is w
    leaves = [n for n in mg.graph(loss).nodes if n.kind != "operation"]
    assert [(n.value.tolist(), n.origin) for n in leaves] == [
        ([1, 2, 3], "argument"), ([1, 0, 2], "argument"),
    ]  # fmt: skip


def test_each_constant_says_where_it_comes_from():
    x = leaf([1.0, 2.0])
    with mg.record():
        table = np.array([0.5, 1.5])
        y = mg.functional.dropout(x * table, 0.5)
        positive = np.array([v > 0 for v in y.tolist()])
        loss = np.sum(np.where(positive, y, 0))
    x, table, mask, positive = (n for n in mg.graph(loss).nodes if n.origin != "computed")
    assert [n.origin for n in (x, table, mask, positive)] == [
        "outside", "outside", "draw", "made of an argument",
    ]  # fmt: skip
    mg.manual_seed(1)
    drawn = mg.functional.dropout(leaf([1.0, 1.0]), 0.5).tolist()
    mg.manual_seed(1)
    assert (2 * mask.draw()).tolist() == drawn
