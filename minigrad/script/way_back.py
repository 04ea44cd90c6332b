"""The way back of a script: the lines that compute the gradients, after those of the forward pass.

It is the engine's walk (`engine/walk.py`) once more, on symbols in place of arrays: each rule of the
table is called on symbols, and so the calls that it is made of become lines.

Three things must be equal in both walks: the order of the visits, the order of the sums at a node, and
the shape and dtype that `fit` gives. `test_script.py` compares the gradients along each edge, and
`test_compile.py` the bits of random programs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import table
from ..engine.errors import Options
from ..engine.walk import copied_axes
from ..errors import GraphError
from ..ran.data import GraphEdge, GraphNode, Passed
from .roles import Role
from .symbols import REFUSALS, Line, Number, Symbol, SymbolCall, plain, simplest, traced

if TYPE_CHECKING:
    from .script import Script


class WayBack:
    """The walk back through the graph of a script, on symbols. It is written while it is walked.

    Attributes:
        gradients: the gradients of nodes, by number.
        taken: the gradients that the rules of nodes are called with, by number: without the part that a
            node which is off leaves to another.
        passed: the symbols of the gradients along each edge, in the order of the walk.
        with_numbers: the result of an edge's rule for plain Python numbers, if it makes other calls for
            these than for their symbols: `g * (2 * x)` for x ** 2.
        pinned: the numbers that a rule could not be traced with, so that they cannot change.
    """

    def __init__(self, script: Script):
        self.script = script
        self.gradients: dict[int, Symbol] = {}
        self.taken: dict[int, Symbol] = {}
        self.passed: dict[GraphEdge, Passed] = {}
        self.with_numbers: dict[GraphEdge, Symbol] = {}
        self.pinned: list[Number] = []
        self._traceable: set[Any] = set()  # rules, with the layouts of arguments that they had

    def walk(
        self, starts: Mapping[int, np.ndarray | None] | None = None
    ) -> Iterator[tuple[GraphNode, list[GraphEdge]]]:
        """Walk back, newest first, and write the lines of each node that a gradient reaches.

        Once these are written, yield the node, and the edges along which its gradient goes on.

        Args:
            starts: gradients of roots, by number, in place of those that they have.

        Raises:
            GraphError: if a root of several elements has no gradient to start from.
        """
        roots = [self.script.graph[n] for n in self.script.graph.roots]
        first = {root.number: root.gradient for root in roots} | dict(starts or {})
        sums = {r.number: self._start(r, first[r.number]) for r in roots if r.state != "needs none"}
        for node, edges in self.script.graph.way_back:
            g = self.gradients[node.number] = sums[node.number]
            if node.number in self.script.gates:
                g = self._through_gate(node, g, sums)
            self.taken[node.number] = g
            for edge, given, fitted in self._from_rules(node, edges, g):
                self._pass_on(edge, given, fitted, sums)
            yield node, edges

    def _pass_on(
        self, edge: GraphEdge, given: Symbol, fitted: Symbol, sums: dict[int, Symbol]
    ) -> None:
        """Write the lines of the gradient along an edge, and add it to the gradient of its source."""
        if given is not fitted and given.role is None:
            given = self.script.with_role(given, Role("given", edge.target, edge=edge))
        fitted = self.script.with_role(fitted, Role("fitted", edge.source, edge=edge))
        before = sums.get(edge.source)
        after = fitted
        if before is not None:
            added = simplest(np.add, [before, fitted], {})
            after = self.script.with_role(added, Role("sum", edge.source, edge=edge))
        sums[edge.source] = after
        self.passed[edge] = Passed(given, fitted, before, after)

    def _start(self, node: GraphNode, gradient: np.ndarray | None) -> Symbol:
        """The gradient of a root, from which the walk starts: 1 where none is given."""
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
        args = [g, self.script.values[node.number], self.script.gates[node.number], g, g]
        to_node, to_instead = (traced(rule, args, {}) for rule in table.TABLE[np.where].rules[1:])
        if self.script.graph[instead].state != "needs none":
            to_instead = fitted_to(self.script.values[instead], to_instead)  # in its dtype
            before = sums.get(instead)
            after = to_instead if before is None else simplest(np.add, [before, to_instead], {})
            sums[instead] = self.script.with_role(after, Role("sum", instead))
        return self.script.with_role(to_node, Role("sum", node.number))

    def _from_rules(
        self, node: GraphNode, edges: list[GraphEdge], g: Symbol
    ) -> Iterator[tuple[GraphEdge, Symbol, Symbol]]:
        """Yield each edge of a node, the gradient that its rule gives, and the same fitted.

        A rule may refuse an array of ones that stands for another one. Then its call is noted, and not
        computed.
        """
        results: dict[int, tuple[Any, Any]] = {}  # by position: for a list, a rule is called once
        for edge in edges:
            source = self.script.values[edge.source]
            try:
                if edge.position not in results:
                    results[edge.position] = self._call_rule(node, edge, g)
                given, with_numbers = results[edge.position]
                if edge.item is not None:
                    given, with_numbers = given[edge.item], with_numbers[edge.item]
                if not same_calls(given, with_numbers):
                    self.with_numbers[edge] = with_numbers
                fitted = fitted_to(source, given)
            except REFUSALS as problem:
                if self.script.forward:
                    raise GraphError(
                        f"a rule of {node.operation} #{node.number} failed: {problem}"
                    ) from None
                rule: Any = node.rules[edge.position]
                call = SymbolCall(rule, tuple(self._rule_arguments(node, g)), node.options)
                given = fitted = Line(source.value, call)
            yield edge, given, fitted

    def _rule_arguments(self, node: GraphNode, g: Symbol) -> list[Any]:
        return [g, self.script.values[node.number], *self.script.arguments(node)]

    def _call_rule(self, node: GraphNode, edge: GraphEdge, g: Symbol) -> tuple[Any, Any]:
        """Call the rule of an edge: with symbols for the node's Python numbers, and with the numbers.

        Both results are the same one if the node has no such numbers, or if the rule cannot be traced
        with symbols for them. These are `pinned` then.
        """
        rule = node.rules[edge.position]
        assert rule is not None
        operation = node.operation.rpartition(".")[2].replace("<lambda>", "function")
        name = f"{operation}_rule_{edge.argument or edge.position}"
        args = self._rule_arguments(node, g)
        if node.number not in self.script.numbers:
            given = self._traced_once(rule, args, node.options, name)
            return given, given
        given = traced(rule, args, node.options, name)
        args = [a.value if isinstance(a, Number) else a for a in args]
        with_numbers = traced(rule, args, node.options, name)
        if is_call_of(given, rule):
            self.pinned += self.script.numbers[node.number].values()
            return with_numbers, with_numbers
        return given, with_numbers

    def _traced_once(self, rule: Callable, args: list[Any], options: Options, name: str) -> Any:
        """Trace a rule. If that was possible before with such layouts, call it on symbols alone."""
        key = rule, repr([_layout(args), options])
        if key in self._traceable:
            return rule(*args, **options)
        result = rule(*plain(args), **options)
        given = traced(rule, args, options, name, result)
        if isinstance(given, Symbol) and given.value is not result:
            self._traceable.add(key)
        return given


def fitted_to(argument: Symbol, gradient: Symbol) -> Symbol:
    """The gradient of an argument with broadcasting undone: of its shape and dtype.

    `fit` of `engine/walk.py` gives the same numbers. Here they are computed by calls that a person would
    write.
    """
    wide, shape = gradient.value.shape, argument.shape
    if wide != shape:
        axes = copied_axes(wide, shape)
        axis = axes[0] if len(axes) == 1 else axes
        if axes and len(wide) == len(shape):
            gradient = simplest(np.sum, [gradient], {"axis": axis, "keepdims": True})
        elif axes:
            gradient = simplest(np.sum, [gradient], {"axis": axis})
        if gradient.value.shape != shape:
            gradient = simplest(np.reshape, [gradient, shape], {})
    return gradient if gradient.dtype == argument.dtype else gradient.astype(argument.dtype)


def same_calls(a: Any, b: Any) -> bool:
    """Tell whether two symbols are made by the same calls, of the same arrays and numbers."""
    a, b = (x.value if isinstance(x, Number) else x for x in (a, b))
    if a is b or not isinstance(a, Symbol) or not isinstance(b, Symbol):
        return a is b or (type(a) is type(b) and not hasattr(a, "dtype") and bool(a == b))
    if not (isinstance(a, Line) and isinstance(b, Line)) or (a.role, b.role) != (None, None):
        return False
    args = [(*call.args, *call.options.values()) for call in (a.call, b.call)]
    same = a.call.function is b.call.function and len(args[0]) == len(args[1])
    return same and all(map(same_calls, *args))


def _layout(a: Any) -> Any:
    """The layout of an argument: it decides which calls a rule makes, and how their results lie."""
    if isinstance(a, (list, tuple)):
        return [_layout(b) for b in a]
    if not isinstance(a, Symbol) or isinstance(a, Number):
        return a
    return a.value.shape, a.value.dtype.str, a.value.strides


def is_call_of(symbol: object, function: Callable) -> bool:
    """Tell whether a symbol is the result of that function, by any name, or an item of it."""
    call = getattr(symbol, "call", None)
    if (
        call is not None
        and call.function is operator.getitem
        and isinstance(call.args[0].value, (list, tuple))
    ):
        call = call.args[0].call
    code = lambda f: getattr(f, "__code__", f)
    return call is not None and code(call.function) is code(function)
