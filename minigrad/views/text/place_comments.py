"""Comments in a program: the module, and the line of code, that its next lines are of."""

from __future__ import annotations

from typing import Any

from ...engine.source import SourceLine
from ...ran import words
from ...ran.data import GraphData

WIDTH = 98  # of a line of the program
INDENT = 4
BACK = "back through "


class PlaceComments:
    """Writes a comment wherever the lines of a program begin to be of another place.

        # encoder.layers.0.norm: LayerNorm(512)
        # layer_norm.py:38: return standardize(x) * gain + bias

    On the way back, the first comment begins with "back through".
    """

    def __init__(self, graph: GraphData):
        self.graph = graph
        self._before: Any = ("", None, None)

    def above(self, box: int | None, line: SourceLine | None, way: str = "") -> list[str]:
        """The lines above one of this box and this line of code; none, if it is of the place before.

        `way` is `BACK` on the way back.
        """
        before, self._before = self._before, (way, box, line)
        if self._before == before:
            return []
        comments = []
        title = self._title(box)
        if title and before[:2] != (way, box):
            comments.append(f"{way}{title}")
        if line is not None:
            comments.append(f"{'' if title else way}{line}")
        longest = WIDTH - INDENT - len("# ")
        return ["", *(f"# {words.visible(words.shortened(c, longest))}" for c in comments)]

    def _title(self, number: int | None) -> str:
        """The path, or else the name, and the type of a box; "" outside of all boxes."""
        if number is None:
            return ""
        box = self.graph.box(number)
        return ": ".join(filter(None, (box.path or box.name, box.type)))
