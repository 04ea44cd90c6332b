"""The picture from letters to a symbol: what a part does is what the model, run without it, tells."""

import re
from decimal import Decimal

import numpy as np
import pytest
from extras import without_graphviz
from pages import contents
from some_readers import a_reader, untrained

import minigrad as mg
from minigrad.nn import Module
from minigrad.views.page import replay
from minitransformer.model import multi_head
from minitransformer.training.vocabulary import BOS, EOS, PAD
from minitransformer.views.explain import explain

LINE = {"encoder-decoder": "3 march 1998", "decoder": "3 march 1998", "text": "the quick"}
KNOWN = "return !!document.querySelector('#flow-summary .moral')"
PARTS = """
return [...document.querySelectorAll(".flow [data-lost]")].map((e) =>
  [e.dataset.key, Number(e.dataset.lost), e.getAttribute("class"), e.getAttribute("d")]);
"""
CHOSEN = """
return [...document.querySelectorAll("#flow-steps button")].findIndex((b) => b.ariaChecked === "true");
"""
HEAD = "return Number(document.querySelector('.flow .head').getAttribute('height'))"
NEVER = (PAD, BOS)
CALL = Module.__call__
MEASURED = "return !document.querySelector('.flow .part:not([data-lost])')"
WRITTEN = "return [...document.querySelectorAll('#flow-steps button')].map((b) => b.innerText)"


class Cut:
    """The model in Python, with some attention weights set to 0 after the softmax, by hand.

    Attributes:
        zeros: of each attention, by its place in a pass: what to set to 0 in its weights (H, T, S).
        weights: those of the last pass, as they were before.
    """

    def __init__(self, reader, monkeypatch):
        self.reader, self.zeros, self.weights = reader, {}, []
        whole = multi_head.attention

        def attention(q, k, v, *args, **kwargs):
            _, weights = whole(q, k, v, *args, **kwargs)
            gate = np.ones(weights.shape, np.float32)
            for place in self.zeros.get(len(self.weights), []):
                gate[0][place] = 0
            self.weights.append(weights.numpy()[0])
            return (weights * gate) @ v, weights

        monkeypatch.setattr(multi_head, "attention", attention)

    def scores(self, inputs, zeros=None):
        """The scores (T, N) of each next symbol, without these weights."""
        self.zeros, self.weights = zeros or {}, []
        with mg.no_grad():
            return self.reader.model(*inputs).numpy()[0].astype(float)

    def margin(self, inputs, row, symbol, zeros=None):
        """How far the score of a symbol is above the best of the others that may be written."""
        scores = self.scores(inputs, zeros)[row]
        return scores[symbol] - max(s for i, s in enumerate(scores) if i not in (*NEVER, symbol))

    def written(self, source, zeros):
        """What it writes without these weights, symbol by symbol."""
        ids = [BOS]
        while len(ids) <= self.reader.longest_target + 1 and ids[-1] != EOS:
            row = self.scores([source, np.array([ids])], zeros)[-1]
            row[[*NEVER]] = -np.inf
            ids.append(int(np.argmax(row)))
        return ids[1:]


def without(monkeypatch, *parts):
    """Let modules give zeros; an attention gives weights beside them."""

    def call(module, *args, **kwargs):
        given = CALL(module, *args, **kwargs)
        if all(module is not part for part in parts):
            return given
        return (0 * given[0], given[1]) if isinstance(given, tuple) else 0 * given

    monkeypatch.setattr(Module, "__call__", call)


def opened(browser, tmp_path, kind):
    reader = a_reader(kind, tmp_path, 60)
    browser.open(explain(reader, LINE[kind], tmp_path / "page.html"))
    browser.wait(KNOWN)
    return reader


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "tied"), [("encoder-decoder", "none"), ("encoder-decoder", "all"), ("decoder", "none")]
)
def test_the_stages_are_found_in_the_graph(tmp_path, monkeypatch, kind, tied):
    """Of each module its result, and of an attention its weights, by their shapes.

    An embedding of both sides has a result for each.
    """
    monkeypatch.setattr(replay, "checks", lambda graph: {})
    without_graphviz(monkeypatch)
    layer = ["self-attention", "feed-forward"]
    sides = {"target": ["embedding", *2 * layer, "unembedding"]}
    if kind == "encoder-decoder":
        layers = ["self-attention", "cross-attention", "feed-forward"]
        sides = {
            "source": ["source embedding", *2 * layer],
            "target": ["target embedding", *2 * layers, "unembedding"],
        }
    reader = untrained(kind, layers=2, tied=tied)
    page = explain(reader, reader.source.symbols[0], tmp_path / "page.html")
    told = contents(page.read_text(encoding="utf-8"))["another"]
    shape = lambda slot: told["kinds"][told["slots"][slot]]["shape"]
    stages = told["stages"]
    assert {s: [one["name"] for one in stages if one["side"] == s] for s in sides} == sides
    assert len(stages) == sum(map(len, sides.values()))
    lengths = dict(zip(["source", "target"][-len(told["inputs"]) :], told["inputs"]))
    for stage in stages:
        last = stage["name"] == "unembedding"
        assert (stage["layer"] is None) == ("embedding" in stage["name"])
        assert (stage["cut"] is None) == last
        width = len(told["symbols"]) if last else 8
        assert shape(stage["out"]) == [1, shape(lengths[stage["side"]])[1], width]
        if stage["reads"] is not None:
            queries, keys = (shape(lengths[stage[side]])[1] for side in ("side", "reads"))
            assert shape(stage["weights"]) == [1, 2, queries, keys]
    assert told["results"][0] == stages[-1]["out"]
    outs = [stage["out"] for stage in stages]
    assert outs == sorted({*outs})


