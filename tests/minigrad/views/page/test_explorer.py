"""The page that steps through a computation, as a browser shows it."""

import re

import numpy as np
import pytest
from losses import attention, chain, mlp
from pages import EVIL, EVILS, rounded

import minigrad as mg
from minigrad import functional as F
from minigrad.views.drawing import drawing
from minigrad.views.page import Extras, live


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
def test_what_a_thinned_map_leaves_out_is_counted(opened):
    a = np.ones((1000, 1000))
    a[1, 1] = np.inf
    with mg.record():
        loss = np.sum(np.tanh(mg.Tensor(a, requires_grad=True, name="x")))
    page = opened(loss)
    page.key("\ue014")
    assert re.match(r"1 to 1; 1 not finite; one in \d+ shown$", page.text(".scale"))


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
    page.click("#tab-buttons button", 1)
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
    page.click("#tab-buttons button", 1)
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
    page.click("#tab-buttons button", 1)
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
    assert page.texts("#tab-buttons button") == ["Table"]
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
    page.click("#tab-buttons button", 1)
    page.click("#tab-buttons button", 2)
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
    with pytest.warns(UserWarning, match="outside `with mg.record"):
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
    with page.of_size(*size):
        page.key("b")
        page.quiet()
        if size[0] > 1000:
            assert page.run("return document.documentElement.scrollHeight <= window.innerHeight")
        page.ask("wait", 500)  # the drawing glides there
        assert page.ask("inside", ".card.now", "#sheet")


def test_where_the_page_opens_what_is_not_finite_is_worked_out(opened):
    x = mg.Tensor([1.0, np.inf], requires_grad=True, name="x")
    with mg.record():
        y = x * 2
        loss = np.sum(y)
    page = opened(loss, step=1)
    assert page.text("#step p.worked") == "y[1] = x[1]·2 = inf·2 = inf"
    page = opened(loss)
    page.key("\ue014")  # right arrow
    assert page.text("#step p.worked") == "y[0] = x[0]·2 = 1·2 = 2"


def test_on_a_phone_a_picture_of_an_array_has_room_beside_its_labels(opened):
    with mg.record():
        loss = np.sum(np.tanh(mg.Tensor(np.ones((17, 30)), requires_grad=True)))
    page = opened(loss, letters={"S": 17}, labels={"S": [*"abcdefghijklmnopq"]})
    with page.of_size(360, 740):
        page.key("\ue014")
        right = "Math.max(...[...document.querySelectorAll('#step canvas')].map(end))"
        panel = "end(document.getElementById('step')) - 16"
        end = "const end = (part) => part.getBoundingClientRect().right;"
        assert page.run(f"{end} return {right} <= {panel}")


TALLEST = """
const { width, height } = document.getElementById("skyline");
const pen = document.getElementById("skyline").getContext("2d");
const above = height - 16;  // the chapters are below
const pixels = new Uint32Array(pen.getImageData(0, 0, width, above).data.buffer);
const column = (x) => Array.from({ length: above }, (_, y) => pixels[y * width + x]);
const painted = (x) => column(x).filter((v) => v !== pixels[0]).length;
return Math.max(...Array.from({ length: width }, (_, x) => painted(x)));
"""


def test_on_a_phone_the_bars_of_the_time_line_differ_in_height(opened):
    page = opened(mlp())
    with page.of_size(360, 740):
        assert page.run(TALLEST) >= 12


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
    assert page.texts("#tab-buttons button") == ["Drawing", "Table", "Compared with PyTorch"]
    assert page.texts("#tab-buttons [aria-selected=true]") == ["Drawing"]
    page.click("#tab-buttons button", 2)
    assert "1 gradient compared" in page.texts(".tab.extra")[0]


@pytest.mark.slow
def test_on_paper_nothing_stands_on_other_things(opened):
    """A long part of the page takes the room that it needs; so does what comes after it."""
    page = opened(mlp(), extras=Extras({"Long": "<p>a line</p>" * 200}))
    cdp = page.browser.driver.execute_cdp_cmd
    size = {"width": 794, "height": 1123, "deviceScaleFactor": 1, "mobile": False}
    cdp("Emulation.setDeviceMetricsOverride", size)
    cdp("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        ends = page.run(
            "const end = (s) => document.querySelector(s).getBoundingClientRect();"
            "return [end('.tab.extra p:last-child').bottom, end('#panel').top];"
        )
    finally:
        cdp("Emulation.setEmulatedMedia", {"media": ""})
        cdp("Emulation.clearDeviceMetricsOverride", {})
    assert ends[0] <= ends[1]
