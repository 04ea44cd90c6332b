"""A graph as one straight-line NumPy program: the forward pass, and the backward pass by hand.

    with mg.record():
        loss = np.sum(np.tanh(x @ w))
    print(mg.graph(loss).program())

The rules of the table are plain NumPy. Called on arrays they compute; called here on `Symbol`s, which
note what is done to them, they write down the very operations that a backward pass is made of. These
are written as a person would write them, where that gives the same bits. What cannot be traced in
this way, such as a function that fills an array in place, stays a function, and its source stands at
the head of the program.
"""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ... import errors
from ...engine.kinds import checked
from ...ran import words
from ...ran.data import GraphData, GraphNode
from ...script.arrays import uniform
from ...script.script import Script
from ...script.symbols import Symbol
from ...system.disk import write_whole
from .literals import number_as_code
from .notation import Notation, bracketed, needs_arrays
from .written import FreshNames, Functions

NAME = "forward_and_backward"
WIDTH = 92  # of a line of the program
LONG = 60  # an expression inside another is given a name if it has more characters


@dataclasses.dataclass(frozen=True, eq=False)
class Program:
    """A forward and a backward pass, written out: its text, and the arrays it is to be run on.

    Attributes:
        source: the program. It defines the function `forward_and_backward`, and needs NumPy alone.
        inputs: the arguments of that function, by name: parameters, data, drawn dropout masks.
        title: the name of what it computes.
    """

    source: str
    inputs: dict[str, np.ndarray]
    title: str = ""

    def __str__(self) -> str:
        return self.source

    __repr__ = __str__

    def run(self, **inputs: Any) -> tuple[Any, dict[str, np.ndarray]]:
        """The result, and the gradients by the names of the inputs; `inputs` replaces some of these.

        Raises:
            ConfigError: for a name that is not among the inputs.
        """
        unknown = sorted(inputs.keys() - self.inputs.keys())
        if unknown:
            raise errors.ConfigError(
                f"the program has no input {', '.join(unknown)}; it has {', '.join(self.inputs)}"
            )
        space: dict[str, Any] = {}
        exec(compile(self.source, f"<program of {self.title}>", "exec"), space)
        return space[NAME](**{**self.inputs, **inputs})

    @checked
    def write(self, path: str | os.PathLike) -> Path:
        """Write the text to the file `path`, and return that."""
        path = Path(path)
        write_whole(path, lambda file: file.write(self.source.encode()))
        return path


def program(graph: GraphData) -> Program:
    """The computation of `graph` and its gradients, as a program.

    Raises:
        GraphError: if the graph has several roots or one without a gradient, if values were not kept,
            or if a leaf was given new values in between.
    """
    with np.errstate(all="ignore"):
        return _ProgramNotation(graph).program()


# --- the program ----------------------------------------------------------------------------------


@dataclasses.dataclass
class _Line:
    """`name = code`, with a comment; `code` may still have to be made an array of."""

    name: str
    code: str
    comment: str = ""


