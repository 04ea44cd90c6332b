"""Roles: what a line of a script is in the graph that the script is of."""

from __future__ import annotations

from typing import NamedTuple

from ..ran.data import GraphEdge


class Role(NamedTuple):
    """The place of a symbol in the computation.

    Attributes:
        kind: "value" of a node; "sum", its gradient, as far as it has arrived; "given" by a rule, and
            "fitted", the same with broadcasting undone. Held: "leaf", "start" of the way back, "number"
            (Python's, among a node's arguments), "gate" (whether a node is on), "constant".
        node: its number; None for a constant.
        position: of the argument that a number is.
        edge: along which a gradient is given.
    """

    kind: str
    node: int | None = None
    position: int | None = None
    edge: GraphEdge | None = None
