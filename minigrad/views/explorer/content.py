"""The content of a page, as data that JSON can hold: a function of the graph alone."""

from __future__ import annotations

import inspect
import json
import linecache
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import cases, elements, listing, text
from ..data import Edge, GraphData, GraphNode
from . import attention, chapters, replay, views
from .attention import Tokens
from .live import Symbols, live
from .packing import Arrays

WHOLE = 150  # lines of a file, up to which all of it is shown
AROUND = 7  # lines before and after one that is
LETTERS = re.compile(r"#\s*\(([A-Z0-9., ]+)\)\s*$")  # a comment such as `# (B, T, D)`
FULL = 1 << 15  # numbers that a query, a key or a mask may have to be kept in full
HINT = "What was computed outside `with mg.record():` was not kept, and is not shown."


def content(
    graph: GraphData,
    title: str,
    letters: Mapping[str, int] | None,
    labels: Mapping[str, Sequence[str]],
    tokens: Tokens | None,
    symbols: Symbols | None,
    lessons: Mapping[str, Sequence[str]],
    budget: int,
) -> dict[str, Any]:
    """Everything that the page of `graph` needs to know.

    `nodes`, `edges`, `rules`, `arrays`, `files` and `views` are lists that refer to each other by
    place; `forward` and `backward` are the numbers of the nodes in the order of the time line.
    """
    arrays = Arrays(budget)
    rules = Rules()
    files = _Files(graph)
    drawn = views.views(graph)
    maps = attention.maps(graph, tokens)
    for found in maps:  # the page multiplies queries and keys itself
        for side in ("query", "key", "mask"):
            value = None if found[side] is None else graph[found[side]].value
            arrays.add(value, full=value is not None and value.size <= FULL)
    checked = replay.checks(graph)
    nodes = [_node(graph, n, arrays, rules, files, letters or {}, checked) for n in graph.nodes]
    edges = [_edge(graph, e, arrays, rules) for e in graph.edges]
    computing = live(graph, arrays, symbols)
    notes = [] if graph.recorded else [HINT]
    if any("size" not in view for view in drawn):
        notes.append(views.NO_ENGINE)
    return {
        "title": title,
        "labels": {letter: list(map(str, some)) for letter, some in labels.items()},
        "notes": notes,
        "about": listing.counts(graph),
        "roots": list(graph.roots),
        "nodes": nodes,
        "edges": edges,
        "boxes": {
            b.number: [b.path or b.title, b.parent, text.visible(b.title), b.about]
            for b in graph.boxes
        },
        "chapters": chapters.chapters(graph, lessons),
        "rules": rules.held(),
        "forward": [n.number for n in graph.nodes if n.kind == "operation"],
        "backward": [n.number for n, _ in graph.way_back],
        "views": drawn,
        "maps": maps,
        "files": files.shown(),
        "checked": bool(checked),
        "live": computing,
        "arrays": arrays.packed(),
    }


# --- nodes ----------------------------------------------------------------------------------------


def _node(
    graph: GraphData,
    node: GraphNode,
    arrays: Arrays,
    rules: Rules,
    files: _Files,
    letters: Mapping[str, int],
    checked: Mapping[int, replay.Check],
) -> dict[str, Any]:
    called = lambda number: views.label(graph, graph[number])
    made: dict[str, Any] = {
        "n": node.number,
        "kind": node.kind,
        "label": text.visible(node.label),
        "head": text.shortened(views.headline(graph, node), views.LONGEST),
        "made": text.visible(listing.expression(node, called)) if node.kind == "operation" else "",
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
        made["rule"] = rules.add(cases.of_node(graph, node))
        if inspect.isfunction(node.function) and not node.operation.startswith("np."):
            made["about"] = text.first_sentence(node.function.__doc__)
    if node.line is not None:
        made["line"] = [files.number(node.line.file), node.line.number]
    check = checked.get(node.number)
    if check is not None and np.isfinite(check[:3]).all():
        numbers = [float(f"{x:.4e}") for x in (check.measured, check.told, check.tolerance)]
        made["check"] = [*numbers, check.ok, check.kink]
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


def _edge(graph: GraphData, e: Edge, arrays: Arrays, rules: Rules) -> list[Any]:
    """Source, target, position, item, argument; and of what goes back along it: the rule, what it
    gave where that was summed, the axes summed, the contribution, what had arrived before, the sum."""
    made: list[Any] = [e.source, e.target, e.position, e.item, e.argument]
    if not e.differentiable:
        return made
    given, fitted, before, after = e.passed or (None,) * 4
    summed = given is not None and fitted is not None and given.shape != fitted.shape
    made.append(rules.add(cases.of_edge(graph, e)))
    made += [
        arrays.add(given if summed else None),
        list(e.copied),
        arrays.add(fitted),
        arrays.add(before),
        arrays.add(after),
    ]
    return made


class Rules:
    """Collects the rules of a page for the cases at hand, each once."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def add(self, case: cases.Case) -> int:
        """The number under which the page finds a rule: its text, a note, what each element is made
        of, and the roles and names of what it reads."""
        made_of = case.terms()
        reads = [[role, s.name] for role, s in case.used().items() if role != "g"]
        told = [case.text, case.note, elements.as_data(made_of), reads]
        return self.places.setdefault(json.dumps(told), len(self.places))

    def held(self) -> list[Any]:
        return [json.loads(told) for told in self.places]


# --- lines of code --------------------------------------------------------------------------------


class _Files:
    """The files whose lines asked for an operation, in order of their first use."""

    def __init__(self, graph: GraphData):
        self.lines: dict[str, set[int]] = {}
        for node in graph.nodes:
            if node.line is not None:
                self.lines.setdefault(node.line.file, set()).add(node.line.number)

    def number(self, file: str) -> int:
        return list(self.lines).index(file)

    def shown(self) -> list[dict[str, Any]]:
        """Each file's name, and pieces of it: the number of the first line, and the lines."""
        names = [_name(file) for file in self.lines]
        return [
            {"name": text.visible(name), "pieces": list(_pieces(linecache.getlines(file), used))}
            for name, (file, used) in zip(names, self.lines.items())
        ]


def _name(file: str) -> str:
    """The name of a file without its folders; of a cell of a notebook, what it is."""
    name = os.path.basename(file)
    return "a cell" if re.fullmatch(r"\d+\.py", name) and "ipykernel" in file else name


def _pieces(lines: Sequence[str], used: set[int]) -> Iterator[list[Any]]:
    if not lines:
        return
    shown = set(range(1, len(lines) + 1))
    if len(lines) > WHOLE:
        shown &= {k for n in used for k in range(n - AROUND, n + AROUND + 1)}
    first = None
    piece: list[str] = []
    for k in range(1, len(lines) + 2):
        if k in shown:
            first = k if first is None else first
            piece.append(lines[k - 1].rstrip().expandtabs(4))
        elif first is not None:
            yield [first, piece]
            first, piece = None, []
