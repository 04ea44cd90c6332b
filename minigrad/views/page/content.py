"""The content of a page, as data that JSON can hold: a function of the graph alone."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import GraphError
from ...ran import words
from ...ran.data import GraphData, GraphEdge, GraphNode
from ...script.script import Script
from ..text import elements, listing, reading
from . import attention, cards, chapters, drawings, packing, replay, switches
from .another_line import AnotherLine, another_line
from .attention import Tokens
from .live import Vocabularies, live
from .packing import Arrays
from .source_files import SourceFiles

LETTERS = re.compile(r"#\s*\(([A-Z0-9., ]+)\)\s*$")  # a comment such as `# (B, T, D)`
FULL = 1 << 15  # numbers that a query, a key or a mask may have to be kept in full
HINT = "What was computed outside `with mg.record():` was not kept, and is not shown."
CONSTANTS: dict[str, Any] = {  # of these files, that the scripts need too
    name: getattr(module, name)
    for module, names in (
        (packing, ("DIGITS", "POWERS", "SPECIAL", "BINS", "SUMMARY")),
        (cards, ("WRITTEN_OUT", "IN_A_ROW")),
        (elements, ("TIGHT", "MOST_TERMS", "LONG", "WHOLE", "FOLDS")),
    )
    for name in names
}


@dataclasses.dataclass(frozen=True)
class PageOptions:
    """The settings of a page, beside its graph; `explore` says what each is for."""

    title: str
    letters: Mapping[str, int]
    labels: Mapping[str, Sequence[str]]
    tokens: Tokens
    vocabularies: Vocabularies
    lessons: Mapping[str, Sequence[str]]
    purposes: chapters.Purposes | None
    another: AnotherLine | None


def content(
    graph: GraphData,
    options: PageOptions,
    budget: int,
    progress: Callable[[str], None] = lambda part: None,
) -> dict[str, Any]:
    """Everything that the page of `graph` needs to know.

    `budget` is how many characters its arrays may take; `progress` is told of each part that begins.
    Lists refer to each other by place, and a node is named by its number:

        title: of the page
        labels: what stands along a dimension, by its letter
        notes: sentences on what the page cannot show
        about: how many nodes of each kind there are, as a text
        roots: the results from which the way back starts
        nodes: every tensor, as `_node` writes it
        edges: one for each argument of an operation, as `_edge` writes it
        boxes: every call of a module or a definition, by its number
        chapters: parts of the computation in the order in which it runs; see `chapters`
        rules: the rules of derivatives that nodes and edges name by place; see `Rules`
        constants: those of the Python files that the scripts need too
        signs: how operators are written and how they bind; see `elements`
        forward: the operations in the order of the time line
        backward: the nodes that a gradient reaches, in that order
        views: the drawings, the whole first; see `drawings`
        maps: the attention maps; see `attention`
        files: the lines of code that asked for operations; see `SourceFiles`
        checked: whether gradients were checked by finite differences
        live: the tape with which the page computes the graph again, or why it cannot; see `live`
        another: the tape that reads another line, or None; see `another_line`
        arrays: all numbers, packed, which the others name by place; see `packing`

    A key more, `opens`, is the step at which the page opens: `explore` adds it.
    """
    progress("its script")
    arrays = Arrays(budget)
    parts = switches.places(graph)
    script, frozen_reason = _script(graph, parts)
    rules = Rules(reading.Formulas(graph, script=script))
    files = SourceFiles(graph)
    progress("its drawings")
    drawn = drawings.drawings(graph)
    maps = _maps(graph, options.tokens, arrays)
    progress("its gradients checked")
    checked = {} if frozen_reason else replay.checks(script)
    progress("its nodes")
    nodes = [_node(graph, n, arrays, rules, files, options.letters, checked) for n in graph.nodes]
    progress("its edges")
    edges = [_edge(graph, e, arrays, rules) for e in graph.edges]
    if frozen_reason:
        computing, another = {"frozen": frozen_reason}, None
    else:
        computing = live(script, parts, arrays, options.vocabularies)
        another = another_line(options.another, arrays) if options.another else None
    progress("its arrays")
    return {
        "title": options.title,
        "labels": {letter: list(map(str, some)) for letter, some in options.labels.items()},
        "notes": _notes(graph, drawn),
        "about": listing.counts(graph),
        "roots": list(graph.roots),
        "nodes": nodes,
        "edges": edges,
        "boxes": _boxes(graph),
        "chapters": chapters.chapters(graph, options.lessons, options.purposes),
        "rules": rules.held(),
        "constants": CONSTANTS,
        "signs": {name: sign._asdict() for name, sign in elements.SIGNS.items()},
        "forward": [n.number for n in graph.nodes if n.kind == "operation"],
        "backward": [n.number for n, _ in graph.way_back],
        "views": drawn,
        "maps": maps,
        "files": files.shown(),
        "checked": bool(checked),
        "live": computing,
        "another": another,
        "arrays": arrays.packed(),
    }


def _maps(graph: GraphData, tokens: Tokens, arrays: Arrays) -> list[dict[str, Any]]:
    """The attention maps, whose queries and keys the page multiplies itself: it has these in full."""
    maps = attention.maps(graph, tokens)
    for found in maps:
        for side in ("query", "key", "mask"):
            value = None if found[side] is None else graph[found[side]].value
            arrays.add(value, full=value is not None and value.size <= FULL)
    return maps


def _notes(graph: GraphData, drawn: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sentences on what the page cannot show."""
    notes = [] if graph.recorded else [HINT]
    if any("size" not in view for view in drawn):
        notes.append(drawings.NO_ENGINE)
    return notes


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


