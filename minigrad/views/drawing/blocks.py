"""A graph as a tree of blocks: its boxes, and in each its operations in order of creation."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ...ran.data import GraphData


@dataclasses.dataclass(eq=False)
class Block:
    """A box of a drawing: a module's call, a definition's, or a part that this module made.

    Attributes:
        kind: "module", "definition", "repeat" (several items that come again) or "group".
        title: what it is headed by.
        box: the number of the graph's box, or None.
        items: operations, by their numbers, and blocks, in order of creation.
        leaves: the nodes in it that no operation made.
        times: how often it comes, and `chained` whether each time goes on from the one before.
        last: the title of the last time.
        open: whether its inside is shown.
    """

    kind: str
    title: str
    box: int | None = None
    items: list[int | Block] = dataclasses.field(default_factory=list)
    leaves: list[int] = dataclasses.field(default_factory=list)
    times: int = 1
    chained: bool = False
    last: str = ""
    open: bool = True

    def members(self) -> Iterator[int]:
        """Every node inside, the leaves of each block before its operations."""
        yield from self.leaves
        for item in self.items:
            if isinstance(item, Block):
                yield from item.members()
            else:
                yield item


def tree(graph: GraphData) -> Block:
    """The graph's boxes as blocks; those that would only surround one thing are left out."""
    root = Block("root", graph.title)
    blocks: dict[int | None, Block] = {None: root}

    def block_of(number: int | None) -> Block:
        if number is not None and number not in blocks:
            box = graph.box(number)
            blocks[number] = Block(box.kind, box.title, number)
            block_of(box.parent).items.append(blocks[number])
        return blocks[number]

    leaves = [n for n in graph.nodes if n.kind != "operation" or n.outside]
    for node in graph.nodes:
        if node.kind == "operation" and not node.outside:
            block_of(node.box).items.append(node.number)
    for node in leaves:  # later, so that the blocks are in the order of their operations
        block_of(node.box).leaves.append(node.number)
    for number in sorted((b for b in blocks if b is not None), reverse=True):
        _simplify(blocks[number])
    _simplify(root)
    return root


def _simplify(block: Block) -> None:
    """Take a lonely operation out of its definition, and a lonely definition out of its box."""
    items: list[int | Block] = []
    for item in block.items:
        if isinstance(item, Block) and item.kind == "definition" and len(item.items) == 1:
            items += item.items
            block.leaves += item.leaves
        else:
            items.append(item)
    if block.box is not None and len(items) == 1:
        only = items[0]
        if isinstance(only, Block) and only.kind == "definition":
            items = only.items
            block.leaves += only.leaves
    block.items = items
    block.leaves.sort()
