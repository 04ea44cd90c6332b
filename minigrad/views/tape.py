"""A graph as a tape: its forward and backward pass as a list of calls that a small interpreter can run.

It is the program of `program`, for a machine in place of a reader: the same rules, called on the same
symbols, and every call written with the few functions that the interpreter has (see `tape_calls`).

What cannot be written so, such as a decomposition, keeps the value that it has: it is fixed, and so is
all that is computed from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..engine import table
from .data import UNKNOWN, Edge, GraphData, GraphNode, Ref
from .symbols import Number, Symbol, equal, follow, undone, write
from .tape_calls import Tape, Unwritten


class Lost(Exception):  # noqa: N818 - an answer, and no error
    """Raised when a graph lacks what it would need to be computed again; the message says what."""


def tape(graph: GraphData, instead: Mapping[int, int] | None = None) -> Tape:
    """The computation of `graph` and its gradients as a tape.

    Args:
        instead: nodes that can be switched off, and the earlier node that stands in the place of each
            then. On the tape that is `np.where(on, node, instead)`, with the rules of `np.where`.

    Raises:
        Lost: if the graph does not hold what computing it again would need, or if a page cannot hold
            one of its arrays.
    """
    with np.errstate(all="ignore"):
        try:
            return _Writer(graph, instead or {}).tape
        except Unwritten as reason:  # an array that a page cannot even hold
            raise Lost(str(reason)) from None


class _Writer:
    """Goes through a graph forwards and back, on symbols, and puts what it meets on a tape."""

    def __init__(self, graph: GraphData, instead: Mapping[int, int]):
        self.graph = graph
        self.instead = instead
        self.gates: dict[int, Symbol] = {}
        self.tape = Tape()
        self.symbols: dict[int, Symbol] = {}
        self.args: dict[int, list[Any]] = {}
        self._forward()
        self._backward()

    def _forward(self) -> None:
        for node in self.graph.nodes:
            if node.kind != "operation":
                self.symbols[node.number] = self._held(node)
                continue
            args = self.args[node.number] = self._arguments(node)
            made = self._made(node, args)
            if node.value is not None and not equal(np.asarray(made.value), node.value):
                raise Lost(
                    f"{node.operation} #{node.number} does not give what it gave: a leaf was given new "
                    f"values in between"
                )
            if node.number in self.instead:
                made = self._gated(node.number, made)
            self.symbols[node.number] = self.tape.name(made)
            self.tape.value[node.number] = self.tape.slot(made)

    def _made(self, node: GraphNode, args: list[Any]) -> Symbol:
        assert node.function is not None
        try:
            return write(node.function, args, node.options)
        except Exception as problem:  # whatever a function does that is called a second time
            raise Lost(
                f"{node.operation} #{node.number} could not be called again: {problem}"
            ) from None

    def _gated(self, number: int, made: Symbol) -> Symbol:
        gate = self.gates[number] = Symbol(np.asarray(True), name="x")
        self.tape.gates[number] = self.tape.hold(gate)
        return write(np.where, [gate, made, self.symbols[self.instead[number]]], {})

    def _held(self, node: GraphNode) -> Symbol:
        if node.value is None:
            raise Lost(f"the value of {node.label or f'#{node.number}'} was not kept")
        held = Symbol(node.value, name="x")
        self.tape.value[node.number] = self.tape.hold(held)
        return held

    def _arguments(self, node: GraphNode) -> list[Any]:
        """The arguments of a node as symbols; of a ufunc, the Python numbers too."""
        args = [self._argument(a, node) for a in node.arguments]
        if isinstance(node.function, np.ufunc):
            for i, a in enumerate(args):
                if isinstance(a, (int, float)) and not isinstance(a, bool):
                    args[i] = Number(a, name="x")
                    slot = self.tape.hold(args[i])
                    self.tape.numbers.setdefault(node.number, {})[i] = slot
        return args

    def _argument(self, argument: Any, node: GraphNode) -> Any:
        if isinstance(argument, Ref):
            return self.symbols[argument.number]
        if isinstance(argument, (list, tuple)):
            return type(argument)([self._argument(a, node) for a in argument])
        if argument is UNKNOWN:
            raise Lost(f"what {node.operation} #{node.number} was called with was not kept")
        return argument

    def _backward(self) -> None:
        tape, places = self.tape, {id(e): i for i, e in enumerate(self.graph.edges)}
        sums = {n: Symbol(self.graph[n].gradient, name="x") for n in self.graph.roots}
        for start in sums.values():
            tape.hold(start)
        for node, edges in self.graph.way_back:
            g = sums[node.number]
            tape.gradient[node.number] = tape.slot(g)
            if node.number in self.gates:
                g = self._through(node.number, g, sums)
            for edge, given in zip(edges, self._given(node, edges, g)):
                fitted = tape.name(undone(given, self.symbols[edge.source]))
                before = sums.get(edge.source)
                after = fitted
                if before is not None:
                    after = tape.name(write(np.add, [before, fitted], {}))
                sums[edge.source] = after
                tape.passed[places[id(edge)]] = [
                    tape.slot(given) if given.shape != fitted.shape else None,
                    tape.slot(fitted),
                    None if before is None else tape.slot(before),
                    tape.slot(after),
                ]

    def _through(self, number: int, g: Symbol, sums: dict[int, Symbol]) -> Symbol:
        """The part of a gradient for a node that can be off; the rest goes to what replaces it."""
        instead = self.instead[number]
        called = [g, self.symbols[number], self.gates[number], g, g]
        by_one, by_other = (follow(rule, called, {}) for rule in table.TABLE[np.where].rules[1:])
        if self.graph[instead].state != "needs none":
            before = sums.get(instead)
            after = by_other if before is None else write(np.add, [before, by_other], {})
            sums[instead] = self.tape.name(after)
        return self.tape.name(by_one)

    def _given(self, node: GraphNode, edges: list[Edge], g: Symbol) -> Iterator[Any]:
        """Yield what the rules of a node give, for each of its edges."""
        made: dict[int, Any] = {}
        for edge in edges:
            i = edge.position
            if i not in made:
                made[i] = self._by_rule(node, node.rules[i], g)
            yield made[i] if edge.item is None else made[i][edge.item]

    def _by_rule(self, node: GraphNode, rule: Any, g: Symbol) -> Any:
        """The result of a rule; with plain numbers, where symbols for them cannot be followed."""
        args = [g, self.symbols[node.number], *self.args[node.number]]
        made = follow(rule, args, node.options)
        if getattr(made, "call", None) and made.call[0] is rule:
            for slot in self.tape.numbers.get(node.number, {}).values():
                self.tape.pinned[slot] = "its rule reads it as a plain number"
            args = [a.value if isinstance(a, Number) else a for a in args]
            made = follow(rule, args, node.options)
        return made
