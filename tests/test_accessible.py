"""axe-core, which knows the rules for pages that everybody can use, finds nothing in any of them.

It is no part of the project: the variable AXE_CORE tells where its script is (see `.ci/run`).
"""

import os
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as F
from minigrad.__main__ import main
from minitransformer import tasks
from minitransformer.model.sizes import Sizes
from minitransformer.training.readers import Reader
from minitransformer.views.explain import explain

AXE = os.environ.get("AXE_CORE")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not AXE, reason="needs axe-core, whose script AXE_CORE names"),
]
FOUND = """
const [options, done] = arguments;
const told = ({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`);
axe.run(document, options).then(({ violations }) => done(violations.flatMap(told)));
"""
RULES = {
    False: {},
    True: {"runOnly": ["color-contrast"]},
}  # a dark page differs in its colours alone
OPEN = "document.querySelectorAll('details').forEach((one) => (one.open = true))"
HALF_WAY = """
const time = document.getElementById("time");
time.value = Math.round(arguments[0] * time.max);
time.dispatchEvent(new Event("input"));
"""


def ten_lines(folder):
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    w = mg.Tensor([[0.0, 1.0], [-1.0, 1.0]], requires_grad=True)
    with mg.record():
        y = x + F.relu(x @ w)
        loss = np.sum(y * y)
    return mg.explore(loss, folder / "ten.html")


def dates(folder):
    mg.manual_seed(0)
    task = tasks.make("dates")
    sizes = Sizes(**Reader.symbols(task.source, task.target), width=16, heads=2, feed_forward=16)
    return explain(Reader.of(task, sizes), "3rd of march 1998", folder / "dates.html")


def found(browser, dark):
    browser.run("if (!window.axe) " + Path(AXE).read_text(encoding="utf-8"))
    return browser.driver.execute_async_script(FOUND, RULES[dark])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("made", [ten_lines, dates])
def test_in_every_part_of_an_explorer(browser, tmp_path, made, dark):
    browser.open(made(tmp_path), dark=dark)
    if made is dates:
        browser.wait("return !!document.querySelector('#flow-summary .moral')")
    browser.run(OPEN)
    assert found(browser, dark) == []
    for tab in range(browser.ask("count", "[role=tab]")):
        browser.ask("click", "[role=tab]", tab)
        assert found(browser, dark) == [], browser.ask("texts", "[role=tab]")[tab]
    browser.ask("clickOn", "[role=tab]", "This step")
    for part in (0.3, 0.8):
        browser.run(HALF_WAY, part)
        assert found(browser, dark) == [], part
    for button in ("predict", "share-open"):
        browser.ask("click", f"#{button}", 0)
        assert found(browser, dark) == [], button


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_on_the_pages_of_the_course(browser, tmp_path, dark):
    for module in ("latex2mathml", "mdit_py_plugins"):
        pytest.importorskip(module)
    assert main(["course", "07", "--no-reference", "--out", str(tmp_path)]) == 0
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        for page in sorted(tmp_path.glob("*.html")):
            browser.open(page, dark=dark)
            browser.run(OPEN)
            assert found(browser, dark) == [], page.name
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
