"""The page that steps through a computation: it says what the engine did, and a browser shows it."""

import json
import re
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest
from losses import attention, chain, mlp
from pages import contents, written
from processes import printed

import minigrad as mg
from minigrad import errors, nn
from minigrad import functional as F
from minigrad.functional import weighting
from minigrad.script.script import Script
from minigrad.views.drawing import drawing
from minigrad.views.page import exploring, live, packing, replay, sheets
from minigrad.views.page.content import shape_letters

EVIL = "</script><script>alert(1)</script>"
EVILS = (EVIL, "<img src=x onerror=alert(1)>", 'a|b{c}\\ \u2028 & "q" \'é漢')


def unpacked(packed):
    """The numbers of an array in a page, as its own text has them: a transcription of the format."""
    words = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
    if "v" in packed:
        return [words.get(v, v) for v in packed["v"]]
    if "x" in packed:
        kind = {4: "<f4", 8: "<f8"}[packed["w"]]
        return np.frombuffer(packing.base64.b64decode(packed["x"]), kind).tolist()
    raw = np.frombuffer(packing.base64.b64decode(packed["c"]), "<u2").tolist()
    found = []
    for code in raw:
        if code < 6:
            found.append([0.0, np.nan, np.inf, -np.inf, 0.0, -0.0][code])
            continue
        high, digits = divmod(code - 6, 900)
        place, sign = divmod(high, 2)
        found.append(float(f"{'-' if sign else ''}{digits + 100}e{place - 35 + packed['e'] - 2}"))
    return found


# --- numbers --------------------------------------------------------------------------------------


def rounded(value, digits):
    """`value`, to so many significant digits, by decimal arithmetic."""
    exact = Decimal(value)
    if not exact:
        return 0.0
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() - digits + 1), ROUND_HALF_EVEN))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_arrays_keep_three_digits_of_each_number(dtype):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(3000) * 10.0 ** rng.integers(-12, 12, 3000)).astype(dtype)
    edges = [9.995, 99.95, 0.9995, 1.0, 1e-3, 999.5, 9994e3, 0.1, 5e-7, 0.125, -1.115, 1e7]
    x = np.concatenate([x, np.array(edges, dtype)])
    packed = packing.pack(x, 1 << 16)
    assert unpacked(packed) == [rounded(float(v), 3) for v in x]


def test_numbers_without_digits():
    x = np.array([0.0, np.nan, np.inf, -np.inf, -0.0, 1e30, 1e-30] * 10)
    got = unpacked(packing.pack(x, 1 << 16))[:7]
    assert np.array_equal(got, [0, np.nan, np.inf, -np.inf, 0, 1e30, 0], equal_nan=True)
    assert packing.pack(x, 1 << 16)["m"][4:] == [20, 30]
    json.dumps(packing.pack(np.full(9, np.nan), 99), allow_nan=False)


def test_small_arrays_keep_five_digits():
    x = np.random.default_rng(1).standard_normal((4, 5)).astype(np.float32)
    assert unpacked(packing.pack(x, 99)) == [rounded(float(v), 5) for v in x.ravel()]
    assert packing.pack(np.array([3, -(2**40)]), 99)["v"] == [3, -(2**40)]


def test_what_is_left_out_leaves_rows_and_columns_that_are_the_arrays_own():
    x = np.arange(4096.0).reshape(32, 128) + 100_000
    arrays = packing.Arrays(budget=2000)
    arrays.add(x)
    (packed,) = arrays.packed()
    kept, steps = packing.thinned(x, len(unpacked(packed)))
    assert packed["k"] == steps
    assert unpacked(packed) == [rounded(v, 3) for v in kept.ravel()]
    assert len(json.dumps(packed)) < 2500
    assert packed["m"][:3] == [rounded(v, 4) for v in (x.min(), x.max(), x.mean())]
    assert sum(packed["h"]) == x.size


