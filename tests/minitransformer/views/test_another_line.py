"""Another line, typed into the page of a reading: what the page writes for it is what Python writes."""

import re

import numpy as np
import pytest
from extras import without_graphviz
from pages import contents, keys, unread
from some_readers import a_reader, untrained

from minigrad.views.page import replay, scripts
from minitransformer.tasks import make
from minitransformer.training.decoding import distribution
from minitransformer.training.readers import READERS
from minitransformer.views.another_line import misread
from minitransformer.views.explain import explain

GREY = "return Number(getComputedStyle(document.getElementById('flow')).opacity) < 0.6"
TYPE = """
const field = document.getElementById("another-line");
field.value = arguments[0];
field.dispatchEvent(new Event("input"));
"""
WRITTEN = "return [...document.querySelectorAll('.writing b.next')].map((b) => b.textContent)"

SET = """
const field = document.getElementById(arguments[0]);
field.value = arguments[1];
field.dispatchEvent(new Event("input"));
"""
STEP = """
const buttons = [...document.querySelectorAll("#sampling-steps button")];
return buttons.findIndex((b) => b.ariaPressed === "true");
"""
SECTION = "return document.querySelector('.writing').innerHTML"


def type_line(browser, line):
    """Type a line, and wait until all of the page is of it."""
    browser.run(TYPE, line)
    browser.wait("return !document.querySelector('.writing[aria-busy]')")


def test_each_key_of_the_data_is_read_by_a_script_and_no_other(tmp_path, monkeypatch):
    monkeypatch.setattr(replay, "checks", lambda graph: {})
    without_graphviz(monkeypatch)
    page = explain(untrained(), "abc", tmp_path / "page.html").read_text(encoding="utf-8")
    told, script = contents(page)["another"], scripts.joined()
    assert unread(keys(told), script) == []
    assert {*re.findall(r"(?<![\w.])model\.(\w+)", script)} <= {*told}


@pytest.mark.slow
def test_the_page_knows_its_letters_and_the_lines_that_stand_ready(tmp_path, monkeypatch):
    """Of the lines only those that are read wrongly stand ready."""
    monkeypatch.setattr(replay, "checks", lambda graph: {})  # no drawings either: this is quick
    without_graphviz(monkeypatch)
    reader = a_reader("encoder-decoder", tmp_path)
    lines = ["5 may 1999", "6 june 2001"]
    (right,) = reader.read(lines[:1])
    examples = misread(reader, [(lines[0], right), (lines[1], "2001-06-06")])
    assert examples == [(lines[1], "2001-06-06")]
    page = explain(reader, "3 march 1998", tmp_path / "page.html", examples=examples)
    told = contents(page.read_text(encoding="utf-8"))["another"]
    assert told["examples"] == [[lines[1], "2001-06-06"]]
    assert told["ids"]["m"] == reader.encode(["m"])[0, 0]
    assert [told["kinds"][told["slots"][slot]]["shape"] for slot in told["inputs"]] == [
        [1, reader.longest_source],
        [1, reader.longest_target + 1],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
def test_what_the_page_writes_is_what_greedy_writes(browser, tmp_path, kind):
    reader = a_reader(kind, tmp_path, 150)
    if kind == "text":
        text = "the quick brown fox jumps over the lazy dog. "
        lines = [text[i : i + n] for i in range(0, 12, 2) for n in (1, 4, 9, 16, 24)]
    else:
        lines = [source for source, _ in make("dates", 0).held_out(30)]
    browser.open(explain(reader, lines[0], tmp_path / "page.html"))
    seen = set()
    for line in lines:
        source = reader.encode([line])
        written = reader.beginning(source, reader.write(source))[0]
        names = [t.replace(" ", "␣") for t in reader.writes.tokens(written)]
        names = ["end" if t == "<eos>" else "start" if t == "<bos>" else t for t in names]
        type_line(browser, line)
        assert browser.run(WRITTEN) == names, line
        seen.add(tuple(names))
    assert len(seen) > 10
    assert browser.messages() == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["encoder-decoder", "decoder"])
