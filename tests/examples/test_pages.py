"""The pages to look things up: what they show is so, and the lessons lead to them."""

import doctest

import pytest
from runs import ROOT

from minigrad.course.site.front import GUIDES

EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize("page", ["NUMPY.md", "MATHEMATICS.md"])
def test_what_a_page_shows_is_what_python_says(page):
    found = doctest.testfile(str(EXAMPLES / page), module_relative=False)
    assert found.attempted > 10
    assert not found.failed


@pytest.mark.parametrize("page", ["NUMPY.md", "MATHEMATICS.md", "SYMBOLS.md"])
def test_a_page_is_on_the_site_and_a_lesson_leads_to_it(page):
    assert EXAMPLES / page in GUIDES
    assert any(f"]({page}" in lesson.read_text() for lesson in EXAMPLES.glob("*.py"))
