"""The rule for the case at hand, as a person would write it.

The table of derivatives says `g @ transposed(b)`; for `h = x @ w` that is `g @ w.T`. The lines of a
script say so already, since what depends on shapes and settings alone is decided by then. Here they get
the names that a reader knows, and the little that code needs and a person leaves out is left out.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.names import code_of
from ...errors import GraphError
from ...ran import words
from ...ran.data import GraphData, GraphEdge, GraphNode
from ...ran.rules_as_text import source_of
from ...script.bodies import body_of
from ...script.script import Script
from ...script.symbols import REFUSALS, Symbol, traced
from ...script.tape import Tape
from ...script.tape_reading import Element
from ...script.way_back import fitted_to, is_call_of
from .elements import worked_out
from .hand_notation import HandNotation

# "g", "y", an argument's position, or that and its place in a list
RuleInput = str | int | tuple[int, int]


class Formula(NamedTuple):
    """A rule, or an operation, simplified for certain shapes and settings.

    Attributes:
        text: as a person would write it.
        result: the symbol that it gives; None where it could not be traced.
        reads: the symbols that it is given, by what they are to the operation.
        names: of these symbols, by their ids.
        note: what the function does that the text is written with, where it could not be traced.
    """

    text: str
    result: Symbol | None
    reads: Mapping[RuleInput, Symbol]
    names: Mapping[int, str]
    note: str = ""

    def used(self) -> dict[RuleInput, Symbol]:
        """Those of the symbols whose values the result is made of, and not their shapes alone.

        Of the rule of np.exp, `g * y`, which is given g, y and x: g and y. Of that of np.sum, `g` spread
        over the shape of x: g.
        """
        if self.result is None:
            in_text = lambda name: re.search(rf"(?<!\w){re.escape(name)}(?!\w|\.shape)", self.text)
            return {part: s for part, s in self.reads.items() if in_text(self.names[id(s)])}
        read: set[int] = set()
        waiting = [self.result]
        while waiting:
            symbol = waiting.pop()
            read.add(id(symbol))
            if id(symbol) not in self.names and symbol.call is not None:
                waiting += symbol.parts
        return {part: s for part, s in self.reads.items() if id(s) in read}

    def worked_out(
        self, index: tuple[int, ...], target: str, result: Any, equals: str = "="
    ) -> str:
        """An element with its numbers, of which `result` is known; "" where it would be no help."""
        if self.result is None:
            return ""
        tape = Tape(for_page=False)
        names: dict[int, str] = {}
        for s in self.reads.values():
            names.setdefault(tape.hold(s), self.names[id(s)])
        with np.errstate(all="ignore"):
            element = Element(tape.slot(self.result), index)
        return worked_out(tape, names, element, target, result, equals)


NO_FORMULA = Formula("", None, {}, {})


def of_edge(script: Script, edge: GraphEdge, numbered: bool = True) -> Formula:
    """The case of the rule by which a gradient goes back along an edge.

    Args:
        numbered: call what has no name by its #number; else as the rule calls it.
    """
    passed, node = script.back.passed[edge], script.graph[edge.target]
    names = part_names(script.graph, node, numbered)
    g = script.back.taken[node.number]
    reads = {"g": g, "y": script.values[node.number], **_arguments(script, node)}
    by_id = {id(reads[part]): names[part] for part in reversed(reads)}
    rule = node.rules[edge.position]
    assert rule is not None
    from_rule, result = passed.given, passed.fitted
    if edge in script.back.with_numbers:  # of x ** 2: `g * (2 * x)`, as long as the 2 is a 2
        from_rule = script.back.with_numbers[edge]
        result = fitted_to(script.values[edge.source], from_rule)
    untraced = is_call_of(from_rule, rule)
    text = "" if untraced else HandNotation(by_id).sentence(from_rule)
    note = ""
    if not text:
        args = [getattr(a, "value", a) for a in script.arguments(node)]
        text, note = _in_the_table(rule, args, node.options, names)
    return Formula(text, None if untraced else result, reads, by_id, note)


class Formulas:
    """The cases of a graph: of each operation, and of the rule of each edge that a gradient goes along.

    Args:
        numbered: call what has no name by its #number; else as the rule calls it.
        script: of the graph, where there is one.
    """

    def __init__(self, graph: GraphData, numbered: bool = True, script: Script | None = None):
        self.numbered = numbered
        with np.errstate(all="ignore"):
            self.script = (script or Script(graph, forward=False)).with_way_back()

    def node(self, node: GraphNode) -> Formula:
        """The case of the operation that made a node."""
        return of_node(self.script, node)

    def edge(self, edge: GraphEdge) -> Formula:
        """The case of the rule of an edge; empty where no gradient goes along it."""
        reached = edge in self.script.back.passed
        return of_edge(self.script, edge, self.numbered) if reached else NO_FORMULA


def of_node(script: Script, node: GraphNode) -> Formula:
    """The case of the operation that made a node of a graph."""
    names = part_names(script.graph, node)
    reads = _arguments(script, node)
    by_id = {id(reads[part]): names[part] for part in reversed(reads)}
    args = script.arguments(node)
    assert node.function is not None
    try:
        result = script.result(node)
    except GraphError:  # whatever a function does that symbols cannot
        return Formula("", None, reads, by_id)
    inner = _traced(body_of(node.function), args, node.options)
    text = HandNotation(by_id).sentence(result)
    return Formula(text, result if inner is None else inner, reads, by_id)


def _arguments(script: Script, node: GraphNode) -> dict[RuleInput, Symbol]:
    """The symbols that a node is computed from, by their places among its arguments."""
    edges = script.graph.arguments(node.number)
    return {part_of(e): script.values[e.source] for e in edges}


# --- what things are called -----------------------------------------------------------------------


def part_of(edge: GraphEdge) -> RuleInput:
    """The place of an edge's source among the arguments of its target."""
    return edge.position if edge.item is None else (edge.position, edge.item)