def reading(browser, tmp_path, kind):
    """A page is opened: the reader that it is of, the ids that its model is given, and what it wrote."""
    reader = opened(browser, tmp_path, kind)
    source = reader.encode([LINE[kind]])
    written = reader.beginning(source, reader.write(source))
    return reader, reader.inputs(source, written), written


@pytest.mark.slow
@pytest.mark.parametrize("kind", LINE)
def test_a_ribbon_is_as_wide_as_attention_and_tells_what_the_margin_loses(
    browser, tmp_path, monkeypatch, kind
):
    reader, inputs, written = reading(browser, tmp_path, kind)
    step = browser.run(CHOSEN)
    at = inputs[-1].shape[1] - written.shape[1] + step, written[0, step]
    model = Cut(reader, monkeypatch)
    now = model.margin(inputs, *at)
    weights, high = model.weights, browser.run(HEAD)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    stages = contents(page)["another"]["stages"]
    attentions = {1: 0, 4: 1, 5: 2} if kind == "encoder-decoder" else {1: 0}  # of the stages
    checked = []
    for key, lost, classes, d in browser.run(PARTS):
        name, *numbers = key.split()
        place, *where = [int(n) for n in numbers]
        if name == "edge":
            zeros = {attentions[place]: [tuple(where)]}
            x, y = [float(v) for v in re.findall(r" ([\d.]+)V([\d.]+)", d)[0]]
            assert (y - x) / high == pytest.approx(
                weights[attentions[place]][tuple(where)], abs=1e-3
            )
        elif name == "head":
            zeros = {attentions[place]: [tuple(where)]}
        elif name == "letter":
            zeros = {2: [(slice(None), place, *where)]}
        else:
            modules = dict(reader.model.named_modules())
            without(monkeypatch, modules[stages[place]["path"]])
            zeros = {}
        wanted = now - model.margin(inputs, *at, zeros)
        monkeypatch.setattr(Module, "__call__", CALL)
        assert lost == pytest.approx(wanted, abs=3e-3), key
        if abs(abs(lost) / max(1, abs(now)) - 0.02) > 1e-3:  # the colour
            small = abs(lost) < 0.02 * max(1, abs(now))
            assert ("nothing" if small else "for" if lost > 0 else "against") in classes.split()
        checked.append(name)
    kinds = {"edge", "head", "letter", "stage"}
    assert {*checked} == (kinds if len(attentions) > 1 else kinds - {"letter"})
    assert len(checked) > 10
    assert browser.messages() == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", LINE)
def test_at_first_the_symbol_is_followed_that_a_blind_model_guesses_worst(
    browser, tmp_path, monkeypatch, kind
):
    """Blind: without cross-attention; and without any where there is none."""
    reader, inputs, written = reading(browser, tmp_path, kind)
    first = inputs[-1].shape[1] - written.shape[1]
    name = "cross_attention" if kind == "encoder-decoder" else "self_attention"
    parts = [m for path, m in reader.model.named_modules() if path.endswith(name)]
    model = Cut(reader, monkeypatch)
    whole = [model.margin(inputs, first + t, symbol) for t, symbol in enumerate(written[0])]
    without(monkeypatch, *parts)
    leads = [model.margin(inputs, first + t, symbol) for t, symbol in enumerate(written[0])]
    scores = model.scores(inputs)[first:]
    scores[:, NEVER] = -np.inf
    assert browser.run(CHOSEN) == np.argmin(leads)
    monkeypatch.setattr(Module, "__call__", CALL)
    said = browser.run(SUMMARY)  # and the model sees again
    assert f" is {whole[np.argmin(leads)]:.1f} ahead of" in said
    named = lambda i: f"“{ {'<eos>': 'end', ' ': '␣'}.get(*2 * reader.writes.tokens([i])) }”"
    for t in {int(np.argmin(leads)), int(np.argmax(leads))}:
        browser.ask("click", "#flow-steps button", t)
        browser.wait(KNOWN)
        guess = scores[t].argmax()
        same = f"it writes {named(guess)} here all the same, {leads[t]:.1f} ahead"
        other = f"it would write {named(guess)} here"
        assert (same if guess == written[0][t] else other) in browser.run(SUMMARY)


