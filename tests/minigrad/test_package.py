"""`import minigrad` loads what an engine needs; everything else loads when it is first used."""

import ast
import operator
import re
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad as mg
import minitransformer
from minigrad.system.namesake import warn_of_namesake

LATER = ("views", "course", "workers")  # rooms of minigrad
ROOT = Path(__file__).parents[2]
FILES = [
    f.relative_to(ROOT)
    for room in ("minigrad", "minitransformer")
    for f in sorted(ROOT.glob(f"{room}/**/*.py"))
]
OTHERS = ("matplotlib", "graphviz", "pygraphviz", "dask", "distributed", "torch", "minitransformer")


def loaded(code):
    """The modules that a new Python has loaded after `code`."""
    code += "; import sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return set(done.stdout.split())


def test_import_minigrad_loads_no_view_and_no_other_library():
    modules = loaded("import minigrad")
    assert "minigrad.engine.walk" in modules
    assert modules.isdisjoint({f"minigrad.{name}" for name in LATER})
    assert modules.isdisjoint(OTHERS)


def test_what_is_used_is_loaded():
    modules = loaded("import minigrad as mg; [getattr(mg, name) for name in mg.LATER]")
    assert {f"minigrad.{place}" for place in mg.LATER.values()} <= modules


@pytest.mark.parametrize("file", [str(f) for f in FILES])
def test_no_class_gets_attributes_from_another_file(file):
    """A reader of the class would not know of them, nor would a check of the imports."""
    tree = ast.parse((ROOT / file).read_text())
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.level or node.module.startswith("mini"))
        for alias in node.names
    }
    stored = [
        n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
    ]
    names = {n.value.id for n in stored if isinstance(n.value, ast.Name)}
    assert not names & imported


def test_each_file_of_the_engine_imports_only_those_before_it():
    """In the row that the first file of the engine gives."""
    engine = ROOT / "minigrad" / "engine"
    told = re.search(r"in this row: ([^.]+)\.", (engine / "__init__.py").read_text())[1]
    row = told.replace("\n", " ").split(", ")
    assert sorted(row) == sorted(f.stem for f in engine.glob("*.py") if f.stem != "__init__")
    for place, name in enumerate(row):
        statements = ast.parse((engine / f"{name}.py").read_text()).body
        within = [n for n in statements if isinstance(n, ast.ImportFrom) and n.level == 1]
        imported = {
            m for n in within for m in ([n.module] if n.module else [a.name for a in n.names])
        }
        assert imported <= set(row[:place]), name


@pytest.mark.parametrize(
    "name", ["minigrad", "minigrad.functional", "minigrad.nn", "minigrad.optim", "minitransformer"]
)
def test_a_tab_shows_what_is_for_users_and_nothing_else(name):
    """In a new Python, in which nothing was used yet: what is loaded later is shown too."""
    code = f"import {name} as m; print(*[n for n in dir(m) if n[0] != '_']); print(*m.__all__)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    shown, public = (set(line.split()) for line in done.stdout.splitlines())
    assert shown == public
    if name == "minigrad":
        assert {"Tensor", "graph", "explore", "steps", "gradcheck", "Graph", "nn", "optim"} <= shown


def test_help_says_of_each_attribute_of_a_tensor_what_it_is():
    """Each has words of its own, and not those of what it was made with."""
    told = {name: getattr(mg.Tensor, name).__doc__ for name in dir(mg.Tensor) if name[0] != "_"}
    made_with = {operator.attrgetter.__doc__, property.__doc__, None}
    assert not [name for name, text in told.items() if text in made_with]


def test_another_project_of_this_name_is_told(tmp_path):
    warn_of_namesake(tmp_path)
    (tmp_path / "minigrad-0.0.6.dist-info").mkdir()
    with pytest.warns(UserWarning, match="pip uninstall minigrad"):
        warn_of_namesake(tmp_path)


PUBLIC = Path(__file__).parents[1] / "helpers" / "public_names.txt"


def public_names():
    """What a version promises: the names in `__all__` of these modules, a line each."""
    modules = (mg, mg.nn, mg.functional, mg.optim, mg.errors, minitransformer)
    names = {f"{m.__name__}.{name}" for m in modules for name in m.__all__}
    return "".join(f"{name}\n" for name in sorted(names))


def test_the_public_names_are_those_that_were_promised():
    """After a change that is meant, `python tests/minigrad/test_package.py`, and a line in CHANGELOG."""
    assert public_names() == PUBLIC.read_text()


def test_the_version_stands_in_one_form_everywhere():
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    assert mg.__version__ == version
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {version}\n" in (ROOT / "CHANGELOG.md").read_text()


if __name__ == "__main__":
    PUBLIC.write_text(public_names())
