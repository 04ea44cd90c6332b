"""`mg.explore`: what a page says is what the engine did, and what cannot be shown is said."""

import re

import numpy as np
import pytest
from losses import attention, chain, mlp
from pages import EVIL, EVILS, contents, rounded, unpacked, written
from processes import printed

import minigrad as mg
from minigrad import errors, nn
from minigrad.views.drawing import drawing
from minigrad.views.page import drawings, exploring
from minigrad.views.page.nodes import shape_letters


@pytest.mark.slow
@pytest.mark.parametrize("make", [mlp, attention])
def test_the_way_back_is_that_of_steps(make, tmp_path):
    """Order, gradients, rules, contributions and sums, to the last digit that is shown."""
    page = contents(written(make(), tmp_path))
    nodes = {n["n"]: n for n in page["nodes"]}
    numbers = lambda i: unpacked(page["arrays"][i])
    own = lambda a: [rounded(float(v), 5) for v in np.asarray(a).ravel()]
    steps = list(mg.steps(make()))
    assert len(page["backward"]) == len(steps)
    for number, step in zip(page["backward"], steps):
        assert numbers(nodes[number]["gradient"]) == own(step.gradient)
        shares = [e for e in page["edges"] if e["target"] == number and "rule" in e]
        assert len(shares) == len(step.shares)
        for edge, share in zip(shares, step.shares):
            rule, passed = page["rules"][edge["rule"]], edge["passed"]
            assert edge["argument"] == share.argument
            assert (rule["text"], rule["note"]) == (share.rule, share.note)
            assert tuple(edge.get("copied", ())) == share.axes
            assert ("given" in passed) == bool(share.axes)
            assert ("before" in passed) == (share.before is not None)
            for part, array in passed.items():
                assert numbers(array) == own(getattr(share, part))


def test_the_way_forward_is_the_order_of_the_operations(tmp_path):
    page = contents(written(mlp(), tmp_path))
    made = [n["made"] for n in page["nodes"] if n["n"] in page["forward"]]
    assert [m.split("(")[0] for m in made if m.startswith("np.")] == ["np.tanh", "np.mean"]
    assert page["forward"] == sorted(page["forward"])
    assert page["nodes"][page["roots"][0]]["label"] == "loss"


def test_the_tensors_are_left_as_they_were(tmp_path):
    w = mg.Tensor([2.0, 3.0], requires_grad=True, name="w")
    np.sum(w).backward()
    with mg.record():
        y = w * w
        loss = np.sum(y)
    before = mg.graph(loss).table()
    page = contents(written(loss, tmp_path))
    assert w.grad.tolist() == [1, 1]
    assert mg.graph(loss).table() == before
    gradient = next(n["gradient"] for n in page["nodes"] if n["label"] == "w")
    assert page["arrays"][gradient]["v"] == [4, 6]  # of this computation alone
    loss.backward()
    assert w.grad.tolist() == [5, 7]


@pytest.mark.slow
def test_after_backward_the_page_is_the_same(tmp_path):
    but_what_is_kept = lambda text: re.sub(r'"kept":\d+', "", text)  # nothing is, after the walk
    before = written(mlp(), tmp_path)
    loss = mlp()
    loss.backward()
    assert but_what_is_kept(written(loss, tmp_path)) == but_what_is_kept(before)


def test_the_same_program_writes_the_same_bytes(tmp_path):
    assert written(attention(), tmp_path) == written(attention(), tmp_path)


@pytest.mark.slow
def test_the_same_bytes_in_every_process(tmp_path):
    program = f"""
import sys
from pathlib import Path
from losses import attention
from pages import written
sys.stdout.write(written(attention(), Path({str(tmp_path)!r})))
"""
    assert len(printed(program)) > 50_000


def test_an_mlp_is_small(tmp_path):
    assert len(written(mlp(), tmp_path).encode()) < 300_000


def test_letters_of_dimensions():
    q = mg.Tensor(np.ones((3, 4, 5)), requires_grad=True)
    with mg.record():
        y = q * 2  # (B, T, K)
        z = y * 3  # (..., D)
        t = np.sum(z, axis=-1)  # says nothing of axes
    nodes = {n.variable: n for n in mg.graph(t).nodes}
    assert shape_letters(nodes["y"], {}) == ["B", "T", "K"]
    assert shape_letters(nodes["z"], {}) == ["", "", "D"]
    assert shape_letters(nodes["y"], {"T": 9, "S": 4}) == ["B", "S", "K"]  # the sizes are right
    assert shape_letters(nodes["t"], {"S": 4, "B": 3}) == ["B", "S"]
    assert shape_letters(nodes["t"], {"K": 4, "V": 4}) == ["", ""]  # it could be either


def keys(table):
    """The keys of the cards or frames of a view."""
    return [dict(zip(table["names"], row))["key"] for row in table["rows"]]


