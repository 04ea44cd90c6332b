"""One element worked out: what it is said to be made of is what it is made of."""

import functools
import math
from pathlib import Path

import numpy as np
import pytest
from in_a_page import tape_of
from operations import ROWS
from operations.numbers import run

import minigrad as mg
from minigrad import functional as F
from minigrad.script import tape_reading
from minigrad.script.page_functions import ELEMENTWISE
from minigrad.views.page import live
from minigrad.views.text import elements
from minigrad.views.text.reading import Formulas


def computing(tape):
    """A function that computes an element by what it is made of, each call read in the plainest way."""
    way = tape_reading.TapeReader(tape)

    @functools.cache
    def computed(element):
        name = way.name(element.slot)
        if not name:
            return way.number(element)
        if name in tape_reading.MOVES:
            source = way.moved(element)
            return computed(source) if source else 0
        if name in tape_reading.SUMS:
            terms = [math.prod(computed(e) for e in term) for term in way.terms(element).products]
            return {"max": max, "min": min, "mean": np.mean}.get(name, sum)(terms)
        if name == "erf":
            return math.erf(computed(*way.operands(element)))
        if name not in ELEMENTWISE:  # one element is made of all
            return way.number(element)
        return getattr(np, name)(*(computed(e) for e in way.operands(element)))

    return computed


def same(found, wanted):
    return np.allclose(float(found), float(wanted), rtol=1e-5, atol=1e-6, equal_nan=True)


@pytest.mark.slow
def test_every_way_to_call_every_function():
    """Forward and back, an element is made of the elements that are said, down to the leaves."""
    rng = np.random.default_rng(0)
    seen = 0
    for row in ROWS[::3]:
        xs = [mg.Tensor(a, requires_grad=a.dtype.kind == "f") for a in row.arrays()]
        with np.errstate(all="ignore"):
            with mg.record():
                y = next(iter(run(row.call, xs)))
                if not isinstance(y, mg.Tensor) or not y.requires_grad or not y.size:
                    continue
                loss = np.sum(y * rng.standard_normal(y.shape).astype(y.dtype))
            loss.backward()
            tape = tape_of(mg.graph(loss))
            computed = computing(tape)
            for name, slot, _, params in tape.calls:
                array = tape.arrays[slot]
                if array.size:
                    at = tuple(int(rng.integers(n)) for n in array.shape)
                    found = computed(tape_reading.Element(slot, at))
                    assert same(found, array[at]), (row.name, name, params, at)
                    seen += 1
    assert seen > 3000


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
    assert Formulas(graph).node(graph[1]).worked_out((0, 0), "y", 0.5) == ""


@pytest.mark.parametrize("size", [0, 1])
def test_empty_arrays_and_arrays_of_one_element(size):
    x = mg.Tensor(np.full(size, 3.0), requires_grad=True, name="x")
    shares = [s.worked for step in mg.steps(np.sum(x * x)) for s in step.shares]
    assert shares[0] == ("#1.grad[0] = g = 1" if size else "")


def opened(browser, file):
    """Open a page that says the line of the first element of each node and edge."""
    text = file.read_text(encoding="utf-8")
    end = text.rindex("})();\n</script>")  # all scripts are one function, and its objects are asked
    asked = Path(__file__).with_name("elements.js").read_text(encoding="utf-8")
    file.write_text(text[:end] + asked + text[end:], encoding="utf-8")
    browser.open(file)
    return browser.run("return window.told()")


@pytest.mark.slow
@pytest.mark.parametrize("most", [2_000, 0], ids=["computing", "with too much to compute"])
def test_a_page_works_elements_out_as_the_terminal_does(browser, tmp_path, monkeypatch, most):
    """The same line for the first element of every value and every contribution, to the five digits
    that a page has."""
    monkeypatch.setattr(live, "OPERATIONS", most)
    four = elements.words.number
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
    monkeypatch.setattr(elements.words, "number", five)
    wanted = {}
    for n in graph.nodes:
        if n.function is not None:
            first = (0,) * n.value.ndim
            worked = Formulas(graph).node(n).worked_out(first, "y", n.value[first])
            wanted[f"n{n.number}"] = worked
    for i, e in enumerate(graph.edges):
        if e.differentiable:
            first = (0,) * e.contribution.ndim
            case = Formulas(graph).edge(e)
            wanted[f"e{i}"] = case.worked_out(first, "y", e.contribution[first])
    file = mg.explore(loss, tmp_path / "page.html")
    told = opened(browser, file)
    # A page that does not compute knows no condition that is not a node, and says both numbers.
    tidy = lambda lines: {
        k: v.replace("e-0", "e-") for k, v in lines.items() if most or " if " not in v
    }
    assert len(tidy(wanted)) > 50
    assert tidy(told) == tidy(wanted)


@pytest.mark.slow
def test_on_a_page_a_line_follows_what_is_changed(browser, tmp_path):
    """Another id picks another row, and where the mask is off its other argument is not chosen."""
    table = mg.Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True, name="table")
    k = mg.Tensor([[1.0, 0.0], [0.0, 1.0]], requires_grad=True, name="k")
    with mg.record():
        q = table[np.array([1, 0])]
        weights = F.masked_softmax(q @ k, np.array([[False, True], [True, True]]))
        loss = np.sum(np.square(weights @ k))
    loss.backward()
    graph = mg.graph(loss)
    picked, masked = (
        next(n.number for n in graph.nodes if n.operation == name)
        for name in ("getitem", "np.where")
    )
    ids = next(n.number for n in graph.nodes if n.dtype.kind == "i")
    told = opened(browser, mg.explore(loss, tmp_path / "page.html"))
    assert told[f"n{picked}"] == "y[0, 0] = table[1, 0] = 3"
    assert told[f"n{masked}"].endswith(" else -inf = -inf")
    told = browser.run("return window.told([arguments[0], 0, 0], 'mask')", ids)
    assert told[f"n{picked}"] == "y[0, 0] = table[0, 0] = 1"
    scores = graph[masked].arguments[1].number
    assert told[f"n{masked}"] == f"y[0, 0] = #{scores}[0, 0] = 1"
