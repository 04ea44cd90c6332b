"""Every fact and number that the course promises is asserted in its lesson."""

import ast
from pathlib import Path

import pytest
from facts import FACTS

EXAMPLES = Path(__file__).parents[2] / "examples"
LESSONS = {path.stem.partition("_")[0]: path for path in sorted(EXAMPLES.glob("[0-9][0-9]*_*.py"))}


def assertions(lesson):
    """The conditions that the lesson asserts, as written there, with the lists that they name."""
    text = lesson.read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.encode().splitlines()
    lists = {
        node.targets[0].id: segment(lines, node)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            named = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
            yield segment(lines, node.test)
            yield from (lists[name] for name in named & set(lists))


def segment(lines, node):
    """How a node is written. (`ast.get_source_segment` cuts the file into lines each time.)"""
    found = lines[node.lineno - 1 : node.end_lineno]
    found[-1] = found[-1][: node.end_col_offset]
    found[0] = found[0][node.col_offset :]
    return b"\n".join(found).decode()


def normal(snippet):
    """A part of an expression without what does not matter: blanks, quotes and brackets."""
    return "".join(snippet.split()).replace('"', "'").replace("(", "").replace(")", "")


@pytest.mark.parametrize("lesson", FACTS)
def test_every_fact_is_asserted(lesson):
    asserted = [normal(text) for text in assertions(LESSONS[lesson])]
    missing = [
        fact
        for fact, snippet in FACTS[lesson]
        if not any(normal(snippet) in text for text in asserted)
    ]
    assert not missing


def test_every_lesson_has_its_facts():
    assert sorted(FACTS) == sorted(set(LESSONS) - {"04", "13b"})  # those have a test to themselves
    assert all(len(facts) >= 3 for facts in FACTS.values())


def test_no_fact_is_told_twice():
    for facts in FACTS.values():
        assert len({(fact, snippet) for fact, snippet in facts}) == len(facts)