@pytest.mark.parametrize("copies", [1, 100])
@pytest.mark.parametrize("row", [[1e200, 1.0], [np.finfo(np.float64).max, -1e308], [1e-320, 1e300]])
def test_numbers_near_the_largest_have_a_summary_of_finite_numbers(row, copies):
    x = np.array(row * copies)
    packed = packing.pack(x, 1 << 16)
    json.dumps(packed, allow_nan=False)
    exact = [Decimal(v) for v in x.tolist()]
    norm = min(sum(v * v for v in exact).sqrt(), Decimal(np.finfo(np.float64).max))
    wanted = [min(exact), max(exact), sum(exact) / len(exact), norm]
    assert np.allclose(packed["m"][:4], [float(v) for v in wanted], rtol=1e-3, atol=0)
    assert sum(packed["h"]) == x.size


@pytest.mark.parametrize("number", [1.0, -3e300, 1e-320])
def test_neighbouring_numbers_have_a_histogram(number):
    packed = packing.pack(np.array([number, np.nextafter(number, np.inf)]), 99)
    assert packed["h"] == [1, *[0] * (packing.BINS - 2), 1]


def test_equal_arrays_are_kept_once():
    arrays = packing.Arrays(budget=1000)
    a = np.arange(6.0)
    assert arrays.add(a) == arrays.add(a.copy()) != arrays.add(a.reshape(2, 3))
    assert arrays.add(None) is None


# --- what the page says is what the engine did ------------------------------------------------------


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
    assert all(len(keys(v["cards"])) <= sheets.BUDGET + 8 for v in page["views"])
    shown = {key for v in page["views"] for key in keys(v["cards"]) if key not in v["outside"]}
    assert {n["n"] for n in page["nodes"]} <= shown


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


# --- finite differences ---------------------------------------------------------------------------


@pytest.mark.parametrize("make", [mlp, attention])
def test_every_gradient_is_checked_and_right(make):
    loss = make()
    loss.backward()
    graph = mg.graph(loss)
    found = replay.checks(Script(graph))
    assert set(found) == {n.number for n in graph.nodes if n.state != "needs none"}
    assert all(check.ok for check in found.values()), found
    assert any(abs(check.told) > 0.01 for check in found.values())


@pytest.mark.parametrize("factor", [1.01, 2.0, -1.0])
def test_a_wrong_rule_is_found(factor):
    square = mg.rule(lambda x: x * x, lambda g, y, x: factor * 2 * g * x)
    x = mg.Tensor([0.5, -1.5, 2.0], requires_grad=True, name="x")
    with mg.record():
        y = np.tanh(x)
        loss = np.sum(square(y))
    loss.backward()
    found = {
        n.label: replay.checks(Script(mg.graph(loss)))[n.number].ok for n in mg.graph(loss).nodes
    }
    assert found == {"x": False, "y": False, "": True, "loss": True}


def test_a_kink_is_called_one():
    x = mg.Tensor([0.0], requires_grad=True)
    with mg.record():
        loss = np.sum(F.relu(x))
    loss.backward()
    first, *_ = replay.checks(Script(mg.graph(loss))).values()
    assert not first.ok
    assert first.kink


def test_an_empty_array_is_not_checked():
    x = mg.Tensor(np.ones((0, 2)), requires_grad=True)
    with mg.record():
        loss = np.sum(x * 2)
    loss.backward(retain_graph=True)
    assert [*replay.checks(Script(mg.graph(loss)))] == [mg.graph(loss).roots[0]]


def test_a_graph_that_cannot_be_replayed_is_not_checked(tmp_path):
    x = mg.Tensor([1.0], requires_grad=True)
    y = np.exp(x * 2)  # outside record(): its factor was not kept
    with mg.record():
        loss = np.sum(np.tanh(y))
    loss.backward()
    assert '"checked":false' in written(loss, tmp_path)


# --- attention ------------------------------------------------------------------------------------


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


