"""The rule for the case at hand: as a person would write it, in the learner's names."""

import numpy as np
import pytest
from leaves import leaf

import minigrad as mg
from minigrad import functional as F
from minigrad.views.text.reading import Formulas


def named(value, name):
    return leaf(np.array(value, np.float32), name=name)


def rules(make, **names):
    """The rules by which a gradient goes back to each name, and that of the last operation first."""
    x, w, v = (named(a, n) for a, n in (([[1, 2], [3, 4]], "x"), ([[0, 1, 2], [-1, 1, 3]], "w"),
                                       ([1, 2], "v")))  # fmt: skip
    with mg.record():
        h = make(x, w, v)
    h.backward(np.ones(h.shape, h.dtype))
    graph = mg.graph(h)
    return [Formulas(graph).edge(e).text for e in graph.edges if e.differentiable]


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda x, w, v: x @ w, ["g @ w.T", "x.T @ g"]),
        (lambda x, w, v: v @ w, ["g @ w.T", "np.outer(v, g)"]),
        (lambda x, w, v: x @ v, ["np.outer(g, v)", "x.T @ g"]),
        (lambda x, w, v: v @ v, ["g * v", "v * g"]),
        (lambda x, w, v: x[None] @ w, ["g at x[None], elsewhere 0", "g @ w.T", "#1.mT @ g"]),
        (lambda x, w, v: np.sum(w), ["g spread over all 6 elements"]),
        (lambda x, w, v: np.sum(w, axis=0), ["g spread over rows"]),
        (lambda x, w, v: np.sum(w, axis=1), ["g spread over columns"]),
        (lambda x, w, v: np.mean(w, axis=1, keepdims=True), ["g / 3 spread over columns"]),
        (lambda x, w, v: np.sum(w[None], axis=1), ["g at w[None], elsewhere 0", "g spread over axis 1"]),
        (lambda x, w, v: np.tanh(w), ["g * (1 - h * h)"]),
        (lambda x, w, v: w**2, ["g * (2 * w)"]),
        (lambda x, w, v: w**3, ["g * (3 * w ** 2)"]),
        (lambda x, w, v: F.relu(w), ["g * (h > 0)"]),
        (lambda x, w, v: x / v, ["g / v", "-g * h / v"]),
        (lambda x, w, v: w[:, 1:], ["g at w[:, 1:], elsewhere 0"]),
        (lambda x, w, v: w[[0, 0]], ["g added up at w[[0, 0]], elsewhere 0"]),
        (lambda x, w, v: np.concatenate([v, v * 2]), ["g * 2", "g[0:2]", "g[2:4]"]),
        (lambda x, w, v: w.T, ["g.T"]),
        (lambda x, w, v: np.where(np.array([True, False]), x, v),
         ["np.where(#1, g, 0)", "np.where(#1, 0, g)"]),
        (lambda x, w, v: np.einsum("ij,jk->ik", x, w),
         ["np.einsum('ik,jk->ij', g, w)", "np.einsum('ik,ij->jk', g, x)"]),
        (lambda x, w, v: x * math_pi(), ["g * 3.142"]),
    ],
)  # fmt: skip
def test_a_rule_reads_as_a_person_would_write_it(make, wanted):
    found = rules(make)
    assert [text.replace("#2", "#1") for text in found] == wanted


def math_pi():
    return float(np.pi)


def test_names_that_two_things_have_or_that_mean_the_gradient_are_not_used():
    g, y = named([1, 2], "g"), named([3, 4], "y")
    with mg.record():
        h = g * y
        z = h * h
    z.backward(np.ones(2, np.float32))
    graph = mg.graph(z)
    texts = [Formulas(graph).edge(e).text for e in graph.edges]
    assert texts == ["g * y", "g * #0", "g * h", "g * h"]
    one, other = named([1, 2], "layer.weight"), named([3, 4], "head.weight")
    product = one * other
    product.backward(np.ones(2, np.float32))
    graph = mg.graph(product)
    assert [Formulas(graph).edge(e).text for e in graph.edges] == ["g * #1", "g * #0"]


def test_what_cannot_be_followed_is_shown_as_in_the_table_with_what_its_function_does():
    w = named([[1, 5, 2], [3, 3, 0]], "w")
    with mg.record():
        top = np.max(w, axis=1)
    top.backward(np.ones(2, np.float32))
    graph = mg.graph(top)
    case = Formulas(graph).edge(graph.edges[0])
    assert case.text == "shared_evenly(g, top, w, 1, False)"
    assert case.note.startswith("shared_evenly: The gradient of a maximum or minimum")


def test_a_rule_of_ones_own_is_followed_too_and_one_that_fails_is_shown():
    def slope(g, y, x):
        doubled = 2 * g
        return doubled * x

    def in_place(g, y, x):
        out = 2 * g
        out[:] *= x
        return out

    for rule, text in ((slope, "2 * g * x"), (in_place, "out = 2 * g\nout[:] *= x\nreturn out")):
        square = mg.rule(lambda x: x * x, rule)
        x = named([3, 4], "x")
        y = square(x)
        y.backward(np.ones(2, np.float32))
        graph = mg.graph(y)
        assert Formulas(graph).edge(graph.edges[0]).text == text


def test_a_graph_that_was_freed_and_not_recorded_still_says_its_rules():
    x, w = named([[1, 2]], "x"), named([[1], [2]], "w")
    h = np.tanh(x @ w)
    loss = np.sum(h)
    loss.backward()
    graph = mg.graph(loss)
    texts = [graph.rule(e) for e in graph.edges if e.differentiable]
    assert texts == ["g @ w.T", "x.T @ g", "g * (1 - h * h)", "g"]


def test_a_whole_model_has_no_rule_that_is_left_to_the_table():
    """Every rule of an encoder layer's parts can be read without knowing the table's helpers."""
    x = named(np.random.default_rng(0).standard_normal((2, 3, 4)), "x")
    gain, bias = named(np.ones(4), "gain"), named(np.zeros(4), "bias")
    with mg.record():
        y = F.layer_norm(F.relu(x), gain, bias)
        weights = F.softmax(y @ np.swapaxes(y, -1, -2) / 2)
        loss = F.cross_entropy(weights @ y, np.zeros((2, 3), int))
    loss.backward()
    graph = mg.graph(loss)
    notes = {Formulas(graph).edge(e).note for e in graph.edges if e.differentiable}
    assert notes == {""}
