"""The backward walk, one step at a time: what arrives, by which rule, and what is passed on.

    for step in steps(loss):
        print(step)

`backward()` is the same walk, run to its end. Call `steps` on a loss that was computed under
`record()` to see the lines of code as well, and the names of all variables.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..engine.node import Node, Outline
from ..engine.tensor import Tensor, tensor_of
from ..engine.walk import Contribution, Visit, copied_axes, first_gradient, order, walk
from ..errors import MinigradError
from ..rules_as_text import source_of
from ..switches import enable_grad
from .capture import numbers as numbers_in
from .show import numbers, outline, read_only
from .source import variables
from .text import literal


@dataclass(frozen=True)
class Share:
    """The part of the gradient that one argument of an operation gets. Arrays are read-only.

    Attributes:
        argument: its name, as the rule has it: `x`, `b`, `arrays[1]`.
        to: the node that made it, where its gradients are summed.
        rule: the rule's text, as written in the table.
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
    given: Any
    axes: tuple[int, ...]
    fitted: Any
    before: Any
    after: Any
    name: str = ""
    of: int | None = None

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
        return head + _table(lines, 4)


@dataclass(frozen=True)
class Step:
    """One step of the walk: an operation that passes its gradient on, or a leaf.

    Arrays are read-only; with `create_graph=True` they are Tensors.

    Attributes:
        number: of the step, from 1.
        node: the operation, or the leaf.
        gradient: the gradient of the loss with respect to the node's result, all of it by now.
        values: what the rules read, by the names they use: arguments, `y`, axes; `Outline`s for
            arrays of which they need only the shape.
        shares: what each argument gets; none for a leaf.
        before, after: of a leaf, `.grad` before the walk, and what `backward()` leaves there; None for
            an operation, and `before` is None as well where nothing was computed yet.
        name: of the leaf, or of the variable that held what the node is; "" for none.
        of: the number of `node` in the loss's graph, as in `graph(loss)[step.of]`.
    """

    number: int
    node: Node
    gradient: Any
    values: dict[str, Any]
    shares: tuple[Share, ...]
    before: Any = None
    after: Any = None
    name: str = ""
    of: int | None = None

    def __str__(self) -> str:
        head = f"Step {self.number}: {called(self.node, self.name, self.of)}, {outline(self.node)}"
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
        arrays = {
            k: v for k, v in self.values.items() if hasattr(v, "dtype") and type(v) is not Outline
        }
        others = [_setting(k, v) for k, v in self.values.items() if k not in arrays]
        parts.append(_table([("g", self.gradient), *arrays.items()], 2))
        if others:
            parts.append(f"  where {', '.join(others)}")
        return "\n".join([*parts, *(f"  {share}" for share in self.shares)])


def steps(
    loss: Tensor, gradient: Any = None, *, accumulate: bool = False, retain_graph: bool = True,
    create_graph: bool = False,
) -> Iterator[Step]:  # fmt: skip
    """Walk back from `loss` as `loss.backward()` does, and yield each step as a printable `Step`.

    It is a way of looking: the graph stays, and so does the `.grad` of every leaf. Nodes have the
    numbers that they have in `graph(loss)`.

    Args:
        loss, gradient, create_graph: as for `Tensor.backward`, whose errors it raises.
        accumulate: add each gradient to `.grad` when the walk reaches it, as `backward()` does.
        retain_graph: keep what the graph holds; False frees each node after its step.

        x = Tensor([1.0, 2.0], requires_grad=True, name="x")
        for step in steps(np.sum(x * x)):
            print(step)
    """
    start: dict[Any, Any] = {loss._node: first_gradient(loss, gradient, create_graph)}
    order(start)  # raises for a graph that has been freed, before the first step
    known = _Known({}, numbers_in(loss))
    for name, value in variables():
        if isinstance(value, Tensor) and value._node is not None:
            known.names.setdefault(value._node, name)
    return _steps(start, accumulate, retain_graph, create_graph, known)


class _Known(NamedTuple):
    """The names and numbers of nodes, which they do not hold."""

    names: dict[Node, str]
    numbers: dict[Node, int]

    def name(self, node: Node) -> str:
        return (node.operation is None and node.name) or self.names.get(node, "")


def _steps(
    start: dict[Any, Any], accumulate: bool, retain_graph: bool, create_graph: bool, known: _Known
) -> Iterator[Step]:
    visits = walk(start)
    for number in itertools.count(1):
        with enable_grad() if create_graph else contextlib.nullcontext():
            try:
                visit = next(visits, None)
            except MinigradError as error:
                (error.root,) = start
                raise
            if visit is None:
                return
            step = _step(number, visit, known)
        if accumulate and visit.node.keeps_grad:
            visit.node.grad = _added(visit.node.grad, visit.gradient)
        if not (retain_graph or create_graph):
            visit.node.saved = None
        yield step


