"""`mg.explore`: the page of a computation, written to a file or shown at once.

It is made in three steps:

    a loss, or a function -> a graph with its gradients: `_graph_of`
    the graph             -> the data of the page: `content` of content.py
    the data              -> one file of HTML, with the scripts that show it: `page` of file.py
"""

from __future__ import annotations

import dataclasses
import html
import inspect
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import errors
from ...aten.watched import Watched
from ...engine.kinds import checked
from ...engine.source import level_outside
from ...engine.tensor import Array, Tensor
from ...ran import words
from ...ran.proof import Proof, prove
from ...settings import whole as whole_number
from ...system.disk import write_whole
from ...system.working import working
from ..graph import Graph, graph_with_gradients
from . import opening
from .attention import Tokens
from .content import HINT, Extras, PageOptions, content
from .file import COMPARED, page
from .live import Vocabularies

MOST_NODES = 10_000
MOST_NUMBERS = 300_000_000  # in all values and gradients: a page of more takes many minutes
BUDGET = 2_200_000  # characters of a page that its numbers may take


@checked
def explore(
    loss: Tensor | Callable[..., Tensor] | Watched,
    path: str | os.PathLike | None = None,
    *,
    inputs: Sequence[Any] | Array = (),
    title: str | None = None,
    step: int = 0,
    letters: Mapping[str, int] | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
    tokens: Tokens | None = None,
    vocabularies: Vocabularies | None = None,
    extras: Extras | None = None,
) -> Path:
    """Write the page on which to walk through a computation, and back.

        with mg.record():  # so that values and lines of code are known
            loss = loss_of(model(x))
        mg.explore(loss, "page.html")

    Without a path, the page is shown at once: in a notebook in place, else in a browser. If `backward()`
    was not called yet, the page computes the gradients, and the tensors stay as they were.

    A function in place of the loss is recorded here. What NumPy makes of its inputs, such as masks of
    ids, is computed again on the page. The function is also run with other inputs: so the constants are
    known that Python makes of them, as by `ids.tolist()`. No page can compute these, and it marks them.

        mg.explore(lambda ids: loss_of(model(ids)), "page.html", inputs=[ids])

    Args:
        loss: one number, or any shape if `backward(gradient)` was called on it. Or a function that
            gives it for `inputs`, and changes nothing else. Or a block of `mg.pytorch()`.
        path: the file to write. None: a new file, whose path is printed.
        inputs: Tensors and arrays for the function; or the only one.
        title: of the page; by default, the name of the loss's variable.
        step: the step at which the page opens, counted from 1; 0: before the first.
        letters: the sizes of dimensions by their letters, such as `{"B": 1, "T": 11}`. Comments in
            the code, such as `# (B, T, D)`, name dimensions too.
        labels: texts along a dimension, by its letter: `{"T": ["a", "b", ...]}`.
        tokens: for attention maps: the tokens of the queries and of the keys, by the path of a
            module; "" is for all that have no entry.
        vocabularies: the symbols that integers choose from, by the path of the table whose rows they
            pick; "" is for every other table of its size.
        extras: parts that a program adds to its pages.

    Returns:
        The path.

    Raises:
        ArgumentError: if the loss is not a Tensor, and no function of `inputs`.
        ConfigError: if there is no such step.
        DTypeError: if it is a function that gives no Tensor.
        GraphError: if it requires no gradient, or has more than 10,000 nodes, or 300
            million numbers.
        ShapeError: if it is not one number, and `backward(gradient)` was not called.
    """
    extras = extras or Extras()
    sections = dict(extras.sections)
    if isinstance(loss, Watched):
        loss, compared = _of_pytorch(loss)
        sections[COMPARED] = compared
    inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    graph, proof = _graph_of(loss, inputs)
    steps = sum(n.kind == "operation" for n in graph.nodes) + len(graph.way_back)
    options = PageOptions(
        title=words.visible(title or graph.title or "a computation"),
        opens=whole_number("step", step, most=steps),
        proof=proof,
        letters=letters or {},
        labels=labels or {},
        tokens=tokens or {},
        vocabularies=vocabularies or {},
        extras=extras,
    )
    with working(f"a page of {len(graph):,} nodes") as progress:
        data = content(graph, options, BUDGET, progress)
    if not graph.recorded:
        warnings.warn(HINT, stacklevel=level_outside())
    return _written(page(data, sections), options.title, path)


