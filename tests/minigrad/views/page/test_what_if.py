"""Switches: with a part off, a page computes exactly what the engine computes without it."""

import in_a_page
import numpy as np
import pytest
from in_a_page import as_array, as_text, close, packed, tape_of

import minigrad as mg
from minigrad import functional as F
from minigrad.views.page import switches

MASK = np.array([[True, False, False], [True, True, False], [False, False, False]])


def leaves():
    """x (3, 4), w (4, 4), gain and bias (4,)."""
    rng = np.random.default_rng(0)
    sizes = {"x": (3, 4), "w": (4, 4), "gain": 4, "bias": 4}
    draw = lambda s: rng.standard_normal(s)
    return {n: mg.Tensor(draw(s), requires_grad=True, name=n) for n, s in sizes.items()}


def attending(x, w, mask, scale):
    scores = x @ x.T / 2 if scale else x @ x.T
    weights = F.masked_softmax(scores, MASK) if mask else F.softmax(scores)
    return weights @ (x @ w)


def narrow(x):
    return x.astype(np.float32)


# Each switch: a computation with the part, and without it.
CASES = {
    "causal mask": (
        lambda x, w, **_: attending(x, w, True, True),
        lambda x, w, **_: attending(x, w, False, True),
    ),
    "causal mask of what is hidden": (
        lambda x, w, **_: F.softmax(F.masked_fill(x @ x.T, ~MASK, -np.inf)) @ (x @ w),
        lambda x, w, **_: F.softmax(x @ x.T) @ (x @ w),
    ),
    "scaling": (
        lambda x, w, **_: attending(x, w, True, True),
        lambda x, w, **_: attending(x, w, True, False),
    ),
    "scaling of float32 by a number of NumPy's": (
        lambda x, w, **_: F.softmax(narrow(x) @ narrow(x).T / np.sqrt(4)) @ (x @ w),
        lambda x, w, **_: F.softmax((narrow(x) @ narrow(x).T).astype(np.float64)) @ (x @ w),
    ),
    "residual": (lambda x, w, **_: x + np.sin(x @ w), lambda x, w, **_: np.sin(x @ w)),
    "norm": (
        lambda x, gain, bias, w: F.layer_norm(x, gain, bias) @ w + x,  # x gets a gradient before
        lambda x, w, **_: x @ w + x,
    ),
    "dropout": (
        lambda x, w, **_: F.dropout(x, 0.5, rng=np.random.default_rng(0)) @ w,
        lambda x, w, **_: x @ w,
    ),
}
CURVES = {"relu": F.relu, "tanh": np.tanh, "gelu": F.gelu, "silu": F.silu, "sigmoid": F.sigmoid}
for _name, _curve in CURVES.items():
    CASES[f"activation {_name}"] = (
        lambda x, w, _curve=_curve, **_: _curve(x @ w) @ w,
        lambda x, w, **_: x @ w @ w,
    )


def computed(make):
    with mg.record():
        loss = np.sum(np.cos(make(**(given := leaves()))))
    loss.backward()
    return mg.graph(loss), given


@pytest.mark.parametrize("case", CASES)
def test_off_is_exactly_without(browser, tmp_path, case):
    mg.set_default_dtype(np.float64)
    try:
        (graph, given), (without, anew) = map(computed, CASES[case])
    finally:
        mg.set_default_dtype(np.float32)
    found = switches.places(graph)
    places = next(found[name] for name in found if case.startswith(name))
    made = tape_of(graph, dict(places))
    numbers = {n.label: n.number for n in graph.nodes}
    names = [n for n in given if n in numbers]
    asked = [made.value_slots[graph.roots[0]], *(made.gradient_slots[numbers[n]] for n in names)]
    turned = lambda v: [[made.gates[n], as_text([v])] for n, _ in places]
    cases = [packed(made, to=turned(v), asked=asked) for v in (0.0, 1.0)]
    error = 1e-6 if "float32" in case else 1e-12
    off, on = in_a_page.run(browser, tmp_path, cases, "return data.map(changed);")
    for state, then, tensors in ((off, without, anew), (on, graph, given)):
        assert close(as_array(state[0], 0.0), then[then.roots[0]].value, 1, error)
        for name, got in zip(names, state[1:]):
            wanted = tensors[name].grad
            wanted = np.zeros(tensors[name].shape) if wanted is None else wanted.data
            assert close(as_array(got, wanted), wanted, np.abs(wanted).max() + 1, error), name


def test_a_part_is_found_where_it_is_and_nowhere_else():
    """x + b is no residual, and the ten lines have one, and one activation."""
    x, w = mg.Tensor([1.0, 2.0], requires_grad=True), mg.Tensor(np.eye(2), requires_grad=True)
    b = mg.Tensor([1.0, 1.0], requires_grad=True)
    with mg.record():
        h = F.relu(x @ w)
        y = x + h
        loss = np.sum((y + b) * (y + x))
    loss.backward()
    graph = mg.graph(loss)
    numbers = {n.label: n.number for n in graph.nodes}
    found = switches.places(graph)
    assert set(found) == {"residual", "activation"}
    assert found["residual"][0] == (numbers["y"], numbers["h"])
    assert all(instead != numbers.get("b") for _, instead in found["residual"])


PAST, FULL, PADDED = (
    np.tril(np.ones((3, 3), bool)),
    np.ones((3, 3), bool),
    np.array([True, True, False]),
)


@pytest.mark.parametrize(
    ("mask", "kind"),
    [
        (PAST, "causal mask"),
        (PAST & PADDED, "causal mask"),
        (FULL & PADDED, "padding mask"),
        (FULL, "mask that hides nothing"),
        (np.eye(3, dtype=bool), "causal mask"),
        (PAST.T, "mask"),
    ],
)
def test_a_mask_is_called_by_what_it_hides(mask, kind):
    x, w = (mg.Tensor(np.eye(3), requires_grad=True) for _ in "xw")
    with mg.record():
        loss = np.sum(F.masked_softmax(x @ x.T, mask) @ (x @ w))
    loss.backward()
    assert {n for n in switches.places(mg.graph(loss)) if "mask" in n} == {kind}
