"""The front page: what builds on what, the paths, and the way along one in a real browser."""

import re

import pytest
from extras import RENDERS, needs

from minigrad.course.lessons.lesson import lessons, lessons_named
from minigrad.course.site.overview import arrows, before, builds_on, paths
from minigrad.course.site.preview import Preview

NUMBERS = [lesson.number for lesson in lessons()]


def test_every_lesson_is_there_and_builds_on_earlier_ones():
    """In the order of the whole course; so there is no circle."""
    whole = paths()[0].numbers
    assert list(whole) == list(builds_on()) == NUMBERS
    for number, others in builds_on().items():
        assert all(whole.index(one) < whole.index(number) for one in others)


def test_arrows_say_all_that_builds_on_what_and_nothing_twice():
    direct = {
        number: {one for one, other in arrows(NUMBERS) if other == number} for number in NUMBERS
    }

    def reached(number, without=None):
        steps = direct[number] - {without}
        return steps.union(*map(reached, steps))

    for number in NUMBERS:
        assert reached(number) == before(number)
        for one in direct[number]:
            assert one not in reached(number, without=one)


def test_arrows_pass_over_lessons_that_are_not_there():
    assert arrows(["01", "05", "07", "08"]) == [("01", "05"), ("05", "07"), ("07", "08")]


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.name)
def test_a_path_holds_what_its_lessons_build_on(path):
    """In the order of reading, but for those that it says are known."""
    known = set(re.findall(r"\b\d\d[a-z]?\b", path.about))
    for place, number in enumerate(path.numbers):
        assert before(number) <= known | set(path.numbers[:place])


@pytest.fixture(scope="module")
def front(tmp_path_factory):
    """The front page, the pages of two lessons, and a picture as lesson 00 leaves it; nothing ran."""
    needs(*RENDERS)
    folder = tmp_path_factory.mktemp("front")
    (folder / "out").mkdir()
    (folder / "out" / "00_where_it_looked.svg").write_text(
        "<svg xmlns='http://www.w3.org/2000/svg'/>"
    )
    (folder / "out" / "00_your_date.html").write_text("<title>A page that reads</title>")
    preview = Preview(lessons(), folder, None)
    for number in ("04", "05"):
        preview.write(f"{lessons_named([number])[0].path.stem}.html")
    return folder


@pytest.mark.slow
def test_the_map_leads_to_every_lesson(front):
    pytest.importorskip("pygraphviz")
    page = (front / "index.html").read_text()
    for drawn in re.findall(r"<svg.*?</svg>", page, re.S):
        assert {*re.findall(r'xlink:href="(.*?)"', drawn)} == {
            f"{s.path.stem}.html" for s in lessons()
        }
    assert page.count("<svg") == 2


@pytest.mark.slow
def test_a_path_leads_from_lesson_to_lesson(front, browser):
    browser.open(front / "index.html")
    browser.run("localStorage.clear()")
    choose = (
        "[...document.querySelectorAll('.paths button')]"
        ".find(button => button.textContent == 'Autograd').click()"
    )
    aside = "return [...document.querySelectorAll('li.aside')].map(row => row.dataset.lesson)"
    ways = "return [...document.querySelectorAll('.way a')].map(link => link.textContent)"
    browser.run(choose)
    assert set(browser.run(aside)) == set(NUMBERS) - {"01", "02", "03", "03b", "04", "17"}
    browser.open(front / "04_your_own_engine.html")
    assert browser.run(ways)[::2] == ["03b A network in five minutes", "17 Gradients of gradients"]
    browser.open(front / "05_words_as_vectors.html")  # is not on it
    assert browser.run(ways)[1].startswith("06")
    browser.open(front / "index.html")  # it is still chosen
    assert browser.run(aside)
    browser.run(choose)
    assert not browser.run(aside)
    assert not browser.messages()


def test_a_date_that_is_typed_is_read_by_the_page_of_lesson_00(front, browser):
    browser.open(front / "index.html")
    browser.run("document.querySelector('[name=line]').value = '3 May & 1998'")
    browser.run("document.querySelector('form button').click()")
    browser.wait("return document.title == 'A page that reads'")
    assert browser.run("return location.hash") == "#line=3%20May%20%26%201998"
