"""`python -m minigrad course`: what is kept, where links lead, and the pages in a real browser."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
from extras import RENDERS, needs
from lesson_of_all import LESSON, QUESTIONS, WIDTHS, ran
from progress import problems

from minigrad import errors, idioms
from minigrad.__main__ import main
from minigrad.course.exercises.catalogue import sheets
from minigrad.course.exercises.own_engine import comparison
from minigrad.course.folders import EXAMPLES, ROOT
from minigrad.course.lessons import forms, running
from minigrad.course.lessons import lesson as lessons
from minigrad.course.lessons.addresses import Links, Site
from minigrad.course.lessons.markdown import Renderer
from minigrad.course.lessons.pages import lesson_page
from minigrad.course.site import build as building
from minigrad.course.site import front
from minigrad.course.site.build import build
from minigrad.course.site.cache import digest, kept_folder, sweep
from minigrad.course.site.preview import Preview
from minigrad.course.site.site_folder import SiteFolder

GUIDE = EXAMPLES / "exercises/README.md"  # it has wide tables, and a link to TEACHING.md
GUIDE_PAGE = f"source/{GUIDE.relative_to(ROOT).as_posix()}.html"

# --- what is kept ---------------------------------------------------------------------------------


def test_a_folder_is_made_once_for_one_content(tmp_path):
    made = []

    def make(folder):
        made.append(folder)
        (folder / "file").write_text("content")

    one = kept_folder("name", "a", make, tmp_path / "cache")
    assert kept_folder("name", "a", make, tmp_path / "cache") == one
    assert (one / "file").read_text() == "content"
    assert len(made) == 1
    assert kept_folder("name", "b", make, tmp_path / "cache") != one
    assert len(made) == 2


def test_a_folder_that_another_process_makes_meanwhile_is_taken(tmp_path, monkeypatch):
    rename = Path.rename

    def beaten(beside, folder):
        folder.mkdir()
        (folder / "file").write_text("theirs")
        rename(beside, folder)

    monkeypatch.setattr(Path, "rename", beaten)
    one = kept_folder("name", "a", lambda folder: (folder / "file").write_text("mine"), tmp_path)
    assert (one / "file").read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [one]


def test_a_folder_is_swept_that_was_not_used_for_long(tmp_path):
    old, used, left = tmp_path / "old-a", tmp_path / "used-a", tmp_path / ".making-a"
    for folder, days in {old: 31, used: 31, left: 2}.items():
        folder.mkdir()
        os.utime(folder, (time.time() - days * 86400,) * 2)
    (tmp_path / "gone-a").symlink_to(tmp_path / "nowhere")  # as if removed while it is looked at
    (tmp_path / ".making-b").mkdir()
    kept_folder("used", "a", lambda folder: None, tmp_path)
    sweep(tmp_path)
    assert {one.name for one in tmp_path.iterdir()} == {"used-a", "gone-a", ".making-b"}


def test_a_lesson_runs_again_where_the_exercises_that_it_uses_change():
    files = {lesson.number: building._files_of(lesson) for lesson in lessons.lessons()}
    used = {Path(comparison.__file__), EXAMPLES / "exercises" / "engines.py"}
    assert used <= set(files["13b"])
    assert not used & set(files["01"])


def test_what_fails_is_not_kept(tmp_path):
    def make(folder):
        (folder / "half").write_text("")
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        kept_folder("name", "a", make, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_digest_tells_apart_texts_files_and_their_order(tmp_path):
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_text("a")
    other.write_text("a")
    found = [digest(parts) for parts in ([file], [other], ["a"], [file, other], [other, file])]
    assert len(set(found)) == 5
    file.write_text("b")
    assert digest([file]) != found[0]


# --- addresses ------------------------------------------------------------------------------------


def test_links_lead_to_pages():
    site = Site(lessons.lessons_named(["01", "02"]), written={"out/01_steps.html": "steps"})
    lesson = Links(site, "01_one_derivative.html", EXAMPLES)
    readme = Links(site, "source/README.md.html", ROOT)
    assert lesson.of("02_tensors.py") == "02_tensors.html"
    assert readme.of("examples/02_tensors.py") == "../02_tensors.html"
    assert lesson.of("03_trust_but_check.py") == "source/examples/03_trust_but_check.py.html"
    assert lesson.of("out/01_steps.html") == "out/01_steps.html"
    assert readme.of("minigrad/engine") == "minigrad/engine/__init__.py.html"
    assert readme.of("examples/README.md#sources") == "examples/README.md.html#sources"
    assert readme.of("examples/graph.svg") == "examples/graph.svg"
    assert lesson.to("minigrad/nn.py", 7) == "source/minigrad/nn.py.html#L-7"
    for there in ("https://arxiv.org/abs/1706.03762", "#questions"):
        assert lesson.of(there) == there
    for nowhere in ("missing.py", "../../..", "/etc"):
        assert lesson.of(nowhere) == ""
    assert (lesson.lesson("02"), lesson.lesson("03")) == ("02_tensors.html", "")


def test_a_prime_is_no_superscript():
    """Which a font would raise, and make small, a second time."""
    needs(*RENDERS)
    links = Links(Site(lessons.lessons_named(["03"])), "03_trust_but_check.html", EXAMPLES)
    page = Renderer().prose("$f'' = x^2$", links)
    assert '<mi>f</mi><mo lspace="0" rspace="0">&#x02033;</mo>' in page
    assert page.count("<msup>") == 1


@pytest.mark.parametrize(("formula", "gaps"), [(r"\ln 2", 1), (r"\exp e_i", 1), (r"\exp(e)", 0)])
def test_a_gap_stands_after_a_function_without_brackets(formula, gaps):
    needs(*RENDERS)
    page = Renderer().prose(f"${formula}$", Links(Site([]), "page.html"))
    assert page.count("<mspace") == gaps


def test_no_line_begins_with_the_sign_that_ends_a_sentence():
    needs(*RENDERS)
    page = Renderer().prose("Of $a$, $b$ and $c$.", Links(Site([]), "page.html"))
    assert re.findall(r"</math></span>(.)</span>", page) == [",", "."]


# --- pages ----------------------------------------------------------------------------------------


def ran_plainly(lesson, folder):
    """The same, of cells that print and draw nothing."""
    (folder / running.RAN).write_text(json.dumps(lessons.cells(lesson.text)))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of two small lessons, none of which ran, without a reference."""
    needs(*RENDERS)
    folder, said = tmp_path_factory.mktemp("course"), []
    (folder / "98_other.py").write_text("# %% [markdown]\n# # 98 Other\n")
    (folder / "99_lesson.py").write_text(LESSON)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setattr(building, "execute", ran)
        patch.setattr(building, "find_spec", lambda name: None)
        patch.setattr(front, "GUIDES", {GUIDE: "Exercises", ROOT / "missing.md": "no more"})
        for module in (forms, front):
            patch.setattr(
                module, "questions_of", lambda number: QUESTIONS if number == "99" else {}
            )
        build(lessons.lessons(folder), folder / "site", say=said.append)
    assert said[-1] == (
        "left out: the reference (no pdoc), what matplotlib draws, missing.md; "
        'pip install -e ".[course]" in a clone brings what is missing'
    )
    return folder / "site"


