"""The page computes: numbers are changed in a browser as a person changes them."""

import base64
import re

import numpy as np
import pytest
from losses import Net, attention, mlp
from pages import Page, contents, written

import minigrad as mg
from minigrad import functional as F
from minigrad import optim
from minigrad.views.page import live, packing

UP, DOWN, ENTER, TAB, CONTROL, SHIFT = "\ue013", "\ue015", "\ue007", "\ue004", "\ue009", "\ue008"


def ten_lines():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    w = mg.Tensor([[0.0, 1.0], [-1.0, 1.0]], requires_grad=True)
    with mg.record():
        h = F.relu(x @ w)
        y = x + h
        return np.sum(y * y)


class Live(Page):
    """A page whose numbers are changed."""

    def field(self, name):
        return self.browser.driver.find_element("css selector", f'[aria-label="{name}"]')

    def type(self, name, text):
        field = self.field(name)
        field.click()
        self.run("document.activeElement.select()")
        self.key(text, ENTER)

    def with_control(self, *keys):
        from selenium.webdriver import ActionChains

        act = ActionChains(self.browser.driver).key_down(CONTROL)
        for key in keys:
            act = (
                act.key_down(SHIFT).send_keys(key).key_up(SHIFT)
                if key == "Z"
                else act.send_keys(key)
            )
        act.key_up(CONTROL).perform()

    def learn_ten_steps(self):
        self.click("[data-field=ten]")
        self.wait("return document.querySelector('[data-field=learning]').innerText === 'Play'")

    def tab(self, title):
        self.ask("clickOn", "[role=tab]", title)

    def node(self, name):
        """Choose a node by its name."""
        self.ask("blur")
        self.key("/", name)
        texts = self.texts("#found li code")
        exact = [i for i, text in enumerate(texts) if text.split(" = ")[0] == name]
        self.click("#found li", exact[0])

    def gradient(self):
        """The numbers of the chosen node's gradient."""
        return [float(cell) for cell in self.ask("cells", "#node", "gradient")[0]]

    def loss(self):
        return float(self.text("#changes b.mono"))

    def everything(self):
        """All that the drawing and the panel show."""
        shown = "#world", "#panel > :not([hidden])", "#code", "#now"
        return [self.ask("each", one, "innerHTML") for one in shown]


@pytest.fixture
def opened(browser, tmp_path):
    pytest.importorskip("pygraphviz")

    def open_page(loss, **options):
        return Live(browser, mg.explore(loss, tmp_path / "page.html", **options))

    return open_page


@pytest.mark.slow
def test_a_page_shows_what_it_computes_as_what_it_brings_along(opened, monkeypatch):
    """A large page has its leaves, and computes the rest when it is opened."""
    monkeypatch.setattr(packing, "SMALL", 4)
    shown = []
    for spare in (1 << 20, 0):
        monkeypatch.setattr(packing, "SPARE", spare)
        page = opened(mlp())
        left_out = [a for a in contents(page.file.read_text("utf-8"))["arrays"] if "p" in a]
        assert (len(left_out) > 10) == (spare == 0)
        page.tab("Table")
        shown.append([page.text("#listing"), page.run("return document.body.innerText.length")])
        page.quiet()
    assert shown[0] == shown[1]


@pytest.mark.slow
def test_a_large_page_begins_with_its_leaves_also_where_something_computed_equals_one(
    opened, monkeypatch
):
    """The table of positions of a small GPT, all of whose rows are looked up; it was left to the page,
    which had to begin with it."""
    monkeypatch.setattr(packing, "SMALL", 4)
    monkeypatch.setattr(packing, "SPARE", 0)
    table = mg.Tensor(np.arange(6.0).reshape(3, 2), requires_grad=True, name="table")
    with mg.record():
        loss = np.sum(np.tanh(mg.functional.embedding(table, np.arange(3))))
    page = opened(loss)
    page.node("table")
    page.quiet()


