"""How a test does without the optional packages: they are missing, or what would use them is slow."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from minigrad.views.drawing import drawing

RENDERS = ("latex2mathml", "mdit_py_plugins", "pygments")  # what a page of a lesson needs
NAMES = ("matplotlib", "pygraphviz", "tqdm", "threadpoolctl")


def needs(*modules: str) -> None:
    """Skip a test where one of these is missing."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")


def without_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process."""
    for name in [n for n in sys.modules if n.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)


def without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process."""
    monkeypatch.setattr(drawing, "rendered", lambda dot, kind: None)


def bare(folder: Path, without: tuple[str, ...] = NAMES) -> str:
    """Make a folder that is the first of a PYTHONPATH, and the PATH, of a process without these."""
    folder.mkdir(exist_ok=True)
    for package in without:
        (folder / f"{package}.py").write_text("raise ImportError")
    return str(folder)
