"""Roles: what a line of a script is in the graph that the script is of."""

from __future__ import annotations

from typing import NamedTuple

from ..ran.data import GraphEdge


class Role(NamedTuple):
    """The place of a symbol in the computation.

    Attributes:
        kind: of a line: "value" of a node; "sum", its gradient, as far as it has arrived; "given" by a
            rule, and "fitted", the same with broadcasting undone; in the compiler also "part" of
            another line. Of a held symbol: "leaf", "start" of the way back, "number" (Python's, among a
            node's arguments), "gate" (whether a node is on), "constant".
        node: the number of the node; None for a constant.
        position: for a number, its place among the arguments.
        edge: the edge along which a gradient goes.
    """

    kind: str
    node: int | None = None
    position: int | None = None
    edge: GraphEdge | None = None

    @property
    def maker(self) -> int | None:
        """The number of the node whose function, or on the way back whose rule, makes the call."""
        return self.node if self.edge is None else self.edge.target
