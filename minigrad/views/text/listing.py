"""A graph as text: a table of its nodes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...ran import words
from ...ran.data import GraphData, GraphNode
from .columns import padded, width_of
from .expressions import expression, numbered

HINT = "? was not kept: compute inside `with mg.record():` to see every value and gradient."


def table_of(graph: GraphData, most: int | None = 200) -> str:
    """The nodes of `graph`, one a line, in columns that two spaces part; at most `most` lines."""
    nodes = list(graph.nodes)
    if most is not None and len(nodes) > most:
        nodes = nodes[: most // 2] + nodes[-(most - most // 2) :]
    dtypes = Counter(n.dtype for n in graph.nodes).most_common(1)
    usual = dtypes[0][0] if dtypes else None
    columns = ("", "name", "made by", "shape", "value", "gradient", "in", "line", "of")
    rows = [_row(graph, node, usual) for node in nodes]
    filled = [i for i in range(len(columns)) if i < 4 or any(row[i] for row in rows)]
    cells = [[columns[i] for i in filled], *([row[i] for i in filled] for row in rows)]
    widths = [max(map(width_of, column)) for column in zip(*cells)]
    lines = ["  ".join(map(padded, row, widths)).rstrip() for row in cells]
    if len(nodes) < len(graph):
        left_out = f"... {len(graph) - len(nodes):,} more; graph.table(None) shows all ..."
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
    """The cells of a node, in the order of the columns; `usual` is the dtype that need not be said."""
    place = "" if node.box is None else graph.box(node.box).place
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


def gradient(node: GraphNode) -> str:
    """The gradient of a node, or why it has none."""
    if node.state == "freed":
        return "?"
    return words.array(node.gradient) if node.gradient is not None else node.state
