"""The boxes of a graph, by name, and in which of them each node lies."""

from __future__ import annotations

from collections.abc import Iterable

from ..engine import modes
from ..engine.node import Node
from ..nn import Module
from . import words
from .data import GraphBox
from .naming import Names
from .reached import Reached, edges_of


class Boxes:
    """The boxes, and in which of them each node lies.

    Attributes:
        names: those of the modules are learned here.
        early: the nodes that were made before they were used.
        calls: the engine's box of each, in order; `number`: its place here, by its number there.
        boxes: the same as data.
        of: of each node, the number of its box, or None.
    """

    def __init__(self, reached: Reached, names: Names):
        self.names = names
        self.early = reached.early
        self.calls = _calls_around(reached.calls)
        self.number = {box.number: i for i, box in enumerate(self.calls)}
        self._learn_names(reached.number)
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

    def _learn_names(self, nodes: dict[Node, int]) -> None:
        """Name the modules from the outermost ones, or from a variable's that contains those."""
        modules = [box for box in self.calls if isinstance(box.owner, Module)]
        tops = self._tops(modules, nodes)
        for root, name in zip(tops, self._apart(tops)):
            self.names.learn(root, name if len(tops) > 1 else "")
        for box in modules:  # those that no attribute leads to
            if id(box.owner) not in self.names.paths:
                around = _module_around(box)
                prefix = self.names.paths[id(around.owner)] if around is not None else ""
                self.names.learn(box.owner, f"{prefix}.{type(box.owner).__name__}".lstrip("."))

    def _tops(self, modules: list[modes.Box], nodes: dict[Node, int]) -> list[Module]:
        """The modules at which paths begin.

        Of a `Net` with `self.blocks = nn.ModuleList([Block(), Block()])`, of which the blocks alone were
        called: the net, if a variable holds it, so that they are `blocks.0` and `blocks.1`; if none
        does, each of the blocks.
        """
        held = [module for _, module in self.names.modules.values()]
        within = {id(m) for outer in held for p, m in outer.named_modules() if p}
        containing = {
            id(m): outer
            for outer in held
            if id(outer) not in within
            for _, m in outer.named_modules()
        }
        outermost = [box.owner for box in modules if _module_around(box) is None]
        tops = {id(r): r for r in (containing.get(id(m), m) for m in outermost)}
        for root in {id(r): r for r in containing.values()}.values():
            if any(p._node in nodes for p in root.parameters()):  # used without a call
                tops.setdefault(id(root), root)
        return [*tops.values()]

    def _apart(self, tops: list[Module]) -> list[str]:
        """A name for each, of its variable or its class, with a number where that is taken.

        Of two of the class `Block` in no variable, and a `Net` in `net`: Block, Block_2, net.
        """
        names: list[str] = []
        for root in tops:
            name, _ = self.names.modules.get(id(root), (type(root).__name__, None))
            unique, k = name, 1
            while unique in names:
                k += 1
                unique = f"{name}_{k}"
            names.append(unique)
        return names

    def _box(self, box: modes.Box) -> GraphBox:
        number, parent = self.number[box.number], self._in(box.outer)
        around = self.boxes[parent].path if parent is not None else ""
        owner = box.owner
        if not isinstance(owner, Module):
            path = f"{around}/{owner}" if around else str(owner)
            return GraphBox(number, "definition", str(owner), "", path, parent, *_told(box))
        path = self.names.paths[id(owner)]
        module_around = _module_around(box)
        outer_path = self.names.paths[id(module_around.owner)] if module_around is not None else ""
        name = path[len(outer_path) + 1 :] if path.startswith(f"{outer_path}.") else path
        if not path:
            name, _ = self.names.modules.get(id(owner), ("", None))
        details = owner.describe()
        kind = type(owner).__name__ + (f" {details}" if details else "")
        return GraphBox(number, "module", name, kind, path, parent, *_told(box))

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
        """Choose the box that shows a leaf used in `box`: that of its module, or where it was made."""
        key, chain = self.names.key(leaf), self._around(box)
        owner = self.names.owner.get(key)
        if owner is not None:
            at_home = [b for b in chain if self.calls[b].owner is owner]
            modules = [b for b in chain if self.boxes[b].kind == "module"]
            return at_home[-1] if at_home else modules[-1] if modules else None
        if leaf in self.early:
            made = [b for b in chain if self.calls[b].number < leaf.number]
            return made[-1] if made else None
        return None if key in self.names.outer else box


def _calls_around(nodes: Iterable[Node]) -> list[modes.Box]:
    """The calls in which these nodes were made, in order."""
    found: dict[int, modes.Box] = {}
    for node in nodes:
        box = node.box
        while box is not None and box.number not in found:
            found[box.number] = box
            box = box.outer
    return [found[n] for n in sorted(found)]


def _told(box: modes.Box) -> tuple[str, str]:
    """The purpose of a module, or of a definition, as its docstring says; and its lesson."""
    doc = (type(box.owner) if isinstance(box.owner, Module) else box.function).__doc__
    return words.first_sentence(doc), words.lesson_in(doc)


def _module_around(box: modes.Box) -> modes.Box | None:
    """The nearest call of a module in which a call was made."""
    outer = box.outer
    while outer is not None and not isinstance(outer.owner, Module):
        outer = outer.outer
    return outer
