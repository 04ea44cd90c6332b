"""The way back of a script: the lines that compute the gradients, after those of the forward pass."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import table
from ..errors import GraphError
from ..ran.data import GraphEdge, GraphNode, Passed
from .symbols import REFUSALS, Number, Role, Symbol, SymbolCall, plain, simplest, traced, undone

if TYPE_CHECKING:
    from .script import Script


class WayBack:
    """The walk back through the graph of a script, on symbols. It is written while it is walked.

    Attributes:
        gradients: of nodes, by number.
        arrived: for each node the gradient that its rules are given: the part for what is not off.
        passed: the symbols of what goes along each edge, in the order of the walk.
        with_numbers: what the rule of an edge gives with the Python numbers that there are, where that
            is made of other calls: `g * (2 * x)` for x ** 2.
        pinned: numbers that a rule could not be traced with, so that they cannot change.
    """

    def __init__(self, script: Script):
        self.script = script
        self.gradients: dict[int, Symbol] = {}
        self.arrived: dict[int, Symbol] = {}
        self.passed: dict[GraphEdge, Passed] = {}
        self.with_numbers: dict[GraphEdge, Symbol] = {}
        self.pinned: list[Number] = []
        self._traced: set[Any] = set()  # rules, and the forms of arrays for which they were traced

    def walk(
        self, starts: Mapping[int, np.ndarray | None] | None = None
    ) -> Iterator[tuple[GraphNode, list[GraphEdge]]]:
        """Walk back, newest first, and write the lines of each node that a gradient reaches.

        Once these are written, yield the node, and the edges along which the gradient goes on.

        `starts` are the gradients of the roots, by number, if not those that they have.

        Raises:
            GraphError: if a root of several elements has no gradient to start from.
        """
        roots = [self.script.graph[n] for n in self.script.graph.roots]
        known = {root.number: root.gradient for root in roots} | dict(starts or {})
        sums = {r.number: self._start(r, known[r.number]) for r in roots if r.state != "needs none"}
        for node, edges in self.script.graph.way_back:
            g = self.gradients[node.number] = sums[node.number]
            if node.number in self.script.gates:
                g = self._through_gate(node, g, sums)
            self.arrived[node.number] = g
            for edge, given, fitted in self._given(node, edges, g):
                if given is not fitted and given.role is None:
                    given = self.script.with_role(given, Role("given", node.number, edge=edge))
                fitted = self.script.with_role(fitted, Role("fitted", edge.source, edge=edge))
                before = sums.get(edge.source)
                after = fitted
                if before is not None:
                    added = simplest(np.add, [before, fitted], {})
                    after = self.script.with_role(added, Role("sum", edge.source, edge=edge))
                sums[edge.source] = after
                self.passed[edge] = Passed(given, fitted, before, after)
            yield node, edges

    def _start(self, node: GraphNode, gradient: np.ndarray | None) -> Symbol:
        if gradient is None:
            value = self.script.values[node.number].value
            if value.size != 1 and self.script.forward:
                raise GraphError(
                    f"the gradients of a result of shape {node.shape} depend on where one starts: call "
                    f"backward(gradient) first, or reduce it to one number"
                )
            gradient = np.ones_like(value)
        return Symbol(gradient, role=Role("start", node.number))

    def _through_gate(self, node: GraphNode, g: Symbol, sums: dict[int, Symbol]) -> Symbol:
        """The part of a gradient for a node that can be off; the rest goes to what replaces it."""
        instead = self.script.instead[node.number]
        called = [g, self.script.values[node.number], self.script.gates[node.number], g, g]
        by_one, by_other = (traced(rule, called, {}) for rule in table.TABLE[np.where].rules[1:])
        role = Role("sum", instead)
        if self.script.graph[instead].state != "needs none":
            by_other = undone(by_other, self.script.values[instead])  # in its dtype
            before = sums.get(instead)
            after = by_other if before is None else simplest(np.add, [before, by_other], {})
            sums[instead] = self.script.with_role(after, role)
        return self.script.with_role(by_one, Role("sum", node.number))

    def _given(
        self, node: GraphNode, edges: list[GraphEdge], g: Symbol
    ) -> Iterator[tuple[GraphEdge, Symbol, Symbol]]:
        """Yield what the rules of a node give, for each of its edges; and that with broadcasting undone.

        Where arrays stand for others, a rule may refuse them: its call is noted then, and not computed.
        """
        by_position: dict[int, tuple[Any, Any]] = {}
        for edge in edges:
            i, source = edge.position, self.script.values[edge.source]
            try:
                if i not in by_position:
                    by_position[i] = self._by_rule(node, edge, g)
                given, with_numbers = (
                    every if edge.item is None else every[edge.item] for every in by_position[i]
                )
                if not same_calls(given, with_numbers):
                    self.with_numbers[edge] = with_numbers
                fitted = undone(given, source)
            except REFUSALS as problem:
                if self.script.forward:
                    raise GraphError(
                        f"a rule of {node.operation} #{node.number} failed: {problem}"
                    ) from None
                args = (g, self.script.values[node.number], *self.script.arguments(node))
                given = fitted = Symbol(source.value, SymbolCall(node.rules[i], args, node.options))  # type: ignore[arg-type]
            yield edge, given, fitted

    def _by_rule(self, node: GraphNode, edge: GraphEdge, g: Symbol) -> tuple[Any, Any]:
        """The result of a rule with symbols for Python numbers, and with the numbers themselves.

        Twice the latter, where it cannot be traced with symbols for them.
        """
        rule = node.rules[edge.position]
        assert rule is not None
        made_by = node.operation.rpartition(".")[2].replace("<lambda>", "function")
        name = f"{made_by}_rule_{edge.argument or edge.position}"
        args = [g, self.script.values[node.number], *self.script.arguments(node)]
        form = rule, repr([_form(args), node.options])
        if form in self._traced:  # it need not be computed in both ways again
            given = rule(*args, **node.options)
            return given, given
        wanted = rule(*plain(args), **node.options)
        given = traced(rule, args, node.options, name, wanted)
        if node.number not in self.script.numbers:
            if isinstance(given, Symbol) and given.value is not wanted:
                self._traced.add(form)
            return given, given
        args = [a.value if isinstance(a, Number) else a for a in args]
        with_numbers = traced(rule, args, node.options, name, wanted)
        if is_call_of(given, rule):
            self.pinned += self.script.numbers[node.number].values()
            return with_numbers, with_numbers
        return given, with_numbers


def same_calls(a: Any, b: Any) -> bool:
    """Tell whether two symbols are made by the same calls, of the same arrays and numbers."""
    a, b = (x.value if isinstance(x, Number) else x for x in (a, b))
    if a is b or not isinstance(a, Symbol) or not isinstance(b, Symbol):
        return a is b or (type(a) is type(b) and not hasattr(a, "dtype") and bool(a == b))
    if a.call is None or b.call is None or a.role is not None or b.role is not None:
        return False
    args = [(*call.args, *call.options.values()) for call in (a.call, b.call)]
    same = a.call.function is b.call.function and len(args[0]) == len(args[1])
    return same and all(map(same_calls, *args))


def _form(a: Any) -> Any:
    """Return what decides by which calls an array is computed, and how it lies."""
    if isinstance(a, (list, tuple)):
        return [_form(b) for b in a]
    if not isinstance(a, Symbol) or isinstance(a, Number):
        return a
    return a.value.shape, a.value.dtype.str, a.value.strides


def is_call_of(symbol: object, function: Callable) -> bool:
    """Tell whether a symbol is the result of that function, under whatever name, or an item of it."""
    call = getattr(symbol, "call", None)
    if (
        call is not None
        and call.function is operator.getitem
        and isinstance(call.args[0].value, (list, tuple))
    ):
        call = call.args[0].call
    code = lambda f: getattr(f, "__code__", f)
    return call is not None and code(call.function) is code(function)