@pytest.mark.slow
def test_of_a_part_is_said_which_scores_it_raises_and_of_the_last_stage_the_scores(
    browser, tmp_path, monkeypatch
):
    reader = opened(browser, tmp_path, "encoder-decoder")
    browser.wait(MEASURED)
    source = reader.encode([LINE["encoder-decoder"]])
    inputs = reader.inputs(source, reader.beginning(source, reader.write(source)))
    step, model = browser.run(CHOSEN), Cut(reader, monkeypatch)
    number = lambda v: f"{v:.1f}".replace("-", "−")
    quoted = lambda i: f"“{ {'<eos>': 'end'}.get(*2 * reader.writes.tokens([i])) }”"
    allowed = [i for i in range(len(reader.writes)) if i not in NEVER]
    now = model.scores(inputs)[step]
    modules = dict(reader.model.named_modules())
    rivals = set()
    heads = [(f"head {s} {h}", {i: [(h,)]}, None) for i, s in enumerate((1, 4, 5)) for h in (0, 1)]
    for key, zeros, module in (
        ("stage 2", {}, "encoder.layers.0.feed_forward"),
        ("stage 6", {}, "decoder.layers.0.feed_forward"),
        *heads,
    ):
        without(monkeypatch, modules.get(module))
        cut = model.scores(inputs, zeros)[step]
        monkeypatch.setattr(Module, "__call__", CALL)
        by = now - cut - (now - cut)[allowed].mean()
        own = max(allowed, key=now.__getitem__)
        rival = max((i for i in allowed if i != own), key=cut.__getitem__)
        signed = lambda v: f"{v:+.{2 if abs(v) < 0.95 else 1}f}".replace("-", "−")
        browser.run(SELECT, key)
        told = browser.run(SUMMARY)
        would = re.findall(r"would be [\d.]+ (?:ahead of|behind) (“.+?”), not", told)
        assert would in ([], [quoted(rival)]), key  # of what does nothing it is not said
        assert (
            f"changes the score of {quoted(own)} by {signed(by[own])}, and that of {quoted(rival)}, "
            f"the next best without it, by {signed(by[rival])}."
        ) in told, key
        rivals.update(would)
    assert len(rivals) > 1
    browser.run(SELECT, "stage 7")
    best = sorted(allowed, key=lambda i: -now[i])[:4]
    told = ", ".join(f"{quoted(i)} {number(now[i])}" for i in best)
    assert f"the vector of each symbol: {told}." in browser.run(SUMMARY)
    assert browser.messages() == []


@pytest.mark.slow
def test_a_symbol_is_chosen_and_a_head_cut_by_keys_alone(browser, tmp_path, monkeypatch):
    """What it then writes is what the model writes without that head."""
    from selenium.webdriver import Keys

    reader = opened(browser, tmp_path, "encoder-decoder")
    before = browser.run(WRITTEN)
    step = browser.run(CHOSEN)
    keys = lambda *keys: browser.driver.switch_to.active_element.send_keys(*keys)
    browser.ask("focus", "#flow-steps [tabindex='0']")
    keys(Keys.ARROW_LEFT)
    assert browser.run(CHOSEN) == (step - 1) % len(before)
    assert browser.run("return document.getElementById('time').value") == "0"  # it stays there
    browser.wait(KNOWN)
    browser.ask("focus", "#flow-heads li:nth-child(3) button:nth-of-type(2)")
    keys(Keys.ENTER)
    assert "head 2 of cross-attention" in browser.ask("text", "#flow-details h2").lower()
    browser.ask("focus", "#flow-details .switch")
    keys(Keys.SPACE)
    source = reader.encode(["3 march 1998"])
    ids = Cut(reader, monkeypatch).written(source, {2: [(1,)]})
    names = [{"<eos>": "end"}.get(t, t) for t in reader.writes.tokens(ids)]
    assert browser.run(WRITTEN) == names != before
    assert browser.ask("count", ".flow .head.off") == 1
    browser.wait(MEASURED)
    focused = "return document.activeElement.getAttribute('aria-label')"
    assert browser.run(focused) == "head 2 of cross-attention: cut"
    browser.ask("clickOn", "#flow-cut button", "Put all back")
    assert browser.run(WRITTEN) == before
    assert browser.messages() == []


@pytest.mark.slow
def test_a_click_on_a_ribbon_opens_its_numbers_and_on_a_letter_its_ribbons(browser, tmp_path):
    opened(browser, tmp_path, "encoder-decoder")
    browser.ask("click", "#share-open", 0)
    assert "From letters to a symbol" in browser.ask("texts", ".share-row span")
    browser.ask("clickOn", "#share button", "Close")
    ribbons = "[data-key^='edge 5 ']"
    browser.ask("click", f".flow {ribbons}", 0)
    assert "works" not in browser.ask("text", "#cell h2")
    assert "looks at" in browser.ask("text", "#cell h2")  # of the panel that there was
    cell = browser.ask("text", "#cell")
    row, column = browser.run(
        f'return document.querySelector(".flow {ribbons}").dataset.key'
    ).split()[3:]
    assert f"(position {row}), the key" in cell  # the start is none
    assert f"(position {int(column) + 1})" in cell
    slope = float(re.search(r"by the score\s+(\S+)", cell)[1].replace("−", "-"))
    assert ("would raise the loss" if slope > 0 else "would lower the loss") in cell
    key = browser.run(f'return document.querySelector(".flow {ribbons}").dataset.key')
    assert browser.ask("texts", "#flow-summary .switch") == ["on"]
    other = browser.run(
        "return document.querySelector('.flow [data-key^=\"edge 1 \"]').dataset.key"
    )
    browser.ask("choose", "#flow-letter", "0")
    assert browser.ask("text", "#flow-summary b") == "letter 1, “3”"
    browser.wait(MEASURED)
    now = browser.run("return document.querySelector('.flow [data-key^=\"edge 1 \"]').dataset.key")
    assert now.split()[:3] == other.split()[:3]
    assert now != other
    assert browser.ask("count", f'.flow [data-key="{key}"]') == 1  # the other stages are as before
    browser.ask("clickOn", "#panel-tabs button", "Overview")
    loss = browser.ask("text", "#overview .big")
    browser.ask("clickOn", "#panel-tabs button", "What if")
    assert browser.ask("text", "#whatif h2") == f"loss = {loss}"
    browser.wait("return document.querySelector('#whatif .switches-list .mono')")
    told = browser.ask("text", "#whatif")
    assert f"{loss} →" in told
    assert "<eos>" not in told
    browser.ask("clickOn", "#flow-stages .link", "encoder feed-forward")
    browser.ask("clickOn", "#flow-details button", "Its box in the drawing")
    assert browser.run("return document.getElementById('time').value") != "0"
    browser.ask("clickOn", "#tab-buttons button", "Reading")
    browser.wait("return !!document.querySelector('#flow-stages [aria-current=step]')")
    assert "encoder feed-forward" in browser.ask("text", "#flow-stages [aria-current=step]")
    assert browser.messages() == []


