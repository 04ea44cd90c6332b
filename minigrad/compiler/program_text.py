"""The lines as text: one NumPy program that runs forward, waits for a gradient, and goes back.

    run = program(w, x)
    loss = next(run)
    gradients = run.send(1.0)

With a plan of memory, results are written into buffers. These, and views of them, are the same in all
runs: they are made once, above the function.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..engine import rules
from ..errors import GraphError
from ..script.bodies import body_of
from ..script.symbols import Line, Shape, Symbol, symbols_in
from ..views.text.notation import Notation
from ..views.text.place_comments import BACK, PlaceComments
from ..views.text.program_functions import FreshNames, Functions
from .lowered_script import LoweredScript
from .memory import MemoryPlan, order_of
from .rewritings import LONG_ROW

NAME = "program"
HEAD = '"""Run forward, and yield the result; once its gradient is sent, go back, and yield all."""'


class ProgramText(Notation):
    """The text of a program, and the arrays and functions that it needs beside NumPy.

    Args:
        script: the lines.
        memory: the plan of where results lie; None for plain calls.

    Attributes:
        code: the program; it defines the function `program`.
        space: the arrays and functions that the code names, but does not define.
        setup: statements above that function, for all runs.
        body: the statements of a run.
    """

    def __init__(self, script: LoweredScript, memory: MemoryPlan | None = None):
        self.graph, self.memory, self.notes = script.graph, memory, script.notes
        buffers = memory.buffers if memory is not None else []
        self.fresh = FreshNames(NAME, "part", "row", *(f"b{k}" for k in range(len(buffers))))
        self.functions = Functions(self.fresh)
        self.space: dict[str, Any] = {}
        self.names: dict[int, str] = {}
        self.setup = [f"b{k} = np.empty({n}, np.{t.name})" for k, (t, n) in enumerate(buffers)]
        self.body: list[str] = []
        self.places = PlaceComments(self.graph)
        self.inputs = {id(symbol) for symbol in (*script.inputs, script.start)}
        self.code = self._text(script)

    def _text(self, script: LoweredScript) -> str:
        """Write the whole program, from the imports to the gradients."""
        lines, forward, start = script.lines, script.forward, script.start
        arguments = [f"    {self.name(symbol)}," for symbol in script.inputs]
        for number, line in enumerate(lines[:forward]):
            self._write(number, line, "")
        sent = f"{self.name(start)} = " if start is not None else ""
        self.body += ["", f"{sent}yield {self._leaving(script.ends[0])}"]
        for number, line in enumerate(lines[forward:], forward):
            self._write(number, line, BACK)
        if start is not None:
            self.body += ["", f"yield [{', '.join(map(self._leaving, script.ends[1:]))}]"]
        sources = [f"\n\n{source}" for source in self.functions.sources]
        head = [HEAD, "", *self.functions.imports(), *sources, "", *self.setup]
        body = [f"    {line}".rstrip() for line in self.body]
        return "\n".join([*head, "", "", f"def {NAME}(", *arguments, "):", *body]) + "\n"

    # What things are called

    def name(self, symbol: Symbol) -> str:
        """The name of a symbol, a new one at its first use."""
        if id(symbol) not in self.names:
            name = self.names[id(symbol)] = self.fresh.new(self._wished_name(symbol))
            if not isinstance(symbol, Line) and id(symbol) not in self.inputs:
                self.space[name] = symbol.value
        return self.names[id(symbol)]

    def _wished_name(self, symbol: Symbol) -> str:
        role = symbol.role
        if role is None or role.node is None:
            return "part" if isinstance(symbol, Line) else "constant"
        if role.kind == "constant":
            nodes = map(self.graph.__getitem__, self.graph.made_from(role.node))
            return "drawn" if any(n.known_origin == "draw" for n in nodes) else "constant"
        node = self.graph[role.node]
        label = node.label or (f"t{node.number}" if node.operation else node.role)
        back = role.kind in ("sum", "fitted", "given", "start")
        return f"{label}_part" if role.kind == "part" else f"d_{label}" if back else label

    def literal(self, value: Any, needed: int | None) -> str:
        return super().literal(tuple(value) if isinstance(value, Shape) else value, needed)

    def array(self, array: np.ndarray) -> str:
        if id(array) not in self.names:
            name = "ones" if array.size and (array == 1).all() else "constant"
            self.names[id(array)] = self.fresh.new(name)
            self.space[self.names[id(array)]] = array
        return self.names[id(array)]

    def function(self, function: Any) -> str:
        try:
            return self.functions.name(function)
        except GraphError:  # its source cannot be written
            name = self.fresh.new(getattr(function, "__name__", "function"))
            self.space[name] = function
            return name

    # Lines

    def _write(self, number: int, line: Line, way: str) -> None:
        memory = self.memory
        if memory is not None and memory.is_static(line) and memory.is_view(line):
            self.setup.append(f"{self.name(line)} = {self.expression(line)[0]}")
            return
        self._comment(line, way)
        note = f"  # {self.notes[id(line)]}" if id(line) in self.notes else ""
        if memory is None or not memory.is_written(line):
            self.body.append(f"{self.name(line)} = {self.expression(line)[0]}{note}")
            if memory is not None and not memory.is_view(line) and may_change_shape(line):
                self.body.append(_check(self.name(line), line.value.shape))
        else:
            self.body += [text + note for text in self._into(line, self._array(line, memory))]
        if memory is not None:
            self._forget(number, line, memory)

    def _array(self, line: Line, memory: MemoryPlan) -> str:
        """The name of the array that a result is written into: an operand, or one of its own."""
        storage = memory.storage[id(line)]
        for part in symbols_in(line.call.args):
            if memory.storage.get(id(part)) is storage:
                self.names[id(line)] = self.name(part)
                return self.name(part)
        name = self.name(line)
        statements = self.body if storage.buffer is None else self.setup
        statements.append(f"{name} = {_array_code(line.value, storage.buffer)}")
        return name

    def _into(self, line: Line, out: str) -> Iterator[str]:
        """The statements that write the result of a line into the array `out`."""
        function, args, options, _ = line.call
        if function is np.where:
            if self.text(args[2], 0) != out:
                yield f"np.copyto({out}, {self.text(args[2], 0)})"
            yield f"np.copyto({out}, {self.text(args[1], 0)}, where={self.text(args[0], 0)})"
        elif function is np.reshape:
            yield f"np.copyto({out}.reshape({np.shape(args[0].value)}), {self.text(args[0], 0)})"
        elif function in (np.copy, body_of(rules.astype)):
            yield f'np.copyto({out}, {self.text(args[0], 0)}, casting="unsafe")'
        elif function is body_of(rules.scatter_add):
            yield f"{out}.fill(0)"
            if rules.selects_each_once(args[1]):
                yield f"{out}[{self.text(args[1], None)}] = {self.text(args[0], 0)}"
            else:
                yield self._added(out, *args)
        else:
            code = [self.text(a, 0) for a in args]
            code += [f"{key}={self.text(value, 0)}" for key, value in options.items()]
            yield f"{self.text(function, 0)}({', '.join(code)}, out={out})"

    def _added(self, out: str, values: Symbol, index: Any, shape: tuple[int, ...]) -> str:
        """The statement that adds values at an index, which may select an element twice.

        `np.add.at` takes four times as long for long rows, with the same bits.
        """
        number = getattr(index, "dtype", np.dtype(bool)).kind in "iu"
        if not number or math.prod(shape[1:]) < LONG_ROW:
            return f"np.add.at({out}, {self.text(index, 0)}, {self.text(values, 0)})"
        parts = f"map({out}.__getitem__, np.ravel({self.text(index, 0)}).tolist())"
        rows = f"np.reshape({self.text(values, 0)}, {(-1, *shape[1:])})"
        return f"for part, row in zip({parts}, {rows}): part += row"

    def _forget(self, number: int, line: Line, memory: MemoryPlan) -> None:
        """Let go of results that lie in no buffer, after their last use."""
        new = [p for p in line.parts if isinstance(p, Line) and id(p) not in memory.storage]
        names = dict.fromkeys(self.name(p) for p in new if memory.last[id(p)] == number)
        if names:
            self.body.append(f"del {', '.join(names)}")

    def _leaving(self, end: Symbol) -> str:
        copied = self.memory is not None and id(end) in self.memory.copied
        return f"np.array({self.name(end)})" if copied else self.name(end)

    def _comment(self, line: Line, way: str) -> None:
        """Say which module, and which line of code, the next lines are of."""
        if line.role is not None and line.role.maker is not None:
            node = self.graph[line.role.maker]
            self.body += self.places.above(node.box, node.line, way)


def may_change_shape(line: Line) -> bool:
    """Tell whether the shape of a result may depend on numbers, as that of `x[mask]` does."""
    function, args, _, _ = line.call
    if function is operator.getitem and isinstance(args[0].value, np.ndarray):
        return any(symbol.dtype == bool for symbol in symbols_in(args[1:]))
    return isinstance(line.value, np.ndarray) and not isinstance(function, np.ufunc)


def _check(name: str, shape: tuple[int, ...]) -> str:
    """The statement that ends a run with an error, where a result has another shape than it had."""
    had = f"for these numbers, and had {shape}: compile it for them"
    wrong = f"{name} has the shape {{{name}.shape}} {had}"
    return f'if {name}.shape != {shape}: raise ValueError(f"{wrong}")'


def _array_code(like: Any, buffer: int | None) -> str:
    """Code for an array of the shape, dtype and strides of `like`: in a buffer, or in new memory."""
    like = np.asarray(like)
    order = order_of(like)
    assert order is not None
    shape = tuple([like.shape[k] for k in order])
    code = f"np.empty({shape}, np.{like.dtype.name})"
    if buffer is not None:
        code = f"b{buffer}[:{like.size}].reshape({shape})"
    if order == tuple(range(like.ndim)):
        return code
    return f"{code}.transpose({tuple(np.argsort(order).tolist())})"
