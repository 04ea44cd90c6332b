"""Commands of a learner: exercises listed, checked, explained, handed out, and run together."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ... import errors
from ...ran.words import shortened
from ...system.disk import write_whole
from ...views.drawing.drawing import Drawing
from ..folders import EXERCISES
from ..printing import say
from .catalogue import RUN, Sheet, exercises_named, folder_of, has_any, in_folder
from .classroom.roster import read_roster
from .exercise import Exercise
from .in_transformer.training_run import run
from .marking.mark import NOT_BEGUN, RIGHT, Mark
from .puzzle import mark_of_puzzle, puzzle_of
from .sandbox import check, tell_of_time
from .worked import worked_example

WIDE = 38  # columns for a first sentence
TRIES = ".tries.json"  # in a learner's folder: how often each exercise was tried in vain
NOTE = "README.txt"
TEXT = """\
The .py files here are exercises of the course minigrad, a file for each lesson. Its README says how to
install it.
{asked}
Write the body of each function in place of `raise NotImplementedError`, with any editor. In this folder,

    {run} check{names}

says what is right, what is not, and why; `{run}` lists what there is, and
`hint` and a function's name helps on. Keep the names of the files. To hand it in, give back these files,
or the whole folder. conftest.py lets pytest run the same checks.
"""
WITHOUT_ANSWERS = ".without-answers"  # in a folder in which no solution is to be shown


def overview(options: argparse.Namespace) -> int:
    """Show every exercise and its state, mark by running the checks."""
    folder = folder_of(options.folder)
    marked = list(check(folder, exercises_named(in_folder(folder)), seconds=options.seconds))
    for sheet in dict.fromkeys(one for one, _, _ in marked):
        print(f"{sheet.number}  {sheet.title}")
        for one, exercise, mark in marked:
            if one is sheet:
                say(
                    f"      {exercise.name:<22} {mark.state:<10} {shortened(mark.says, WIDE)}".rstrip()
                )
    right = sum(mark.state == RIGHT for _, _, mark in marked)
    print()
    say(f"{right} of {len(marked)} are right, in {folder.resolve()}")
    say(
        f"`{RUN} check {marked[0][0].number}` tells more"
        + ("" if folder != EXERCISES else f"; {_advice()}")
    )
    return 0


def _advice() -> str:
    """Say where a learner who looks at the clone's own exercises writes."""
    with contextlib.suppress(OSError):
        for copy in sorted(Path().iterdir()):
            if copy.is_dir() and has_any(copy):
                return (
                    f"those in {copy} are looked at with `--folder {copy}`, or within that folder"
                )
    return f"`{RUN} start DIR` makes a copy to write in; check it in that folder"


def check_some(options: argparse.Namespace) -> int:
    """Check exercises and explain what is wrong; the status is 1 if one is not right."""
    folder = folder_of(options.folder)
    wanted = exercises_named(options.which or in_folder(folder))
    marks: list[Mark] = []
    for sheet, exercise, mark in check(folder, wanted, options.seed, options.seconds):
        marks.append(mark)
        tries = _count_try(folder, exercise, mark)
        _tell(sheet, exercise, mark)
        if mark.picture is not None:
            _draw(mark, options.pictures / f"{sheet.number}_{exercise.name}.svg")
        if tries >= 2:
            print("    Step by step, with other numbers:")
            for line in worked_example(exercise)[0]:
                say(f"        {line}")
    if any(mark.state != RIGHT for mark in marks):
        print()
        say(f"`{RUN} hint` with a lesson or a name helps on")
        tell_of_time({"": marks})
        if folder == EXERCISES and all(mark.state == NOT_BEGUN for mark in marks):
            say(_advice())
        return 1
    return 0


def _tell(sheet: Sheet, exercise: Exercise, mark: Mark) -> None:
    print(f"{sheet.number} {exercise.name}: {mark.state}")
    story = exercise.paragraphs if mark.state == RIGHT else ()
    for line in filter(None, (mark.says, *mark.shows, *story)):
        say(f"    {line}")


def _count_try(folder: Path, exercise: Exercise, mark: Mark) -> int:
    """Count how often in a row the exercise was not right; a file in the learner's folder has it."""
    tries: dict[str, int] = {}
    with contextlib.suppress(OSError, ValueError, AttributeError):  # none yet, or written otherwise
        counts = json.loads((folder / TRIES).read_text(encoding="utf-8"))
        tries = {name: count for name, count in counts.items() if isinstance(count, int)}
    if mark.state == RIGHT:
        tries.pop(exercise.name, None)
    elif mark.state != NOT_BEGUN:
        tries[exercise.name] = tries.get(exercise.name, 0) + 1
    if folder != EXERCISES:
        with contextlib.suppress(OSError, errors.ConfigError):  # a folder that cannot be written to
            write_whole(folder / TRIES, lambda file: file.write(json.dumps(tries).encode()))
    return tries.get(exercise.name, 0)


def _draw(mark: Mark, path: Path) -> None:
    """Save the drawing of what is wrong; without Graphviz, print its table."""
    assert mark.picture is not None
    drawing = Drawing(*mark.picture)
    path.parent.mkdir(parents=True, exist_ok=True)
    if drawing.save(path) is not None:
        say(f"    a drawing of it, with the place marked: {path}")


def hint(options: argparse.Namespace) -> int:
    """Show the hints of exercises."""
    for sheet, exercises in exercises_named(options.which):
        for exercise in exercises:
            print(f"{sheet.number} {exercise.name}")
            for number, text in enumerate(exercise.hints, 1):
                for k, line in enumerate(text.splitlines()):
                    say(f"    {f'{number}. {line}' if k == 0 else line}", hanging=7)
    return 0


