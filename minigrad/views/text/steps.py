"""The backward walk, one step at a time: the gradient that arrives, the rules, and their gradients.

    for step in steps(loss):
        print(step)

`backward()` is the same walk, run to its end. Call `steps` on a loss that was computed under
`record()` to see the lines of code as well, and the names of all variables.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays.identity import frozen_view
from ...arrays.ranges import numbers_in
from ...aten.watched import Watched
from ...engine.backward import added, first_gradient
from ...engine.kinds import checked
from ...engine.modes import outward
from ...engine.node import Node
from ...engine.tensor import Array, Tensor
from ...engine.walk import Contribution, Visit, copied_axes, order, walk
from ...ran.capture import captured
from ...ran.data import GraphData, GraphEdge
from ...ran.rules_as_text import argument_names
from ...script.script import Script
from ...with_blocks import enable_grad
from .reading import Formula, of_edge
from .show import numbers, shape_and_dtype


@dataclass(frozen=True)
class Share:
    """The part of the gradient that one argument of an operation gets. Arrays are read-only.

    Attributes:
        argument: its name, as the rule has it: `x`, `b`, `arrays[1]`.
        to: the node that made it, where its gradients are summed.
        rule: the rule for the case at hand, as a person would write it: `g @ w.T`.
        note: what the function does that it is written with, where the table's own text is shown.
        worked: one element of `fitted` worked out with its numbers; "" where that would be no help.
        given: what the rule gave.
        axes: the axes of `given` that were summed, because broadcasting had made copies along them.
        fitted: the result, of the argument's own shape and dtype.
        before: what had arrived at `to` by then, from its other uses; None where nothing had.
        after: the sum of `before` and `fitted`.
        name: of `to`, or of the variable that held it; "" for none.
        of: the number of `to` in the loss's graph.
    """

    argument: str
    to: Node
    rule: str
    given: Array
    axes: tuple[int, ...]
    fitted: Array
    before: Array | None
    after: Array
    name: str = ""
    of: int | None = None
    note: str = ""
    worked: str = ""

    def __str__(self) -> str:
        head = f"for {self.argument}, which is {called(self.to, self.name, self.of)}\n"
        lines = [(self.rule, self.given)]
        if "\n" in self.rule:
            head += "".join(f"      {line}\n" for line in self.rule.splitlines())
            lines = [("which gives", self.given)]
        if self.axes:
            axes = ", ".join(map(str, self.axes))
            many = "axes" if len(self.axes) > 1 else "axis"
            lines.append((f"summed over {many} {axes} of {self.given.shape}", self.fitted))
        elif self.fitted.shape != self.given.shape:
            lines.append((f"as {self.fitted.shape}", self.fitted))
        if self.fitted.dtype != self.given.dtype:
            lines.append((f"as {self.fitted.dtype}", self.fitted))
        if self.before is not None:
            lines += [("arrived before", self.before), ("the sum", self.after)]
        notes = "".join(f"\n    {said}" for said in (self.note, self.worked) if said)
        return head + _table(lines, 4) + notes


@dataclass(frozen=True)
class Step:
    """One step of the walk: an operation that passes its gradient on, or a leaf.

    Arrays are read-only; with `create_graph=True` they are Tensors.

    Attributes:
        number: of the step, from 1.
        node: the operation, or the leaf.
        gradient: the gradient of the loss with respect to the node's result, all of it by now.
        values: the arrays that the rules read, by the names they use.
        shares: what each argument gets; none for a leaf.
        before, after: of a leaf, `.grad` before the walk, and what `backward()` leaves there; None for
            an operation, and `before` is None as well where nothing was computed yet.
        name: of the leaf, or of the variable that held what the node is; "" for none.
        of: the number of `node` in the loss's graph, as in `graph(loss)[step.of]`.
    """

    number: int
    node: Node
    gradient: Array
    values: dict[str, Any]
    shares: tuple[Share, ...]
    before: Array | None = None
    after: Array | None = None
    name: str = ""
    of: int | None = None

    def __str__(self) -> str:
        name = called(self.node, self.name, self.of)
        head = f"Step {self.number}: {name}, {shape_and_dtype(self.node)}"
        if self.node.operation is None:
            lines = [
                ("g", self.gradient),
                (".grad before", self.before),
                (".grad after", self.after),
            ]
            return f"{head}\n{_table(lines, 2)}"
        parts = [head + "".join(f", in {owner}" for owner in _boxes(self.node))]
        if self.node.note is not None and self.node.note.line is not None:
            parts.append(f"  {self.node.note.line}")
        parts.append(_table([("g", self.gradient), *self.values.items()], 2))
        return "\n".join([*parts, *(f"  {share}" for share in self.shares)])


@checked
def steps(
    loss: Tensor | Watched, gradient: Array | None = None, *, accumulate: bool = False,
    retain_graph: bool = True, create_graph: bool = False,
) -> Iterator[Step]:  # fmt: skip
    """Walk back from `loss` as `loss.backward()` does, and yield each step as a printable `Step`; or
    from the loss that `mg.pytorch()` watched.

        x = Tensor([1.0, 2.0], requires_grad=True, name="x")
        for step in steps(np.sum(x * x)):
            print(step)

    It is a way of looking: the graph stays, and so does the `.grad` of every leaf. Nodes have the
    numbers that they have in `graph(loss)`.

    Args:
        loss, gradient, create_graph: as for `Tensor.backward`, whose errors it raises.
        accumulate: add each gradient to `.grad`, when the walk reaches it; `backward()` adds all at
            its end.
        retain_graph: keep what the graph holds; False frees each node after its step.
    """
    loss = loss.checked()[0] if isinstance(loss, Watched) else loss
    start: dict[Node, Array] = {loss.node: first_gradient(loss, gradient, create_graph)}
    order(start)  # raises for a graph that has been freed, before the first step
    return _steps(start, accumulate, retain_graph, create_graph, _StepFacts(loss, start[loss.node]))


class _StepFacts:
    """The facts that steps tell of nodes: their names and numbers, and the script of the way back."""

    def __init__(self, loss: Tensor, start: Array):
        self.loss = loss
        graph, captured_nodes = captured(GraphData, loss)
        self.numbers = captured_nodes.number
        self.labels = {n.number: n.label for n in graph.nodes}
        back = graph.way_back
        self.arrivals = Counter(edge.source for _, edges in back for edge in edges)
        self.script = Script(graph, forward=False)
        self._way_back = self.script.back.walk({graph.roots[0]: numbers_in(start)})

    def edges(self, node: Node) -> list[GraphEdge]:
        """The edges along which a node passes its gradient on, whose lines the script has by then.

        The walk of the script goes on as far as that node: ask in the order of the steps.
        """
        with np.errstate(all="ignore"):
            for other, edges in self._way_back:
                if other.number == self.numbers[node]:
                    return edges
        return []

    def name(self, node: Node) -> str:
        """The name of a node, or of the variable that held it; "" for none."""
        return self.labels.get(self.numbers.get(node, -1), "")


def _steps(
    start: dict[Node, Array],
    accumulate: bool,
    retain_graph: bool,
    create_graph: bool,
    facts: _StepFacts,
) -> Iterator[Step]:
    """Walk back, and yield each visit as a step."""
    visits = walk(start, frees=not (retain_graph or create_graph))
    for number in itertools.count(1):
        with enable_grad() if create_graph else contextlib.nullcontext():
            visit = next(visits, None)
            if visit is None:
                return
            step = _step(number, visit, facts)
        if accumulate and visit.node.keeps_grad:
            visit.node.grad = added(visit.node.grad, visit.gradient, facts.loss)
        yield step


def called(node: Node, name: str = "", number: int | None = None) -> str:
    """Return the name of a node in a step: `np.exp #4`, `y = np.exp #4`, `leaf w #2`.

    The number is that in the graph, or else that of its creation.
    """
    mark = f"#{node.number if number is None else number}"
    if node.operation is not None:
        return f"{name and f'{name} = '}{node.operation.name} {mark}"
    return " ".join(filter(None, ("leaf", node.name or name, mark)))


def _step(number: int, visit: Visit, facts: _StepFacts) -> Step:
    """A visit of the walk as a step with this number."""
    node, g, contributions = visit
    name, in_graph = facts.name(node), facts.numbers.get(node)
    if node.operation is None:
        before = node.grad
        after = added(before, g, facts.loss)
        return Step(number, node, _read_only(g), {}, (), before, after, name, in_graph)
    read: dict[str, Any] = {}
    shares = []
    for contribution, edge in zip(contributions, facts.edges(node)):
        case = of_edge(facts.script, edge)
        shares.append(_share(node, contribution, edge.item, facts, case))
        read |= {case.names[id(s)]: s.value for part, s in case.used().items() if part != "g"}
    values = {k: _read_only(v) for k, v in read.items()}
    return Step(number, node, _read_only(g), values, tuple(shares), name=name, of=in_graph)


def _share(
    node: Node, passed: Contribution, item: int | None, facts: _StepFacts, case: Formula
) -> Share:
    """The share of one argument, with the rule of its `case`; `item` is its place in a list."""
    i, to, *arrays = passed
    from_rule, fitted, before, after = map(_read_only, arrays)
    name = argument_names(node.operation, len(node.saved) - 1)[i]  # type: ignore[arg-type]
    axes: tuple[int, ...] = ()
    if from_rule.shape != fitted.shape:
        axes = copied_axes(from_rule.shape, fitted.shape)
    in_graph = facts.numbers.get(to)
    return Share(
        argument=name if item is None else f"{name}[{item}]",
        to=to, rule=case.text, given=from_rule, axes=axes, fitted=fitted, before=before, after=after,
        name=facts.name(to), of=in_graph, note=case.note,
        worked=_worked(to, in_graph, fitted, facts, case),
    )  # fmt: skip


def _worked(to: Node, in_graph: int | None, fitted: Array, facts: _StepFacts, case: Formula) -> str:
    """The first element of what an argument gets, worked out."""
    array = numbers_in(fitted)
    if array is None or not array.size:
        return ""
    target = f"{facts.script.graph[in_graph or 0].short}.grad"
    whole = facts.arrivals[in_graph or 0] == 1 and to.grad is None
    first = (0,) * array.ndim
    return case.worked_out(first, target, array[first], "=" if whole else "gets")


def _read_only(value: Any) -> Any:
    """An array as a read-only view: the walk goes on with it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return frozen_view(np.asarray(value))
    return value


def _boxes(node: Node) -> Iterator[str]:
    """The definitions and modules in which a node ran, the innermost first."""
    for box in outward(node.box):
        yield box.owner if isinstance(box.owner, str) else type(box.owner).__name__


def _table(lines: list[tuple[str, Any]], indent: int) -> str:
    """Lines of `name = numbers`, with the equals signs below each other."""
    width = max(len(name) for name, _ in lines)
    return "\n".join(
        f"{'':{indent}}{name:{width}} = "
        + ("not computed" if value is None else numbers(value, indent + width + 3))
        for name, value in lines
    )
