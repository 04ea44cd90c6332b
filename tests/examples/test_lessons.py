"""Every lesson has the form of one, and runs as a notebook, too."""

import ast
import os
import re
import sys

import pytest
from extras import needs
from limits import SECONDS
from runs import LESSONS, ROOT, every_lesson, number, pictures_of, run

from minigrad.course.lessons.lesson import HEAD


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the notebook's machinery, about its own parts
@pytest.mark.parametrize("which", ["01", "05"])
def test_a_lesson_runs_as_a_notebook(which, tmp_path):
    (lesson,) = (lesson for lesson in LESSONS if number(lesson) == which)
    needs("jupytext", "nbclient", "ipykernel", "matplotlib", "pygraphviz")
    import jupytext
    import nbclient

    notebook = jupytext.read(lesson)
    client = nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3")
    client.resources["metadata"] = {"path": str(tmp_path)}
    client.execute(env=os.environ | {"PYTHONPATH": str(ROOT)})
    names = pictures_of(lesson)
    assert sorted(file.stem for file in (tmp_path / "out").glob("*.svg")) == sorted(names)
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
            last = ast.unparse(ast.parse(body).body[-1:])  # a cell is whole,
            shown = isinstance(ast.parse(body).body[-1], ast.Expr)
            assert not shown or re.match(r"(print|pictures|ask)\(", last), "a page would show this"
    pictures_of(lesson)  # it draws
    listed = f"({lesson.name})" in (lesson.parent / "README.md").read_text()
    assert listed, "without a row in examples/README.md"


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
                or (top in ("matplotlib", "torch") and node not in tree.body)
            ), f"line {node.lineno} imports {name}"
            assert not re.search(r"(^|\.)_(?!_)", name), f"line {node.lineno} imports {name}"
    attributes = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    assert not [name for name in attributes if re.match("_(?!_)", name)]


def test_a_lesson_fails_where_its_numbers_are_off(tmp_path):
    """By one per cent, in the central difference that lesson 03 is about."""
    right = "(f(above) - f(below)) / (above - below)"
    (lesson,) = (lesson for lesson in LESSONS if number(lesson) == "03")
    text = lesson.read_text()
    assert text.count(right) == 1
    (tmp_path / "wrong.py").write_text(text.replace(right, f"1.01 * {right}"))
    with pytest.raises(AssertionError, match="isclose"):
        run(tmp_path / "wrong.py", tmp_path)
