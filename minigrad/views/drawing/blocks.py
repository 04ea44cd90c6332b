"""A graph as a tree of blocks: its boxes, and in each its operations in order of creation."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

from ...ran import words
from ...ran.data import GraphData


@dataclasses.dataclass(eq=False)
class Block:
    """A box of a drawing: a module's call, a definition's, or a part that the drawing made.

    Attributes:
        kind: "module", "definition", "repeat" (several items that come again), "group", or
            "root" of the whole.
        title: that of the graph's box, such as `blocks.0: Block`; of a group, what is in it.
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

    @property
    def heading(self) -> str:
        """The title, and how often it comes: `blocks.0 to 5: Block × 6`."""
        if self.times == 1:
            return self.title if self.kind == "group" else words.visible(self.title)
        first, _, kind = self.title.rpartition(": ")
        last = self.last.rpartition(": ")[0]
        if first != last:  # blocks.0 to blocks.5
            first = f"{first} to {last.rpartition('.')[2]}"
        names = f"{first}: " if first else ""
        how = "" if self.chained else ", side by side"
        return words.visible(f"{names}{kind} × {self.times:,}{how}".strip())

    def members(self) -> Iterator[int]:
        """Every node inside, the leaves of each block before its operations."""
        yield from self.leaves
        for item in self.items:
            if isinstance(item, Block):
                yield from item.members()
            else:
                yield item


Shown = int | Block  # a node, or the closed block that it is in


class Stop(NamedTuple):
    """One stop of the walk through a drawing: at a node, at a closed block, or at an open one.

    Attributes:
        item: the number of the node, or the block.
        around: the innermost block that it is in.
        level: how many blocks it is in, the one around everything among them.
        ends: whether it is the second stop at an open block, after all that is in it.
    """

    item: int | Block
    around: Block
    level: int
    ends: bool = False


def walk_blocks(block: Block, level: int = 1) -> Iterator[Stop]:
    """Go through all that a block shows, in the order in which a drawing is written.

    Leaves come first, and then operations and blocks in order of creation. An open block has a stop
    before what is in it and one after; a closed block has one.
    """
    for item in (*block.leaves, *block.items):
        yield Stop(item, block, level)
        if isinstance(item, Block) and item.open:
            yield from walk_blocks(item, level + 1)
            yield Stop(item, block, level, ends=True)


def tree(graph: GraphData) -> Block:
    """The graph's boxes as blocks; a block around only one thing is left out."""
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