def test_the_page_of_ten_lines_is_small(tmp_path):
    assert mg.explore(ten_lines(), tmp_path / "page.html").stat().st_size < 250_000


# --- changing a number ------------------------------------------------------------------------------


def test_a_number_is_typed_and_all_that_follows_is_computed_again(opened):
    """By hand: x = [3, 2], x @ w = [-2, 5], h = [0, 5], y = [3, 7], and back: x.grad = [20, 28]."""
    page = opened(ten_lines())
    page.type("x[0]", "3")
    assert page.loss() == 58
    assert page.text("#live") == "x[0] is 3. loss is 58"
    page.node("x")
    assert page.gradient() == [20, 28]
    assert page.count(".card.changed") == 6  # all but w, of which only the gradient is another
    page.quiet()


@pytest.mark.slow
def test_arrow_keys_and_dragging_step_a_number(opened):
    from selenium.webdriver import ActionChains

    page = opened(ten_lines())
    page.field("x[1]").click()
    page.key(UP, UP, DOWN, UP)
    assert page.field("x[1]").get_attribute("value") == "2.2"
    assert page.run("return document.activeElement.getAttribute('aria-label')") == "x[1]"
    drag = ActionChains(page.browser.driver).move_to_element(page.field("w[1, 1]"))
    drag.click_and_hold().move_by_offset(31, 0).pause(0.1).release().perform()
    assert float(page.field("w[1, 1]").get_attribute("value")) == 1.5
    page.with_control("z")  # all of the drag, then all of the keys
    assert float(page.field("w[1, 1]").get_attribute("value")) == 1
    page.with_control("z")
    assert float(page.field("x[1]").get_attribute("value")) == 2
    page.type("x[1]", "0.12345678")
    exactly = lambda: round(float(page.field("x[1]").get_attribute("aria-valuenow")), 8)
    drag = ActionChains(page.browser.driver).move_to_element(page.field("x[1]"))
    drag.click_and_hold().move_by_offset(31, 0).pause(0.1)
    drag.move_by_offset(-31, 0).release().perform()
    assert exactly() == 0.12345678  # there and back
    drag = ActionChains(page.browser.driver).move_to_element(page.field("x[1]"))
    drag.w3c_actions.pointer_action.pointer_down(button=2)
    drag.move_by_offset(31, 0).pause(0.1).perform()  # with the right button it is no drag
    drag.reset_actions()
    assert exactly() == 0.12345678
    page.quiet()


@pytest.mark.slow
def test_what_changed_is_marked_with_what_it_was(opened):
    page = opened(ten_lines())
    page.type("w[0, 1]", "-4")
    assert page.field("w[0, 1]").get_attribute("title").startswith("was 1\n")
    assert page.field("w[0, 1]").get_attribute("aria-valuetext") == "-4, was 1"
    assert page.count("#overview .number-field.changed") == 1
    page.node("h")
    titles = page.ask("each", "#node td.changed", "title")
    assert "[1] = 0, was 3" in titles
    assert not any(t.startswith("[0] = 0") for t in titles)  # h[0] is 0 as before


@pytest.mark.slow
def test_undo_is_complete(opened):
    page = opened(ten_lines())
    page.key("b", "\ue014")
    page.click("#panel-tabs button")  # it tells of this step
    page.key("\ue012", "\ue014")
    before = page.everything()
    page.click("#panel-tabs button")
    for name, number in (("x[0]", "5"), ("w[1, 0]", "0.25"), ("x[0]", "-1e30")):
        page.type(name, number)
    after = page.loss()
    for _ in range(3):
        page.with_control("z")
    page.ask("blur")
    page.key("\ue012", "\ue014")
    assert page.everything() == before
    for _ in range(3):
        page.with_control("Z")
    assert page.loss() == after
    page.click("[data-field=first]")
    assert page.text("#changes b") == "As it was written"
    page.with_control("z")  # that, too, can be undone
    assert page.loss() == after