def test_views_show_every_node_once_as_their_own(tmp_path):
    page = contents(written(mlp(), tmp_path))
    names = [v["name"] for v in page["views"]]
    assert len(set(names)) == len(names)
    assert names[0] == "all"
    assert all(v["around"] in names for v in page["views"][1:])
    for view in page["views"]:
        assert set(view["closed"]) <= {*keys(view["cards"])}
        assert {*keys(view["frames"])} <= set(names)
        assert set(view["closed"]) <= set(names)
    own = {v["name"]: {*keys(v["cards"])} - {*v["outside"], *v["closed"]} for v in page["views"]}
    assert own["all"] == {n["n"] for n in page["nodes"]}  # a small graph is all open
    boxes = {n["n"]: n["box"] for n in page["nodes"]}
    parents = {int(number): box["parent"] for number, box in page["boxes"].items()}
    for view in page["views"][1:]:
        for number in own[view["name"]]:
            box = boxes[number]
            while box != view["box"]:
                box = parents[box]  # a KeyError, if it is not inside


@pytest.mark.slow
def test_a_long_graph_without_boxes_is_parted(tmp_path):
    page = contents(written(chain(300), tmp_path))
    assert all(len(keys(v["cards"])) <= drawings.BUDGET + 8 for v in page["views"])
    shown = {key for v in page["views"] for key in keys(v["cards"]) if key not in v["outside"]}
    assert {n["n"] for n in page["nodes"]} <= shown
    line, part, *_ = [v["title"] for v in page["views"][1:]]
    assert line.startswith("y = np.tanh(y): 300 operations")
    assert part.startswith("y = np.tanh(y): 14 operations")


@pytest.mark.slow
def test_equal_boxes_are_laid_out_once(monkeypatch, tmp_path):
    pytest.importorskip("pygraphviz")
    asked = []
    real = drawing.rendered
    monkeypatch.setattr(drawing, "rendered", lambda dot, kind: asked.append(dot) or real(dot, kind))
    layer = nn.Sequential(nn.Linear(3, 3), np.tanh, nn.Linear(3, 3))
    with mg.record():
        x = mg.Tensor(np.ones((2, 3)), dtype=np.float32)
        for _ in range(12):
            x = layer(x)
        loss = np.sum(x)
    page = contents(written(loss, tmp_path))
    assert len(asked) == len(set(asked)) < len(page["views"]) / 2


# --- what goes wrong ------------------------------------------------------------------------------


def test_an_input_alone_needs_no_list(tmp_path):
    w = mg.Tensor(np.ones((5, 2)), requires_grad=True)
    loss, ids = lambda ids: np.sum(w[ids] ** 2), np.array([1, 3, 4])
    alone = mg.explore(loss, tmp_path / "page.html", inputs=ids).read_bytes()
    assert alone == mg.explore(loss, tmp_path / "page.html", inputs=[ids]).read_bytes()


def test_errors(tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(
        errors.ArgumentError, match=r"loss is a Tensor or a function.*, not float64\[3\]"
    ):
        mg.explore(np.ones(3), page)
    with pytest.raises(errors.ArgumentError, match=r"it is given, here none: .* inputs=\[x\]"):
        mg.explore(mg.nn.Linear(2, 2), page)
    with pytest.raises(errors.GraphError, match="no gradient reaches this one"):
        mg.explore(mg.Tensor([1.0]), page)
    with pytest.raises(errors.ShapeError, match="backward\\(\\) starts from one number"):
        mg.explore(x * 2, page)
    monkeypatch.setattr(exploring, "MOST_NODES", 20)
    with pytest.raises(errors.GraphError, match=r"can hold 20 nodes, and this computation has 32"):
        mg.explore(chain(30), page)
    monkeypatch.undo()
    monkeypatch.setattr(exploring, "MOST_NUMBERS", 20)
    with pytest.raises(errors.GraphError, match=r"of 0 million numbers at most"):
        mg.explore(chain(30), page)
    assert not page.exists()
    assert x.grad is None


def test_a_result_of_any_shape_once_walked(tmp_path):
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        y = x * x
    y.backward(np.array([1.0, 10.0]))
    page = contents(written(y, tmp_path))
    assert page["arrays"][page["nodes"][0]["gradient"]]["v"] == [2, 40]


def test_what_was_not_recorded_is_said(tmp_path):
    x = mg.Tensor([1.0], requires_grad=True)
    y = np.exp(x)
    with mg.record():
        loss = np.sum(y * y)
    loss.backward()
    with pytest.warns(UserWarning, match="kept only in part.* a later step left it") as warned:
        page = contents(mg.explore(loss, tmp_path / "page.html").read_text("utf-8"))
    assert [w.filename for w in warned] == [__file__]
    assert str(warned[0].message) in page["notes"]
    assert {n["state"] for n in page["nodes"]} >= {"known", "freed"}


def test_without_graphviz_there_are_tables(monkeypatch, tmp_path):
    monkeypatch.setattr(drawing, "rendered", lambda dot, kind: None)
    page = contents(written(mlp(), tmp_path))
    assert drawings.NO_ENGINE in page["notes"]
    assert not any("size" in view for view in page["views"])


def test_every_text_is_text(tmp_path):
    words = [EVIL, "<b>", "c", "d", "e"]
    text = written(attention(EVILS), tmp_path, title=f"<i>{EVIL}", tokens={"": (words, words)})
    assert "alert(1)</script>" not in text
    assert text.count("<script") == 2
    assert "\u2028" not in text
    page = contents(text)
    assert page["title"] == f"<i>{EVIL}"
    assert {n["label"] for n in page["nodes"]} >= set(EVILS[:2])
    assert page["maps"][0]["tokens"][0] == words