def test_the_page_for_teachers_is_not_for_students(site):
    assert "there is a plan" in (site / GUIDE_PAGE).read_text()  # and no link to it
    assert list(site.rglob("*TEACHING*")) == []


@pytest.mark.slow
def test_the_reference_can_be_left_out(tmp_path, monkeypatch):
    """And then nothing says that something is missing, whether there is pdoc or not."""
    needs(*RENDERS)
    said = []
    (tmp_path / "98_other.py").write_text("# %% [markdown]\n# # 98 Other\n\n# %%\nprint(1)\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(building, "execute", ran_plainly)
    monkeypatch.setattr(building, "_reference", lambda folder, say: 1 / 0)
    build(lessons.lessons(tmp_path), tmp_path / "site", say=said.append, with_reference=False)
    assert not [line for line in said if "left out" in line]
    assert "reference/" not in (tmp_path / "site" / "index.html").read_text()
    assert not [*(tmp_path / "site" / "source").rglob("*.py.html")]
    for page in (tmp_path / "site").rglob("*.html"):
        leads_somewhere(page, tmp_path / "site")


@pytest.mark.slow
def test_the_reference_is_made_beside_the_lessons_where_nobody_waits_for_one(tmp_path, monkeypatch):
    needs(*RENDERS)
    (tmp_path / "99_last.py").write_text("# %% [markdown]\n# # 99 Last\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = threading.Event()

    def run(lesson, folder):
        assert made.wait(30)
        ran_plainly(lesson, folder)

    monkeypatch.setattr(building, "_kept_reference", lambda wanted, say: made.set())
    monkeypatch.setattr(building, "execute", run)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    build(lessons.lessons(tmp_path), tmp_path / "site")


@pytest.mark.slow
def test_a_lesson_can_be_read_before_it_has_run(tmp_path, monkeypatch):
    """Its page says so then; as soon as it has run, it has what its cells print."""
    needs(*RENDERS)
    (tmp_path / "98_other.py").write_text("# %% [markdown]\n# # 98 Other\n\n# %%\nprint(6 * 7)\n")
    (tmp_path / "99_last.py").write_text("# %% [markdown]\n# # 99 Last\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    some, root = lessons.lessons(tmp_path), tmp_path / "site"
    preview = Preview(some, root, None)
    shown = lambda: (root / "98_other.html").read_text()
    assert "98_other.html" in (root / "index.html").read_text()
    assert not (root / "98_other.html").exists()
    preview.write("98_other.html")
    assert '<p class="running">' in shown()
    joined = []

    def run(lesson, folder):
        if lesson.number == "99":  # the other one is there already
            joined.append('<p class="running">' not in shown())
        ran_plainly(lesson, folder)

    monkeypatch.setattr(building, "execute", run)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    building.build(some, root, with_reference=False, preview=preview)
    assert joined == [True]
    preview.write("98_other.html")  # leaves what is there
    assert '<p class="running">' not in shown()


@pytest.mark.slow
def test_the_lesson_that_a_reader_opens_runs_at_once(tmp_path, monkeypatch):
    """It does not wait for the one whose turn it is, and the others do."""
    needs(*RENDERS)
    for number in (97, 98, 99):
        (tmp_path / f"{number}_some.py").write_text(f"# %% [markdown]\n# # {number} Some\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    preview = Preview(lessons.lessons(tmp_path), tmp_path / "site", None)
    began, opened = [], threading.Event()

    def run(lesson, folder):
        began.append(lesson.number)
        if lesson.number == "97":
            preview.write("99_some.html")
            assert opened.wait(30)
        if lesson.number == "99":
            opened.set()
        ran_plainly(lesson, folder)

    monkeypatch.setattr(building, "execute", run)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    building.build(
        lessons.lessons(tmp_path), tmp_path / "site", with_reference=False, preview=preview
    )
    assert began == ["97", "99", "98"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_lesson_that_fails_takes_nothing_from_the_others(tmp_path, monkeypatch):
    """Where the course is served, it stays, and the page of that lesson says where it failed."""
    needs(*RENDERS)
    (tmp_path / "98_fails.py").write_text(
        "# %% [markdown]\n# # 98 Fails\n\n# %%\nright = 5\nassert right > 6\n"
    )
    (tmp_path / "99_last.py").write_text("# %% [markdown]\n# # 99 Last\n\n# %%\nprint(6 * 7)\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    some, root, said = lessons.lessons(tmp_path), tmp_path / "site", []
    preview = Preview(some, root, None)
    building.build(some, root, None, said.append, False, preview)
    assert any(
        line.startswith("98_fails.py fails: AssertionError: , at 98_fails.py:6: assert right > 6;")
        for line in said
    )
    shown = (root / "98_fails.html").read_text()
    assert "does not run to its end on this machine" in shown
    assert "assert right &gt; 6" in shown
    assert ">42" in (root / "99_last.html").read_text()
    assert [line for line in said if re.fullmatch("99 Last  [0-9]+ s, 1 of 2", line)]


@pytest.mark.slow
def test_no_lesson_begins_after_a_stop(tmp_path, monkeypatch):
    needs(*RENDERS)
    (tmp_path / "98_other.py").write_text("# %% [markdown]\n# # 98 Other\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(building, "execute", lambda lesson, folder: 1 / 0)
    preview = Preview(lessons.lessons(tmp_path), tmp_path / "site", None)
    preview.stopped.set()
    with pytest.raises(KeyboardInterrupt):
        building.build(lessons.lessons(tmp_path), tmp_path / "site", None, preview=preview)


@pytest.mark.slow
def test_the_course_as_one_file(tmp_path, monkeypatch):
    needs(*RENDERS)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(building, "execute", ran_plainly)
    file = tmp_path / "new" / "course.zip"
    assert main(["course", "01", "05", "--no-reference", "--out", str(file)]) == 0
    shutil.unpack_archive(file, tmp_path / "site")
    there = {page.name for page in (tmp_path / "site").glob("*.html")}
    assert {"index.html", "01_one_derivative.html", "05_words_as_vectors.html"} <= there
    for page in (tmp_path / "site").rglob("*.html"):
        leads_somewhere(page, tmp_path / "site")


@pytest.mark.slow
def test_pages_that_lessons_write_load_one_script(tmp_path, browser):
    """And lead to the pages of lessons, not to files of this machine."""
    (tmp_path / "out").mkdir()
    link = '{"title":"%s","address":"../../somewhere/examples/%s.py"}'
    for name in ("one", "two"):
        (tmp_path / "out" / f"{name}.html").write_text(
            "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
            "script-src 'unsafe-inline'\"><script id='data' type='application/json'>"
            f"[{link % ('Tensors', '02_tensors')},{link % ('Gone', '98_gone')}]</script>"
            f"<script>{' ' * 10000}document.title = 'it runs'</script>"
        )
    read = Site(lessons.lessons_named(["02"]))
    SiteFolder(tmp_path / "site", read, None, Renderer()).copy_outputs(tmp_path)
    assert len([*(tmp_path / "site" / "out").glob("*.js")]) == 1
    for name in ("one", "two"):
        browser.open(tmp_path / "site" / "out" / f"{name}.html")
        assert browser.run("return document.title") == "it runs"
        assert browser.run("return JSON.parse(document.getElementById('data').textContent)") == [
            {"title": "Tensors", "address": "../02_tensors.html"}, None,
        ]  # fmt: skip
        assert not browser.messages()


@pytest.mark.slow
def test_a_page_that_lies_by_itself_says_what_is_missing(site, browser, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "one.html").write_text(f"<script>{' ' * 10000}</script>")
    SiteFolder(tmp_path / "site", Site([]), None, Renderer()).copy_outputs(tmp_path)
    (script,) = (tmp_path / "site" / "out").glob("*.js")
    script.unlink()
    (tmp_path / "lesson.html").write_bytes((site / "99_lesson.html").read_bytes())
    for alone in (tmp_path / "site" / "out" / "one.html", tmp_path / "lesson.html"):
        browser.open(alone)
        said = browser.run("return document.documentElement.innerText")
        assert said.strip().startswith("This page lies by itself")
        browser.messages()
    browser.open(site / "99_lesson.html")
    assert "lies by itself" not in browser.run("return document.documentElement.innerText")


def leads_somewhere(page, root):
    """Every link of a page that leads to another leads to one, and to a place that it has."""
    for address in re.findall(r'(?:href|src)="([^"]*)"', page.read_text()):
        if re.match("https?:|data:", address):
            continue
        file, _, anchor = address.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert root in target.parents, f"{page.name}: {address}"
        assert target.is_file(), f"{page.name}: {address}"
        assert not anchor or f'id="{anchor}"' in target.read_text(), f"{page.name}: {address}"


def fits(browser, page):
    """Nothing of a page is cut at the right, in the light or in the dark, at three widths."""
    for width in WIDTHS:
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 400}
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        browser.open(page)
        browser.run("document.querySelectorAll('details').forEach(each => each.open = true)")
        wide, there = browser.run(
            "const {scrollWidth, clientWidth} = document.documentElement;"
            "return [scrollWidth, clientWidth]"
        )
        assert wide <= there <= width, f"{page.name} at {width}"
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.slow
def test_nothing_is_cut_at_the_right(site, browser):
    for name in ("index.html", "99_lesson.html", "exercises.html", "idioms.html", GUIDE_PAGE):
        fits(browser, site / name)
        assert not browser.messages()
        assert all(re.match("(file|data):", address) for address in browser.requests())


def test_every_link_leads_somewhere(site):
    pages = list(site.rglob("*.html"))
    assert {site / GUIDE_PAGE, site / "index.html"} <= set(pages)
    for page in pages:
        leads_somewhere(page, site)


@pytest.mark.slow
def test_idioms_are_found_by_a_word_of_theirs_or_ours(site, browser):
    browser.open(site / "idioms.html")
    type_in = "const f = document.getElementById('filter'); f.value = arguments[0]; f.oninput();"
    shown = "return [...document.querySelectorAll('.idiom')].filter(r => r.offsetHeight).length"
    assert browser.run(shown) == len(idioms.IDIOMS) + len(idioms.WORDS)
    browser.run(type_in.replace("arguments[0]", "'TORCH.cat'"))
    assert browser.run(shown) == 1
    assert "np.concatenate([x, y], axis=1)" in browser.run("return document.body.innerText")
    assert "optimisers" not in browser.run("return document.querySelector('main').innerText")


@pytest.mark.slow
def test_an_optional_section_is_folded(site, browser):
    browser.open(site / "99_lesson.html")
    text = browser.run("return document.querySelector('main').innerText")
    assert "More of it (optional)" in text
    assert "Hidden at first." not in text
    assert "print(value)" not in text
    assert "The end" in text
    assert "seconds" not in text
    browser.run("document.querySelector('.optional > summary').click()")
    assert "print(value)" in browser.run("return document.querySelector('main').innerText")


@pytest.mark.slow
def test_keys_lead_on_and_progress_is_kept(site, browser):
    press = "document.dispatchEvent(new KeyboardEvent('keydown', {{key: '{}', bubbles: true}}))"
    key = lambda name: browser.run("document.body." + press.format(name).partition(".")[2])
    number = "return document.body.dataset.lesson"
    browser.open(site / "98_other.html")
    browser.run("localStorage.clear()")
    key("ArrowRight")
    assert browser.run(number) == "99"
    key("ArrowRight")
    assert browser.run(number) == "99"
    key("ArrowLeft")
    assert browser.run(number) == "98"
    browser.open(site / "99_lesson.html")
    assert browser.run("return localStorage.getItem('minigrad:read/99')") is None
    browser.run("document.querySelector('footer').scrollIntoView()")
    browser.wait("return localStorage.getItem('minigrad:read/99') === '1'")
    browser.open(site / "index.html")
    read = browser.run("return [...document.querySelectorAll('.read')].map(e => e.dataset.lesson)")
    assert read == ["98", "99"], "the end of 98 is seen at once"
    assert browser.run("return document.getElementById('resume').innerText").startswith(
        "Go on with 99"
    )


@pytest.mark.slow
def test_what_follows_a_question_waits_and_the_index_counts(site, browser):
    text = "return document.querySelector('main').innerText"
    browser.open(site / "99_lesson.html")
    browser.run("localStorage.clear()")
    browser.open(site / "99_lesson.html")
    assert "How much is" in browser.run(text)
    assert "one_and_one" not in browser.run(text)
    browser.driver.find_element("css selector", "form input").send_keys("2\n")
    browser.wait(f"{text}.includes('one_and_one')")
    browser.open(site / "index.html")
    assert "1 of 1 questions" in browser.run(text)
    browser.run("localStorage.clear()")


@pytest.mark.slow
def test_dark_follows_the_system_until_the_reader_chooses(site, browser):
    paper = "return getComputedStyle(document.body).backgroundColor"
    browser.open(site / "index.html")
    browser.run("localStorage.clear()")
    browser.open(site / "index.html")
    light = browser.run(paper)
    browser.open(site / "index.html", dark=True)
    dark = browser.run(paper)
    assert light == "rgb(255, 255, 255)" != dark
    browser.run("document.getElementById('theme').click()")
    assert browser.run(paper) == light
    browser.open(site / "99_lesson.html", dark=True)
    assert browser.run(paper) == light, "the choice holds on every page"
    browser.run("localStorage.clear()")


@pytest.mark.slow
def test_a_picture_opens_larger(site, browser):
    browser.open(site / "99_lesson.html")
    wide = "return document.querySelector('dialog img').getBoundingClientRect().width"
    browser.run("document.querySelector('a.picture').click()")
    browser.wait(f"{wide} > 0")
    before = browser.run(wide)
    browser.run("document.querySelector('dialog button[title^=larger]').click()")
    assert browser.run(wide) > 1.2 * before
    browser.run("document.querySelector('dialog button[title^=close]').click()")
    browser.wait("return !document.querySelector('dialog')")
    address, length = browser.run("return [location.href, history.length]")
    browser.run("document.querySelector('a.picture').click()")
    browser.driver.back()
    browser.wait("return !document.querySelector('dialog')")
    assert browser.run("return [location.href, history.length]") == [address, length]


def test_a_page_says_what_comes_after_the_lesson(site):
    text = (site / "99_lesson.html").read_text()
    assert '<a href="out/99_steps.html">Step through it: x &lt; y</a>' in text
    assert text.count('<a href="98_other.html">') == 3
    assert '<a rel="prev" href="98_other.html">98 Other</a>' in text


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["-1", "65536", "x"])
def test_a_port_that_is_none(given, capsys):
    with pytest.raises(SystemExit):
        main(["course", "--port", given])
    complaint = capsys.readouterr().err
    assert re.fullmatch(r"minigrad: argument --port: a port is a whole number .*\n", complaint)


def test_a_port_that_is_taken(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["course", "--port", str(port)]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith(f"minigrad: port {port} cannot be had")
    assert complaint.count("\n") == 1


def test_the_page_of_exercises_shows_each_signature_and_keeps_the_indents():
    needs(*RENDERS)
    (sheet,) = [one for one in sheets() if "contexts" in one.exercises]
    about = front._docstrings(sheet)["contexts"]
    shown = front._exercise(sheet.exercises["contexts"], about, None, Renderer())
    assert "<pre>contexts(e, h)\n\n    c_j = sum_i a_ij h_i," in shown


def test_a_site_of_two_lessons_has_their_exercises_and_says_what_is_asked_of_others():
    needs(*RENDERS)
    site = Site(lessons.lessons_named(["05", "08"]))
    page = front.exercises(site, None, {}, Renderer())
    assert re.findall(r'<h2 id="(\w+)"', page) == ["05", "08"]
    assert "exercises start mine 05 08<" in page
    assert "exercises check 05<" in page
    lesson = lesson_page(site.lessons[1], None, [], site, Renderer())
    assert "<summary>A question of lesson 06, which is not on this site</summary>" in lesson
    assert "A question of lesson 05" not in lesson
    assert "have none" in front.exercises(
        Site(lessons.lessons_named(["03b"])), None, {}, Renderer()
    )


def test_a_folder_without_exercises(tmp_path, capsys):
    assert main(["course", "--exercises", str(tmp_path)]) == 2
    assert "there are no exercises in" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_lesson_that_fails_makes_no_site(tmp_path, monkeypatch):
    needs(*RENDERS)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(building, "find_spec", lambda name: None)
    (tmp_path / "99_fails.py").write_text("# %% [markdown]\n# # 99 Fails\n\n# %%\n1 / 0\n")
    with pytest.raises(errors.ConfigError, match=r"99_fails\.py fails: ZeroDivisionError"):
        build(lessons.lessons(tmp_path), tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("installed", [False, True])
def test_the_reference_imports_no_module_whose_library_is_missing(monkeypatch, tmp_path, installed):
    """A learner has no pytest: `pip install "minigrad[course]"` does not bring it."""
    asked = []
    monkeypatch.setattr(building, "find_spec", lambda name: installed or None)
    monkeypatch.setattr(
        subprocess,
        "run",
        lambda command, **_: asked.extend(command) or SimpleNamespace(returncode=0),
    )
    building._reference(tmp_path, lambda line: None)
    assert "minigrad.course.exercises.marking" in asked
    left_out = {"!" + name for name in building.IMPORT.values()} & set(asked)
    assert len(left_out) == (0 if installed else 2)


@pytest.fixture(scope="module")
def kept_pages(tmp_path_factory):
    """Where tests that build real lessons keep them: each, and the reference, is built once."""
    return str(tmp_path_factory.mktemp("cache"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lessons_as_files(browser, tmp_path, monkeypatch, capsys, kept_pages):
    needs(*RENDERS, "matplotlib", "pygraphviz", "pdoc")
    monkeypatch.setenv("XDG_CACHE_HOME", kept_pages)
    root = tmp_path / "site"
    assert main(["course", "01", "02", "12", "--out", str(root)]) == 0
    assert "left out" not in capsys.readouterr().err
    assert main(["course", "01", "02", "12", "--out", str(root)]) == 0
    told = capsys.readouterr()
    assert len(problems(told.err)) == 1, "all is kept"
    assert told.out == f"open {root / 'index.html'}\n"
    for page in [*root.rglob("*.html"), *root.rglob("*.js")]:
        inside = page.relative_to(root).parts
        if page.suffix == ".html" and inside[0] not in ("reference", "out"):
            leads_somewhere(page, root)
        assert str(ROOT) not in page.read_text(), f"{page}: a folder of this machine"
    for lesson in lessons.lessons_named(["01", "02", "12"]):
        page = root / f"{lesson.path.stem}.html"
        fits(browser, page)
        browser.open(page)
        assert browser.run("return document.title") == f"{lesson.number} {lesson.title}"
        wide, high = browser.run(
            "const m = document.querySelector('math[display=block]').getBoundingClientRect();"
            "return [m.width, m.height]"
        )
        assert wide > 100
        assert high > 15
        prose = "return [...document.querySelectorAll('main > p')].map(e => e.innerText).join(' ')"
        assert "$" not in browser.run(prose)
        browser.run("document.querySelectorAll('img').forEach(i => i.loading = 'eager')")
        browser.wait("return [...document.images].every(i => i.naturalWidth > 50)")
        names = re.findall(r'^pictures\("', lesson.text, re.M)
        assert browser.run("return document.images.length") == len(names)
        assert not browser.messages()
        assert all(re.match("(file|data):", address) for address in browser.requests())
    fits(browser, root / "reference" / "minigrad" / "nn.html")
    assert not browser.messages()


@pytest.mark.slow
def test_the_site_shows_what_a_learner_saves(tmp_path, kept_pages):
    needs(*RENDERS)
    learner = tmp_path / "mine"
    assert main(["exercises", "start", str(learner)]) == 0
    command = [sys.executable, "-m", "minigrad", "course", "01", "--no-browser", "--port", "0"]
    command.append("--no-reference")  # which Ctrl-C would wait for
    places = {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": kept_pages}
    served = subprocess.Popen(
        [*command, "--exercises", str(learner)], env=os.environ | places,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        lines = iter(served.stdout.readline, "")
        address = next(found[1] for line in lines if (found := re.search(r"(http://\S+)", line)))
        assert re.match(r"http://127\.0\.0\.1:\d+/$", address)
        read = lambda name: urllib.request.urlopen(address + name, timeout=60).read().decode()
        assert "0 of 3 exercises" in read("")
        file = learner / "01_one_derivative.py"
        rule = "    return g * y, g * x\n"  # of the first exercise
        file.write_text(file.read_text().replace("    raise NotImplementedError\n", rule, 1))
        assert "1 of 3 exercises" in read("")
        assert 'data-state="right"' in read("exercises.html")
        served.send_signal(signal.SIGINT)
        assert served.wait(30) == 0
    finally:
        served.kill()
        served.communicate()
