"""The backward walk, one step at a time: what arrives, by which rule, and what is passed on.

    for step in steps(loss):
        print(step)

`backward()` is the same walk, run to its end. Call `steps` on a loss that was computed under
`record()` to see the lines of code as well, and the names of all variables.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..engine import table
from ..engine import walk as backprop
from ..engine.node import Node
from ..engine.table import Spec
from ..engine.tensor import Tensor
from ..engine.walk import Passed, Target
from .capture import numbers as numbers_in
from .show import numbers, outline, read_only
from .source import variables
from .text import literal


@dataclass(frozen=True)
class Share:
    """What one argument of an operation gets of the gradient. Arrays are read-only.

    Attributes:
        argument: its name, as the rule has it: `x`, `b`, `arrays[1]`.
        to: the node or leaf that made it, where its gradients are summed.
        rule: the rule's text, as it stands in the table.
        given: what the rule gave.
        axes: the axes of `given` that were summed, because broadcasting had made copies along them.
        fitted: the result, of the argument's own shape and dtype.
        before: what had arrived at `to` by then, from its other uses; None where nothing had.
        after: the sum of `before` and `fitted`.
        name: of `to`, or of the variable that held it; "" for none.
        of: the number of `to` in the loss's graph.
    """

    argument: str
    to: Target
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
    """One step of the walk: an operation that hands its gradient on, or a leaf that keeps it.

    Arrays are read-only; with `create_graph=True` they are Tensors.

    Attributes:
        number: of the step, from 1.
        node: the operation (a `Node`), or the leaf (a `Tensor`).
        gradient: the gradient of the loss with respect to the node's result, all of it by now.
        values: what the rules read, by the names they use: arguments, `y`, axes; Specs for arrays
            of which they need only the shape.
        shares: what each argument gets; none for a leaf.
        before, after: the `.grad` of a leaf, before this step and after; None for an operation, and
            `before` is None as well where nothing was computed yet.
        name: of the leaf, or of the variable that held what the node is; "" for none.
        of: the number of `node` in the loss's graph, as in `graph(loss)[step.of]`.
    """

    number: int
    node: Target
    gradient: Any
    values: dict[str, Any]
    shares: tuple[Share, ...]
    before: Any = None
    after: Any = None
    name: str = ""
    of: int | None = None

    def __str__(self) -> str:
        head = f"Step {self.number}: {called(self.node, self.name, self.of)}, {outline(self.node)}"
        if isinstance(self.node, Tensor):
            lines = [
                ("g", self.gradient),
                (".grad before", self.before),
                (".grad after", self.after),
            ]
            return f"{head}\n{_table(lines, 2)}"
        parts = [head + "".join(f", in {owner}" for owner in _boxes(self.node))]
        if self.node.note is not None and self.node.note.where is not None:
            parts.append(f"  {self.node.note.where}")
        arrays = {
            k: v for k, v in self.values.items() if hasattr(v, "dtype") and type(v) is not Spec
        }
        others = [_setting(k, v) for k, v in self.values.items() if k not in arrays]
        parts.append(_table([("g", self.gradient), *arrays.items()], 2))
        if others:
            parts.append(f"  where {', '.join(others)}")
        return "\n".join([*parts, *(f"  {share}" for share in self.shares)])


def steps(
    loss: Tensor, gradient: Any = None, *, retain_graph: bool = False, create_graph: bool = False
) -> Iterator[Step]:
    """Walk back from `loss` as `loss.backward()` does, and yield each step as a printable `Step`.

    Gradients reach the leaves as the walk reaches them: a walk that is left half-way has done half
    the work, and its graph cannot be walked again. Nodes have the numbers that they have in
    `graph(loss)`; after the walk, that finds all of them only if they were computed under `record()`.
    See `Tensor.backward` for arguments and errors.

        x = Tensor([1.0, 2.0], requires_grad=True, name="x")
        for step in steps(np.sum(x * x)):
            print(step)
    """
    walk = backprop.walk(loss, gradient, retain_graph, create_graph, keep=True)
    known = _Known({}, numbers_in(loss))
    for name, value in variables():
        if isinstance(value, Tensor):
            known.names.setdefault(value._node or value, name)
    return (_step(number, *found, known) for number, found in enumerate(walk, 1))


class _Known(NamedTuple):
    """What is known of operations and leaves beside what they hold."""

    names: dict[Target, str]
    numbers: dict[Target, int]


def called(target: Target, name: str = "", number: int | None = None) -> str:
    """How a step speaks of an operation or a leaf: `np.exp #4`, `y = np.exp #4`, `leaf w #2`.

    The number is that in the graph, or else that of its creation.
    """
    mark = f"#{target.number if number is None else number}"
    if isinstance(target, Node):
        return f"{name and f'{name} = '}{table.name_of(target.function)} {mark}"
    return " ".join(filter(None, ("leaf", target.name or name, mark)))


def argument_names(rule: Callable, count: int) -> list[str]:
    """What a rule calls the `count` arguments of its function: `x`, or `args[0]`."""
    names: list[str] = []
    for parameter in list(inspect.signature(rule).parameters.values())[2:]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}[{k}]" for k in range(count - len(names))]
        else:
            names.append(parameter.name)
    return names


def _step(
    number: int, node: Target, gradient: Any, passed: Sequence[Passed], known: _Known
) -> Step:
    gradient, of = _seen(gradient), known.numbers.get(node)
    if isinstance(node, Tensor):
        (end,) = passed
        name = node.name or known.names.get(node, "")
        return Step(number, node, gradient, {}, (), end.before, end.after, name, of)
    if node.note is not None:  # record() noted which variables held the arguments
        for tensor, name in node.note.names:
            known.names.setdefault(tensor._node or tensor, name)
    shares = tuple(_share(node, passed, k, known) for k in range(len(passed)))
    mentioned = set(re.findall(r"\w+", " ".join(share.rule for share in shares)))
    values: dict[str, Any] = {}
    for i in dict.fromkeys(p.i for p in passed):
        arguments = inspect.signature(node.rules[i]).bind(None, node.y, *node.args, **node.kwargs)
        arguments.apply_defaults()
        (_, y, *named) = arguments.arguments.items()
        values |= {k: _seen(v) for k, v in (*named, y) if k in mentioned}
    return Step(number, node, gradient, values, shares, name=known.names.get(node, ""), of=of)


def _share(node: Node, passed: Sequence[Passed], k: int, known: _Known) -> Share:
    i, to, *arrays = passed[k]
    given, fitted, before, after = map(_seen, arrays)
    rule = node.rules[i]
    name = argument_names(rule, len(node.args))[i]
    text = table.source_of(rule)
    if isinstance(node.args[i], (list, tuple)):
        parents = dict(node.edges)[i]
        place = [j for j, p in enumerate(parents) if p is not None][
            sum(p.i == i for p in passed[:k])
        ]
        name, text = f"{name}[{place}]", f"{text}[{place}]"
    axes: tuple[int, ...] = ()
    if given.shape != fitted.shape:
        axes = backprop.copied_axes(given.shape, fitted.shape)
    held = (isinstance(to, Tensor) and to.name) or known.names.get(to, "")
    return Share(name, to, text, given, axes, fitted, before, after, held, known.numbers.get(to))


def _seen(value: Any) -> Any:
    """An array as a read-only view: the walk goes on with it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return read_only(np.asarray(value))
    return value


def _boxes(node: Node) -> Iterator[str]:
    """The compositions and modules in which a node ran, the innermost first."""
    scope = node.scope
    while scope is not None:
        yield scope.owner if isinstance(scope.owner, str) else type(scope.owner).__name__
        scope = scope.outer


def _table(lines: list[tuple[str, Any]], indent: int) -> str:
    """Lines of `name = numbers`, with the equals signs below each other."""
    width = max(len(name) for name, _ in lines)
    return "\n".join(
        f"{'':{indent}}{name:{width}} = "
        + ("not computed" if value is None else numbers(value, indent + width + 3))
        for name, value in lines
    )


def _setting(name: str, value: Any) -> str:
    if isinstance(value, Spec):
        return f"{name}.shape = {value.shape}"
    if isinstance(value, list) and value and all(hasattr(v, "shape") for v in value):
        return f"{name} of shapes {', '.join(str(v.shape) for v in value)}"
    return f"{name} = {_written(value)}"


def _written(value: Any) -> str:
    """An index or a setting as one would write it: `0:2`, `[0, 1]`, `None`."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))}{',' if len(value) == 1 else ''})"
    return numbers(value) if isinstance(value, (np.ndarray, Tensor)) else literal(value)
