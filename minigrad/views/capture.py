"""The graph as data, made of what the engine holds: the one place where the views touch the engine.

What the roots were computed from is found by going from each node to its arguments, numbered in order
of creation, and given the names that a reader knows it by: of variables, of the attributes of modules.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..definitions.elementwise import clamp
from ..engine import modes, table
from ..engine.arguments import parents_in
from ..engine.errors import Call, GraphError, MinigradError
from ..engine.node import Node, Outline
from ..engine.saving import read_by
from ..engine.tensor import Tensor
from ..engine.walk import copied_axes
from ..nn import Module, Parameter
from ..recording import Note, flat
from . import text
from .data import UNKNOWN, Box, Edge, G, GraphNode, Passed, Ref
from .show import read_only
from .source import line_of, variables

NOT_MADE = Outline((), np.dtype(np.float32))  # the result of an operation that failed
BROADCASTING = (np.where, np.broadcast_to, clamp)  # beside ufuncs


def of_tensors(kind: type[G], roots: Sequence[Tensor]) -> G:
    """The computation of `roots`."""
    with _no_collection():
        return _Capture(roots).graph(kind)


def of_error(kind: type[G], error: MinigradError) -> G:
    """The computation that an error came up in, as far as it got, with what failed marked.

    Raises:
        GraphError: if it came up outside any computation.
    """
    culprit = error.culprit
    if culprit is None:
        raise GraphError(f"this {type(error).__name__} came up outside any computation: {error}")
    with _no_collection():
        failed = culprit if isinstance(culprit, Node) else _failed(culprit, error)
        capture = _Capture([error.root or failed], error)
        graph = capture.graph(kind, type(error).__name__)
        graph[capture.number[failed]].error = str(error).split("\n  at ")[0]
        return graph


def numbered(kind: type[G], root: Tensor) -> tuple[G, dict[Node, int]]:
    """The computation of `root`, and the number that each operation and leaf has in it."""
    with _no_collection():
        capture = _Capture([root])
        return capture.graph(kind), capture.number


def _failed(call: Call, error: MinigradError) -> Node:
    """The call that failed, as the node that it would have become."""
    args = (*call.args, *call.kwargs.values())
    function = call.owner
    if not callable(function) or isinstance(function, Module):
        function = functools.partial(tuple)
        name = call.owner if isinstance(call.owner, str) else type(call.owner).__name__
        function.__name__ = name  # type: ignore[attr-defined]
    edges: list[Any] = []
    for i, a in enumerate(args):
        if isinstance(a, (list, tuple)):
            edges += parents_in(i, a)
        elif (node := getattr(a, "_node", None)) is not None and node.requires_grad:
            edges.append((i, None, node))
    y = call.y if hasattr(call.y, "shape") else NOT_MADE
    node = Node(y, table.Operation(function, ()), (y, *args), {}, edges)
    node.note = Note(y, line=line_of(error))
    node.box = call.box
    return node


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Spare the garbage collector many looks at a graph's new objects, none of which is garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Reached:
    """Everything that some roots were computed from, as nodes numbered in order of creation.

    Arrays that are no nodes yet, as outside `record()`, become leaves here: each array one.
    """

    def __init__(self, roots: Sequence[Tensor | Node]):
        self.values: dict[Node, np.ndarray] = {}  # as far as they are still known
        self.arrays: dict[
            int, tuple[Any, Node]
        ] = {}  # by identity: arrays, and the leaves they became
        self.calls: dict[Node, tuple] = {}  # the arguments of each node, nodes among them
        self.roots = [r if isinstance(r, Node) else self._of_tensor(r) for r in roots]
        order: dict[Node, tuple] = {}  # where each comes in the order of creation
        waiting = list(dict.fromkeys(self.roots))
        seen = set(waiting)
        while waiting:  # graphs are deeper than Python recurses
            node = waiting.pop()
            order[node] = min(order.get(node, (node.number, 1)), (node.number, 1))
            if node.operation is None:
                continue
            self.calls[node] = self._call(node)
            for k, (_, _, source) in enumerate(supplies(self.calls[node])):
                if source.operation is None:  # a constant comes just before its first use
                    order[source] = min(order.get(source, (source.number, 1)), (node.number, 0, k))
                if source not in seen:
                    seen.add(source)
                    waiting.append(source)
        self.nodes = sorted(order, key=order.__getitem__)
        self.early = {n for n in self.nodes if order[n][1] == 1}  # made before they were used
        self.number = {node: n for n, node in enumerate(self.nodes)}

    def _call(self, node: Node) -> tuple:
        """Return what an operation was called with, each array and tensor as a node."""
        parents: dict[int, Any] = {}  # of each argument, or of each element of a list
        for position, item, parent in node.edges:
            if item is None:
                parents[position] = parent
            else:
                parents.setdefault(position, {})[item] = parent
        saved = node.saved
        if saved is not None:
            self.know(node, saved[0])
        if node.note is not None:
            self.know(node, node.note.y)
            if node.note.sources:
                return tuple(map(self._recorded, node.note.args, node.note.sources))
        if saved is None:  # freed, and not recorded: only the edges are left
            n = max(len(node.operation.rules), *(p + 1 for p in parents))  # type: ignore[union-attr]
            saved = (None, *(UNKNOWN,) * n)
        return tuple([self._argument(a, parents.get(i)) for i, a in enumerate(saved[1:])])

    def _recorded(self, given: Any, source: Any) -> Any:
        if isinstance(source, list):
            return type(given)(map(self._recorded, given, source))
        if source is None:
            return given
        self.know(source, given)
        return source

    def _argument(self, given: Any, parent: Any) -> Any:
        if isinstance(parent, dict):
            given = [UNKNOWN] * (max(parent) + 1) if given is UNKNOWN else given
            return [self._argument(a, parent.get(k)) for k, a in enumerate(given)]
        if parent is not None:
            self.know(parent, getattr(given, "_array", given))
            return parent
        if isinstance(given, Tensor):
            return self._of_tensor(given)
        if isinstance(given, Outline):  # one can stand for many arrays
            return Node(given) if given.ndim else UNKNOWN
        if isinstance(given, np.ndarray) and given.ndim:
            return self._of_array(given)
        if isinstance(given, (list, tuple)) and any(isinstance(a, Tensor) for a in given):
            return type(given)([self._argument(a, None) for a in given])
        return given

    def _of_tensor(self, tensor: Tensor) -> Node:
        node = tensor._node or self._of_array(tensor._array)
        self.know(node, tensor._array)
        return node

    def _of_array(self, array: Any) -> Node:
        if id(array) not in self.arrays:
            self.arrays[id(array)] = array, Node(array)
        node = self.arrays[id(array)][1]
        self.know(node, array)
        return node

    def know(self, node: Node, value: Any) -> None:
        if isinstance(value, (np.ndarray, np.generic)):
            self.values.setdefault(node, np.asarray(value))


class _Capture(_Reached):
    """The nodes that the roots were computed from, and what is looked up on the way."""

    def __init__(self, roots: Sequence[Tensor | Node], error: MinigradError | None = None):
        super().__init__(roots)
        self.names = _Names(self, error)
        self.places = _Places(self)
        lists = {id(n.note.reads): n.note.reads for n in self.calls if n.note is not None}
        self.reads = [(r, self._within(r.node)) for reads in lists.values() for r in reads]

    def graph(self, kind: type[G], title: str = "") -> G:
        kept = self._kept()
        nodes = [self._node(node, kept.get(node, 0)) for node in self.nodes]
        edges = [edge for node in self.nodes for edge in self._edges(node)]
        roots = tuple([self.number[r] for r in self.roots])
        return kind(
            nodes=tuple(nodes),
            edges=tuple(edges),
            boxes=tuple(self.places.boxes),
            roots=roots,
            recorded=all(node.note is not None for node in self.calls),
            title=title or ", ".join(nodes[r].label for r in roots),
            reads=tuple([(n, r.line) for r, numbers in self.reads for n in numbers]),
        )

    def _kept(self) -> dict[Node, int]:
        """For each node, the bytes that it is the first to keep; what a tensor holds is the tensor's."""
        held = (v for n, v in self.values.items() if n.operation is None and n.note is None)
        seen = {id(_memory(v)) for v in held if not v.flags.writeable}
        kept: dict[Node, int] = {}
        for node in self.nodes:
            for memory, size in self._saved(node):
                if memory not in seen:
                    seen.add(memory)
                    kept[node] = kept.get(node, 0) + size
        return kept

    def _saved(self, node: Node) -> Iterator[tuple[int, int]]:
        """The identity and the bytes of each array that a node saves, or saved before it was freed."""
        if node.saved is not None:
            for array in _arrays(node.saved):
                yield id(_memory(array)), _memory(array).nbytes
        elif node.edges:
            call = self.calls[node]
            read = read_by(node.operation, tuple([i for i, _, _ in node.edges]), len(call))  # type: ignore[arg-type]
            for saved in (n for i, _, n in supplies((node, *call)) if read[i]):
                known = self.values.get(saved)
                if known is not None:
                    yield id(_memory(known)), _memory(known).nbytes
                elif saved.operation is not None:
                    yield id(saved), math.prod(saved.shape) * saved.dtype.itemsize

    def _node(self, node: Node, kept: int) -> GraphNode:
        gradient, state = _gradient(node)
        box = self.places.of.get(node)
        operation = node.operation
        return GraphNode(
            number=self.number[node],
            kind="operation" if operation is not None else self.names.kind(node),
            operation=operation.name if operation is not None else "",
            function=operation.function if operation is not None else None,
            arguments=tuple([self._refer(a) for a in self.calls.get(node, ())]),
            options=dict(node.kwargs),
            shape=node.shape,
            dtype=node.dtype,
            value=_shown(self.values.get(node)),
            gradient=gradient,
            state=state,
            name=self.names.given.get(self.names.key(node), ""),
            variable=self.names.variable.get(self.names.key(node), ""),
            line=node.note.line if node.note is not None else None,
            box=box,
            module=self.places.module_of(box),
            kept=kept,
            rules=operation.rules if operation is not None else (),
            may_be_of=self._may_be_of(node),
        )

    def _may_be_of(self, node: Node) -> tuple[int, ...]:
        if node.operation is not None and not self._has_odd_number(node):
            return ()
        before = (numbers for r, numbers in self.reads if r.number < node.number)
        return tuple(sorted({n for numbers in before for n in numbers}))

    def _has_odd_number(self, node: Node) -> bool:
        """Tell whether an operation of the reader's has a Python number that its line does not spell."""
        inside = node.box is not None and isinstance(node.box.owner, str)
        if inside or node.note is None or not isinstance(node.operation.function, np.ufunc):  # type: ignore[union-attr]
            return False
        line = node.note.line.text if node.note.line is not None else ""
        return any(type(a) in (int, float) and f"{a:g}" not in line for a in self.calls[node])

    def _within(self, node: Node) -> list[int]:
        """A node's number; of one outside the graph, those of what it was computed from."""
        found, waiting = set(), [node]
        while waiting:
            one = waiting.pop()
            if one in self.number:
                found.add(self.number[one])
            elif one.note is not None:
                waiting += [s for s in flat(one.note.sources) if isinstance(s, Node)]
        return sorted(found)

    def _refer(self, argument: Any) -> Any:
        if isinstance(argument, Node):
            return Ref(self.number[argument])
        if type(argument) in (list, tuple):
            return type(argument)(map(self._refer, argument))
        return argument

    def _edges(self, node: Node) -> Iterator[Edge]:
        found = supplies(self.calls.get(node, ()))
        if not found:
            return
        facts = _facts(node.operation.function)  # type: ignore[union-attr]
        shapes = [source.shape for _, _, source in found]
        made = None if node.saved is not None and node.saved[0] is NOT_MADE else node.shape
        copied = facts.copied(made, shapes)
        passing = {(position, item) for position, item, _ in node.edges}
        passed = {} if node.note is None else _passed(node)
        for (position, item, source), axes in zip(found, copied):
            yield Edge(
                source=self.number[source],
                target=self.number[node],
                position=position,
                item=item,
                argument=facts.parameters[position] if position < len(facts.parameters) else "",
                differentiable=(position, item) in passing,
                passed=passed.get((position, item)),
                copied=axes,
            )