@pytest.mark.slow
def test_all_is_as_written_again_though_the_first_changes_are_forgotten(opened):
    page = opened(ten_lines())
    page.type("x[0]", "3")
    page.tab("Learn")
    page.click("[data-field^=learns-]")  # x keeps its 3
    page.ask("choose", "[data-field=rate]", "1e-9")
    page.learn_ten_steps()
    page.ask("focus", "#time")
    page.key("\ue014")  # a control that has no text
    page.with_control("z")
    assert page.text("#live").startswith("Undone: learning, 10 steps.")
    page.tab("Learn")
    page.learn_ten_steps()
    page.run("for (let i = 0; i < 300; i++) document.querySelector('[data-field=one]').click()")
    assert "After 310 steps" in page.text("#learn")
    page.click("[data-field=first]")
    assert page.text("#changes b") == "As it was written"
    assert page.loss() == 26
    page.quiet()


@pytest.mark.slow
def test_what_is_no_number_changes_nothing(opened):
    page = opened(ten_lines())
    page.type("x[0]", "many")
    assert page.text(".refused") == page.text("#live") == "“many”? That is no number. 1 stays."
    assert page.field("x[0]").get_attribute("value") == "1"
    page.type("x[0]", "-1,5")
    assert page.run("return document.querySelector('.refused')") is None
    assert page.field("x[0]").get_attribute("value") == "-1.5"


@pytest.mark.slow
def test_on_a_phone_what_a_change_does_stays_in_sight_above_its_field(opened):
    page = opened(ten_lines())
    with page.of_size(390, 844):
        page.run(
            """document.querySelector("[aria-label='x[1]']").scrollIntoView({ block: "center" })"""
        )
        page.type("x[1]", "7")
        assert page.text("#changes b") == "1 number changed"
        assert (
            page.run("return document.getElementById('changes').getBoundingClientRect().top") == 0
        )
    assert page.ask("inside", "#changes", "#tabs")


@pytest.mark.slow
def test_infinities_are_typed_and_integers_keep_to_their_range(opened):
    x = mg.Tensor([1.0, np.inf, np.nan], requires_grad=True)
    few = np.array([1, 2, 250], np.uint8)
    with mg.record(), np.errstate(all="ignore"):
        loss = np.sum(x * few)
    with np.errstate(all="ignore"):
        page = opened(loss)

    def shown(name, typed=None, keys=()):
        if typed:
            page.type(name, typed)
        page.field(name).click()
        page.key(*keys, ENTER)
        return page.field(name).get_attribute("value"), page.text("#live")

    words = ["-inf", "nan", "inf", "2"]
    assert [shown("x[0]", text)[0] for text in words] == words
    assert [shown("x[0]", text)[0] for text in ("-1/4", "1/0", "1/2/3", "2")] == ["-0.25"] * 3 + [
        "2"
    ]
    assert shown("x[1]", "3")[0] == "3"
    page.with_control("z")
    assert shown("x[1]", keys=(DOWN,))[0] == "inf"  # no step leads from it to another number
    told = "“{}”? It can only have whole numbers from 0 to 255. 1 stays."
    for text in ("2.5", "inf", "300", "-1", "nan"):
        assert shown("few[0]", text) == ("1", told.format(text))
    assert shown("few[2]", keys=[UP] * 7)[0] == "255"
    page.quiet()


@pytest.mark.slow
def test_numbers_of_a_large_array_are_chosen_from_its_picture(opened):
    w = mg.Tensor(np.random.default_rng(0).standard_normal((9, 30)), requires_grad=True, name="w")
    with mg.record():
        loss = np.sum(w * w)
    page = opened(loss)
    page.node("w")
    page.ask("focus", "#node canvas")
    page.key(ENTER)  # the first element
    page.key("2", ENTER)
    now = np.sum(np.square(w.data)) - w.data[0, 0] ** 2 + 4
    np.testing.assert_allclose(page.loss(), now, rtol=1e-3)


