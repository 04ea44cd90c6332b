"""The boxes of a graph, by name, and in which of them each node lies."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine import modes
from ..engine.node import Node
from ..nn import Module
from . import words
from .data import GraphBox
from .module_paths import module_around
from .naming import Names
from .reached import Reached, edges_of


class Boxes:
    """The boxes, and in which of them each node lies.

    Attributes:
        names: the names of nodes and modules.
        early: the nodes that were made before they were used.
        calls: the engine's box of each, in order; `number`: its place here, by its number there.
        boxes: the same as data.
        of: of each node, the number of its box, or None.
    """

    def __init__(self, reached: Reached, calls: Sequence[modes.Box], names: Names):
        self.names = names
        self.early = reached.early
        self.calls = calls
        self.number = {box.number: i for i, box in enumerate(calls)}
        self.boxes: list[GraphBox] = []
        for box in self.calls:
            self.boxes.append(self._box(box))
        self.of = {node: self._in(node.box) for node in reached.calls}
        around_uses = self._around_uses(reached)
        self.of.update((leaf, self._box_of_leaf(leaf, box)) for leaf, box in around_uses.items())

    def _around_uses(self, reached: Reached) -> dict[Node, int | None]:
        """The innermost box around all operations that are given a leaf, for each leaf."""
        found: dict[Node, int | None] = {}
        for node, call in reached.calls.items():
            for _, _, leaf in edges_of(call):
                if leaf.operation is None:
                    box = self.of[node]
                    found[leaf] = self._common(found[leaf], box) if leaf in found else box
        return found

    def _in(self, box: modes.Box | None) -> int | None:
        return None if box is None else self.number[box.number]

    def _box(self, box: modes.Box) -> GraphBox:
        number, parent = self.number[box.number], self._in(box.outer)
        around = self.boxes[parent].path if parent is not None else ""
        owner = box.owner
        if not isinstance(owner, Module):
            path = f"{around}/{owner}" if around else str(owner)
            return GraphBox(
                number, "definition", str(owner), "", path, parent, *_purpose_and_lesson(box)
            )
        path = self.names.paths[id(owner)].name
        outer = module_around(box)
        outer_path = self.names.paths[id(outer.owner)].name if outer is not None else ""
        name = path[len(outer_path) + 1 :] if path.startswith(f"{outer_path}.") else path
        if not path and id(owner) in self.names.modules:
            name = self.names.modules[id(owner)].name
        details = owner.describe()
        kind = type(owner).__name__ + (f" {details}" if details else "")
        return GraphBox(number, "module", name, kind, path, parent, *_purpose_and_lesson(box))

    def module_of(self, box: int | None) -> str | None:
        while box is not None and self.boxes[box].kind != "module":
            box = self.boxes[box].parent
        return None if box is None else self.boxes[box].path

    def _around(self, box: int | None) -> list[int]:
        """The box and those around it, outermost first."""
        chain: list[int] = []
        while box is not None:
            chain.append(box)
            box = self.boxes[box].parent
        return chain[::-1]

    def _common(self, a: int | None, b: int | None) -> int | None:
        """The innermost box around both."""
        if a == b:
            return a
        shared = [x for x, y in zip(self._around(a), self._around(b)) if x == y]
        return shared[-1] if shared else None

    def _box_of_leaf(self, leaf: Node, box: int | None) -> int | None:
        """The box that shows a leaf used in `box`: the box of its module, or where it was made."""
        owner, chain = self.names.owner(leaf), self._around(box)
        if owner is not None:
            at_home = [b for b in chain if self.calls[b].owner is owner]
            modules = [b for b in chain if self.boxes[b].kind == "module"]
            return at_home[-1] if at_home else modules[-1] if modules else None
        if leaf in self.early:
            made = [b for b in chain if self.calls[b].number < leaf.number]
            return made[-1] if made else None
        return None if self.names.key(leaf) in self.names.variables else box


def _purpose_and_lesson(box: modes.Box) -> tuple[str, str]:
    """The purpose of a module, or of a definition, as its docstring says; and its lesson."""
    doc = (type(box.owner) if isinstance(box.owner, Module) else box.function).__doc__
    return words.first_sentence(doc), words.lesson_in(doc)
