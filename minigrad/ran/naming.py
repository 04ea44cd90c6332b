"""Names of a graph's nodes, as a reader knows them: of variables, and of attributes of modules."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..engine.errors import MinigradError
from ..engine.node import Node
from ..engine.tensor import Tensor
from ..nn import Module, Parameter
from .reached import Reached, know
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
        """Take the names of variables: where several hold one thing, that of the innermost function."""
        for name, value in variables(error):
            # Who called the module has the better name for it.
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
        """The key under which a node is known."""
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
        """The kind of a leaf: "parameter", "input" or "data"."""
        if not leaf.requires_grad:
            return "data"
        key = self.key(leaf)
        return "parameter" if key in self.learned or key in self.owner else "input"