@pytest.mark.slow
def test_constants_of_a_line_can_be_changed(opened):
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        loss = np.sum(x**2 * 3)
    page = opened(loss)
    page.click(".card", 2)
    names = page.ask("each", "#node .number-field", "ariaLabel")
    assert len(names) == 1
    page.type(names[0], "3" if "**" in names[0] else "5")
    assert page.loss() in (27, 25)


@pytest.mark.slow
def test_a_mask_is_turned_by_a_click_and_symbols_are_chosen(opened):
    words = ["the", "cat", "sat", "on", "it"]
    page = opened(attention(), tokens={"": (words, words)})
    page.node("mask")
    page.click("#node .cell-switch", 1)  # the first query may see the second key
    assert page.count("#node .cell-switch.changed") == 1
    page.tab("Attention")
    page.ask("focus", ".heads canvas")
    page.key("m")  # the first query may not see the first key
    assert page.text("#cell h2") == "“the” looks at “the”"
    assert "The mask hides this key" in page.text("#cell")
    assert page.text("#live").startswith("mask[0, 0] is False.")
    page.quiet()


@pytest.mark.slow
def test_ids_are_chosen_from_the_vocabulary(opened):
    table = mg.Tensor(np.arange(8.0).reshape(4, 2), requires_grad=True, name="table.weight")
    ids = np.array([2, 0])
    with mg.record():
        loss = np.sum(F.embedding(table, ids))
    page = opened(loss, vocabularies={"table": ["<pad>", "a", "b", " "]})
    page.node("ids")
    options = page.texts("#node select:first-of-type option")
    assert options[:4] == ["<pad>", "a", "b", "␣"]
    page.ask("choose", "#node select", 3)
    assert page.loss() == 6 + 7 + 0 + 1
    page.node("table.weight")
    assert page.gradient() == [1, 1, 0, 0, 0, 0, 1, 1]


@pytest.mark.slow
def test_by_keyboard_alone_with_names_for_all(opened):
    page = opened(ten_lines())
    for _ in range(60):
        page.key(TAB)
        if page.run("return document.activeElement.getAttribute('role') === 'spinbutton'"):
            break
    else:
        raise AssertionError("no number was reached")
    page.key(UP)
    assert "changed" in page.text("#changes")
    for title in ("Learn", "What if", "Node"):
        page.tab(title)
        assert page.ask("unnamed") == 0


# --- learning ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_learning_is_gradient_descent(opened):
    page = opened(mlp())
    page.tab("Learn")
    page.ask("choose", "[data-field=rate]", "0.2")
    page.learn_ten_steps()
    page.learn_ten_steps()
    mg.manual_seed(1)
    model = Net()
    x = np.random.default_rng(0).standard_normal((5, 2)).astype(np.float32)
    target = np.array([[1.0], [0.0], [1.0], [0.0], [1.0]], dtype=np.float32)
    learner = optim.SGD(model.parameters(), lr=0.2)
    for _ in range(20):
        learner.zero_grad()
        np.mean(np.square(model(x) - target)).backward()
        learner.step()
    wanted = np.mean(np.square(model(x) - target)).item()
    np.testing.assert_allclose(page.loss(), wanted, rtol=2e-4)  # as far as its digits go
    assert "After 20 steps" in page.text("#learn")
    page.with_control("z", "z")
    assert page.text("#changes b") == "As it was written"
    page.quiet()


@pytest.mark.slow
def test_learning_that_diverges_says_so(opened):
    page = opened(ten_lines())
    page.tab("Learn")
    page.ask("choose", "[data-field=rate]", "1")
    page.learn_ten_steps()
    page.learn_ten_steps()
    assert "It diverged" in page.text("#learn")
    assert page.texts(".diverged") == ["diverged"]
    page.with_control("z", "z")
    assert page.text("#changes b") == "As it was written"
    page.quiet()


