"""Lessons as notebooks: written, and executed with all that their cells print and draw."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ... import errors
from ...disk import write_whole
from ..places import ROOT
from .lesson import Cell, Lesson

SECONDS = 600  # that a cell may take; the slowest takes about 20
RAN = "notebook.ipynb"  # of a lesson that ran
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


def write_notebooks(some: Iterable[Lesson], folder: Path) -> list[Path]:
    """Write lessons as notebooks that have not run, each begun by a cell that installs what it needs;
    returns their paths.

    Raises:
        ConfigError: without jupytext.
    """
    jupytext = needed("jupytext")
    paths = []
    for lesson in some:
        notebook = _notebook(lesson)
        cell = needed("nbformat").v4.new_code_cell(BEGINS.strip(), id="install")
        notebook.cells.insert(0, cell)
        text = jupytext.writes(notebook, fmt="ipynb")
        paths.append(written(folder / f"{lesson.path.stem}.ipynb", text))
    return paths


def _notebook(lesson: Lesson) -> Any:
    notebook = needed("jupytext").read(lesson.path)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = kernel
    return notebook


def executed(lesson: Lesson, folder: Path) -> None:
    """Run a lesson as a notebook in `folder`: leave the notebook there, with all that its cells print,
    as `notebook.ipynb`, and the pictures and pages that the lesson writes, in `out`.

    Raises:
        LessonFails: if a cell fails, takes too long, or ends the process.
        ConfigError: without jupytext, nbclient and ipykernel.
    """
    nbclient, jupytext, _ = needed("nbclient"), needed("jupytext"), needed("ipykernel")
    notebook = _notebook(lesson)
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    one = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
    client = nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3")
    client.resources["metadata"] = {"path": str(folder)}
    try:
        client.execute(
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | one, stderr=subprocess.DEVNULL
        )
    except nbclient.exceptions.CellExecutionError as problem:
        why = f"{problem.ename}: {problem.evalue}".partition("\n")[0]
        raise _fails(
            lesson, f"{why}, at {at}" if (at := _line(problem.traceback)) else why
        ) from None
    except (nbclient.exceptions.CellTimeoutError, nbclient.exceptions.DeadKernelError) as problem:
        raise _fails(lesson, str(problem).partition("\n")[0]) from None
    written(folder / RAN, jupytext.writes(notebook, fmt="ipynb"))


def not_run(lesson: Lesson, folder: Path) -> None:
    """Leave the notebook of a lesson in `folder`, as `notebook.ipynb`, without what its cells print.

    Raises:
        ConfigError: without jupytext.
    """
    written(folder / RAN, needed("jupytext").writes(_notebook(lesson), fmt="ipynb"))


class LessonFails(errors.ConfigError):
    """A lesson cannot be run to its end on this machine; what it needs is installed."""


def _fails(lesson: Lesson, why: str) -> LessonFails:
    return LessonFails(f"{lesson.path.name} fails: {why}")


def _line(traceback: str) -> str:
    """The line of a cell at which it failed, as IPython points to it, or ""."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", traceback)
    found = re.search(r"^-+> *\d+ (.*\S)", plain, re.M)
    return found[1].strip() if found else ""


def read(folder: Path) -> list[Cell]:
    """The cells of a lesson that ran in `folder`, with their outputs."""
    notebook = needed("nbformat").read(folder / RAN, as_version=4)
    return [
        Cell(cell.cell_type, cell.source, cell.get("outputs", ()))
        for cell in notebook.cells
        if cell.source.strip()
    ]


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
    write_whole(path, lambda file: file.write(text.encode(errors="backslashreplace")))
    return path
