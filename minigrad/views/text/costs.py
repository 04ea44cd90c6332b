"""The cost of a graph: its operations, their work and memory, by operation and by module."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from ...ran import words
from ...ran.data import UNKNOWN, GraphData, GraphNode, Ref
from .columns import with_numbers

# One operation for each element of the argument.
ONE_FLOP_READ = (
    "np.sum", "np.max", "np.min", "np.any", "np.all", "np.argmax", "np.argmin", "np.cumsum",
    "row_maximum",
)  # fmt: skip
# Floating-point operations of the forward computation, given the number of elements of the result
# and the shapes of the arguments that are arrays. Elementwise functions count one an element,
# whichever they are; constants, and what only moves data, count none.
FLOPS: dict[str, Callable[..., int]] = {
    **dict.fromkeys(ONE_FLOP_READ, lambda n, x: math.prod(x)),
    "np.matmul": lambda n, a, b: 2 * n * a[-1],
    "np.mean": lambda n, x: math.prod(x) + n,
    "np.linalg.inv": lambda n, a: 2 * n * a[-1],
    "np.linalg.det": lambda n, a: 2 * math.prod(a) * a[-1] // 3,
    "np.linalg.solve": lambda n, a, b: 2 * math.prod(a) * a[-1] // 3 + 2 * n * a[-1],
    "logabsdet": lambda n, a: 2 * math.prod(a) * a[-1] // 3,
    "scatter_add": lambda n, values, *_: math.prod(values),
    "logsumexp": lambda n, x: 4 * math.prod(x) + 2 * n,
}
# One for each element, as all ufuncs have.
ONE_FLOP_EACH = {"np.where", "np.round", "relu", "sigmoid", "erf", "clamp", "root", "not_zero"}
NO_FLOPS = {
    "np.reshape", "np.squeeze", "np.expand_dims", "np.broadcast_to", "np.transpose", "np.swapaxes",
    "np.moveaxis", "np.flip", "np.roll", "np.rot90", "np.tril", "np.triu", "np.concatenate",
    "np.copy", "np.zeros_like", "np.ones_like", "getitem", "astype", "bordered",
}  # fmt: skip


def flops(graph: GraphData, node: GraphNode) -> int | None:
    """The floating-point operations of a node's forward computation; None where no rule is known."""
    if node.function is None or node.operation in NO_FLOPS:
        return 0
    rule = FLOPS.get(node.operation)
    elementwise = node.operation in ONE_FLOP_EACH or isinstance(node.function, np.ufunc)
    if rule is None and elementwise:
        return math.prod(node.shape)
    if any(a is UNKNOWN for a in node.arguments):
        return None
    if node.operation == "contract":
        return _contraction(graph, node)
    shapes = [graph[a.number].shape for a in node.arguments if isinstance(a, Ref)]
    return rule(math.prod(node.shape), *shapes) if rule is not None else None


def _contraction(graph: GraphData, node: GraphNode) -> int | None:
    """The operations of an einsum: two for each combination of letters; of one operand, one."""
    operands, subscripts = node.arguments[0], node.arguments[-1]
    if not all(isinstance(a, Ref) for a in operands):
        return None
    size: dict[str, int] = {}
    for term, ref in zip(subscripts.split("->")[0].split(","), operands):
        size.update(zip(term, graph[ref.number].shape))
    return (2 if len(operands) > 1 else 1) * math.prod(size.values())


@dataclasses.dataclass(frozen=True)
class Row:
    """The totals of the operations of one name, or in one module.

    `flops` counts the forward computation; `uncounted` how many operations have no rule for that;
    `parameters` the numbers in parameters, in the total also in other leaves that require a gradient.
    """

    name: str
    operations: int
    flops: int
    uncounted: int
    kept: int
    parameters: int = 0


