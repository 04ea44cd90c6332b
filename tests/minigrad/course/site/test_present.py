"""A lesson presented in a real browser: one section a screen, by keys and buttons, at any width."""

import pytest
from extras import RENDERS, needs
from lesson_of_all import LESSON, QUESTIONS, WIDTHS, ran
from selenium.webdriver.common.keys import Keys

from minigrad.course.lessons import forms
from minigrad.course.lessons import lesson as lessons
from minigrad.course.site import build as building
from minigrad.course.site import front

MORE = """# %% [markdown]
# ## A section of prose
#
# It has no picture and no question, so it stays.
#
# ## The end
#
# That was all.
"""
BEGIN = """# These lines learn:
#
#     y = w ** 2
#     w -= 0.1 * w
#
# Prose.
#
# A formula that"""
SEEN = "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).length"
HASH = "return decodeURIComponent(location.hash)"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of a lesson: title; code, picture and question; an optional part; prose; the end."""
    needs(*RENDERS)
    folder = tmp_path_factory.mktemp("present")
    text = LESSON.replace("# %% [markdown]\n# ## The end\n", MORE)
    (folder / "99_lesson.py").write_text(text.replace("# A formula that", BEGIN))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setattr(building, "execute", ran)
        for module in (forms, front):
            patch.setattr(module, "questions_of", lambda number: QUESTIONS)
        building.build(lessons.lessons(folder), folder / "site", with_reference=False)
    return folder / "site" / "99_lesson.html"


@pytest.fixture
def presented(page, browser):
    """The page in the browser, with the first section on the screen."""
    browser.open(page)
    press(browser, "p")
    return browser


def press(browser, *keys):
    for key in keys:
        browser.driver.find_element("tag name", "body").send_keys(key)


def headings(browser):
    return browser.run(
        "return [...document.querySelectorAll('main :is(h1, h2, h3)')]"
        ".filter(e => e.checkVisibility()).map(e => e.textContent)"
    )


@pytest.mark.slow
def test_keys_lead_from_section_to_section(presented):
    title = headings(presented)[0]
    assert title.startswith("99 A lesson")
    seen = []
    for _ in range(6):  # one more than there are: it stays at the end
        press(presented, Keys.ARROW_RIGHT)
        seen.append(headings(presented))
    part, prose = "More of it (optional)", "A section of prose"
    assert seen == [[], [part], [prose], ["The end"], ["Further"], ["Further"]]
    press(presented, Keys.PAGE_UP, *[Keys.ARROW_LEFT] * 5)
    assert headings(presented) == [title]
    press(presented, Keys.ESCAPE)
    assert len(headings(presented)) > 3
    assert presented.run("return document.title").startswith("99")  # no arrow led to another page
    assert not presented.messages()


def test_the_title_stands_with_the_lines_that_it_begins_with(presented):
    shown = "return document.querySelector('main').innerText"
    for part in ("99 A lesson", "These lines learn:", "y = w ** 2"):
        assert part in presented.run(shown)
    assert "Prose." not in presented.run(shown)


def test_a_tall_picture_ends_above_the_bar_below_a_heading_and_a_printed_line(presented):
    press(presented, Keys.ARROW_RIGHT)
    bottom, bar = presented.run(
        "const image = document.querySelector('main a.picture img');"
        "document.querySelector('main pre.printed').before("
        "    Object.assign(document.createElement('h2'), {textContent: 'A heading'}));"
        "image.style.height = '5000px';"
        "const bar = document.querySelector('.present-bar').getBoundingClientRect();"
        "return [image.getBoundingClientRect().bottom, bar.top]"
    )
    assert bottom <= bar


def test_prose_and_code_above_a_picture_are_folded(presented):
    seen = lambda what: presented.run(SEEN, f"main {what}")
    press(presented, Keys.ARROW_RIGHT)
    assert (seen("a.picture"), seen("form.question"), seen("pre.code")) == (1, 1, 0)
    assert presented.run("return document.querySelector('a.picture img').clientWidth") > 1000
    press(presented, "m")
    assert seen("pre.code") >= 1
    press(presented, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert seen("p") == 1  # of the section that is prose alone


@pytest.mark.slow
def test_the_address_keeps_the_place(presented, page):
    press(presented, *[Keys.ARROW_RIGHT] * 3)
    assert presented.run(HASH) == "#a-section-of-prose&present"
    presented.driver.refresh()
    assert headings(presented) == ["A section of prose"]
    press(presented, Keys.ESCAPE)
    assert presented.run(HASH) == "#a-section-of-prose"
    press(presented, "p")  # goes on where one reads
    assert headings(presented) == ["A section of prose"]


def test_keys_that_are_typed_into_an_answer_do_nothing_else(presented):
    press(presented, Keys.ARROW_RIGHT)
    field = presented.driver.find_element("css selector", "form.question input")
    field.send_keys("2p", Keys.ARROW_LEFT, "m")
    assert field.get_attribute("value") == "2mp"
    assert presented.run(HASH).endswith("&present")
    field.send_keys(Keys.ESCAPE)
    assert not presented.run(HASH).endswith("&present")


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_and_buttons_do_what_keys_do(page, browser, width):
    metrics = {"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": width < 400}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        browser.open(page)
        browser.run("document.getElementById('present').click()")
        for _ in range(5):
            for _ in range(2):  # folded, and not
                wide, there = browser.run(
                    "const {scrollWidth, clientWidth} = document.documentElement;"
                    "return [scrollWidth, clientWidth]"
                )
                assert wide <= there <= width
                browser.run("document.querySelectorAll('.present-bar button')[2].click()")
            browser.run("document.querySelectorAll('.present-bar button')[1].click()")
        assert headings(browser) == ["Further"]
        browser.run("document.querySelectorAll('.present-bar button')[3].click()")
        assert len(headings(browser)) > 3
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
