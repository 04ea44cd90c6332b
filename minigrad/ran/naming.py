"""Names of a graph's nodes, as a reader knows them: of variables, and of attributes of modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..engine.errors import MinigradError
from ..engine.modes import Box
from ..engine.node import Node
from ..engine.tensor import Tensor
from ..nn import Module, Parameter
from .module_paths import Named, paths_of_modules
from .reached import Reached, know
from .variables import variables


class Attribute(NamedTuple):
    """An attribute of a module, by its path, such as `encoder.weight`."""

    owner: Module
    path: str


class Names:
    """Names that a reader knows: of variables, and of attributes of modules.

    Modules are noted by their identity. A node is noted by its key: the identity of the array that it
    stands for, if the user's code holds that array, as it does x in `np.sum(x * w)`; else its own. So a
    node, and the array or the Tensor in a variable, have a key in common.

    Attributes:
        values: the arrays of nodes, as far as they are known; those found on the way are added.
        modules: the modules in variables, by identity, each with the name of its variable.
        paths: the modules that were called, and those inside them, by identity, each with its path.
        variables: the names of variables that exist now, by the key of a node.
        past: the names of variables that existed when an operation ran, by the key of a node.
        attributes: the attributes of modules, by the key of a node.
        parameters: the keys of the nodes of parameters.
    """

    def __init__(self, reached: Reached, calls: Sequence[Box], error: MinigradError | None = None):
        self.values = reached.values
        self._keys = {node: id(array) for array, node in reached.arrays.values()}
        for node in reached.nodes:
            if node.note is not None and node.note.array is not None:
                self._keys[node] = id(node.note.array)
        self.modules: dict[int, Named] = {}
        self.variables: dict[int, str] = {}
        self.past: dict[int, str] = {}
        self.attributes: dict[int, Attribute] = {}
        self.parameters: set[int] = set()
        self._take_variables(error)
        self._take_past_variables(reached.nodes)
        self.paths = paths_of_modules(calls, self.modules, reached.number)
        self._take_attributes()

    def name(self, node: Node) -> str:
        """The path of the attribute that holds a node; else the name given to its Tensor, or ""."""
        attribute = self.attributes.get(self.key(node))
        return node.name or "" if attribute is None else attribute.path

    def variable(self, node: Node) -> str:
        """The name of the variable that holds a node, or held it when it was used; or ""."""
        key = self.key(node)
        return self.variables.get(key) or self.past.get(key, "")

    def owner(self, node: Node) -> Module | None:
        """The module that has a node as an attribute."""
        attribute = self.attributes.get(self.key(node))
        return None if attribute is None else attribute.owner

    def kind(self, leaf: Node) -> str:
        """The kind of a leaf: "parameter", "input" or "data"."""
        if not leaf.requires_grad:
            return "data"
        key = self.key(leaf)
        return "parameter" if key in self.parameters or key in self.attributes else "input"

    def key(self, node: Node) -> int:
        """The key of a node."""
        return self._keys.get(node, id(node))

    def path_of(self, module: Module) -> str:
        """The path of a module that was called, or lies inside one; "" for the outermost."""
        return self.paths[id(module)].name

    def variable_of(self, module: Module) -> str:
        """The name of the variable that holds a module, or ""."""
        named = self.modules.get(id(module))
        return "" if named is None else named.name

    def _take_variables(self, error: MinigradError | None) -> None:
        """Take the names of variables; if several hold one thing, the name in the innermost function."""
        for name, value in variables(error):
            # Who called the module has the better name for it.
            if isinstance(value, Module) and name != "self":
                self.modules.setdefault(id(value), Named(name, value))
            for key in self._keys_of(value):
                self.variables.setdefault(key, name)

    def _take_past_variables(self, nodes: Sequence[Node]) -> None:
        """Take the names that recorded operations noted for their arguments."""
        for node in nodes:
            for source, name in node.note.names if node.note is not None else ():
                self.past.setdefault(self.key(source), name)

    def _take_attributes(self) -> None:
        """Take the attributes of all modules that have a path: a shared one of the first of them."""
        for path, module in self.paths.values():
            for name, value in vars(module).items():
                for key in self._keys_of(value):
                    whole = f"{path}.{name}" if path else name
                    self.attributes.setdefault(key, Attribute(module, whole))

    def _keys_of(self, value: object) -> list[int]:
        """The keys of a tensor or array; the value of a tensor is noted too."""
        if isinstance(value, Tensor) and value._node is not None:
            know(self.values, value._node, value._array)
            if isinstance(value, Parameter):
                self.parameters.add(id(value._node))
            return [id(value._node), id(value._array)]
        if isinstance(value, (Tensor, np.ndarray)):
            return [id(getattr(value, "_array", value))]
        return []
