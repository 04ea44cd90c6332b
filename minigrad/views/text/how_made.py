"""A node on the way forward, for who asks for one: what made it, and its first element worked out."""

from __future__ import annotations

from ...ran.data import GraphData
from ...script.script import Script
from .expressions import expression
from .reading import of_node
from .show import numbers


def how_made(graph: GraphData, name: str) -> str:
    """Say how a node was made on the way forward, with its first element worked out.

    `name` is its name, that of its variable, the last part of either, or `#number`.
    """
    has_name = lambda n: name in (f"#{n.number}", n.name, n.variable, n.short)
    node = next((n for n in graph.nodes if has_name(n)), None)
    if node is None:
        return f"there is no {name} in the table"
    head = f"{node.label or f'#{node.number}'}, {node.role}"
    if node.function is not None:
        made_by = expression(node, lambda n: graph[n].short)
        head = f"{node.label or f'#{node.number}'} = {made_by}"
    parts = [head, *([f"  {node.line}"] if node.line is not None else [])]
    if node.value is None:
        return "\n".join([*parts, "  its value was not kept"])
    parts.append(f"  = {numbers(node.value, 4)}")
    if node.function is not None and node.value.size:
        first = (0,) * node.value.ndim
        case = of_node(Script(graph, forward=False), node)
        parts.append(f"  {case.worked_out(first, node.short, node.value[first])}")
    return "\n".join(part for part in parts if part.strip())
