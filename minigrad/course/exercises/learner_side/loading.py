"""A learner's function loaded from its file, so that it can be asked."""

from __future__ import annotations

import io
import linecache
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..learner_file import parse_learner_file
from ..shared_files import wrapped
from ..stubs import example  # noqa: F401  by which functions among the inputs are made again
from .callee import Callee
from .raised_error import stand_in


def load(
    path: str,
    data: np.ndarray,
    name: str,
    without: list[str] | None,
    alone: bool = True,
    through: str = "",
    files: Mapping[str, np.ndarray] | None = None,
    compiled: np.ndarray | None = None,
) -> Callee:
    """The function of that name in a learner's file with this content.

    Args:
        through: as in `Exercise`.
        files: others that it imports, by their paths: written to this folder first.
        compiled: as in `parse_learner_file`.
    """
    for place, content in (files or {}).items():
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).write_bytes(content.tobytes())
    if files:
        sys.path.insert(0, os.getcwd())
    numpy = dict(vars(np))
    file = parse_learner_file(
        Path(path), data.tobytes(), b"" if compiled is None else compiled.tobytes()
    )
    lines = io.StringIO(data.tobytes().decode(errors="replace")).readlines()
    linecache.cache[path] = len(data), None, lines, path  # which a room has not
    space = file.functions()
    for unread, why in file.unread.items():
        space.setdefault(unread, stand_in(unread, why))
    return Callee(wrapped(space.get(name), through), without, alone, numpy)