def called(node: Node, name: str = "", number: int | None = None) -> str:
    """Return the name of a node in a step: `np.exp #4`, `y = np.exp #4`, `leaf w #2`.

    The number is that in the graph, or else that of its creation.
    """
    mark = f"#{node.number if number is None else number}"
    if node.operation is not None:
        return f"{name and f'{name} = '}{node.operation.name} {mark}"
    return " ".join(filter(None, ("leaf", node.name or name, mark)))


def argument_names(rule: Callable, count: int) -> list[str]:
    """List a rule's names for the `count` arguments of its function: `x`, or `args[0]`."""
    names: list[str] = []
    for parameter in list(inspect.signature(rule).parameters.values())[2:]:
        name = parameter.name.lstrip("_")
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{name}[{k}]" for k in range(count - len(names))]
        else:
            names.append(name)
    return names


def _step(number: int, visit: Visit, known: _Known) -> Step:
    node, g, contributions = visit
    name, of = known.name(node), known.numbers.get(node)
    if node.operation is None:
        before = node.grad
        return Step(number, node, _seen(g), {}, (), before, _added(before, g), name, of)
    if node.note is not None:  # record() noted which variables held the arguments
        for argument, held in node.note.names:
            known.names.setdefault(argument, held)
    shares = tuple(
        _share(node, contribution, item, known)
        for contribution, (_, item, _) in zip(contributions, node.edges)
    )
    mentioned = set(re.findall(r"\w+", " ".join(share.rule for share in shares)))
    values: dict[str, Any] = {}
    for i in dict.fromkeys(i for i, _, _ in node.edges):
        signature = inspect.signature(node.operation.rules[i])
        arguments = signature.bind(None, *node.saved, **node.kwargs)  # type: ignore[misc]
        arguments.apply_defaults()
        (_, y, *named) = ((k.lstrip("_"), v) for k, v in arguments.arguments.items())
        values |= {k: _seen(v) for k, v in (*named, y) if k in mentioned}
    return Step(number, node, _seen(g), values, shares, name=known.name(node), of=of)


def _added(before: Tensor | None, g: Any) -> Tensor:
    """The gradients of two backward passes, added: what `.grad` held, and what arrived now."""
    if before is not None:
        g = before + g if isinstance(g, Tensor) else before._array + g
    return g if isinstance(g, Tensor) else tensor_of(g)


def _share(node: Node, passed: Contribution, item: int | None, known: _Known) -> Share:
    i, to, *arrays = passed
    given, fitted, before, after = map(_seen, arrays)
    rule = node.operation.rules[i]  # type: ignore[union-attr]
    name = argument_names(rule, len(node.saved) - 1)[i]  # type: ignore[arg-type]
    text, place = source_of(rule), "" if item is None else f"[{item}]"
    axes: tuple[int, ...] = ()
    if given.shape != fitted.shape:
        axes = copied_axes(given.shape, fitted.shape)
    of = known.numbers.get(to)
    return Share(
        name + place, to, text + place, given, axes, fitted, before, after, known.name(to), of
    )


def _seen(value: Any) -> Any:
    """An array as a read-only view: the walk goes on with it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return read_only(np.asarray(value))
    return value


def _boxes(node: Node) -> Iterator[str]:
    """The definitions and modules in which a node ran, the innermost first."""
    box = node.box
    while box is not None:
        yield box.owner if isinstance(box.owner, str) else type(box.owner).__name__
        box = box.outer


def _table(lines: list[tuple[str, Any]], indent: int) -> str:
    """Lines of `name = numbers`, with the equals signs below each other."""
    width = max(len(name) for name, _ in lines)
    return "\n".join(
        f"{'':{indent}}{name:{width}} = "
        + ("not computed" if value is None else numbers(value, indent + width + 3))
        for name, value in lines
    )


def _setting(name: str, value: Any) -> str:
    if isinstance(value, Outline):
        return f"{name}.shape = {value.shape}"
    if isinstance(value, list) and value and all(hasattr(v, "shape") for v in value):
        return f"{name} of shapes {', '.join(str(v.shape) for v in value)}"
    return f"{name} = {_written(value)}"


def _written(value: Any) -> str:
    """An index or a setting as one would write it: `0:2`, `[0, 1]`, `None`."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))}{',' if len(value) == 1 else ''})"
    return numbers(value) if isinstance(value, (np.ndarray, Tensor)) else literal(value)