@pytest.mark.slow
def test_play_goes_on_until_it_is_stopped(opened):
    page = opened(ten_lines())
    page.tab("Learn")
    page.click("[data-field=learning]")
    page.wait("return Number(document.querySelector('#changes b.mono').innerText) < 25")
    page.click("[data-field=learning]")
    stopped = page.loss()
    page.ask("wait", 300)
    assert page.loss() == stopped
    page.with_control("z")  # all of it at once
    assert page.text("#changes b") == "As it was written"


@pytest.mark.slow
def test_a_prediction_is_asked_for_again_where_the_numbers_are_others(opened):
    page = opened(ten_lines())
    page.type("x[0]", "3")
    page.click("#predict")
    for told in ("np.sum", "y * y"):
        assert told in page.text("#step h2")
        while page.count("#step form.guess"):
            page.click("#step .guess button", 1)
        assert page.text("#step .verdict").startswith("Revealed")
        page.key("\ue014")
    page.key("\ue012")
    page.with_control("z")
    assert page.count("#step form.guess") == 2  # the gradients of y * y
    page.key("\ue012")
    assert page.count("#step form.guess") == 0  # that of the sum is 1 as before
    page.quiet()


# --- what if ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_switch_says_what_it_does_before_and_after(opened):
    page = opened(ten_lines())
    page.tab("What if")
    page.wait("return !document.querySelector('#whatif').innerText.includes('…')")
    told = page.texts("#whatif li")
    assert told[0].startswith("residual")
    assert "loss 26 → 9" in told[0]  # h alone: [0, 1], 1 ... the residual adds x
    page.click("#whatif .switch")
    assert page.ask("each", "#whatif .switch", "ariaChecked")[0] == "false"
    page.quiet()


# --- what stays fixed -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "marked", "told"),
    [
        (lambda y: np.full(3, y), ["largest", "z", "loss"], "from, largest, keeps its value"),
        (lambda y: y, ["z", "loss"], "A number in y / 6 keeps its value"),
    ],
)
def test_what_python_made_of_a_number_is_marked(opened, made, marked, told):
    x = mg.Tensor([1.0, 2.0, 3.0], requires_grad=True)
    with mg.record():
        y = x * 2
        largest = made(float(np.max(y).detach()))
        z = y / largest
        loss = np.sum(z)
    page = opened(loss)
    assert page.count(".card.fixed") == 0
    page.type("x[0]", "1.5")
    assert "largest = made(float" in page.text("#changes .fixed-lines")
    assert page.texts(".card.fixed .name") == marked
    page.node("z")
    assert told in page.text("#node")


def hidden(ids):
    """A mask that NumPy makes of ids, and a weight of each position that it does not."""
    table = mg.Tensor([[1.0], [2.0], [3.0]], requires_grad=True, name="table")
    weights = np.array([[1.0], [0.5]])
    mask = np.array([[i != 0] for i in ids.tolist()])
    return np.sum(np.where(mask, table[ids], 0) * weights)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("proven", "marked", "told"),
    [
        (True, {"mask"}, "Python or NumPy made it of that, as running the function again"),
        (False, {"mask", "weights"}, "Python or NumPy may have made it of numbers"),
    ],
)
def test_what_numpy_made_of_ids_is_marked_and_what_it_did_not_if_that_was_proven(
    opened, proven, marked, told
):
    ids = np.array([1, 2])

    def loss(ids):
        return hidden(ids)

    with mg.record():
        recorded = hidden(ids)
    page = opened(loss, inputs=[ids]) if proven else opened(recorded)
    page.type("ids[0]", "0")
    names = {*page.texts(".card.fixed .name")}
    assert names - marked == {"loss"}
    assert marked < names
    page.node("mask")
    assert told in page.text("#node")
    page.quiet()


