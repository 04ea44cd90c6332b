"""The folder of a run, and the files in it."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from minigrad import errors
from minigrad.system import disk

from ..training.checkpoints import CHECKPOINT
from ..training.loop import Training, perplexity

if sys.platform == "win32":
    import msvcrt

    TAKEN = PermissionError  # raised by a lock that another process has
else:
    import fcntl

    TAKEN = BlockingIOError

CURVE, REPORT = "curve.csv", "report.html"
FILES = (CHECKPOINT, CURVE, REPORT)
SNAPSHOTS = "snapshots.json"  # only a run with snapshots has it
# On Windows, which cannot lock a folder, this file is locked while a run lives.
RUNNING = ".running"


def save_curve(path: Path, run: Training) -> None:
    """Write a table for any program: the loss of every step, and the results on held-out examples."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["step", "loss", "accuracy", "held_out_loss", "perplexity"])
    for p in run.curve:
        held_out = p.held_out_loss
        choices = None if held_out is None else perplexity(held_out)
        table.writerow([p.step, p.loss, p.accuracy, held_out, choices])
    disk.write_whole(path, lambda file: file.write(text.getvalue().encode()))


def writable(file: Path) -> Path:
    """The file, once it is checked that its folder exists and that it is no pipe or the like.

    Raises:
        ConfigError: if one of these is not so.
    """
    folder = disk.destination(file).parent
    if not folder.is_dir():
        raise errors.ConfigError(f"there is no folder {folder} to write {file.name} into: make it")
    return file


def ready(folder: Path, replace: bool) -> Path:
    """Make the folder of a new run if necessary, and check that the run can write its files there.

    Raises:
        ConfigError: if it cannot; or if a run is there already, and `replace` is not given.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise errors.ConfigError(f"cannot write to the folder {folder}: {why}") from None
    for name in FILES:
        disk.destination(folder / name)
    if (folder / CHECKPOINT).exists() and not replace:
        raise errors.ConfigError(
            f"there is a run in {folder} already: go on with it by --resume {folder}, give another "
            f"folder by --out, or put the new run in its place by --replace"
        )
    return folder


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Within it, no other run can claim the folder. Half-written files of a killed run are removed.

    The claim is a lock of the system, which ends with the process. If the system gives no lock, the
    folder is not claimed, and nothing is removed.

    Raises:
        ConfigError: if a run that is still alive has claimed it.
    """
    with contextlib.ExitStack() as stack:
        try:
            lock(folder, stack)
        except TAKEN:
            raise errors.ConfigError(
                f"another run is writing in {folder}: wait until it has ended, or give another folder "
                f"by --out"
            ) from None
        except OSError:  # a file system without locks, or a folder that cannot be read
            pass
        else:
            for name in FILES:
                disk.sweep(folder / name)
        yield


def lock(folder: Path, stack: contextlib.ExitStack) -> None:
    """Lock the folder until the stack is closed, or fail at once."""
    if sys.platform == "win32":  # it cannot open a folder; the file disappears when it is closed
        descriptor = os.open(folder / RUNNING, os.O_CREAT | os.O_RDWR | os.O_TEMPORARY)
        stack.callback(os.close, descriptor)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        descriptor = os.open(folder, os.O_RDONLY)
        stack.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
