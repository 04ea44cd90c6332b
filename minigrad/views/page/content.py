"""The content of a page: data that JSON can hold, made of the graph alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...engine.kinds import checked
from ...errors import GraphError
from ...ran import words
from ...ran.data import GraphData
from ...ran.proof import Proof
from ...script.script import Script
from ..text import elements, listing
from . import attention, cards, chapters, drawings, packing, replay, switches
from .another_line import AnotherLine, another_line
from .attention import Tokens
from .live import Vocabularies, live
from .nodes import NodeWriter
from .packing import Arrays

FULL = 1 << 15  # a query, a key or a mask of up to so many numbers is kept in full
HINT = (
    "What was computed outside `with mg.record():` was kept only in part, and a weight may stand here "
    "as a later step left it: compute the loss inside."
)
ABSENT = (
    "Input {} of {} has no card, so its numbers cannot be changed here: Python or NumPy made other "
    "arrays of it, which keep theirs."
)
CONSTANTS: dict[str, Any] = {  # of these files: the scripts need them too
    name: getattr(module, name)
    for module, names in (
        (packing, ("DIGITS", "POWERS", "SPECIAL", "BINS", "SUMMARY")),
        (cards, ("WRITTEN_OUT", "IN_A_ROW")),
        (elements, ("TIGHT", "MOST_TERMS", "LONG", "WHOLE", "FOLDS")),
    )
    for name in names
}


@checked
@dataclasses.dataclass(frozen=True)
class Extras:
    """Parts that a program adds to its pages.

    Attributes:
        sections: further tabs of the page, by their titles, in HTML that is put in unchanged.
        lessons: by its number such as "06", the title and the address of each lesson that a docstring
            may name, for links.
        purposes: titles and sentences of the chapters about parts of the model, by patterns of their
            paths such as "encoder.*.norm". The other chapters take theirs from docstrings.
        another: data with which the model reads another line, which is typed in a section: in an
            element with the id "another". Left out if a page cannot compute as much.
        notes: sentences above the drawing.
    """

    sections: Mapping[str, str] = dataclasses.field(default_factory=dict)
    lessons: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    purposes: chapters.Purposes = dataclasses.field(default_factory=dict)
    another: AnotherLine | None = None
    notes: Sequence[str] = ()


@dataclasses.dataclass(frozen=True)
class PageOptions:
    """The settings of a page, beside its graph; `explore` says what each is for.

    `opens` is its `step`; `proof` tells what other runs of a function have shown.
    """

    title: str
    opens: int
    proof: Proof | None
    letters: Mapping[str, int]
    labels: Mapping[str, Sequence[str]]
    tokens: Tokens
    vocabularies: Vocabularies
    extras: Extras


def content(
    graph: GraphData,
    options: PageOptions,
    budget: int,
    progress: Callable[[str], None] = lambda part: None,
) -> dict[str, Any]:
    """Everything that the page of `graph` needs to know.

    `budget` is how many characters its arrays may take; `progress` is told of each part that begins.
    The scripts read these keys as `data.KEY`; `test_content.py` holds them equal to the keys that are
    read. Lists refer to each other by place, and a node is named by its number:

        title: of the page
        opens: the step at which it opens
        labels: what stands along a dimension, by its letter
        notes: sentences on what the page cannot show
        about: how many nodes of each kind there are, as a text
        roots: the results from which the way back starts
        nodes: every tensor, as `NodeWriter.node` writes it
        edges: one for each argument of an operation, as `NodeWriter.edge` writes it
        boxes: every call of a module or a definition, by its number
        chapters: parts of the computation in the order in which it runs; see `chapters`
        rules: the rules of derivatives that nodes and edges name by place; see `nodes.Rules`
        constants: constants of Python files that the scripts need too
        signs: how operators are written and how they bind; see `text/elements.py`
        forward: the operations in the order of the time line
        backward: the nodes that a gradient reaches, in that order
        views: the drawings, the whole first; see `drawings`
        maps: the attention maps; see `attention`
        files: the lines of code that asked for operations; see `source_files`
        checked: whether gradients were checked by finite differences
        live: the tape with which the page computes the graph again, or why it cannot; see `live`
        another: the tape that reads another line, or None; see `another_line`
        arrays: all numbers, packed, which the others name by place; see `packing`
    """
    progress("its script")
    arrays, parts = Arrays(budget), switches.places(graph)
    script, frozen = _script(graph, parts)
    progress("its drawings")
    views = drawings.drawings(graph)
    maps = _maps(graph, options.tokens, arrays)
    progress("its gradients checked")
    checks = {} if frozen else replay.checks(script)
    writer = NodeWriter(script, arrays, options.letters, checks)
    progress("its nodes")
    nodes = [writer.node(node) for node in graph.nodes]
    progress("its edges")
    edges = [writer.edge(edge) for edge in graph.edges]
    computing = (
        {"live": {"frozen": frozen}, "another": None}
        if frozen
        else _computing(script, parts, arrays, options)
    )
    progress("its arrays")
    return {
        **_outline(graph, options, views),
        "nodes": nodes,
        "edges": edges,
        "boxes": _boxes(graph),
        "chapters": chapters.chapters(graph, options.extras.lessons, options.extras.purposes),
        "rules": writer.rules.data(),
        "constants": CONSTANTS,
        "signs": {name: sign._asdict() for name, sign in elements.SIGNS.items()},
        "forward": [n.number for n in graph.nodes if n.kind == "operation"],
        "backward": [n.number for n, _ in graph.way_back],
        "views": views,
        "maps": maps,
        "files": writer.files.as_data(),
        "checked": bool(checks),
        **computing,
        "arrays": arrays.packed(),
    }


def _script(graph: GraphData, parts: Mapping[str, list[switches.Bypass]]) -> tuple[Script, str]:
    """The script of the graph, and ""; or, if the graph cannot be computed again, a script of the arrays
    that were kept, and the reason."""
    instead = dict(place for places in parts.values() for place in places)
    with np.errstate(all="ignore"):
        try:
            return Script(graph, follow_numbers=True, instead=instead).with_way_back(), ""
        except GraphError as problem:
            return Script(graph, forward=False).with_way_back(), words.visible(str(problem))


def _maps(graph: GraphData, tokens: Tokens, arrays: Arrays) -> list[dict[str, Any]]:
    """The attention maps. The page multiplies queries and keys itself, so it has them in full."""
    maps = attention.maps(graph, tokens)
    for one in maps:
        for side in ("query", "key", "mask"):
            value = None if one[side] is None else graph[one[side]].value
            arrays.add(value, full=value is not None and value.size <= FULL)
    return maps


def _computing(
    script: Script,
    parts: Mapping[str, list[switches.Bypass]],
    arrays: Arrays,
    options: PageOptions,
) -> dict[str, Any]:
    """The two tapes of a page: `live` computes its graph again, `another` reads another line."""
    another = options.extras.another
    return {
        "live": live(script, parts, arrays, options.vocabularies, options.proof),
        "another": another_line(another, arrays) if another else None,
    }


def _outline(
    graph: GraphData, options: PageOptions, views: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The facts of the computation as a whole."""
    notes = [*options.extras.notes, *([] if graph.recorded else [HINT])]
    if any("size" not in view for view in views):
        notes.append(drawings.NO_ENGINE)
    if options.proof is not None:
        notes += [ABSENT.format(i + 1, options.proof.inputs) for i in options.proof.absent]
    return {
        "title": options.title,
        "opens": options.opens,
        "labels": {letter: list(map(str, names)) for letter, names in options.labels.items()},
        "notes": notes,
        "about": listing.counts(graph),
        "roots": list(graph.roots),
    }


def _boxes(graph: GraphData) -> dict[int, dict[str, Any]]:
    """Every call of a module or a definition, by its number."""
    return {
        box.number: {
            "path": box.path or box.title,
            "parent": box.parent,
            "title": words.visible(box.title),
            "about": box.about,
        }
        for box in graph.boxes
    }
