"""`python -m minigrad lessons`: the list, the time to read, a run, notebooks; and what a lesson uses."""

import json
import re

import pytest
from extras import needs

from minigrad import errors
from minigrad.__main__ import main
from minigrad.course.folders import ROOT
from minigrad.course.lessons import command, notebooks, pages, running
from minigrad.course.lessons import lesson as lessons

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


def test_every_lesson_has_a_line(capsys):
    assert main(["lessons"]) == 0
    lines = capsys.readouterr().out.splitlines()
    files = sorted((ROOT / "examples").glob("[0-9][0-9]*_*.py"))
    for file, line in zip(files, lines):
        head = file.read_text().splitlines()[1:4]
        number, title, about = re.match(
            r"(\d\d[a-z]?) +(.+?) +\d+(?: \+ \d+)? min  (.+)\.$", line
        ).groups()
        assert head[0] == f"# # {number} {title}"
        assert head[2].startswith(f"# *{about}. About ")
        assert file.name.startswith(number)
    assert len(lines) == len(files) + 3
    assert max(map(len, lines)) <= 140


@pytest.mark.parametrize("given", ["77", "six"])
def test_a_lesson_that_is_not_there(given, capsys):
    assert main(["lessons", given]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith(f"minigrad: there is no lesson {given}; there are 00, 01, 02")
    assert complaint.count("\n") == 1


def test_numbers_with_and_without_a_nought():
    assert [lesson.number for lesson in lessons.lessons_named(["3", "01"])] == ["03", "01"]


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
    assert [cell["cell_type"] for cell in notebook["cells"]] == ["code", "markdown", "code", "code"]
    assert "%pip install" in "".join(notebook["cells"][0]["source"])
    assert "".join(notebook["cells"][1]["source"]).startswith("# 99 A small lesson\n")
    assert "".join(notebook["cells"][3]["source"]) == "1 / 1"
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("divisor", "says"),
    [
        (0, r"ZeroDivisionError: .*99_small\.py:18: 1 / 0$"),
        ("sys.exit(3)", r"SystemExit: 3, at 99_small\.py:18"),
        ("os._exit(1)", "its process died"),
        ("time.sleep(60)", "timed out after 10 seconds"),
    ],
)
def test_a_lesson_that_does_not_end_says_why(divisor, says, small, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 10)
    lesson = small(divisor=divisor)
    text = lesson.path.read_text().replace("import sys", "import os, sys, time")
    lesson.path.write_text(text)
    with pytest.raises(errors.ConfigError, match=rf"99_small\.py fails: .*{says}"):
        running.execute(lesson, tmp_path)


SHOWS = """# %% [markdown]
# # 99 A lesson that shows

# %%
import inspect
import os
import sys

import minigrad as mg
from minigrad.course.pictures import Pictures

pictures = Pictures()
x = mg.Tensor(3.0, requires_grad=True)
print("printed", file=sys.stderr)  # which no page shows
os.write(1, b"neither")
print("one")
pictures("99_graph", mg.graph(x * x))

# %%
print(__name__, x)
x + 1

# %%
def source():
    return 1

print(inspect.getsource(source))
"""


@pytest.mark.slow
def test_a_lesson_that_ran_has_what_its_cells_print_and_draw(tmp_path, capfd):
    needs("pygraphviz")
    (tmp_path / "99_shows.py").write_text(SHOWS)
    (lesson,) = lessons.lessons(tmp_path)
    running.execute(lesson, tmp_path)
    text, drawn, shown, line = running.cells_that_ran(tmp_path)
    assert (text.kind, text.printed, text.picture) == ("markdown", "", "")
    assert (drawn.printed, drawn.picture) == ("one\n", "out/99_graph.svg")
    assert (tmp_path / "out" / "99_graph.svg").read_text().startswith("<svg")
    assert shown.printed == "__main__ Tensor(3., requires_grad=True)\nTensor(4., from np.add)\n"
    assert line.printed == "def source():\n    return 1\n\n"
    assert lessons.cells(lesson.text)[1].text == drawn.text
    assert capfd.readouterr() == ("", "")


def test_a_page_may_name_a_folder_whose_name_is_no_text(tmp_path):
    page = notebooks.write_text(tmp_path / "page.html", "mine/Jos\udce9")
    assert page.read_text() == "mine/Jos\\udce9"


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


SECTIONS = """# %% [markdown]
# # 99 A lesson
#
# Four words of core.

# %%
x = 1  # core

# %% [markdown]
# ## Beyond (optional)
#
# one two
#
# ### Deeper

# %%
y = 2

# %% [markdown]
# three
#
# ## Core again
#
# ```sh
# # no heading (optional)
# ```
#
# ### Small (optional)
# four
# ## The end
"""


def test_an_optional_section_ends_at_the_next_heading_of_its_level():
    found = lessons.sections(lessons.cells(SECTIONS))
    assert [(cell.text.splitlines()[0], cell.optional) for cell in found] == [
        ("# 99 A lesson", ""),
        ("x = 1  # core", ""),
        ("## Beyond (optional)", "Beyond"),
        ("### Deeper", "Beyond"),
        ("y = 2", "Beyond"),
        ("three", "Beyond"),
        ("## Core again", ""),
        ("### Small (optional)", "Small"),
        ("## The end", ""),
    ]


def test_the_time_to_read_counts_words_and_lines(tmp_path):
    def lesson(words, lines, optional):
        prose = "\n".join(["# word word"] * (words // 2))
        code = "\n".join(["x = 1", "# a comment", ""] * lines)
        path = tmp_path / "99_lesson.py"
        path.write_text(f"# %% [markdown]\n# ## One two{optional}\n{prose}\n# %%\n{code}\n")
        return lessons.Lesson(path, "99", "").minutes

    assert lesson(words=398, lines=60, optional="") == pytest.approx((2 + 3, 0))
    assert lesson(words=196, lines=10, optional=" (optional)") == pytest.approx(
        (0, 199 / 200 + 0.5)
    )


def test_a_run_begins_with_where_the_text_is(small, monkeypatch, capsys):
    monkeypatch.setattr(command, "lessons_named", lambda numbers: [small()])
    assert main(["lessons", "99"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert "99_small.py: its text is in this file" in first
    assert rest[0].startswith("given")
