"""Words: a name is one thing, and a docstring begins with a verb, a noun or a formula."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[1]
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
