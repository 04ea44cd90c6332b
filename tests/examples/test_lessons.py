"""Every lesson runs: with all that a learner installs, with less, and as a notebook."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from minigrad.course.lessons.lesson import HEAD

ROOT = Path(__file__).parents[2]
LESSONS = sorted((ROOT / "examples").glob("[0-9][0-9]*_*.py"))
SECONDS = 120  # a lesson takes about 5, one that trains about 30; this machine may be busy

RIGHT = {  # what a learner who has understood the lesson answers
    "01": "[[4, 4, 4], 36, 7]",
    "02": "[[4, 5], 8, [20, 0, 180]]",
    "03": "[[7, 6], 0.75, 2000]",
    "05": "[0.96, 0.805, 0.25]",
    "06": "[[0.25, 0.25, 0.5], 50500000, 5]",
    "08": "[[2, 0], [3, 5], [10, 0.1111111111]]",
    "07": "[0.16666666666, 3, 110]",
    "09": "[[32, 48], 262144, 2]",
    "10": "[4, 256, 1.5]",
    "11": "[[[-1, 1], [-1, 1]], [0.0009765625, 57.6650390625], 2099712]",
    "12": "[21, 904, [3, 4, 11, 9]]",
    "13": "[0.905, 0.5, [0.6, 0.8]]",
    "14": "[[0.625, 0.375, 0, 0], 0.9411764705882353, [-1.8, -1.4]]",
    "15": "[[28, 49], 9, 1.75]",
    "04": "[[2047, 11], [5, 5], [3, 3, 0]]",
    "13b": "[3, 80]",
    "17": "[60, 1, [4, 2]]",
}

# Python runs a file of this name when it starts: here, one that hides what draws pictures.
HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("matplotlib", "pygraphviz"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
"""


def number(lesson):
    """The number of a lesson's file, such as "07"."""
    return lesson.stem.partition("_")[0]


QUICK = ("01",)  # run whenever the tests do; the others are marked slow

every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
RUNS = [
    pytest.param(
        lesson, id=lesson.stem, marks=[] if number(lesson) in QUICK else [pytest.mark.slow]
    )
    for lesson in LESSONS
]
every_run = pytest.mark.parametrize("lesson", RUNS)
# The others run twice anyhow: as notebooks, and without the extras.
every_short_run = pytest.mark.parametrize(
    "lesson", [run for run in RUNS if int(HEAD.match(run.values[0].read_text())[4] or 0) <= 10]
)