def test_no_attention_where_there_is_none(tmp_path):
    assert contents(written(mlp(), tmp_path))["maps"] == []


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
    with pytest.raises(errors.ArgumentError, match=r"with its 0 inputs.* inputs=\[x\]"):
        mg.explore(mg.nn.Linear(2, 2), page)
    with pytest.raises(errors.GraphError, match="no gradient reaches this one"):
        mg.explore(mg.Tensor([1.0]), page)
    with pytest.raises(errors.ShapeError, match="backward\\(\\) starts from one number"):
        mg.explore(x * 2, page)
    monkeypatch.setattr(exploring, "MOST_NODES", 20)
    with pytest.raises(errors.GraphError, match=r"can hold 20 nodes, and this computation has 32"):
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
    page = contents(written(loss, tmp_path))
    assert any("was not kept" in note for note in page["notes"])
    assert {n["state"] for n in page["nodes"]} >= {"known", "freed"}


def test_without_graphviz_there_are_tables(monkeypatch, tmp_path):
    monkeypatch.setattr(drawing, "rendered", lambda dot, kind: None)
    page = contents(written(mlp(), tmp_path))
    assert sheets.NO_ENGINE in page["notes"]
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


# --- in a browser ---------------------------------------------------------------------------------


def test_a_page_opens_and_steps(opened):
    page = opened(mlp())
    assert page.text("h1") == "loss"
    page.key("\ue014", "\ue014", "\ue014")  # right arrow
    assert page.now() == "h forward 3 of 8"
    assert page.texts(".card.now .name") == ["h"]
    assert page.count(".arrow.flow") == 1
    page.quiet()


@pytest.mark.slow
def test_to_the_end_and_back(opened):
    page = opened(mlp())
    marks = lambda: page.ask("classes", "#world .card, #world .arrow")
    at_start = marks()
    seen = [(page.now(), marks())]
    for _ in range(20):
        page.key("\ue014")
        seen.append((page.now(), marks()))
        assert page.count(".card.now") == 1
        backward = len(seen) > 9
        flows = page.count(".arrow.return")
        assert backward or not flows
    assert seen[8][0] == "loss forward 8 of 8"
    assert seen[9][0] == "loss backward 1 of 12"
    assert seen[20][0].endswith("backward 12 of 12")
    page.key("\ue014")
    assert page.now() == seen[20][0]  # there is no further
    for before in reversed(seen[:-1]):
        page.key("\ue012")
        assert (page.now(), marks()) == before
    assert marks() == at_start
    page.key("\ue010")
    assert page.now() == seen[20][0]
    page.quiet()


@pytest.mark.slow
def test_the_numbers_of_a_step(opened):
    """g, the rule, broadcasting undone, and the sum before and after, as `steps` has them."""
    page = opened(mlp())
    steps = list(mg.steps(mlp()))
    shown = lambda a: [f"{float(v):.5g}" for v in np.asarray(a).ravel()]
    tidy = lambda cells: [f"{float(v):.5g}" for v in cells]
    page.key("b")
    page.key("\ue014")  # error * error
    step = steps[1]
    assert page.texts("#step .rule") == ["g * error", "g * error"]
    table = lambda name: page.ask("cells", "#step", name)
    assert [tidy(c) for c in table("g")] == [shown(step.gradient)]
    assert [tidy(c) for c in table("contribution")] == [shown(s.fitted) for s in step.shares]
    assert [tidy(c) for c in table("had arrived before")] == [shown(step.shares[1].before)]
    assert [tidy(c) for c in table("sum now")] == [shown(step.shares[1].after)]
    page.key("\ue014", "\ue014")  # y = ... + bias
    assert "Broadcasting had made 5 copies along axis 0" in page.text("#step")
    assert [tidy(c) for c in table("the rule gives")] == [shown(steps[3].shares[1].given)]


