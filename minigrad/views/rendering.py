"""DOT text rendered by Graphviz: the system's, or the one inside the `pygraphviz` wheel."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterator


def rendered(dot: str, kind: str) -> bytes | None:
    """`dot` drawn by Graphviz as "svg", "png" or "pdf"; None where no Graphviz is found."""
    for engine in (_by_system, _by_pygraphviz):
        data = engine(dot, kind)
        if data is not None:
            return data
    return None


def _by_system(dot: str, kind: str) -> bytes | None:
    """By the system's `dot`."""
    if shutil.which("dot") is None:
        return None
    import graphviz

    try:
        return graphviz.Source(dot).pipe(format=kind, quiet=True)
    except (graphviz.ExecutableNotFound, graphviz.CalledProcessError, OSError):
        return None


def _by_pygraphviz(dot: str, kind: str) -> bytes | None:
    """By the Graphviz inside the pygraphviz wheel."""
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
