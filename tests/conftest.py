"""A real browser for the tests that open pages; they are skipped, and say so, where there is none."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from limits import IN_A_PAGE

# The tests run beside each other, one process a core: threads of BLAS would only be in each other's way.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# What runs in the background of a shell ignores Ctrl-C, and so would all that the tests start; the same
# holds for what `nohup` runs, and the end of a terminal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Spare the garbage collector the thousands of tests, which it would look at in each round."""
    gc.collect()
    gc.freeze()


FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1280,800",
)  # fmt: skip
ASKED = Path(__file__).parent.joinpath("helpers", "page.js").read_text(encoding="utf-8")


class Browser:
    """Headless Chromium. `driver` is Selenium's, for whatever else a test wants to do."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path: Path, *, dark: bool = False) -> None:
        """Open a file, as a double click would, in light or dark."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.messages(), self.requests()  # those of the page before
        address = path.resolve().as_uri()
        self.driver.get(address)
        there = f"location.href.startsWith({json.dumps(address)})"
        self.wait(f"return document.readyState === 'complete' && {there}")  # `get` may be early

    def run(self, script: str, *args):
        """What a piece of JavaScript returns; it finds `args` in its `arguments`."""
        return self.driver.execute_script(script, *args)

    def ask(self, name: str, *args):
        """Call a function of `page.js`."""
        return self.run(f"{ASKED}\nreturn {name}(...arguments);", *args)

    def wait(self, script: str) -> None:
        """Wait until a piece of JavaScript returns something true."""
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(self.driver, IN_A_PAGE, 0.05).until(
            lambda driver: driver.execute_script(script)
        )

    def messages(self) -> list[str]:
        """What has come up on the console since the last call, errors of the page included."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Every address that a page asked for since the last call.

        What the browser asks for its own pages, such as that of its first tab, is left out.
        """
        events = (json.loads(e["message"])["message"] for e in self.driver.get_log("performance"))
        sent = (e["params"] for e in events if e["method"] == "Network.requestWillBeSent")
        return [e["request"]["url"] for e in sent if not e["documentURL"].startswith("chrome")]


@pytest.fixture(scope="session", autouse=True)
def silent() -> Iterator[None]:
    """On a busy machine what is quick can take seconds, of which nothing is to be said."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("minigrad.system.working.SECONDS", 600)
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs Selenium")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    chromedriver = shutil.which("chromedriver")
    if not (chromium and chromedriver):
        pytest.skip("needs chromium and chromedriver")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options, webdriver.ChromeService(chromedriver))
        driver.set_script_timeout(IN_A_PAGE)
        try:
            yield Browser(driver)
        finally:
            driver.quit()
