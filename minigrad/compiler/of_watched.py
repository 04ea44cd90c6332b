"""A watched computation of PyTorch's, compiled: the program of its graph, for other numbers too.

    with mg.pytorch() as watched:
        loss = loss_of(model(x))
    step = mg.compile(watched)
    step(x=other).backward()
    step.tensors["layers.0.weight"].grad

Nothing is recorded again: the graph is there already. A choice of Python's in the block stays as it was.
So no other numbers are taken for a tensor whose numbers were taken out there, by an `if`, `item()`,
`tolist()` or `numpy()`. Other code that reads PyTorch's memory is not seen.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ..aten.watched import Watched
from ..engine.errors import PROBLEMS, described
from ..engine.failures import as_minigrad_error
from ..engine.modes import mode
from ..engine.node import Node
from ..engine.source import SourceLine
from ..engine.tensor import Tensor, tensor_of
from ..errors import ArgumentError, GraphError
from ..nn import Parameter
from ..ran import capture, words
from ..ran.data import GraphData, GraphNode
from ..ran.recording import TakenOut, flat
from ..views.graph import Graph, graph
from .inputs import Inputs
from .plan import Plan, WithProgram
from .running import one_node


class CompiledGraph(WithProgram):
    """A watched computation that runs as a program.

    Arrays that PyTorch drew stay as they were. They, and results made only of them, are constants named
    `drawn`.

    Attributes:
        tensors: the tensors that it computes with, by name: a copy of each parameter, and of each other
            tensor that came from outside the block. An optimizer can be given them.
        frozen: the names of the random arrays that PyTorch drew in the block.

    Raises:
        GraphError: if `backward()` was called on several tensors, or a value differs from PyTorch's.
    """

    def __init__(self, watched: Watched, exact: bool):
        losses = watched.checked()
        if len(losses) != 1:
            raise GraphError(
                f"{len(losses)} losses were watched, and a program has one: add them up in the block"
            )
        self.exact, self._watched = exact, watched
        self._graph, captured = capture.captured(GraphData, losses[0])
        nodes = lambda tensors: [
            n for t in tensors if (n := captured.number.get(t.node)) is not None
        ]
        self._numbers = sorted(nodes(watched.calls.values.outside))
        self._drawn = nodes(watched.calls.observed.drawn)
        leaves = [self._graph[n] for n in self._numbers]
        self.tensors = MappingProxyType(dict(zip(_names(leaves), map(_copy, leaves))))
        self.frozen = [self._graph[n].name for n in self._drawn]
        last, taken_out = losses[0].node.number, captured.constants.taken_out_seen()
        self._read = self._leaves_read(taken_out, captured.number, last)
        self._as_read = {name: self.tensors[name]._array for name in self._read}

    def __call__(self, *unnamed: Any, **tensors: Any) -> Tensor:
        """Return the loss for these tensors, each in place of the tensor of that name.

        Raises:
            ArgumentError: for a name that none has or none at all, or another shape or dtype.
            GraphError: for another tensor, or new numbers, where those of the old one were read in the
                block, as by an `if`; and for negative integers, where the block had none.
            ShapeError: for an index beyond the end.
        """
        if unnamed:
            raise ArgumentError(
                f"the program takes tensors by name, as in {self._by_name()}, and not "
                f"{described(unnamed[0])}; there are {', '.join(self.tensors)}"
            )
        read = {**self.tensors, **{name: self._other(name, a) for name, a in tensors.items()}}
        for name, array in self._as_read.items():
            if self.tensors[name]._array is not array:
                raise self._part_of_it(name)
        plan = self._last()
        if not plan.inputs.fit(list(read.values())):
            raise self._negative(read)
        try:
            run, parents = plan.start(list(read.values()))
        except PROBLEMS as problem:
            raise as_minigrad_error(problem) from None
        return one_node(run, parents) if parents else tensor_of(run.result)

    def __repr__(self) -> str:
        n = len(self.frozen)
        frozen = f"; {n} draw{'s' * (n > 1)} frozen" if n else ""
        return (
            f"what PyTorch computed, compiled, with copies of {', '.join(self.tensors)}; "
            f"{self._by_name()} takes other numbers{frozen}"
        )

    def _by_name(self) -> str:
        """The text of a call with another tensor; with data, if there is a tensor of data."""
        name = next(
            (n for n, t in self.tensors.items() if not t.requires_grad), [*self.tensors][-1]
        )
        return f"step({name}=...)" if name.isidentifier() else f"step(**{{{name!r}: ...}})"

    @property
    def graph(self) -> Graph:
        """The graph of what was watched."""
        return graph(self._watched)

    def _other(self, name: str, a: Any) -> Tensor:
        tensor = self.tensors.get(name)
        if tensor is None:
            raise ArgumentError(
                f"no tensor is called {name!r}; there are {', '.join(self.tensors)}"
            )
        if name in self._read:
            raise self._part_of_it(name)
        a = a if isinstance(a, Tensor) else Tensor(a, dtype=tensor.dtype)
        if (a.shape, a.dtype) != (tensor.shape, tensor.dtype):
            raise ArgumentError(
                f"{name} is {described(tensor)} in this program, and was given {described(a)}: watch "
                f"a computation with such a tensor, and compile that"
            )
        return a

    def _part_of_it(self, name: str) -> GraphError:
        at = f", at {self._read[name]}" if self._read[name] is not None else ""
        return GraphError(
            f"{name} is part of this program: its numbers were read in the block{at}. Watch a "
            f"computation with the other numbers, and compile that"
        )

    def _negative(self, read: dict[str, Tensor]) -> GraphError:
        names = [name for name, t in read.items() if t.dtype.kind == "i" and np.any(t._array < 0)]
        return GraphError(
            f"negative numbers in {', '.join(names)}, which had none in the block: as indices, NumPy "
            f"counts them from the end. Watch a computation with such numbers, and compile that"
        )

    def _leaves_read(
        self, taken_out: Sequence[tuple[TakenOut, list[int]]], places: dict[Node, int], last: int
    ) -> dict[str, SourceLine | None]:
        """The tensors whose numbers were taken out of the graph, and the line where that was.

        `places` has the number of each node in the graph, `last` is when the loss was computed.
        """
        graph = self._graph
        fixed = {m for n in graph.nodes for m in n.may_be_of}
        lines = dict.fromkeys(m for m in fixed if graph[m].dtype.kind == "f")
        lines |= {m: r.line for r, of in taken_out if not r.unseen for m in of if m in fixed}
        names = dict(zip(self._numbers, self.tensors))
        read = {
            names[n]: line
            for number, line in lines.items()
            for n in graph.made_from(number) & names.keys()
        }
        for node, line, when in self._watched.calls.observed.taken:
            if when < last:  # else it is read of the loss, or after it
                numbers = [places.get(leaf) for leaf in _made_from(node)]
                read |= {names[n]: line for n in numbers if n in names}
        return read

    def _last(self) -> Plan:
        return self._plan(mode.get().grad)

    @functools.cache  # noqa: B019 - as long as the program
    def _plan(self, grad: bool) -> Plan:
        return Plan(Inputs(self._to_compute(), [*self._numbers], {}, []), grad, self.exact)

    def _to_compute(self) -> GraphData:
        """The graph without the values of results: a plan computes these itself, and empties them."""
        nodes = [
            replace(
                n,
                value=None if n.operation else n.value,
                known_origin="draw" if n.number in self._drawn else n.known_origin,
            )
            for n in self._graph.nodes
        ]
        return replace(self._graph, nodes=tuple(nodes))


def _made_from(node: Node) -> list[Node]:
    """All nodes that a value was computed from, also where no gradient goes back."""
    nodes = {node: None}
    waiting = [node]
    while waiting:
        n = waiting.pop()
        sources = [] if n.note is None else [*flat(n.note.sources), *n.note.made_of]
        before = [*sources, *(to for _, _, to in n.edges)]
        new = dict.fromkeys(m for m in before if isinstance(m, Node) and m not in nodes)
        nodes |= new
        waiting += new
    return [*nodes]


def _copy(leaf: GraphNode) -> Tensor:
    kind = Parameter if leaf.kind == "parameter" else Tensor
    assert leaf.value is not None
    return kind(leaf.value, requires_grad=leaf.kind != "data", dtype=leaf.dtype, name=leaf.label)


def _names(leaves: Sequence[GraphNode]) -> list[str]:
    """The name of each leaf: its label; with its number, if another leaf has the same label."""
    labels = [words.visible(leaf.label) for leaf in leaves]
    return [
        label if label and labels.count(label) == 1 else f"{label or leaf.role}_{leaf.number}"
        for label, leaf in zip(labels, leaves)
    ]
