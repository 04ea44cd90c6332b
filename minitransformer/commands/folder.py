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

from ..training.loop import Training, perplexity

if sys.platform == "win32":
    import msvcrt

    TAKEN = PermissionError  # what a lock raises that another process has
else:
    import fcntl

    TAKEN = BlockingIOError

CHECKPOINT, CURVE, REPORT = FILES = "checkpoint.npz", "curve.csv", "report.html"
SNAPSHOTS = "snapshots.json"  # of a run that keeps any
RUNNING = ".running"  # only where a folder cannot be locked: this file, while a run lives


def checkpoint_of(run: str) -> Path:
    """The checkpoint that the user names: by its folder, or by itself.

    Raises:
        CheckpointError: if it is not there, but others are beside it or in `runs`; it names them.
    """
    path = Path(run)
    if not os.path.lexists(path):
        beside = {
            f.parent for at in (path.parent, Path("runs")) for f in at.glob(f"*/{CHECKPOINT}")
        }
        if beside:
            some = ", ".join(map(str, sorted(beside)[:5]))
            raise errors.CheckpointError(f"there is no checkpoint {run}; there is one in {some}")
    return path / CHECKPOINT if path.is_dir() else path


def save_curve(path: Path, run: Training) -> None:
    """The loss of every step, and what held-out examples gave where they were looked at, as a table
    for any program."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["step", "loss", "accuracy", "held_out_loss", "perplexity"])
    for p in run.curve:
        held_out = p.held_out_loss
        choices = None if held_out is None else perplexity(held_out)
        table.writerow([p.step, p.loss, p.accuracy, held_out, choices])
    disk.write_whole(path, lambda file: file.write(text.getvalue().encode()))


def writable(file: Path) -> Path:
    """The file, if one can be written there, as far as that can be told before.

    Raises:
        ConfigError: if not.
    """
    folder = disk.destination(file).parent
    if not folder.is_dir():
        raise errors.ConfigError(f"there is no folder {folder} to write {file.name} into: make it")
    return file


def ready(folder: Path, replace: bool) -> Path:
    """Make the folder of a new run if necessary, and check that the run can write its files there.

    Raises:
        ConfigError: if it cannot, or there is a run already that it is not told to replace.
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
    """Make a context in which no other run can claim the folder; what one that was killed left
    half-written is removed.

    The claim is a lock of the system's, which ends with the process, however that ends. Where none can
    be had, the folder is not claimed, and nothing is removed.

    Raises:
        ConfigError: if another run lives that has claimed it.
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
    if sys.platform == "win32":  # where no folder can be opened, and a file disappears when closed
        descriptor = os.open(folder / RUNNING, os.O_CREAT | os.O_RDWR | os.O_TEMPORARY)
        stack.callback(os.close, descriptor)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        descriptor = os.open(folder, os.O_RDONLY)
        stack.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
