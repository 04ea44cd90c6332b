"""The command `explain`: a page that explains one reading."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..tasks import TASKS, VARIATIONS, make
from ..training.checkpoints import checkpoint_of, load_reader
from ..training.line_reader import LineReader, Pair
from ..training.snapshots import Snapshots
from ..training.threads import one_thread
from ..views import explain as explanation
from ..views.another_line import misread
from .folder import SNAPSHOTS, writable

LOOKED_AT = 200  # held-out lines that are read, to find some that the model misreads


def explain(options: argparse.Namespace) -> int:
    """Write the page of one reading."""
    checkpoint = checkpoint_of(options.checkpoint)
    reader, about = load_reader(checkpoint)
    page = writable(getattr(options, "out", checkpoint.with_name("explain.html")))
    line = options.line.strip()
    reader.encode([line])  # refuses a bad line before other lines are read
    varied = VARIATIONS.get(about["task"], lambda line: None)(line)
    with one_thread():
        explanation.explain(
            reader,
            line,
            page,
            examples=_misread(reader, about),
            variations=[] if varied is None else [varied],
            snapshots=_snapshots(checkpoint),
        )
    print(page)
    return 0


def _snapshots(checkpoint: Path) -> Mapping[str, Any] | None:
    """The snapshots that the run kept beside its checkpoint; None if it kept none."""
    path = checkpoint.with_name(SNAPSHOTS)
    kept = Snapshots.load(path) if path.exists() else None
    return kept.as_data() if kept and kept.taken else None


def _misread(reader: LineReader, about: Mapping[str, Any]) -> list[Pair]:
    """Some held-out lines that the model misreads; none for a task that reads a file."""
    if about["task"] not in TASKS:
        return []
    task = make(about["task"], about["settings"]["seed"], **about["made"])
    return misread(reader, task.held_out(min(LOOKED_AT, task.held_out_count)))
