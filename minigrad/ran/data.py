"""The parts of a graph: nodes, edges for their arguments, boxes. Views are functions of these."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .. import errors
from ..engine.errors import Options
from ..engine.source import SourceLine
from . import words

G = TypeVar("G", bound="GraphData")


class Ref(NamedTuple):
    """An argument that is another node of the graph, by its number."""

    number: int


class Unknown:
    """An argument that the engine no longer holds: the graph was freed, and not recorded."""

    def __repr__(self) -> str:
        return "…"


UNKNOWN = Unknown()


@dataclasses.dataclass(slots=True, eq=False, kw_only=True)
class GraphNode:
    """A tensor of the graph, and the operation that made it, if one did.

    Attributes, of what it is:
        number: its place in the order of creation, from 0.
        kind: "operation"; or, of what no operation made, "parameter", "input" (another tensor that
            requires a gradient) or "data" (a tensor or array that requires none).
        shape, dtype: of the result.

    Of the operation, where one made it:
        operation: the name of the function, such as `np.tanh`; "" where none made it.
        function: the function itself, or None.
        arguments: what it was called with: each a `Ref`, a list of these, or the value itself;
            `UNKNOWN` where the engine no longer holds it.
        options: its keyword arguments.
        rules: its derivatives, one function an argument, None where there is none.
        error: what went wrong here, in the graph of an error; "" elsewhere.

    Of the numbers:
        value: the result, or None where it was not kept.
        gradient: of what `backward()` started from, with respect to it; None where there is none.
        state: of the gradient: "known", "zero", "not computed", "needs none", or "freed" (it was on
            its way through this node, and not kept).
        kept: the bytes of the arrays that it saves for the backward pass (that it saved, where that
            has freed them). An array that several nodes save counts at the first of them.

    Of its place, as a reader knows it:
        name: the path of a parameter, or the name that the tensor was given; "" for none.
        variable: the variable that held it, "" where none was found.
        line: the line of code that asked for it, where it was recorded.
        box: the number of the box in which it lies, or None.
        module: the path of the innermost module in which it lies, or None.
        outside: whether it only supplies a part of a graph (see `Graph.inside`).
        of: in the graph of a backward pass, the number of the forward node that it belongs to.

    Of the origin of numbers that no operation made:
        known_origin: of a leaf, "argument" of the function that was recorded, "draw", or "".
        draw: of a draw of random numbers, a function that draws again.
        may_be_of: the nodes from which Python or NumPy may have computed a number outside the graph,
            such as `n` in `n = int(x.sum()); y = x / n`. Their numbers had been taken out when this node
            was made. Of a leaf, its own numbers are meant; of an operation, a Python number among its
            arguments. Of an array, leaves of integers count too: a mask may be made of ids.
    """

    number: int
    kind: str
    shape: tuple[int, ...]
    dtype: np.dtype

    operation: str
    function: Callable | None
    arguments: tuple
    options: Options
    rules: tuple[Callable | None, ...] = ()
    error: str = ""

    value: np.ndarray | None
    gradient: np.ndarray | None
    state: str
    kept: int

    name: str
    variable: str
    line: SourceLine | None
    box: int | None
    module: str | None
    outside: bool = False
    of: int | None = None

    known_origin: str = ""
    draw: Callable[[], np.ndarray] | None = None
    may_be_of: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """The name a reader knows it by: that of the parameter, else of the variable."""
        return self.name or self.variable

    @property
    def short(self) -> str:
        """The last part of its name, or its number: `weight`, `#5`."""
        return self.label.rpartition(".")[2] or f"#{self.number}"

    @property
    def origin(self) -> str:
        """The origin of the numbers of a leaf: "argument", "made of an argument", "draw", "outside".

        "computed" for what an operation gave.
        """
        if self.kind == "operation":
            return "computed"
        return self.known_origin or ("made of an argument" if self.may_be_of else "outside")

    @property
    def role(self) -> str:
        """Its kind; of an array that is no tensor, what it is there for: mask, index or constant."""
        return self.kind if self.kind != "data" else words.role_of(self.dtype)


class Passed(NamedTuple):
    """A gradient on its way along an edge: arrays in a graph, symbols in a script, slots on a tape.

    The engine's `Contribution` has the same four, the position of the argument, and the engine's node
    that they go to. It is one flat tuple, as the walk makes one for each argument; what is passed here
    names no node.

    Attributes:
        given: what the rule gave.
        fitted: that with broadcasting undone.
        before: what had arrived at the argument by then, or None.
        after: the sum.
    """

    given: Any
    fitted: Any
    before: Any
    after: Any


@dataclasses.dataclass(slots=True, eq=False)
class GraphEdge:
    """One argument of an operation: an arrow of a drawing, as values go. The engine's edge goes back.

    Attributes:
        source, target: the numbers of the argument's node and of the operation's.
        position: which argument it is, and `item` which of its elements where it is a list.
        argument: its name in the table of derivatives, such as `x`.
        differentiable: whether a gradient goes back along it.
        passed: the gradient that did, or None where it is not known.
        copied: the axes of the result along which broadcasting copied the argument.
    """

    source: int
    target: int
    position: int
    item: int | None
    argument: str
    differentiable: bool
    passed: Passed | None
    copied: tuple[int, ...]

    @property
    def contribution(self) -> np.ndarray | None:
        """The gradient that went back along it, with broadcasting undone."""
        return None if self.passed is None else self.passed.fitted


@dataclasses.dataclass(frozen=True)
class GraphBox:
    """One call of a module, or of a function composed of operations.

    Attributes:
        number: its place in the order of the calls, from 0.
        kind: "module" or "definition".
        name: its name in the box around it, such as `attention` or `softmax`; may be "".
        type: the class of the module, with what describes it; "" for a definition.
        path: its full name: `encoder.layers.0.attention`, `encoder.layers.0.attention/softmax`.
        parent: the number of the box around it, or None.
        about: what it is for: the first sentence of its docstring, "" where it has none.
        lesson: the number of the lesson that the docstring names, or "".
    """

    number: int
    kind: str
    name: str
    type: str
    path: str
    parent: int | None
    about: str = ""
    lesson: str = ""

    @property
    def title(self) -> str:
        return f"{self.name}: {self.type}" if self.name and self.type else self.name or self.type

    @property
    def place(self) -> str:
        """Its full name; of one without any, its type."""
        return self.path or self.name or self.type


@dataclasses.dataclass(frozen=True, eq=False)
class GraphData:
    """A computation as data: nodes in order of creation, an edge for each argument, nested boxes.

    Attributes:
        nodes: every node, in order of creation.
        edges: one for each argument, in order of their targets.
        boxes: every call of a module or definition, in order.
        roots: the numbers of the nodes it was asked for.
        recorded: whether every operation ran under `record()`.
        title: the name of what was computed.
        taken_out: (number of a node, line) wherever its numbers left the graph while it was recorded.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    boxes: tuple[GraphBox, ...]
    roots: tuple[int, ...]
    recorded: bool
    title: str = ""
    taken_out: tuple[tuple[int, SourceLine | None], ...] = ()

    @functools.cached_property
    def _nodes(self) -> dict[int, GraphNode]:
        return {node.number: node for node in self.nodes}

    @functools.cached_property
    def _boxes(self) -> dict[int, GraphBox]:
        return {box.number: box for box in self.boxes}

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, number: int) -> GraphNode:
        """The node of that number."""
        try:
            return self._nodes[number]
        except KeyError:
            raise errors.GraphError(
                f"this graph has no node {number!r}; its nodes are numbered "
                f"{self.nodes[0].number} to {self.nodes[-1].number}"
            ) from None

    def box(self, number: int) -> GraphBox:
        """The box of that number."""
        return self._boxes[number]

    def outward(self, number: int | None) -> Iterator[GraphBox]:
        """Yield the box of that number and those around it, the innermost first; none for None."""
        while number is not None:
            box = self.box(number)
            yield box
            number = box.parent

    def boxes_within(self, numbers: Iterable[int]) -> set[int]:
        """Those boxes and all boxes inside them, by number."""
        within = set(numbers)
        for box in self.boxes:  # those around come before those inside
            if box.parent in within:
                within.add(box.number)
        return within

    @functools.cached_property
    def _arguments(self) -> dict[int, list[GraphEdge]]:
        found: dict[int, list[GraphEdge]] = {}
        for e in self.edges:
            found.setdefault(e.target, []).append(e)
        return found

    def arguments(self, number: int) -> list[GraphEdge]:
        """The edges to the node of that number: one for each of its arguments, in their order."""
        return self._arguments.get(number, [])

    @functools.cached_property
    def _users(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for e in self.edges:
            found.setdefault(e.source, []).append(e.target)
        return found

    def users(self, number: int) -> list[int]:
        """The numbers of the nodes that a node is an argument of, in order."""
        return self._users.get(number, [])

    def line_of(self, number: int) -> SourceLine | None:
        """The line of an operation; of a leaf, that of the first operation that is given it."""
        lines = (self[n].line for n in (number, *self.users(number)))
        return next((line for line in lines if line is not None), None)

    def made_from(self, number: int) -> set[int]:
        """The numbers of a node and of all that it was computed from."""
        sources = {number}
        for node in reversed(self.nodes):
            if node.number in sources:
                sources.update(e.source for e in self.arguments(node.number))
        return sources

    def made_into(self, number: int) -> set[int]:
        """The numbers of a node and of all that is computed from it."""
        results = {number}
        for e in self.edges:
            if e.source in results:
                results.add(e.target)
        return results

    @functools.cached_property
    def way_back(self) -> list[tuple[GraphNode, list[GraphEdge]]]:
        """Each node that a gradient reaches, newest first, and the edges along which it goes on."""
        reached = {n for n in self.roots if self[n].state != "needs none"}
        way = []
        for node in reversed(self.nodes):
            if node.number in reached:
                edges = [e for e in self.arguments(node.number) if e.differentiable]
                reached.update(e.source for e in edges)
                way.append((node, edges))
        return way

    def inside(self: G, path: str) -> G:
        """The part of the graph inside the module or definition of that path, as a graph.

        The nodes keep their numbers. Nodes around it that supply its arguments are there too,
        marked `outside`.

        Raises:
            GraphError: if no box has that path; the message lists those that there are.
        """
        chosen = {b.number for b in self.boxes if b.path == path}
        if not chosen:
            paths = ", ".join(dict.fromkeys(repr(b.path) for b in self.boxes)) or "none"
            raise errors.GraphError(
                f"no box of this graph has the path {path!r}; there are: {paths}"
            )
        within = self.boxes_within(chosen)
        own = {n.number for n in self.nodes if n.box in within}
        title = next(b.path or b.title for b in self.boxes if b.number in chosen)
        return self.part(own, within - chosen if len(chosen) == 1 else within, title)

    def part(self: G, own: set[int], boxes: set[int], title: str = "") -> G:
        """The nodes `own` in these boxes, and outside them what they are computed from, as a graph."""
        edges = tuple([e for e in self.edges if e.target in own])
        supplies = {e.source for e in edges}
        nodes = [
            dataclasses.replace(
                n, outside=n.outside or n.number not in own,
                box=n.box if n.number in own and n.box in boxes else None,
            )
            for n in self.nodes
            if n.number in own or n.number in supplies
        ]  # fmt: skip
        inside = [
            dataclasses.replace(b, parent=b.parent if b.parent in boxes else None)
            for b in self.boxes
            if b.number in boxes
        ]
        used = {e.source for e in self.edges if e.target not in own} | set(self.roots)
        roots = tuple(sorted(used & own))
        return dataclasses.replace(
            self, nodes=tuple(nodes), edges=edges, boxes=tuple(inside), roots=roots, title=title
        )