# --- what the engine holds ------------------------------------------------------------------------


def supplies(call: tuple) -> list[tuple[int, int | None, Node]]:
    """Every node among the arguments: its position, its place in a list there, and itself."""
    found: list[tuple[int, int | None, Node]] = []
    for position, argument in enumerate(call):
        if isinstance(argument, Node):
            found.append((position, None, argument))
        elif isinstance(argument, (list, tuple)):
            found += [(position, j, a) for j, a in enumerate(argument) if isinstance(a, Node)]
    return found


class _Facts(NamedTuple):
    """Facts about a function that are the same for all arguments."""

    parameters: tuple[str, ...]
    spreads: str  # broadcasting: of "all" axes, of those before a "matrix", or ""

    def copied(self, shape: tuple[int, ...] | None, shapes: list[tuple[int, ...]]) -> list[tuple]:
        """For each argument, the axes of the result along which broadcasting copied it."""
        matrices = self.spreads == "matrix" and all(len(s) > 1 for s in shapes)
        if shape is None or not (matrices or self.spreads == "all"):
            return [()] * len(shapes)
        if matrices:
            shape, shapes = shape[:-2], [s[:-2] for s in shapes]
        return [() if s == shape else copied_axes(shape, s) for s in shapes]


@functools.cache
def _facts(function: Callable) -> _Facts:
    entry = table.TABLE.get(function)
    elementwise = isinstance(function, np.ufunc) and function.signature is None
    return _Facts(
        parameters=entry.parameters if isinstance(entry, table.Operation) else (),
        spreads="matrix" if function is np.matmul
        else "all" if elementwise or function in BROADCASTING else "",
    )  # fmt: skip


