"""Of every exercise the stub fails, the solution passes, and each mistake is rightly named."""

import ast
import difflib
import doctest
import re

import numpy as np
import pytest

from minigrad.course.exercises.catalogue import exercises_named, sheet_of, sheets
from minigrad.course.exercises.learner_file import read_learner_file
from minigrad.course.exercises.likeness import alike
from minigrad.course.exercises.marking.mark import NOT_BEGUN, RIGHT, WRONG
from minigrad.course.exercises.marking.mark_function import mark_function
from minigrad.course.exercises.marking.trial import Trial
from minigrad.course.exercises.puzzle import mark_of_puzzle, puzzle_of
from minigrad.course.exercises.sandbox import Conditions, Job, mark_of
from minigrad.course.exercises.stubs import examples
from minigrad.course.exercises.worked import worked_example
from minigrad.course.folders import EXERCISES
from minigrad.errors import ConfigError

SEEDS = 2  # of the inputs
ALL = [(sheet, exercise) for sheet in sheets() for exercise in sheet.exercises.values()]
# Of each lesson, and what takes longer.
AFTER_THE_FIRST = {"engine"}.union(*([*sheet.exercises][1:] for sheet in sheets()))


def some_exercises(wanted, marks=()):
    some = [pytest.param(s, e, id=f"{s.number}-{e.name}", marks=marks) for s, e in ALL if wanted(e)]
    return pytest.mark.parametrize(("sheet", "exercise"), some)


every_exercise = some_exercises(lambda exercise: True)
every_puzzle = some_exercises(lambda exercise: exercise.has_puzzle)
every_worked_example = some_exercises(lambda exercise: not exercise.whole)
of_the_museum = some_exercises(lambda exercise: exercise.story)


@every_exercise
def test_a_stub_is_not_begun_and_its_examples_are_right(sheet, exercise):
    file = read_learner_file(EXERCISES / sheet.file)
    stub = file.functions()[exercise.name]
    assert file.is_stub(exercise.name)
    if not exercise.story:
        assert mark_function(Trial(exercise, 0), stub).state == NOT_BEGUN
    found = doctest.DocTestFinder().find(stub, exercise.name, globs={"np": np})
    runner = doctest.DocTestRunner(verbose=False)
    for test in found:
        test.globs[exercise.name] = exercise.solution
        runner.run(test)
    assert runner.tries >= 1
    assert not runner.failures
    assert examples(sheet, exercise)


@some_exercises(lambda exercise: exercise.name not in AFTER_THE_FIRST)
def test_the_solution_is_right_and_each_mistake_is_named(sheet, exercise):
    check_marks(sheet, exercise, range(1))


@some_exercises(lambda exercise: True, marks=pytest.mark.slow)
def test_the_same_of_more_inputs(sheet, exercise):
    check_marks(sheet, exercise, range(exercise.name not in AFTER_THE_FIRST, SEEDS))


def check_marks(sheet, exercise, seeds):
    shown = examples(sheet, exercise)
    assert len(exercise.mistakes) >= 3
    for seed in seeds:
        trial = Trial(exercise, seed, shown)
        found = mark_function(trial, exercise.solution)
        assert found.state == RIGHT, found
        for mistake in exercise.mistakes:
            found = mark_function(trial, mistake.function)
            assert (found.state, found.says) == (WRONG, mistake.says), seed
            assert found.mistake is not None
            assert found.shows[0].startswith(f"{exercise.name}(")


@every_exercise
def test_an_exercise_is_listed_for_readers(sheet, exercise):
    listed = (EXERCISES / "README.md").read_text()
    line = next((line for line in listed.splitlines() if f"]({sheet.file})" in line), "")
    assert f"`{exercise.name}`" in line, "the table of examples/exercises/README.md"
    assert f"[{sheet.number} {sheet.title}]" in line


def test_readers_find_the_lessons_in_their_order():
    rows = re.findall(r"^\| \[.*\]\((.*)\) \|", (EXERCISES / "README.md").read_text(), re.M)
    assert rows == [sheet.file for sheet in sheets()]


@every_worked_example
def test_a_worked_example_comes_to_the_right_answer_and_is_no_other_example(sheet, exercise):
    lines, answer = worked_example(exercise)
    inputs = exercise.worked[0]()
    right, keyed = exercise.solution(*inputs), exercise.key or (lambda value, *_: value)
    assert alike(keyed(answer, *inputs), keyed(right, *inputs), 1e-6, 1e-9)
    assert lines[0] not in {line for text in exercise.hints for line in text.splitlines()}
    assert len(lines) >= 3
    shown = [f"{given}" for given in examples(sheet, exercise)]
    assert f"{inputs}" not in shown


