"""The script of a graph: its forward pass and its way back, as lines of which each is one call.

    script = Script(graph)
    for symbol in script.lines: ...

The rules of the table are plain NumPy. Called on arrays they compute; called here on `Symbol`s, they
become the calls that they are made of. This is the one place where a recorded graph is written out,
forward and back: the written program, the page, the steps, the compiler and the check in float64 are
readers of the script.

A line is a symbol: its `call` is one function with its arguments, other lines among them, and its `role`
says what it is in the graph; a part of an expression has none. What no line computes is held: leaves,
constants, the gradient that the way back starts from.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import Any

import numpy as np

from ..engine import table
from ..errors import GraphError
from ..ran import words
from ..ran.data import UNKNOWN, GraphData, GraphEdge, GraphNode, Passed, Ref
from .symbols import (
    REFUSALS,
    Number,
    Role,
    Symbol,
    SymbolCall,
    alias,
    equal,
    plain,
    simplest,
    stand_in,
    traced,
    undone,
)


class Script:
    """The forward pass of a graph, and its way back, on symbols.

    Args:
        graph: may be a part of another; what lies outside is held then.
        numbers: make symbols of the Python numbers among the arguments of ufuncs, too.
        instead: nodes that can be switched off, and the earlier node that stands in the place of each
            then: `np.where(on, node, instead)`, with the rules of `np.where`.
        forward: compute the values of the nodes; else they are held, and where one was not kept,
            ones of its shape stand for it.

    Attributes:
        lines: every call, each after those that it is made of; `ahead` of them are forward.
        results: what the function of a node gives, by number: its value, where it cannot be off.
        values, gradients: of nodes, by number.
        arrived: for each node the gradient that its rules are given: the part for what is not off.
        passed: the symbols of what goes along each edge, in the order of the walk.
        with_numbers: what the rule of an edge gives with the Python numbers that there are, where that
            is made of other calls: `g * (2 * x)` for x ** 2.
        numbers: the symbols of Python numbers, by the number of the node and the position.
        gates: the symbols of booleans that say whether a node is on, by its number.
        pinned: numbers that a rule could not be traced with, so that they cannot change.

    Raises:
        GraphError: if the graph lacks what computing it again needs, or gives something else now.
    """

    def __init__(
        self,
        graph: GraphData,
        *,
        numbers: bool = False,
        instead: Mapping[int, int] | None = None,
        forward: bool = True,
    ):
        self.graph = graph
        self.instead = instead or {}
        self.forward = forward
        self.lines: list[Symbol] = []
        self.results: dict[int, Symbol] = {}
        self.values: dict[int, Symbol] = {}
        self.gradients: dict[int, Symbol] = {}
        self.arrived: dict[int, Symbol] = {}
        self.passed: dict[GraphEdge, Passed] = {}
        self.with_numbers: dict[GraphEdge, Symbol] = {}
        self.numbers: dict[int, dict[int, Number]] = {}
        self.gates: dict[int, Symbol] = {}
        self.pinned: list[Number] = []
        self._numbers = numbers
        self._constants: dict[int, Symbol] = {}  # by the ids of arrays
        self._traced: set[Any] = set()  # rules, and the forms of arrays for which they were traced
        self._written: set[int] = set()  # the ids of symbols that are lines
        self._args: dict[int, list[Any]] = {}
        for node in graph.nodes:
            self._value(node)
        self.ahead = len(self.lines)

    def with_role(self, symbol: Symbol, role: Role) -> Symbol:
        """Give a symbol its role: its call becomes a line, after those that it is made of."""
        if symbol.role is not None:  # it has another one
            symbol = type(symbol)(symbol.value, SymbolCall(alias, (symbol,), {}))
        self._write(symbol)
        symbol.role = role
        return symbol

    def _write(self, symbol: Symbol) -> None:
        if symbol.role is None and symbol.call is not None and id(symbol) not in self._written:
            for part in symbol.parts:
                self._write(part)
            self._written.add(id(symbol))
            self.lines.append(symbol)

    # Forward

    def _value(self, node: GraphNode) -> None:
        if node.kind != "operation" or node.outside or not self.forward:
            self.values[node.number] = self._held(node)
            return
        made = self.results[node.number] = self.result(node)
        if node.value is not None and not equal(np.asarray(made.value), node.value):
            raise GraphError(
                f"{_called(node)} does not give what it gave: a leaf was given new values while the "
                f"result was being computed"
            )
        if node.number in self.instead:
            gate = Symbol(np.asarray(True), role=Role("gate", node.number))
            self.gates[node.number] = gate
            other = self.values[self.instead[node.number]]
            other = other if other.dtype == made.dtype else other.astype(made.dtype)
            made = simplest(np.where, [gate, made, other], {})
        made = self.with_role(made, Role("value", node.number))
        made.value = np.asarray(made.value)
        self.values[node.number] = made

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
                made = simplest(node.function, self.arguments(node), node.options)
        except REFUSALS as problem:
            raise GraphError(f"{_called(node)} could not be called again: {problem}") from None
        if not isinstance(made, Symbol):
            raise GraphError(
                f"what {_called(node)} computed was not seen: compute inside `with mg.record():`, where "
                f"a compiled function runs as it is"
            )
        return made

    def _held(self, node: GraphNode) -> Symbol:
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
        """The arguments of a node as symbols; of a ufunc, perhaps the Python numbers too."""
        if node.number not in self._args:
            args = [self._argument(a, node) for a in node.arguments]
            if self._numbers and isinstance(node.function, np.ufunc):
                for i, a in enumerate(args):
                    if isinstance(a, (int, float)) and not isinstance(a, bool):
                        number = Number(a, role=Role("number", node.number, i))
                        args[i] = self.numbers.setdefault(node.number, {})[i] = number
            self._args[node.number] = args
        return self._args[node.number]

    def _argument(self, argument: Any, node: GraphNode) -> Any:
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
                f"what {_called(node)} was called with was not kept: compute inside "
                f"`with mg.record():`"
            )
        return argument

    # The way back

    def way_back(
        self, starts: Mapping[int, np.ndarray | None] | None = None
    ) -> Iterator[tuple[GraphNode, list[GraphEdge]]]:
        """Walk back, newest first, and write the lines of each node that a gradient reaches.

        Once these are written, yield the node, and the edges along which the gradient goes on.

        `starts` are the gradients of the roots, by number, if not those that they have.

        Raises:
            GraphError: if a root of several elements has no gradient to start from.
        """
        roots = [self.graph[n] for n in self.graph.roots]
        known = {root.number: root.gradient for root in roots} | dict(starts or {})
        sums = {r.number: self._start(r, known[r.number]) for r in roots if r.state != "needs none"}
        for node, edges in self.graph.way_back:
            g = self.gradients[node.number] = sums[node.number]
            if node.number in self.gates:
                g = self._through_gate(node, g, sums)
            self.arrived[node.number] = g
            for edge, given, fitted in self._given(node, edges, g):
                if given is not fitted and given.role is None:
                    given = self.with_role(given, Role("given", node.number, edge=edge))
                fitted = self.with_role(fitted, Role("fitted", edge.source, edge=edge))
                before = sums.get(edge.source)
                after = fitted
                if before is not None:
                    added = simplest(np.add, [before, fitted], {})
                    after = self.with_role(added, Role("sum", edge.source, edge=edge))
                sums[edge.source] = after
                self.passed[edge] = Passed(given, fitted, before, after)
            yield node, edges

    def walked(self) -> Script:
        """This script, with its way back written to the end."""
        if not self.gradients:
            for _ in self.way_back():
                pass
        return self

    def _start(self, node: GraphNode, gradient: np.ndarray | None) -> Symbol:
        if gradient is None:
            value = self.values[node.number].value
            if value.size != 1 and self.forward:
                raise GraphError(
                    f"the gradients of a result of shape {node.shape} depend on where one starts: call "
                    f"backward(gradient) first, or reduce it to one number"
                )
            gradient = np.ones_like(value)
        return Symbol(gradient, role=Role("start", node.number))

    def _through_gate(self, node: GraphNode, g: Symbol, sums: dict[int, Symbol]) -> Symbol:
        """The part of a gradient for a node that can be off; the rest goes to what replaces it."""
        instead = self.instead[node.number]
        called = [g, self.values[node.number], self.gates[node.number], g, g]
        by_one, by_other = (traced(rule, called, {}) for rule in table.TABLE[np.where].rules[1:])
        role = Role("sum", instead)
        if self.graph[instead].state != "needs none":
            by_other = undone(by_other, self.values[instead])  # in its dtype
            before = sums.get(instead)
            after = by_other if before is None else simplest(np.add, [before, by_other], {})
            sums[instead] = self.with_role(after, role)
        return self.with_role(by_one, Role("sum", node.number))

    def _given(
        self, node: GraphNode, edges: list[GraphEdge], g: Symbol
    ) -> Iterator[tuple[GraphEdge, Symbol, Symbol]]:
        """Yield what the rules of a node give, for each of its edges; and that with broadcasting undone.

        Where arrays stand for others, a rule may refuse them: its call is noted then, and not computed.
        """
        by_position: dict[int, tuple[Any, Any]] = {}
        for edge in edges:
            i, source = edge.position, self.values[edge.source]
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
                if self.forward:
                    raise GraphError(f"a rule of {_called(node)} failed: {problem}") from None
                args = (g, self.values[node.number], *self.arguments(node))
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
        args = [g, self.values[node.number], *self.arguments(node)]
        form = rule, repr([_form(args), node.options])
        if form in self._traced:  # it need not be computed in both ways again
            given = rule(*args, **node.options)
            return given, given
        wanted = rule(*plain(args), **node.options)
        given = traced(rule, args, node.options, name, wanted)
        if node.number not in self.numbers:
            if isinstance(given, Symbol) and given.value is not wanted:
                self._traced.add(form)
            return given, given
        args = [a.value if isinstance(a, Number) else a for a in args]
        with_numbers = traced(rule, args, node.options, name, wanted)
        if is_call_of(given, rule):
            self.pinned += self.numbers[node.number].values()
            return with_numbers, with_numbers
        return given, with_numbers


def compute(
    lines: Iterable[Symbol], values: MutableMapping[int, Any], by: Callable | None = None
) -> None:
    """Compute lines with other numbers.

    Args:
        values: the arrays of symbols by their ids; it gets those of the lines. A symbol that is not
            there has the array that it had.
        by: calls a function, with its arguments and options, in another way than Python does.
    """

    def now(a: Any) -> Any:
        if isinstance(a, Symbol):
            return values.get(id(a), a.value)
        if type(a) in (list, tuple):
            return type(a)(map(now, a))
        return {k: now(v) for k, v in a.items()} if isinstance(a, dict) else a

    for line in lines:
        assert line.call is not None
        function, args, options = (
            line.call.function,
            now(list(line.call.args)),
            now(line.call.options),
        )
        values[id(line)] = by(function, args, options) if by else function(*args, **options)


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


def _called(node: GraphNode) -> str:
    return f"{node.operation} #{node.number}"