SELECT = """
document.querySelector(`.flow [data-key="${arguments[0]}"]`).dispatchEvent(
  new MouseEvent("click", { bubbles: true }));
"""
POINT = """
const shape = document.querySelector(`.flow [data-key="${arguments[0]}"].head`);
const { left, top, width, height } = shape.getBoundingClientRect();
const place = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true };
shape.dispatchEvent(new PointerEvent("pointermove", place));
const tip = document.getElementById("tip").getBoundingClientRect();
const covers = (one) => {
  const box = one.getBoundingClientRect();
  return box.left < tip.right && box.right > tip.left && box.top < tip.bottom && box.bottom > tip.top;
};
const kept = [...document.querySelectorAll(".flow .head, .flow .end"), document.getElementById("panel")];
return [document.getElementById("tip").hidden, kept.filter(covers).length,
        document.getElementById("flow-pointed").innerText];
"""
FADED = """
const opacity = (e) => Number(getComputedStyle(e).opacity);
const all = (selector) => [...document.querySelectorAll(selector)].map(opacity);
return [Math.max(...all(".flow .head:not(.for)")), Math.min(...all(".flow .head.for"))];
"""
FRAME = """
return getComputedStyle(document.querySelector(".flow :is(.head, .symbol).chosen")).strokeWidth;
"""
SUMMARY = "return document.getElementById('flow-summary').innerText"
FITS = """
const beside = document.getElementById("flow-beside");
return [document.getElementById("flow-picture").getBoundingClientRect().bottom,
        document.querySelector("footer").getBoundingClientRect().top,
        beside.scrollHeight - beside.clientHeight];
"""
TYPE = """
const field = document.getElementById("another-line");
field.value = arguments[0];
field.dispatchEvent(new Event("input"));
"""
TOP = "return document.querySelector('#flow-summary .switch').getBoundingClientRect().top"


def read_most(model, at, symbols, starts):
    """The three widest weights of a head's row, as the page words them."""
    best = np.argsort(-model, kind="stable")[:3]
    place = lambda k: f"({symbols[0]} {k if starts else k + 1})"
    name = lambda k: f"“{at[k]}”" if starts and k == 0 else f"“{at[k]}” {place(k)}"
    return [f"{name(k)} {100 * model[k]:.0f}%" for k in best if model[k] >= 0.005]