def _passed(node: Node) -> dict[tuple[int, int | None], Passed]:
    """Return what a node passed on in the last backward pass, by position and place in a list."""
    found = {}
    waiting = list(node.note.contributions)
    for position, item, to in node.edges:
        if waiting and (waiting[0].position, waiting[0].to) == (position, to):
            given, fitted, before, after = map(_shown, waiting.pop(0)[2:])
            if given is not None and fitted is not None and after is not None:
                found[position, item] = Passed(given, fitted, before, after)
    return found


def _gradient(node: Node) -> tuple[np.ndarray | None, str]:
    """The gradient of a node, and the state that it is in."""
    if not node.requires_grad:
        return None, "needs none"
    if node.grad is None:
        freed = node.operation is not None and node.saved is None
        return None, "freed" if freed else "not computed"
    array = _shown(node.grad)
    return array, "known" if array is None or array.any() else "zero"


def _shown(value: Any) -> np.ndarray | None:
    """The array in a value, for those who only look; None where it is yet to be computed, or lost."""
    array = value._array if isinstance(value, Tensor) else value
    return read_only(np.asarray(array)) if isinstance(array, (np.ndarray, np.generic)) else None


def _arrays(values: Sequence[Any]) -> list[np.ndarray]:
    """The arrays among `values`, and in the lists among them."""
    found = []
    for v in values:
        if isinstance(v, np.ndarray):
            found.append(v)
        elif isinstance(v, (list, tuple)):
            found += _arrays(v)
    return found


