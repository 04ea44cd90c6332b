"""Out of a page: a link that says where the reader is, and pictures of what is shown."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as F

pytestmark = pytest.mark.slow

HASH = "return location.hash"
PICTURES = """
const done = arguments[0];
Promise.all(Share.pictures().map(async ([title, name, of]) => {
  const picture = of();
  const canvas = await Share.dotted(picture, 1);
  const dots = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return [name, picture.svg, new Set(new Uint32Array(dots.buffer)).size];
})).then(done);
"""


def f(x, w):
    weights = F.masked_softmax(x @ x.T, np.tri(2, dtype=bool))
    return np.sum(np.square(weights @ x @ w))


@pytest.fixture
def page(browser, tmp_path):
    x = mg.Tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True, name="x")
    w = mg.Tensor([[0.0, 1.0], [-1.0, 1.0]], requires_grad=True, name="w")
    with mg.record():
        loss = f(x, w)
    path = mg.explore(loss, tmp_path / "page.html")
    text = path.read_text("utf-8")  # the tests look inside
    objects = re.sub(r"^const (\w+) = \(\(\) => \{$", r"var \1 = (() => {", text, flags=re.M)
    begin, end = '"use strict";\n(() => {', "})();\n</script>"
    assert objects.count(begin) == objects.count(end) == 1
    path.write_text(objects.replace(begin, "").replace(end, "</script>"), "utf-8")

    def opened(part):
        browser.driver.get("about:blank")
        browser.driver.get(path.resolve().as_uri() + part)
        return browser

    return opened


def test_a_link_leads_to_the_numbers_the_step_and_the_tab(page):
    for link in ("#step=4&x[1,0]=-3.25", "#tab=attention", "#step=6&tab=table&x[0,0]=0&w[0,1]=0.1"):
        browser = page(link)
        browser.wait("return document.querySelector('#tab-buttons [aria-selected=true]')")
        browser.run("history.replaceState(null, '', '#'); Link.keep()")
        assert browser.run("return Link.written().hash") == link[1:]
    x = np.array([[0, 2.0], [0.5, -1.0]], np.float32)
    w = np.array([[0.0, 0.1], [-1.0, 1.0]], np.float32)
    assert browser.run("return Live.lossNow()") == pytest.approx(float(f(x, w)), rel=1e-6)
    assert browser.run("return State.state.time") == 6


def test_the_address_follows_the_reader_and_the_page_the_address(page):
    browser = page("")
    browser.run("Places.go(3)")
    browser.wait("return location.hash === '#step=3'")
    browser.run("location.hash = '#step=2&x[0,0]=7'")
    browser.wait("return State.state.time === 2")
    assert browser.run("return Arrays.changedAt(Shown.array(State.data.nodes[0].value), 0)") == 1
    browser.run("location.hash = '#step=2'")
    browser.wait("return Live.changedSlots.size === 0")


def test_what_a_link_says_wrongly_changes_nothing(page):
    browser = page("#step=99999&x[7,7]=1&y[0]=2&x[0,0]=red&tab=kitchen")
    assert browser.run("return [State.state.time, Live.changedSlots.size]") == [
        browser.run("return Graph.steps.length"),
        0,
    ]
    assert browser.messages() == []


def test_pictures_of_the_drawing_of_attention_and_of_a_step_can_be_read(page):
    browser = page("#step=5&tab=attention")
    browser.wait("return Share.pictures().length === 3")
    found = browser.driver.execute_async_script(PICTURES)
    assert [name for name, _, _ in found] == ["drawing", "attention-1", "step-5"]
    for name, svg, colours in found:
        assert ET.fromstring(svg).tag.endswith("svg"), name
        assert "var(--" not in svg or "--ink:" in svg
        assert colours > 8, name


def test_a_page_opens_at_the_step_that_it_was_written_for(browser, tmp_path):
    with mg.record():
        x = mg.Tensor(np.eye(4, 3), requires_grad=True)
        loss = np.sum(np.log(mg.functional.softmax(np.tanh(np.exp(x) * 2) + 1)))
    path = mg.explore(loss, tmp_path / "page.html", step=10)
    browser.driver.get(path.resolve().as_uri())
    browser.wait("return location.hash === '#step=10'")
    inside = """const [card, sheet] = ['.card.now', '#sheet'].map((name) => document.querySelector(name))
        .map((element) => element.getBoundingClientRect());
        return card.top > sheet.top && card.bottom < sheet.bottom"""
    browser.wait(inside)
    with pytest.raises(mg.errors.ConfigError, match="step is a whole number from 0 up to 24"):
        mg.explore(loss, step=99)


def test_the_keys_and_signs_are_read_from_the_top_one_a_line(page):
    browser = page("")
    browser.driver.set_window_size(900, 500)
    browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: '?', bubbles: true}))")
    browser.wait("return document.getElementById('help').open")
    top, *heights = browser.run("""
      const signs = document.querySelectorAll("#help .tones li");
      return [document.getElementById("help").scrollTop, ...[...signs].map((one) => one.offsetHeight)]
    """)
    browser.driver.set_window_size(1280, 800)  # as all other tests have it
    assert top == 0
    assert len(heights) == 3
    assert max(heights) < 30  # one line


def test_the_line_to_embed_a_page_has_its_address_or_says_what_to_put_in_front(page):
    browser = page("#step=4")
    line = "return Share.embedding(new URL(arguments[0]), 'step=4')"
    for address, source in {
        "https://example.org/course/out/a%20page.html?x=1&y#old": (
            "https://example.org/course/out/a%20page.html?x=1&amp;y#step=4"
        ),
        "http://127.0.0.1:8423/out/page.html": "page.html#step=4",
        "file:///home/me/page.html": "page.html#step=4",
    }.items():
        assert f'src="{source}"' in browser.run(line.replace("arguments[0]", repr(address)))
    browser.ask("click", "#share-open", 0)
    assert "write the address of its folder" in browser.ask("text", "#share")
