"""Verdicts kept from run to run: for the same file, exercise, inputs and library, they are the same."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ...folders import EXERCISES, PACKAGES, ROOT
from ..catalogue import Sheet, sheets
from ..exercise import Exercise
from ..marking.mark import STOPPED, Mark
from ..shared_files import SHARED

FILE = "class.kept"  # in the folder of results


class VerdictCache:
    """The verdicts of a class, in a file that each is added to as soon as it is there.

    Args:
        folder: of the results.
        seed: of the inputs; None: that of the run before, or a new one.

    Attributes:
        before: whether the seed is that of the run before.
    """

    def __init__(self, folder: Path, seed: int | None):
        self.path = folder / FILE
        self.marks: dict[str, Mark] = {}
        seeds = [] if seed is None else [seed]
        with contextlib.suppress(OSError):
            for line in self.path.read_bytes().splitlines()[::-1]:
                with contextlib.suppress(ValueError, TypeError, KeyError):  # one that was cut short
                    about = json.loads(line)
                    if "mark" in about:
                        self.marks[about["key"]] = mark_of(about["mark"])
                    elif isinstance(about["seed"], int):
                        seeds.append(about["seed"])  # of the last run first
        self.before = seed is None and bool(seeds)
        self.seed = seeds[0] if seeds else secrets.randbelow(1 << 32)

    def __enter__(self) -> VerdictCache:
        self.file = open(self.path, "a", encoding="ascii")
        self._write({"seed": self.seed})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.file.close()

    def get(self, key: str) -> Mark | None:
        """The mark with this key; None if there is none."""
        return self.marks.get(key)

    def add(self, key: str, mark: Mark) -> None:
        """Keep a verdict; what depends on the time that something took is marked again."""
        if mark.state != STOPPED and key not in self.marks:
            self.marks[key] = mark
            self._write({"key": key, "mark": asdict(mark)})

    def key(self, folder: Path, sheet: Sheet, exercise: Exercise) -> str:
        """A number for all that the verdict on an exercise in a student's file depends on."""
        try:
            data = (folder / sheet.file).read_bytes()
        except OSError:
            data = b"\0 none"
        beside = sorted({*os.listdir(folder)} - {one.file for one in sheets()})
        parts = [data, versions(sheet.file).encode(), f"{exercise.name} {self.seed}".encode()]
        parts += [name.encode() for name in beside]  # which it may import
        return hashlib.sha256(b"\0".join(parts)).hexdigest()

    def _write(self, about: dict[str, Any]) -> None:
        self.file.write(json.dumps(about) + "\n")
        self.file.flush()


def mark_of(about: dict[str, Any]) -> Mark:
    """The mark that `asdict` made this of."""
    picture = tuple(about["picture"]) if about["picture"] else None
    return Mark(**{**about, "shows": tuple(about["shows"]), "picture": picture})


@functools.cache
def versions(file: str) -> str:
    """The versions of what judges a file of exercises: it, its answers, what is beside them, both
    packages, NumPy and Python."""
    exercises = [
        EXERCISES / file,
        EXERCISES / "answers" / file,
        *(EXERCISES / f"{name}.py" for name in SHARED),
    ]
    return f"{file} {_sum(exercises)} {library()} {np.__version__} {sys.version}"


@functools.cache
def library() -> str:
    """A digest of the modules of both packages."""
    both = [ROOT / name for name in PACKAGES]
    return _sum([path for package in both for path in sorted(package.rglob("*.py"))])


def _sum(paths: Sequence[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(path.read_bytes())
    return whole.hexdigest()