def _script(graph: GraphData, parts: Mapping[str, list[switches.Bypass]]) -> tuple[Script, str]:
    """The script that all of a page is made of, and "", or why the graph cannot be computed again.

    Then the script has the arrays that were kept.
    """
    instead = dict(place for places in parts.values() for place in places)
    with np.errstate(all="ignore"):
        try:
            return Script(graph, numbers=True, instead=instead).with_way_back(), ""
        except GraphError as problem:
            return Script(graph, forward=False).with_way_back(), words.visible(str(problem))


# --- nodes ----------------------------------------------------------------------------------------


def _node(
    graph: GraphData,
    node: GraphNode,
    arrays: Arrays,
    rules: Rules,
    files: SourceFiles,
    letters: Mapping[str, int],
    checked: Mapping[int, replay.Check],
) -> dict[str, Any]:
    """A node by its names, with the numbers of its arrays, its rule and its line of code."""
    called = lambda number: cards.label(graph[number])
    made: dict[str, Any] = {
        "n": node.number,
        "kind": node.kind,
        "label": words.visible(node.label),
        "head": words.shortened(cards.headline(graph, node), cards.LONGEST),
        "made": words.visible(listing.expression(node, called)) if node.kind == "operation" else "",
        "shape": list(node.shape),
        "letters": shape_letters(node, letters),
        "type": str(node.dtype),
        "value": arrays.add(node.value),
        "gradient": arrays.add(node.gradient),
        "state": node.state,
        "box": node.box,
        "kept": node.kept,
    }
    if node.kind == "operation":
        made["op"] = node.operation
        made["rule"] = rules.add(rules.reader.node(node))
        if inspect.isfunction(node.function) and not node.operation.startswith("np."):
            made["about"] = words.first_sentence(node.function.__doc__)
    if node.line is not None:
        made["line"] = {"file": files.number_of(node.line.file), "number": node.line.number}
    check = checked.get(node.number)
    if check is not None and np.isfinite(check[:3]).all():
        said = check._asdict()
        numbers = {name: float(f"{said[name]:.4e}") for name in ("measured", "told", "tolerance")}
        made["check"] = said | numbers | {"ok": check.ok}
    return made


def shape_letters(node: GraphNode, sizes: Mapping[str, int]) -> list[str]:
    """A letter for each axis of a node, "" where none is known.

    The comment at the end of its line of code, such as `# (B, T, D)`, names the axes, as far as it
    agrees with the `sizes` that are known of letters; else the one letter that has an axis's size does.
    """
    letters = [""] * len(node.shape)
    found = LETTERS.search(node.line.text) if node.line is not None else None
    said = [part.strip() for part in found.group(1).split(",")] if found else []
    said = [part for part in said if part]
    if "..." in said[:1] and len(said) - 1 <= len(node.shape):
        said = [""] * (len(node.shape) - len(said) + 1) + said[1:]
    fits = len(said) == len(letters)
    for axis, n in enumerate(node.shape):
        letter = said[axis] if fits else ""
        if letter.isalpha() and sizes.get(letter, n) == n and len(letter) == 1:
            letters[axis] = letter
            continue
        others = [
            k for k, size in sizes.items() if size == n and (n > 1 or (k == "B" and not axis))
        ]
        if len(others) == 1 and (n > 1 or len(node.shape) > 1):
            letters[axis] = others[0]
    return letters


# --- the backward pass ----------------------------------------------------------------------------


def _edge(graph: GraphData, e: GraphEdge, arrays: Arrays, rules: Rules) -> dict[str, Any]:
    """A `GraphEdge` by its names, without what is None.

    One that is differentiable has the number of its `rule`; and `passed` with the numbers of its arrays,
    `given` only where that was summed.
    """
    made: dict[str, Any] = {"source": e.source, "target": e.target, "position": e.position}
    if e.item is not None:
        made["item"] = e.item
    made["argument"] = e.argument
    if not e.differentiable:
        return made
    made["rule"] = rules.add(rules.reader.edge(e))
    if e.copied:
        made["copied"] = list(e.copied)
    if e.passed is not None:
        given, fitted = e.passed.given, e.passed.fitted
        summed = given is not None and fitted is not None and given.shape != fitted.shape
        known = e.passed if summed else e.passed._replace(given=None)  # type: ignore[arg-type]
        numbers = {name: arrays.add(array) for name, array in known._asdict().items()}
        made["passed"] = {name: number for name, number in numbers.items() if number is not None}
    return made


class Rules:
    """Collects the rules of a page for the cases at hand, each once."""

    def __init__(self, reader: reading.Formulas):
        self.reader = reader
        self.places: dict[str, int] = {}

    def add(self, case: reading.Formula) -> int:
        """The number under which the page finds a rule.

        A rule has its `text`, a `note`, and the role and the name of each array that it `reads`.
        """
        said = {
            "text": case.text,
            "note": case.note,
            "reads": [
                {"role": part, "name": case.names[id(s)]}
                for part, s in case.used().items()
                if part != "g"
            ],
        }
        return self.places.setdefault(json.dumps(said), len(self.places))

    def held(self) -> list[Any]:
        return [json.loads(said) for said in self.places]