@pytest.mark.slow
def test_heat_maps_are_read_number_by_number(opened):
    x = np.random.default_rng(3).standard_normal((9, 30)).astype(np.float32)
    w = mg.Tensor(x, requires_grad=True, name="w")
    with mg.record():
        loss = np.sum(w * w)
    page = opened(loss)
    page.click("#overview .by-size button")
    assert page.text("#node h2") == "w"
    page.ask("focus", "#node canvas")
    from selenium.webdriver import ActionChains, Keys

    act = ActionChains(page.browser.driver).key_down(Keys.ALT)
    act.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN).key_up(Keys.ALT).perform()
    said = page.text("#node .reading")
    assert said.startswith("[1, 2] = ")
    assert float(said.split("= ")[1]) == rounded(float(x[1, 2]), 5)
    assert "They agree." in page.text("#node .check")
    page.quiet()


@pytest.mark.slow
def test_boxes_open_and_close(opened):
    page = opened(chain(150))
    crumbs = "#crumbs li"
    assert page.texts(crumbs) == ["The whole"]
    page.click(".card.group")
    assert len(page.texts(crumbs)) == 2
    page.key("u")
    assert page.texts(crumbs) == ["The whole"]
    page.ask("focus", ".card.group .halo")
    page.key("\ue007")
    assert len(page.texts(crumbs)) == 2
    page.click("#crumbs button")
    assert page.texts(crumbs) == ["The whole"]
    page.key("f")  # steps stay in this drawing, and one goes over a box
    page.key("\ue014")
    assert len(page.texts(crumbs)) == 1
    page.key("o")
    assert len(page.texts(crumbs)) == 2
    page.quiet()


@pytest.mark.slow
def test_a_module_opens_by_its_heading(opened):
    page = opened(mlp())
    page.ask("clickOn", ".frame text", "hidden")
    assert page.texts("#crumbs li") == ["The whole", "model", "hidden"] or page.texts(
        "#crumbs li"
    ) == ["The whole", "Net", "hidden"]
    assert page.texts(".card .name")
    page.key("\ue003")  # backspace
    assert len(page.texts("#crumbs li")) == 2


@pytest.mark.slow
def test_search(opened):
    page = opened(mlp())
    page.key("/")
    page.key("hidden.w")
    assert page.texts("#found li code") == ["hidden.weight"]
    page.key("\ue007")
    assert page.text("#node h2") == "hidden.weight"
    assert page.texts(".card.chosen .name") == ["weight"]
    page.key("/")
    page.key("tanh")
    assert page.texts("#found li code")[0].startswith("h = np.tanh")
    page.key("\ue00c")  # escape
    assert page.run("return document.getElementById('found').hidden")
    page.key("/", "\ue007")  # nothing is left of what was found
    assert page.text("#node h2") == "hidden.weight"
    page.key("/")
    page.key("no such thing")
    assert page.texts("#found li") == ["Nothing of that name."]


@pytest.mark.slow
def test_predict_then_reveal(opened):
    page = opened(mlp())
    page.key("p")
    assert page.now() == "loss backward 1 of 12"
    step = next(mg.steps(mlp()))
    right = float(step.shares[0].fitted[0, 0])
    assert "contribution" not in page.texts("#step .heat code")
    assert page.text("#step .guess .worked") == "g / 5"
    ask = "#step .guess input"
    page.ask("focus", ask)
    page.key(f"{-right:.3f}", "\ue007")
    assert page.text(".verdict") == "The size is right, the sign is not."
    page.ask("clear", ask)
    page.key("nonsense", "\ue007")
    assert page.text(".verdict") == "That is no number."
    page.ask("clear", ask)
    page.key(f"{right:.3f}", "\ue007")
    assert page.text(".verdict").startswith("Right: [0, 0] = 0.2")
    assert "contribution" in page.texts("#step .heat code")
    page.ask("blur")
    page.key("\ue014")
    hidden = page.count(".slot.hidden")
    assert hidden == 1  # of the node that both contributions go to
    page.click("#step .guess button", 1)
    assert page.texts(".verdict")[0].startswith("Revealed: ")
    page.quiet()


