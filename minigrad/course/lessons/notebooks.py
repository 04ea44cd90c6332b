"""Lessons as notebooks: written, and executed with all that their cells print and draw."""

from __future__ import annotations

import importlib
import os
import subprocess
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ... import errors
from ...serialize import write_whole
from ..places import ROOT
from .lesson import Lesson

SECONDS = 600  # that a cell may take; the slowest takes about 20
INSTALL = 'pip install -e ".[course]"'


def write_notebooks(some: Iterable[Lesson], folder: Path) -> list[Path]:
    """Write lessons as notebooks that have not run; returns their paths.

    Raises:
        ConfigError: without jupytext.
    """
    jupytext = needed("jupytext")
    paths = []
    for lesson in some:
        text = jupytext.writes(_notebook(lesson), fmt="ipynb")
        paths.append(written(folder / f"{lesson.path.stem}.ipynb", text))
    return paths


def _notebook(lesson: Lesson) -> Any:
    notebook = needed("jupytext").read(lesson.path)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = kernel
    return notebook


def executed(lesson: Lesson, beside: Path) -> Any:
    """The lesson as a notebook with all that its cells print and draw.

    Args:
        beside: the folder in which the lesson's page will be. Pages that the lesson writes itself are
            put there, by the paths that it prints.

    Raises:
        ConfigError: without nbclient and ipykernel, or if a cell fails.
    """
    nbclient, _ = needed("nbclient"), needed("ipykernel")
    notebook = _notebook(lesson)
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the machinery, about its own parts
        client = nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3")
        client.resources["metadata"] = {"path": folder}
        try:
            client.execute(
                env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)}, stderr=subprocess.DEVNULL
            )
        except nbclient.exceptions.CellExecutionError as problem:
            raise errors.ConfigError(
                f"{lesson.path.name} fails: {problem.ename}: {problem.evalue}"
            ) from None
        for made in Path(folder).rglob("*.html"):
            written(beside / made.relative_to(folder), made.read_text(encoding="utf-8"))
    return notebook


def needed(module: str) -> Any:
    """Import a module of the `course` extra.

    Raises:
        ConfigError: if it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise errors.ConfigError(
            f"this needs {problem.name or module}, which is not installed: {INSTALL}"
        ) from None


def written(path: Path, text: str) -> Path:
    """Write a file, and the folders that it is in; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, lambda file: file.write(text.encode()))
    return path
