"""Folders that take long to make, kept by the content of what they are made of."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path

DAYS = 30  # that a folder is kept after its last use
MAKING = ".making-"  # begins the name of a folder that is being made


def home() -> Path:
    """The folder for what can be made again, as the system has it."""
    system = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(system) if system else Path.home() / ".cache") / "minigrad" / "course"


def digest(parts: Iterable[str | Path]) -> str:
    """A name for the content of texts, and of files, which need not be there; their paths count, too."""
    sha256 = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) and part.is_file() else b""
        sha256.update(f"{part}\0{len(data)}\0".encode() + data)
    return sha256.hexdigest()[:20]


def kept_folder(name: str, content: str, make: Callable[[Path], object], root: Path) -> Path:
    """The folder that `make` fills, made only if there is none of this name and content.

    Args:
        content: the digest of what it is made of.
        root: where it is kept.
    """
    folder = root / f"{name}-{content}"
    with contextlib.suppress(FileNotFoundError):
        os.utime(folder)  # it is used now: `sweep` leaves it
        return folder
    root.mkdir(parents=True, exist_ok=True)
    beside = root / f"{MAKING}{secrets.token_hex(8)}"
    beside.mkdir()  # which all may read that the user's other folders may be read by
    try:
        make(beside)
        beside.rename(folder)
    except OSError:
        if not folder.is_dir():  # else another process was faster
            raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder


def sweep(root: Path) -> None:
    """Remove folders that were not used for long, and those that a killed process left half-made."""
    for old in root.glob("*-*"):
        days = 1 if old.name.startswith(MAKING) else DAYS
        with contextlib.suppress(OSError):  # another process may sweep, too
            if time.time() - old.stat().st_mtime > days * 86400:
                shutil.rmtree(old, ignore_errors=True)
