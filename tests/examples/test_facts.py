"""After one run of a lesson: its facts are true, the answers to its questions are right, what it printed
can be followed, and its pictures show something."""

import functools
import os
import re
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from extras import needs
from runs import (
    LESSONS,
    ROOT,
    every_lesson,
    every_run,
    number,
    pictures_of,
    run,
    run_and_evaluate,
)  # fmt: skip

from minigrad.course.lessons.forms import ASK
from minigrad.course.questions import questions_of
from minigrad.course.questions.formulas import in_unicode
from minigrad.course.questions.headings import headings

# Python runs a file of this name when it starts: here, one that hides what draws pictures.
HIDE = """
import sys

NAMES = %r

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in NAMES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
"""


def facts_of(lesson):
    """What a lesson must show: each fact in plain words, and code that is true if it is so.

    In a file they are cells, as in the lesson. A cell is run in the names of the lesson after that has
    run; its last line is the fact. Where the lesson has used a name again since, the lines before
    compute it once more.
    """
    text = Path(__file__).with_name("facts").joinpath(f"{number(lesson)}.py").read_text()
    parts = re.split(r"^# %% (.*)\n", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


@functools.cache
def after(lesson):
    """What a lesson printed, its facts as they came out, its answers, and its pictures: of each how many
    shapes it has."""
    facts = facts_of(lesson)
    asked = questions_of(number(lesson))
    code = [*(code for _, code in facts), *(question.by for question in asked.values())]
    with tempfile.TemporaryDirectory() as name:
        printed, found = run_and_evaluate(lesson, Path(name), code)
        drawn = {file.stem: shapes(file) for file in sorted(Path(name, "out").glob("*.svg"))}
    told = [(fact, value) for (fact, _), value in zip(facts, found)]
    return printed, told, dict(zip(asked, found[len(facts) :])), drawn


def shapes(picture):
    return sum(e.tag.endswith(("}path", "}polygon")) for e in ET.parse(picture).iter())


@every_run
def test_every_fact_is_true(lesson):
    _, facts, _, _ = after(lesson)
    assert facts == [(fact, "True") for fact, _ in facts]


@every_run
def test_every_answer_is_what_the_lesson_computes(lesson):
    _, _, answers, _ = after(lesson)
    asked = questions_of(number(lesson))
    kinds = {name: (given, asked[name].verdict_on(given).kind) for name, given in answers.items()}
    assert kinds == {name: (given, "right") for name, given in answers.items()}


@every_run
def test_a_lesson_draws(lesson):
    needs("matplotlib", "pygraphviz")
    printed, _, _, drawn = after(lesson)
    names = pictures_of(lesson)
    assert printed.splitlines()[-1] == f"Pictures in out: {', '.join(names)}"
    assert sorted(drawn) == sorted(names)
    assert min(drawn.values()) > 2


def run_without(modules, lesson, folder):
    """Run a lesson where these modules, and Graphviz's programs, are missing."""
    (folder / "sitecustomize.py").write_text(HIDE % (modules,))
    (folder / "empty").mkdir()
    paths = os.pathsep.join([str(folder), str(ROOT)])
    return run(lesson, folder, PYTHONPATH=paths, PATH=str(folder / "empty"))


@pytest.mark.parametrize("which", ["01", pytest.param("05", marks=pytest.mark.slow)])
def test_a_lesson_runs_without_the_extras(which, tmp_path):
    (lesson,) = (lesson for lesson in LESSONS if number(lesson) == which)
    printed = run_without(("matplotlib", "pygraphviz"), lesson, tmp_path)
    assert not list(tmp_path.rglob("*.svg"))
    (line,) = (line for line in printed.splitlines() if line.startswith("Pictures"))
    assert line.startswith("Pictures left out: ")
    assert set(re.findall(r"\b\d\d[a-z]?_\w+", line)) == set(pictures_of(lesson))
    assert 'pip install -e ".[course]"' in line


@pytest.mark.slow
def test_the_lesson_on_pytorch_runs_without_it(tmp_path):
    (lesson,) = (lesson for lesson in LESSONS if number(lesson) == "21")
    printed = run_without(("matplotlib", "pygraphviz", "torch"), lesson, tmp_path)
    assert 'PyTorch is missing (pip install -e ".[torch]")' in printed


@every_run
def test_what_a_lesson_prints_can_be_followed(lesson):
    """Its headings are there in their order, and each of its questions."""
    printed, *_ = after(lesson)
    titles = [title for _, title in headings(lesson.read_text())]
    assert [line for line in printed.splitlines() if line in titles] == titles
    for question in questions_of(number(lesson)).values():
        assert f"Question: {in_unicode(question.as_markdown())}\n" in printed


def cells(lesson):
    """The cells of code of a lesson, without those of text."""
    parts = re.split(r"^# %%(.*)\n", lesson.read_text(), flags=re.M)
    return [body.strip() for kind, body in zip(parts[1::2], parts[2::2]) if not kind.strip()]


@every_lesson
def test_every_question_is_asked_once_and_every_asked_one_exists(lesson):
    mine = number(lesson)
    names = [found[1] for cell in cells(lesson) if (found := ASK.fullmatch(cell))]
    assert len(re.findall(r"\bask\(", lesson.read_text())) == len(names), "a cell for each"
    own = [name for name in names if "/" not in name]
    assert sorted(own) == sorted(questions_of(mine))
    for older, _, name in (name.partition("/") for name in names if "/" in name):
        assert older < mine
        assert name in questions_of(older)


@every_lesson
def test_a_prediction_stands_before_what_answers_it_and_the_end_is_answered_by_nothing(lesson):
    asked = questions_of(number(lesson))
    code = cells(lesson)
    ends = [place for place, cell in enumerate(code) if (f := ASK.fullmatch(cell))
            and "/" not in f[1] and asked[f[1]].end]  # fmt: skip
    assert code[ends[0] :] == [*(code[place] for place in ends), "print(pictures)"]
    for place, cell in enumerate(code):
        found = ASK.fullmatch(cell)
        if found and "/" not in found[1] and not asked[found[1]].end:
            later = [cell for cell in code[place + 1 : ends[0]] if not ASK.fullmatch(cell)]
            assert later, f"no cell answers {found[1]}"


def test_every_lesson_has_its_facts_and_questions():
    numbers = {number(lesson) for lesson in LESSONS}
    told = {path.stem for path in Path(__file__).with_name("facts").glob("*.py")}
    assert told == numbers, "the files in tests/examples/facts"
    assert all(len(facts_of(lesson)) >= 3 for lesson in LESSONS)
    asked = {path.stem for path in (ROOT / "examples" / "questions").glob("*.py")}
    assert asked == numbers, "the files in examples/questions"


def test_no_fact_is_told_twice():
    for lesson in LESSONS:
        facts = facts_of(lesson)
        assert len(set(facts)) == len(facts)


def test_a_fact_that_is_false_is_seen(tmp_path):
    (tmp_path / "lesson.py").write_text("x = 2\n")
    code = ["x == 2", "y = 3\nx == y", "z"]
    _, found = run_and_evaluate(tmp_path / "lesson.py", tmp_path, code)
    assert found == ["True", "False", "NameError: name 'z' is not defined"]
