"""The script of a graph: its forward pass and its way back, as lines of which each is one call.

    script = Script(graph)
    for symbol in script.lines: ...

The functions of a graph are plain NumPy, and so are their rules. Called on arrays they compute; called
here on `Symbol`s, they become the calls that they are made of. This is the one place where a recorded
graph is written out, forward and (in `way_back`) back.

A line is a symbol: its `call` is one function with its arguments, other lines among them, and its `role`
says what it is in the graph; a part of an expression has none. What no line computes is held: leaves,
constants, the gradient that the way back starts from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any

import numpy as np

from ..arrays.identity import equal
from ..errors import GraphError
from ..ran import words
from ..ran.data import UNKNOWN, GraphData, GraphNode, Ref
from .arrays import stand_in
from .roles import Role
from .symbols import REFUSALS, Line, Number, Symbol, alias, noted, plain, replaced, simplest
from .way_back import WayBack


class Script:
    """The forward pass of a graph on symbols; `back` has its way back.

    Args:
        graph: may be a part of another; what lies outside is held then.
        follow_numbers: make symbols of the Python numbers among the arguments of ufuncs, too.
        instead: nodes that can be switched off, and the earlier node that stands in the place of each
            then: `np.where(on, node, instead)`, with the rules of `np.where`.
        forward: compute the values of the nodes. If not, they are held, and ones of its shape stand for
            a value that was not kept.

    Attributes:
        lines: one for each call, after the lines of its arguments; the first `ahead` are forward.
        results: the result of each node's function, by number: the value of a node that cannot be off.
        values: the values of nodes, by number.
        numbers: the symbols of Python numbers, by the number of the node and the position.
        gates: the symbols of booleans that say whether a node is on, by its number.
        back: the way back, which is written once it is walked.

    Raises:
        GraphError: if something is missing to compute the graph again, or if its numbers are others now.
    """

    def __init__(
        self,
        graph: GraphData,
        *,
        follow_numbers: bool = False,
        instead: Mapping[int, int] | None = None,
        forward: bool = True,
    ):
        self.graph = graph
        self.instead = instead or {}
        self.forward = forward
        self.lines: list[Line] = []
        self.results: dict[int, Symbol] = {}
        self.values: dict[int, Symbol] = {}
        self.numbers: dict[int, dict[int, Number]] = {}
        self.gates: dict[int, Symbol] = {}
        self.follow_numbers = follow_numbers
        self._constants: dict[int, Symbol] = {}  # by the ids of arrays
        self._written: set[int] = set()  # the ids of symbols that are lines
        self._args: dict[int, list[Any]] = {}
        for node in graph.nodes:
            self._write_value(node)
        self.ahead = len(self.lines)
        self.back = WayBack(self)

    def with_way_back(self) -> Script:
        """This script, with its way back written to the end."""
        if not self.back.gradients:
            for _ in self.back.walk():
                pass
        return self

    def with_role(self, symbol: Symbol, role: Role) -> Symbol:
        """Give a symbol its role: its call becomes a line, after those that it is made of."""
        if symbol.role is not None:  # it has another one
            symbol = noted(alias, symbol)
        self._write(symbol)
        symbol.role = role
        return symbol

    def _write(self, symbol: Symbol) -> None:
        """Add the line of a symbol, after those of its parts; once, and not if it has a role already."""
        new = symbol.role is None and id(symbol) not in self._written
        if new and isinstance(symbol, Line):
            for part in symbol.parts:
                self._write(part)
            self._written.add(id(symbol))
            self.lines.append(symbol)

    # Forward

    def _write_value(self, node: GraphNode) -> None:
        """Write the lines of a node's value; if it is not computed, hold the value itself."""
        if node.kind != "operation" or node.outside or not self.forward:
            self.values[node.number] = self._held(node)
            return
        value = self.results[node.number] = self.result(node)
        if node.value is not None and not equal(np.asarray(value.value), node.value):
            raise GraphError(self._why_another(node))
        if node.number in self.instead:
            gate = Symbol(np.asarray(True), role=Role("gate", node.number))
            self.gates[node.number] = gate
            other = self.values[self.instead[node.number]]
            other = other if other.dtype == value.dtype else other.astype(value.dtype)
            value = simplest(np.where, [gate, value, other], {})
        value = self.with_role(value, Role("value", node.number))
        value.value = np.asarray(value.value)
        self.values[node.number] = value

    def _why_another(self, node: GraphNode) -> str:
        """Say why a node does not give what it gave: a function before it may draw random numbers."""
        for before in (self.graph[number] for number in self.results):
            args = plain(self.arguments(before))
            again = before.function(*args, **before.options)  # type: ignore[misc]
            if not equal(np.asarray(again), np.asarray(self.results[before.number].value)):
                return (
                    f"{_name(before)} gives other numbers each time, for the same arguments: give it "
                    f"random numbers as one of them, such as mg.random.drawn(lambda rng: "
                    f"rng.normal(size={before.shape}))"
                )
        return (
            f"{_name(node)} does not give what it gave: a leaf was given new values while the "
            f"result was being computed"
        )

    def result(self, node: GraphNode) -> Symbol:
        """The symbol that the function of a node gives, with the calls that it is made of.

        Raises:
            GraphError: if the function cannot be called again.
        """
        if node.number in self.results:
            return self.results[node.number]
        assert node.function is not None
        try:
            with np.errstate(all="ignore"):
                result = simplest(node.function, self.arguments(node), node.options)
        except REFUSALS as problem:
            raise GraphError(f"{_name(node)} could not be called again: {problem}") from None
        if not isinstance(result, Symbol):
            raise GraphError(
                f"what {_name(node)} computed was not seen: compute inside `with mg.record():`, where "
                f"a compiled function runs as it is"
            )
        return result

    def _held(self, node: GraphNode) -> Symbol:
        """The symbol of a node that no line computes.

        Raises:
            GraphError: if its value is needed, and was not kept.
        """
        value = node.value
        if value is None and not self.forward:
            value = stand_in(node.shape, node.dtype)
        if value is None:
            name = words.visible(node.label) or node.role
            raise GraphError(
                f"the value of node #{node.number}, {name}, was not kept: compute inside "
                f"`with mg.record():`"
            )
        return Symbol(value, role=Role("leaf", node.number))

    def arguments(self, node: GraphNode) -> list[Any]:
        """The arguments of a node as symbols; perhaps also the Python numbers among those of a ufunc."""
        if node.number not in self._args:
            args = [self._argument(a, node) for a in node.arguments]
            if self.follow_numbers and isinstance(node.function, np.ufunc):
                for i, a in enumerate(args):
                    if isinstance(a, (int, float)) and not isinstance(a, bool):
                        number = Number(a, role=Role("number", node.number, i))
                        args[i] = self.numbers.setdefault(node.number, {})[i] = number
            self._args[node.number] = args
        return self._args[node.number]

    def _argument(self, argument: Any, node: GraphNode) -> Any:
        """An argument of a node with symbols in place of other nodes and of arrays."""
        if isinstance(argument, Ref):
            return self.values[argument.number]
        if isinstance(argument, (list, tuple)):
            return type(argument)([self._argument(a, node) for a in argument])
        if isinstance(argument, np.ndarray):
            if id(argument) not in self._constants:
                self._constants[id(argument)] = Symbol(argument, role=Role("constant"))
            return self._constants[id(argument)]
        if argument is UNKNOWN and self.forward:
            raise GraphError(
                f"what {_name(node)} was called with was not kept: compute inside "
                f"`with mg.record():`"
            )
        return argument


def compute(
    lines: Iterable[Line], values: MutableMapping[int, Any], by: Callable | None = None
) -> None:
    """Compute lines with other numbers.

    Args:
        values: the arrays of symbols, by id; those of the lines are added. Any other symbol has its own
            array.
        by: called with each function, its arguments and its options, in place of the function.
    """
    array = lambda symbol: values.get(id(symbol), symbol.value)
    for line in lines:
        function = line.call.function
        args, options = replaced(line.call.args, array), replaced(line.call.options, array)
        values[id(line)] = by(function, args, options) if by else function(*args, **options)


def _name(node: GraphNode) -> str:
    """The name of a node in messages, such as `np.exp #3`."""
    return f"{node.operation} #{node.number}"
