"""Files that are written as a whole, or not at all. Only regular files are read and written.

A device, a pipe or a folder is refused by name. A link is followed: its target is replaced, and the link
stays.
"""

from __future__ import annotations

import contextlib
import glob
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ..errors import ConfigError

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def other_kind(path: str | os.PathLike) -> str:
    """The kind of a thing at `path` that is no regular file, such as "a pipe"; "" for a regular file, or
    if nothing is there. (To open a pipe would wait forever.)

    Raises:
        OSError: if the kind cannot be found, as for links in a circle.
    """
    try:
        return KINDS.get(stat.S_IFMT(os.stat(path).st_mode), "")
    except (FileNotFoundError, NotADirectoryError):
        return ""


def destination(path: str | os.PathLike) -> Path:
    """The file that is replaced or made where `path` is written: links are followed.

    Raises:
        ConfigError: if a thing is there that is no regular file.
        OSError: if its kind cannot be found.
    """
    if kind := other_kind(path):
        raise ConfigError(
            f"{os.fspath(path)} is {kind}, not a regular file: give the file to write, or a new one"
        )
    return Path(os.path.realpath(path) if os.path.islink(path) else path)


def write_whole(path: str | os.PathLike, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a file beside `path`, and rename it: `path` is never half-written.

    Raises:
        ConfigError: if `path` is a device, a pipe or a folder.
        OSError: if it cannot be written, with its path.
    """
    target = destination(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(beside, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException as problem:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        if isinstance(problem, OSError):  # the error of a write does not know the path
            what = problem.strerror or str(problem)
            raise OSError(problem.errno, what, os.fspath(path)) from None
        raise


def sweep(path: str | os.PathLike) -> None:
    """Remove the files beside `path` that killed processes left in `write_whole`."""
    target = Path(os.path.realpath(path))
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        left.unlink(missing_ok=True)
