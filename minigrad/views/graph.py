"""The graph of a computation, and its views.

    with mg.record():
        y = np.sum(np.tanh(x @ w))
    y.backward()
    print(mg.graph(y))

`graph(y)` makes a `Graph` of the nodes that the engine holds, by `minigrad.ran.capture`. Each view is a
function of the data in it alone, in a file of this room:

- the table in `text/listing.py`, and the summary in `text/costs.py`
- the NumPy program in `text/program.py`
- the rule of an edge in `text/reading.py`
- the drawing in `drawing/drawing.py`
- the backward pass as a separate graph in `drawing/mirror.py`
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import errors
from ..aten.watched import Watched, unwatched
from ..engine.errors import described
from ..engine.kinds import checked, named
from ..engine.tensor import Tensor
from ..engine.walk import order
from ..errors import MinigradError
from ..ran import capture
from ..ran.data import GraphData, GraphEdge
from ..ran.walked import gradient_of
from ..settings import whole
from .drawing import drawing, mirror
from .text import costs, listing, program, reading


class Graph(GraphData):
    """A computation as data, with its views.

    Printed, it is a table; in a notebook it shows itself as a drawing.
    """

    @functools.cached_property
    def backward(self) -> Graph:
        """The backward pass as a separate graph: gradients, and the contributions to them.

        The attribute `of` of each of its nodes is the number of the node of this graph that it is about.
        """
        return mirror.backward_of(self)

    def rule(self, edge: GraphEdge) -> str:
        """The rule by which a gradient goes back along `edge`, for its shapes and options; or ""."""
        return self._reader.edge(edge).text

    @functools.cached_property
    def _reader(self) -> reading.Formulas:
        return reading.Formulas(self, numbered=False)

    @checked
    def table(self, most: int | None = 200) -> str:
        """The graph as a table of text, of at most `most` rows (None: all)."""
        return listing.table_of(self, most if most is None else whole("most", most))

    def __str__(self) -> str:
        return self.table()

    __repr__ = __str__

    def summary(self) -> costs.Summary:
        """Counts by operation and module, depth, floating-point operations, bytes kept."""
        return costs.summary(self)

    @named
    def draw(self, **options: Any) -> drawing.Drawing:
        """A drawing, which shows itself in a notebook; see `views.drawing.drawing.draw` for options."""
        return drawing.draw(self, **options)

    def program(self) -> program.Program:
        """The forward and backward pass as one NumPy program; see `views.text.program.Program`."""
        return program.program(self)

    def to_dot(self, **options: object) -> str:
        """The drawing in Graphviz's language, DOT."""
        return self.draw(**options).dot

    @checked
    def render(self, path: str | os.PathLike, **options: object) -> Path | None:
        """Draw into the file `path`: .svg, .png, .pdf or .dot; see `drawing.Drawing.save`."""
        return self.draw(**options).save(path)

    def _repr_svg_(self) -> str | None:
        return self.draw()._repr_svg_()

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return self.draw()._repr_mimebundle_(include, exclude)


def graph(*roots: Tensor | MinigradError | Watched) -> Graph:
    """The computation of `roots`, or of a block of `mg.pytorch()`, as data to be printed and drawn.

    Outside `record()`, and after `backward()`, it shows only what the engine still holds: operations,
    shapes, and the values that the backward pass needs. For an error it shows the computation up to the
    operation that failed, which is marked.

    Raises:
        DTypeError: if a root is not a Tensor, or none is given.
        GraphError: if an error came up outside any computation.
    """
    roots = tuple([t for r in roots for t in (r.checked() if isinstance(r, Watched) else [r])])
    if len(roots) == 1 and isinstance(roots[0], MinigradError):
        return capture.of_error(Graph, roots[0])
    if not roots or not all(isinstance(r, Tensor) for r in roots):
        given = ", ".join(map(described, roots)) or "nothing"
        remedy = next(filter(None, map(unwatched, roots)), "")
        raise errors.DTypeError(
            f"graph() takes the Tensors whose computation to show, not {given}{remedy}"
        )
    return capture.of_tensors(Graph, roots)  # type: ignore[arg-type]


def graph_with_gradients(loss: Tensor) -> Graph:
    """The graph of `loss`; its gradients are computed, if they are missing."""
    _, state = gradient_of(loss.node)
    if state == "needs none":
        loss.backward()  # raises the error that explains it
    with after_backward(loss) if state == "not computed" else contextlib.nullcontext():
        return graph(loss)


@contextlib.contextmanager
def after_backward(loss: Tensor) -> Iterator[None]:
    """Within it, gradients are as after `loss.backward()`; at its end they are as before."""
    nodes = order([loss._node])  # type: ignore[list-item]
    before = [(n, n.grad) for n in nodes]
    visits = [(n.note, n.note.gradient, n.note.contributions) for n in nodes if n.note is not None]
    try:
        for node in nodes:
            node.grad = None  # else `backward` would add to it
        loss.backward(retain_graph=True)
        yield
    finally:
        for node, gradient in before:
            node.grad = gradient
        for note, gradient, contributions in visits:
            note.gradient, note.contributions = gradient, contributions