@pytest.mark.slow
def test_lines_of_code_and_nodes_light_each_other_up(opened):
    page = opened(mlp())
    line = ".code-line.used", "h = np.tanh(self.hidden"
    page.ask("point", ".card", "x", "pointerenter")
    assert not page.run("return document.getElementById('tip').hidden")
    page.key("b")
    assert page.run("return document.getElementById('tip').hidden")  # it was about another step
    page.ask("point", *line, "pointerenter")
    assert page.texts(".card.lit .name") == ["h"]  # and the two operations of the layer, unnamed
    assert page.count(".card.lit") == 3
    page.ask("point", *line, "pointerleave")
    assert page.texts(".card.lit") == []
    page.ask("point", ".card", "h = tanh", "pointerenter")
    assert "np.tanh" in page.text(".code-line.lit")


@pytest.mark.slow
def test_by_keyboard_alone(opened):
    """Tab reaches a card; arrows go from card to card; Enter chooses; every button has a name."""
    page = opened(mlp())
    for _ in range(40):
        page.key("\ue004")
        if page.run("return Boolean(document.activeElement.closest('.card'))"):
            break
    else:
        raise AssertionError("no card was reached")
    first = page.run("return document.activeElement.parentElement.dataset.key")
    page.key("\ue015")
    assert page.run("return document.activeElement.parentElement.dataset.key") != first
    page.key("\ue007")
    assert page.run("return document.querySelector('#node').hidden") is False
    page.key(" ")
    assert page.ask("unnamed") == 0
    page.ask("blur")
    page.key("\ue014")
    assert page.text("#live").startswith("Forward 1 of 8: ")
    assert page.run(
        "return document.getElementById('time').getAttribute('aria-valuetext')"
    ).startswith("Forward 1 of 8")


@pytest.mark.slow
def test_the_time_line_is_dragged(opened):
    from selenium.webdriver import ActionChains

    page = opened(mlp())
    line = page.browser.driver.find_element("id", "time")
    ActionChains(page.browser.driver).move_to_element(line).click().perform()
    middle = page.run("return Number(document.getElementById('time').value)")
    assert 3 < middle < int(line.get_attribute("max")) - 3
    assert page.text("#now span").split()[1] in (str(middle), str(middle - 8))


@pytest.mark.slow
def test_play_and_pause(opened):
    page = opened(mlp())
    page.key(" ")
    page.wait("return document.getElementById('now').innerText.includes('forward 2')")
    page.key(" ")
    stopped = page.now()
    page.ask("wait", 1200)
    assert page.now() == stopped
    assert "forward" in stopped


@pytest.mark.slow
def test_attention_in_the_browser(opened):
    words = ["the", "cat", "sat", "on", "it"]
    page = opened(attention(), tokens={"": (words, words)})
    page.click("#stage-tabs button", 1)
    assert page.count(".heads canvas") == 1
    page.ask("focus", ".heads canvas")
    from selenium.webdriver import ActionChains, Keys

    act = ActionChains(page.browser.driver).key_down(Keys.ALT)
    act.send_keys(*[Keys.ARROW_DOWN] * 3, Keys.ARROW_UP, Keys.ARROW_RIGHT).key_up(
        Keys.ALT
    ).perform()
    assert page.text("#cell h2") == "“sat” looks at “cat”"
    loss = attention()
    loss.backward()
    nodes = {n.label: n for n in mg.graph(loss).nodes}
    weight = float(nodes["weights"].value[2, 1])
    assert float(page.text("#cell .big")) == rounded(weight, 5)
    facts = page.texts("#cell dd")
    assert float(facts[0]) == rounded(float(nodes["weights"].gradient[2, 1]), 5)
    ActionChains(page.browser.driver).key_down(Keys.ALT).send_keys(*[Keys.ARROW_RIGHT] * 3).key_up(
        Keys.ALT
    ).perform()
    assert "The mask hides this key from this query." in page.text("#cell")
    page.quiet()


