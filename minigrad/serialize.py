"""Save and load arrays, and what is to be known about them, without pickle.

A file is NumPy's `.npz`, with one more entry that holds a text in JSON. Reading one never runs code.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from .errors import CheckpointError

_ABOUT = "about.json"
_FORMAT = "minigrad 1"


def save(path: str | os.PathLike, arrays: Mapping[str, Any], about: Any = None) -> None:
    """Write `arrays` by name, and `about` (anything that JSON can hold), to one file.

    The file is written beside its final name and renamed, so that it is whole or not there, and one
    that was there before stays until then. The same contents give the same bytes.

    Raises:
        OSError: if it cannot be written.
        TypeError: if JSON cannot hold `about`, an array is of Python objects, or arrays have no names.
        ValueError: if a name is no text, has a "\\0" in it, or is the one under which `about` is kept.
    """
    if not isinstance(arrays, Mapping):
        raise TypeError(f"give the arrays by name, as {{'w': w}}, not in a {type(arrays).__name__}")
    made = {name: np.asarray(array) for name, array in arrays.items()}
    text = json.dumps({"format": _FORMAT, "arrays": list(made), "about": about})
    for name, array in made.items():
        if array.dtype.hasobject:
            raise TypeError(f"{name} is an array of Python objects, which only pickle could save")
        if not isinstance(name, str) or "\0" in name or name == _ABOUT:
            raise ValueError(
                f"no array can be called {name!r}: give a text without \\0, not {_ABOUT}"
            )

    def write(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(zipfile.ZipInfo(_ABOUT), text)  # a ZipInfo has a fixed time
            for name, array in made.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, array, allow_pickle=False)

    write_whole(path, write)


def load(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], Any]:
    """Read what `save` wrote: the arrays by name, and what was said about them.

    Raises:
        CheckpointError: if there is no such file, or it is truncated, or was not written by `save`.
    """
    if os.path.isdir(path) or not os.path.exists(path):
        folder = ", which is a folder: give a file in it" if os.path.isdir(path) else ""
        raise CheckpointError(f"there is no checkpoint {os.fspath(path)}{folder}")
    try:
        with open(path, "rb") as file:
            if not zipfile.is_zipfile(file):
                raise ValueError("no zip archive")
            file.seek(0)
            with np.load(file, allow_pickle=False) as archive:
                entries = {n.removesuffix(".npy"): archive[n] for n in archive.zip.namelist()}
        header = json.loads(entries.pop(_ABOUT))
        found, names, about = header["format"], header["arrays"], header["about"]
        strange = [name for name, a in entries.items() if name not in names or type(a) is bytes]
        missing = [name for name in names if name not in entries]
        if strange or missing:
            lacks = f"without {_some(missing)} of its {len(names)} arrays"
            raise ValueError(
                lacks if missing else f"with {_some(strange)}, which are no arrays of it"
            )
    except PermissionError:
        raise CheckpointError(f"{os.fspath(path)} may not be read: permission denied") from None
    except MemoryError:
        raise MemoryError(f"{os.fspath(path)} does not fit into memory") from None
    except Exception as problem:  # there is no telling what the parsers make of a damaged file
        # NumPy speaks of pickle where it finds Python objects, and wherever it knows nothing better.
        what = (
            "Python objects" if "pickle" in str(problem) else f"{type(problem).__name__}: {problem}"
        )
        raise CheckpointError(
            f"{os.fspath(path)} is truncated, or is not a checkpoint of minigrad ({what}): give the "
            f"file as it was saved"
        ) from None
    if found != _FORMAT:
        raise CheckpointError(
            f"{os.fspath(path)} is of the format {found!r}; this version reads {_FORMAT!r}"
        )
    return entries, about


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def write_whole(path: str | os.PathLike, write: Callable[[IO[bytes]], Any]) -> None:
    """Let `write` fill a file beside `path`, and rename it: `path` is never half-written.

    Raises:
        OSError: if it cannot be written, with its path.
    """
    target = Path(path)
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
        if isinstance(problem, OSError):  # that of a write does not know where
            raise OSError(problem.errno, problem.strerror or str(problem), str(target)) from None
        raise


def sweep(path: str | os.PathLike) -> None:
    """Remove what a process that was killed in `write_whole` left beside `path`."""
    target = Path(path)
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        left.unlink(missing_ok=True)
