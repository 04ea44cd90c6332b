"""Run again with other numbers, a function shows which of its constants are made of its inputs."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors
from minigrad.ran.proof import differing, prove
from minigrad.ran.recording import as_arguments

TABLE = mg.Tensor(np.arange(12.0).reshape(6, 2), requires_grad=True, name="table")
CAUSAL = np.tri(3, dtype=bool)


def anew(array):
    """The same numbers, after Python has had them."""
    return np.array(array.tolist())


def attended(ids):
    """Masks, an index, a weight and a count, all made by Python; and positions, which are not."""
    mask = anew((ids != 0)[None] & CAUSAL)
    x = TABLE[ids] + np.arange(6.0).reshape(3, 2)
    scores = np.where(mask, x @ x.T, -1e9)
    last = anew(np.where(ids == 0, 0, 1)[:, None])
    picked = np.take_along_axis(scores, last, axis=1)
    return np.sum(picked * anew((ids > 2)[:, None].astype(float))) / int((ids != 0).sum())


def made(function, *inputs):
    proof = prove(function, inputs)
    graph = mg.graph(proof.loss)
    names = lambda n: graph[n].label or graph[n].operation or str(graph[n].value.dtype)
    return {names(n): [names(i) for i in of] for n, of in proof.made_of.items()}, proof, graph


def test_what_python_makes_of_ids_is_found_and_what_it_does_not_is_not():
    ids = np.array([3, 1, 2])
    found, proof, graph = made(attended, ids)
    assert {*found} == {"mask", "last", "float64", "np.divide"}
    assert all(of == ["ids"] for of in found.values())
    constants = [n for n in graph.nodes if n.kind == "data" and n.number not in proof.made_of]
    assert {n.shape for n in constants} == {(3,), (3, 2), (3, 1)}  # ids, positions, numbers of rows
    assert proof.paths == ()
    assert ids.tolist() == [3, 1, 2]


def test_the_result_is_that_of_the_inputs_and_nothing_is_left_behind():
    ids = np.array([3, 1, 2])
    with mg.record():
        wanted = attended(ids)
    proof = prove(attended, [ids])
    assert proof.loss.item() == wanted.item()
    assert TABLE.grad is None


@pytest.mark.parametrize(
    ("dtype", "threshold"), [(np.float64, 0.0), (np.float32, 1.0), (np.int64, 1), (bool, 0)]
)
def test_inputs_of_every_kind(dtype, threshold):
    w = mg.Tensor([1.0, 2.0], requires_grad=True)
    x = np.array([1, 0]).astype(dtype)
    found, _, _ = made(lambda x: np.sum(np.where(anew(x > threshold), w * x, 0)), x)
    assert len(found) == 1


def test_the_largest_number_of_its_dtype_is_an_input():
    w = mg.Tensor([1.0, 2.0], requires_grad=True)
    x = np.array([255, 0], np.uint8)
    found, _, _ = made(lambda x: np.sum(np.where(anew(x > 254), w * x, 0)), x)
    assert len(found) == 1


def test_tensors_are_inputs_and_what_their_operations_make_is_followed():
    x = mg.Tensor([1.0, -2.0], requires_grad=True, name="x")

    def loss(x):
        largest = float(np.max(np.absolute(x)).detach())
        return np.sum(np.where(x > 0, x, 0.1 * x) / largest)

    found, _, _ = made(loss, x)
    assert found == {"np.divide": ["x"]}


@pytest.mark.parametrize("turned", [False, True])
def test_what_is_made_of_no_input_is_not_marked_whatever_was_created_first(turned):
    """Runs are compared node by node, in the order of creation: that of an input stays."""
    x, w, y = (mg.Tensor([1.0, k, 3.0], requires_grad=True, name="xwy"[k]) for k in range(3))
    inputs = [y, x] if turned else [x, y]
    found, proof, _ = made(lambda a, b: np.sum(a * w + b * np.exp(w)), *inputs)
    assert found == {}
    assert proof.paths == ()


@pytest.mark.parametrize(
    ("array", "mask"),
    [
        (np.array([1.0, np.nan]), lambda x: np.isnan(x)),
        (np.array([1.0, 2.0]), lambda x: np.isnan(x)),
        (np.array([1.0, 2.0]), lambda x: x > 400),
        (np.array([3, 12, 0, 7]), lambda x: x == 5),
        (np.array([3]), lambda x: x == 2),
    ],
)
def test_a_mask_that_few_numbers_change_is_found(array, mask):
    w = mg.Tensor(np.ones(array.shape), requires_grad=True)
    found, *_ = made(lambda x: np.sum(np.where(anew(mask(x)), w * x, w)), array)
    assert len(found) == 1


def test_what_no_run_has_changed_may_be_made_of_what_was_read():
    x = mg.Tensor([1.0, 2.0], requires_grad=True, name="x")
    y = mg.Tensor([1.0, 2.0], requires_grad=True, name="y")
    never = lambda x, y: np.sum(np.where(anew(x > 1e9) & anew(y > 1.5), x, y) * np.arange(2.0))
    found, proof, _ = made(never, x, y)
    assert [*found.values()] == [["x"]] * 2  # the mask, and what came up after it; y was varied
    assert proof.proven == ()


def test_random_numbers_are_made_of_no_input():
    mg.manual_seed(3)
    own = np.random.default_rng(0)
    w = mg.Tensor(np.ones(4), requires_grad=True)

    def loss(x):
        if x[0] < 0:
            raise ValueError("before anything was drawn")
        return np.sum(mg.functional.dropout(w * x, 0.5) + own.standard_normal(4))

    found, _, _ = made(loss, np.ones(4))
    assert found == {}
    after = mg.random.generator().random()
    mg.manual_seed(3)
    mg.functional.dropout(w, 0.5)
    assert after == mg.random.generator().random()


def test_other_operations_for_other_numbers_are_seen():
    w = mg.Tensor([1.0, 2.0], requires_grad=True, name="w")
    _, proof, graph = made(lambda x: np.sum(w * x) if x[0] > 0 else np.sum(w), np.array([1.0, 2.0]))
    (x,) = proof.paths
    assert graph[x].value.tolist() == [1, 2]
    assert graph.roots[0] in proof.made_of


def test_what_numpy_makes_of_the_inputs_is_no_constant():
    ids = np.array([3, 1, 2])
    found, proof, graph = made(lambda ids: np.sum(np.where(ids[:, None] > 1, TABLE[ids], 0)), ids)
    assert found == {}
    assert proof.proven == proof.absent == ()
    origins = {n.label: n.origin for n in graph.nodes if n.kind != "operation"}
    assert origins == {"ids": "argument", "table": "outside"}


def test_a_second_recording_names_the_line_of_each_constant_that_differs():
    w = mg.Tensor([1.0, 2.0, 3.0], requires_grad=True)

    def recorded(ids):
        with mg.record():
            (ids,) = as_arguments([ids])
            y = w * np.exp(np.arange(3.0)) * (ids > 1)
            y = mg.functional.dropout(y, 0.5)
            loss = np.sum(y * anew(ids * 2.0)) / len(set(ids.tolist()))
        return mg.graph(loss)

    graph = recorded(np.array([1, 2, 3]))
    found, same_path = differing(graph, recorded(np.array([2, 2, 1])))
    assert same_path
    assert [graph.line_of(n).text for n in found] == [
        "loss = np.sum(y * anew(ids * 2.0)) / len(set(ids.tolist()))"
    ] * 2


def test_elements_of_a_list_in_another_order_are_another_path():
    x, y = (mg.Tensor([n], requires_grad=True) for n in (1.0, 2.0))

    def recorded(exchanged):
        with mg.record():
            a, b = np.exp(x), np.exp(y)
            return mg.graph(np.sum(np.stack([b, a] if exchanged else [a, b])[0]))

    assert differing(recorded(False), recorded(False)) == ([], True)
    assert not differing(recorded(False), recorded(True))[1]


def test_numbers_that_the_function_refuses_show_nothing():
    def loss(ids):
        if 0 in ids:
            raise ValueError("no padding")
        return np.sum(TABLE[ids])

    assert made(loss, np.array([1, 2]))[0] == {}


def test_a_function_that_gives_no_tensor_is_refused():
    with pytest.raises(errors.DTypeError, match="gives a str"):
        prove(lambda: "nothing", [])