def choose_cell(page, head, row, column):
    """From the first cell of a head, with the arrow keys."""
    from selenium.webdriver import ActionChains, Keys

    page.ask("focus", f".heads canvas[data-head='{head}']")
    keys = [Keys.ARROW_DOWN] * row + [Keys.ARROW_RIGHT] * column
    ActionChains(page.browser.driver).key_down(Keys.ALT).send_keys(*keys).key_up(Keys.ALT).perform()


@pytest.mark.slow
def test_sentences_and_heads_of_a_map_have_their_own_mask_and_key(opened):
    """Weights (2, 2, 3, 3), a mask for each sentence, keys for all heads of a sentence."""
    rng = np.random.default_rng(0)
    q = mg.Tensor(rng.standard_normal((2, 2, 3, 4)), requires_grad=True)
    k = mg.Tensor(rng.standard_normal((2, 1, 3, 4)), requires_grad=True)
    mask = np.ones((2, 1, 1, 3), bool)
    mask[0, 0, 0, 2] = False  # the first sentence is shorter
    with mg.record():
        scores = q @ np.swapaxes(k, -1, -2)  # (2, 2, 3, 3)
        loss = np.sum((F.masked_softmax(scores, mask) @ k) ** 2)
    page = opened(loss)
    page.click("#stage-tabs button", 1)
    hidden = []
    for head in range(4):
        choose_cell(page, head, 1, 2)
        hidden.append("The mask hides" in page.text("#cell"))
        firsts = q.data[head // 2, head % 2, 1, 0], k.data[head // 2, 0, 2, 0]
        for number, strip in zip(firsts, range(2)):
            told = page.ask("told", "#cell .vectors canvas", strip)
            assert told == f"[0] = {rounded(float(number), 4)}"
    assert hidden == [True, True, False, False]
    page.key("m")  # in the mask of the second sentence
    assert page.text("#live").startswith("mask[1, 0, 0, 2] is False.")
    assert "The mask hides" in page.text("#cell")
    page.quiet()


@pytest.mark.slow
def test_a_map_of_which_some_rows_are_kept_names_these_by_their_own_tokens(opened, monkeypatch):
    monkeypatch.setattr(live, "NUMBERS", 0)  # a page that computes has all rows
    words = [f"w{i}" for i in range(96)]
    rng = np.random.default_rng(0)
    draw = lambda: mg.Tensor(rng.standard_normal((8, 96, 4)), requires_grad=True)
    q, k = draw(), draw()
    with mg.record():
        weights = F.masked_softmax(q @ np.swapaxes(k, -1, -2), np.tri(96, dtype=bool))
        loss = np.sum((weights @ k) ** 2)
    loss.backward(retain_graph=True)
    page = opened(loss, tokens={"": (words, words)})
    page.click("#stage-tabs button", 1)
    assert "one query in 2" in page.text("#attention")
    choose_cell(page, 3, 6, 5)
    row, column = map(int, re.fullmatch("“w(.+)” looks at “w(.+)”", page.text("#cell h2")).groups())
    assert (row, column) == (12, 10)
    assert float(page.text("#cell .big")) == rounded(float(weights.data[3, row, column]), 3)
    assert "The mask hides" not in page.text("#cell")
    choose_cell(page, 3, 0, 3)
    assert "The mask hides" in page.text("#cell")
    page.quiet()


@pytest.mark.slow
def test_without_drawings_the_tables_do_it_all(opened, monkeypatch):
    monkeypatch.setattr(drawing, "rendered", lambda dot, kind: None)
    page = opened(mlp())
    assert "No Graphviz was found" in page.text("#notes")
    assert page.texts("#stage-tabs button") == ["Table"]
    page.key("\ue014", "\ue014", "\ue014")
    assert (
        page.run("return document.querySelector('#listing tr.now').innerText").split("\t")[1] == "h"
    )
    page.quiet()


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_hostile_texts_in_the_browser(opened, dark):
    words = [EVIL, "<b>", "c", "d", "e"]
    page = opened(attention(EVILS), dark, title=f"<i>{EVIL}", tokens={"": (words, words)})
    assert page.text("h1") == f"<i>{EVIL}"
    count = int(page.run("return document.getElementById('time').max"))
    for _ in range(count):
        page.key("\ue014")
    page.click("#stage-tabs button", 1)
    page.click("#stage-tabs button", 2)
    assert EVIL in page.text("#listing")
    assert page.run("return document.scripts.length") == 2
    assert page.count("img, b + script") == 0
    page.quiet()
    lightness = page.ask("lightness")
    assert (lightness[0] > lightness[1]) == dark


@pytest.mark.slow
def test_the_states_of_gradients_look_different(opened):
    frozen = mg.Tensor([3.0, 4.0], name="frozen")
    x = mg.Tensor([1.0, 2.0], requires_grad=True, name="x")
    dead = mg.Tensor([1.0, -2.0], requires_grad=True, name="dead")
    y = np.exp(x)  # not recorded
    with mg.record():
        loss = np.sum(y * frozen + np.tanh(dead * 0))
    loss.backward()
    page = opened(loss)
    look = lambda kind: page.ask("look", f".card .slot.{kind}")
    looks = {kind: look(kind) for kind in ("known", "zero", "freed")}
    page.key("\ue014")
    looks["not computed yet"] = look("later")
    assert len(set(looks.values())) == 4, looks
    assert (
        page.ask("within", ".card", "frozen", ".slot") == 1
    )  # a value, and no place for a gradient


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1366, 768), (1920, 1080), (420, 860)])
def test_it_fits_the_window(opened, size):
    page = opened(mlp())
    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
    page.browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page.browser.driver.refresh()
        page.key("b")
        page.quiet()
        if size[0] > 1000:
            assert page.run("return document.documentElement.scrollHeight <= window.innerHeight")
        page.ask("wait", 500)  # the drawing glides there
        assert page.ask("inside", ".card.now", "#sheet")
    finally:
        page.browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.slow