def solution(options: argparse.Namespace) -> int:
    """Show solutions, if they are asked for again, with `--again`."""
    which = exercises_named(options.which)
    _may_be_shown()
    if not options.again:
        names = " ".join(options.which)
        say(f"Have you seen the hints? `{RUN} hint {names}` shows them.")
        say(f"To see the solution all the same, ask again: `{RUN} solution {names} --again`")
        return 0
    for sheet, exercises in which:
        for exercise in exercises:
            print(f"# {sheet.number} {exercise.name}\n{exercise.text()}\n")
            for line in exercise.paragraphs:
                say(line)
    return 0


def _may_be_shown() -> None:
    """See that here, above, and one folder below, nothing was handed out without answers.

    Raises:
        ConfigError: if something was.
    """
    here = Path().resolve()
    above = any((one / WITHOUT_ANSWERS).exists() for one in (here, *here.parents))
    if above or any(here.glob(f"*/{WITHOUT_ANSWERS}")):
        raise errors.ConfigError(
            f"these exercises were handed out without solutions; `{RUN} hint` helps on"
        )


def puzzle(options: argparse.Namespace) -> int:
    """Show exercises as puzzles, or judge an answer; the status is 1 if that is not right."""
    which = exercises_named(options.which)
    _may_be_shown()
    if options.lines is None:
        for sheet, exercises in which:
            for exercise in exercises:
                _show_puzzle(sheet, exercise)
        return 0
    if sum(len(exercises) for _, exercises in which) != 1:
        raise errors.ConfigError("--lines answers one puzzle: give the name of one exercise")
    ((sheet, (exercise,)),) = which
    if not exercise.has_puzzle:
        raise errors.ConfigError(f"{exercise.name} has no puzzle: `{RUN} hint` helps on")
    lines = [number for numbers in options.lines for number in numbers]
    mark = mark_of_puzzle(sheet, exercise, lines, options.seconds)
    _tell(sheet, exercise, mark)
    return 0 if mark.state == RIGHT else 1


def _show_puzzle(sheet: Sheet, exercise: Exercise) -> None:
    if not exercise.has_puzzle:
        say(f"{sheet.number} {exercise.name} has no puzzle")
        return
    shuffled = puzzle_of(exercise)
    print(f"{sheet.number} {exercise.name}: two of these lines do not belong\n")
    print(f"      {shuffled.head}")
    for k, line in enumerate(shuffled.lines, 1):
        say(f"{k:>4}  {line}", hanging=14)
    print()
    say(f"`{RUN} puzzle {exercise.name} --lines` with their numbers in order")
    print()


def start(options: argparse.Namespace) -> int:
    """Copy the exercises into a folder, or one for each name; what is there stays as it is."""
    if options.target is None:
        raise errors.ConfigError(f"name the new folder, such as mine: `{RUN} start mine`")
    selection = exercises_named(options.which)
    files = [sheet.file for sheet, _ in selection]
    asked = [exercise.name for _, exercises in selection for exercise in exercises]
    others = [name for sheet, _ in selection for name in sheet.exercises if name not in asked]
    names = f" {' '.join(asked)}" * bool(others)
    line = f"\nAsked for: {', '.join(asked)}. The files have others too.\n" * bool(others)
    note = TEXT.format(run=RUN, names=names, asked=line)
    if options.names is None:
        _hand_out(options.target, files, note, options.without_answers, say)
        check = f"{RUN} check{names or f' {files[0][:2]}'}"
        then = f"Open {files[0]} in your editor; then, in that folder, `{check}`"
    else:
        _hand_out_to_all(options, files, note)
        then = (
            f"Give each student theirs. When all is handed in, in such folders or zips, "
            f"`{RUN} class {options.target} --roster {options.names}` marks it"
        )
    if others:
        say(
            f"A file comes whole: {', '.join(others)} came along. A new {NOTE} says that only "
            f"{', '.join(asked)} {'is' if len(asked) == 1 else 'are'} asked for"
        )
    print()
    say(then)
    return 0


def _hand_out_to_all(options: argparse.Namespace, files: Sequence[str], note: str) -> None:
    """Make a folder for each name in a list."""
    roster = read_roster(options.names)
    for entry in roster:
        folder = options.target / entry.folder
        _hand_out(folder, files, note, options.without_answers, lambda line: None)
    say(
        f"{options.target} has a folder for each of the {len(roster)} names in {options.names}, "
        f"such as {options.target / roster[0].folder}; in each is {', '.join(files)}"
    )


def _hand_out(
    folder: Path,
    files: Sequence[str],
    note: str,
    without_answers: bool,
    tell: Callable[[str], None],
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    texts = {name: (EXERCISES / name).read_bytes() for name in [*files, "conftest.py"]}
    for name, text in {**texts, NOTE: note.encode()}.items():
        target = folder / name
        if os.path.lexists(target):
            tell(f"{target} is there already, and stays as it is")
        else:
            write_whole(target, lambda file: file.write(text))
            tell(f"{target}")
    if without_answers:
        (folder / WITHOUT_ANSWERS).touch()


def run_all(options: argparse.Namespace) -> int:
    """Train a transformer with what is written; returns the exit status."""
    folder = folder_of(options.folder)
    return run(folder, options.steps, options.seconds, options.out, options.even_if_wrong)
