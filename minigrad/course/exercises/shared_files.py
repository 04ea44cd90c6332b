"""Files of the exercises' folder that both sides load: the judge, and a learner's process.

`draws.py` makes the functions that are inputs, and `engines.py` asks an engine. Neither gives a solution
away.
"""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from ..folders import EXERCISES

SHARED = ("draws", "engines")


def module_of(path: Path) -> ModuleType:
    """A file of the exercises' folder, as a module."""
    spec = importlib.util.spec_from_file_location(f"exercises_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def shared_file(name: str) -> ModuleType:
    """A file beside the exercises, of what the answers and a learner's side have in common."""
    return module_of(EXERCISES / f"{name}.py")


def draws() -> ModuleType:
    """The functions among the inputs."""
    return shared_file("draws")


def wrapped(function: Any, through: str) -> Any:
    """Return what is asked in place of a function, if that is made of it (`Exercise.through`)."""
    if not through or not callable(function):
        return function
    file, _, name = through.partition(".")
    return getattr(shared_file(file), name)(function)