def _written(text: str, title: str, path: str | os.PathLike | None) -> Path:
    """Write the text of a page; without a path, to a new file, which is shown."""
    file = opening.fresh_path(title) if path is None else Path(path)
    write_whole(file, lambda opened: opened.write(text.encode()))
    if path is None:
        opening.show(file)
    return file


# --- the graph of what is explored ----------------------------------------------------------------


def _graph_of(
    loss: Tensor | Callable[..., Tensor], inputs: Sequence[Any]
) -> tuple[Graph, Proof | None]:
    """The graph of a loss with its gradients; for a function, also the proof of its constants.

    Raises:
        ArgumentError, DTypeError, GraphError, ShapeError: as `explore` says.
    """
    if isinstance(loss, Tensor):
        graph, proof = graph_with_gradients(loss), None
    else:
        _check_takes(loss, inputs)
        proof = prove(loss, inputs)
        graph = _as_proven(proof, getattr(loss, "__name__", ""))
    _check_fits(graph)
    return graph, proof


def _of_pytorch(watched: Watched) -> tuple[Tensor, str]:
    """The last loss of a block of `mg.pytorch()`, and its distances from PyTorch's numbers, in HTML.

    Raises:
        GraphError: if it requires no gradient.
    """
    loss = watched.checked()[0]
    if not loss.requires_grad:
        raise errors.GraphError(
            "what was watched last requires no gradient, so there is no way back to walk: watch it "
            "without torch.no_grad(), or read the way forward by print(mg.graph(watched))"
        )
    compared = html.escape(str(watched.compare())).replace("\n", "<br>")
    return loss, f"<p>{compared}</p>"


def _check_takes(function: Callable, inputs: Sequence[Any]) -> None:
    """Check that a function, or a model, takes these inputs.

    Raises:
        ArgumentError: if it does not.
    """
    try:
        inspect.signature(getattr(function, "forward", function)).bind(*inputs)
    except TypeError as problem:
        raise errors.ArgumentError(
            f"explore() calls a function or a model with the inputs that it is given, here "
            f"{len(inputs) or 'none'}: {problem}. Give what computes a loss, as in "
            f"mg.explore(lambda x: loss_of(model(x)), inputs=[x])"
        ) from None
    except ValueError:  # a function written in C, which has no signature
        pass


def _check_fits(graph: Graph) -> None:
    """Check that a page can hold a graph.

    Raises:
        GraphError: if it cannot.
    """
    if len(graph) > MOST_NODES:
        raise errors.GraphError(
            f"a page can hold {MOST_NODES:,} nodes, and this computation has {len(graph):,}: explore a "
            f"smaller example, with shorter sequences or fewer layers"
        )
    numbers = sum(a.size for n in graph.nodes for a in (n.value, n.gradient) if a is not None)
    if numbers > MOST_NUMBERS:
        raise errors.GraphError(
            f"a page is made of {MOST_NUMBERS / 1e6:,.0f} million numbers at most, and this computation "
            f"has {numbers / 1e6:,.0f} million in its values and gradients, which would take many "
            f"minutes: explore a smaller example, with shorter sequences or fewer layers"
        )


def _as_proven(proof: Proof, name: str) -> Graph:
    """The graph, with the inputs that its constants are made of; the function names its result."""
    # Captured again: in `prove` it had no gradients yet.
    graph = graph_with_gradients(proof.loss)
    (root,) = graph.roots
    nodes = [dataclasses.replace(n, may_be_of=proof.made_of.get(n.number, ())) for n in graph.nodes]
    if name.isidentifier() and not nodes[root].label:
        nodes[root] = dataclasses.replace(nodes[root], variable=name)
    made_of = {n for some in proof.made_of.values() for n in some}
    taken_out = tuple([t for t in graph.taken_out if made_of & graph.made_from(t[0])])
    return dataclasses.replace(
        graph, nodes=tuple(nodes), taken_out=taken_out, title=graph.title or nodes[root].label
    )
