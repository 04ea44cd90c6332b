"""A graph as one straight-line NumPy program: the forward pass, and the backward pass by hand.

    with mg.record():
        loss = np.sum(np.tanh(x @ w))
    print(mg.graph(loss).program())

The rules of the table are plain NumPy. Called on arrays they compute; called here on `Symbol`s, which
note what is done to them, they write down the very operations that a backward pass is made of. What
cannot be followed in this way, such as a function that fills an array in place, stays a function, and
its source stands at the head of the program.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .. import errors
from ..serialize import write_whole
from . import text
from .data import UNKNOWN, Edge, GraphData, GraphNode, Ref, role_of
from .symbols import Notation, Symbol, bracketed, equal, follow, number, undone, uniform, write
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
    return _Writer(graph).program()


# --- the program ----------------------------------------------------------------------------------


@dataclasses.dataclass
class _Line:
    """`name = code`, with a comment; `code` may still have to be made an array of."""

    name: str
    code: str
    comment: str = ""


class _Writer(Notation):
    """Writes one program: runs through the graph forwards, and back, on symbols."""

    def __init__(self, graph: GraphData):
        self.graph = graph
        self.root = _only_root(graph)
        self.names = FreshNames(NAME)
        self.inputs: dict[str, np.ndarray] = {}
        self.notes: dict[str, str] = {}  # what is said of an input
        self.symbols: dict[int, Symbol] = {}
        self.constants: dict[int, Symbol] = {}  # arrays that are no nodes, by their ids
        self.lines: list[_Line | str] = []
        self.arrays: set[str] = set()  # results without dimensions that must be arrays
        self.functions = Functions(self.names)
        self.uses: Counter[int] = Counter()

    def program(self) -> Program:
        with np.errstate(all="ignore"):
            self._name_all()
            self._forward()
            gradients = self._backward()
        title = text.visible(self.graph[self.root].label) or "the result"
        arguments = [
            f"    {name},  # {note}".rstrip(" #") for name, note in self._arguments() if name
        ]
        result = self.symbols[self.root].name
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
            f"    return {result}, {{",
            *returned,
            "    }",
        ]
        return Program("\n".join(lines) + "\n", self.inputs, title)

    def _arguments(self) -> Iterator[tuple[str, str]]:
        for name, array in self.inputs.items():
            note = " ".join(filter(None, (text.shape(array.shape), self.notes.get(name, ""))))
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
            if self._is_input(node):
                if node.value is None:
                    raise errors.GraphError(
                        f"the value of node #{node.number} {text.visible(node.label)} was not kept, so "
                        f"no program can compute with it: compute inside `with mg.record():`"
                    )
                name = self.names.new(node.label or self._role(node))
                self.inputs[name] = node.value
                if node.name.replace(".", "_") not in ("", name):
                    self.notes[name] = text.visible(node.name)
            else:
                name = self.names.new(node.label or f"t{node.number}")
            self.symbols[node.number] = Symbol(node.value, name=name)

    def _role(self, node: GraphNode) -> str:
        """Return a name for an array that has none: what it is, where it is used."""
        if node.kind == "operation":
            return f"t{node.number}"
        box = self.graph.box(node.box) if node.box is not None else None
        where = box.name.removeprefix("np.") if box and box.kind == "definition" else ""
        return f"{where}_{role_of(node.dtype)}".lstrip("_")

    def _is_input(self, node: GraphNode) -> bool:
        return node.kind != "operation" or node.outside

    # Forward

    def _forward(self) -> None:
        self.lines += ["# --- forward " + "-" * 60]
        place: Any = ()
        for node in self.graph.nodes:
            if self._is_input(node):
                continue
            if (node.box, node.line) != place:
                self._comments(node, place)
                place = node.box, node.line
            args = [self._argument(a) for a in node.arguments]
            if any(a is UNKNOWN for a in args):
                raise errors.GraphError(
                    f"what {node.operation} #{node.number} was called with was not kept: compute inside "
                    f"`with mg.record():`"
                )
            assert node.function is not None
            made = write(node.function, args, node.options)
            value = np.asarray(made.value)
            if node.value is not None and not equal(value, node.value):
                raise errors.GraphError(
                    f"{node.operation} #{node.number} does not give what it gave: a leaf was given new "
                    f"values while the result was being computed"
                )
            name = self.symbols[node.number].name
            self._assign(name, made)
            self.symbols[node.number] = Symbol(value, name=name)

    def _argument(self, argument: Any) -> Any:
        if isinstance(argument, Ref):
            return self.symbols[argument.number]
        if isinstance(argument, (list, tuple)):
            return type(argument)([self._argument(a) for a in argument])
        if isinstance(argument, np.ndarray):
            return self._constant(argument)
        return argument

    def _comments(self, node: GraphNode, before: Any) -> None:
        self.lines.append("")
        place = self._place(node)
        if place and (not before or before[0] != node.box):
            self.lines.append(f"# {place}")
        if node.line is not None and (not before or before[1] != node.line):
            self.lines.append(f"# {text.visible(text.shortened(str(node.line), WIDTH - 6))}")

    def _place(self, node: GraphNode) -> str:
        if node.box is None:
            return ""
        box = self.graph.box(node.box)
        kind = f": {box.type}" if box.type and box.path else box.type
        return text.visible(f"{box.path}{kind}")

    # Backward

    def _backward(self) -> dict[str, str]:
        """Write the backward pass; return the names of the gradients of the inputs."""
        root = self.graph[self.root]
        result = self.symbols[self.root]
        sums = {self.root: self._first(root, result)}
        found: dict[str, str] = {}
        place: Any = ()
        for node, edges in self.graph.way_back:
            g = sums[node.number]
            if self._is_input(node):
                found[self.symbols[node.number].name] = g.name
                continue
            if place != node.box:
                place, title = node.box, self._place(node)
                self.lines += ["", f"# back through {title}"] if title else [""]
            for edge, contribution in self._contributions(node, edges, g):
                before = sums.get(edge.source)
                if before is None:
                    name = self.names.new(f"d_{self.symbols[edge.source].name}")
                    sums[edge.source] = self._assign(name, contribution)
                else:
                    after = write(np.add, [before, contribution], {})
                    sums[edge.source] = self._assign(before.name, after)
        order = [n for n in self.inputs if n in found]
        return {name: found[name] for name in order}

    def _first(self, root: GraphNode, result: Symbol) -> Symbol:
        self.lines += ["", "# --- backward " + "-" * 59]
        name = self.names.new(f"d_{result.name}")
        given = root.gradient
        if given is None and root.shape and math.prod(root.shape) != 1:
            raise errors.GraphError(
                f"the gradients of a result of shape {root.shape} depend on where one starts: call "
                f"backward(gradient) first, or reduce it to one number"
            )
        if given is None or (given == 1).all():
            self.lines.append("")
            return self._assign(name, write(np.ones_like, [result], {}))
        self.inputs[name] = given.copy()
        return Symbol(given, name=name)

    def _contributions(
        self, node: GraphNode, edges: list[Edge], g: Symbol
    ) -> Iterator[tuple[Edge, Symbol]]:
        """Yield what goes back along each edge to a node's arguments, of their shapes and dtypes."""
        args = [self._argument(a) for a in node.arguments]
        y = self.symbols[node.number]
        given: dict[int, Any] = {}
        for edge in edges:
            i = edge.position
            if i not in given:
                rule = node.rules[i]
                assert rule is not None
                made_by = node.operation.rpartition(".")[2].replace("<lambda>", "function")
                name = f"{made_by}_rule_{edge.argument or i}"
                given[i] = follow(rule, [g, y, *args], node.options, name)
            contribution = given[i] if edge.item is None else given[i][edge.item]
            yield edge, undone(contribution, self.symbols[edge.source])

    # Text

    def _assign(self, name: str, made: Symbol) -> Symbol:
        self.uses = Counter()
        self._count(made)
        code = self.text(made, 0, whole=True)
        comment = text.shape(made.value.shape) if made.value.shape else ""
        self.lines.append(_Line(name, code, comment))
        return Symbol(made.value, name=name)

    def _count(self, value: Any) -> None:
        """Count how often each operation is used, so that none is written twice."""
        if isinstance(value, Symbol) and not value.name:
            self.uses[id(value)] += 1
            if self.uses[id(value)] == 1:
                for operand in value.operands():
                    self._count(operand)
        elif type(value) in (list, tuple):
            for v in value:
                self._count(v)

    def text(self, value: Any, needed: int | None, whole: bool = False) -> str:
        if not isinstance(value, Symbol) or value.name:
            return super().text(value, needed)
        if value.fragile:
            named = [v for v in value.operands() if isinstance(v, Symbol) and v.name]
            self.arrays.update(v.name for v in named if v.value.ndim == 0)
        code = super().text(value, None)
        if not whole and (self.uses[id(value)] > 1 or len(code) > LONG):
            value.name = self.names.new("part")
            self.lines.append(_Line(value.name, code))
            return value.name
        return bracketed(code, value.binds, needed)

    def array(self, array: np.ndarray) -> str:
        return _written_out(array) or self._constant(array).name

    def function(self, function: Any) -> str:
        return self.functions.name(function)

    def _constant(self, array: np.ndarray) -> Symbol:
        """An array that is no node of the graph: one more input."""
        if id(array) not in self.constants:
            name = self.names.new(role_of(array.dtype))
            self.inputs[name] = array
            self.constants[id(array)] = Symbol(array, name=name)
        return self.constants[id(array)]


