"""DOT text rendered by Graphviz: the system's, or the one inside the `pygraphviz` wheel."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import shutil
import tempfile
from collections.abc import Iterator


def rendered(dot: str, kind: str) -> bytes | None:
    """`dot` drawn by Graphviz as "svg", "png", "pdf" or "plain"; None where no Graphviz is found."""
    for engine in (_by_system, _by_pygraphviz):
        data = engine(dot, kind)
        if data is not None:
            return data
    return None


@functools.cache
def widest_letter(font: str, size: float) -> float:
    """Measure the digits and the "e" of numbers, as Graphviz draws them here: the widest, in points.

    A plus may be wider, but comes with a point, which is narrower. It is 0 where no Graphviz is found.
    """
    many = 100  # of one letter in a row
    nodes = "".join(f'"{letter}" [label="{letter * many}"];' for letter in "0123456789e")
    dot = f'graph {{ node [shape=plain, fontname="{font}", fontsize={size}]; {nodes} }}'
    lines = (rendered(dot, "plain") or b"").decode().splitlines()
    inches = (float(line.split()[4]) for line in lines if line.startswith("node "))
    return 72 * max(inches, default=0.0) / many


def _by_system(dot: str, kind: str) -> bytes | None:
    """Render with the `dot` of the system; None where that fails."""
    if shutil.which("dot") is None:
        return None
    import graphviz

    try:
        return graphviz.Source(dot).pipe(format=kind, quiet=True)
    except (graphviz.ExecutableNotFound, graphviz.CalledProcessError, OSError):
        return None


def _by_pygraphviz(dot: str, kind: str) -> bytes | None:
    """Render with the Graphviz inside the pygraphviz wheel; None where that fails."""
    try:
        import pygraphviz
    except ImportError:
        return None
    with _quiet(), contextlib.suppress(ValueError, OSError):
        return pygraphviz.AGraph(string=dot).draw(format=kind, prog="dot")
    return None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Graphviz's own code writes to standard error, about fonts, off the screen."""
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            saved = os.dup(2)
        except OSError:  # there is no standard error
            yield
            return
        try:
            with tempfile.TemporaryFile() as aside:
                os.dup2(aside.fileno(), 2)
                yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)
