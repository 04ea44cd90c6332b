"""The folder of a run, and the files in it."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

from minigrad import errors, serialize

from ..training.loop import Training

CHECKPOINT, CURVE, REPORT = FILES = "checkpoint.npz", "curve.csv", "report.html"


def checkpoint_of(run: str) -> Path:
    """The checkpoint that the user names: by its folder, or by itself."""
    path = Path(run)
    return path / CHECKPOINT if path.is_dir() else path


def save_curve(path: Path, run: Training) -> None:
    """The loss of every step, and the accuracy where it was measured, as a table for any program."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["step", "loss", "accuracy"])
    table.writerows((p.step, p.loss, p.accuracy) for p in run.curve)
    serialize.write_whole(path, lambda file: file.write(text.getvalue().encode()))


def ready(folder: Path) -> Path:
    """Make the folder if necessary, and check that a run can write its files there.

    Raises:
        ConfigError: if it cannot.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        in_the_way = [name for name in FILES if (folder / name).is_dir()]
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise errors.ConfigError(f"cannot write to the folder {folder}: {why}") from None
    if in_the_way:
        raise errors.ConfigError(f"{folder / in_the_way[0]} is a folder; a run writes a file there")
    return folder