def part_names(graph: GraphData, node: GraphNode, numbered: bool = True) -> dict[RuleInput, str]:
    """Names for what an operation gives and is given: the learner's, else #number or the rule's own."""
    sources: dict[RuleInput, int] = {"y": node.number}
    own: dict[RuleInput, str] = {"y": "y"}
    for e in graph.arguments(node.number):
        sources[part_of(e)] = e.source
        own[part_of(e)] = e.argument if e.item is None else f"{e.argument}[{e.item}]"
    if numbered:
        own = {part: own[part] if part == "y" else f"#{n}" for part, n in sources.items()}
    names = {part: _in_code(graph[n]) or own[part] for part, n in sources.items()}
    if len({*names.values()}) < len({*sources.values()}):  # two have one name
        names = {part: f"#{n}" if numbered else own[part] for part, n in sources.items()}
    return {"g": "g", **names}


def _in_code(node: GraphNode) -> str:
    """The short name of a node, where that can stand in code and is not the gradient's; else ""."""
    return node.short if node.short.isidentifier() and node.short != "g" else ""


def _traced(function: Callable, args: list[Any], options: Mapping[str, Any]) -> Any:
    """The result of a function for symbols, where it can be traced; else None."""
    try:
        with np.errstate(all="ignore"):
            result = traced(function, args, dict(options))
    except REFUSALS:
        return None
    return None if not isinstance(result, Symbol) or is_call_of(result, function) else result


def _in_the_table(
    rule: Callable, args: Sequence[Any], options: Mapping[str, Any], names: Mapping[RuleInput, str]
) -> tuple[str, str]:
    """The text of a rule in the table, with the names and settings of the case; and a note on a function
    in it, where it calls one."""
    code, source = code_of(rule), source_of(rule)
    if "\n" in source:
        return source, ""
    call = inspect.signature(rule).bind(None, None, *args, **options)
    call.apply_defaults()
    (_, y, *others) = call.arguments
    by_parameter: dict[str, str] = {y.lstrip("_"): names["y"]}
    for i, name in enumerate(others):
        value = call.arguments[name]
        if i in names or not hasattr(value, "shape"):
            by_parameter[name.lstrip("_")] = names.get(i) or HandNotation({}).literal(value, 0)
    text = re.sub(r"[^\W\d]\w*", lambda word: by_parameter.get(word[0], word[0]), source)
    helpers = (rule.__globals__.get(name) for name in code.co_names)
    notes = (
        f"{h.__name__}: {words.first_sentence(h.__doc__)}" for h in helpers if inspect.isfunction(h)
    )
    return text, next(notes, "")