def _memory(array: Any) -> Any:
    """The array in whose memory `array` lies."""
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array


# --- names and places -----------------------------------------------------------------------------


class _Names:
    """Names that a reader knows: of variables, and of the attributes of modules.

    A node is known by its identity, or by that of the array that it stands for.
    """

    def __init__(self, reached: _Reached, error: MinigradError | None = None):
        self.know = reached.know
        self.keys = {node: id(array) for array, node in reached.arrays.values()}
        for node in reached.nodes:
            if node.note is not None and node.note.array is not None:
                self.keys[node] = id(node.note.array)
        self.variable: dict[int, str] = {}
        self.given: dict[int, str] = {}
        self.owner: dict[int, Module] = {}  # the module of which it is an attribute
        self.learned: set[int] = set()  # parameters
        self.paths: dict[int, str] = {}  # by the id of a module
        self.modules: dict[int, tuple[str, Module]] = {}  # those that variables hold
        for name, value in variables(error):
            if isinstance(value, Module) and name != "self":
                self.modules.setdefault(id(value), (name, value))
            for key in self._keys(value):
                self.variable.setdefault(key, name)
        self.outer = frozenset(self.variable)
        for node in reached.nodes:
            if node.name:
                self.given[self.key(node)] = node.name
            for source, name in node.note.names if node.note is not None else ():
                self.variable.setdefault(self.key(source), name)

    def key(self, node: Node) -> int:
        return self.keys.get(node, id(node))

    def _keys(self, value: Any) -> list[int]:
        """By what a tensor or array that someone holds is known; its value is noted on the way."""
        if isinstance(value, Tensor) and value._node is not None:
            self.know(value._node, value._array)
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
                        self.given[key] = f"{path}.{name}" if path else name

    def kind(self, leaf: Node) -> str:
        if not leaf.requires_grad:
            return "data"
        key = self.key(leaf)
        return "parameter" if key in self.learned or key in self.owner else "input"


