"""The files in a folder or zip, in zips in it too; and of each that is not taken, why.

Nothing in a zip is written as it is named there.
"""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..learner_file import LONGEST, content_of

IGNORED = re.compile(
    r"(?:.*/)?(?:\.[^./].*|__MACOSX/.*|__pycache__(?:/.*)?|conftest\.py|README\.txt|class\.(?!zip$).*|.*\.(?:svg|pyc))"
)
PYTHON = (".py", ".py.txt")  # an editor of Windows adds the second ending, and its folders hide it
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".7z", ".rar")  # that are not read
REASONS = {  # a file is not marked, by the end of its name
    **dict.fromkeys(
        ARCHIVES, "an archive that is no zip; unpack it, and put the files in a folder"
    ),
    ".ipynb": "a notebook; save its code as a Python file, such as 01_one_derivative.py",
    "": "no Python file",
}
FILES, DEEP = 2000, 3  # that are looked at for one student; zips in zips


class FoundFile(NamedTuple):
    """A file that was handed in, by its path in the class's folder, with its content and time.

    Attributes:
        archive: the zip that the path is in; or "".
    """

    path: str
    data: bytes
    time: float
    archive: str = ""


def files_in(path: Path, name: str) -> Iterator[FoundFile | str]:
    """All files in a folder or zip, or the file itself."""
    try:
        if path.is_dir():
            for inner in sorted(path.iterdir()):
                if not inner.is_symlink() or inner.is_file():
                    yield from files_in(inner, f"{name}/{inner.name}")
        elif IGNORED.fullmatch(name):
            return
        elif path.suffix.lower() == ".zip":
            for one in files_in_zip(name, path.read_bytes(), 0):
                yield one if isinstance(one, str) else one._replace(archive=name)
        elif path.name.lower().endswith(PYTHON):
            yield FoundFile(name, content_of(path), path.stat().st_mtime)
        else:
            yield f"{name}: {_reason(name)}"
    except (OSError, ValueError, RecursionError) as problem:
        yield f"{name}: {getattr(problem, 'strerror', None) or problem}"


def files_in_zip(name: str, data: bytes, deep: int) -> Iterator[FoundFile | str]:
    """All files in a zip with this content.

    Args:
        deep: in how many zips it is itself.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError) as problem:
        yield f"{name}: {problem}"
        return
    if all(one.is_dir() for one in archive.infolist()):
        yield f"{name}: an empty zip"
    for one in archive.infolist()[:FILES]:
        if not one.is_dir() and not IGNORED.fullmatch(one.filename):
            yield from _entry(archive, one, deep)


def _entry(archive: zipfile.ZipFile, one: zipfile.ZipInfo, deep: int) -> Iterator[FoundFile | str]:
    """The file of an entry of a zip, or all files in it, if it is a zip; or why there are none."""
    is_zip = one.filename.lower().endswith(".zip")
    most = 20 * LONGEST if is_zip else LONGEST
    if not is_zip and not one.filename.lower().endswith(PYTHON):
        yield f"{one.filename}: {_reason(one.filename)}"
        return
    if one.file_size > most or one.flag_bits & 1 or deep >= DEEP:
        yield f"{one.filename}: too long, encrypted, or a zip in too many zips"
        return
    try:
        with archive.open(one) as file:
            data = file.read(most)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as problem:
        yield f"{one.filename}: {problem}"
        return
    if not is_zip:
        yield FoundFile(one.filename, data, _time(one))
        return
    stem = one.filename[:-4]
    for each in files_in_zip(one.filename, data, deep + 1):
        if isinstance(each, str):
            yield f"{stem}/{each}"
        else:
            yield each._replace(path=f"{stem}/{each.path}")


def _reason(name: str) -> str:
    return next(why for end, why in REASONS.items() if name.lower().endswith(end))


def _time(one: zipfile.ZipInfo) -> float:
    try:
        return time.mktime((*one.date_time, 0, 0, -1))
    except (OverflowError, ValueError):
        return 0.0