@pytest.mark.slow
def test_beside_the_picture_stands_what_a_head_reads_and_the_steps_above_it(
    browser, tmp_path, monkeypatch
):
    reader = opened(browser, tmp_path, "encoder-decoder")
    browser.driver.set_window_size(1400, 900)
    browser.wait(MEASURED)
    source = reader.encode([LINE["encoder-decoder"]])
    written = reader.beginning(source, reader.write(source))
    step = browser.run(CHOSEN)
    model = Cut(reader, monkeypatch)
    model.scores(reader.inputs(source, written))
    letters = [c.replace(" ", "␣") for c in LINE["encoder-decoder"]]
    inputs = reader.inputs(source, written)
    alone = lambda k: model.margin(inputs, step, written[0, step], {2: [np.s_[:, step, k]]})
    needed = {f"“{letters[k]}”" for k in range(source.shape[1]) if alone(k) < 0}
    helping = re.search("Letters that help most: (.*)", browser.run(SUMMARY))[1]
    assert needed >= {part.split()[0] for part in helping.split("; ") if "→" in part}
    assert ("→" in helping) is bool(needed)
    assert ("No single one is needed" in browser.run(SUMMARY)) is (not needed)
    model.scores(inputs)
    so_far = ["start", *reader.writes.tokens(written[0])]
    for stage, weights, at, unit, starts in (
        (5, model.weights[2][1, step], letters, ["letter"], False),
        (4, model.weights[1][1, step], so_far, ["symbol"], True),
    ):
        browser.run(SELECT, f"head {stage} 1")
        said = browser.run(SUMMARY)
        assert ", ".join(read_most(weights, at, unit, starts)) in said.replace("\n", " ")
        assert browser.run(FRAME) == "2.6px"
    hidden, covered, pointed = browser.run(POINT, "head 5 0")
    assert (hidden, covered) == (False, 0)
    assert "head 1 of cross-attention" in pointed
    assert "it looks in the line at: “" in pointed
    browser.run(SELECT, "head 5 0")
    assert browser.run("return document.getElementById('tip').hidden")
    browser.run(SELECT, "row 3")
    said = browser.run(SUMMARY)
    assert "letter 4, “a”" in said
    assert "Cut, no head of cross-attention can take anything from it." in said
    assert "alone, the numbers on boxes for all letters" in said
    assert browser.run(FRAME) == "2.6px"
    brought = []
    for k in range(len(letters)):
        others = np.array(model.weights[0][:, k], float)  # of a letter, by head
        others[:, k] = 0
        much = sorted(((w.max(), h, w.argmax()) for h, w in enumerate(others)), reverse=True)
        brought.append(
            [f"{letters[j]} {j + 1} {100 * w:.0f}% {h + 1}" for w, h, j in much if w >= 0.3]
        )
        browser.run(SELECT, f"row {k}")
        found = re.findall(r"“(.)” .letter (\d+). (\d+%) by head (\d+)", browser.run(SUMMARY))
        assert [" ".join(one) for one in found] == brought[-1][:2], k
    assert any(brought)
    browser.run(SELECT, "row 3")
    browser.wait(MEASURED)
    browser.ask("clickOn", "#flow-summary button", "All that leads to")
    faded, lit = browser.run(FADED)
    assert faded < 0.2 < 0.9 < lit
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    assert browser.run(top, "#flow-stages") < browser.run(top, "#flow-picture")
    browser.run(SELECT, "head 5 1")
    browser.ask("clickOn", "#flow-summary button", "All that it looks at")
    assert browser.run("return document.activeElement.id") == "flow-details"
    assert browser.messages() == []


