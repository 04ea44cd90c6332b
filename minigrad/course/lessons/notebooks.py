"""Lessons written as notebooks."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ... import errors
from ...system.disk import write_whole
from .lesson import Lesson

INSTALL = 'pip install -e ".[course]"'


BEGINS = """# Run this first in a notebook opened elsewhere, where minitransformer is not installed. It
# then installs a wheel or a clone that lies beside the notebook, or the clone that holds it.
# (The `minigrad` of PyPI is another project.)
import importlib.util
import pathlib
import sys

if importlib.util.find_spec("minitransformer") is None:
    here = pathlib.Path.cwd()
    wheels = sorted(here.glob("minitransformer-*.whl"))
    near = (here, *here.parents, *here.iterdir())
    clones = [one for one in near if (one / "minitransformer" / "__init__.py").is_file()]
    if not (wheels or clones):
        raise SystemExit(f"put the wheel of minitransformer, or a clone of it, into {here}")
    wanted = f"minitransformer[course] @ {(wheels[-1] if wheels else clones[0]).as_uri()}"
    %pip install --quiet "{wanted}"
"""  # nothing is fetched by a name: minitransformer need not be published


def write_notebooks(lessons: Iterable[Lesson], folder: Path) -> list[Path]:
    """Write lessons as notebooks that have not run, each begun by a cell that installs what it needs;
    returns their paths.

    Raises:
        ConfigError: without jupytext.
    """
    jupytext = needed("jupytext")
    paths = []
    for lesson in lessons:
        notebook = jupytext.read(lesson.path)
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook.metadata["kernelspec"] = kernel
        cell = needed("nbformat").v4.new_code_cell(BEGINS.strip(), id="install")
        notebook.cells.insert(0, cell)
        text = jupytext.writes(notebook, fmt="ipynb")
        paths.append(write_text(folder / f"{lesson.path.stem}.ipynb", text))
    return paths


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


def write_text(path: Path, text: str) -> Path:
    """Write a file, and the folders that it is in; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, lambda file: file.write(text.encode(errors="backslashreplace")))
    return path
