"""Names of a graph's nodes, as a reader knows them, and the boxes in which they lie."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..engine import modes
from ..engine.errors import MinigradError
from ..engine.node import Node
from ..engine.tensor import Tensor
from ..nn import Module, Parameter
from . import words
from .data import GraphBox
from .reached import Reached, know, supplies
from .variables import variables


class Names:
    """Names that a reader knows: of variables, and of the attributes of modules.

    A node is known by its key: its identity, or that of the array that it stands for.

    Attributes:
        values: the arrays of nodes, as far as they are known.
        keys: of nodes that stand for an array, its identity.
        variable: by key, the name of a variable.
        name: by key, a name that was given, or the path of an attribute.
        owner: by key, the module of which it is an attribute.
        learned: the keys of parameters.
        paths: of each module, by its identity.
        modules: those that variables hold, by their identities, with the variables' names.
        outer: the keys of what variables hold.
    """

    def __init__(self, reached: Reached, error: MinigradError | None = None):
        self.values = reached.values
        self.keys = {node: id(array) for array, node in reached.arrays.values()}
        for node in reached.nodes:
            if node.note is not None and node.note.array is not None:
                self.keys[node] = id(node.note.array)
        self.variable: dict[int, str] = {}
        self.name: dict[int, str] = {}
        self.owner: dict[int, Module] = {}
        self.learned: set[int] = set()
        self.paths: dict[int, str] = {}
        self.modules: dict[int, tuple[str, Module]] = {}
        self._take_variables(error)
        self.outer = frozenset(self.variable)
        self._take_given(reached.nodes)

    def _take_variables(self, error: MinigradError | None) -> None:
        for name, value in variables(error):
            if isinstance(value, Module) and name != "self":
                self.modules.setdefault(id(value), (name, value))
            for key in self._keys(value):
                self.variable.setdefault(key, name)

    def _take_given(self, nodes: Iterable[Node]) -> None:
        """Take the names that tensors were given, and those of variables that operations were given."""
        for node in nodes:
            if node.name:
                self.name[self.key(node)] = node.name
            for source, name in node.note.names if node.note is not None else ():
                self.variable.setdefault(self.key(source), name)

    def key(self, node: Node) -> int:
        return self.keys.get(node, id(node))

    def _keys(self, value: object) -> list[int]:
        """The keys under which a tensor or array is known; the value of a tensor is noted too."""
        if isinstance(value, Tensor) and value._node is not None:
            know(self.values, value._node, value._array)
            if isinstance(value, Parameter):
                self.learned.add(id(value._node))
            return [id(value._node), id(value._array)]
        if isinstance(value, (Tensor, np.ndarray)):
            return [id(getattr(value, "_array", value))]
        return []

    def learn(self, root: Module, prefix: str) -> None:
        """Take the names of everything inside `root`, with `prefix` before them."""
        for path, module in root.named_modules(prefix):
            if id(module) in self.paths:
                continue
            self.paths[id(module)] = path
            for name, value in vars(module).items():
                for key in self._keys(value):
                    if key not in self.owner:
                        self.owner[key] = module
                        self.name[key] = f"{path}.{name}" if path else name

    def kind(self, leaf: Node) -> str:
        if not leaf.requires_grad:
            return "data"
        key = self.key(leaf)
        return "parameter" if key in self.learned or key in self.owner else "input"


class Boxes:
    """The boxes, and in which of them each node lies."""

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
        users = self._users_of_leaves(reached)
        self.of.update((leaf, self._box_of_leaf(leaf, box)) for leaf, box in users.items())

    def _users_of_leaves(self, reached: Reached) -> dict[Node, int | None]:
        """The innermost box around all calls that use each leaf."""
        users: dict[Node, int | None] = {}
        for node, call in reached.calls.items():
            for _, _, leaf in supplies(call):
                if leaf.operation is None:
                    mine = self.of[node]
                    users[leaf] = self._common(users[leaf], mine) if leaf in users else mine
        return users

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
        """The modules at which paths begin."""
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
        """A name for each, of its variable or its class, with a number where that is taken."""
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