class _ProgramNotation(Notation):
    """Writes one program: the lines of a script, folded into as few as a person would write."""

    exact = True

    def __init__(self, graph: GraphData):
        self.graph = graph
        self.root = _only_root(graph)
        self.script = Script(graph)
        self.names = FreshNames(NAME)
        self.named: dict[int, str] = {}  # by the ids of symbols
        self.node_names: dict[int, str] = {}
        self.inputs: dict[str, np.ndarray] = {}
        self.notes: dict[str, str] = {}  # what is said of an input
        self.constants: dict[int, str] = {}  # the names of arrays that are no nodes, by their ids
        self.lines: list[_Line | str] = []
        self.arrays: set[str] = set()  # results without dimensions that must be arrays
        self.functions = Functions(self.names)
        self.uses: Counter[int] = Counter()

    def program(self) -> Program:
        self._name_all()
        self._forward()
        gradients = self._backward()
        title = words.visible(self.graph[self.root].label) or "the result"
        arguments = [
            f"    {name},  # {note}".rstrip(" #") for name, note in self._arguments() if name
        ]
        returned = [f'        "{name}": {g},' for name, g in gradients.items()]
        lines = [
            f'"""Computes {_docstring(title)} and its gradients: forward, and then back by hand.',
            "",
            "d_x stands for the gradient of the result with respect to x, and t5 for node #5 of the",
            'graph. The shapes are those of the run that this was written from.\n"""',
            "",
            *self.functions.imports(),
            *(f"\n\n{source}" for source in self.functions.sources),
            f"\n\ndef {NAME}(",
            *arguments,
            "):",
            *map(self._rendered, self.lines),
            "",
            f"    return {self.node_names[self.root]}, {{",
            *returned,
            "    }",
        ]
        return Program("\n".join(lines) + "\n", self.inputs, title)

    def _arguments(self) -> Iterator[tuple[str, str]]:
        for name, array in self.inputs.items():
            note = " ".join(filter(None, (words.shape(array.shape), self.notes.get(name, ""))))
            yield name, f"{note} {array.dtype}" if array.dtype.kind != "f" else note

    def _rendered(self, line: _Line | str) -> str:
        if isinstance(line, str):
            return f"    {line}".rstrip()
        code = f"np.asarray({line.code})" if line.name in self.arrays else line.code
        written = f"    {line.name} = {code}"
        if len(written) > WIDTH + 6:
            written = f"    {line.name} = (\n        {code}\n    )"
        fits = line.comment and len(written.splitlines()[-1]) + len(line.comment) < WIDTH
        return f"{written}  # {line.comment}" if fits else written

    # What things are called

    def _name_all(self) -> None:
        for node in self.graph.nodes:
            symbol = self.script.values[node.number]
            if symbol.call is not None:
                self.node_names[node.number] = self.names.new(node.label or f"t{node.number}")
                continue
            name = self.names.new(node.label or self._role(node))
            self.node_names[node.number] = self.named[id(symbol)] = name
            self.inputs[name] = symbol.value
            if node.name.replace(".", "_") not in ("", name):
                self.notes[name] = words.visible(node.name)

    def _role(self, node: GraphNode) -> str:
        """Return a name for an array that has none: what it is, where it is used."""
        if node.kind == "operation":
            return f"t{node.number}"
        box = self.graph.box(node.box) if node.box is not None else None
        where = box.name.removeprefix("np.") if box and box.kind == "definition" else ""
        return f"{where}_{words.role_of(node.dtype)}".lstrip("_")

    def name(self, symbol: Symbol) -> str:
        if symbol.role is not None and symbol.role.kind == "constant":
            return self._constant(symbol.value)
        return self.named.get(id(symbol), "")

    def _constant(self, array: np.ndarray) -> str:
        """The name of an array that is no node of the graph: one more input."""
        if id(array) not in self.constants:
            name = self.constants[id(array)] = self.names.new(words.role_of(array.dtype))
            self.inputs[name] = array
        return self.constants[id(array)]

    # Forward

    def _forward(self) -> None:
        self.lines += ["# --- forward " + "-" * 60]
        place: Any = ()
        for node in self.graph.nodes:
            symbol = self.script.values[node.number]
            if symbol.call is None:
                continue
            if (node.box, node.line) != place:
                self._comments(node, place)
                place = node.box, node.line
            self._assign(self.node_names[node.number], symbol)

    def _comments(self, node: GraphNode, before: Any) -> None:
        self.lines.append("")
        place = self._place(node)
        if place and (not before or before[0] != node.box):
            self.lines.append(f"# {place}")
        if node.line is not None and (not before or before[1] != node.line):
            self.lines.append(f"# {words.visible(words.shortened(str(node.line), WIDTH - 6))}")

    def _place(self, node: GraphNode) -> str:
        if node.box is None:
            return ""
        box = self.graph.box(node.box)
        kind = f": {box.type}" if box.type and box.path else box.type
        return words.visible(f"{box.path}{kind}")

    # Backward

    def _backward(self) -> dict[str, str]:
        """Write the way back; return the names of the gradients of the inputs."""
        self.lines += ["", "# --- backward " + "-" * 59]
        by_input: dict[str, str] = {}
        place: Any = ()
        for node, edges in self.script.back.walk():
            if node.number == self.root:
                self._start(self.script.back.gradients[self.root])
            if self.script.values[node.number].call is None:
                name = self.node_names[node.number]
                by_input[name] = self.named[id(self.script.back.gradients[node.number])]
                continue
            if place != node.box:
                place, title = node.box, self._place(node)
                self.lines += ["", f"# back through {title}"] if title else [""]
            for edge in edges:
                before, after = self.script.back.passed[edge][2:]
                new = before is None
                name = self.names.new(f"d_{self.node_names[edge.source]}") if new else ""
                self._assign(name or self.named[id(before)], after)
        return {name: by_input[name] for name in self.inputs if name in by_input}

    def _start(self, start: Symbol) -> None:
        """Name the gradient that the way back starts from: ones, or an input."""
        result = self.node_names[self.root]
        name = self.named[id(start)] = self.names.new(f"d_{result}")
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
        self.lines.append(_Line(name, code, comment))
        self.named[id(symbol)] = name

    def _count(self, symbol: Symbol) -> None:
        """Count how often each operation is used, so that none is written twice."""
        if not self.name(symbol):
            self.uses[id(symbol)] += 1
            if self.uses[id(symbol)] == 1 and symbol.call is not None:
                for operand in symbol.parts:
                    self._count(operand)

    def text(self, value: Any, needed: int | None, whole: bool = False) -> str:
        if not isinstance(value, Symbol) or self.name(value):
            return super().text(value, needed)
        assert value.call is not None
        if needs_arrays(value.call):
            args = value.parts
            named = [self.name(a) for a in args if a.value.ndim == 0]
            self.arrays.update(filter(None, named))
        code, binds = self.expression(value)
        if not whole and (self.uses[id(value)] > 1 or len(code) > LONG):
            name = self.named[id(value)] = self.names.new("part")
            self.lines.append(_Line(name, code))
            return name
        return bracketed(code, binds, needed)

    def array(self, array: np.ndarray) -> str:
        return _written_out(array) or self._constant(array)

    def function(self, function: Any) -> str:
        return self.functions.name(function)


def _only_root(graph: GraphData) -> int:
    """The one root of a graph that a gradient reaches."""
    if len(graph.roots) != 1:
        raise errors.GraphError(
            f"a program goes back from one result, and this graph has {len(graph.roots)}"
        )
    (root,) = graph.roots
    if graph[root].state == "needs none":
        raise errors.GraphError(
            f"no gradient reaches {words.visible(graph[root].label) or 'the result'}, so there is no "
            f"backward pass to write: compute it from a tensor with requires_grad=True"
        )
    return root


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


def _docstring(title: str) -> str:
    return title.replace("\\", "\\\\").replace('"', "'")