def test_it_prints(opened):
    page = opened(mlp())
    page.key("b")
    printed = page.browser.driver.print_page()
    assert len(printed) > 20_000


def test_the_page_of_a_watched_model_opens_on_its_drawing(opened):
    torch = pytest.importorskip("torch")
    x = torch.ones(3, requires_grad=True)
    with mg.pytorch() as watched:
        loss = x.sin().sum()
    loss.backward()
    page = opened(watched)
    assert page.texts("#stage-tabs button") == ["Drawing", "Table", "Compared with PyTorch"]
    assert page.texts("#stage-tabs [aria-selected=true]") == ["Drawing"]
    page.click("#stage-tabs button", 2)
    assert "1 gradient compared" in page.texts(".stage.extra")[0]


@pytest.mark.slow
def test_on_paper_nothing_stands_on_other_things(opened):
    """A long part of the page takes the room that it needs; so does what comes after it."""
    page = opened(mlp(), sections={"Long": "<p>a line</p>" * 200})
    cdp = page.browser.driver.execute_cdp_cmd
    size = {"width": 794, "height": 1123, "deviceScaleFactor": 1, "mobile": False}
    cdp("Emulation.setDeviceMetricsOverride", size)
    cdp("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        ends = page.run(
            "const end = (s) => document.querySelector(s).getBoundingClientRect();"
            "return [end('.stage.extra p:last-child').bottom, end('#panel').top];"
        )
    finally:
        cdp("Emulation.setEmulatedMedia", {"media": ""})
        cdp("Emulation.clearDeviceMetricsOverride", {})
    assert ends[0] <= ends[1]
