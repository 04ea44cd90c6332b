"""The look of a drawing's nodes and boxes: colours, borders, corners, and the sizes of text."""

from __future__ import annotations

from typing import NamedTuple

from ...ran.data import GraphNode

SIZE, SMALL = 11, 9  # points: of the text of nodes, and of arrows
MARGIN = (0.12, 0.06)  # inches, on each side of the text of a node
FONT = "Helvetica,Arial,sans-serif"

# Okabe and Ito's hues, which colour-blind readers can tell apart, as tints with dark text on them.
INK, QUIET, BACKWARD, FAINT = "#1f2937", "#64748b", "#b3370f", "#dd9f85"
LOOKS = {  # fill, border
    "parameter": ("#ffe8c2", "#b45309"),
    "input": ("#dbeafe", "#1d5fa8"),
    "data": ("#f1f5f9", "#94a3b8"),
    "operation": ("#ffffff", "#64748b"),
    "result": ("#cdeee0", "#00785c"),
    "module": ("#e9e5fb", "#5b4db1"),
    "definition": ("#f3effc", "#8b80c9"),
    "group": ("#e5e7eb", "#64748b"),
    "error": ("#fbd5e0", "#a3123f"),
    "gradient": ("#fff0e8", BACKWARD),
}
SQUARE = ("parameter", "input", "data", "error")  # the corners of all others are rounded
DASHES = {"zero": (",dashed", BACKWARD), "freed": (",dotted", QUIET)}  # of a gradient; its border
CLUSTERS = {  # of open boxes, the deeper the darker by turns
    "module": (("#f6f5fd", "#edebfa"), "#b5addf"),
    "definition": (("#fafaf7", "#f1f1ea"), "#c9c7b8"),
    "repeat": (("#f6f5fd", "#edebfa"), "#b5addf"),
}


class Look(NamedTuple):
    """The look of a node.

    Attributes:
        kind: the name of its class: that of the node, "result" or "error".
        pen: the width of its border, in points.
        ink: of its text; None for that of all.
    """

    kind: str
    fill: str
    border: str
    style: str
    pen: float
    ink: str | None


def look_of(node: GraphNode, is_result: bool, gradients: bool) -> Look:
    """The look of a node: of its kind, and where `gradients` are shown, of the state of its gradient."""
    kind = node.kind
    if node.error:
        kind = "error"
    elif kind == "operation" and is_result:
        kind = "result"
    state = node.state if gradients and kind != "error" else ""
    fill, border = LOOKS[kind]
    dashes, border = DASHES.get(state, ("", border))
    pen = 2.0 if kind in ("result", "error") else 1.0
    pen = {"zero": 1.8, "known": pen + 0.6}.get(state, pen)
    if node.of is not None and kind != "error":
        fill, border = LOOKS["gradient"]
    style = f"filled{'' if kind in SQUARE else ',rounded'}{dashes}"
    faint = node.of is None and node.state == "needs none" and kind not in ("result", "error")
    if node.outside:
        style, fill, faint = "filled,dashed", "#ffffff", True
    if faint:
        border = LOOKS["data"][1]
    return Look(kind, fill, border, style, pen, QUIET if faint else None)
