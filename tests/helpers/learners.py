"""A learner's code: written to a file, and marked, in this process or in one of its own."""

import textwrap

from limits import SECONDS

from minigrad.course.exercises import sandbox
from minigrad.course.exercises.catalogue import exercises_named, sheets
from minigrad.course.exercises.learner_file import read_learner_file
from minigrad.course.exercises.marking.mark_function import mark_function
from minigrad.course.exercises.marking.trial import Trial

FIRST = sheets()[0].file


def file_of(name):
    ((sheet, _),) = exercises_named([name])
    return sheet.file


def write(folder, text, file=FIRST):
    """Add code to the end of a learner's file, where it counts."""
    with open(folder / file, "a") as opened:
        opened.write(textwrap.dedent(text))


def checked(folder, name, seconds=SECONDS):
    ((_, _, found),) = sandbox.check(folder, exercises_named([name]), seed=0, seconds=seconds)
    return found


def judged(text, name="product_rule", tmp_path=None):
    """The mark of code, here and now."""
    path = tmp_path / "code.py"
    path.write_text(textwrap.dedent(text))
    ((_, (exercise,)),) = exercises_named([name])
    shown = [(1.0, 3.0, 2.0)] if name == "product_rule" else []
    return mark_function(Trial(exercise, 0, shown), read_learner_file(path).functions()[name])
