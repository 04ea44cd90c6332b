"""A learner's file with an engine, as it goes into a room: with the files beside it that it imports."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .... import errors
from ..catalogue import RUN
from ..learner_file import content_of, read_learner_file
from .comparison import THROUGH

FILES = 200  # that an engine may have beside it


def request_for_engine(path: Path) -> dict[str, object]:
    """The engine in a file as a room is asked for it: a function, in a file that imports the learner's.

    Raises:
        ConfigError: if the file cannot be read, or has no engine.
    """
    try:
        own = read_learner_file(path)
        names = {alias for alias in ("engine", "Tensor", "backward") if own.has(alias)}
        files = dict(_files(path))
    except OSError as problem:
        raise errors.ConfigError(f"cannot read {path}: {problem.strerror}") from None
    except ValueError as problem:
        raise errors.ConfigError(f"cannot read {path}: {problem}") from None
    if own.problem:
        raise errors.ConfigError(own.problem)
    if own.is_stub("engine"):
        raise errors.ConfigError(f"`engine` in {path} is not written yet: `{RUN} hint engine`")
    if not ("engine" in names or names >= {"Tensor", "backward"}):
        raise errors.ConfigError(
            f"{path} has no engine: a class Tensor and a function backward, or a function `engine` "
            f"that returns both"
        )
    stem = _stem(path)
    both = f"{stem}.engine()" if "engine" in names else f"({stem}.Tensor, {stem}.backward)"
    code = f"def engine():\n    import {stem}\n    return {both}\n".encode()
    return {
        "path": str(path),
        "data": np.frombuffer(code, np.uint8),
        "name": "engine",
        "without": None,  # it may be made of another engine
        "through": THROUGH,
        "files": files,
    }


def _stem(path: Path) -> str:
    """The name that a file can be imported by."""
    return path.stem if path.stem.isidentifier() else f"engine_{path.stem}".replace("-", "_")


def _files(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    """The file, and those beside it that it imports, by the paths that they have beside one another."""
    waiting, seen = [(path, f"{_stem(path)}.py")], {path}
    while waiting:
        one, place = waiting.pop()
        data = content_of(one)
        yield place, np.frombuffer(data, np.uint8)
        for name in _imported(data):
            module, package = path.parent / f"{name}.py", path.parent / name
            new = [module] if module.is_file() else sorted(package.rglob("*.py"))[:FILES]
            waiting += [(n, str(n.relative_to(path.parent))) for n in new if n not in seen]
            seen |= set(new)


def _imported(data: bytes) -> Iterator[str]:
    with contextlib.suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(data)):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                yield (node.module or "").partition(".")[0]
