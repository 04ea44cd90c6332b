"""A worksheet's key is right, its sheet gives nothing away, and each seed has its own."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from minigrad.__main__ import main
from minigrad.course.questions import questions_of
from minigrad.course.worksheets import page, walks

SECRET = 12345


def sheet_of(tmp_path, capsys, *options):
    for name in ("latex2mathml", "markdown_it", "mdit_py_plugins", "pygments"):
        pytest.importorskip(name)  # which the extra `course` brings
    assert main(["worksheet", *map(str, options), "--out", str(tmp_path)]) == 0
    return [Path(path).read_text(encoding="utf-8") for path in capsys.readouterr().out.split()]


@pytest.mark.parametrize("lesson", ["01", "02", "08", "11", "13b"])
def test_the_gradients_of_the_key_are_differences(lesson):
    """Of the program, run by NumPy alone; its numbers are whole and small."""
    for walk in walks.walks(lesson, np.random.default_rng(3)):
        leaves = {n.name or n.variable: n for n in walk.graph.nodes if n.kind != "operation"}
        space = {name: n.value.astype(float) for name, n in leaves.items() if name}
        space["np"] = np
        if "ids" in space:
            space["ids"] = space["ids"].astype(int)

        def loss(name, place, step, walk=walk, space=space):
            moved = {**space, name: space[name].copy()}
            moved[name][place] += step
            exec(walk.program, moved)
            return moved["L"]

        for name, node in leaves.items():
            if node.gradient is not None:
                for place in np.ndindex(node.shape):
                    slope = (loss(name, place, 1e-4) - loss(name, place, -1e-4)) / 2e-4
                    np.testing.assert_allclose(node.gradient[place], slope, atol=1e-4)
        for node in walk.graph.nodes:
            for array in (node.value, node.gradient):
                assert array is None or np.array_equal(array, np.round(array))
                assert array is None or np.all(abs(array) < 100)


@pytest.mark.slow
def test_what_was_made_is_used_twice_somewhere():
    """Or there is nothing to add on the way back."""
    for seed in range(5):
        walk = walks.walks("01", np.random.default_rng(seed))[0]
        uses = Counter(re.findall(r"\b\w\b", re.sub(r"\w = ", "", walk.program)))
        assert max(uses[name] for name in "uvw") > 1
        assert uses.keys() >= set("abcuvw")


def test_a_sheet_holds_no_answer_and_its_key_does(tmp_path, capsys, monkeypatch):
    """The graphs' numbers are replaced by one that is found wherever it is written, in drawings too."""
    drawn = walks.walks

    def marked(*arguments):
        for walk in (found := drawn(*arguments)):
            for node in walk.graph.nodes:
                if node.gradient is not None and node is not walk.graph.nodes[-1]:
                    node.gradient = np.full(node.shape, SECRET)
                if node.kind == "operation":
                    node.value = np.full(node.shape, SECRET)
        return found

    monkeypatch.setattr(page, "walks", marked)
    paper, key = sheet_of(tmp_path, capsys, "08", "--seed", 7, "--key")
    assert str(SECRET) not in paper
    assert str(SECRET) in key
    for question in questions_of("08").values():
        assert not question.because or question.because not in paper
    assert "The answer" not in paper
    assert key.count("The answer") == len(questions_of("08"))
    assert "<svg" in paper or "<svg" not in key


@pytest.mark.slow
def test_a_part_of_a_sheet_has_the_same_numbers_as_the_whole(tmp_path, capsys):
    (whole,) = sheet_of(tmp_path, capsys, "02", "--seed", 7)
    (part,) = sheet_of(tmp_path, capsys, "02", "--seed", 7, "--only", "shapes")
    assert re.findall("<h2>(.*?)</h2>", part) == ["Shapes to fill in"]
    assert part.partition("</h2>")[2].partition("</section>")[0] in whole


def test_seeds_differ_and_one_seed_is_the_same_again(tmp_path, capsys):
    (first,) = sheet_of(tmp_path, capsys, "8", "--seed", 7)
    (again, key) = sheet_of(tmp_path, capsys, "08", "--seed", 7, "--key")
    (other,) = sheet_of(tmp_path, capsys, "08", "--seed", 8)
    assert first == again != other
    numbers = lambda page: re.findall(r"<td>(-?\d+)</td>", page)
    assert numbers(first) != numbers(other)
    code = re.search("sheet ([0-9a-f]{4})<", first)[1]
    assert f"sheet {code}" in key
    assert f"sheet {code}" not in other


def test_two_lessons_have_other_graphs_and_the_sheet_says_what_l_is(tmp_path, capsys):
    (first,) = sheet_of(tmp_path, capsys, "01", "--seed", 7)
    (second,) = sheet_of(tmp_path, capsys, "02", "--seed", 7)
    programs = lambda page: re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)[:2]
    assert not set(programs(first)) & set(programs(second))
    assert "L, in the last line, is the result" in first
    assert "<title>n" not in first  # Graphviz's names, which show where one points
    assert "code and the results of lesson 01, " in first  # which the questions are about
