"""A page of a computation: written, read, and used in a browser as a person does."""

import json
import re

import minigrad as mg


def written(loss, path, **options):
    return mg.explore(loss, path / "page.html", **options).read_text(encoding="utf-8")


def contents(text):
    """The data in a page."""
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL).group(1))


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
