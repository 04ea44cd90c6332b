"""A lesson, run cell by cell in a process of its own, with what its cells print and draw.

The processes are forked from one that has loaded what lessons import, where the system can fork: a
lesson then begins at once.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import json
import multiprocessing
import os
import signal
import sys
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any

from ..folders import ROOT
from ..pictures import Picture
from .cells import Cell, cells
from .lesson import Lesson, LessonFails, failure
from .notebooks import write_text

SECONDS = 1200  # that a lesson may take; the slowest takes about 30
RAN = "cells.json"  # of a lesson that ran: the fields of its cells
FORKS = sys.platform == "linux"  # a copy of a process that has loaded much is not safe elsewhere
LOADED = (__name__, "minitransformer", "matplotlib.pyplot", "pygraphviz")  # what is missing is left


@functools.cache
def warm() -> Any:
    """Start to load what lessons import, in the process that they are forked from, where there can be
    one; returns at once, with what starts processes."""
    if FORKS:
        from multiprocessing.forkserver import ensure_running

        forked = multiprocessing.get_context("forkserver")
        forked.set_forkserver_preload(list(LOADED))
        with contextlib.suppress(OSError):  # a temporary path may be too long for a socket
            ensure_running()
            return forked
    return multiprocessing.get_context("spawn")


def execute(lesson: Lesson, folder: Path) -> None:
    """Run a lesson in `folder`: leave its cells there, with all that they print, as `cells.json`, and
    the pictures and pages that it writes, in `out`.

    Raises:
        LessonFails: if a cell fails, the lesson takes too long, or it ends the process.
    """
    processes = warm()
    answer, says = processes.Pipe(duplex=False)
    process = processes.Process(target=_run, args=(lesson, folder, says), daemon=True)
    process.start()
    says.close()
    try:
        if not answer.poll(SECONDS):
            raise LessonFails(lesson, f"timed out after {SECONDS} seconds")
        if why := answer.recv():
            raise LessonFails(lesson, why)
        process.join(1)  # a thread that it left does not keep it
    except EOFError:
        raise LessonFails(lesson, "its process died") from None
    finally:
        process.kill()
        process.join()


def cells_that_ran(folder: Path) -> list[Cell]:
    """The cells of a lesson that ran in `folder`, with what they printed and drew."""
    return [Cell(*fields) for fields in json.loads((folder / RAN).read_text(encoding="utf-8"))]


def _run(lesson: Lesson, folder: Path, says: Connection) -> None:
    """Run a lesson as a notebook does, and say what failed, or ""."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C waits for the lessons that run
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # what others than the cells write
        os.dup2(nowhere, stream)
    os.chdir(folder)
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    with contextlib.suppress(ImportError):  # two lessons run side by side
        import threadpoolctl

        threadpoolctl.threadpool_limits(1)
    with contextlib.suppress(ImportError):
        import matplotlib as mpl

        mpl.use("agg")  # no window
    sys.argv = [str(lesson.path)]
    sys.modules["__main__"] = notebook = ModuleType("__main__")  # no script: it has no `__file__`
    sys.path.insert(0, str(lesson.path.parent))
    try:
        every = [_run_cell(cell, lesson.path, vars(notebook)) for cell in cells(lesson.text)]
    except BaseException as problem:  # a lesson that ends itself has failed, too
        says.send(failure(lesson, problem).why)
    else:
        write_text(Path(RAN), json.dumps(every))
        says.send("")


def _run_cell(cell: Cell, path: Path, names: dict[str, Any]) -> Cell:
    """Run a cell. What its last line is worth is shown, as in a notebook."""
    if cell.kind != "code":
        return cell
    tree = ast.increment_lineno(ast.parse(cell.text), cell.line - 1)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(StringIO()) as printed:
        exec(compile(tree, path, "exec", dont_inherit=True), names)
        worth = None
        if isinstance(last, ast.Expr):
            expression = ast.Expression(last.value)
            worth = eval(compile(expression, path, "eval", dont_inherit=True), names)
        if isinstance(worth, Picture):
            return cell._replace(printed=printed.getvalue(), picture=worth.path.as_posix())
        if worth is not None:
            print(repr(worth))
    return cell._replace(printed=printed.getvalue())
