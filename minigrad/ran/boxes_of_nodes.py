"""The boxes of a graph, by name, and in which of them each node lies."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine.modes import Box, outward
from ..engine.node import Node
from ..nn import Module
from . import words
from .data import GraphBox
from .module_paths import innermost_module
from .naming import Names
from .reached import Reached, edges_of


class Boxes:
    """The calls of modules and definitions as data, and in which of them each node lies.

    Attributes:
        data: each call as data, in order.
        number: the place of each call among them.
        home: the innermost call that shows a node, or None.
    """

    def __init__(self, reached: Reached, calls: Sequence[Box], names: Names):
        self.number = {call: number for number, call in enumerate(calls)}
        self.data: list[GraphBox] = []
        for call in calls:  # those around come before those inside
            self.data.append(self._as_data(call, names))
        self.home = {node: node.box for node in reached.calls}
        for leaf, around in _around_uses(reached).items():
            self.home[leaf] = _home_of_leaf(leaf, around, names, made_early=leaf in reached.early)

    def box_of(self, node: Node) -> int | None:
        """The number of the innermost box that shows a node."""
        call = self.home.get(node)
        return None if call is None else self.number[call]

    def module_of(self, node: Node) -> str | None:
        """The path of the innermost module that shows a node."""
        call = innermost_module(self.home.get(node))
        return None if call is None else self.data[self.number[call]].path

    def _as_data(self, call: Box, names: Names) -> GraphBox:
        number = self.number[call]
        parent = self.number[call.outer] if call.outer is not None else None
        owner = call.owner
        if not isinstance(owner, Module):
            around = self.data[parent].path if parent is not None else ""
            path = f"{around}/{owner}" if around else str(owner)
            documented = call.function
            kind, name, described = "definition", str(owner), ""
        else:
            path = names.path_of(owner)
            documented = type(owner)
            kind, name, described = "module", _name_within(call, names), _described(owner)
        about = words.first_sentence(documented.__doc__)
        lesson = words.lesson_in(documented.__doc__)
        return GraphBox(number, kind, name, described, path, parent, about, lesson)


def _name_within(call: Box, names: Names) -> str:
    """The path of a module without that of the module around its call; of a variable its name."""
    path = names.path_of(call.owner)
    if not path:
        return names.variable_of(call.owner)
    outer = innermost_module(call.outer)
    around = names.path_of(outer.owner) if outer is not None else ""
    return path.removeprefix(f"{around}.")


def _described(module: Module) -> str:
    """The class of a module, with what describes it: `Linear 3 -> 4`."""
    details = module.describe()
    return type(module).__name__ + (f" {details}" if details else "")


def _around_uses(reached: Reached) -> dict[Node, Box | None]:
    """The innermost call around all operations that are given a leaf, for each leaf."""
    around: dict[Node, Box | None] = {}
    for node, arguments in reached.calls.items():
        for _, _, leaf in edges_of(arguments):
            if leaf.operation is None:
                around[leaf] = _common(around[leaf], node.box) if leaf in around else node.box
    return around


def _common(a: Box | None, b: Box | None) -> Box | None:
    """The innermost call around both."""
    around_b = set(outward(b))
    return next((call for call in outward(a) if call in around_b), None)


def _home_of_leaf(leaf: Node, call: Box | None, names: Names, made_early: bool) -> Box | None:
    """The call that shows a leaf used in `call`: that of its module, or where it was made."""
    around, owner = list(outward(call)), names.owner(leaf)
    if owner is not None:
        at_home = (c for c in around if c.owner is owner)
        return next(at_home, innermost_module(call))
    if made_early:
        return next((c for c in around if c.number < leaf.number), None)
    return None if names.key(leaf) in names.variables else call
