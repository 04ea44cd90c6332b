"""A graph as a picture: DOT text, made in pure Python, and SVG, PNG or PDF where Graphviz is found.

Where there is no Graphviz, the table of text stands in, with a line that says what to install.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
import tempfile
import weakref
from pathlib import Path

from ... import errors
from ...engine.kinds import checked
from ...ran import words
from ...ran.data import GraphData
from ...system.disk import write_whole
from ..text import listing
from . import folding
from .dot import DIRECTIONS, Writer
from .rendering import rendered

FORMATS = {".svg": "svg", ".png": "png", ".pdf": "pdf"}
INSTALL = "To draw it, install Graphviz: pip install pygraphviz"
SMALL = 60  # nodes, up to which a drawing shows values
LARGE = 200  # nodes, beyond which boxes are closed
FEW = 40  # nodes that are drawn at most then
DEEP = 1000  # nodes that are drawn at most where a depth is asked for
TITLE = re.compile(r"<title>[^<]*</title>\n?")  # Graphviz's own name of a thing, such as n0->n3


class Drawing:
    """A drawing of a graph, in DOT; it shows itself in notebooks, and `save` writes it to a file.

    One that nothing has shown or saved, as after `graph(y).draw()` in a script, is written to a
    temporary file when it goes, and a line says where.
    """

    def __init__(self, dot: str, table: str, title: str = ""):
        self._dot = dot
        self._table = table
        self.title = title
        self._unseen = weakref.finalize(self, _put_somewhere, dot)

    @property
    def dot(self) -> str:
        """The drawing in Graphviz's language."""
        self._unseen.detach()
        return self._dot

    @property
    def table(self) -> str:
        """The graph as a table of text."""
        self._unseen.detach()
        return self._table

    @checked
    def save(self, path: str | os.PathLike) -> Path | None:
        """Write the drawing to `path`, as its suffix says: .svg, .png, .pdf, or .dot for the text.

        Without Graphviz, prints the graph's table and what to install, and returns None; else
        returns the path. The file is written beside its name and renamed, so it is never half there.

        Raises:
            ConfigError: for another suffix.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix in (".dot", ".gv"):
            data: bytes | None = self.dot.encode()
        elif suffix == ".svg":
            svg = self.svg()
            data = None if svg is None else f"{svg}\n".encode()
        elif suffix in FORMATS:
            data = rendered(self.dot, FORMATS[suffix])
        else:
            raise errors.ConfigError(
                f"a drawing is saved as {', '.join(FORMATS)} or .dot, not as {path.name!r}"
            )
        if data is None:
            print(self.text())
            return None
        write_whole(path, lambda file: file.write(data))
        return path

    def svg(self) -> str | None:
        """The drawing as SVG, to be put into a page; None without Graphviz.

        Its ids begin with a separate mark, so that several can stand in one page.
        """
        data = rendered(self.dot, "svg")
        if data is None:
            return None
        mark = f"g{hashlib.sha256(self.dot.encode()).hexdigest()[:8]}"
        page = data.decode()
        page = _headings_last(TITLE.sub("", page[page.index("<svg") :]))
        page = re.sub(r'\bid="', f'id="{mark}-', page)
        title = html.escape(words.visible(self.title))
        return page.replace("<svg", f'<svg role="img" aria-label="{title}"', 1)

    def text(self) -> str:
        """The text that is shown without Graphviz: the table, and the package to install."""
        return f"{self.table}\n\n{INSTALL}"

    def _repr_svg_(self) -> str | None:
        return self.svg()

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        svg = self.svg()
        if svg is None:
            return {"text/plain": self.text()}
        return {"image/svg+xml": svg, "text/plain": self.table}

    def __str__(self) -> str:
        return self.dot

    def __repr__(self) -> str:
        return self.table


def _put_somewhere(dot: str) -> None:
    """Write a drawing to a temporary file, and say where."""
    data = rendered(dot, "svg")
    handle, name = tempfile.mkstemp(prefix="graph-", suffix=".svg" if data else ".dot")
    with os.fdopen(handle, "wb") as file:
        file.write(data or dot.encode())
    print(f"the drawing is in {name}; to choose its place: .draw().save('graph.svg')")


@checked
def draw(
    graph: GraphData,
    *,
    depth: int | None = None,
    fold: bool | None = None,
    values: bool | None = None,
    gradients: bool | None = None,
    direction: str = "down",
    budget: int | None = None,
    backward: bool = False,
    steady: bool = False,
) -> Drawing:
    """Draw `graph`.

    Args:
        depth: how many levels of modules and definitions are opened; default: all that fit.
        fold: whether equal parts in a row are shown once, with "× 6". Default: yes where
            values are not shown.
        values: whether values are shown. Default: yes in graphs of at most 60 nodes.
        gradients: whether gradients are shown; default: as `values`.
        direction: where the arrows go: "down", "right", "up" or "left".
        budget: the most nodes to draw; where there are more, boxes are closed, and the drawing says
            so. Default: 1000 with a `depth`; else all of a graph of at most 200 nodes, and 40
            of a larger one.
        backward: whether the backward pass is drawn beside the forward one: for each node its
            gradient, linked to it, with the rules at the arrows that go back.
        steady: leave room for numbers of any length, so that the drawings of successive steps of
            training have one layout, as the pictures of a film have.

    Raises:
        ConfigError: for another direction, or a depth or budget that is negative.
    """
    _check(direction, depth, budget)
    if values is None:
        values = len(graph) <= SMALL
    if gradients is None:
        gradients = values and not backward
    if fold is None:
        fold = not values
    if budget is None:
        budget = DEEP if depth is not None else LARGE if len(graph) <= LARGE else FEW
    plan = folding.plan(graph, depth, fold, max(budget, 2))
    dot = Writer(plan, values, gradients, direction, backward, steady).dot()
    return Drawing(
        dot, listing.table_of(graph), f"graph of {graph.title}" if graph.title else "graph"
    )


def _check(direction: str, depth: int | None, budget: int | None) -> None:
    """Check the options of `draw`.

    Raises:
        ConfigError: for another direction, or a depth or budget that is negative.
    """
    if direction not in DIRECTIONS:
        raise errors.ConfigError(f"direction is one of {', '.join(DIRECTIONS)}, not {direction!r}")
    for name, n in (("depth", depth), ("budget", budget)):
        if n is not None and n < 0:
            raise errors.ConfigError(f"{name} is a number from 0 on, not {n}")


def _headings_last(svg: str) -> str:
    """The headings of boxes once more, above the arrows that Graphviz draws across them."""
    headings = []
    for box in re.findall(r'<g id="[^"]*" class="cluster .*?</text>', svg, flags=re.DOTALL):
        fill = re.findall(r'<path fill="([^"]*)"', box)[-1]
        halo = f'aria-hidden="true" pointer-events="none" paint-order="stroke" stroke="{fill}"'
        headings.append(
            box[box.rindex("<text") :].replace("<text", f'<text {halo} stroke-width="4"')
        )
    end = svg.rindex("</g>")
    return svg[:end] + "".join(f"{heading}\n" for heading in headings) + svg[end:]
