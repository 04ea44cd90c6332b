"""Pointing at an element of a result frames the elements that it is made of."""

import numpy as np
import pytest
from pages import Page

import minigrad as mg

GO = """
const time = document.getElementById("time");
time.value = arguments[0];
time.dispatchEvent(new Event("input"));
"""
POINT = """
const figures = [...document.querySelectorAll("#step .heat")];
const named = figures.filter((f) => f.querySelector("figcaption code").textContent === arguments[0]);
const cell = named[arguments[2]].querySelectorAll("td")[arguments[1]];
cell.dispatchEvent(new PointerEvent("pointerenter"));
const lit = {};
for (const figure of figures) {
  const cells = [...figure.querySelectorAll("td")].map((c, i) => (c.matches(".lit") ? i : -1));
  const name = figure.querySelector("figcaption code").textContent;
  lit[name] = [...(lit[name] ?? []), ...cells.filter((i) => i >= 0)];
}
return lit;
"""
DOWN = """
const pictures = [...document.querySelectorAll("#step canvas")];
const before = pictures.map((canvas) => canvas.toDataURL());
const down = new KeyboardEvent("keydown", { key: "ArrowDown", altKey: true, bubbles: true });
pictures.at(-1).dispatchEvent(down);
return pictures.map((canvas, i) => canvas.toDataURL() !== before[i]);
"""


def product(rows, inner, columns):
    rng = np.random.default_rng(0)
    x = mg.Tensor(rng.standard_normal((rows, inner)), requires_grad=True)
    w = mg.Tensor(rng.standard_normal((inner, columns)), requires_grad=True)
    with mg.record():
        y = x @ w
        return np.sum(y * y)


@pytest.mark.slow
def test_a_row_and_a_column_are_framed_and_backward_the_same(browser, tmp_path):
    pytest.importorskip("pygraphviz")
    page = Page(browser, mg.explore(product(3, 4, 5), tmp_path / "page.html"))
    page.browser.run(GO, 1)
    place = lambda shape, *index: np.arange(np.prod(shape)).reshape(shape)[index].tolist()
    every = slice(None)
    assert page.browser.run(POINT, "y", place((3, 5), 1, 2), 0) == {
        "a = x": place((3, 4), 1, every),
        "b = w": place((4, 5), every, 2),
        "y": [],
    }
    page.browser.run(GO, 6)  # back through the product, after the sum and the square
    lit = page.browser.run(POINT, "contribution", place((3, 4), 2, 1), 0)  # g @ w.T, for x
    assert (lit["g"], lit["w"]) == (place((3, 5), 2, every), place((4, 5), 1, every))
    lit = page.browser.run(POINT, "contribution", place((4, 5), 3, 0), 1)  # x.T @ g, for w
    assert (lit["x"], lit["g"]) == (place((3, 4), every, 3), place((3, 5), every, 0))
    assert lit["w"] == []  # of what was pointed at before nothing stays
    page.quiet()


@pytest.mark.slow
def test_in_pictures_too_and_by_the_keyboard(browser, tmp_path):
    pytest.importorskip("pygraphviz")
    page = Page(browser, mg.explore(product(12, 16, 10), tmp_path / "page.html"))
    page.browser.run(GO, 1)
    assert page.run(DOWN) == [True, True, False]
    page.quiet()
