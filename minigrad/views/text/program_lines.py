"""The lines of a program: lines of a script, folded into as few as a person would write, with names."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...ran import words
from ...ran.data import GraphData, GraphNode
from ...script.arrays import uniform
from ...script.script import Script
from ...script.symbols import Line, Symbol
from .literals import number_as_code
from .notation import Notation, bracketed, needs_arrays
from .place_comments import BACK, WIDTH, PlaceComments
from .program_functions import FreshNames, Functions

NAME = "forward_and_backward"
LONG_CODE = 60  # an expression inside another is given a name if it has more characters


@dataclasses.dataclass
class _Assignment:
    """`name = code`, with a comment; at the end, `code` may have to become `np.asarray(code)`."""

    name: str
    code: str
    comment: str = ""


class ProgramLines(Notation):
    """Writes the lines of one program, and collects what they need.

    Attributes:
        lines: each with a name, or the text of a comment.
        inputs: the arrays that no line computes, by their names; `notes`: remarks on them.
        functions: the functions that the lines call, with their sources.
        names: the names of symbols, by their ids; `names_of_nodes`: those of nodes, by their numbers.
    """

    exact = True

    def __init__(self, graph: GraphData):
        self.graph = graph
        self.script = Script(graph)
        self.fresh = FreshNames(NAME)
        self.names: dict[int, str] = {}
        self.names_of_nodes: dict[int, str] = {}
        self.inputs: dict[str, np.ndarray] = {}
        self.notes: dict[str, str] = {}
        self.constants: dict[int, str] = {}  # the names of arrays that are no nodes, by their ids
        self.lines: list[_Assignment | str] = []
        self.arrays: set[str] = set()  # results without dimensions that must be arrays
        self.functions = Functions(self.fresh)
        self.uses: Counter[int] = Counter()
        self._name_all()

    def arguments(self) -> Iterator[tuple[str, str]]:
        """The name of each input, and a remark on its shape, its path and its dtype."""
        for name, array in self.inputs.items():
            note = " ".join(filter(None, (words.shape(array.shape), self.notes.get(name, ""))))
            yield name, f"{note} {array.dtype}" if array.dtype.kind != "f" else note

    def rendered(self) -> Iterator[str]:
        """The lines as text; once all are written, since a later one may need an array of an earlier."""
        for line in self.lines:
            yield f"    {line}".rstrip() if isinstance(line, str) else self._rendered(line)

    def _rendered(self, line: _Assignment) -> str:
        code = f"np.asarray({line.code})" if line.name in self.arrays else line.code
        written = f"    {line.name} = {code}"
        if len(written) > WIDTH:
            written = f"    {line.name} = (\n        {code}\n    )"
        commented = f"{written}  # {line.comment}"
        return commented if line.comment and len(commented.splitlines()[-1]) <= WIDTH else written

    # What things are called

    def _name_all(self) -> None:
        """Give each node a name, and note the nodes that no line computes as inputs."""
        for node in self.graph.nodes:
            symbol = self.script.values[node.number]
            if isinstance(symbol, Line):
                self.names_of_nodes[node.number] = self.fresh.new(node.label or f"t{node.number}")
                continue
            name = self.fresh.new(node.label or self._role(node))
            self.names_of_nodes[node.number] = self.names[id(symbol)] = name
            self.inputs[name] = symbol.value
            if node.name.replace(".", "_") not in ("", name):
                self.notes[name] = words.visible(node.name)

    def _role(self, node: GraphNode) -> str:
        """A name for an array without one, after its use."""
        if node.kind == "operation":
            return f"t{node.number}"
        box = self.graph.box(node.box) if node.box is not None else None
        where = box.name.removeprefix("np.") if box and box.kind == "definition" else ""
        return f"{where}_{words.role_of(node.dtype)}".lstrip("_")

    def name(self, symbol: Symbol) -> str:
        if symbol.role is not None and symbol.role.kind == "constant":
            return self._constant(symbol.value)
        return self.names.get(id(symbol), "")

    def _constant(self, array: np.ndarray) -> str:
        """The name of an array that is no node of the graph: one more input."""
        if id(array) not in self.constants:
            name = self.constants[id(array)] = self.fresh.new(words.role_of(array.dtype))
            self.inputs[name] = array
        return self.constants[id(array)]

    # Forward

    def write_forward(self) -> None:
        """Write the lines of the forward pass, below the places and lines of code that they are of."""
        self.lines += ["# --- forward " + "-" * 60]
        places = PlaceComments(self.graph)
        for node in self.graph.nodes:
            symbol = self.script.values[node.number]
            if isinstance(symbol, Line):
                self.lines += places.above(node.box, node.line)
                self._assign(self.names_of_nodes[node.number], symbol)

    # Backward

    def write_backward(self) -> dict[str, str]:
        """Write the way back; return the names of the gradients of the inputs."""
        self.lines += ["", "# --- backward " + "-" * 59]
        by_input: dict[str, str] = {}
        places, back = PlaceComments(self.graph), self.script.back
        for node, edges in back.walk():
            gradient = back.gradients[node.number]
            if node.number == self.graph.roots[0]:
                self._start(gradient)
            if not isinstance(self.script.values[node.number], Line):
                by_input[self.names_of_nodes[node.number]] = self.names[id(gradient)]
                continue
            self.lines += places.above(node.box, None, BACK)
            for edge in edges:
                before, after = back.passed[edge][2:]
                if before is None:
                    name = self.fresh.new(f"d_{self.names_of_nodes[edge.source]}")
                else:
                    name = self.names[id(before)]
                self._assign(name, after)
        return {name: by_input[name] for name in self.inputs if name in by_input}

    def _start(self, start: Symbol) -> None:
        """Name the gradient that the way back starts from: ones, or an input."""
        result = self.names_of_nodes[self.graph.roots[0]]
        name = self.names[id(start)] = self.fresh.new(f"d_{result}")
        if (start.value == 1).all():
            shape = f"  # {words.shape(start.value.shape)}" if start.value.shape else ""
            self.lines += ["", f"{name} = np.ones_like({result}){shape}"]
        else:
            self.inputs[name] = start.value.copy()

    # Text

    def _assign(self, name: str, symbol: Symbol) -> None:
        self.uses = Counter()
        self._count(symbol)
        code = self.text(symbol, 0, whole=True)
        comment = words.shape(symbol.value.shape) if symbol.value.shape else ""
        self.lines.append(_Assignment(name, code, comment))
        self.names[id(symbol)] = name

    def _count(self, symbol: Symbol) -> None:
        """Count how often each operation is used, so that none is written twice."""
        if not self.name(symbol):
            self.uses[id(symbol)] += 1
            if self.uses[id(symbol)] == 1:
                for operand in symbol.parts:
                    self._count(operand)

    def text(self, value: Any, needed: int | None, whole: bool = False) -> str:
        if not isinstance(value, Line) or self.name(value):
            return super().text(value, needed)
        if needs_arrays(value.call):
            names = [self.name(a) for a in value.parts if a.value.ndim == 0]
            self.arrays.update(filter(None, names))
        code, binds = self.expression(value)
        if not whole and (self.uses[id(value)] > 1 or len(code) > LONG_CODE):
            name = self.names[id(value)] = self.fresh.new("part")
            self.lines.append(_Assignment(name, code))
            return name
        return bracketed(code, binds, needed)

    def array(self, array: np.ndarray) -> str:
        return _written_out(array) or self._constant(array)

    def function(self, function: Any) -> str:
        return self.functions.name(function)


def _written_out(array: np.ndarray) -> str:
    """An array made of nothing but its shape, as code: ones, zeros, one number, 0 1 2 ...; or ""."""
    shape, dtype = words.shape(array.shape), f"np.{array.dtype}"
    if not array.size:
        return f"np.zeros({shape}, {dtype})"
    first = array.flat[0]
    if uniform(array):
        if first in (0, 1) and array.dtype.kind != "b" and not np.signbit(first):
            return f"np.{'ones' if first else 'zeros'}({shape}, {dtype})"
        value = first if array.dtype.kind == "b" else number_as_code(first)
        return f"np.full({shape}, {value}, {dtype})"
    if array.dtype == np.int64 and (array.ravel() == np.arange(array.size)).all():
        return f"np.arange({array.size})" + (f".reshape({shape})" if array.ndim > 1 else "")
    return ""