@pytest.mark.slow
def test_the_picture_and_what_is_said_beside_it_are_seen_without_scrolling(browser, tmp_path):
    size = {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    cdp = browser.driver.execute_cdp_cmd
    cdp("Emulation.setDeviceMetricsOverride", size)
    try:
        opened(browser, tmp_path, "encoder-decoder")
        browser.wait(MEASURED)
        heads = re.search("Heads that do most: (.*)", browser.run(SUMMARY))[1].split("; ")
        assert all("looks at “" in head for head in heads if "encoder" not in head)
        browser.run(TYPE, "3 may 1998")
        browser.wait(MEASURED)
        picture, footer, cut = browser.run(FITS)
        assert picture <= footer
        assert cut <= 0, browser.run(SUMMARY)
    finally:
        cdp("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.slow
def test_ids_of_symbols_have_no_mean_and_cards_are_spoken_of_where_they_are(browser, tmp_path):
    opened(browser, tmp_path, "encoder-decoder")
    hint = "return document.getElementById('changes').offsetHeight > 0"
    shown = {}
    for tab in ("Reading", "Attention", "Drawing"):
        browser.ask("clickOn", "#tab-buttons button", tab)
        shown[tab] = browser.run(hint)
    assert shown == {"Reading": False, "Attention": False, "Drawing": True}
    browser.ask("clickOn", "#overview .change-one .link", "tokens")
    assert browser.ask("count", "#node .picks select") > 5
    assert browser.ask("count", "#node :is(.histogram, .trail)") == 0
    assert browser.messages() == []


@pytest.mark.slow
def test_after_a_cut_nothing_jumps_and_the_numbers_are_those_from_before(browser, tmp_path):
    opened(browser, tmp_path, "encoder-decoder")
    browser.driver.set_window_size(1400, 900)
    browser.wait(MEASURED)
    before = browser.run(WRITTEN)
    step = browser.run(CHOSEN)
    said = lambda: browser.ask("text", "#another-said")
    assert "other tabs" not in said()
    assert "not the same as right" in said()
    seen = set()
    for key in [f"head {s} {h}" for s in (1, 4, 5) for h in (0, 1)] + ["stage 5", "stage 6"]:
        browser.run(SELECT, key)
        whole = browser.run(SUMMARY)
        would, lead = re.search(
            r"would be ([\d.]+ \w+).*, not ([\d.]+ \w+)", whole.replace("\n", " ")
        ).groups()
        assert ("With no look at the line" in whole) is (key == "stage 5")
        top = browser.run(TOP)
        browser.ask("click", "#flow-summary .switch", 0)
        browser.wait(MEASURED)
        assert browser.run(TOP) == pytest.approx(top, abs=1)
        now, cut = browser.run(WRITTEN), browser.run(SUMMARY)
        if now[:step] != before[:step]:
            assert "An earlier symbol changed as well" in cut
            seen.add("earlier")
        elif now[step] == before[step]:
            assert f"“{now[step]}” is {would}" in cut
            seen.add("same")
        else:
            assert f"“{now[step]}” is written here in place of “{before[step]}”" in cut
            assert f"it is {would}" in cut
            seen.add("other")
        assert f"was {lead}" in cut
        assert "The other tabs show it with nothing cut" in said()
        assert "for all symbols" in browser.ask("text", "#flow-cut")
        browser.ask("clickOn", "#flow-cut button", "Put all back")
        assert browser.run(WRITTEN) == before
        assert "other tabs" not in said()
        browser.wait(MEASURED)
    assert len(seen) > 1
    browser.run(SELECT, f"letter {step} 0")
    browser.ask("click", "#flow-summary .switch", 0)
    assert "It is cut: no head" in browser.run(SUMMARY)
    assert f"for symbol {step + 1} alone" in browser.ask("text", "#flow-cut")
    assert browser.messages() == []


OTHERS = """
return [...document.querySelectorAll("ul.others li, details.others")].map((row) =>
  [row.querySelector("b")?.innerText ?? null, row.querySelectorAll(".changed").length > 0,
   [...row.querySelectorAll("button")].map((b) => b.textContent)]);
"""


@pytest.mark.slow
def test_another_letter_is_tried_in_the_place_of_one_and_put_there(browser, tmp_path):
    """Each known letter, by what the model writes then; what changes nothing is last."""
    reader = opened(browser, tmp_path, "encoder-decoder")
    line, place = LINE["encoder-decoder"], 0
    names = {" ": "␣", "<eos>": ""}
    letters = [s for s in reader.source.symbols if not s.startswith("<")]
    answers = [reader.write(reader.encode([c + line[1:]])) for c in letters]
    answers = [reader.beginning(reader.encode([line]), a)[0] for a in answers]
    t, now = browser.run(CHOSEN), "".join(browser.run(WRITTEN)).removesuffix("end")
    expected = {}
    for letter, ids in zip(letters, answers):
        text = "".join(names.get(s, s) for s in reader.writes.tokens(ids))
        expected.setdefault(None if text == now else text, set()).add(names.get(letter, letter))
    browser.run(SELECT, f"row {place}")
    browser.wait("return document.querySelectorAll('.others').length > 0")
    found = browser.run(OTHERS)
    assert {name: {*some} for name, _, some in found} == expected
    assert [name for name, marked, _ in found if not marked] == [found[-1][0]] == [None]
    changing = [name is not None and name[t : t + 1] != now[t] for name, _, _ in found]
    assert any(changing)
    assert changing == sorted(changing, reverse=True)
    several = sum(len(some) for (*_, some), other in zip(found, changing) if other)
    assert f"{several} other letter" in browser.run(SUMMARY)
    other = min(c for name, some in expected.items() if name for c in some if c != "␣")
    browser.ask("clickOn", ".others button", other)
    assert browser.run("return document.getElementById('another-line').value") == other + line[1:]
    assert f"“{other}”" in browser.run("return document.querySelector('.about-part').innerText")
    assert browser.messages() == []


@pytest.mark.slow
def test_an_arrow_names_what_is_written_without_a_part_and_frames_what_a_cut_changed(
    browser, tmp_path
):
    """Frames compare with the same line, not with that of the page."""
    opened(browser, tmp_path, "encoder-decoder")
    line = "4" + LINE["encoder-decoder"][1:]
    browser.run(
        "const f = document.getElementById('another-line'); f.value = arguments[0];"
        "f.dispatchEvent(new Event('input'))",
        line,
    )
    browser.wait(KNOWN)
    t, before = browser.run(CHOSEN), browser.run(WRITTEN)
    arrows = re.findall(r"“(.)” \+[\d.]+ → “(.)”", browser.run(SUMMARY).split("Heads")[0])
    assert arrows
    letter, other = arrows[0]
    keys = [f"letter {t} {k}" for k, c in enumerate(line) if c == letter]
    for key in keys:
        browser.run(SELECT, key)
        if "More than its lead" in browser.run(SUMMARY):
            break
    browser.ask("click", "#flow-summary .switch", 0)
    browser.wait(MEASURED)
    now = browser.run(WRITTEN)
    assert now[t] == other
    framed = [name == "changed" for name in browser.ask("each", "#flow-steps button", "className")]
    assert framed == [a != b for a, b in zip(now, [*before, *[""] * len(now)])]
    said = browser.ask("text", "#another-said")
    assert "other than with nothing cut" in said
    assert "not the same as right" in said
    assert browser.messages() == []


@pytest.mark.slow
def test_letters_beside_the_field_are_typed_into_it_and_play_nothing(browser, tmp_path):
    opened(browser, tmp_path, "encoder-decoder")
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser.driver).send_keys(" pt").perform()
    browser.wait("return document.getElementById('another-line').value.endsWith('pt')")
    line = browser.run("return document.getElementById('another-line').value")
    assert line == LINE["encoder-decoder"] + "pt"
    assert browser.run("return !document.getElementById('flow').closest('.tab').hidden")


STRENGTHS = """
const style = (selector, what) => getComputedStyle(document.querySelector(selector))[what];
const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const numbers = (colour) => {
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const shares = [...document.querySelectorAll(".flow .head.against")].map((e) =>
  Number(getComputedStyle(e).fillOpacity) - Number(getComputedStyle(e).getPropertyValue("--strength")));
return {
  paper: numbers(getComputedStyle(document.body).getPropertyValue("--paper")),
  for: numbers(`rgb(${getComputedStyle(document.body).getPropertyValue("--value-plus")})`),
  ground: numbers(style("#against .ground", "fill")),
  stripe: numbers(style("#against .stripe", "fill")),
  grey: numbers(style(".flow .ribbon.nothing", "fill")),
  share: Number(style(".flow .ribbon.nothing", "opacity")),
  off: Math.max(...shares.map(Math.abs)),
};
"""


def luminance(colour):
    s = np.array(colour) / 255
    return np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4) @ [
        0.2126,
        0.7152,
        0.0722,
    ]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_what_helps_and_what_works_against_are_equally_strong(browser, tmp_path, dark):
    reader = a_reader("encoder-decoder", tmp_path, 60)
    browser.open(explain(reader, "3 march 1998", tmp_path / "page.html"), dark=dark)
    browser.wait(KNOWN)
    browser.wait(MEASURED)
    said = browser.run(STRENGTHS)
    paper, ground, stripe = (np.array(said[name]) for name in ("paper", "ground", "stripe"))
    hatched = 0.32 * stripe + 0.68 * ground  # 1.6 of 5
    ratio = contrast(hatched, paper) / contrast(said["for"], paper)
    assert 1 / 1.2 < ratio < 1.2
    assert said["off"] < 0.01
    grey = said["share"] * np.array(said["grey"]) + (1 - said["share"]) * paper
    assert contrast(grey, paper) > (1.8 if dark else 1.2)
    assert contrast(grey, paper) < contrast(said["for"], paper)


