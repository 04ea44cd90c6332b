"""Run again with other numbers, a function shows which of its constants are made of its inputs."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors
from minigrad.views.explorer.proof import prove

TABLE = mg.Tensor(np.arange(12.0).reshape(6, 2), requires_grad=True, name="table")
CAUSAL = np.tri(3, dtype=bool)


def attended(ids):
    """Masks, an index, a weight and a count, all made by NumPy; and a table of positions that is not."""
    mask = (ids != 0)[None] & CAUSAL
    x = TABLE[ids] + np.arange(6.0).reshape(3, 2)
    scores = np.where(mask, x @ x.T, -1e9)
    last = np.where(ids == 0, 0, 1)[:, None]
    picked = np.take_along_axis(scores, last, axis=1)
    return np.sum(picked * (ids > 2)[:, None].astype(float)) / int((ids != 0).sum())


def made(function, *inputs):
    proof = prove(function, inputs)
    graph = mg.graph(proof.loss)
    names = lambda n: graph[n].label or graph[n].operation or str(graph[n].value.dtype)
    return {names(n): [names(i) for i in of] for n, of in proof.made_of.items()}, proof, graph


def test_what_numpy_makes_of_ids_is_found_and_what_it_does_not_is_not():
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
    found, _, _ = made(lambda x: np.sum(np.where(x > threshold, w * x, 0)), x)
    assert len(found) == 1


def test_the_largest_number_of_its_dtype_is_an_input():
    w = mg.Tensor([1.0, 2.0], requires_grad=True)
    x = np.array([255, 0], np.uint8)
    found, _, _ = made(lambda x: np.sum(np.where(x > 254, w * x, 0)), x)
    assert len(found) == 1


def test_tensors_are_inputs_and_what_their_operations_make_is_followed():
    x = mg.Tensor([1.0, -2.0], requires_grad=True, name="x")

    def loss(x):
        largest = float(np.max(np.absolute(x)).detach())
        return np.sum(np.where(x > 0, x, 0.1 * x) / largest)

    found, _, _ = made(loss, x)
    assert found == {"np.divide": ["x"]}


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


def test_numbers_that_the_function_refuses_show_nothing():
    def loss(ids):
        if 0 in ids:
            raise ValueError("no padding")
        return np.sum(TABLE[ids])

    assert made(loss, np.array([1, 2]))[0] == {}


def test_a_function_that_gives_no_tensor_is_refused():
    with pytest.raises(errors.DTypeError, match="gives a str"):
        prove(lambda: "nothing", [])
