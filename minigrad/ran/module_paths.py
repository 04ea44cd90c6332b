"""Paths of modules: the attributes that lead to each, from the outermost module that is known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from ..engine.modes import Box, outward
from ..engine.node import Node
from ..nn import Module


class Named(NamedTuple):
    """A module with its name for a reader: the name of a variable, or a path."""

    name: str
    module: Module


def paths_of_modules(
    calls: Iterable[Box], in_variables: Mapping[int, Named], nodes: Collection[Node]
) -> dict[int, Named]:
    """The path of each module that was called, and of all modules inside it, by identity.

    Args:
        calls: the boxes of a graph.
        in_variables: the modules in variables, by identity.
        nodes: the nodes of the graph.
    """
    paths: dict[int, Named] = {}

    def add(root: Module, prefix: str) -> None:
        for path, module in root.named_modules(prefix):
            paths.setdefault(id(module), Named(path, module))

    called = [box for box in calls if isinstance(box.owner, Module)]
    tops = _tops(called, in_variables, nodes)
    for top, name in zip(tops, _distinct(tops, in_variables)):
        add(top, name if len(tops) > 1 else "")
    for box in called:
        if id(box.owner) not in paths:  # no attribute leads to this module
            around = innermost_module(box.outer)
            prefix = paths[id(around.owner)].name if around is not None else ""
            add(box.owner, f"{prefix}.{type(box.owner).__name__}".lstrip("."))
    return paths


def _tops(
    called: Iterable[Box], in_variables: Mapping[int, Named], nodes: Collection[Node]
) -> list[Module]:
    """The modules at which paths begin.

    Of a `Net` with `self.blocks = nn.ModuleList([Block(), Block()])`, only the blocks were called. If a
    variable holds the net, paths begin at the net: `blocks.0` and `blocks.1`. If none does, they begin
    at each block.
    """
    modules = [module for _, module in in_variables.values()]
    within = {id(m) for outer in modules for path, m in outer.named_modules() if path}
    containing = {
        id(m): outer
        for outer in modules
        if id(outer) not in within
        for _, m in outer.named_modules()
    }
    outermost = [box.owner for box in called if innermost_module(box.outer) is None]
    tops = {id(top): top for top in (containing.get(id(m), m) for m in outermost)}
    for root in {id(r): r for r in containing.values()}.values():
        if any(p._node in nodes for p in root.parameters()):  # used without a call
            tops.setdefault(id(root), root)
    return [*tops.values()]


def _distinct(tops: Iterable[Module], in_variables: Mapping[int, Named]) -> list[str]:
    """A name for each, of its variable or its class, with a number where the name is taken.

    Of two of the class `Block` in no variable, and a `Net` in `net`: Block, Block_2, net.
    """
    names: list[str] = []
    for top in tops:
        name = in_variables[id(top)].name if id(top) in in_variables else type(top).__name__
        unique, k = name, 1
        while unique in names:
            k += 1
            unique = f"{name}_{k}"
        names.append(unique)
    return names


def calls_around(nodes: Iterable[Node]) -> list[Box]:
    """The calls in which these nodes were made, in order."""
    calls: dict[int, Box] = {}
    for node in nodes:
        for box in outward(node.box):
            if box.number in calls:  # then those around it are there too
                break
            calls[box.number] = box
    return [calls[number] for number in sorted(calls)]


def innermost_module(box: Box | None) -> Box | None:
    """The nearest call of a module among a box and those around it."""
    return next((b for b in outward(box) if isinstance(b.owner, Module)), None)
