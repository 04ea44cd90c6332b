"""The folder for the pictures of a lesson.

    pictures = Pictures()
    pictures("graph", mg.graph(y))      a graph, or a drawing of one
    pictures("curve", curve)            a function that returns a matplotlib figure

A picture that cannot be made, because matplotlib or a Graphviz engine is missing, is left out, and
the lesson goes on; `print(pictures)` says at its end which pictures there are, and which are not.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..system.disk import write_whole
from ..views.drawing.drawing import Drawing
from ..views.graph import Graph

STYLE: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
    "savefig.facecolor": "white",
    "savefig.dpi": 200,  # of what is too many shapes, and so is dots in an SVG
    "svg.hashsalt": "minigrad",  # the same picture, the same file
}


class Picture:
    """A picture in a file, which shows itself in a notebook."""

    def __init__(self, path: Path, svg: str):
        self.path = path
        self.svg = svg

    def __repr__(self) -> str:
        return f"Picture({str(self.path)!r})"

    def _repr_svg_(self) -> str:
        return self.svg


class Pictures:
    """The folder that a lesson's pictures go to, and which of them could be made.

    Args:
        folder: where they go. By default what the running script was given as its first argument,
            else `out`.
    """

    def __init__(self, folder: str | os.PathLike | None = None):
        script = hasattr(sys.modules["__main__"], "__file__")  # which a notebook is not
        named = sys.argv[1] if script and len(sys.argv) > 1 else "out"
        self.folder = Path(named if folder is None else folder)
        self.names: list[str] = []
        self.left_out: dict[str, list[str]] = {}  # what is missing: the pictures that need it

    def __call__(self, name: str, drawn: Graph | Drawing | Callable[[], object]) -> Picture | None:
        """Save a picture as `name`.svg and return it; None if what draws it is not installed.

        Raises:
            OSError: if the file cannot be written.
        """
        if isinstance(drawn, (Graph, Drawing)):
            needs, svg = "Graphviz", (drawn.draw() if isinstance(drawn, Graph) else drawn).svg()
        else:
            needs, svg = "matplotlib", _figure(drawn)
        if svg is None:
            self.left_out.setdefault(needs, []).append(name)
            return None
        path = self.folder / f"{name}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, lambda file: file.write(svg.encode()))
        self.names.append(name)
        return Picture(path, svg)

    def __str__(self) -> str:
        """List the pictures that there are; and in one line those left out, and why."""
        lines = [f"Pictures in {self.folder}: {', '.join(self.names)}"] if self.names else []
        if self.left_out:
            without = (f"{', '.join(names)} (no {n})" for n, names in self.left_out.items())
            install = 'pip install -e ".[course]" brings what is missing'
            lines.append(f"Pictures left out: {', '.join(without)}; {install}")
        return "\n".join(lines)


def _figure(draw: Callable[[], Any]) -> str | None:
    try:
        import matplotlib as mpl
        from matplotlib import pyplot as plt
    except ImportError:
        return None
    with mpl.rc_context(STYLE):
        figure = draw()
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
        plt.close(figure)
    return file.getvalue()
