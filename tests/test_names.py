"""Words: a name is one thing, and a docstring begins with a verb, a noun or a formula."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[1]
# Rooms whose files call each other's functions by their bare names.
ROOMS = ("engine", "script", "ran", "compiler", "views/text", "views/drawing")
FILES = [
    file for name in ("minigrad", "minitransformer") for file in (PACKAGES / name).rglob("*.py")
]


@pytest.fixture(scope="module")
def classes() -> dict[str, list[str]]:
    """The files of the classes of each name; a leading underscore makes no other name of it."""
    places = defaultdict(list)
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name.strip("_")].append(str(file.relative_to(PACKAGES)))
    return places


def test_no_two_classes_have_one_name(classes):
    assert len(classes) > 100
    assert not {name: files for name, files in classes.items() if len(files) > 1}


def test_no_two_functions_of_the_inner_rooms_have_one_name():
    places = defaultdict(set)
    for file in (f for room in ROOMS for f in (PACKAGES / "minigrad" / room).glob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                places[node.name].add(str(file.relative_to(PACKAGES)))
    assert len(places) > 100
    assert not {name: files for name, files in places.items() if len(files) > 1}


def test_no_docstring_begins_with_a_question():
    places = [
        f"{file.relative_to(PACKAGES)}: {text.splitlines()[0]}"
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and (text := ast.get_docstring(node))
        and re.match(r"(What|Whether|How|Where|Which|Why|When|Here)\b", text)
    ]
    assert not places
