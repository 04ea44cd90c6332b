"""A call of a function, recorded: its graph, and the sources of the arrays that later calls read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays.identity import equal, memory_of
from ..arrays.pytorchs import is_pytorchs
from ..engine.modes import count, setting
from ..engine.node import Node
from ..engine.source import SourceLine
from ..engine.tensor import Tensor
from ..errors import GraphError
from ..nn import Module
from ..ran import capture
from ..ran.comparing import constants_of
from ..ran.data import GraphData, GraphNode
from ..ran.recording import TakenOut, as_arguments
from ..random import Draw
from .call_recording import CallRecording
from .inputs import Inputs


class Fact(NamedTuple):
    """One node as a program takes it for granted.

    Attributes:
        call: its operation, shape and dtype, and the places of its arguments among the facts.
        constants: the arguments and options that are no nodes.
        numbers: the numbers of a leaf; None for a node that is computed or brought.
        brought_as: for a node that each call brings anew: which argument, draw or tensor it is.
    """

    call: tuple[Any, ...]
    constants: list[Any]
    numbers: np.ndarray | None
    brought_as: tuple[str, int] | None


class RecordedCall(NamedTuple):
    """The record of one call, without the arrays on the way to its result.

    Attributes:
        name: the name of the function.
        graph: the computation of the result, as far as the call itself computed it.
        arguments: for each argument that is an array, the number of its node, or None.
        tensors: the tensors that the computation reads, by the numbers of their nodes.
        own_tensors: the numbers of those tensors that the call itself made.
        draws: for each random array the function that draws it, and the number of its node, or None if
            nothing uses it.
        modules: the modules that were called.
        unused: the plain results that no operation was given. NumPy may have made a constant of one,
            unseen.
    """

    name: str
    graph: GraphData
    arguments: list[int | None]
    tensors: dict[int, Tensor]
    own_tensors: set[int]
    draws: list[tuple[int | None, Draw]]
    modules: list[Module]
    unused: list[TakenOut]

    def check_unused(self, others: Sequence[Sequence[TakenOut]]) -> None:
        """Check that no constant was made of a plain result that no operation was given.

        Args:
            others: the `unused` of calls with other numbers and the same constants. No constant was made
                of a result that had another value there.

        Raises:
            GraphError: if a constant may have been made of one.
        """
        for i, taken in enumerate(self.unused):
            if all(i >= len(o) or equal(o[i].value, taken.value) for o in others):
                raise _takes_out(self.name, taken.line)

    def inputs(self) -> Inputs:
        return Inputs(self.graph, self.arguments, self.tensors, self.draws)

    def facts(self) -> list[Fact]:
        """List the fact of each node.

        A node that each call brings anew is known by that alone, whichever operation made it before the
        call.
        """
        brought: dict[int | None, tuple[str, int]] = {
            n: ("tensor", id(t)) for n, t in self.tensors.items() if n not in self.own_tensors
        }
        brought |= {n: ("draw", i) for i, (n, _) in enumerate(self.draws)}
        brought |= {n: ("argument", i) for i, n in enumerate(self.arguments)}
        nodes = self.nodes()
        places = {node.number: i for i, node in enumerate(nodes)}
        facts = []
        for n in nodes:
            if n.number in brought:
                facts.append(Fact(("", n.shape, n.dtype), [], None, brought[n.number]))
                continue
            sources = tuple([places[e.source] for e in self.graph.arguments(n.number)])
            numbers = None if n.operation else n.value
            call = n.operation, n.shape, n.dtype, *sources
            facts.append(Fact(call, constants_of(n), numbers, None))
        return facts

    def nodes(self) -> list[GraphNode]:
        """List the nodes, each after its arguments.

        In this order it does not matter which tensor was made first.
        """
        (root,) = self.graph.roots
        listed: dict[int, GraphNode] = {}
        waiting = [(root, False)]
        while waiting:
            number, done = waiting.pop()
            if done:
                listed.setdefault(number, self.graph[number])
            elif number not in listed:
                waiting.append((number, True))
                waiting += [(e.source, False) for e in reversed(self.graph.arguments(number))]
        return list(listed.values())

    def check(self, earlier: list[Fact]) -> None:
        """Compare this call with the facts of an earlier one.

        Raises:
            GraphError: if they differ, at the first line where they do.
        """
        facts = self.facts()
        if len(facts) != len(earlier) or not all(map(_same_call, facts, earlier)):
            raise GraphError(
                "the function computed something else in a second call with arguments of the same "
                "shapes, so that no one program is right for all: call it without mg.compile"
            )
        for node, one, other in zip(self.nodes(), facts, earlier):
            a, b = one.numbers, other.numbers
            same = a is None or b is None or equal(a, b)
            if one.constants != other.constants or not same:
                raise GraphError(
                    f"numbers that differ from call to call are no part of the graph, at "
                    f"{self.graph.line_of(node.number)}: they were computed outside of tensors. Give "
                    f"them as an argument, or compute them with tensors; draw random numbers with "
                    f"mg.random.drawn(lambda rng: rng.normal(size=2))"
                )


# --- the recording of a call -------------------------------------------------------------------------


def record_call(
    function: Callable,
    args: tuple,
    kwargs: dict[str, Any],
    arrays: Sequence[Any],
    outside: Iterable[Any],
) -> tuple[Tensor, RecordedCall]:
    """Call a function; return its result, and the record of the call.

    The graph of the result holds all arrays that the way back needs. The record holds only those of the
    leaves and of the result.

    Args:
        arrays: the arrays and tensors among the arguments.
        outside: the arrays and tensors that stand outside of the function.

    Raises:
        GraphError: if the function returns no tensor, or takes numbers out of the graph.
    """
    recording = CallRecording([*arrays, *outside])
    result = _watched_run(function, args, kwargs, recording)
    end = count()
    graph, captured = capture.captured(GraphData, result)
    numbers = captured.number
    # The capture makes nodes too: leaves for the arrays of calls before this one.
    own_nodes = {n for node, n in numbers.items() if recording.start < node.number < end}
    tensors = {numbers[node]: t for node, t in recording.tensors.items() if node in numbers}
    record = RecordedCall(
        name=function_name(function),
        graph=_computed_by(own_nodes, graph),
        arguments=[_number(recording, numbers, a) for a in arrays],
        tensors=tensors,
        own_tensors=own_nodes & tensors.keys(),
        draws=[(numbers.get(node), draw) for node, draw in recording.draws],
        modules=list(recording.modules),
        unused=recording.unused([node for node in numbers if node.operation is None]),
    )
    _let_go(recording, numbers, record.graph)
    return result, record


def _watched_run(
    function: Callable, args: tuple, kwargs: dict[str, Any], recording: CallRecording
) -> Tensor:
    """The result of the function, run while `recording` watches it.

    Raises:
        GraphError: as `record_call`.
    """
    with setting(watchers=(recording,)):
        args, kwargs = as_arguments((args, kwargs))
        result = function(*args, **kwargs)
    check_result(function, result)
    recording.node_of(result)  # no operation may have been given it
    if recording.taken_out_at is not None:
        raise _takes_out(function_name(function), recording.taken_out_at)
    return result


def _computed_by(own: set[int], graph: GraphData) -> GraphData:
    """The part of a graph that a call computed: the nodes `own`, and the leaves that these read."""
    operations = {node.number for node in graph.nodes if node.kind == "operation"}
    return graph.part(own, {box.number for box in graph.boxes}) if operations - own else graph


def pytorchs(a: Any) -> str:
    """Say what to write in place of compiling what PyTorch computes; "" for what is not PyTorch's."""
    if not is_pytorchs(a):
        return ""
    return (
        ": mg.compile takes functions of minigrad's tensors. What PyTorch computes is watched: "
        "with mg.pytorch() as watched: ..."
    )


