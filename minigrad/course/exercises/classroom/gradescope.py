"""Gradescope: its `results.json`, and the zip of an autograder.

The form is that of https://gradescope-autograders.readthedocs.io/en/latest/specs/: a test for each
exercise, with its score.
"""

from __future__ import annotations

import json
import shlex
import zipfile
from collections.abc import Sequence
from typing import IO, Any

from ...folders import EXAMPLES, PACKAGES, ROOT
from ..marking.mark import RIGHT
from ..sandbox import Marked
from .points import part_told, points_of, total
from .result_files import ESCAPED

SETUP = """#!/usr/bin/env bash
apt-get update
apt-get install -y python3 python3-pip
pip3 install --break-system-packages "numpy>=2.0" "graphviz>=0.20" \\
    || pip3 install "numpy>=2.0" "graphviz>=0.20"
"""
RUN = """#!/usr/bin/env bash
place="${{AUTOGRADER:-/autograder}}"
export PYTHONPATH="$place/source/course"
mkdir -p "$place/results"
cd "$place/source/course" && ${{PYTHON:-python3}} -m minigrad exercises mark \\
    "$place/submission" {which} --seed {seed} --gradescope "$place/results/results.json"
"""


def as_gradescope(marked: Sequence[Marked], folder: str, seed: int) -> bytes:
    """The `results.json` of a submission."""
    tests: list[dict[str, Any]] = [
        {
            "name": exercise.name,
            "number": f"{sheet.number}.{k}",
            "score": points_of(exercise, mark),
            "max_score": exercise.points,
            "status": "passed" if mark.state == RIGHT else "failed",
            "output": "\n".join(
                filter(None, (mark.state, part_told(exercise, mark), mark.says, *mark.shows))
            ),
            "output_format": "text",
            "visibility": "visible",
        }
        for k, (sheet, exercise, mark) in enumerate(marked, 1)
    ]
    about = {"score": total(marked), "output": f"seed {seed}", "tests": tests}
    return (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode(errors=ESCAPED)


def nothing_for_gradescope(why: str) -> bytes:
    """The `results.json` where there is nothing to mark: without one, a student reads that the
    autograder has failed."""
    return (json.dumps({"score": 0, "output": why}) + "\n").encode()


def write_autograder(path: IO[bytes], seed: int, which: Sequence[str]) -> None:
    """Write the zip of an autograder of some exercises, or of all, with all that it needs but NumPy."""
    run = RUN.format(seed=seed, which=shlex.join(which))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {"setup.sh": SETUP, "run_autograder": run}.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, text)
        for folder in (*(ROOT / name for name in PACKAGES), EXAMPLES):
            for file in sorted(folder.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, f"course/{folder.name}/{file.relative_to(folder)}")