def test_a_line_that_is_typed_looks_like_the_one_that_was_written(browser, tmp_path, kind):
    """The page and Python show a reading with the same elements and the same numbers."""
    reader = a_reader(kind, tmp_path, 30)
    browser.open(explain(reader, "3 march 1998", tmp_path / "page.html"))
    before = browser.run(SECTION)
    type_line(browser, "7 july 2003")
    assert browser.run(SECTION) != before
    type_line(browser, "3 march 1998")
    number = re.compile(r"\d+(?:\.\d+)?(?=%)")
    after = browser.run(SECTION)
    assert number.sub("", after) == number.sub("", before).replace("\n", "")
    numbers = [np.array(number.findall(text), float) for text in (before, after)]
    np.testing.assert_allclose(*numbers, atol=1.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("temperature", "k", "p"), [(1.0, None, None), (2.5, 3, None), (0.5, None, 0.6), (2.0, 4, 0.7)]
)
def test_the_probabilities_are_those_that_python_draws_from(browser, tmp_path, temperature, k, p):
    reader = a_reader("encoder-decoder", tmp_path, 30)
    line = "3 march 1998"
    browser.open(explain(reader, line, tmp_path / "page.html"))
    browser.run("document.getElementById('sampling').open = true")
    browser.wait("return document.querySelectorAll('#sampling-table tr').length > 1")
    for name, value in (("temperature", temperature), ("k", k or ""), ("p", p or "")):
        browser.run(SET, f"sampling-{name}", str(value))
    for t in (0, 2):
        browser.ask("click", "#sampling-steps button", t)
        source = reader.encode([line])
        said = reader.model(*reader.inputs(source, reader.write(source))).detach().numpy()[0, t]
        scores = np.where(np.arange(len(said)) < 2, -np.inf, said)  # neither padding nor the start
        wanted = distribution(scores[None].astype(float), temperature, k, p)[0]
        best = np.argsort(-scores, kind="stable")[:8]
        shown = browser.ask("texts", "#sampling-table td:nth-child(4)")
        assert shown == [f"{100 * wanted[i]:.1f}%" if wanted[i] else "left out" for i in best]
        shown = browser.ask("texts", "#sampling-table td:nth-child(3)")
        numbers = [float(text) for text in shown]
        np.testing.assert_allclose(numbers, scores[best] / temperature, atol=6e-3)
    for name, bad in (("k", "0"), ("p", "abc")):
        browser.run(SET, f"sampling-{name}", bad)
        assert f"“{bad}” is not used" in browser.ask("text", "#sampling-wrong")
        browser.run(SET, f"sampling-{name}", "")
        assert browser.ask("text", "#sampling-wrong") == ""
    for name, value in (("k", k or ""), ("p", p or "")):
        browser.run(SET, f"sampling-{name}", str(value))
    browser.ask("click", "#flow-steps button", 4)
    assert browser.run(STEP) == 4  # the symbol that is followed is that of the table
    browser.ask("click", "#sampling-draw", 0)
    assert browser.ask("count", "#sampling-table .drawn") <= 1
    assert "Drawn since the last change: 1" in browser.ask("text", "#sampling-rest")
    assert browser.messages() == []


@pytest.mark.slow
def test_typing_a_guess_and_what_cannot_be_read(browser, tmp_path):
    reader = a_reader("encoder-decoder", tmp_path)
    page = explain(
        reader,
        "3 march 1998",
        tmp_path / "page.html",
        examples=[("5 may 1999", "1999-05-05")],
        variations=["3 may 1998", "1" * 99],
    )
    browser.open(page)
    field = browser.driver.find_element("id", "another-line")
    field.clear()
    field.send_keys("b 3")  # which are also keys of the page
    said = lambda: browser.run("return document.getElementById('another-said').innerText")
    assert browser.run("return document.getElementById('time').value") == "0"
    (written,) = reader.read(["b 3"])
    output = "return document.getElementById('another-output').innerText"
    assert browser.run(output).replace("end", "") == written
    type_line(browser, "3 märz")
    assert "never seen the character “ä”" in said()
    assert "still for “b 3”" in said()
    browser.wait(GREY)
    assert browser.run("return document.getElementById('flow').inert")
    type_line(browser, "")
    assert "still for “b 3”" in said()
    browser.wait(GREY)
    type_line(browser, "1" * 99)
    assert f"The first {reader.longest_source} characters are read: this has 99" in said()
    assert not browser.run(GREY)
    (written,) = reader.read(["1" * reader.longest_source])
    assert browser.run(output).replace("end", "") == written
    buttons = browser.ask("texts", "#another-examples button")
    assert buttons == ["3 march 1998", "march becomes may: which symbols change?", "5 may 1999"]
    browser.ask("click", "#another-examples button", 1)
    assert not browser.run("return document.querySelector('.writing').checkVisibility()")
    browser.ask("click", "#another-guess button", 0)
    browser.ask("clickOn", "#another-guess button", "Show")
    assert browser.run("return document.querySelector('.writing').checkVisibility()")
    (written,) = reader.read(["3 may 1998"])
    assert browser.run(output).replace("end", "") == written
    names = lambda line: [*reader.read([line])[0], "end"]
    was, now = names("3 march 1998"), names("3 may 1998")
    changed = [i for i, symbol in enumerate(was) if now[i : i + 1] != [symbol]]
    missed = [f"symbol {i + 1}, “{was[i]}”" for i in changed if i]
    assert [
        f"symbol {i}, “{s}”" for i, s in re.findall(r"symbol (\d+), “([^”]*)” \(now", said())
    ] == missed
    assert ("they stay: symbol 1, " in said()) == (0 not in changed)
    followed = [*browser.ask("each", "#flow-steps button", "ariaChecked")].index("true")
    assert not changed or followed == changed[0]  # the first that is another is worked out
    browser.ask("click", "#another-examples button", 2)
    assert browser.run(output) == ""  # before the guess
    browser.ask("clickOn", "#another-guess button", "Show")
    (written,) = reader.read(["5 may 1999"])
    assert browser.run(output).replace("end", "") == written
    assert "1999-05-05 is right" in said()
    assert re.search(r"Your guess was right for \d+ of \d+ symbols", said())
    assert browser.messages() == []
    assert {url for url in browser.requests() if not url.startswith("data:")} == {page.as_uri()}


@pytest.mark.slow
def test_a_link_to_a_line_draws_that_line(browser, tmp_path):
    """Also once the page is idle, when it draws its own line else."""
    reader = a_reader("encoder-decoder", tmp_path, 30)
    page = explain(reader, "3 march 1998", tmp_path / "page.html")
    browser.open(page)
    browser.driver.get(f"{page.as_uri()}#line=7%20july%202003")
    browser.driver.refresh()
    browser.driver.execute_async_script("requestIdleCallback(() => setTimeout(arguments[0], 100))")
    letters = [text.partition(": ")[2] for text in browser.ask("texts", "#flow-letter option")]
    assert "".join(letters).replace("␣", " ") == "7 july 2003"
