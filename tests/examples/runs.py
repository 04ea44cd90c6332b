"""The lessons, and how a test runs one."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from limits import SECONDS
from progress import problems

ROOT = Path(__file__).parents[2]
LESSONS = sorted((ROOT / "examples").glob("[0-9][0-9]*_*.py"))
QUICK = ("01",)  # run whenever the tests do; the others are marked slow


def number(lesson):
    """The number of a lesson's file, such as "07"."""
    return lesson.stem.partition("_")[0]


every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
RUNS = [
    pytest.param(
        lesson, id=lesson.stem, marks=[] if number(lesson) in QUICK else [pytest.mark.slow]
    )
    for lesson in LESSONS
]
every_run = pytest.mark.parametrize("lesson", RUNS)


def run(lesson, folder, *arguments, **environment):
    """Run a script in a process of its own, in `folder`; a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", lesson, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert not problems(done.stderr)
    return done.stdout


def run_and_evaluate(lesson, folder, code, **environment):
    """Run a lesson; return what it printed, and what each piece of code is worth in its names."""
    (folder / "code.json").write_text(json.dumps(code))
    script = Path(__file__).parent / "after_run.py"
    printed = run(script, folder, str(lesson), "out", "code.json", "results.json", **environment)
    return printed, json.loads((folder / "results.json").read_text())


def pictures_of(lesson):
    """The names of the pictures that a lesson draws, as its code has them."""
    names = re.findall(r'^pictures\("(\w+)"', lesson.read_text(), re.M)
    beginning = f"{number(lesson)}_"
    assert names, f'a lesson draws a picture, in a line that begins pictures("{beginning}'
    assert all(name.startswith(beginning) for name in names), f"{names} begin with {beginning}"
    return names
