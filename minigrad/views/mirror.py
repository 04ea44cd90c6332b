"""The backward pass as a graph of its own: its nodes are gradients, its arrows the rules.

A gradient to which one node contributes is what the rule gives; where several do, each contribution
is a node, and the gradient is their sum, in the order in which the walk back adds them up.
"""

from __future__ import annotations

from typing import Any

from .graph import Edge, Graph, GraphNode, Ref


def backward_of(graph: Graph) -> Graph:
    """The backward pass of `graph`, in the order in which it runs.

    Each node has in `of` the number of the node of `graph` that it belongs to: a gradient that of
    what it is the gradient of, a contribution that of the operation whose rule gives it.
    """
    return _Mirror(graph).graph()


def arriving(graph: Graph) -> dict[int, list[Edge]]:
    """For each node that a gradient reaches, the edges along which it does, in the walk's order."""
    reached: dict[int, list[Edge]] = {n: [] for n in graph.roots if graph[n].state != "needs none"}
    for node in reversed(graph.nodes):
        if node.number in reached:
            for edge in graph.arguments(node.number):
                if edge.differentiable:
                    reached.setdefault(edge.source, []).append(edge)
    return reached


class _Mirror:
    def __init__(self, graph: Graph):
        self.forward = graph
        self.arriving = arriving(graph)
        self.nodes: list[GraphNode] = []
        self.edges: list[Edge] = []
        self.sums: dict[int, int] = {}  # the number of a node's gradient, by that of the node
        self.shares: dict[
            int, list[int]
        ] = {}  # of the contributions to it, where there are several

    def graph(self) -> Graph:
        for node in reversed(self.forward.nodes):
            if node.number not in self.arriving:
                continue
            self._gradient(node)
            for edge in self.forward.arguments(node.number):
                several = len(self.arriving.get(edge.source, ())) > 1
                if edge.differentiable and (several or edge.source in self.forward.roots):
                    made = self._rule(edge, node, f"part of {called(self.forward[edge.source])}")
                    self.shares.setdefault(edge.source, []).append(made)
        ends = [e for e in self.forward.nodes if e.kind in ("parameter", "input")]
        roots = tuple(sorted(self.sums[e.number] for e in ends if e.number in self.sums))
        title = f"the backward pass of {self.forward.title}".removesuffix(" of ")
        boxes, recorded = self.forward.boxes, self.forward.recorded
        return Graph(tuple(self.nodes), tuple(self.edges), boxes, roots, recorded, title)

    def _gradient(self, node: GraphNode) -> None:
        name, edges = called(node), self.arriving[node.number]
        if len(edges) == 1 and node.number not in self.forward.roots:
            made = self._rule(edges[0], node, name)
        else:
            shares = self.shares.get(node.number, [])
            kind = "sum" if shares else "start"
            made = self._node(node, node, name, kind, shares, node.gradient)
            for i, share in enumerate(shares):
                self.edges.append(_edge(share, made, i))
        self.sums[node.number] = made

    def _rule(self, edge: Edge, node: GraphNode, name: str) -> int:
        """What the rule of `edge` gives; `node` is what this belongs to."""
        source = self.forward[edge.source]
        arrived = self.sums[edge.target]
        rule = rule_of(self.forward, edge)
        whole = source is node and source.gradient is not None
        value = source.gradient if whole else edge.contribution
        made = self._node(source, node, name, rule, [arrived], value)
        self.edges.append(_edge(arrived, made, 0))
        return made

    def _node(
        self, like: GraphNode, of: GraphNode, name: str, operation: str, args: list[int], value: Any
    ) -> int:
        """A new node of the shape of `like`, which belongs to `of`; returns its number."""
        number = len(self.nodes)
        self.nodes.append(
            GraphNode(
                number=number, kind="operation", operation=operation, function=None,
                arguments=tuple(map(Ref, args)), options={}, shape=like.shape, dtype=like.dtype,
                value=value, gradient=None, state="needs none", name="", variable=name,
                line=of.line, box=of.box, module=of.module, kept=0, of=of.number,
            )
        )  # fmt: skip
        return number


def _edge(source: int, target: int, position: int) -> Edge:
    return Edge(source, target, position, None, "g", True, None, ())


def rule_of(graph: Graph, edge: Edge) -> str:
    """The rule by which a gradient goes back along `edge`, in one line, and how it is summed."""
    lines = graph.rule(edge).splitlines() or [f"the rule of {graph[edge.target].operation}"]
    rule = lines[0] + (" ..." if len(lines) > 1 else "")
    summed = not (
        graph[edge.target].operation == "np.matmul"
        and len(graph[edge.source].shape) < 3
        and edge.position == 1
    )  # that rule sums over the batches itself
    if not (edge.copied and summed):
        return rule
    axes = ", ".join(map(str, edge.copied))
    return f"{rule}, summed over {'axes' if len(edge.copied) > 1 else 'axis'} {axes}"


def called(node: GraphNode) -> str:
    """The name of the gradient of `node`: `d_x`, or `d_#5` where it has none."""
    return f"d_{node.label or f'#{node.number}'}"
