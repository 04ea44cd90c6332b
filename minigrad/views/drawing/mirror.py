"""The backward pass as a separate graph: its nodes are gradients, its arrows the rules.

A gradient to which one node contributes is what the rule gives; where several do, each contribution
is a node, and the gradient is their sum, in the order in which the walk back adds them up.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ...ran.data import G, GraphData, GraphEdge, GraphNode, Ref
from ..text import reading


def backward_of(graph: G) -> G:
    """The backward pass of `graph`, in the order in which it runs.

    Each node has in `of` the number of the node of `graph` that it belongs to: a gradient that of
    what it is the gradient of, a contribution that of the operation whose rule gives it.
    """
    mirror = _Mirror(graph)
    return dataclasses.replace(
        graph,
        nodes=tuple(mirror.nodes),
        edges=tuple(mirror.edges),
        roots=mirror.roots,
        title=f"the backward pass of {graph.title}".removesuffix(" of "),
    )


def arriving(graph: GraphData) -> dict[int, list[GraphEdge]]:
    """For each node that a gradient reaches, the edges along which it does, in the walk's order."""
    by_source: dict[int, list[GraphEdge]] = {node.number: [] for node, _ in graph.way_back}
    for _, edges in graph.way_back:
        for edge in edges:
            by_source[edge.source].append(edge)
    return by_source


class _Mirror:
    """Makes the nodes and edges of the backward pass, in the order of the walk back."""

    def __init__(self, graph: GraphData):
        self.forward = graph
        self.arriving = arriving(graph)
        self.rules = rules_of(graph)
        self.nodes: list[GraphNode] = []
        self.edges: list[GraphEdge] = []
        self.sums: dict[int, int] = {}  # the number of a node's gradient, by the number of the node
        self.several: dict[int, list[int]] = {}  # contributions to one gradient
        for node, edges in graph.way_back:
            self._gradient(node)
            for edge in edges:
                if len(self.arriving[edge.source]) > 1 or edge.source in graph.roots:
                    name = f"part of {gradient_name(graph[edge.source])}"
                    self.several.setdefault(edge.source, []).append(self._rule(edge, node, name))
        ends = (n.number for n in graph.nodes if n.kind in ("parameter", "input"))
        self.roots = tuple(sorted(self.sums[n] for n in ends if n in self.sums))

    def _gradient(self, node: GraphNode) -> None:
        """Add a node for a gradient: what the only rule gives, or the sum of what several give."""
        name, edges = gradient_name(node), self.arriving[node.number]
        if len(edges) == 1 and node.number not in self.forward.roots:
            self.sums[node.number] = self._rule(edges[0], node, name)
            return
        contributions = self.several.get(node.number, [])
        kind = "sum" if contributions else "start"
        number = self._node(node, node, name, kind, contributions, node.gradient)
        for i, contribution in enumerate(contributions):
            self.edges.append(_edge(contribution, number, i))
        self.sums[node.number] = number

    def _rule(self, edge: GraphEdge, node: GraphNode, name: str) -> int:
        """Add a node for what the rule of `edge` gives; it belongs to `node`. Return its number."""
        source = self.forward[edge.source]
        arrived = self.sums[edge.target]
        rule = self.rules[id(edge)]
        whole = source is node and source.gradient is not None
        value = source.gradient if whole else edge.contribution
        number = self._node(source, node, name, rule, [arrived], value)
        self.edges.append(_edge(arrived, number, 0))
        return number

    def _node(
        self,
        like: GraphNode,
        owner: GraphNode,
        name: str,
        operation: str,
        args: list[int],
        value: Any,
    ) -> int:
        """A new node of the shape of `like`, which belongs to `owner`; returns its number."""
        number = len(self.nodes)
        self.nodes.append(
            GraphNode(
                number=number, kind="operation", operation=operation, function=None,
                arguments=tuple(map(Ref, args)), options={}, shape=like.shape, dtype=like.dtype,
                value=value, gradient=None, state="needs none", name="", variable=name,
                line=owner.line, box=owner.box, module=owner.module, kept=0, of=owner.number,
            )
        )  # fmt: skip
        return number


def _edge(source: int, target: int, position: int) -> GraphEdge:
    return GraphEdge(source, target, position, None, "g", True, None, ())


def in_one_line(rule: str, edge: GraphEdge, operation: str) -> str:
    """The rule by which a gradient goes back along `edge`, in one line, and how it is summed."""
    lines = rule.splitlines() or [f"the rule of {operation}"]
    rule = lines[0] + (" ..." if len(lines) > 1 else "")
    if not edge.copied:
        return rule
    axes = ", ".join(map(str, edge.copied))
    return f"{rule}, summed over {'axes' if len(edge.copied) > 1 else 'axis'} {axes}"


def rules_of(graph: GraphData) -> dict[int, str]:
    """For each edge that a gradient goes back along, by its id: its rule in one line."""
    reader = reading.Formulas(graph, numbered=False)
    back = (edge for _, edges in graph.way_back for edge in edges)
    return {id(e): in_one_line(reader.edge(e).text, e, graph[e.target].operation) for e in back}


def gradient_name(node: GraphNode) -> str:
    """The name of the gradient of `node`: `d_x`, or `d_#5` where it has none."""
    return f"d_{node.label or f'#{node.number}'}"
