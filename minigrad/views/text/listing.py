"""A graph as text: a table of its nodes, and a summary of what it costs."""

from __future__ import annotations

import dataclasses
import itertools
import math
import operator
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...ran import words
from ...ran.data import UNKNOWN, GraphBox, GraphData, GraphNode, Ref
from ...script.operators import BY_FUNCTION

HINT = "? was not kept: compute inside `with mg.record():` to see every value and gradient."

# --- the table ------------------------------------------------------------------------------------


def table_of(graph: GraphData, most: int | None = 200) -> str:
    """The nodes of `graph`, one a line, in columns that two spaces part; at most `most` lines."""
    shown = list(graph.nodes)
    if most is not None and len(shown) > most:
        shown = shown[: most // 2] + shown[-(most - most // 2) :]
    dtypes = Counter(n.dtype for n in graph.nodes).most_common(1)
    usual = dtypes[0][0] if dtypes else None
    columns = ("", "name", "made by", "shape", "value", "gradient", "in", "line", "of")
    rows = [_row(graph, node, usual) for node in shown]
    filled = [i for i in range(len(columns)) if i < 4 or any(row[i] for row in rows)]
    cells = [[columns[i] for i in filled], *([row[i] for i in filled] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*cells)]
    lines = ["  ".join(map(_padded, row, widths)).rstrip() for row in cells]
    if len(shown) < len(graph):
        left_out = f"... {len(graph) - len(shown):,} more; graph.table(None) shows all ..."
        lines.insert(1 + (most or 0) // 2, left_out)
    head = f"graph of {graph.title}: " if graph.title else ""
    note = f" All {usual} unless said." if graph.nodes else ""
    lines = [words.visible(f"{head}{counts(graph)}.{note}"), "", *lines]
    lines += [f"\n#{n.number} failed: {_error(n)}" for n in graph.nodes if n.error]
    if hidden(graph):
        lines += ["", HINT]
    return "\n".join(lines)


def _error(node: GraphNode) -> str:
    return "\n  ".join(map(words.visible, node.error.splitlines()))


def hidden(graph: GraphData) -> bool:
    """Tell whether values or gradients are not known that recording would have kept."""
    unknown = any(n.value is None or n.state == "freed" for n in graph.nodes)
    return unknown and not graph.recorded


def counts(graph: GraphData) -> str:
    """`4 operations, 2 parameters, 1 input`."""
    kinds = Counter(n.kind for n in graph.nodes)
    kinds_shown = (("operation", None), ("parameter", None), ("input", None), ("data", "data"))
    return ", ".join(words.plural(kinds[k], k, many) for k, many in kinds_shown if kinds[k])


def _row(graph: GraphData, node: GraphNode, usual: Any) -> list[str]:
    place = "" if node.box is None else _place(graph.box(node.box))
    shape = words.shape(node.shape)
    unknown = "failed" if node.error else "?"
    return [
        f"#{node.number}",
        words.visible(node.label),
        words.visible(words.shortened(expression(node), 44)),
        _unmade(node) or (shape if node.dtype == usual else f"{shape} {node.dtype}"),
        unknown if node.value is None else words.array(node.value),
        _unmade(node) or (gradient(node) if node.of is None else ""),
        words.visible(place),
        words.visible(words.shortened(str(node.line), 64)) if node.line is not None else "",
        numbered(node.of) if node.of is not None else "",
    ]


def _unmade(node: GraphNode) -> str:
    """Return "-" for a result that an error prevented, else ""."""
    return "-" if node.error and node.value is None else ""


def _place(box: GraphBox) -> str:
    return box.path or box.name or box.type


def gradient(node: GraphNode) -> str:
    """The gradient of a node, or why it has none."""
    if node.state == "freed":
        return "?"
    return words.array(node.gradient) if node.gradient is not None else node.state


def numbered(number: int) -> str:
    return f"#{number}"


def expression(node: GraphNode, called: Callable[[int], str] = numbered) -> str:
    """Return what made a node, as code: `#0 @ #1`, `np.sum(#4, axis=1)`, with arguments as `called`."""
    if node.of is not None:
        return _step(node, called)
    if node.function is None:
        return node.kind
    if node.outside:
        return f"{node.operation}, outside"
    parts = [_argument(a, called) for a in node.arguments]
    row = BY_FUNCTION.get(node.function)
    if row is not None:
        return f"{row.sign}{parts[0]}" if row.unary else f"{parts[0]} {row.sign} {parts[1]}"
    if node.function is operator.getitem and len(parts) == 2:
        index = node.arguments[1]
        inside = (
            ", ".join(_argument(i, called) for i in index) if type(index) is tuple else parts[1]
        )
        return f"{parts[0]}[{inside or '()'}]"
    options = ((k, v) for k, v in node.options.items() if v is not None and v is not False)
    parts += [f"{name}={words.literal(value)}" for name, value in options]
    return f"{node.operation}({', '.join(parts)})"


def _step(node: GraphNode, called: Callable[[int], str]) -> str:
    """A node of a backward pass: `g * b with g = #0`, `#1 + #2`."""
    given = [called(a.number) for a in node.arguments]
    if node.operation == "sum":
        return " + ".join(given)
    return f"{node.operation} with g = {given[0]}" if given else "where it starts"


def _argument(argument: Any, called: Callable[[int], str]) -> str:
    if isinstance(argument, Ref):
        return called(argument.number)
    if isinstance(argument, (list, tuple)) and any(isinstance(a, Ref) for a in argument):
        listed = ", ".join(_argument(a, called) for a in argument)
        return f"[{listed}]" if isinstance(argument, list) else f"({listed})"
    return words.literal(argument)


def _width(cell: str) -> int:
    """The columns that a terminal gives to `cell`."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in cell
    )


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - _width(cell))


# --- what it costs --------------------------------------------------------------------------------

# Floating-point operations of the forward computation, given the number of elements of the result
# and the shapes of the arguments that are arrays. Elementwise functions count one an element,
# whichever they are; constants, and what only moves data, count none.
FLOPS: dict[str, Callable[..., int]] = {
    "np.matmul": lambda n, a, b: 2 * n * a[-1],
    "np.sum": lambda n, x: math.prod(x),
    "np.mean": lambda n, x: math.prod(x) + n,
    "np.max": lambda n, x: math.prod(x),
    "np.min": lambda n, x: math.prod(x),
    "np.any": lambda n, x: math.prod(x),
    "np.all": lambda n, x: math.prod(x),
    "np.argmax": lambda n, x: math.prod(x),
    "np.argmin": lambda n, x: math.prod(x),
    "np.cumsum": lambda n, x: math.prod(x),
    "np.linalg.inv": lambda n, a: 2 * n * a[-1],
    "np.linalg.det": lambda n, a: 2 * math.prod(a) * a[-1] // 3,
    "np.linalg.solve": lambda n, a, b: 2 * math.prod(a) * a[-1] // 3 + 2 * n * a[-1],
    "logabsdet": lambda n, a: 2 * math.prod(a) * a[-1] // 3,
    "scatter_add": lambda n, values, *_: math.prod(values),
    "row_maximum": lambda n, x: math.prod(x),
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
                lines += ["", *_columns(cells)]
        return "\n".join(lines)

    __repr__ = __str__


def _flops(row: Row) -> str:
    left_out = f" (and {words.plural(row.uncounted, 'call')} not counted)" if row.uncounted else ""
    return f"{row.flops:,}{left_out}"


def _columns(cells: Sequence[Sequence[str]]) -> list[str]:
    """Names to the left, numbers to the right."""
    first, *others = [max(map(_width, c)) for c in zip(*cells)]
    return [
        "  ".join(
            [_padded(words.visible(row[0]), first), *(f"{c:>{w}}" for c, w in zip(row[1:], others))]
        )
        for row in cells
    ]


def summary(graph: GraphData) -> Summary:
    """Compute the totals of `graph`. A module's row includes the modules inside it."""
    operations = [n for n in graph.nodes if n.kind == "operation" and not n.outside]
    flops_of = {n.number: flops(graph, n) for n in operations}
    parameters = [n for n in graph.nodes if n.kind == "parameter"]

    def row(name: str, nodes: Iterable[GraphNode], own: Iterable[GraphNode] = ()) -> Row:
        nodes = list(nodes)
        counted = [flops_of[n.number] for n in nodes]
        return Row(
            name=name,
            operations=len(nodes),
            flops=sum(f for f in counted if f is not None),
            uncounted=counted.count(None),
            kept=sum(n.kept for n in nodes),
            parameters=sum(math.prod(n.shape) for n in own),
        )

    by_operation: dict[str, list[GraphNode]] = {}
    for n in operations:
        by_operation.setdefault(n.operation, []).append(n)
    inside = _by_module(graph, operations)
    owned = _by_module(graph, parameters)
    most_first = sorted(by_operation.items(), key=lambda item: (-len(item[1]), item[0]))
    return Summary(
        total=row(
            "total", operations, [n for n in graph.nodes if n.kind in ("parameter", "input")]
        ),
        depth=depth(graph),
        by_operation=tuple(row(name, nodes) for name, nodes in most_first),
        by_module=tuple(row(name, inside[name], owned.get(name, ())) for name in inside),
    )


def _by_module(graph: GraphData, nodes: Iterable[GraphNode]) -> dict[str, list[GraphNode]]:
    """The nodes of each module, those of the modules inside it among them, in order of the calls."""
    found: dict[str, list[GraphNode]] = {}
    names = {b.number: _place(b) for b in graph.boxes if b.kind == "module"}
    for name in names.values():
        found.setdefault(name, [])
    for box, group in itertools.groupby(nodes, key=lambda n: n.box):
        members = list(group)
        around: dict[str, None] = {}
        while box is not None:
            if box in names:
                around[names[box]] = None
            box = graph.box(box).parent
        for name in around:
            found[name] += members
    return found


def depth(graph: GraphData) -> int:
    """Count the operations of the longest chain."""
    longest: dict[int, int] = {}
    operations = {n.number for n in graph.nodes if n.kind == "operation" and not n.outside}
    for e in graph.edges:  # in order of their targets, so each source is done before
        longest[e.target] = max(longest.get(e.target, 1), longest.get(e.source, 0) + 1)
    return max((longest.get(n, 1) for n in operations), default=0)
