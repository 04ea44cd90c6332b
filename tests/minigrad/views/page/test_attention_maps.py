"""Attention in a graph is found, with its mask, its keys and its tokens."""

import numpy as np
import pytest
from losses import attention, mlp
from pages import contents, rounded, unpacked, written

import minigrad as mg
from minigrad import functional as F
from minigrad.functional import weighting


def test_attention_is_found_with_its_mask_and_tokens(tmp_path):
    words = ["the", "cat", "sat", "on", "it"]
    page = contents(written(attention(), tmp_path, tokens={"": (words, words[::-1])}))
    (found,) = page["maps"]
    nodes = {n["n"]: n for n in page["nodes"]}
    assert nodes[found["weights"]]["label"] == "weights"
    assert nodes[found["query"]]["label"] == "q"
    mask = page["arrays"][nodes[found["mask"]]["value"]]
    assert np.array_equal(np.reshape(mask["v"], (5, 5)), np.tril(np.ones((5, 5))))
    assert found["tokens"] == [words, words[::-1]]
    q, k = (unpacked(page["arrays"][nodes[found[s]]["value"]]) for s in ("query", "key"))
    assert page["arrays"][nodes[found["query"]]["value"]]["w"] == 8  # kept in full
    scores = np.reshape(q, (5, 4)) @ np.reshape(k, (4, 5))  # the key's node lies on its side
    packed = unpacked(page["arrays"][nodes[found["scores"]]["value"]])
    assert packed == [rounded(v, 5) for v in scores.ravel()]


def seen(scores, mask):
    return np.where(mask, scores, -np.inf)


def filled(scores, mask):
    return F.masked_fill(scores, ~mask, -np.inf)


def filled_with_an_array(scores, mask):
    return np.where(~mask, np.full(scores.shape, -np.inf), scores)


def inverted(scores, mask):
    return np.where(np.logical_not(mg.Tensor(~mask)), scores, -np.inf)


@pytest.mark.parametrize("hide", [seen, filled, filled_with_an_array, inverted])
def test_a_map_knows_what_its_mask_has_where_it_hides_a_key(tmp_path, hide):
    q, k = (mg.Tensor(np.eye(3), requires_grad=True) for _ in range(2))
    mask = np.tri(3, dtype=bool)
    with mg.record():
        loss = np.sum(F.softmax(hide(q @ k.T, mask)) @ k)
    graph = mg.graph(loss)
    (found,) = contents(written(loss, tmp_path))["maps"]
    hidden = graph[found["mask"]].value == found["hides"]
    assert np.array_equal(hidden, ~mask)


def squares(scores, mask):
    """Weights that no softmax gives: squares, divided by their sums."""
    positive = np.where(mask, np.square(scores), 0)
    return positive / np.sum(positive, axis=-1, keepdims=True)


def test_weights_of_any_function_are_found_once_it_says_that_it_gives_them(tmp_path, monkeypatch):
    monkeypatch.setattr(weighting, "NAMES", set(weighting.NAMES))
    function = mg.definition(squares)
    q, k = (mg.Tensor(np.eye(3) + n, requires_grad=True) for n in (1, 2))
    mask = np.tri(3, dtype=bool)

    def maps():
        with mg.record():
            scores = q @ k.T
            weights = function(scores, mask)
            loss = np.sum(weights @ k)
        labels = {n.number: n.label for n in mg.graph(loss).nodes}
        found = contents(written(loss, tmp_path))["maps"]
        return [
            {side: labels[one[side]] for side in ("weights", "scores", "mask")} for one in found
        ]

    assert maps() == []
    weighting.gives_weights(function)
    assert maps() == [{"weights": "weights", "scores": "scores", "mask": "mask"}]


class TwoHeads(mg.nn.Module):
    """Attention of two heads, whose queries and keys come from layers of its own."""

    def __init__(self, same):
        self.query, self.key, self.same = mg.nn.Linear(4, 4), mg.nn.Linear(4, 4), same

    def forward(self, x, context):
        split = lambda y: np.swapaxes(np.reshape(y, (*y.shape[:2], 2, 2)), 1, 2)
        q, k = split(self.query(x)), split(self.key(x if self.same else context))
        return np.sum(F.softmax(q @ k.mT) @ k)


@pytest.mark.parametrize(("same", "kind"), [(True, "self-attention"), (False, "cross-attention")])
def test_the_kind_of_an_attention_is_what_enters_its_module(tmp_path, same, kind):
    x, context = (mg.Tensor(np.ones((3, 5, 4)) + n, requires_grad=True) for n in (0, 1))
    with mg.record():
        loss = TwoHeads(same)(x, context)
    (found,) = contents(written(loss, tmp_path))["maps"]
    assert found["kind"] == kind


def test_a_matrix_has_the_name_of_its_head_and_of_its_example(opened):
    with mg.record():
        loss = TwoHeads(True)(mg.Tensor(np.ones((3, 5, 4)), requires_grad=True), None)
    page = opened(loss)
    page.click("#tab-buttons button", 1)
    named = [f"Head {h} of example {b}" for b in (1, 2, 3) for h in (1, 2)]
    assert page.texts(".heads figcaption") == named


@pytest.mark.parametrize(
    ("letters", "name"), [({}, "Matrix"), ({"B": 3}, "Example"), ({"H": 3}, "Head")]
)
def test_of_three_axes_the_first_is_called_what_its_letter_says(opened, letters, name):
    q, k = (mg.Tensor(np.ones((3, 5, 4)) + n, requires_grad=True) for n in (0, 1))
    with mg.record():
        loss = np.sum(F.softmax(q @ k.mT) @ k)
    page = opened(loss, letters=letters)
    page.click("#tab-buttons button", 1)
    assert page.texts(".heads figcaption") == [f"{name} {n}" for n in (1, 2, 3)]


def test_on_a_phone_a_map_is_as_wide_as_the_window(opened):
    with mg.record():
        loss = TwoHeads(True)(mg.Tensor(np.ones((1, 16, 4)), requires_grad=True), None)
    page = opened(loss)
    with page.of_size(360, 740):
        page.click("#tab-buttons button", 1)
        assert page.run("return document.querySelector('.heads canvas').clientWidth") > 240
        page.quiet()


def test_no_attention_where_there_is_none(tmp_path):
    assert contents(written(mlp(), tmp_path))["maps"] == []
