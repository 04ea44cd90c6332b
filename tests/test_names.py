"""Words: a name is one thing, and a docstring begins with a verb, a noun or a formula."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGES = TESTS.parent
INNERMOST = ("engine", "definitions", "functional", "arrays")
# Rooms whose files call each other's functions by their bare names.
ROOMS = ("engine", "script", "ran", "compiler", "views/text", "views/drawing")


def definitions(*folders: str) -> list[tuple[str, ast.AST]]:
    """Each module, class and function of some folders, after the path of its file."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return [
        (file.relative_to(PACKAGES).as_posix(), node)
        for name in folders
        for file in (PACKAGES / name).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, kinds)
    ]


@pytest.fixture(scope="module")
def defined() -> list[tuple[str, ast.AST]]:
    """What both packages define."""
    return definitions("minigrad", "minitransformer")


def no_name_twice(named: list[tuple[str, str]]) -> None:
    """More than a hundred names, each of one file."""
    places = defaultdict(list)
    for name, file in named:
        places[name].append(file)
    assert len(places) > 100
    assert not {name: files for name, files in places.items() if len(files) > 1}


def test_no_two_classes_have_one_name(defined):
    """A leading underscore makes no other name of it."""
    classes = [(node.name.strip("_"), file) for file, node in defined if type(node) is ast.ClassDef]
    no_name_twice(classes)


def test_no_two_functions_of_the_inner_rooms_have_one_name(defined):
    rooms = [f"minigrad/{room}" for room in ROOMS]
    modules = [
        (f, node)
        for f, node in defined
        if type(node) is ast.Module and f.rpartition("/")[0] in rooms
    ]
    no_name_twice(
        [
            (name, file)
            for file, module in modules
            for name in {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
            if not name.startswith("_")
        ]
    )


def test_no_name_in_the_engine_says_only_when_a_thing_came():
    """Such a word is allowed for a line or two, but not for a function or a parameter."""
    words = {"found", "known", "told", "wanted", "made", "held", "said", "kept", "some", "written"}
    lines = defaultdict(list)
    for file, node in definitions(*(f"minigrad/{room}" for room in INNERMOST)):
        for part in ast.walk(node) if isinstance(node, ast.FunctionDef) else []:
            name = getattr(part, "id", getattr(part, "arg", getattr(part, "name", "")))
            if isinstance(name, str) and name.strip("_") in words:
                long = not isinstance(part, ast.Name)
                lines[file, node.name, name] += [part.lineno, part.lineno + 4 * long]
    assert not [key for key, at in lines.items() if max(at) - min(at) > 3]


def test_no_docstring_begins_with_a_question(defined):
    places = [
        f"{file}: {text.splitlines()[0]}"
        for file, node in [*defined, *definitions("examples")]
        if (text := ast.get_docstring(node))
        and re.match(r"(What|Whether|How|Where|Which|Why|When|Here)\b", text)
    ]
    assert not places


def listed_in(docstring: str, heading: str) -> set[str]:
    """The names in a list of a docstring, as in "    x, y: two arrays"; others are left out."""
    _, _, after = docstring.partition(f"{heading}:\n")
    lines = re.findall(r"^    (\w[\w, *]*):", after.partition("\n\n")[0], re.MULTILINE)
    return {
        name
        for line in lines
        for part in line.split(",")
        if (name := part.strip(" *")).isidentifier()
    }


def names_in(node: ast.AST) -> set[str]:
    """All names that a class or a function has in it."""
    fields = ("id", "attr", "arg", "name")
    return {getattr(part, field, "") for part in ast.walk(node) for field in fields}


def test_what_a_docstring_lists_is_there(defined):
    """An argument or an attribute that got another name has it in the docstring too."""
    places, seen = [], 0
    for file, node in defined:
        if type(node) is ast.Module or not (text := ast.get_docstring(node)):
            continue
        of_function = type(node) is ast.FunctionDef
        listed = listed_in(text, "Args") | (set() if of_function else listed_in(text, "Attributes"))
        seen += len(listed)
        places += [
            f"{file}: {node.name}: {n}"
            for n in listed - names_in(node.args if of_function else node)
        ]
    assert seen > 1000
    assert not places


def test_no_test_imports_another():
    """What they share stands in tests/helpers."""
    tests = {file.stem: file.read_text(encoding="utf-8") for file in TESTS.rglob("test_*.py")}
    assert not {
        name: found
        for name, text in tests.items()
        if (found := {*re.findall(r"^ *(?:from|import) (\w+)", text, re.MULTILINE)} & {*tests})
    }
