"""The page of a loss, in a real browser."""

import pytest
from pages import Page

import minigrad as mg


@pytest.fixture
def opened(browser, tmp_path):
    """Write the page of a loss and open it."""
    pytest.importorskip("pygraphviz")

    def open_page(loss, dark=False, **options):
        return Page(browser, mg.explore(loss, tmp_path / "page.html", **options), dark)

    return open_page
