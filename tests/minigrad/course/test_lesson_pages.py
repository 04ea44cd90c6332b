"""`python -m minigrad lessons`: the list, a run, notebooks, and pages in a real browser."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from minigrad import errors
from minigrad.__main__ import main
from minigrad.course.lessons import lesson as lessons
from minigrad.course.lessons import notebooks, pages
from minigrad.course.places import ROOT

SMALL = """# %% [markdown]
# # 99 A small lesson
#
# *Only for this test. About 1 seconds.*
#
# A formula, $x^2$, and a block:
#
# $$y = \\\\frac{1}{2} \\\\sum_i x_i$$

# %%
import sys

import minigrad as mg

print("given", sys.argv[1:])

# %%
1 / DIVISOR
"""


@pytest.fixture
def small(tmp_path):
    def write(divisor=1):
        path = tmp_path / "99_small.py"
        path.write_text(SMALL.replace("\\\\", "\\").replace("DIVISOR", str(divisor)))
        (lesson,) = lessons.lessons(tmp_path)
        return lesson

    return write


def needs(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")


def test_every_lesson_has_a_line(capsys):
    assert main(["lessons"]) == 0
    lines = capsys.readouterr().out.splitlines()
    files = sorted((ROOT / "examples").glob("[0-9][0-9]*_*.py"))
    for file, line in zip(files, lines):
        head = file.read_text().splitlines()[1:4]
        number, title, seconds, about = re.match(
            r"(\d\d[a-z]?) +(.+?) +(\d+) s  (.+)\.$", line
        ).groups()
        assert head[0] == f"# # {number} {title}"
        assert head[2] == f"# *{about}. About {seconds} seconds.*"
        assert file.name.startswith(number)
    assert len(lines) == len(files) + 2
    assert max(map(len, lines)) <= 140


@pytest.mark.parametrize("given", ["77", "six"])
def test_a_lesson_that_is_not_there(given, capsys):
    assert main(["lessons", given]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith(f"minigrad: there is no lesson {given}; there are 01, 02")
    assert complaint.count("\n") == 1


def test_numbers_with_and_without_a_nought():
    assert [lesson.number for lesson in lessons.chosen(["3", "01"])] == ["03", "01"]


def test_a_folder_without_lessons(tmp_path):
    with pytest.raises(errors.ConfigError, match="no lessons in"):
        lessons.lessons(tmp_path)
    (tmp_path / "01_not_one.py").write_text("print(1)\n")
    with pytest.raises(errors.ConfigError, match=r"01_not_one\.py is no lesson"):
        lessons.lessons(tmp_path)


def test_a_lesson_runs_with_the_folder_of_its_pictures(small, capsys, tmp_path):
    lesson = small()
    assert lesson == lessons.Lesson(lesson.path, "99", "A small lesson", "Only for this test.", 1)
    lessons.run(lesson, "somewhere")
    assert capsys.readouterr().out == "given ['somewhere']\n"


def test_a_lesson_that_fails_says_where(small):
    with pytest.raises(errors.ConfigError, match=r"99_small\.py fails: ZeroDivisionError: .*:18"):
        lessons.run(small(divisor=0))


def test_notebooks(small, tmp_path):
    needs("jupytext")
    (path,) = notebooks.write_notebooks([small()], tmp_path / "notebooks")
    notebook = json.loads(path.read_text())
    assert path.name == "99_small.ipynb"
    assert [cell["cell_type"] for cell in notebook["cells"]] == ["markdown", "code", "code"]
    assert "".join(notebook["cells"][0]["source"]).startswith("# 99 A small lesson\n")
    assert "".join(notebook["cells"][2]["source"]) == "1 / 1"
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


def test_what_a_lesson_uses_is_found():
    text = (
        "import minigrad as mg\nimport minitransformer as mt\nimport numpy as np\n"
        "from minigrad.functional import softmax\nfrom minitransformer import masks\n"
        "from minitransformer.training.vocabulary import EOS\n"
        "x = mg.nn.Linear(2, 3)\nmt.attention(x, x, x)\nmasks.causal(3)\nsoftmax(EOS)\n"
        "np.exp(1)\nmg.grad\nmg.functional.gelu\n"
    )
    found = pages.uses(text)
    assert set(found) == {
        "mg.nn.Linear", "mt.attention", "masks.causal", "softmax", "mg.grad", "mg.functional.gelu",
    }  # fmt: skip
    for name, (file, line) in found.items():
        last = name.rpartition(".")[2]
        around = (ROOT / file).read_text().splitlines()[line - 1 : line + 3]
        assert any(re.match(rf"(def|class) {last}\b", text) for text in around), name


def test_without_the_extra_it_says_what_to_install(small, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jupytext", None)
    with pytest.raises(errors.ConfigError, match=r'needs jupytext.*pip install -e "\.\[course\]"'):
        notebooks.write_notebooks([small()], tmp_path)


WHAT_RENDERS = "jupytext", "nbclient", "ipykernel", "latex2mathml", "mdit_py_plugins", "pygments"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the machinery, about its own parts
def test_a_lesson_that_fails_makes_no_page(small, tmp_path):
    needs(*WHAT_RENDERS)
    with pytest.raises(
        errors.ConfigError, match=r"99_small\.py fails: ZeroDivisionError: division"
    ):
        pages.write_pages([small(divisor=0)], tmp_path / "pages")
    assert not (tmp_path / "pages" / "index.html").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_pages_read_without_a_network(browser, tmp_path):
    needs(*WHAT_RENDERS, "matplotlib", "pygraphviz")
    some = lessons.chosen(["01", "02", "12"])
    index = pages.write_pages(some, tmp_path)
    assert index == tmp_path / "index.html"
    for page in tmp_path.rglob("*.html"):
        leads_somewhere(page, tmp_path)
    for lesson in some:
        browser.open(tmp_path / f"{lesson.path.stem}.html")
        assert browser.run("return document.title") == f"{lesson.number} {lesson.title}"
        wide, high = browser.run(
            "const m = document.querySelector('math[display=block]').getBoundingClientRect();"
            "return [m.width, m.height]"
        )
        assert wide > 100
        assert high > 15
        assert "$" not in browser.run(
            "return [...document.querySelectorAll('.prose')].map(e => e.innerText).join(' ')"
        )
        drawn = browser.run("return [...document.images].map(i => i.naturalWidth > 50)")
        names = re.findall(r'^pictures\("', lesson.text, re.M)
        assert drawn == [True] * len(names)
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
        assert not browser.messages()
        assert all(re.match("(file|data):", address) for address in browser.requests())


def leads_somewhere(page: Path, root: Path):
    """Every link of a page that leads to another leads to one, and to a line that it has."""
    for address in re.findall(r'href="([^"]*)"', page.read_text()):
        if re.match("https?:|data:", address):
            continue
        file, _, anchor = address.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert root in target.parents, address
        assert target.is_file(), f"{page.name}: {address}"
        assert not anchor or f'id="{anchor}"' in target.read_text(), address
