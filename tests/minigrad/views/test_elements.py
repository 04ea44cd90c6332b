"""One element worked out: what it is said to be made of is what it is made of."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from operations import ROWS, run

import minigrad as mg
from minigrad import functional as F
from minigrad.views import cases, elements
from minigrad.views.elements import Each, Leaf, Moved, Picked, Reduced, Scattered

CALLS = {"neg": np.negative, "not": np.logical_not, "and": np.logical_and, "or": np.logical_or,
         "*": np.multiply, "/": np.divide, "+": np.add, "-": np.subtract, "**": np.power,
         "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
         "==": np.equal, "!=": np.not_equal, "where": np.where}  # fmt: skip


def computed(made_of, index):
    """An element by its terms, each read in the plainest way: a second reading of the same data."""
    if isinstance(made_of, Leaf):
        return made_of.array[index]
    if isinstance(made_of, Moved):
        place = made_of.offset + np.dot(index, made_of.strides) if index else made_of.offset
        return computed(made_of.of, at(int(place), made_of.shape))
    if isinstance(made_of, Picked):
        sizes = [0, *itertools.accumulate(math.prod(s) for s in made_of.shapes)]
        place = made_of.places[np.ravel_multi_index(index, made_of.shape) if index else 0]
        k = max(i for i, start in enumerate(sizes[:-1]) if start <= place)
        return computed(made_of.of[k], at(place - sizes[k], made_of.shapes[k]))
    if isinstance(made_of, Scattered):
        wanted = np.ravel_multi_index(index, made_of.shape) if index else 0
        found = [p for p, place in enumerate(made_of.places) if place == wanted]
        return sum(computed(made_of.of, at(p, made_of.inner)) for p in found)
    if isinstance(made_of, Reduced):
        every = [computed(made_of.of, (*index, *k)) for k in np.ndindex(made_of.counts)]
        return {"+": sum, "max": max, "min": min}[made_of.sign](every)
    if isinstance(made_of, Each):
        function = CALLS.get(made_of.sign) or getattr(np, made_of.sign)
        return function(*(computed(of, index) for of in made_of.of))
    return made_of


def at(place, shape):
    return tuple(map(int, np.unravel_index(place, shape))) if shape else ()


def same(found, wanted):
    return np.allclose(float(found), float(wanted), rtol=1e-5, atol=1e-8, equal_nan=True)


def test_every_way_to_call_every_function():
    """Forward and back, an element is made of what the terms say, wherever they are known."""
    rng = np.random.default_rng(0)
    known = total = 0
    for row in ROWS[::3]:
        xs = [mg.Tensor(a, requires_grad=a.dtype.kind == "f") for a in row.arrays()]
        with np.errstate(all="ignore"):
            with mg.record():
                y = next(iter(run(row.call, xs)))
                if not isinstance(y, mg.Tensor) or not y.requires_grad or not y.size:
                    continue
                loss = np.sum(y * rng.standard_normal(y.shape).astype(y.dtype))
            loss.backward()
            graph = mg.graph(loss)
            made = [(cases.of_node(graph, n), n.value) for n in graph.nodes if n.function]
            made += [
                (cases.of_edge(graph, e), e.contribution) for e in graph.edges if e.differentiable
            ]
            for case, array in made:
                made_of = case.terms()
                total += 1
                if made_of is None or array is None or not array.size:
                    continue
                known += 1
                index = tuple(int(rng.integers(n)) for n in array.shape)
                assert same(computed(made_of, index), array[index]), (row.name, case.text, index)
    assert known > 0.7 * total > 300


def lines(make):
    """The first element of what goes to each leaf, worked out."""
    x = mg.Tensor([[1.0, 2.0]], requires_grad=True, name="x")
    w = mg.Tensor([[0.0, 1.0], [-1.0, 1.0]], requires_grad=True, name="w")
    with mg.record():
        h = make(x, w)
    return [share.worked for step in mg.steps(h, np.ones(h.shape) * 10) for share in step.shares]


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda x, w: x @ w, ["x.grad[0, 0] = g[0, 0]·w[0, 0] + g[0, 1]·w[0, 1] = 10·0 + 10·1 = 10",
                              "w.grad[0, 0] = x[0, 0]·g[0, 0] = 1·10 = 10"]),
        (lambda x, w: x * w, ["x.grad[0, 0] = g[0, 0]·w[0, 0] + g[1, 0]·w[1, 0] = 10·0 + 10·(-1) = -10",
                              "w.grad[0, 0] = g[0, 0]·x[0, 0] = 10·1 = 10"]),
        (lambda x, w: np.tanh(w), ["w.grad[0, 0] = g[0, 0]·(1 - h[0, 0]·h[0, 0]) = 10·(1 - 0·0) = 10"]),
        (lambda x, w: -w / 4, ["#1.grad[0, 0] = g[0, 0] / 4 = 10 / 4 = 2.5",
                               "w.grad[0, 0] = -g[0, 0] = -2.5"]),
        (lambda x, w: np.mean(w), ["w.grad[0, 0] = g / 4 = 10 / 4 = 2.5"]),
        (lambda x, w: w[[0, 0, 1]], ["w.grad[0, 0] = g[0, 0] + g[1, 0] = 10 + 10 = 20"]),
        (lambda x, w: w[1], ["w.grad[0, 0] = 0"]),
        (lambda x, w: F.relu(w), ["w.grad[0, 0] = g[0, 0]·(h[0, 0] > 0) = 10·(0 > 0) = 0"]),
        (lambda x, w: x * x, ["x.grad[0, 0] gets g[0, 0]·x[0, 0] = 10·1 = 10"] * 2),
    ],
)  # fmt: skip
def test_an_element_reads_as_a_person_would_write_it(make, wanted):
    assert lines(make) == wanted


def test_a_long_sum_is_cut_and_says_how_many_terms_it_has():
    x = mg.Tensor(np.ones((9, 2)), requires_grad=True, name="x")
    b = mg.Tensor(np.zeros(2), requires_grad=True, name="b")
    first, *_ = mg.steps(x + b, np.ones((9, 2)))
    assert first.shares[1].worked == (
        "b.grad[0] = g[0, 0] + g[1, 0] + g[2, 0] + … (9 terms) = 1 + 1 + 1 + … = 9"
    )


def test_what_is_not_made_of_a_few_elements_has_no_line():
    a = mg.Tensor(np.eye(2) * 2, requires_grad=True, name="a")
    with mg.record():
        y = np.linalg.inv(a)
    graph = mg.graph(y)
    assert cases.of_node(graph, graph[1]).terms() is None


@pytest.mark.parametrize("size", [0, 1])
def test_empty_arrays_and_arrays_of_one_element(size):
    x = mg.Tensor(np.full(size, 3.0), requires_grad=True, name="x")
    shares = [s.worked for step in mg.steps(np.sum(x * x)) for s in step.shares]
    assert shares[0] == ("#1.grad[0] = g = 1" if size else "")


@pytest.mark.slow
def test_a_page_works_elements_out_as_the_terminal_does(browser, tmp_path, monkeypatch):
    """The same line for the first element of every value and every contribution, to the five digits
    that a page has."""
    four = elements.text.number
    five = lambda x: f"{x + 0.0:.5g}" if isinstance(x, (float, np.floating)) else four(x)
    pytest.importorskip("pygraphviz")
    x = mg.Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True, name="x")
    w = mg.Tensor([[0.0, 1.0, 2.0], [-1.0, 1.0, 3.0]], requires_grad=True, name="w")
    b = mg.Tensor([1.0, -2.0, 0.5], requires_grad=True, name="b")
    with mg.record():
        h = F.relu(x @ w + b)
        p = F.masked_softmax(h / 4, np.array([[True, False, True], [True, True, True]]))
        q = np.concatenate([p[[0, 0]], np.max(w, axis=1, keepdims=True) * p, -p])
        loss = F.cross_entropy(q, np.array([0, 2, 1, 1, 0, 2])) + np.mean(np.tanh(w) ** 2)
    loss.backward()
    graph = mg.graph(loss)
    monkeypatch.setattr(elements.text, "number", five)
    wanted = {}
    for n in graph.nodes:
        if n.function is not None:
            first = (0,) * n.value.ndim
            worked = elements.worked_out(
                cases.of_node(graph, n).terms(), first, "y", n.value[first]
            )
            wanted[f"n{n.number}"] = worked
    for i, e in enumerate(graph.edges):
        if e.differentiable:
            first = (0,) * e.contribution.ndim
            made_of = cases.of_edge(graph, e).terms()
            wanted[f"e{i}"] = elements.worked_out(made_of, first, "y", e.contribution[first])
    file = mg.explore(loss, tmp_path / "page.html")
    text = file.read_text(encoding="utf-8")
    start = text.rindex("start();")  # all scripts are one function; what it knows is asked inside
    asked = Path(__file__).with_name("elements.js").read_text(encoding="utf-8")
    file.write_text(text[:start] + asked + text[start:], encoding="utf-8")
    browser.open(file)
    told = browser.run("return window.told")
    tidy = lambda line: line.replace("e-0", "e-")
    assert len(wanted) > 50
    assert {k: tidy(v) for k, v in told.items()} == {k: tidy(v) for k, v in wanted.items()}