def check_result(function: Callable, result: Any) -> None:
    """Check what a function that is compiled returned.

    Raises:
        GraphError: if it is no Tensor.
    """
    if not isinstance(result, Tensor):
        why = pytorchs(result) or ": a compiled function returns one Tensor"
        raise GraphError(f"{function_name(function)} returns {type(result).__name__}{why}")


def function_name(function: Callable) -> str:
    """The name of a function in messages."""
    return getattr(function, "__name__", "the function")


def _takes_out(name: str, line: SourceLine | None) -> GraphError:
    return GraphError(
        f"{name} takes numbers out of the graph, at {line}: compiled, it would use those of its first "
        f"call forever. {_instead_of(line.text if line else '')}; or call it without mg.compile"
    )


def _instead_of(line: str) -> str:
    """Say what to write for a line that takes numbers out."""
    if re.search(r"\b(if|elif|while)\b", line):
        return "Compute both cases, and choose with np.where in place of `if`"
    return (
        "Compute with the tensor itself, or with x.detach() if no gradient is to go back to it; what is "
        "to be printed or checked, read outside of the function"
    )


def _same_call(one: Fact, other: Fact) -> bool:
    """Tell whether two nodes are made in the same way. A tensor may be made in the first call alone."""
    a, b = one.brought_as, other.brought_as
    return one.call == other.call and (a is None or b is None or a == b)


def _let_go(recording: CallRecording, nodes: Iterable[Node], graph: GraphData) -> None:
    """Forget all that only the recording needed: else arrays would live as long as the result.

    The values of operations go, too: they can be computed again.
    """
    for node in nodes:  # views read the notes; the way back does not
        if node.number > recording.start:
            node.note, node.keeps_grad = None, node.operation is None
    recording.forget()
    for computed in graph.nodes:
        if computed.operation and not computed.outside and computed.number not in graph.roots:
            computed.value = None


def _number(recording: CallRecording, numbers: dict[Node, int], a: Any) -> int | None:
    """The number of the node that an argument is."""
    if isinstance(a, Tensor):
        return None if a._node is None else numbers.get(a._node)  # `a.node` would make a node
    _, node = recording.arrays.get(memory_of(a), (None, None))
    return None if node is None else numbers.get(node)