@dataclasses.dataclass(frozen=True)
class Summary:
    """The totals of a graph: in all, by operation and by module."""

    total: Row
    depth: int
    by_operation: tuple[Row, ...]
    by_module: tuple[Row, ...]

    def __str__(self) -> str:
        total = self.total
        lines = [
            f"{words.plural(total.operations, 'operation')}, the longest chain {self.depth:,}; "
            f"{words.plural(total.parameters, 'parameter value')}",
            f"{_flops(total)} floating-point operations forward; "
            f"{total.kept:,} bytes kept for the backward pass",
        ]
        heads = ("calls", "flops", "bytes kept", "parameters")
        for what, rows in (("operation", self.by_operation), ("module", self.by_module)):
            if rows:
                with_parameters = what == "module"
                cells = [(what, *heads[: 4 if with_parameters else 3])]
                for r in rows:
                    numbers = (f"{r.operations:,}", _flops(r), f"{r.kept:,}", f"{r.parameters:,}")
                    cells.append((r.name, *numbers[: 4 if with_parameters else 3]))
                lines += ["", *with_numbers(cells)]
        return "\n".join(lines)

    __repr__ = __str__


def _flops(row: Row) -> str:
    left_out = f" (and {words.plural(row.uncounted, 'call')} not counted)" if row.uncounted else ""
    return f"{row.flops:,}{left_out}"


def summary(graph: GraphData) -> Summary:
    """Compute the totals of `graph`. A module's row includes the modules inside it."""
    operations = [n for n in graph.nodes if n.kind == "operation" and not n.outside]
    by_operation: dict[str, list[GraphNode]] = {}
    for n in operations:
        by_operation.setdefault(n.operation, []).append(n)
    most_first = sorted(by_operation.items(), key=lambda item: (-len(item[1]), item[0]))
    in_module = _by_module(graph, operations)
    learned_in = _by_module(graph, [n for n in graph.nodes if n.kind == "parameter"])
    learned = [n for n in graph.nodes if n.kind in ("parameter", "input")]
    flops_of = {n.number: flops(graph, n) for n in operations}
    return Summary(
        total=_row("total", operations, flops_of, learned),
        depth=depth(graph),
        by_operation=tuple(_row(name, nodes, flops_of) for name, nodes in most_first),
        by_module=tuple(
            _row(name, nodes, flops_of, learned_in.get(name, ()))
            for name, nodes in in_module.items()
        ),
    )


def _row(
    name: str,
    operations: Sequence[GraphNode],
    flops_of: Mapping[int, int | None],
    learned: Iterable[GraphNode] = (),
) -> Row:
    """The totals of these operations, and of the leaves that are learned."""
    counted = [flops_of[n.number] for n in operations]
    return Row(
        name=name,
        operations=len(operations),
        flops=sum(f for f in counted if f is not None),
        uncounted=counted.count(None),
        kept=sum(n.kept for n in operations),
        parameters=sum(math.prod(n.shape) for n in learned),
    )


def _by_module(graph: GraphData, nodes: Iterable[GraphNode]) -> dict[str, list[GraphNode]]:
    """The nodes of each module, with the nodes of modules inside it, in order of the calls."""
    names = {b.number: b.place for b in graph.boxes if b.kind == "module"}
    by_module: dict[str, list[GraphNode]] = {name: [] for name in names.values()}
    for box, group in itertools.groupby(nodes, key=lambda n: n.box):
        in_box = list(group)
        for name in {names[b.number] for b in graph.outward(box) if b.number in names}:
            by_module[name] += in_box
    return by_module


def depth(graph: GraphData) -> int:
    """Count the operations of the longest chain."""
    longest: dict[int, int] = {}
    operations = {n.number for n in graph.nodes if n.kind == "operation" and not n.outside}
    for e in graph.edges:  # in order of their targets, so each source is done before
        longest[e.target] = max(longest.get(e.target, 1), longest.get(e.source, 0) + 1)
    return max((longest.get(n, 1) for n in operations), default=0)