def _only_root(graph: GraphData) -> int:
    """The one root of a graph that a gradient reaches."""
    if len(graph.roots) != 1:
        raise errors.GraphError(
            f"a program goes back from one result, and this graph has {len(graph.roots)}"
        )
    (root,) = graph.roots
    if graph[root].state == "needs none":
        raise errors.GraphError(
            f"no gradient reaches {text.visible(graph[root].label) or 'the result'}, so there is no "
            f"backward pass to write: compute it from a tensor with requires_grad=True"
        )
    return root


def _written_out(array: np.ndarray) -> str:
    """An array made of nothing but its shape, as code: ones, zeros, one number, 0 1 2 ...; or ""."""
    shape, dtype = text.shape(array.shape), f"np.{array.dtype}"
    if not array.size:
        return f"np.zeros({shape}, {dtype})"
    first = array.flat[0]
    if uniform(array):
        if first in (0, 1) and array.dtype.kind != "b" and not np.signbit(first):
            return f"np.{'ones' if first else 'zeros'}({shape}, {dtype})"
        return f"np.full({shape}, {number(first) if array.dtype.kind != 'b' else first}, {dtype})"
    if array.dtype == np.int64 and (array.ravel() == np.arange(array.size)).all():
        return f"np.arange({array.size})" + (f".reshape({shape})" if array.ndim > 1 else "")
    return ""


def _docstring(title: str) -> str:
    return title.replace("\\", "\\\\").replace('"', "'")