@pytest.mark.slow
def test_playing_leaves_time_to_read_and_a_pause_is_told(browser, tmp_path):
    """One sentence a stop, however many steps there are."""
    opened(browser, tmp_path, "encoder-decoder")
    browser.ask("clickOn", "#tab-buttons button", "Drawing")
    browser.ask("click", "#play", 0)
    told = "return document.getElementById('chapter-play')?.textContent"
    time = "return Number(document.getElementById('time').value)"
    browser.wait("return Number(document.getElementById('time').value) > 0")
    browser.driver.execute_async_script("setTimeout(arguments[0], 2500)")
    steps = browser.run(time)
    browser.ask("clickOn", "#panel-tabs button", "This step")
    assert browser.run(told) == "Pause"
    browser.ask("click", "#play", 0)
    assert browser.run(told) == "Play it"
    assert steps < 10
    assert browser.messages() == []


@pytest.mark.slow
def test_embeddings_and_the_unembedding_are_stages_each_with_its_own_box(browser, tmp_path):
    """Also where both sides have one embedding; the unembedding alone cannot be cut."""
    reader = untrained(tied="all")
    browser.open(explain(reader, "cab", tmp_path / "page.html"))
    browser.wait(KNOWN)
    browser.wait(MEASURED)
    times = []
    for name in ("source embedding", "target embedding", "unembedding"):
        browser.ask("clickOn", "#flow-stages .link", name)
        assert browser.ask("text", "#flow-details h2").startswith(f"{name} ")
        assert browser.ask("count", "#flow-details .switch") == (name != "unembedding")
        browser.ask("clickOn", "#flow-details button", "Its box in the drawing")
        times.append(int(browser.run("return document.getElementById('time').value")))
        browser.ask("clickOn", "#tab-buttons button", "Reading")
        now = "document.querySelector('#flow-stages [aria-current=step]')?.textContent"
        browser.wait(f"return {now} === '{name}'")
    assert times == sorted({*times})
    assert "layer" not in browser.ask("text", "#flow-stages")
    assert browser.ask("count", ".flow .fixed") == 1
    assert browser.messages() == []


STATE = """
const all = (selector) => [...document.querySelectorAll(selector)].map((e) => e.innerText);
return [all("#flow-cut .link"), all("#flow-steps button"),
        document.querySelector("#flow-steps [aria-checked=true]").ariaLabel,
        document.querySelector(".flow .off[data-lost]").dataset.lost];
"""


@pytest.mark.slow
def test_a_link_keeps_what_is_cut_and_which_symbol_is_followed(browser, tmp_path):
    """Of another line what it does not have is left out."""
    opened(browser, tmp_path, "encoder-decoder")
    browser.wait(MEASURED)
    step = browser.run(CHOSEN)
    after = step - 1 if step else 1
    browser.run(SELECT, f"letter {step} 0")
    browser.ask("click", "#flow-summary .switch", 0)
    browser.ask("click", "#flow-steps button", after)
    for key in ("head 5 1", "stage 2"):
        browser.run(SELECT, key)
        browser.ask("click", "#flow-summary .switch", 0)
    browser.wait(MEASURED)
    cut = f"letter.{step}.0,head.5.1,stage.2"
    browser.wait(f"return location.hash === '#follow={after + 1}&cut={cut}'")
    state = browser.run(STATE)
    assert len(state[0]) == 3
    browser.driver.refresh()
    browser.wait("return document.querySelectorAll('#flow-cut .link').length === 3")
    browser.wait(MEASURED)
    assert browser.run(STATE) == state
    wrong = "edge.5.0.99.0,edge.1.0.11.0,letter.0.40,x,stage.7,stage.9"
    browser.run("location.hash = arguments[0]", f"line=3%20may&follow=99&cut={wrong},{cut}")
    browser.wait("return document.getElementById('another-read').innerText === '3 may'")
    browser.wait("return document.querySelectorAll('#flow-cut .link').length === 3")
    assert browser.run(CHOSEN) == browser.ask("count", "#flow-steps button") - 1
    browser.run("location.hash = ''")
    browser.wait("return document.getElementById('flow-cut').hidden")
    assert browser.messages() == []


