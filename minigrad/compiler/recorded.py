"""A call of a function, recorded: its graph, and what a later call reads again."""

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
from ..ran import capture
from ..ran.comparing import constants_of
from ..ran.data import GraphData, GraphNode
from ..ran.recording import TakenOut, as_arguments
from .call_recording import CallRecording
from .inputs import Inputs


class Fact(NamedTuple):
    """One node as a program takes it for granted.

    Attributes:
        call: its operation, shape and dtype, and the places of its arguments among the facts.
        constants: the arguments and options that are no nodes.
        held: the numbers of a leaf.
        brought: for a node that a later call brings anew: which argument, draw or tensor it is.
    """

    call: tuple[Any, ...]
    constants: list[Any]
    held: np.ndarray | None
    brought: Any


class RecordedCall:
    """The record of one call.

    Attributes:
        result: the tensor that the function returned; it holds all arrays of the call.
        graph: its computation, as far as the call computed it.
        tensors: the tensors that the computation reads, by the numbers of their nodes.
        made: the numbers of the tensors among these that the call itself made.
        draws: how each random array was drawn, and the number of its node, or None if nothing uses it.
        arguments: for each argument that is an array, the number of its node, or None.
        modules: the modules that were called.
        unused: plain results that no operation was given; NumPy may have made a constant of one, unseen.

    Raises:
        GraphError: if the function returns no tensor, or takes numbers out of the graph.
    """

    def __init__(
        self,
        function: Callable,
        args: tuple,
        kwargs: dict,
        arrays: Sequence[Any],
        outside: Iterable[Any],
    ):
        recording = CallRecording([*arrays, *outside])
        with setting(watchers=(recording,)):
            args, kwargs = as_arguments((args, kwargs))
            self.result = function(*args, **kwargs)
        check_result(function, self.result)
        recording.node_of(self.result)  # no operation may have been given it
        end = count()
        graph, captured = capture.captured(GraphData, self.result)
        numbers = captured.number
        self._name = getattr(function, "__name__", "the function")
        if recording.taken_out_at is not None:
            raise self._takes_out(recording.taken_out_at)
        self.unused = recording.unused([n for n in numbers if n.operation is None])
        # Not what the capture made: leaves for the arrays of calls before this one.
        own = {n for node, n in numbers.items() if recording.start < node.number < end}
        if any(graph[n].kind == "operation" for n in numbers.values() if n not in own):
            graph = graph.part(own, {box.number for box in graph.boxes})
        self.graph: GraphData = graph
        self.tensors = {
            numbers[node]: tensor for node, tensor in recording.tensors.items() if node in numbers
        }
        self.made = own & self.tensors.keys()
        self.draws = [(numbers.get(node), draw) for node, draw in recording.draws]
        self.arguments = [_number(recording, numbers, a) for a in arrays]
        self.modules = list(recording.modules)
        _let_go(recording, numbers, graph)

    def _takes_out(self, line: SourceLine | None) -> GraphError:
        return GraphError(
            f"{self._name} takes numbers out of the graph, at {line}: compiled, it would use "
            f"those of its first call forever. {_instead_of(line.text if line else '')}; or call it "
            f"without mg.compile"
        )

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
                raise self._takes_out(taken.line)

    def inputs(self) -> Inputs:
        return Inputs(self.graph, self.arguments, self.tensors, self.draws)

    def facts(self) -> list[Fact]:
        """List the fact of each node.

        A node that a later call brings anew is known by that alone, whichever operation made it before
        the call.
        """
        brought: dict[int | None, Any] = {
            n: ("tensor", id(t)) for n, t in self.tensors.items() if n not in self.made
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
            held = None if n.operation else n.value
            call = n.operation, n.shape, n.dtype, *sources
            facts.append(Fact(call, constants_of(n), held, None))
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

    def check(self, before: list[Fact]) -> None:
        """Compare this call with the facts of an earlier one.

        Raises:
            GraphError: if they differ, at the first line where they do.
        """
        facts = self.facts()
        if len(facts) != len(before) or not all(map(_same_call, facts, before)):
            raise GraphError(
                "the function computed something else in a second call with arguments of the same "
                "shapes, so that no one program is right for all: call it without mg.compile"
            )
        for node, one, other in zip(self.nodes(), facts, before):
            same = one.held is None or other.held is None or equal(one.held, other.held)
            if one.constants != other.constants or not same:
                raise GraphError(
                    f"numbers that differ from call to call are no part of the graph, at "
                    f"{self.graph.line_of(node.number)}: they were computed outside of tensors. Give "
                    f"them as an argument, or compute them with tensors; draw random numbers with "
                    f"mg.random.drawn(lambda rng: rng.normal(size=2))"
                )


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
        name = getattr(function, "__name__", "the function")
        why = pytorchs(result) or ": a compiled function returns one Tensor"
        raise GraphError(f"{name} returns {type(result).__name__}{why}")


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
    brought = one.brought, other.brought
    return one.call == other.call and (None in brought or brought[0] == brought[1])


def _let_go(recording: CallRecording, nodes: Iterable[Node], graph: GraphData) -> None:
    """Forget all that nothing needs after the recording, arrays above all: they would live as long as
    the result of the call."""
    for node in nodes:  # views look at them; the way back does not
        if node.number > recording.start:
            node.note, node.keeps_grad = None, node.operation is None
    recording.forget()
    for made in graph.nodes:  # the function can be called again
        if made.operation and not made.outside and made.number not in graph.roots:
            made.value = None


def _number(recording: CallRecording, numbers: dict[Node, int], a: Any) -> int | None:
    """The number of the node that an argument is."""
    if isinstance(a, Tensor):
        return None if a._node is None else numbers.get(a._node)  # `a.node` would make a node
    _, node = recording.arrays.get(memory_of(a), (None, None))
    return None if node is None else numbers.get(node)