class _Places:
    """The boxes, and in which of them each node lies."""

    def __init__(self, reached: _Capture):
        self.names = reached.names
        self.early = reached.early
        found: dict[int, modes.Box] = {}
        for node in reached.calls:
            box = node.box
            while box is not None and box.number not in found:
                found[box.number] = box
                box = box.outer
        self.calls = [found[n] for n in sorted(found)]
        self.number = {box.number: i for i, box in enumerate(self.calls)}
        self._learn_names(reached.number)
        self.boxes: list[Box] = []
        for box in self.calls:
            self.boxes.append(self._box(box))
        self.of = {node: self._in(node.box) for node in reached.calls}
        users: dict[Node, int | None] = {}
        for node, call in reached.calls.items():
            for _, _, leaf in supplies(call):
                if leaf.operation is None:
                    mine = self.of[node]
                    users[leaf] = self._common(users[leaf], mine) if leaf in users else mine
        self.of.update((leaf, self._settle(leaf, box)) for leaf, box in users.items())

    def _in(self, box: modes.Box | None) -> int | None:
        return None if box is None else self.number[box.number]

    def _learn_names(self, nodes: dict[Node, int]) -> None:
        """Name the modules from the outermost ones, or from a variable's that contains those."""
        held = [module for _, module in self.names.modules.values()]
        within = {id(m) for outer in held for p, m in outer.named_modules() if p}
        containing = {
            id(m): outer
            for outer in held
            if id(outer) not in within
            for _, m in outer.named_modules()
        }
        modules = [box for box in self.calls if isinstance(box.owner, Module)]
        outermost = [box.owner for box in modules if _module_around(box) is None]
        tops = {id(r): r for r in (containing.get(id(m), m) for m in outermost)}
        for root in {id(r): r for r in containing.values()}.values():
            if any(p._node in nodes for p in root.parameters()):  # used without a call
                tops.setdefault(id(root), root)
        taken: set[str] = set()
        for root in tops.values():
            name, _ = self.names.modules.get(id(root), (type(root).__name__, None))
            unique, k = name, 1
            while unique in taken:
                k += 1
                unique = f"{name}_{k}"
            taken.add(unique)
            self.names.learn(root, unique if len(tops) > 1 else "")
        for box in modules:  # those that no attribute leads to
            if id(box.owner) not in self.names.paths:
                around = _module_around(box)
                prefix = self.names.paths[id(around.owner)] if around is not None else ""
                self.names.learn(box.owner, f"{prefix}.{type(box.owner).__name__}".lstrip("."))

    def _box(self, box: modes.Box) -> Box:
        number, parent = self.number[box.number], self._in(box.outer)
        around = self.boxes[parent].path if parent is not None else ""
        owner = box.owner
        if not isinstance(owner, Module):
            path = f"{around}/{owner}" if around else str(owner)
            return Box(number, "definition", str(owner), "", path, parent, *_told(owner))
        path = self.names.paths[id(owner)]
        module_around = _module_around(box)
        outer_path = self.names.paths[id(module_around.owner)] if module_around is not None else ""
        name = path[len(outer_path) + 1 :] if path.startswith(f"{outer_path}.") else path
        if not path:
            name, _ = self.names.modules.get(id(owner), ("", None))
        details = owner.describe()
        kind = type(owner).__name__ + (f" {details}" if details else "")
        return Box(number, "module", name, kind, path, parent, *_told(owner))

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

    def _settle(self, leaf: Node, box: int | None) -> int | None:
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


def _told(owner: Any) -> tuple[str, str]:
    """What the docstring of a module, or of a definition by its name, says it is for; and its lesson."""
    if isinstance(owner, Module):
        doc = type(owner).__doc__
    else:
        named = (e for e in table.TABLE.values() if e.name == owner)
        doc = next((e.written.__doc__ for e in named if isinstance(e, table.Definition)), None)
    return text.first_sentence(doc), text.lesson_in(doc)


def _module_around(box: modes.Box) -> modes.Box | None:
    """The nearest call of a module in which a call was made."""
    outer = box.outer
    while outer is not None and not isinstance(outer.owner, Module):
        outer = outer.outer
    return outer