TOUR = """
const all = (selector) => [...document.querySelectorAll(selector)].map((e) => e.innerText);
return [all(".chapters [aria-current] > .link"), document.querySelector("#flow-details h2")?.innerText,
        document.getElementById("time").value, document.getElementById("play").ariaLabel];
"""


@pytest.mark.slow
def test_chapters_play_their_sentences_before_their_steps(browser, tmp_path):
    """In the picture the stage is chosen that a chapter is about."""
    reader = untrained()
    browser.open(explain(reader, "cab", tmp_path / "page.html"))
    browser.wait(KNOWN)
    titles = browser.ask("texts", ".chapters li:not(.backward) > .link")
    heard, paths = set(), []
    browser.ask("choose", "#speed", "4")
    browser.ask("clickOn", "#overview button", "Play the chapters")
    while len(heard) < 2:
        (title,), stage, time, play = browser.run(TOUR)
        assert (time, play) == ("0", "Pause")
        if title not in heard:
            heard.add(title)
            paths.append(stage.split()[-1])
    assert heard == {*titles[:2]}
    assert paths == ["source_embedding", "encoder.layers.0.self_attention"]
    browser.ask("click", "#play", 0)
    assert browser.run(TOUR)[0] == []
    browser.ask("click", ".chapters .small", 1)
    assert browser.run(TOUR)[0] == titles[1:2]
    browser.wait("return Number(document.getElementById('time').value) > 0")
    assert titles[1] in browser.ask("text", "#step")
    browser.ask("click", "#play", 0)
    assert browser.messages() == []


SAID = """
const shapes = [...document.querySelectorAll(".flow .part[data-lost]")];
return shapes.map((shape) => {
  shape.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
  const tip = document.getElementById("tip").innerText.split(": ").pop().split(" → ")[0];
  return [shape.classList.contains("nothing"), tip,
          document.querySelector("#flow-pointed p:last-child").innerText];
});
"""


@pytest.mark.slow
def test_what_does_nothing_is_said_to_do_nothing_everywhere(browser, tmp_path):
    """Beside the pointer and in the sentences the same change stands, 0 where the picture is grey; and
    it is the difference of the two numbers there."""
    opened(browser, tmp_path, "encoder-decoder")
    browser.driver.set_window_size(1400, 900)
    browser.wait(MEASURED)
    seen = set()
    for nothing, beside, sentence in browser.run(SAID):
        assert (beside == "0") == nothing
        assert sentence.partition(": ")[2].startswith(f"{beside}.")
        assert ("is still" in sentence) == nothing
        seen.add(nothing)
        if not nothing:
            leads = re.findall(r"([\d.]+) (ahead|behind)", sentence)[:2]
            left, now = (Decimal(lead) * (-1 if is_ == "behind" else 1) for lead, is_ in leads)
            assert now - left == Decimal(beside.replace("−", "-")), sentence
    lead, own, second = re.search(
        r"is ([\d.]+) ahead of .*: (\S+) against (\S+)\.", browser.run(SUMMARY)
    ).groups()
    number = lambda text: float(text.replace("−", "-"))
    assert number(own) - number(second) == pytest.approx(number(lead), abs=0.061)
    assert seen == {True, False}
    assert browser.messages() == []


CUT_OFF = """
document.getElementById("sampling").open = true;
return [...document.querySelectorAll(".tab.extra, .tab.extra *")]
  .filter((e) => e.clientWidth && e.scrollWidth > e.clientWidth + 1)
  .filter((e) => getComputedStyle(e).display !== "inline")
  .map((e) => `${e.tagName} ${e.id} ${e.className}`);
"""


@pytest.mark.slow
def test_on_a_phone_nothing_of_the_reading_is_cut_off(browser, tmp_path):
    """The picture with all its stages, what is below it, and the percentages of each step."""
    size = {"width": 360, "height": 780, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        opened(browser, tmp_path, "encoder-decoder")
        browser.run(
            "for (const li of document.querySelectorAll('.writing li')) li.scrollIntoView()"
        )
        assert browser.run(CUT_OFF) == []
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.slow
def test_cutting_and_what_if_lead_to_each_other(browser, tmp_path):
    opened(browser, tmp_path, "encoder-decoder")
    browser.ask("click", ".exactly summary", 0)
    browser.ask("clickOn", "#flow-whatif button", "What if")
    assert browser.run("return !document.getElementById('whatif').hidden")
    browser.ask("clickOn", "#tab-buttons button", "Table")
    browser.ask("clickOn", "#whatif .link", "Cut a single stage")
    assert browser.run("return document.getElementById('flow').checkVisibility()")
    assert browser.messages() == []