@pytest.mark.slow
def test_a_decomposition_says_why_it_stays(opened):
    a = mg.Tensor([[2.0, 1.0], [0.0, 3.0]], requires_grad=True)
    with mg.record():
        inverse = np.linalg.inv(a)
        loss = np.sum(inverse)
    page = opened(loss)
    page.type("a[0, 0]", "4")
    page.node("inverse")
    told = "It keeps its numbers, whatever is changed: np.linalg.inv is not among the functions"
    assert told in page.text("#node")
    page.node("a")  # its value is another now: only its gradient stays
    value, gradient = page.text("#node").split("Gradient")
    assert told not in value
    assert told in gradient
    page.quiet()


@pytest.mark.slow
def test_a_gradient_is_marked_where_it_passes_through_a_mask_that_stays(opened):
    """Of np.where((x > 0) & (y > 0), x * y, x + y) the rules read the mask; that of x * y does not."""
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    y = mg.Tensor([1.5, -1.0], requires_grad=True)
    with mg.record():
        mask = np.array([bool(a > 0 and b > 0) for a, b in zip(x, y)])
        loss = np.sum(np.where(mask, x * y, x + y))
    page = opened(loss)
    assert page.count("#world .fixed") == page.count("#world .fixed-gradient") == 0
    page.type("x[0]", "-3")
    page.node("y")
    assert page.gradient() == [-3, 1]
    value, gradient = page.text("#node").split("Gradient")
    assert "fixed" not in value
    assert "What it is computed from, mask, keeps its value" in gradient
    marked = page.ask("texts", ".card.fixed-gradient .name")
    assert {"x", "y"} <= {*marked}
    assert "loss" not in marked
    page.key("b", "\ue014")  # np.where
    badges = page.texts("#step .share figcaption")
    assert sum("fixed" in one for one in badges if one.startswith("contribution")) == 2
    page.with_control("z")
    assert page.count(".card.fixed-gradient") == page.count("#step .badge") == 0
    page.quiet()


@pytest.mark.slow
def test_attention_is_marked_where_its_mask_stays(opened):
    x = mg.Tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 1.0]], requires_grad=True)
    with mg.record():
        seen = np.tri(3, dtype=bool) & (x[:, 0] > 0)
        weights = F.masked_softmax(x @ x.T / 2, seen)
        loss = np.sum(np.square(weights @ x))
    page = opened(loss)
    page.type("x[1, 0]", "-3")
    assert page.texts("#changes .badge")[:1] == ["fixed"]  # the loss
    page.tab("Attention")
    assert page.texts("#attention h2 .badge") == ["fixed"]
    page.ask("focus", ".heads canvas")
    page.key(ENTER)
    assert page.texts("#cell .big .badge") == ["fixed"]
    page.with_control("z")
    assert page.count("#attention .badge") == page.count("#cell .badge") == 0
    page.quiet()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda x: np.sum(x * x), None),
        (lambda x: x[0, 0] * np.sum(x @ x) + np.linalg.det(np.eye(2) + 0 * x), "Nothing can learn"),
        (lambda x: np.sum(x * float(np.max(x).detach())), "has a fixed part"),
        (lambda x: np.sum(x * x) + np.sum(np.sort(x.data)), None),
    ],
)
def test_learning_says_when_its_loss_has_a_fixed_part(opened, make, told):
    x = mg.Tensor([[2.0, 1.0], [0.5, 3.0]], requires_grad=True, name="x")
    with mg.record():
        loss = make(x)
    page = opened(loss)
    page.tab("Learn")
    if told is None:
        assert page.count("#learn .fixed") == 0
    else:
        assert told in page.text("#learn")
        assert page.count("#learn .fixed") > 0
    page.quiet()


def test_an_input_that_is_not_in_the_graph_is_named(tmp_path):
    x = mg.Tensor(np.ones((3, 4)), requires_grad=True)
    targets = np.array([1, 0, 2])
    loss = lambda x, targets, n: F.cross_entropy(x, np.array(targets.tolist()), ignore_index=n)
    page = contents(written(loss, tmp_path, inputs=[x, targets, 0]))
    assert [note[:26] for note in page["notes"]] == ["Input 2 of 3 has no card, "]
    assert "cross_entropy" in page["live"]["inside"].values()