@every_puzzle
def test_a_puzzle_has_the_lines_of_the_solution_and_two_others(sheet, exercise):
    puzzle = puzzle_of(exercise)
    _, *body = ast.unparse(ast.parse(exercise.text())).splitlines()
    assert len(puzzle.lines) == len(body) + 2
    left = list(puzzle.lines)
    for line in body:
        left.remove(line)
    assert not set(left) & set(body)


@pytest.mark.slow
@every_puzzle
def test_a_puzzle_is_judged_by_running_it(sheet, exercise):
    puzzle = puzzle_of(exercise)
    _, *body = ast.unparse(ast.parse(exercise.text())).splitlines()
    order = [1 + puzzle.lines.index(line) for line in body]
    assert mark_of_puzzle(sheet, exercise, order, float("inf")).state == RIGHT
    assert mark_of_puzzle(sheet, exercise, order[:-1], float("inf")).state != RIGHT
    for alien in set(puzzle.lines) - set(body):
        (line,) = difflib.get_close_matches(alien, body, n=1, cutoff=0)
        order[body.index(line)] = 1 + puzzle.lines.index(alien)
        assert mark_of_puzzle(sheet, exercise, order, float("inf")).state != RIGHT, alien
        order[body.index(line)] = 1 + puzzle.lines.index(line)


@of_the_museum
def test_a_program_of_the_museum_looks_right_and_is_the_first_known_mistake(sheet, exercise):
    file = read_learner_file(EXERCISES / sheet.file)
    stub = file.functions()[exercise.name]
    assert ast.get_docstring(file.definition(exercise.name))
    (test,) = doctest.DocTestFinder().find(
        stub, exercise.name, globs={"np": np, exercise.name: stub}
    )
    assert not doctest.DocTestRunner(verbose=False).run(test).failed
    found = mark_function(Trial(exercise, 0, examples(sheet, exercise)), stub)
    assert (found.state, found.mistake) == (WRONG, 0)
    assert found.says.startswith("As it shipped: ")
    assert len(exercise.hints) == 3


@of_the_museum
def test_its_story_names_a_public_source_and_what_would_have_caught_it(sheet, exercise):
    _, source, caught = exercise.paragraphs
    assert re.match(r"Source: https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", source)
    assert caught.startswith("What would have caught it: ")


def test_a_program_of_the_museum_is_not_begun_as_long_as_it_is_as_it_was_handed_out(tmp_path):
    ((sheet, (exercise,)),) = exercises_named(["fill_rule"])
    given = (EXERCISES / sheet.file).read_text()
    path = tmp_path / sheet.file
    job, conditions = Job(path, sheet, exercise), Conditions(0, float("inf"))
    mark = lambda text: path.write_text(text) and mark_of(job, conditions)
    assert mark(given.replace("As it ", "as it ")).state == NOT_BEGUN
    assert mark(given.replace("gx = g.copy()", "gx = g + 0")).state == WRONG
    assert mark(given.replace("g[index].sum()", "g[np.unique(index)].sum()")).state == RIGHT


def test_what_is_wrong_with_a_puzzle_is_said_of_its_own_lines():
    ((sheet, (exercise,)),) = exercises_named(["greedy"])
    lines = puzzle_of(exercise).lines
    loop, body, last = (
        next(n for n, line in enumerate(lines, 1) if text in line)
        for text in (" < ", "argmax", "return")
    )
    for order, says in [
        ([last, body], f"Python cannot read these lines, in line {body}: unexpected indent"),
        ([last, loop], f"after 'while' statement on line {loop}"),
        ([loop, body, last], f"in line {loop}: while"),
        ([], "after function definition on the first line"),
    ]:
        assert says in mark_of_puzzle(sheet, exercise, order, float("inf")).says


def test_the_recipe_for_another_exercise_runs(tmp_path):
    text = (EXERCISES / "README.md").read_text(encoding="utf-8").partition("## To write another")[2]
    (tmp_path / "23_products.py").write_text(re.search("```python\n(.*?)```", text, re.DOTALL)[1])
    exercise = sheet_of(tmp_path / "23_products.py").exercises["inner"]
    trial = Trial(exercise, 0, [(np.array([2.0, 3.0]), np.array([5.0, 1.0]))])
    assert mark_function(trial, exercise.solution).state == RIGHT
    found = [mark_function(trial, mistake.function).mistake for mistake in exercise.mistakes]
    assert found == [0, 1, 2], "as many as the tests ask for"
    assert "tests/minigrad/course/exercises/test_exercises.py -k inner" in text


@pytest.mark.parametrize(
    ("text", "why"),
    [("\n@exercise()\ndef f(): pass\n", "line 2: NameError"), ("x = (\n", "line 1: SyntaxError")],
)
def test_an_error_in_an_authors_file_is_told_in_a_line(text, why, tmp_path):
    (tmp_path / "23_mine.py").write_text(text)
    with pytest.raises(ConfigError, match=f"23_mine.py: {why}"):
        sheet_of(tmp_path / "23_mine.py")
