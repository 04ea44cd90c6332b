"""The nodes and edges of a page as data: their names, numbers of arrays, rules and lines of code."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...ran import words
from ...ran.data import GraphEdge, GraphNode
from ...script.script import Script
from ..text import reading
from ..text.expressions import expression
from . import cards, replay
from .packing import Arrays
from .source_files import SourceFiles

LETTERS = re.compile(r"#\s*\(([A-Z0-9., ]+)\)\s*$")  # a comment such as `# (B, T, D)`


class Rules:
    """Collects the rules of a page for the cases at hand, each once."""

    def __init__(self, reader: reading.Formulas):
        self.reader = reader
        self.places: dict[str, int] = {}  # of each rule, by its JSON

    def add(self, case: reading.Formula) -> int:
        """The number under which the page finds a rule.

        A rule has its `text`, a `note`, and the role and the name of each array that it `reads`.
        """
        reads = [
            {"role": part, "name": case.names[id(s)]}
            for part, s in case.used().items()
            if part != "g"
        ]
        rule = json.dumps({"text": case.text, "note": case.note, "reads": reads})
        return self.places.setdefault(rule, len(self.places))

    def data(self) -> list[Any]:
        """The rules, in the order of their numbers."""
        return [json.loads(rule) for rule in self.places]


class NodeWriter:
    """Writes the nodes and edges of a page, and collects what they name by number.

    Args:
        script: of the graph.
        arrays: gets the values and gradients.
        sizes: of dimensions, by their letters.
        checks: of gradients, by the numbers of nodes.

    Attributes:
        rules: the rules that nodes and edges name; `files`: the lines of code that nodes name.
    """

    def __init__(
        self,
        script: Script,
        arrays: Arrays,
        sizes: Mapping[str, int],
        checks: Mapping[int, replay.Check],
    ):
        self.graph = script.graph
        self.arrays = arrays
        self.sizes = sizes
        self.checks = checks
        self.rules = Rules(reading.Formulas(self.graph, script=script))
        self.files = SourceFiles(self.graph)

    def node(self, node: GraphNode) -> dict[str, Any]:
        """A node by its names, with the numbers of its arrays, its rule and its line of code.

        It has these keys:

            n, kind, state, box, kept: `number` and the others of a `GraphNode`
            label: its name, or ""
            head: the first line of its card
            made: what made it, as code
            shape, letters, type: of the array; a letter for each axis, "" where none is known
            value, gradient: the numbers of the arrays, or None
            op, rule, about: of an operation: its name, its rule, the first sentence of its docstring
            line: the file and the line of code, where these are known
            check: its gradient against finite differences, as `_check` gives it
        """
        is_operation = node.kind == "operation"
        data: dict[str, Any] = {
            "n": node.number,
            "kind": node.kind,
            "label": words.visible(node.label),
            "head": words.shortened(cards.headline(self.graph, node), cards.LONGEST),
            "made": words.visible(expression(node, self._called)) if is_operation else "",
            "shape": list(node.shape),
            "letters": shape_letters(node, self.sizes),
            "type": str(node.dtype),
            "value": self.arrays.add(node.value),
            "gradient": self.arrays.add(node.gradient),
            "state": node.state,
            "box": node.box,
            "kept": node.kept,
        }
        if is_operation:
            data |= self._operation(node)
        if node.line is not None:
            file = self.files.number_of(node.line.file)
            data["line"] = {"file": file, "number": node.line.number}
        check = self.checks.get(node.number)
        if check is not None and np.isfinite(check[:3]).all():
            data["check"] = _check(check)
        return data

    def _called(self, number: int) -> str:
        return cards.label(self.graph[number])

    def _operation(self, node: GraphNode) -> dict[str, Any]:
        """The facts of an operation: its name, its rule, and the docstring of a Python function."""
        data = {"op": node.operation, "rule": self.rules.add(self.rules.reader.node(node))}
        if inspect.isfunction(node.function) and not node.operation.startswith("np."):
            data["about"] = words.first_sentence(node.function.__doc__)
        return data

    def edge(self, e: GraphEdge) -> dict[str, Any]:
        """A `GraphEdge` by its names, without fields that are None.

        A differentiable edge has the number of its `rule`, and in `passed` the numbers of its arrays. Of
        these, `given` is left out if it was not summed.
        """
        data: dict[str, Any] = {"source": e.source, "target": e.target, "position": e.position}
        if e.item is not None:
            data["item"] = e.item
        data["argument"] = e.argument
        if not e.differentiable:
            return data
        data["rule"] = self.rules.add(self.rules.reader.edge(e))
        if e.copied:
            data["copied"] = list(e.copied)
        if e.passed is not None:
            given, fitted = e.passed.given, e.passed.fitted
            summed = given is not None and fitted is not None and given.shape != fitted.shape
            arrays = e.passed if summed else e.passed._replace(given=None)  # type: ignore[arg-type]
            numbers = {name: self.arrays.add(array) for name, array in arrays._asdict().items()}
            data["passed"] = {name: n for name, n in numbers.items() if n is not None}
        return data


def _check(check: replay.Check) -> dict[str, Any]:
    """A check as data: its numbers to five digits, and whether it is `ok`."""
    numbers = check._asdict()
    for name in ("measured", "predicted", "tolerance"):
        numbers[name] = float(f"{numbers[name]:.4e}")
    return numbers | {"ok": check.ok}


def shape_letters(node: GraphNode, sizes: Mapping[str, int]) -> list[str]:
    """A letter for each axis of a node, "" where none is known.

    The comment at the end of its line of code, such as `# (B, T, D)`, names an axis, if the letter has
    no other size in `sizes`. Otherwise an axis gets the letter of its size, if only one has this size.
    """
    in_comment = _letters_in_comment(node)
    letters = [""] * len(node.shape)
    for axis, n in enumerate(node.shape):
        letter = in_comment[axis] if len(in_comment) == len(node.shape) else ""
        if letter.isalpha() and sizes.get(letter, n) == n and len(letter) == 1:
            letters[axis] = letter
            continue
        of_this_size = [
            k for k, size in sizes.items() if size == n and (n > 1 or (k == "B" and not axis))
        ]
        if len(of_this_size) == 1 and (n > 1 or len(node.shape) > 1):
            letters[axis] = of_this_size[0]
    return letters


def _letters_in_comment(node: GraphNode) -> list[str]:
    """The letter of each axis in the comment of a node's line; `...` stands for as many as are left."""
    comment = LETTERS.search(node.line.text) if node.line is not None else None
    letters = [part.strip() for part in comment[1].split(",")] if comment else []
    letters = [letter for letter in letters if letter]
    if "..." in letters[:1] and len(letters) - 1 <= len(node.shape):
        return [""] * (len(node.shape) - len(letters) + 1) + letters[1:]
    return letters
