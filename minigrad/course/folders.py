"""The folders of the course: in a clone beside the packages, installed from a wheel too."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]  # the folder that holds both packages
PACKAGES = "minigrad", "minitransformer"
# The lessons. Outside `minigrad` in both: a lesson is user code, whose lines the steps show.
EXAMPLES = next(
    (folder for folder in (ROOT / "minigrad_examples", ROOT / "examples") if folder.is_dir()),
    ROOT / "examples",
)
EXERCISES = EXAMPLES / "exercises"  # as they are handed out; the solutions are in its `answers`