def test_a_page_that_cannot_compute_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "PRODUCTS", 10)
    x = mg.Tensor(np.ones((3, 3)), requires_grad=True)
    with mg.record():
        loss = np.sum(x @ x)
    page = contents(written(loss, tmp_path))
    assert re.fullmatch(
        r"it has 81 products to sum, and a page computes with 10 at most", page["live"]["frozen"]
    )


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda x: x * 10**17, r"a page has no integers beyond 2 \*\* 53"),
        (lambda x: x * np.array([2**60, 1]), r"a page has no integers beyond 2 \*\* 53"),
        (lambda x: x.astype(np.float16), "a page does not compute with float16"),
    ],
)
def test_numbers_that_a_page_cannot_have_freeze_it(tmp_path, make, told):
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        loss = np.sum(make(x))
    page = contents(written(loss, tmp_path))
    assert re.fullmatch(told, page["live"]["frozen"])


def test_nan_and_infinities_are_numbers_of_a_page_too(tmp_path):
    x = mg.Tensor([np.nan, np.inf, -np.inf, 1.0], requires_grad=True)
    with mg.record(), np.errstate(all="ignore"):
        loss = np.sum(np.pad(x / x, 1, constant_values=-np.inf))
    with np.errstate(all="ignore"):
        page = contents(written(loss, tmp_path))
    assert "frozen" not in page["live"]


@pytest.mark.parametrize("masked", [False, True])
def test_the_line_that_reads_an_argument_is_named(tmp_path, masked):
    """Of what NumPy made of the argument, too, which stands in the graph where it is used."""
    table = mg.Tensor(np.ones((4, 2)), requires_grad=True)

    def loss(ids):
        mask = ids != 0
        n = int(np.sum(mask))
        return np.sum(table[ids] * mask[:, None] if masked else table[ids]) / n

    page = contents(written(loss, tmp_path, inputs=[np.array([1, 0, 3])]))["live"]
    (read,) = page["reads"]
    assert read["line"].endswith("n = int(np.sum(mask))")


@pytest.mark.parametrize("sizes", [(5, 3), (3, 5)])
def test_ids_are_chosen_from_the_smallest_table_that_they_pick_from(tmp_path, sizes):
    large, small = (mg.Tensor(np.ones((n, 2)), requires_grad=True) for n in sizes)
    ids = np.array([0, 1])
    with mg.record():
        loss = np.sum(large[ids] * small[ids])
    page = contents(written(loss, tmp_path))["live"]
    assert [pick["size"] for pick in page["picks"].values()] == [3]


@pytest.mark.parametrize("zeros", [[0.0, -0.0], [-0.0, -0.0], [0.0, 0.0]])
def test_zeros_keep_their_signs(tmp_path, zeros):
    x = mg.Tensor([1.0, 2.0], requires_grad=True, dtype=np.float64)
    with mg.record():
        y = x * x
    y.backward(np.array(zeros))
    page = contents(written(y, tmp_path))["live"]
    slot = max(page["gradient"].items(), key=lambda one: int(one[0]))[1]  # of y
    filled = {one["slot"]: one["value"] for one in page["filled"]}
    held = {one["slot"]: np.frombuffer(base64.b64decode(one["bytes"])) for one in page["held"]}
    found = held[slot] if slot in held else np.full(2, filled[slot])
    assert np.signbit(found).tolist() == np.signbit(zeros).tolist()


@pytest.mark.slow
def test_a_constant_that_is_nan_is_shown(opened):
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        loss = np.sum(np.maximum(x, np.nan))
    page = opened(loss)
    page.click(".card", 1)
    assert page.run("return document.querySelector('#node .number-field').value;") == "nan"
    page.quiet()


def test_ten_lines_take_less_than_300_kb(tmp_path):
    assert len(written(ten_lines(), tmp_path).encode()) < 300_000