def run(lesson, folder, *arguments, **environment):
    """Run a lesson in a process of its own, in `folder`; a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", lesson, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


def pictures_of(lesson):
    """The names of the pictures that a lesson draws, as its code has them."""
    names = re.findall(r'^pictures\("(\w+)"', lesson.read_text(), re.M)
    assert names
    assert all(name.startswith(f"{number(lesson)}_") for name in names)
    return names


def answered(lesson, folder, answers):
    """The lesson with `answers` in the cell that asks for them, as a file in `folder`."""
    text, times = re.subn(r"^answers = .*$", f"answers = {answers}", lesson.read_text(), flags=re.M)
    assert times == 1
    (folder / lesson.name).write_text(text)
    return folder / lesson.name


def needs(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")


def check_drawn(folder, names):
    """See that a folder has these pictures and no others, each with something on it."""
    drawn = sorted(folder.glob("*.svg"))
    assert [file.stem for file in drawn] == sorted(names)
    for file in drawn:
        shapes = [e for e in ET.parse(file).iter() if e.tag.endswith(("}path", "}polygon"))]
        assert len(shapes) > 2


@every_short_run
def test_a_lesson_runs_and_draws(lesson, tmp_path):
    needs("matplotlib", "pygraphviz")
    printed = run(lesson, tmp_path, "here")
    names = pictures_of(lesson)
    assert printed.splitlines()[-1] == f"Pictures in here: {', '.join(names)}"
    check_drawn(tmp_path / "here", names)
    questions = ast.literal_eval(RIGHT[number(lesson)])
    assert printed.count("not answered yet") == len(questions) in (2, 3)


@every_run
def test_a_lesson_runs_without_the_extras(lesson, tmp_path):
    """And finds right answers right, to run it no more often than needed."""
    (tmp_path / "sitecustomize.py").write_text(HIDE)
    (tmp_path / "empty").mkdir()
    copy = answered(lesson, tmp_path, RIGHT[number(lesson)])
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    printed = run(copy, tmp_path, PYTHONPATH=paths, PATH=str(tmp_path / "empty"))
    assert not list(tmp_path.rglob("*.svg"))
    (line,) = (line for line in printed.splitlines() if line.startswith("Pictures"))
    assert line.startswith("Pictures left out: ")
    assert set(re.findall(r"\b\d\d[a-z]?_\w+", line)) == set(pictures_of(lesson))
    assert 'pip install -e ".[course]"' in line
    questions = re.findall(r"^Question \d: (.*)$", printed, re.M)
    assert questions == ["right"] * len(ast.literal_eval(RIGHT[number(lesson)]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the notebook's machinery, about its own parts
@every_lesson
def test_a_lesson_runs_as_a_notebook(lesson, tmp_path):
    needs("jupytext", "nbclient", "ipykernel", "matplotlib", "pygraphviz")
    import jupytext
    import nbclient

    notebook = jupytext.read(lesson)
    client = nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3")
    client.resources["metadata"] = {"path": str(tmp_path)}
    client.execute(env=os.environ | {"PYTHONPATH": str(ROOT)})
    names = pictures_of(lesson)
    check_drawn(tmp_path / "out", names)
    shown = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "image/svg+xml" in output.get("data", ())
    ]
    assert len(shown) == len(names)  # each once, below the cell that draws it


@every_lesson
def test_a_lesson_has_the_form_of_one(lesson):
    text = lesson.read_text()
    cells = re.split(r"^# %%(.*)\n", text, flags=re.M)
    assert cells[0] == ""
    kinds, bodies = [kind.strip() for kind in cells[1::2]], cells[2::2]
    assert set(kinds) == {"", "[markdown]"}
    assert bodies[0].startswith(f"# # {number(lesson)} ")
    head = HEAD.match(text)
    assert head[3], "below the title: '#', then '# *What it is about. About 5 seconds.*'"
    assert "\n# After" in bodies[0]
    assert "you can\n#\n# - " in bodies[0]
    assert bodies[-1].strip() == "print(pictures)"
    for kind, body in zip(kinds, bodies):
        if kind == "[markdown]":
            assert all(line.startswith("#") for line in body.strip().splitlines())
        else:
            ast.parse(body)  # a cell is whole
    assert f"({lesson.name})" in (lesson.parent / "README.md").read_text()


@every_lesson
def test_a_lesson_uses_public_interfaces_only(lesson):
    tree = ast.parse(lesson.read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    for node in imports:
        names = [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        for name in names:
            top = name.partition(".")[0]
            assert (
                top in ("minigrad", "minitransformer", "numpy", "own_engine")
                or top in sys.stdlib_module_names
                or (top == "matplotlib" and node not in tree.body)
            ), f"line {node.lineno} imports {name}"
            assert not re.search(r"(^|\.)_(?!_)", name), f"line {node.lineno} imports {name}"
    attributes = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    assert not [name for name in attributes if re.match("_(?!_)", name)]


def test_every_lesson_has_its_answers():
    assert [number(lesson) for lesson in LESSONS] == sorted(RIGHT)


def test_a_lesson_fails_where_its_numbers_are_off(tmp_path):
    """By one per cent, in the central difference that lesson 03 is about."""
    right = "(f(above) - f(below)) / (above - below)"
    text = LESSONS[2].read_text()
    assert text.count(right) == 1
    (tmp_path / "wrong.py").write_text(text.replace(right, f"1.01 * {right}"))
    with pytest.raises(AssertionError, match="isclose"):
        run(tmp_path / "wrong.py", tmp_path)
