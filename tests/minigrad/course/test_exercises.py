"""Of every exercise the stub fails, the solution passes, and each mistake is rightly named."""

import ast
import difflib
import doctest
import re

import numpy as np
import pytest

from minigrad.course.exercises.likeness import alike
from minigrad.course.exercises.marking import NOT_BEGUN, RIGHT, WRONG, Trial, mark_function
from minigrad.course.exercises.puzzle import puzzle_of, solved
from minigrad.course.exercises.sheets import HOME, chosen, examples, sheets, written
from minigrad.course.exercises.worked import worked

FEW, ALL = range(1), range(10)  # seeds of the inputs: those of every run, and of the slow one
EXERCISES = [(sheet, exercise) for sheet in sheets() for exercise in sheet.exercises.values()]
every_exercise = pytest.mark.parametrize(
    ("sheet", "exercise"), EXERCISES, ids=[f"{s.number}-{e.name}" for s, e in EXERCISES]
)

IN_LINES = [(sheet, exercise) for sheet, exercise in EXERCISES if not exercise.whole]
every_exercise_in_lines = pytest.mark.parametrize(
    ("sheet", "exercise"), IN_LINES, ids=[f"{s.number}-{e.name}" for s, e in IN_LINES]
)


@every_exercise
def test_a_stub_is_not_begun_and_its_examples_are_right(sheet, exercise):
    file = written(HOME / sheet.file)
    stub = file.functions()[exercise.name]
    assert file.is_stub(exercise.name)
    assert mark_function(Trial(exercise, 0), stub).state == NOT_BEGUN
    found = doctest.DocTestFinder().find(stub, exercise.name, globs={"np": np})
    runner = doctest.DocTestRunner(verbose=False)
    for test in found:
        test.globs[exercise.name] = exercise.solution
        runner.run(test)
    assert runner.tries >= 1
    assert not runner.failures
    assert examples(sheet, exercise)


@pytest.mark.parametrize("seeds", [FEW, pytest.param(ALL, marks=pytest.mark.slow)], ids=("1", "10"))
@every_exercise
def test_the_solution_is_right_and_each_mistake_is_named(sheet, exercise, seeds):
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
    listed = (HOME / "README.md").read_text()
    line = next((line for line in listed.splitlines() if f"]({sheet.file})" in line), "")
    assert f"`{exercise.name}`" in line, "the table of examples/exercises/README.md"
    assert f"[{sheet.number} {sheet.title}]" in line


def test_readers_find_the_lessons_in_their_order():
    rows = re.findall(r"^\| \[.*\]\((.*)\) \|", (HOME / "README.md").read_text(), re.M)
    assert rows == [sheet.file for sheet in sheets()]


@every_exercise_in_lines
def test_a_worked_example_comes_to_the_right_answer_and_is_no_other_example(sheet, exercise):
    lines, answer = worked(exercise)
    inputs = exercise.worked[0]()
    right, keyed = exercise.solution(*inputs), exercise.key or (lambda value, *_: value)
    assert alike(keyed(answer, *inputs), keyed(right, *inputs), 1e-6, 1e-9)
    assert lines[0] not in {line for text in exercise.hints for line in text.splitlines()}
    assert len(lines) >= 3
    shown = [f"{given}" for given in examples(sheet, exercise)]
    assert f"{inputs}" not in shown


@every_exercise_in_lines
def test_a_puzzle_has_the_lines_of_the_solution_and_two_others(sheet, exercise):
    puzzle = puzzle_of(exercise)
    _, *body = ast.unparse(ast.parse(exercise.text())).splitlines()
    assert len(puzzle.lines) == len(body) + 2
    left = list(puzzle.lines)
    for line in body:
        left.remove(line)
    assert not set(left) & set(body)


@pytest.mark.slow
@every_exercise_in_lines
def test_a_puzzle_is_judged_by_running_it(sheet, exercise):
    puzzle = puzzle_of(exercise)
    _, *body = ast.unparse(ast.parse(exercise.text())).splitlines()
    order = [1 + puzzle.lines.index(line) for line in body]
    assert solved(sheet, exercise, order, float("inf")).state == RIGHT
    assert solved(sheet, exercise, order[:-1], float("inf")).state != RIGHT
    for alien in set(puzzle.lines) - set(body):
        (line,) = difflib.get_close_matches(alien, body, n=1, cutoff=0)
        order[body.index(line)] = 1 + puzzle.lines.index(alien)
        assert solved(sheet, exercise, order, float("inf")).state != RIGHT, alien
        order[body.index(line)] = 1 + puzzle.lines.index(line)


def test_what_is_wrong_with_a_puzzle_is_said_of_its_own_lines():
    ((sheet, (exercise,)),) = chosen(["greedy"])
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
        assert says in solved(sheet, exercise, order, float("inf")).says
