"""A page of a computation: written, read, and used in a browser as a person does."""

import base64
import contextlib
import json
import re
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np

import minigrad as mg

# Their values are dicts by names of the user's, which no script knows.
BY_NAME = {"closed", "constants", "ids", "labels", "signs", "vocabularies"}
EVIL = "</script><script>alert(1)</script>"
EVILS = (EVIL, "<img src=x onerror=alert(1)>", 'a|b{c}\\ \u2028 & "q" \'é漢')


def written(loss, path, **options):
    return mg.explore(loss, path / "page.html", **options).read_text(encoding="utf-8")


def contents(text):
    """The data in a page."""
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL).group(1))


def keys(data, is_record=True):
    """The keys of all records in the data, without numbers; a table has the names of its columns."""
    if isinstance(data, list):
        return {key for one in data for key in keys(one)}
    if not isinstance(data, dict):
        return set()
    columns = data["names"] if {*data} == {"names", "rows"} else []
    inner = (keys(v, not is_record or k not in BY_NAME) for k, v in data.items())
    return set(columns).union((k for k in data if is_record and not k.isdecimal()), *inner)


def unread(found, script):
    """The keys that a script never reads."""
    return [key for key in sorted(found) if not re.search(rf"[.{{,]{key}\b", script)]


def unpacked(packed):
    """The numbers of an array in a page, as its own text has them: a transcription of the format."""
    words = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
    if "v" in packed:
        return [words.get(v, v) for v in packed["v"]]
    if "x" in packed:
        kind = {4: "<f4", 8: "<f8"}[packed["w"]]
        return np.frombuffer(base64.b64decode(packed["x"]), kind).tolist()
    raw = np.frombuffer(base64.b64decode(packed["c"]), "<u2").tolist()
    found = []
    for code in raw:
        if code < 6:
            found.append([0.0, np.nan, np.inf, -np.inf, 0.0, -0.0][code])
            continue
        high, digits = divmod(code - 6, 900)
        place, sign = divmod(high, 2)
        found.append(float(f"{'-' if sign else ''}{digits + 100}e{place - 35 + packed['e'] - 2}"))
    return found


def rounded(value, digits):
    """`value`, to so many significant digits, by decimal arithmetic."""
    exact = Decimal(value)
    if not exact:
        return 0.0
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() - digits + 1), ROUND_HALF_EVEN))


class Page:
    """A page in a browser, with what a person does to it."""

    def __init__(self, browser, file, dark=False):
        self.browser, self.file = browser, file
        browser.open(file, dark=dark)

    def key(self, *keys):
        from selenium.webdriver import ActionChains

        actions = ActionChains(self.browser.driver)
        for key in keys:
            actions.send_keys(key)
        actions.perform()

    def run(self, script):
        return self.browser.run(script)

    def ask(self, name, *args):
        return self.browser.ask(name, *args)

    @contextlib.contextmanager
    def of_size(self, width, height):
        """The page in a window of that size, opened anew there."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        try:
            self.browser.driver.refresh()
            yield
        finally:
            self.browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def wait(self, script):
        self.browser.wait(script)

    def text(self, selector):
        return self.ask("text", selector)

    def texts(self, selector):
        return self.ask("texts", selector)

    def count(self, selector):
        return self.ask("count", selector)

    def click(self, selector, number=0):
        self.ask("click", selector, number)

    def now(self):
        return self.text("#now").replace("\n", " ")

    def quiet(self):
        """Nothing on the console, nothing asked for but the page, nothing overflows."""
        assert self.browser.messages() == []
        asked = {url for url in self.browser.requests() if not url.startswith("data:")}
        assert asked <= {self.file.resolve().as_uri()}
        assert not self.ask("overflows")
